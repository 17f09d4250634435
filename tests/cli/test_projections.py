"""`migrato projections rebuild`: what it shows while it works."""

import io
from collections.abc import Iterator
from dataclasses import replace

import pytest
from rich.console import Console
from rich.progress import Progress

from domain.lifecycle import Seat
from events.engine.new_game import NewGame
from events.runtime import bootstrap
from events.runtime.embedded import EmbeddedServer
from events.runtime.settings import Settings
from service.cli.commands import projections

GAMES = 3
States = list[tuple[str, float, float | None]]


@pytest.fixture(scope="module")
def played() -> Iterator[Settings]:
    """A store with GAMES rated games, and one that is not over."""
    with EmbeddedServer(None) as server:
        settings = replace(Settings(), redis_url=server.url, queue_url=server.url)
        application = bootstrap.application(settings)
        seats = (Seat("human", "ada"), Seat("human", "bo"))
        for number in range(GAMES + 1):
            new = NewGame("migo", {"first_seat": "random"}, seats, pairing="app")
            game_id = application.creation.create("club", new).snapshot.game_id
            if number < GAMES:
                application.moves.play(game_id, 0, {"type": "resign"})
                application.bot_turns.score_game(game_id)
        yield settings


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> States:
    """Every state of the bar: what is done, how much of it, of how much."""
    states = States()

    class Watched(Progress):
        def refresh(self) -> None:
            states.extend((task.description, task.completed, task.total) for task in self.tasks)
            super().refresh()

        def advance(self, *args: object, **more: object) -> None:
            super().advance(*args, **more)  # type: ignore[arg-type]
            self.refresh()

    monkeypatch.setattr(projections, "Progress", Watched)
    return states


@pytest.mark.parametrize("is_terminal", [True, False], ids=["on a terminal", "elsewhere"])
def test_the_bar(played: Settings, shown: States, is_terminal: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """It counts every game, then every rated one, to the end; where nobody looks, nothing is written."""
    written = io.StringIO()
    console = Console(file=written, force_terminal=is_terminal, width=100)
    monkeypatch.setattr(projections, "Console", lambda stderr: console)
    rebuilt = projections.rebuild_all(played)
    assert (rebuilt.games, rebuilt.rated) == (GAMES + 1, GAMES)
    assert {("reading games", done, GAMES + 1) for done in range(1, GAMES + 2)} <= set(shown)
    assert shown[-1:] == [("working out ratings", GAMES, GAMES)]
    assert ("working out ratings" in written.getvalue()) == is_terminal
    assert f"{GAMES}/{GAMES}" in written.getvalue() or not is_terminal
    assert is_terminal or written.getvalue() == ""
