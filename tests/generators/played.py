"""Pages of events in which every type of event is, some of them with hidden fields."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import tests.golden
from domain.annotations import MoveChosen
from domain.common_events.clocks import ClockCredited, TurnTimedOut
from domain.interventions import WinClaimed
from domain.lifecycle import EventRecord
from domain.migo.rules.events import BottleDrunk, BottleGained, CardFlipped, SherpaDismissed
from domain.migrato.rules.events import ReturnFlightTaken, TurnPassed
from domain.registry import GAMES
from tests.support.players import Json, Player

GOLDEN = sorted(Path(tests.golden.__file__).parent.glob("*.jsonl"))
DIGEST = "ab" * 32
AT = "2026-11-22T10:00:00.123456Z"
MIDDLE = 12  # moves, after which a game is looked at and forked
NEW_GAME: Json = {"seats": [{"kind": "human", "player": "ada"}, {"kind": "open"}], "visibility": "public"}
OPTIONS: dict[str, Json] = {
    "migrato": {"turn_limit": 60, "return_flight": True, "first_seat": "random"},
    "migo": {"first_seat": "random"},
}
CHOSEN = MoveChosen(0, "greedy", "1", None, None, "overran", "remote")
TIMED_OUT, CREDITED = TurnTimedOut(0, AT, "forfeit"), ClockCredited(1, 4000, AT)
CLAIMED = WinClaimed(0, 1, AT)
RARE: dict[str, tuple[Any, ...]] = {
    "migrato": (CHOSEN, TIMED_OUT, CREDITED, CLAIMED, ReturnFlightTaken(0, 1, 2, (3, 4, 5)), TurnPassed(1)),
    "migo": (
        CHOSEN,
        TIMED_OUT,
        CREDITED,
        CLAIMED,
        BottleGained(0),
        SherpaDismissed(1, 3),
        CardFlipped(1, 4),
        BottleDrunk(0),
    ),
}  # what need not happen in any of the games


def told_pages(url: str, app_key: str, name: str) -> Iterator[Json]:
    """Pages of a real engine on a game in the middle and at its end, a fork, a resignation and apps' decisions."""
    game = _Game.new(Player(url, app_key), name)
    game.play(MIDDLE)
    yield from game.pages()
    yield from game.forked().pages()
    game.play()
    yield from game.pages()
    resigned = _Game.new(Player(url, app_key), name)
    resigned.move(0, {"type": "resign"})
    yield from resigned.pages()
    adjudicated = _Game.new(Player(url, app_key), name, clock={"kind": "per-move", "seconds": 600})
    adjudicated.take_back()
    adjudicated.decide("/seats/1/hand-over", {"player": "zoe"})
    adjudicated.decide("/adjudication", {"winner": 0})
    del adjudicated._seats[1]
    yield from adjudicated.pages()
    aborted = _Game.new(Player(url, app_key), name)
    aborted.decide("/seats/1/bot", {"bot": "random"})
    aborted.decide("/abort")
    del aborted._seats[1]
    yield from aborted.pages()
    yield rare_page(name)


class _Game:
    """A game of two people, who like best what they have not done yet."""

    def __init__(self, app: Player, created: Json, *, is_public: bool) -> None:
        self._app = app
        self._is_public = is_public
        self._path = f"/v1/games/{created['id']}"
        self._seats = [Player(app.url, seat.get("token")) for seat in created["seats"]]
        self._random = random.Random(1)
        self._done: list[object] = []

    @classmethod
    def new(cls, app: Player, name: str, **more: Json) -> "_Game":
        """A new game, which anybody may watch; the second seat is taken after that."""
        created = app.ask("POST", "/v1/games", NEW_GAME | {"game": name, "options": OPTIONS[name]} | more)
        game = cls(app, created, is_public=True)
        taken = app.ask("POST", f"{game._path}/seats/1", {"player": "bob"})
        game._seats[1] = Player(app.url, taken["token"])
        return game

    def play(self, moves: int = 10_000) -> None:
        """Play so many moves, or to the end."""
        for _ in range(moves):
            view = self._seats[0].ask("GET", self._path)
            if view["to_act"] is None:
                break
            self._act(view["to_act"])

    def _act(self, seat: int) -> None:
        legal = self._seats[seat].ask("GET", f"{self._path}/legal-moves")["moves"]
        self._random.shuffle(legal)
        move = min(legal, key=lambda move: self._done.count(_kind(move)))
        if len(self._done) == 2:
            self._seats[seat].ask("GET", f"{self._path}/hint?bot=greedy")
        if len(self._done) == 4:
            token = self._app.ask("POST", f"{self._path}/seats/{seat}/token")["token"]
            self._seats[seat] = Player(self._app.url, token)
        self.move(seat, move)

    def move(self, seat: int, move: Json) -> None:
        """Let the seat make that move."""
        self._done.append(_kind(move))
        self._seats[seat].ask("POST", f"{self._path}/moves", move)

    def take_back(self) -> None:
        """Play until a move has shown nothing, and take that one back."""
        while True:
            seat = self._seats[0].ask("GET", self._path)["to_act"]
            self._act(seat)
            takeback = f"{self._path}/takeback"
            if self._seats[seat].ask("GET", takeback)["may_ask"]:
                self._seats[seat].ask("POST", takeback)
                self._seats[1 - seat].ask("POST", takeback, {"agree": True})
                return

    def decide(self, what: str, body: Json | None = None) -> None:
        """Let the game's app decide that."""
        self._app.ask("POST", f"{self._path}{what}", body)

    def forked(self) -> "_Game":
        """The game from here on, as the first seat forks it; nobody else may watch that."""
        version = self._app.ask("GET", self._path)["version"]
        seats = [{"kind": "human"}, {"kind": "human"}]
        fork = {"version": version, "resample": True, "seats": seats}
        created = self._seats[0].ask("POST", f"{self._path}/fork", fork)
        return _Game(self._app, created, is_public=False)

    def pages(self) -> Iterator[Json]:
        """Its events as they are told to each seat and, if it is public, to a spectator; and as a replay tells them."""
        viewers = [*self._seats, Player(self._app.url)] if self._is_public else self._seats
        for viewer in viewers:
            yield viewer.ask("GET", f"{self._path}/events?limit=1000")
            steps = viewer.ask("GET", f"{self._path}/replay?limit=100")["items"]
            yield _page([event for step in steps for event in step["events"]])


def _kind(move: Json) -> object:
    """The things by which a player who likes variety tells moves apart."""
    return move["type"], bool(move.get("flip")), bool(move.get("drink"))


def rare_page(name: str) -> Json:
    """A page of events that need not happen."""
    return _page([_told(version, GAMES[name].encode(event)) for version, event in enumerate(RARE[name], 1)])


def stored_page() -> Json:
    """A page of stored events, one of each type and game, in the envelope of events of which nothing is hidden."""
    stored = {(file, event[0]): event for file in GOLDEN for event in map(json.loads, file.open())}
    kept = [
        event[:4] for (_, kind), event in stored.items() if kind != "game_created"
    ]  # the ids there are no ids
    records = [EventRecord(*event) for event in kept]
    return _page([_told(version, record) for version, record in enumerate(records, 1)])


def _told(version: int, record: EventRecord) -> Json:
    document = record.document
    document |= {"version": version, "redacted": [], "at": AT}
    return document | {"commitment": DIGEST, "head": DIGEST, "salt": DIGEST}


def _page(events: list[Json]) -> Json:
    return {"events": events, "next": len(events), "version": len(events)}
