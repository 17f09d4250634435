"""A client can render a game from the stream alone: after every event it has what the view shows."""

import secrets
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from flask.testing import FlaskClient

from events.application import Application
from service.http.schemas.of_each_game import GAME_SCHEMAS
from tests.service.renderer import Renderer
from tests.service.table import Json, Table, json_of, new_game

VIEWERS = (0, None)
MOST = 1000
TAKEN_BACK = 0.3  # how often a move is taken back that may be
GREED = 0.7  # how often the seat to act does what the greedy bot would do, and not just anything


class Watched:
    """A game that is played over HTTP, and rendered by each viewer from the events that it is shown."""

    def __init__(self, table: Table, rng: Random, viewers: tuple[int | None, ...] = VIEWERS) -> None:
        self.table = table
        self.rng = rng
        self.renderers = {viewer: Renderer(viewer) for viewer in viewers}
        self.version = 0
        self.seen = set[str]()
        self.look()

    def look(self) -> None:
        """Show each viewer what has happened since, and hold what it renders to its views."""
        over = self.get(0)["status"] == "finished"
        for viewer, renderer in self.renderers.items():
            events = self.get(viewer, f"/events?after={self.version}&limit={MOST}")["events"]
            for event in events:
                self.seen.add(event["type"])
                renderer.see(event)
                if not over:
                    compare(renderer, self.get(viewer, f"?version={event['version']}"))
            if over:  # what was hidden is shown now, and is read again from the first event
                compare(self.reread(viewer), self.get(viewer))
        self.version = self.get(0)["version"]

    def play(self, moves: int = MOST) -> "Watched":
        """Play on for so many moves, or to the end."""
        for _ in range(moves):
            seat = self.get(0)["to_act"]
            if seat is None:
                break
            answer = self.table.move(seat, self.choice(seat))
            assert answer.status_code == 201, answer.text
            self.look()
            if self.get(seat, "/takeback")["may_ask"] and self.rng.random() < TAKEN_BACK:
                for who, body in ((seat, None), (1 - seat, {"agree": True})):
                    headers = self.table.bearer(who)
                    said = self.table.client.post(f"{self.table.path}/takeback", json=body, headers=headers)
                    assert said.status_code == 200, said.text
                self.look()
        return self

    def choice(self, seat: int) -> Json:
        """A move for the seat: often a good one, so that something happens."""
        legal: list[Json] = self.get(seat, "/legal-moves")["moves"]
        rare = [move for move in legal if move.get("on_arrival") == "return" or move.get("uncover")]
        if rare and self.rng.random() < GREED:
            return self.rng.choice(rare)
        if self.rng.random() < GREED:
            now = self.table.application.views.snapshot(self.table.id)
            seen = now.game.observe(now.state, seat, now.game.initial_knowledge())
            return now.game.move_document(now.game.think(seen, "greedy", self.rng.getrandbits(32)).move)
        return self.rng.choice(legal)

    def forked(self, client: FlaskClient, caller: int | None, **wanted: Any) -> "Watched":
        """A game that goes on from here, of two people, watched by those who may."""
        headers = {} if caller is None else self.table.bearer(caller)
        body = {"version": self.version, "seats": [{"kind": "human"}] * 2} | wanted
        answer = client.post(f"{self.table.path}/fork", json=body, headers=headers)
        assert answer.status_code == 201, answer.text
        fork = json_of(answer)
        tokens = tuple(seat["token"] for seat in fork["seats"])
        table = Table(client, self.table.application, fork["id"], tokens)
        return Watched(table, self.rng, VIEWERS if fork["visibility"] == "public" else (0, 1))

    def reread(self, viewer: int | None) -> Renderer:
        """The viewer's rendering of all events as they are shown now."""
        renderer = Renderer(viewer)
        for event in self.get(viewer, f"/events?limit={MOST}")["events"]:
            renderer.see(event)
        return renderer

    def get(self, viewer: int | None, what: str = "") -> Json:
        """Something of the game as the viewer sees it."""
        return json_of(self.table.get(what, viewer))


def compare(renderer: Renderer, view: Json) -> None:
    """The rendering is the same as the view."""
    assert renderer.state == view["state"], view["version"]
    assert (renderer.to_act, renderer.turn_shown) == (view["to_act"], view["turn"]), view["version"]


@pytest.fixture
def rng(monkeypatch: pytest.MonkeyPatch) -> Random:
    """Source of all chance of a test, the server's seeds too."""
    rng = Random(7)
    monkeypatch.setattr(secrets, "token_bytes", lambda number=32: rng.randbytes(number))
    return rng


Begin = Callable[..., Watched]


@pytest.fixture
def begin(client: FlaskClient, application: Application, rng: Random) -> Begin:
    """Begins a public game of two people with these options, which everybody watches from the first event on."""

    def begun(**options: Any) -> Watched:
        people = [{"kind": "human"}, {"kind": "human"}]
        game = new_game(client, seats=people, options=options, visibility="public")
        tokens = tuple(seat["token"] for seat in game["seats"])
        return Watched(Table(client, application, game["id"], tokens), rng)

    return begun


OPTIONS: list[Json] = [
    {"rules": "opla", "memory_aid": True, "first_seat": 1, "turn_limit": 45},
    {"rules": "digital", "return_flight": True, "memory_aid": True, "turn_limit": 45},
]


def test_whole_games(begin: Begin) -> None:
    """By both rule books, with every option; whatever may happen does, but that a turn is passed."""
    seen = set[str]()
    for options in OPTIONS:
        game = begin(**options).play()
        scored = game.table.application.bot_turns.score_game(game.table.id)
        assert scored is not None
        game.look()
        seen |= game.seen
    assert seen >= set(GAME_SCHEMAS["migrato"].events) - {"position_set", "turn_passed"}


def test_forks(begin: Begin, client: FlaskClient) -> None:
    """A position takes the place of the deal, as each viewer may see it, while a game runs and when it is over."""
    game = begin(memory_aid=True, rules="opla").play(40)
    what_if = game.forked(client, 0, resample=True)
    assert "position_set" in what_if.seen
    what_if.play(20)
    assert game.table.move(1, {"type": "resign"}).status_code == 201
    game.look()
    assert "player_resigned" in game.seen
    again = game.forked(client, None, version=30, visibility="public", seats=[{"kind": "human"}] * 2)
    again.play(20)


def test_passing() -> None:
    """The turn goes on, and nothing else changes."""
    renderer = Renderer(0)
    renderer.to_act, renderer.turn = 1, 5
    renderer.see({"type": "turn_passed", "seat": 1, "data": {}})
    assert (renderer.to_act, renderer.turn, renderer.phase) == (0, 6, "action")


def test_hints_change_nothing(begin: Begin) -> None:
    """Hints leave the table as it is."""
    game = begin(turn_limit=4)
    assert game.table.get("/hint?bot=greedy", game.get(0)["to_act"]).status_code == 200
    game.look()
    assert "hint_given" in game.seen
