"""The application for gunicorn; made when a worker process loads it, so that connections are the worker's own."""

from service.http.app import create_app
from service.http.server.bind_check import is_loopback

application = create_app()
settings = application.parts.settings
if settings.require_apps or not is_loopback(settings.host):
    application.parts.use_cases.callers.require_keys()
