"""Forks: games that go on from a position of another game.

Such a game's first event names its origin, and a `position_set` event takes the place of the deal. No command of the
file leads to that position, so it is judged by itself: every card of the deck is there once, and lies as it can lie.
With the origin's export it is compared with the position there. From it on the rules are checked as in any other game.
"""

from dataclasses import dataclass
from typing import Any, Final

import orjson

from domain.chance import Chance
from domain.game import Game
from domain.lifecycle import Create, EventRecord, Json
from domain.migrato.fork import impossible
from domain.migrato.rules.rule_books import SEATS
from domain.migrato.rules.state import State, setup_of
from events.audit.findings import CheckCounts, CheckFailed
from events.audit.infer_commands import command_of, created
from events.audit.stream_verifier import is_digest
from events.log.export import Exported
from events.log.seeds import fork_seed
from events.log.upcasters import upcast

CHECK: Final = "position"
KIND: Final = "position_set"
_ORIGIN: Final = {"game_id", "version", "head", "resampled", "seat"}
_MALFORMED: Final = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


@dataclass(frozen=True, slots=True)
class Origin:
    """The export of a game that others may have been forked from, already verified and complete."""

    game_id: str
    exported: Exported


def is_fork(created: Json) -> bool:
    """Whether the first event is that of a fork."""
    return "origin" in created["data"]


def begin(
    game: Game,
    state: Any,
    document: Json,
    following: list[Json],
    chance: Chance,
    seed: bytes,
    origin: Origin | None,
    tally: CheckCounts,
) -> list[tuple[Any, EventRecord]]:
    """The first two events of a fork, as they must be recorded. Raises Wrong "rules" and "position", DomainError."""
    data = document["data"]
    told = data["origin"]
    _check_origin(told)
    plain = {name: value for name, value in data.items() if name != "origin"}
    command = command_of(game, state, {**document, "data": plain}, [])
    assert isinstance(command, Create)
    if command.setup is not None or any(seat.kind == "open" for seat in command.seats):
        raise CheckFailed("rules", 1, "A fork has neither a deck of its own nor open seats.")
    wire = game.encode(created(game, state, command, chance)[0])
    wire = wire._replace(data={**wire.data, "setup": True, "origin": told})
    if not following or following[0].get("type") != KIND:
        raise CheckFailed(
            "rules",
            1,
            "A fork begins with a position.",
            KIND,
            following[0].get("type") if following else None,
        )
    given = following[0].get("data")
    try:
        first = game.decode(wire)
        position = game.decode(EventRecord(KIND, 1, None, given if isinstance(given, dict) else {}))
        wires = [wire, game.encode(position)]
        after = game.evolve(game.evolve(state, first), position)
        why = impossible(after)
    except _MALFORMED:
        why = "It is not told as a position is."
    if why is not None:
        raise CheckFailed(CHECK, 2, why, None, given)
    tally.right(CHECK)
    if origin is None:
        tally.note(CHECK, "the origin was not given: whether this was its position is not known")
    else:
        _compare(game, after, told, origin, fork_seed(seed, data["id"]))
        tally.right(CHECK)
    return [(first, wires[0]), (position, wires[1])]


def _check_origin(told: Any) -> None:
    right = (
        type(told) is dict
        and told.keys() == _ORIGIN
        and type(told["game_id"]) is str
        and type(told["version"]) is int
        and told["version"] > 0
        and is_digest(told["head"])
        and type(told["resampled"]) is bool
        and (
            type(told["seat"]) is int and 0 <= told["seat"] < SEATS
            if told["resampled"]
            else told["seat"] is None
        )
    )
    if not right:
        raise CheckFailed(CHECK, 1, "The origin is not told as it must be.", None, told)


def _compare(game: Game, after: State, told: Json, origin: Origin, chance_of_fork: int) -> None:
    """Wrong unless the position is the origin's at that version, for a seat as the fork's seed draws it anew."""
    if origin.game_id != told["game_id"]:
        raise CheckFailed(CHECK, 1, "The game was forked from another one.", told["game_id"], origin.game_id)
    if told["version"] > len(origin.exported.events):
        raise CheckFailed(
            CHECK, 1, "The origin has no such version.", told["version"], len(origin.exported.events)
        )
    seat, memory = told["seat"], game.initial_knowledge()
    state, document = game.initial(), dict[str, Any]()
    for raw in origin.exported.events[: told["version"]]:
        document = orjson.loads(raw)
        wire = EventRecord(document["type"], document["schema"], document["seat"], document["data"])
        event, before = game.decode(upcast(game.name, wire)), state
        state = game.evolve(before, event)
        if seat is not None and state is not before:
            memory = game.update_knowledge(memory, seat, before, event, state)
    if document["head"] != told["head"]:
        raise CheckFailed(
            CHECK, 1, "The origin's head at that version is another one.", document["head"], told["head"]
        )
    if setup_of(after).rules != setup_of(state).rules:
        raise CheckFailed(CHECK, 1, "The fork has other rules than its origin.")
    if seat is not None:
        state = game.resample(state, seat, memory, chance_of_fork)
    if after._replace(setup=None) != state._replace(setup=None):
        drawn = "" if seat is None else f", drawn anew for seat {seat},"
        raise CheckFailed(
            CHECK, 2, f"This was not the origin's position{drawn} at version {told['version']}."
        )
