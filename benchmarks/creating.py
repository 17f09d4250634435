"""Games created per second through HTTP, durable: two human seats, answered with their tokens.

32 connections at once, as many new games in each round of every kind, players out of a club of 500. The kinds
alternate, because such machines change speed within seconds.
"""

import json
import uuid

from benchmarks.http_load import Lane, request
from benchmarks.moves import LANES, Round, measured, service
from benchmarks.scripted import scripts
from domain.lifecycle import Json

PLAIN, PREPARED, KEYED = "two people", "a prepared deck", "an `Idempotency-Key`"
KINDS = (PLAIN, PREPARED, KEYED)
CLUB = 500  # players
DECKS = 20


def requests(kind: str, count: int, seed: int) -> list[bytes]:
    """So many requests for a new game."""
    setups: list[Json] = [{"setup": {"deck": script.deck}} for script in scripts(DECKS, seed)]
    made = []
    for number in range(count):
        players = (2 * number % CLUB, (2 * number + 1) % CLUB)
        body: Json = {"seats": [{"kind": "human", "player": f"player {player}"} for player in players]}
        if kind == PREPARED:
            body |= setups[number % DECKS]
        key = str(uuid.uuid4()) if kind == KEYED else None
        made.append(request("POST", "/v1/games", json.dumps(body).encode(), key=key))
    return made


def run(port: int = 8995, rounds: int = 5, games_per_lane: int = 20) -> list[dict[str, Round]]:
    """The figures of each round by kind."""
    figures = []
    with service(port):
        for number in range(rounds + 1):
            found = {}
            for kind in KINDS:
                wanted = requests(kind, LANES * games_per_lane, seed=number)
                found[kind] = measured(
                    port, [Lane(wanted[lane::LANES], expected=201) for lane in range(LANES)]
                )
            if number:  # the first round warms up
                figures.append(found)
    return figures
