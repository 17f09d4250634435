"""The work of a webhook worker, in this process: a test says when the relay works and how far ahead the clock is."""

import time
from collections.abc import Callable
from functools import partial
from typing import Final

import gevent  # type: ignore[import-untyped]
import pytest

from events.application import Application
from events.runtime import bootstrap
from events.runtime.settings import Settings
from tests.support.waiting import LIMIT
from workers.webhooks import senders
from workers.webhooks.client import WebhookClient
from workers.webhooks.relay import Relay
from workers.webhooks.sender import Sender
from workers.webhooks.senders import Senders

TURN: Final = 0.002  # seconds that greenlets get between two looks


class Sending:
    """The relay and the senders of a worker that holds the lease."""

    def __init__(self, settings: Settings, engine: Application, monkeypatch: pytest.MonkeyPatch) -> None:
        self._now, self._wrong = time.time(), 0.0
        parts = bootstrap.webhook_parts(settings, engine)
        monkeypatch.setattr(senders, "TICK", TURN)
        sender = partial(Sender, clock=lambda: self._now + self._wrong, steady=lambda: self._now)
        monkeypatch.setattr(senders, "Sender", sender)
        self._senders = Senders(engine, WebhookClient(parts.guard, LIMIT))
        self._relay = Relay(parts.feed, engine.app_logs, self._senders.wake)
        self._running = gevent.spawn(self._senders.run)

    def until(self, condition: Callable[[], object]) -> None:
        """Work until the condition holds."""
        deadline = time.monotonic() + LIMIT
        while not condition():
            assert time.monotonic() < deadline, f"not within {LIMIT} s"
            self._relay.step(1)
            gevent.sleep(TURN)

    def passes(self, seconds: float) -> None:
        """Let this much time pass for the senders, whose pauses end by nothing else."""
        self._now += seconds
        for app in ("club", "other"):
            self._senders.wake(app)

    def set_clock(self, wrong: float) -> None:
        """Put the clock of all senders wrong by this much from now on; no time passes."""
        self._wrong = wrong
        for sender, _ in self._senders._running.values():
            sender.step()

    def stop(self) -> None:
        self._running.kill()
