"""The domain as the environments of other projects: for researchers, outside the service (docs/research.md)."""
