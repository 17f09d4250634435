"""The service."""

from tests.service.conftest import new_service

__all__ = ["new_service"]
