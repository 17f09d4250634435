"""The service, over both ways."""

from tests.service.conftest import new_service, way

__all__ = ["new_service", "way"]
