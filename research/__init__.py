"""The domain as the environments of other projects: for researchers, outside the service.

See docs/how-to/use-the-research-environments.md.
"""
