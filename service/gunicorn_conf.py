"""How gunicorn runs the service: `gunicorn -c python:service.gunicorn_conf service.wsgi:application`."""

import os
import resource

import compiled.preferred  # noqa: F401 (before anything imports the domain)
from events.settings import SettingsError, load
from service.exposure import refuse_open_door

try:
    settings = load(os.environ)
    refuse_open_door(settings)
except SettingsError as error:
    raise SystemExit(f"migrato: {error}") from error
if settings.redis_url is None:
    raise SystemExit(
        "migrato: MIGRATO_REDIS_URL must be set; only `migrato serve` brings a Redis of its own."
    )

# A stream takes a file, its caller's connection, and 1024 files are soon gone.
FILES = 65_536
few, most = resource.getrlimit(resource.RLIMIT_NOFILE)
if few < FILES:
    resource.setrlimit(
        resource.RLIMIT_NOFILE, (FILES if most == resource.RLIM_INFINITY else min(FILES, most), most)
    )

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
