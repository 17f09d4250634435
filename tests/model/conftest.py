"""Fixtures of the service, for the model to be played against it."""

from tests.service.conftest import client, new_service, service, worker

__all__ = ["client", "new_service", "service", "worker"]
