"""Embedded servers as supervised processes: the event store, and the job queue beside it."""

import os
import signal
from contextlib import suppress

from events.embedded import EmbeddedServer, EmbeddedServerError
from events.settings import Settings
from service.cli.child import Exit, Supervised
from service.cli.mergedlog import MergedLog


class ServerProcess(Supervised):
    """An embedded server that comes back at the same address, with everything it had on disk."""

    def __init__(self, name: str, settings: Settings, log: MergedLog, *, ephemeral: bool) -> None:
        """`ephemeral`: in memory only."""
        super().__init__(name, log, patience=10.0)
        self._server = EmbeddedServer.of(settings, ephemeral=ephemeral, output=self._pipe())
        self._running = False

    @property
    def url(self) -> str:
        """Where it listens."""
        return self._server.url

    @property
    def running(self) -> bool:
        """See `Supervised`."""
        return self._running

    def ended(self) -> Exit | None:
        """See `Supervised`."""
        if not self._running or self._server.pid is not None:
            return None
        self.copy_output()
        self._running = False
        return Exit("ended")

    def restart_if_due(self) -> bool:
        """See `Supervised`; a start that fails is tried again later."""
        try:
            return super().restart_if_due()
        except EmbeddedServerError as error:
            self._log.line(self.name, f"{error} Trying again in {self.restart_later():.1f} s.")
            return False

    def close(self) -> None:
        """Give back what the server had: its lock, its scratch directory."""
        self._server.stop()

    def _start(self) -> None:
        self._server.start()
        self._running = True

    def _ask_to_stop(self) -> None:
        self._signal(signal.SIGTERM)

    def _kill(self) -> None:
        self._signal(signal.SIGKILL)

    def _signal(self, number: signal.Signals) -> None:
        pid = self._server.pid
        if pid is not None:
            with suppress(ProcessLookupError):
                os.kill(pid, number)
