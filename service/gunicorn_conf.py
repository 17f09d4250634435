"""How gunicorn runs the service: `gunicorn -c python:service.gunicorn_conf service.wsgi:application`."""

import os

from events.settings import load

settings = load(os.environ)

# A stream or a long poll costs a greenlet, so one kind of worker serves everything on one port.
worker_class = "service.web_worker.ProblemWorker"
workers = settings.web_workers
worker_connections = 10_000
bind = f"[{settings.host}]:{settings.port}" if ":" in settings.host else f"{settings.host}:{settings.port}"
backlog = 2048

keepalive = 75  # seconds an idle connection is kept; also the time in which a request must arrive
timeout = 30  # a worker that blocks its loop for so long is replaced
graceful_timeout = 2  # seconds; open streams are then cut off, and their clients come again

limit_request_line = 4094
limit_request_fields = 64
limit_request_field_size = 4094

accesslog = None
errorlog = "-"
loglevel = settings.log_level
proc_name = "migrato"
control_socket_disable = True
worker_tmp_dir = "/dev/shm" if os.path.isdir("/dev/shm") else None  # noqa: PTH112, S108 -- heartbeats, not files
