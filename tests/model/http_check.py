"""The differential check over HTTP: a running service against the model, by the public contract alone.

python -m tests.model.http_check http://127.0.0.1:8000 --games 5 --seed 1
"""

import argparse
import json
from collections.abc import Sequence
from random import Random
from typing import Any

import requests

from tests.model.differential import (
    VIEWERS,
    Match,
    RefusedError,
    comparable,
    differences,
    expected,
    match_at,
    only_list,
    play_randomly,
)
from tests.model.migrato_model import Json, Model
from tests.model.random_play import random_deck, random_options

SECONDS = 30
ATTEMPTS = 5
REFUSALS = {400, 409, 422}


class ContractError(AssertionError):
    """The service answered something that the contract does not know."""


class HttpTable:
    """A public game of two human seats on a set-up deck; each seat asks with its own token."""

    def __init__(self, base: str, options: Json, deck: Sequence[str], app_key: str | None = None) -> None:
        self.session = requests.Session()
        self.base = base.rstrip("/")
        body = {
            "game": "migrato",
            "options": options,
            "seats": [{"kind": "human", "player": "ada"}, {"kind": "human", "player": "bob"}],
            "visibility": "public",
            "setup": {"deck": list(deck)},
        }
        created = self._ask("POST", "/v1/games", app_key, body)
        if created.status_code != 201:
            raise ContractError(f"creating: {created.status_code} {created.text}")
        game = created.json()
        self.path = f"/v1/games/{game['id']}"
        self.tokens: dict[int | None, str | None] = {seat["seat"]: seat["token"] for seat in game["seats"]}
        self.tokens[None] = None
        if game["rated"] is not False:
            raise ContractError("a game on a set-up deck must not be rated")

    def _ask(self, method: str, path: str, token: str | None, body: Any = None) -> requests.Response:
        headers = {"Content-Type": "application/json"}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        data = None if body is None else json.dumps(body)
        answer = self.session.request(method, self.base + path, headers=headers, data=data, timeout=SECONDS)
        if answer.status_code >= 500:
            raise ContractError(f"{method} {path} {data}: {answer.status_code} {answer.text}")
        return answer

    def _get(self, path: str, viewer: int | None) -> Json:
        answer = self._ask("GET", self.path + path, self.tokens[viewer])
        if answer.status_code != 200:
            raise ContractError(f"GET {self.path}{path} as {viewer}: {answer.status_code} {answer.text}")
        document: Json = answer.json()
        return document

    def observed(self) -> Json:
        games, lists = self._at_one_version()
        for viewer, game in games.items():
            if game["viewer"] != viewer:
                raise ContractError(f"{viewer} is told to be {game['viewer']}")
        shared = ("version", "status", "turn", "to_act")
        if len({tuple(game[name] for name in shared) for game in games.values()}) != 1:
            raise ContractError(f"viewers are told different things: {games}")
        game = games[None]
        if any(answer["seat"] != seat for seat, answer in lists.items()):
            raise ContractError(f"legal moves of another seat: {lists}")
        if (game["status"] == "finished") != (game["result"] is not None):
            raise ContractError(f"status and result disagree: {game}")
        result = game["result"]
        return {
            "views": {viewer: game["state"] for viewer, game in games.items()},
            "legal": {seat: answer["moves"] for seat, answer in lists.items()},
            "to_act": game["to_act"],
            "turn": game["turn"],
            "result": result and {name: result[name] for name in ("winner", "reason", "scores")},
        }

    def _at_one_version(self) -> tuple[dict[int | None, Json], dict[int, Json]]:
        """All views and lists; read again when the scoring worker came in between."""
        for _ in range(ATTEMPTS):
            games = {viewer: self._get("", viewer) for viewer in VIEWERS}
            lists = {seat: self._get("/legal-moves", seat) for seat in (0, 1)}
            versions = {answer["version"] for answer in [*games.values(), *lists.values()]}
            if len(versions) == 1:
                return games, lists
        raise ContractError(f"the version never rests: {versions}")

    def _post(self, seat: int, document: Json, query: str = "") -> requests.Response:
        return self._ask("POST", f"{self.path}/moves{query}", self.tokens[seat], document)

    def refuses(self, seat: int, document: Json) -> str | None:
        """Asked by a dry run; what that refuses is then posted in earnest, and refused the same way."""
        dry = self._post(seat, document, "?dry_run=true")
        if dry.ok:
            return None
        wet = self._post(seat, document)
        if (wet.status_code, wet.json().get("code")) != (dry.status_code, dry.json().get("code")):
            raise ContractError(f"{document}: dry {dry.text}, in earnest {wet.status_code} {wet.text}")
        return refusal(wet)

    def play(self, seat: int, document: Json) -> list[list[str]] | None:
        answer = self._post(seat, document)
        if not answer.ok:
            raise RefusedError(refusal(answer))
        if answer.status_code != 201:
            raise ContractError(f"{document}: {answer.status_code} {answer.text}")
        return None

    def orders(self) -> list[list[str]]:
        """The orders of all decks shuffled anew, once the game is over."""
        events: list[Json] = []
        while True:
            after = events[-1]["version"] if events else 0
            page = self._get(f"/events?after={after}&limit=100", None)
            if not page["events"]:
                return [only_list(e["data"]) for e in events if e["type"] == "deck_reshuffled"]
            events += page["events"]


def refusal(answer: requests.Response) -> str:
    """The refusal in one line; ContractError if it is not the contract's shape."""
    problem = answer.json()
    if answer.headers["Content-Type"].split(";")[0] != "application/problem+json":
        raise ContractError(f"an error as {answer.headers['Content-Type']}: {answer.text}")
    if answer.status_code not in REFUSALS or problem["status"] != answer.status_code:
        raise ContractError(f"a refusal with status {answer.status_code}: {answer.text}")
    return f"{problem['code']}: {problem.get('detail')}"


def random_game_over_http(base: str, seed: int, most_moves: int = 300, app_key: str | None = None) -> Match:
    """A whole random game; afterwards the model plays it again with the orders then revealed."""
    rng = Random(seed)
    options = random_options(rng)
    deck = random_deck(options, rng)
    table = HttpTable(base, options, deck, app_key)
    match = match_at(table, f"game {seed} over HTTP at {table.path}", options, deck)
    first_seat = match.model.to_act
    play_randomly(match, rng, most_moves)
    if match.model.result is None:
        match.play(rng.choice([0, 1]), {"type": "resign"})
    replayed, orders = Model(options, deck, first_seat), table.orders()
    for seat, document in match.played:
        replayed.play(seat, document, shuffle=lambda _: orders.pop(0))
    found = differences(comparable(table.observed()), comparable(expected(replayed)))
    if found or orders:
        raise ContractError("\n".join(["the orders revealed after the game are not those played:", *found]))
    return match


def main() -> None:
    parser = argparse.ArgumentParser(description="Random games over HTTP, against the model.")
    parser.add_argument("base")
    parser.add_argument("--games", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--app-key")
    given = parser.parse_args()
    for seed in range(given.seed, given.seed + given.games):
        match = random_game_over_http(given.base, seed, app_key=given.app_key)
        print(f"{match.label}: {len(match.played)} moves, {match.model.result}")


if __name__ == "__main__":
    main()
