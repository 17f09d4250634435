"""A game of Migo over HTTP, and rounds to prepare it with."""

import io
from random import Random
from typing import Any

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from events.application import Application
from events.log.export import Exported, games_in
from tests.service.migo.prepared import CARDS, places
from tests.service.table import Json, bearer, json_of

LAYOUTS = ("ropes", "pyramid", "pyramids")


def round_sizes(seats: int, layout_size: str = "standard", round4_layout: str = "ropes") -> list[int]:
    """The numbers of cards that lie in the rounds."""
    size = 2 if seats == 2 and layout_size == "standard" else 4
    layouts = LAYOUTS if seats == 2 else (*LAYOUTS, round4_layout)
    return [places(layout, size) for layout in layouts]


def random_rounds(rng: Random, sizes: list[int]) -> list[list[str]]:
    """Rounds to be prepared, of any cards with any side up."""
    return [[card + rng.choice("ab") for card in rng.sample(CARDS, size)] for size in sizes]


class MigoTable:
    """A public game; each seat asks with its own token."""

    def __init__(self, client: FlaskClient, application: Application, created: Json) -> None:
        self.client, self.application = client, application
        self.watcher = 0 if created["visibility"] == "private" else None  # who looks, unless told otherwise
        self.id: str = created["id"]
        self.path = f"/v1/games/{self.id}"
        self.tokens = [seat.get("token") for seat in created["seats"]]

    def bearer(self, seat: int | None) -> dict[str, str]:
        """The header of a seat; none for a spectator of a public game."""
        seat = self.watcher if seat is None else seat
        return bearer(None if seat is None else self.tokens[seat])

    def get(self, what: str = "", seat: int | None = None) -> Json:
        """The answer to a GET below the game's address, as a seat or a spectator."""
        answer = self.client.get(f"{self.path}{what}", headers=self.bearer(seat))
        assert answer.status_code == 200, answer.text
        return json_of(answer)

    def post(self, what: str, seat: int | None, body: Json) -> TestResponse:
        """The answer to a seat's POST below the game's address."""
        return self.client.post(f"{self.path}{what}", json=body, headers=self.bearer(seat))

    def move(self, seat: int, move: Json) -> Json:
        """Make a move, which must be accepted; the answer."""
        answer = self.post("/moves", seat, move)
        assert answer.status_code == 201, answer.text
        return json_of(answer)

    def take(self, seat: int, place: int, **more: Any) -> list[Json]:
        """Take a card; the events."""
        events: list[Json] = self.move(seat, {"type": "take", "place": place, **more})["events"]
        return events

    def moves(self, seat: int) -> list[Json]:
        """The legal moves."""
        found: list[Json] = self.get("/legal-moves", seat)["moves"]
        return found

    def events(self, seat: int | None = None) -> list[Json]:
        """All events, as a seat or a spectator sees them."""
        found: list[Json] = self.get("/events?limit=1000", seat)["events"]
        return found

    def state(self) -> Json:
        """The table and all that lies on it."""
        state: Json = self.get()["state"]
        return state

    def player(self, seat: int) -> Json:
        """All that lies before a player."""
        player: Json = self.state()["players"][seat]
        return player

    def fork(self, seat: int, **wanted: Any) -> "MigoTable":
        """A fork that a seat asks for."""
        answer = self.post("/fork", seat, wanted)
        assert answer.status_code == 201, answer.text
        return MigoTable(self.client, self.application, json_of(answer))

    def play(self, rng: Random, moves: int = 999) -> None:
        """People make random legal moves, bots what they choose."""
        for _ in range(moves):
            view = self.get()
            if view["status"] == "finished":
                return
            seat = view["to_act"]
            if view["seats"][seat]["kind"] == "bot":
                assert self.application.bot_turns.bot_move(self.id, view["version"]) is not None
            else:
                self.move(seat, rng.choice(self.moves(seat)))

    def finish(self, rng: Random) -> None:
        """Play to the end, and let the result be confirmed."""
        self.play(rng)
        self.application.bot_turns.score_game(self.id)
        self.application.listing.update(self.id)

    def rounds(self) -> list[Json]:
        """The events that laid the rounds out."""
        return [event["data"] for event in self.events() if event["type"] == "round_started"]

    def file(self, seat: int | None = None) -> bytes:
        """The game to take away."""
        answer = self.client.get(f"{self.path}/export", headers=self.bearer(seat))
        assert answer.status_code == 200, answer.text
        return bytes(answer.data)

    def export(self, seat: int | None = None) -> Exported:
        """The export, parsed."""
        (exported,) = games_in(io.BytesIO(self.file(seat)))
        return exported
