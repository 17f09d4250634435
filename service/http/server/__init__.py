"""The server around the application: gunicorn's settings and its worker."""
