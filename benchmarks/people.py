"""Synthetic people, and games of theirs as the engine seals and exports them, without a store.

An honest person of a strength plays as a level of the bots does that makes mistakes like a person's; a `mixed` one now
as this bot, now as that one, now by chance. Somebody with a bot behind them plays as that bot does, but for some moves.
Times of thinking are lognormal, as people's are.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from domain.chance import SeededChance, commitment_of
from domain.game import Game
from domain.lifecycle import Create, Score, Seat
from domain.registry import GAMES
from events.log.envelope import RecordedEvent, seal
from events.log.export import export_lines
from events.log.game_secrets import Secrets
from events.log.snapshot import Snapshot, unplayed
from events.times import time_of

START: Final = 1_796_000_000_000  # milliseconds since 1970
MIXED: Final = {"greedy": 0.3, "heuristic": 0.3, "level-4": 0.2, "random": 0.2}
PEOPLE: Final = (
    "level-1",
    "level-2",
    "level-3",
    "level-4",
    "level-5",
    "level-6",
    "careful",
    "thief",
    "racer",
    "mixed",
)


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody at a table: the name, the bots as which moves are made, with how often each, and times of thinking, by
    their median in seconds and the spread of their logarithms.
    """

    name: str
    bots: Mapping[str, float]
    seconds: float = 4.0
    spread: float = 0.6

    def move(self, game: Game, seen: Any, rng: random.Random) -> Any:
        """A move in what the person sees."""
        (bot,) = rng.choices(list(self.bots), list(self.bots.values()))
        return game.think(seen, bot, rng.getrandbits(53)).move


def honest(name: str, kind: str) -> Person:
    """A person of one of the kinds of PEOPLE."""
    return Person(name, MIXED if kind == "mixed" else {kind: 1.0})


def behind(name: str, bot: str, other: float = 0.0) -> Person:
    """A person whose moves are the bot's, but for this share of them, which are made by chance."""
    return Person(name, {bot: 1 - other, "random": other} if other else {bot: 1.0})


def played(people: Sequence[Person], number: int) -> bytes:
    """The export of a finished game of these people; everything follows from the number."""
    return b"".join(export_lines(*recorded(people, number)))


def recorded(people: Sequence[Person], number: int) -> tuple[Snapshot, list[RecordedEvent]]:
    """The same game as it stands at its end, and its events."""
    game, rng = GAMES["migrato"], random.Random(number)
    seed, game_id, at = rng.randbytes(32), f"people-{number}", START + number * 3_600_000
    chance = SeededChance(seed, game_id)
    now, history = (
        unplayed(game_id, game, Secrets(seed, "", "public", game.name, time_of(at))),
        list[RecordedEvent](),
    )
    knowledge = [game.initial_knowledge() for _ in people]
    seats = tuple(Seat("human", person.name) for person in people)
    command, seat = Create(game_id, commitment_of(seed), {}, seats), None  # type: Any, int | None
    while True:
        events = game.decide(now.state, seat, command, chance)
        state = now.state
        for event in events:
            after = game.evolve(state, event)
            knowledge = [
                game.update_knowledge(known, who, state, event, after) for who, known in enumerate(knowledge)
            ]
            state = after
        sealed = seal(
            game_id, seed, now.stream_head, time_of(at), "", [game.encode(event) for event in events]
        )
        history += sealed
        now = now.after(events, sealed)
        status = game.status(now.state)
        now = Snapshot(game_id, game, now.state, now.stream_head, now.secrets, status)
        seat = status.to_act
        if status.result is not None and status.result.scored:
            return now, history
        if seat is None:
            command = Score()
        else:
            person = people[seat]
            at += max(1, int(1000 * person.seconds * rng.lognormvariate(0, person.spread)))
            command = person.move(game, game.observe(now.state, seat, knowledge[seat]), rng)
