"""The application for gunicorn; made when a worker process loads it, so that connections are the worker's own."""

from service.http.app import create_app

application = create_app()
