"""Games on exact cards, brought to where a screen is worth looking at; always the same."""

import time
from random import Random
from typing import Any, Final

import requests

from domain.migo.rules.cards import CARDS, NAME
from domain.migo.rules.options import last_round, resolve, round_layout
from tests.service.table import deck
from tests.support.waiting import LIMIT

Json = dict[str, Any]
LIKED: Final = {
    "play": 12,
    "danger": 30,
    "move_cards": 1,
    "discard": 5,
    "exchange": 0.2,
    "abandon": 0.01,
    "take": 1,
    "pass": 1,
}


def shuffled(game: str, seats: int, rng: Random) -> Json:
    """A setup that leaves nothing to the engine's chance."""
    if game == "migrato":
        cards = deck(())
        rng.shuffle(cards)
        return {"deck": cards}
    options = resolve({}, seats)
    sizes = [round_layout(options, seats, number).size for number in range(1, last_round(seats) + 1)]
    rounds = [
        [NAME[2 * card + rng.randrange(2)] for card in rng.sample(range(CARDS), size)] for size in sizes
    ]
    return {"rounds": rounds}


class Prepared:
    """A game whose seats are all people's, who came together as they liked: it does not count for ratings."""

    def __init__(
        self,
        url: str,
        game: str = "migrato",
        seed: int = 1,
        people: tuple[str, ...] = ("ada", "bo"),
        **wanted: Any,
    ) -> None:
        self._rng = Random(seed)
        body: Json = {"game": game, "seats": [{"kind": "human", "player": name} for name in people], **wanted}
        if "setup" not in body:
            body["setup"] = shuffled(game, len(people), self._rng)
            body["options"] = {"first_seat": 0, **body.get("options", {})}
        elif body["setup"] is None:
            body["options"] = {"first_seat": "random", **body.get("options", {})}
        self._asking = requests.Session()
        self.url = url
        self._path = f"{url}/v1/games"
        created = self._ask("POST", "", json=body)
        self.kind, self.id = game, created["id"]
        self.tokens = [seat["token"] for seat in created["seats"]]
        self._path += f"/{self.id}"

    def _ask(self, method: str, path: str, seat: int | None = None, **what: Any) -> Json:
        headers = {} if seat is None else {"Authorization": f"Bearer {self.tokens[seat]}"}
        answer = self._asking.request(method, self._path + path, headers=headers, timeout=20, **what)
        answer.raise_for_status()
        found: Json = answer.json()
        return found

    def seat(self, number: int = 0) -> Json:
        """As a browser keeps it."""
        return {"game": self.id, "kind": self.kind, "seat": number, "token": self.tokens[number]}

    def ticket(self, seat: int = 0) -> str:
        """Address of a stream of the seat's events."""
        stream: str = self._ask("POST", "/tickets", seat)["stream"]
        return stream

    def embedded(self, seat: int, parent: str) -> str:
        """The address of a frame that plays the seat, in pages of that origin; good once."""
        frame = self._ask("POST", "/embed-tickets", seat, json={"parent": parent})["frame"]
        return f"{self.url}{frame}"

    def view(self, seat: int = 0) -> Json:
        """View of a seat."""
        return self._ask("GET", "", seat)

    def legal(self, seat: int) -> list[Json]:
        """Legal moves of a seat."""
        moves: list[Json] = self._ask("GET", "/legal-moves", seat)["moves"]
        return moves

    def post(self, seat: int, move: Json) -> Json:
        """Make a move; the answer."""
        return self._ask("POST", "/moves", seat, json=move)

    def events(self, after: int) -> list[Json]:
        """Events since then, as the first seat sees them."""
        events: list[Json] = self._ask("GET", f"/events?after={after}", 0)["events"]
        return events

    def export(self) -> bytes:
        """The game to be verified, once its result is confirmed."""
        path, until = f"{self._path}/export", time.monotonic() + LIMIT
        seat = {"Authorization": f"Bearer {self.tokens[0]}"}
        while b'"complete":true' not in (content := self._asking.get(path, headers=seat, timeout=20).content):
            assert time.monotonic() < until
            time.sleep(0.02)
        return content

    def ask_back(self, seat: int) -> None:
        """Ask to take the last move back."""
        self._ask("POST", "/takeback", seat)

    def lose(self, seat: int = 0) -> None:
        """The seat's token is void from now on."""
        self._ask("POST", f"/seats/{seat}/token")

    def reissue(self, seat: int) -> None:
        """Give the seat a new token."""
        self.tokens[seat] = self._ask("POST", f"/seats/{seat}/token")["token"]

    def abort(self) -> None:
        """Call the game off."""
        self._ask("POST", "/abort")

    def play(self, moves: int = 400, until_turn_of: int | None = 0) -> "Prepared":
        """So many moves, and then on until it is a seat's turn to act, or to the end."""
        made, view = 0, self.view()
        while view["status"] == "playing":
            to_act = view["to_act"]
            starts = view["state"]["phase"] != "discard"
            if made >= moves and starts and until_turn_of in (None, to_act):
                break
            legal = self.legal(to_act)
            chosen = self._rng.choices(legal, [LIKED[move["type"]] for move in legal])[0]
            view = self.post(to_act, chosen)["game"]
            made += 1
        return self


class Matched(Prepared):
    """A game of two whom quick match has brought together: it counts for ratings. `seats`: where the people sit."""

    def __init__(
        self, url: str, game: str = "migrato", people: tuple[str, str] = ("ada", "bo"), **wanted: Any
    ) -> None:
        self._rng = Random(1)
        self._asking = requests.Session()
        self.url, self.kind = url, game
        self._path = f"{url}/v1/quick-match"
        asked = [self._ask("POST", "", json={"game": game, "player": name, **wanted}) for name in people]
        matches = [self._ask("GET", f"/{one['ticket']}")["match"] for one in asked]
        self.id = matches[0]["id"]
        self.seats = [match["seat"] for match in matches]
        self.tokens = [matches[self.seats.index(seat)]["token"] for seat in range(len(people))]
        self._path = f"{url}/v1/games/{self.id}"
