"""The server around the application: gunicorn's settings, its worker, and the plain requests that it answers past gunicorn."""
