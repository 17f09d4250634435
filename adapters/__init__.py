"""The domain as the environments of other projects: for researchers, outside the service (docs/how-to/use-the-research-environments.md)."""
