"""A process that has imported what several roles need, and forks them: their memory is shared, and they start at once.

A role so forked is a child of the supervisor, as one that the supervisor has started: the kernel gives it the orphan
of a process between. What gevent has replaced and what it has not cannot share a process, so there are two nurseries.
"""

import array
import ctypes
import gc
import json
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from types import ModuleType
from typing import Any, Final

import compiled.preferred  # noqa: F401 (before anything imports the domain)
from service.cli.supervision.kinds import GREENLETS, LISTENER, PLAIN

# Metrics and caches come before gevent's locks: see `service.http.server.web_worker`.
BEFORE_GREENLETS: Final = ("prometheus_client", "events.caching")
ROLES: Final = ("workers.__main__",)
HEARTBEAT: Final = "events.runtime.heartbeat"  # for all; it begins a thread, which gevent may have replaced
MODULES: Final = {
    PLAIN: ROLES,
    GREENLETS: (
        "gunicorn.app.wsgiapp",
        "service.http.server.web_worker",
        "service.http.app",
        *ROLES,
        "workers.remote.worker",
        "workers.webhooks.worker",
        "workers.archiver",
    ),
}
ARGUMENTS: Final = {
    PLAIN: ["work"],
    GREENLETS: ["remote"],
}  # by which `workers` sees whether it is on greenlets
MAINS: Final = {"gunicorn": ("gunicorn.app.wsgiapp", "run"), "workers": ("workers.__main__", "main")}
OF_ARBITER: Final = (
    "os",
    "queue",
    "signal",
    "time",
)  # what gunicorn's arbiter, which has no loop, waits and forks by
LARGEST: Final = 2**20  # bytes of a request
PR_SET_PDEATHSIG: Final = 1
# The garbage collector's thresholds. Almost no garbage is in cycles; with Python's own thresholds a web worker spends a
# twentieth of its time looking for some.
COLLECTING: Final = (10_000, 20, 20)
ADOPTION: Final = 0.001  # seconds between two looks at who the parent is

Main = Callable[[], object]

_fork = os.fork  # as they are before gevent replaces them: a nursery has no loop, and needs none
_sleep = time.sleep


def import_all(kind: str) -> None:
    """Import what the roles of this kind need, and keep it out of the garbage collector's sight."""
    gc.disable()  # it would find nothing, again and again
    if kind == GREENLETS:
        for name in BEFORE_GREENLETS:
            import_module(name)
        from gevent.monkey import patch_all  # type: ignore[import-untyped]

        patch_all()
        arbiter = import_module("gunicorn.arbiter")
        for name in OF_ARBITER:
            setattr(arbiter, name, _unreplaced(name))
        vars(import_module("gunicorn.sock"))["socket"] = _sockets()
    sys.argv[1:] = ARGUMENTS[kind]
    for name in (HEARTBEAT, *MODULES[kind]):
        import_module(name)
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECTING)


def _unreplaced(name: str) -> ModuleType:
    """A copy of a module as it was before gevent."""
    from gevent.monkey import saved

    copy = ModuleType(name)
    vars(copy).update(vars(import_module(name)), **saved.get(name, {}))
    return copy


def _sockets() -> ModuleType:
    """A copy of the module `socket` as it was before gevent: a socket of it that is dropped is closed, too."""
    copy = _unreplaced("socket")
    replaced = copy.socket

    def fromfd(descriptor: int, family: int, kind: int, protocol: int = 0) -> socket.socket:
        opened: socket.socket = replaced(family, kind, protocol, os.dup(descriptor))
        return opened

    vars(copy)["fromfd"] = fromfd
    return copy


def serve(requests: socket.socket) -> Main:
    """Fork a role for each request, until nobody asks any more; returns in a forked process, the role's main function.

    Raises SystemExit at the end.
    """
    while True:
        received, ancillary, _, _ = requests.recvmsg(
            LARGEST, socket.CMSG_SPACE(3 * array.array("i").itemsize)
        )
        if not received:
            sys.exit(0)
        descriptors = array.array("i")
        for _, _, data in ancillary:
            descriptors.frombytes(data)
        reading, writing = os.pipe()
        between = _fork()
        if between == 0:
            pid = _fork()
            if pid:
                os.write(writing, str(pid).encode())
                os._exit(0)
            for descriptor in (reading, writing):
                os.close(descriptor)
            requests.close()
            return _role(json.loads(received), *descriptors)
        os.close(writing)
        pid_of_role = os.read(reading, 32)
        for descriptor in (reading, *descriptors):
            os.close(descriptor)
        os.waitpid(between, 0)  # so the role is the supervisor's child by now
        requests.send(pid_of_role)


def _role(request: Mapping[str, Any], output: int, heartbeat: int, leave: int) -> Main:
    """Become the requested role once the nursery gives leave; returns the role's main function."""
    os.setsid()
    _end_with(request["parent"], request["orphan_signal"])
    if not os.read(leave, 1):  # the supervisor knows nothing of this process
        os._exit(1)
    os.close(leave)
    for standard in (1, 2):
        os.dup2(output, standard)
    os.close(output)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    if LISTENER in os.environ and LISTENER not in request["environ"]:
        os.close(int(os.environ[LISTENER]))  # else callers would wait there while the web service ends
    os.environ.clear()
    os.environ.update(request["environ"], **{import_module(HEARTBEAT).VARIABLE: str(heartbeat)})
    module, *arguments = request["arguments"]
    _show([sys.executable, "-m", module, *arguments])
    sys.argv[:] = [module, *arguments]
    name, function = MAINS[module]
    main = getattr(import_module(name), function)
    gc.enable()
    return (lambda: main(arguments)) if module == "workers" else main


def _end_with(parent: int, number: int) -> None:
    """Wait until `parent` has this process for a child, and ask for the signal at its end."""
    passing = os.getppid()
    while os.getppid() != parent:
        if os.getppid() not in (passing, parent):
            os._exit(1)
        _sleep(ADOPTION)
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, number, 0, 0, 0)
    if os.getppid() != parent:  # the parent died before this process could ask
        os._exit(1)


def _show(command: Sequence[str]) -> None:
    """Let `ps` show this command line, which is written over the nursery's, as far as there is room."""
    with suppress(OSError, ValueError):
        with open("/proc/self/stat") as file:  # noqa: PTH123 -- shorter than the work
            fields = file.read().rpartition(")")[2].split()
        start, end = int(fields[45]), int(fields[46])
        line = "\0".join(command).encode()[: end - start - 1]
        ctypes.memmove(start, line.ljust(end - start, b"\0"), end - start)


def main(arguments: Sequence[str]) -> object:
    """Import what roles of a kind need, and fork them; in a forked process the role's work, and its exit code."""
    kind = arguments[0]
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    requests = socket.socket(fileno=os.dup(0))  # before gevent replaces sockets
    import_all(kind)
    import_module(HEARTBEAT).Heartbeat.from_environ(os.environ).say_ready()
    return serve(requests)()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))  # type: ignore[arg-type]
