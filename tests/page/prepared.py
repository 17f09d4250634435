"""Games on exact cards, brought to where a screen is worth looking at; always the same."""

import random
from typing import Any

import requests

from tests.service.table import deck

Json = dict[str, Any]
LIKED = {
    "play": 12,
    "danger": 30,
    "move_cards": 1,
    "discard": 5,
    "exchange": 0.2,
    "abandon": 0.01,
    "take": 1,
    "pass": 1,
}


class Prepared:
    """A game whose seats are all people's."""

    def __init__(
        self,
        url: str,
        game: str = "migrato",
        seed: int = 1,
        people: tuple[str, ...] = ("ada", "bo"),
        **wanted: Any,
    ) -> None:
        self._rng = random.Random(seed)
        body: Json = {"game": game, "seats": [{"kind": "human", "player": name} for name in people], **wanted}
        if game == "migrato" and "setup" not in body:
            cards = deck(())
            self._rng.shuffle(cards)
            body["setup"] = {"deck": cards}
        answer = requests.post(f"{url}/v1/games", json=body, timeout=10)
        answer.raise_for_status()
        created = answer.json()
        self.kind, self.id = game, created["id"]
        self.tokens = [seat["token"] for seat in created["seats"]]
        self._path = f"{url}/v1/games/{self.id}"

    def seat(self, number: int = 0) -> Json:
        """As a browser keeps it."""
        return {"game": self.id, "kind": self.kind, "seat": number, "token": self.tokens[number]}

    def view(self, seat: int = 0) -> Json:
        """What a seat sees."""
        view: Json = requests.get(self._path, headers=self._bearer(seat), timeout=10).json()
        return view

    def _bearer(self, seat: int) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.tokens[seat]}"}

    def legal(self, seat: int) -> list[Json]:
        """What a seat may do."""
        moves: list[Json] = requests.get(
            f"{self._path}/legal-moves", headers=self._bearer(seat), timeout=10
        ).json()["moves"]
        return moves

    def post(self, seat: int, move: Json) -> Json:
        """Make a move; the answer."""
        answer = requests.post(f"{self._path}/moves", json=move, headers=self._bearer(seat), timeout=10)
        answer.raise_for_status()
        played: Json = answer.json()
        return played

    def events(self, after: int) -> list[Json]:
        """What has happened since, as the first seat sees it."""
        answer = requests.get(f"{self._path}/events?after={after}", headers=self._bearer(0), timeout=10)
        events: list[Json] = answer.json()["events"]
        return events

    def ask_back(self, seat: int) -> None:
        """Ask to take the last move back."""
        requests.post(f"{self._path}/takeback", headers=self._bearer(seat), timeout=10).raise_for_status()

    def play(self, moves: int, until_turn_of: int | None = 0) -> "Prepared":
        """So many moves, and then on until it is a seat's turn to act, or to the end."""
        made = 0
        while (view := self.view())["status"] == "playing":
            to_act = view["to_act"]
            starts = view["state"]["phase"] != "discard"
            if made >= moves and starts and until_turn_of in (None, to_act):
                break
            legal = self.legal(to_act)
            chosen = self._rng.choices(legal, [LIKED[move["type"]] for move in legal])[0]
            self.post(to_act, chosen)
            made += 1
        return self
