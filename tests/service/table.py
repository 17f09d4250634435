"""A game to try the service on: two people, an exact deck, and what each of them would send."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from domain.migrato.rules.cards import STANDARD
from events.application import Application
from service.http.app import Service
from service.http.parts import Parts

Json = dict[str, Any]

# Seat 0 is dealt G5d G4n HUN and seat 1 K3d S3n T5d; then G4d K4d, S6n B4d, ... are drawn.
BEGINNING = ("G5d", "K3d", "G4n", "S3n", "HUN", "T5d", "G4d", "K4d", "S6n", "B4d", "G3d", "K2d")
FIRST_MOVE: Json = {"type": "play", "card": "G5d", "slot": None, "discard": "HUN"}
SECOND_MOVE: Json = {"type": "play", "card": "K3d", "slot": None, "discard": "T5d"}
KEYS = {"ours": "key-of-ours-that-is-long", "theirs": "key-of-theirs"}  # of the apps of a guarded service


def bearer(token: str | None) -> dict[str, str]:
    """The header that lets somebody in; none for a stranger."""
    return {} if token is None else {"Authorization": f"Bearer {token}"}


OURS, THEIRS = (bearer(key) for key in KEYS.values())


def people(number: int) -> list[Json]:
    """The document of this many seats of people."""
    return [{"kind": "human", "player": name} for name in ("ada", "bob", "cy", "dee")[:number]]


PEOPLE = people(2)
WITH_OPEN: list[Json] = [*people(1), {"kind": "open"}]


def deck(beginning: Sequence[str] = BEGINNING) -> list[str]:
    """The standard deck with these cards first."""
    rest = Counter(STANDARD)
    rest.subtract(beginning)
    return [*beginning, *rest.elements()]


@dataclass(frozen=True, slots=True)
class Table:
    """A game of two people on the deck above, who have not moved yet."""

    client: FlaskClient
    application: Application
    id: str
    tokens: tuple[str, ...]

    @property
    def path(self) -> str:
        """The game's address."""
        return f"/v1/games/{self.id}"

    def bearer(self, seat: int) -> dict[str, str]:
        """The header that lets a seat in."""
        return bearer(self.tokens[seat])

    def move(self, seat: int, move: Any, query: str = "", **headers: str) -> TestResponse:
        """Post a move for a seat; `headers` with underscores for hyphens."""
        sent = self.bearer(seat) | {name.replace("_", "-"): value for name, value in headers.items()}
        return self.client.post(f"{self.path}/moves{query}", json=move, headers=sent)

    def get(self, what: str = "", seat: int | None = None, **headers: str) -> TestResponse:
        """Get something of the game, as a seat or as a spectator."""
        sent = {} if seat is None else self.bearer(seat)
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        return self.client.get(f"{self.path}{what}", headers=sent)

    def finish(self, seat: int = 0) -> None:
        """The seat resigns, and the result is confirmed."""
        self.move(seat, {"type": "resign"})
        self.application.bot_turns.score_game(self.id)

    def log(self) -> list[tuple[int, str, str]]:
        """The event log as it is stored: version, type and chain of every event."""
        return [(event.version, event.type, event.head) for event in self.application.views.history(self.id)]


def new_game(client: FlaskClient, by: Mapping[str, str] | None = None, /, **wanted: Any) -> Json:
    """Create a game, with these headers; the answer."""
    answer = client.post("/v1/games", json=wanted, headers=by)
    assert answer.status_code == 201, answer.text
    return json_of(answer)


def set_table(client: FlaskClient, application: Application, **wanted: Any) -> Table:
    """A game of two people on the deck above; a wanted None leaves a member out."""
    asked: Json = {"seats": PEOPLE, "setup": {"deck": deck()}}
    game = new_game(client, **{name: value for name, value in (asked | wanted).items() if value is not None})
    return Table(client, application, game["id"], tuple(seat.get("token", "") for seat in game["seats"]))


def parts_of(client: FlaskClient) -> Parts:
    """The parts of the service that a client asks."""
    assert isinstance(client.application, Service)
    return client.application.parts


def json_of(answer: TestResponse) -> Json:
    """The JSON document in an answer."""
    document: Json = answer.get_json(force=True)
    return document


def errors_of(answer: TestResponse) -> list[str]:
    """The names of what a 422 says is wrong."""
    assert code_of(answer) == (422, "validation-error"), answer.text
    return list(json_of(answer)["errors"])


def code_of(answer: TestResponse) -> tuple[int, str]:
    """A refusal's status and code; the document has its fixed shape."""
    assert answer.content_type == "application/problem+json", answer.content_type
    problem = json_of(answer)
    assert {"type", "title", "status", "detail", "code"} <= set(problem)
    assert problem["status"] == answer.status_code
    assert problem["type"] == f"/problems#{problem['code']}"
    return answer.status_code, problem["code"]
