"""`migrato serve`: everything in one process tree."""

import json
import os
import shlex
import socket
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import click

from compiled import SWITCH
from compiled import place as build_of_sources
from events.runtime.embedded import EmbeddedServerError
from events.runtime.key_files import ensure, keys_of
from events.runtime.scratch import Scratch
from events.runtime.settings import APART, Settings, SettingsError, load
from service.cli.exits import Refusal
from service.cli.installation import ROOT
from service.cli.store_access import of_server, with_archive
from service.cli.supervision.child_process import ChildProcess, Program, Running
from service.cli.supervision.data_dir import DataDirLock
from service.cli.supervision.forking import Nursery, adopt_orphans
from service.cli.supervision.kinds import GREENLETS, LISTENER, ROOM, kind_of
from service.cli.supervision.merged_log import MergedLog
from service.cli.supervision.port import is_ready, listener, reachable, wants_key
from service.cli.supervision.server_process import ServerProcess
from service.cli.supervision.supervisor import NAME, Supervisor
from service.http.server.bind_check import refuse_open_door

GUNICORN_HOPELESS = frozenset(
    {2, 3, 4}
)  # exit codes: wrong settings, a worker or an application that cannot load
METRICS = (
    "PROMETHEUS_MULTIPROC_DIR"  # see `events.runtime.metrics`, which only the processes started here import
)
WEB, COMPILER = "web", "compiler"  # names of processes
SHARED_MEMORY = "/dev/shm"  # noqa: S108 (a directory of our own in it)
SHARING = ("dispatcher", "remote", "webhooks", "archiver")  # programs that do little but wait, one of each
PATIENCE = 8.0  # seconds in which a process that is told to stop has to
START_SECONDS = 90.0  # a machine so slow that this is not enough has other problems
EXAMPLES = """\b
Examples:
  migrato serve
  migrato serve --port 8001 --data-dir .migrato-2      a second one beside it
  migrato serve --ephemeral                            nothing is kept
  MIGRATO_REDIS_URL=redis://db:6379 migrato serve      on a Redis of your own
"""


@click.command(epilog=EXAMPLES)
@click.option("--host", metavar="HOST", help="The address to listen on.  [MIGRATO_HOST; default: 127.0.0.1]")
@click.option("--port", metavar="PORT", help="The port to listen on.  [MIGRATO_PORT; default: 8000]")
@click.option(
    "--data-dir", metavar="DIR", help="Where the games are kept.  [MIGRATO_DATA_DIR; default: .migrato]"
)
@click.option(
    "--ephemeral",
    is_flag=True,
    help="Keep the games in memory only: they are gone at the end.  [MIGRATO_EPHEMERAL]",
)
@click.option("--workers", metavar="N", help="Bot workers to run.  [MIGRATO_BOT_WORKERS; default: 1]")
@click.option("--web-workers", metavar="N", help="Web workers to run.  [MIGRATO_WEB_WORKERS; default: 2]")
@click.option(
    "--compile",
    "compiling",
    is_flag=True,
    help="Compile the code while the engine serves, and change over to it then.",
)
def serve(ephemeral: bool, compiling: bool, **options: str | None) -> None:
    """Run everything: event store, web service, dispatcher and bot workers.

    Without MIGRATO_REDIS_URL an embedded event store keeps the games in the data directory, safe against a restart
    and a crash. The log of all processes goes to stderr. Ctrl-C stops everything in order; what dies before that is
    started again. Games that have been over for a week move into the directory `archive` there (MIGRATO_ARCHIVE).
    """
    environ: Mapping[str, str] = _with_options(os.environ, options)
    if ephemeral:
        if environ.get("MIGRATO_REDIS_URL"):
            raise Refusal(
                "--ephemeral is for the embedded event store, but MIGRATO_REDIS_URL names another one."
            )
        environ = {**environ, "MIGRATO_EPHEMERAL": "1"}
    try:
        settings = load(environ)
        ephemeral = settings.ephemeral and settings.redis_url is None
        if not ephemeral:
            environ = with_archive(environ)
            settings = load(environ)
        if settings.redis_url is not None:
            refuse_open_door(settings, lambda: _has_apps(settings))
            from events.runtime.stores.store_check import refuse_unfit

            if refuse_unfit(
                settings
            ):  # a process that comes back later must go on, whatever the store does until then
                environ = {**environ, "MIGRATO_ALLOW_EVICTION": "1"}
        elif ephemeral or not (settings.data_dir / "redis").is_dir():  # so there is no app either
            refuse_open_door(settings)
    except SettingsError as error:
        raise Refusal(str(error)) from error
    if settings.bot_workers == 0 and settings.redis_url is None:
        raise Refusal("MIGRATO_BOT_WORKERS is 0, but nobody else could work for the embedded event store.")
    durable = settings.redis_url is None and not ephemeral
    with ExitStack() as stack:
        inherited = stack.enter_context(_locked_data_dir(settings.data_dir if durable else None))
        environ = stack.enter_context(_place_for_metrics(environ))
        listening = stack.enter_context(listener(settings, environ))
        log = MergedLog(form="json" if settings.log_format == "json" else "text")
        if settings.signing_keys is not None or not ephemeral:
            environ = {**environ, **keys_for_children(settings, log, needed=durable)}
        servers = embedded_servers(settings, log, ephemeral=ephemeral)
        builds = compiling and environ.get(SWITCH) != "0" and not build_of_sources().is_dir()
        _supervise(settings, environ, servers, log, inherited, listening, builds=builds)


def embedded_servers(settings: Settings, log: MergedLog, *, ephemeral: bool) -> dict[str, ServerProcess]:
    """The servers to start, by the variable that is to name them.

    The job queue gets one of its own, in memory: it may be lost at any time, and RQ writes a dozen times a job,
    each of which would wait for the disk if it went to the event store.
    """
    if settings.redis_url is not None:
        return {}
    servers = {"MIGRATO_REDIS_URL": ServerProcess("store", settings, log, ephemeral=ephemeral)}
    if settings.queue_url is None and not ephemeral:
        servers["MIGRATO_QUEUE_URL"] = ServerProcess("queue", settings, log, ephemeral=True)
    return servers


def _supervise(
    settings: Settings,
    environ: Mapping[str, str],
    servers: Mapping[str, ServerProcess],
    log: MergedLog,
    inherited: tuple[int, ...],
    listening: socket.socket,
    *,
    builds: bool,
) -> None:
    supervisor = Supervisor(log)
    supervisor.install_signal_handlers()
    try:
        supervisor.start_stage([*servers.values()])
        environ = {**environ, **{variable: server.url for variable, server in servers.items()}}
        if servers:  # which do not evict
            environ["MIGRATO_ALLOW_EVICTION"] = "1"
        settings = replace(settings, redis_url=environ["MIGRATO_REDIS_URL"])
        if not supervisor.stopping():
            refuse_open_door(settings, lambda: _has_apps(settings))
        roles = [*programs(settings, {**environ, LISTENER: str(listening.fileno())})]
        forks = Nurseries(roles, environ, log, inherited, listening.fileno())
        supervisor.start_stage(
            forks.processes(), ready=forks.are_ready, within=START_SECONDS, stops_first=True
        )
        stage = [(program, forks.child(program)) for program in roles]
        supervisor.start_stage(
            [process for _, process in stage], ready=lambda: is_ready(settings), within=START_SECONDS
        )
        if not supervisor.stopping():
            _announce(settings, log)
            if builds:
                _compile(supervisor, stage, forks, log)
        supervisor.watch()
        log.line(NAME, "stopping")
    except EmbeddedServerError as error:
        raise of_server(error) from error
    except SettingsError as error:
        raise Refusal(str(error)) from error
    finally:
        listening.close()  # a new caller is refused from here on, unless systemd has the port, too
        supervisor.stop()
        for server in servers.values():
            server.close()
    log.line(NAME, "stopped")


def _compile(
    supervisor: Supervisor,
    stage: Sequence[tuple[Program, ChildProcess]],
    forks: "Nurseries",
    log: MergedLog,
) -> None:
    """Compile beside the service what can be compiled, and change over to it, one program after the other."""
    command = (sys.executable, "-m", "compiled", "--behind")
    program = Program(COMPILER, command, dict(os.environ), str(ROOT), patience=PATIENCE)
    supervisor.run_beside(ChildProcess(program, log))
    if supervisor.stopping() or not build_of_sources().is_dir():
        return
    forks.renew(supervisor)
    for program, process in stage:
        if supervisor.stopping():
            return
        if program.name != WEB:
            supervisor.restart(process)
        elif not supervisor.change_over(process, forks.child(program), START_SECONDS):
            log.line(NAME, "the compiled web service does not start: the plain one goes on")
            return
    log.line(NAME, "everything runs compiled now")


class Nurseries:
    """The nurseries that these roles are forked from, and their processes; none where the system cannot adopt."""

    def __init__(
        self,
        roles: Sequence[Program],
        environ: Mapping[str, str],
        log: MergedLog,
        inherited: tuple[int, ...],
        listening: int,
    ) -> None:
        """`inherited`: descriptors that nurseries and roles keep open; `listening` is for the web service alone."""
        self._environ = {**environ, "PYTHONUNBUFFERED": "1"}
        self._log = log
        self._inherited = inherited
        self._listening = listening
        kinds = sorted({kind_of(program.command) for program in roles}) if adopt_orphans() else []
        self._nurseries = {kind: self._nursery(kind) for kind in kinds}

    def processes(self) -> list[ChildProcess]:
        """The nurseries."""
        return [*self._nurseries.values()]

    def are_ready(self) -> bool:
        """True if all of them have imported what they need."""
        return all(nursery.ready for nursery in self._nurseries.values())

    def child(self, program: Program) -> ChildProcess:
        """The process of a role; each start forks it from the role's nursery or, without one, executes it."""
        inherited = (*self._inherited, self._listening) if program.name == WEB else self._inherited
        return ChildProcess(program, self._log, inherited, self._fork)

    def renew(self, supervisor: Supervisor) -> None:
        """Replace each nursery by one with the code as it is now; use none where the new one does not start."""
        for kind, old in [*self._nurseries.items()]:
            new = self._nursery(kind)
            if supervisor.change_over(old, new, START_SECONDS):
                self._nurseries[kind] = new
            else:
                del self._nurseries[kind]

    def _fork(self, program: Program, output: int, heartbeat: int) -> Running | None:
        nursery = self._nurseries.get(kind_of(program.command))
        return None if nursery is None else nursery.fork(program, output, heartbeat)

    def _nursery(self, kind: str) -> Nursery:
        command = (sys.executable, "-m", "service.cli.supervision.nursery", kind, ROOM)
        environ, inherited = self._environ, self._inherited
        if kind == GREENLETS:  # the web service is one of these roles
            environ = {**environ, LISTENER: str(self._listening)}
            inherited = (*inherited, self._listening)
        program = Program(f"nursery of {kind}", command, environ, str(ROOT), patience=1.0)
        return Nursery(program, self._log, inherited)


def _has_apps(settings: Settings) -> bool:
    """True if there are apps in the settings' store; a store that does not answer has none.

    It is asked where others reach the service: only then does this process need redis-py, which is half of its memory.
    """
    from events.runtime.stores.app_check import has_apps

    return has_apps(settings)


def programs(settings: Settings, environ: Mapping[str, str]) -> Iterator[Program]:
    """Programs beside the embedded servers."""
    gunicorn = (
        "gunicorn",
        "--config",
        "python:service.http.server.gunicorn_conf",
        "service.http.server.wsgi:application",
    )
    roles: dict[str, tuple[str, ...]] = {WEB: gunicorn, "dispatcher": ("workers", "dispatch")}
    roles |= {f"bots-{number + 1}": ("workers", "work") for number in range(settings.bot_workers)}
    roles |= {f"thinker-{number + 1}": ("workers", "think") for number in range(settings.think_workers)}
    roles |= {f"remote-{number + 1}": ("workers", "remote") for number in range(settings.remote_workers)}
    if "remote-1" in roles:
        roles["remote"] = roles.pop("remote-1")
    roles |= {f"webhooks-{number + 1}": ("workers", "webhooks") for number in range(settings.webhook_workers)}
    if "webhooks-1" in roles:
        roles["webhooks"] = roles.pop("webhooks-1")
    if settings.archive is not None:
        roles["archiver"] = ("workers", "archive")
    if settings.roles != APART and len(sharing := [name for name in SHARING if name in roles]) > 1:
        roles["background"] = ("workers", *(roles.pop(name)[1] for name in sharing))
    others = {variable: value for variable, value in environ.items() if variable != LISTENER}
    for name, (module, *arguments) in roles.items():
        own = environ if name == WEB else others
        command = (sys.executable, "-m", module, *arguments)
        program = Program(
            name,
            command,
            {**own, "PYTHONUNBUFFERED": "1"},
            str(ROOT),
            patience=PATIENCE,
            heartbeat_limit=settings.hang_seconds,
        )
        if name == WEB:
            patience = PATIENCE + settings.drain_seconds
            program = replace(program, patience=patience, hopeless=GUNICORN_HOPELESS)
        yield program


def _with_options(environ: Mapping[str, str], options: Mapping[str, str | None]) -> dict[str, str]:
    """The environment for this process's children: the options override it, paths in it are absolute."""
    names = {"workers": "MIGRATO_BOT_WORKERS"}
    overrides = {
        names.get(name, f"MIGRATO_{name.upper()}"): value
        for name, value in options.items()
        if value is not None
    }
    changed = {**environ, **overrides}
    changed["MIGRATO_DATA_DIR"] = str(Path(changed.get("MIGRATO_DATA_DIR") or ".migrato").absolute())
    return changed


def keys_for_children(settings: Settings, log: MergedLog, *, needed: bool) -> Mapping[str, str]:
    """Directory of the keys that sign heads, for the children; made here, if there are none yet.

    `needed`: the data directory is there to be written to. Beside a Redis of one's own it need not be; if no key can
    be kept there, that is logged, and nothing is signed.
    """
    directory = (settings.signing_keys or keys_of(settings.data_dir)).absolute()
    try:
        ensure(directory)
    except SettingsError as error:
        if needed or settings.signing_keys is not None:
            raise Refusal(str(error)) from error
        log.line(NAME, f"heads of games are not signed: {error}")
        return {}
    return {"MIGRATO_SIGNING_KEYS": str(directory)}


@contextmanager
def _locked_data_dir(data_dir: Path | None) -> Iterator[tuple[int, ...]]:
    if data_dir is None:
        yield ()
        return
    lock = DataDirLock(data_dir)
    try:
        yield (lock.fileno(),)
    finally:
        lock.release()


@contextmanager
def _place_for_metrics(environ: Mapping[str, str]) -> Iterator[Mapping[str, str]]:
    """The environment with a directory for all processes' metrics, in memory where that can be, unless it has one."""
    if environ.get(METRICS):
        yield environ
        return
    memory = SHARED_MEMORY if os.access(SHARED_MEMORY, os.W_OK) else None
    with Scratch("migrato-measures-", memory) as directory:
        yield {**environ, METRICS: str(directory)}


def _announce(settings: Settings, log: MergedLog) -> None:
    host = reachable(settings.host)
    url = settings.public_url or f"http://{f'[{host}]' if ':' in host else host}:{settings.port}"
    if settings.log_format == "json":
        log.line(NAME, f"Migrato Engine is ready: {url}")
        return
    headers = ["-H", "Content-Type: application/json"]
    if wants_key(settings):
        headers += ["-H", "Authorization: Bearer YOUR-APP-KEY"]
    seats = [{"kind": "human", "player": "ada"}, {"kind": "bot", "bot": "greedy"}]
    body = json.dumps({"seats": seats, "options": {"first_seat": "random"}})
    curl = shlex.join(["curl", "-s", *headers, "-d", body, f"{url}/v1/games"])
    with suppress(OSError):  # nobody can read it, which is no reason to stop
        click.echo(
            f"\nMigrato Engine is ready: {url}   (the API: {url}/docs, the guide: {url}/guide)\n"
            f"A game against a bot:\n\n  {curl}\n"
        )
