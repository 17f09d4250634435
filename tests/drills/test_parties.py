"""A drill waits for its games to end: as long as any of them goes on, and no longer."""

import threading
from pathlib import Path

import pytest

from drills.clients import party
from drills.clients.client import AppKey
from drills.clients.party import LOOK, Parties
from drills.history import History

PATIENCE = 10.0
GOES_ON = 75.0  # seconds, of a clock that moves by sleep alone


class Clock:
    """In the place of `time`: a game goes on at every look, until it does not any more."""

    def __init__(self, history: History) -> None:
        self.now = 0.0
        self._history = history

    def monotonic(self) -> float:
        """Seconds since the beginning."""
        return self.now

    def sleep(self, seconds: float) -> None:
        """Let them pass."""
        self.now += seconds
        if self.now < GOES_ON:
            self._history.told("game", round(self.now / LOOK) + 1)


def test_games_that_go_on_are_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For as long as they need; when nothing has happened for as long as clients are patient, they are stopped."""
    history = History(tmp_path)
    parties = Parties("", history, AppKey(""), 1, PATIENCE)
    clock, stopped_at = Clock(history), list[float]()

    def play() -> None:
        parties.stopped.wait()

    class Stopped(threading.Event):
        def set(self) -> None:
            stopped_at.append(clock.now)
            super().set()

    parties.stopped = Stopped()
    parties._threads.append(threading.Thread(target=play, daemon=True))
    parties._threads[0].start()
    monkeypatch.setattr(party, "time", clock)
    parties.close()
    assert stopped_at == [pytest.approx(GOES_ON + PATIENCE, abs=3 * LOOK)]


def test_nobody_waits_when_all_games_are_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    history = History(tmp_path)
    clock = Clock(history)
    monkeypatch.setattr(party, "time", clock)
    parties = Parties("", history, AppKey(""), 1, PATIENCE)
    parties.close()
    assert clock.now == 0.0
    assert parties.closing.is_set()
