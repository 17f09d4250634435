"""The server around the application: gunicorn's settings and worker, and plain requests past gunicorn."""
