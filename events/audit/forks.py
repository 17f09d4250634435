"""Forks: games that go on from a position of another game.

Such a game's first event names its origin, and a `position_set` event takes the place of the deal. No command of the
file leads to that position, so the game judges it by itself: whether a game can come to it. With the origin's export it
is compared with the position there. From it on the rules are checked as in any other game.
"""

from dataclasses import dataclass
from typing import Any, Final

import orjson

from domain.chance import Chance
from domain.game import Game
from domain.lifecycle import Create, EventRecord, Json
from events.audit.counts import CheckCounts
from events.audit.findings import MALFORMED, CheckFailed
from events.audit.infer_commands import command_of, created
from events.audit.stream_verifier import ReadEvent, event_of, is_digest
from events.log.export import Exported
from events.log.seeds import fork_seed

CHECK: Final = "position"
KIND: Final = "position_set"
_SEATS: Final = 16  # that any game may have
_ORIGIN: Final = {"game_id", "version", "head", "resampled", "seat"}


@dataclass(frozen=True, slots=True)
class Origin:
    """The export of a game that others may have been forked from, already verified and complete."""

    game_id: str
    exported: Exported
    signer: str | None = None


def named_origin(exported: Exported) -> Json | None:
    """The origin that the first event of a game names, with the members that it must have; None where it does not."""
    if b'"origin":' not in exported.events[0]:
        return None
    named = orjson.loads(exported.events[0])["data"].get("origin")
    try:
        _check_origin(named, _SEATS)
    except CheckFailed:
        return None
    return dict(named)


def is_fork(created: ReadEvent) -> bool:
    """True if the first event is that of a fork."""
    return "origin" in created.data


def begin(
    game: Game,
    state: Any,
    event: ReadEvent,
    following: list[ReadEvent],
    chance: Chance,
    seed: bytes,
    origin: Origin | None,
    counts: CheckCounts,
) -> list[tuple[Any, EventRecord]]:
    """The first two events of a fork, as they must be recorded.

    Raises CheckFailed "rules" and "position", and DomainError.
    """
    data = event.data
    plain = {name: value for name, value in data.items() if name != "origin"}
    command = command_of(game, state, event._replace(data=plain), [])
    assert isinstance(command, Create)
    named = data["origin"]
    _check_origin(named, len(command.seats))
    if named["game_id"] == command.game_id:
        raise CheckFailed(CHECK, 1, "A game cannot be forked from itself.", None, named)
    if command.setup is not None or any(seat.kind == "open" for seat in command.seats):
        raise CheckFailed("rules", 1, "A fork has neither a setup of its own nor open seats.")
    record = game.encode(created(game, state, command, chance)[0])
    record = record._replace(data={**record.data, "setup": True, "origin": named})
    if not following or following[0].type != KIND:
        raise CheckFailed(
            "rules",
            1,
            "A fork begins with a position.",
            KIND,
            following[0].type if following else None,
        )
    data = following[0].data
    try:
        first = game.decode(record)
        position = game.decode(EventRecord(KIND, 1, None, data))
        records = [record, game.encode(position)]
        after = game.evolve(game.evolve(state, first), position)
        why = game.position_fault(after)
    except MALFORMED:
        why = "The event must have exactly the members of a position."
    if why is not None:
        raise CheckFailed(CHECK, 2, why, None, data)
    counts.passed(CHECK)
    if origin is None:
        counts.note(CHECK, "the origin was not given: whether this was its position is not known")
    else:
        forked = _compare(game, after, named, origin, fork_seed(seed, command.game_id))
        if event.at < forked:
            counts.remark(
                "times", f"the fork begins at {event.at}, before that event of its origin, at {forked}"
            )
        counts.passed(CHECK)
    return [(first, records[0]), (position, records[1])]


def _check_origin(named: Any, seats: int) -> None:
    right = (
        type(named) is dict
        and named.keys() == _ORIGIN
        and type(named["game_id"]) is str
        and type(named["version"]) is int
        and named["version"] > 0
        and is_digest(named["head"])
        and type(named["resampled"]) is bool
        and (
            type(named["seat"]) is int and 0 <= named["seat"] < seats
            if named["resampled"]
            else named["seat"] is None
        )
    )
    if not right:
        raise CheckFailed(CHECK, 1, "`origin` must have exactly the members of the format.", None, named)


def _compare(game: Game, after: Any, named: Json, origin: Origin, chance_of_fork: int) -> str:
    """The time of the origin's event from which the game was forked.

    CheckFailed unless the position is the origin's at that version, for a seat as the fork's seed draws it anew.
    """
    if origin.game_id != named["game_id"]:
        raise CheckFailed(
            CHECK, 1, "The fork names another game as its origin.", named["game_id"], origin.game_id
        )
    if named["version"] > len(origin.exported.events):
        raise CheckFailed(
            CHECK, 1, "The origin has no such version.", named["version"], len(origin.exported.events)
        )
    seat, memory = named["seat"], game.initial_knowledge()
    state, document = game.initial(), dict[str, Any]()
    for raw in origin.exported.events[: named["version"]]:
        document = orjson.loads(raw)
        event, before = game.decode(event_of(document)), state
        state = game.evolve(before, event)
        if seat is not None and state is not before:
            memory = game.update_knowledge(memory, seat, before, event, state)
    if document["head"] != named["head"]:
        raise CheckFailed(
            CHECK,
            1,
            "The fork names another head than its origin has at that version.",
            document["head"],
            named["head"],
        )
    if game.status(after).options != game.status(state).options:
        raise CheckFailed(CHECK, 1, "The fork has other rules than its origin.")
    if seat is not None:
        state = game.resample(state, seat, memory, chance_of_fork)
    if not game.same_position(after, state):
        drawn = "" if seat is None else f", drawn anew for seat {seat},"
        raise CheckFailed(
            CHECK, 2, f"This was not the origin's position{drawn} at version {named['version']}."
        )
    return str(document["at"])
