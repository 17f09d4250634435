"""Embedded servers as supervised processes: the event store, and the job queue beside it."""

import os
import signal
import socket
from contextlib import suppress
from pathlib import Path

from events.runtime.embedded import EmbeddedServer, EmbeddedServerError, hardly_any_room
from events.runtime.settings import Settings
from service.cli.supervision.child_process import Exit, SupervisedProcess
from service.cli.supervision.merged_log import MergedLog

PING = b"PING\r\n"
WARNS_OF_OVERCOMMIT = "Memory overcommit must be enabled"
OVERCOMMIT = (
    "Linux may refuse the memory for writing the file of games anew (vm.overcommit_memory is 0). No game is lost then,"
    " but the file grows. `sysctl vm.overcommit_memory=1` ends that."
)


class Ping:
    """Asks a server again and again whether it is there, and never waits for the answer."""

    def __init__(self) -> None:
        self._connection: socket.socket | None = None

    def was_answered(self, address: Path) -> bool:
        """True if the server has answered since it was asked, if only that it is busy; it is then asked again."""
        try:
            if self._connection is None:
                self._connection = socket.socket(socket.AF_UNIX)
                self._connection.setblocking(False)
                self._connection.connect(str(address))
                self._connection.send(PING)
            if self._connection.recv(4096):
                self._connection.send(PING)
                return True
        except BlockingIOError:
            return False
        except OSError:
            pass
        self.end()  # it has hung up, or cannot be reached: by another connection the next time
        return False

    def end(self) -> None:
        """Close the connection to the server."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


class ServerProcess(SupervisedProcess):
    """An embedded server that comes back at the same address, with everything it had on disk."""

    def __init__(self, name: str, settings: Settings, log: MergedLog, *, ephemeral: bool) -> None:
        """`ephemeral`: in memory only."""
        super().__init__(name, log, patience=10.0, heartbeat_limit=settings.hang_seconds)
        self._keeps_file = not ephemeral
        self._directory = settings.data_dir
        self._ping = Ping()
        self._server = EmbeddedServer.of(settings, ephemeral=ephemeral, output=self._pipe())
        self._running = False
        self._warned = False
        self._pid: int | None = None

    @property
    def pid(self) -> int | None:
        """The running server's process."""
        return self._pid

    @property
    def url(self) -> str:
        """The URL at which the server listens."""
        return self._server.url

    @property
    def running(self) -> bool:
        """True if there is a server that has not been found dead yet."""
        return self._running

    def ended(self) -> Exit | None:
        """End of the server, if it came since the last call."""
        if not self._running or self._server.pid is not None:
            return None
        self.copy_output()
        self._ping.end()
        self._running, self._pid = False, None
        if self._keeps_file and hardly_any_room(self._directory):
            return Exit(f"ended, and the disk of {self._directory} is full")
        return Exit("ended")

    def restart_if_due(self) -> bool:
        """Start again if a restart is planned for now or earlier; a start that fails is tried again later."""
        try:
            return super().restart_if_due()
        except (EmbeddedServerError, OSError) as error:
            self._log.line(self.name, f"{error} Trying again in {self.restart_later():.1f} s.")
            return False

    def close(self) -> None:
        """Give back the server's lock and its scratch directory."""
        self._ping.end()
        self._server.stop()

    def _told(self, lines: list[str]) -> list[str]:
        """The server's lines, with its warning of overcommit as one sentence, once, and only if it has a file."""
        others = [line for line in lines if WARNS_OF_OVERCOMMIT not in line]
        if len(others) == len(lines) or self._warned or not self._keeps_file:
            return others
        self._warned = True
        return [OVERCOMMIT, *others]

    def _has_beaten(self) -> bool:
        return self._ping.was_answered(self._server.socket)

    def _start(self) -> None:
        self._server.start()
        self._pid = self._server.pid
        self._running = True

    def _ask_to_stop(self) -> None:
        self._server.ask_to_stop()

    def _kill(self) -> None:
        pid = self._server.pid
        if pid is not None:
            with suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGKILL)  # with what writes its file anew, if that is going on
