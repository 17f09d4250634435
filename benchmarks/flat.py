"""Whether a move costs the same however much a service has been used: two services side by side, in turns.

One is fresh. The other has finished thousands of games and has thousands more under way; then games of thousands of
events are played on there, and new ones on the fresh one. Both run all the time, and rounds alternate.
"""

import json
import random
import time
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.http_load import Lane, drive, request
from benchmarks.http_players import Player, play
from benchmarks.moves import HOST, LANES, SETTLING, create, round_of_moves, service
from benchmarks.processor_time import CLIENT, Seconds, microseconds_each, processor_seconds
from benchmarks.scripted import scripts

FINISHED = 5_000
RUNNING = 2_000
LONG = 5_000  # events of a long game
LONG_GAMES = 16
MOVES = 40  # of each long game in a round
AT_ONCE = 250  # games that are set up together
ROUNDS = 5
QUIET = 0.02  # of a processor that the background may use once it has nothing left to do
STARTED = 24  # games, of which so many become long: some end before


@dataclass(frozen=True, slots=True)
class Cost:
    """Microseconds of processor time of a move: of all processes but the client's, and of the web workers alone."""

    all: float
    web: float


Pair = tuple[Cost, Cost]


def run(port: int = 8971) -> tuple[list[Pair], list[Pair]]:
    """(fresh, used) in each round: for short games beside many others, and for new games beside long ones."""
    with service(port) as fresh, service(port + 1) as used:
        _fill(used, port + 1)
        games = [_moves_of(url, at) for url, at in ((fresh, port), (used, port + 1))]
        many = _rounds(games)
        players = (
            [_long_game(fresh) for _ in range(LONG_GAMES)],
            [_long_game(used) for _ in range(LONG_GAMES)],
        )
        play(HOST, port + 1, [one.until(LONG) for one in players[1]])
        _settle()
        turns = [_going_on(port, players[0]), _going_on(port + 1, players[1])]
        return many, _rounds(turns)


def _rounds(measured: list[Callable[[int], Cost]]) -> list[Pair]:
    found = []
    for number in range(ROUNDS + 1):
        order = [0, 1] if number % 2 else [1, 0]
        costs = {which: measured[which](number) for which in order}
        if number:  # the first round warms up
            found.append((costs[0], costs[1]))
    return found


def _moves_of(url: str, port: int) -> Callable[[int], Cost]:
    def measured(number: int) -> Cost:
        return _cost(round_of_moves(url, port, 3, seed=number).microseconds)

    return measured


def _going_on(port: int, games: "list[LongGame]") -> Callable[[int], Cost]:
    def measured(_: int) -> Cost:
        time.sleep(SETTLING)
        before, made = processor_seconds(), sum(game.made for game in games)
        play(HOST, port, [game.moves(MOVES) for game in games])
        time.sleep(SETTLING)
        made = sum(game.made for game in games) - made
        return _cost(microseconds_each(before, processor_seconds(), made))

    return measured


def _cost(microseconds: Seconds) -> Cost:
    engine = {role: each for role, each in microseconds.items() if role != CLIENT}
    return Cost(sum(engine.values()), engine["web workers"])


def _fill(url: str, port: int) -> None:
    """Finished games, each resigned at its end if not before, and running ones of half their moves."""
    for began in range(0, FINISHED + RUNNING, AT_ONCE):
        lanes: list[list[bytes]] = [[] for _ in range(LANES)]
        for number, script in enumerate(scripts(AT_ONCE, seed=began), began):
            moves = create(url, script)
            if number >= FINISHED:
                moves = moves[: len(moves) // 2]
            elif number % 2 == 0:  # every other script ends with a resignation anyway
                moves.append(moves[-1].partition(b"\r\nContent-Type")[0] + _RESIGN)
            lanes[number % LANES] += moves
        drive(HOST, port, [Lane(moves, expected=201) for moves in lanes if moves])
    _settle()


_BODY = b'{"type":"resign"}'
_RESIGN = b"\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (len(_BODY), _BODY)


def _settle() -> None:
    """Until the background has done what there was to do."""
    while True:
        before = sum(processor_seconds().values())
        time.sleep(2)
        if sum(processor_seconds().values()) - before < 2 * QUIET:
            return


class LongGame:
    """A game that goes on for long: each card starts a column where there is room for one, all else is random."""

    def __init__(self, path: str, tokens: list[str]) -> None:
        self.version = 0
        self.made = 0  # moves
        self._path = path
        self._tokens = tokens
        self._to_act: int | None = 0
        self._rng = random.Random(path)

    @property
    def is_over(self) -> bool:
        """Whether nobody is to act any more."""
        return self._to_act is None

    def until(self, version: int) -> Player:
        """Moves, until the game has so many events, or is over."""
        while self.version < version and self._to_act is not None:
            yield from self._move(self._tokens[self._to_act])

    def moves(self, count: int) -> Player:
        """So many moves, if it is not over before."""
        for _ in range(count):
            if self._to_act is not None:
                yield from self._move(self._tokens[self._to_act])

    def _move(self, token: str) -> Player:
        legal = json.loads((yield request("GET", f"{self._path}/legal-moves", token=token)))["moves"]
        starts = [move for move in legal if move["type"] == "play" and move["slot"] is None]
        move = json.dumps(starts[0] if starts else self._rng.choice(legal)).encode()
        played = json.loads((yield request("POST", f"{self._path}/moves", move, token)))
        self._to_act, self.version = played["game"]["to_act"], played["version"]
        self.made += 1


def _long_game(url: str) -> LongGame:
    body = json.dumps({"seats": [{"kind": "human", "player": name} for name in ("ada", "bob")]}).encode()
    asked = urllib.request.Request(
        f"{url}/v1/games", body, {"Content-Type": "application/json"}, method="POST"
    )
    with urllib.request.urlopen(asked) as answer:
        game = json.load(answer)
    return LongGame(f"/v1/games/{game['id']}", [seat["token"] for seat in game["seats"]])
