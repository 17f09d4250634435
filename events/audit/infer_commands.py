"""From events back to the commands that caused them.

Nothing of a recorded event is believed: what a command is made of has its types checked here, and whether it was
possible is left to the game, which decides it again. Where several commands cause the same events, the one that the
game refuses least is taken. So what the game refuses could not have happened in any way.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from domain.annotations import BEFORE_A_MOVE
from domain.chance import Chance
from domain.errors import DomainError
from domain.game import Game
from domain.lifecycle import (
    Create,
    EventRecord,
    Json,
    PlayBotMove,
    ReissueToken,
    Score,
    Seat,
    TakeHint,
    TakeSeat,
)
from events.audit.findings import MALFORMED, CheckFailed

_SEED: Final = re.compile(r"[0-9a-f]{16}")
_KINDS: Final = frozenset(("human", "open", "bot", "remote"))
_MAX_SEATS: Final = 16


def lookahead_of(game: Game) -> Mapping[str, int]:
    """How many events after one of a type `command_of` needs to find the command; none after types that are not there.

    After a bot's choice: its move, and what that needs; after a creation: the position that a fork begins with.
    """
    return {**game.lookahead, BEFORE_A_MOVE: 1 + max(game.lookahead.values(), default=0), "game_created": 1}


def command_of(game: Game, state: Any, document: Json, following: list[Json]) -> Any:
    """The command that caused the event and, maybe, those `following`, as many as `lookahead_of` says or more.

    Raises CheckFailed "rules" if no command begins with this event, and DomainError if the game cannot read it.
    """
    kind, data = document["type"], document["data"]
    match kind:
        case "game_created":
            return _create(game, document)
        case "seat_taken":
            return _take_seat(document)
        case "seat_token_reissued":
            if document["seat"] is None:
                raise _malformed(document, "seat")
            return ReissueToken(document["seat"])
        case "game_scored":
            return Score()
        case "hint_given":
            bot, version, budget, seed = recorded_choice(document)
            if seed is None:
                raise _malformed(document, "seed")
            return TakeHint(bot, version, budget, seed)
        case "move_chosen":
            bot, version, budget, seed = recorded_choice(document)
            fallback, replaces = data.get("fallback"), data.get("replaces")
            for name in ("fallback", "replaces"):
                if data.get(name) is not None and type(data[name]) is not str:
                    raise _malformed(document, name)
            if not following:
                raise CheckFailed("rules", document["version"], "No move follows on a bot's choice.")
            move = _move(game, state, following[0], following[1:])
            return PlayBotMove(move, bot, version, budget, seed, fallback, replaces)
        case _:
            return _move(game, state, document, following)


def created(game: Game, state: Any, command: Create, chance: Chance) -> list[Any]:
    """The events that creating the game causes, also for a bot that this engine has no longer: it plays no part yet.

    Raises DomainError.
    """
    known = [seat.bot is None or seat.bot in game.bots for seat in command.seats]
    stand_ins = [
        seat if is_known else replace(seat, bot=game.fallback_bot)
        for seat, is_known in zip(command.seats, known, strict=True)
    ]
    try:
        events = list(game.decide(state, None, replace(command, seats=tuple(stand_ins)), chance))
    except MALFORMED:
        if command.setup is None:
            raise
        raise DomainError("validation-error", "What was prepared for the game is malformed.") from None
    if not all(known):
        first = game.encode(events[0])
        documents = zip(first.data["seats"], command.seats, strict=True)
        seats = [{**document, "bot": seat.bot} for document, seat in documents]
        events[0] = game.decode(first._replace(data={**first.data, "seats": seats}))
    return events


def _move(game: Game, state: Any, document: Json, following: list[Json]) -> Any:
    needed = game.lookahead.get(document["type"], 0)
    try:
        move = game.infer_move(state, record_of(document), [record_of(event) for event in following[:needed]])
    except MALFORMED:
        move = None
    if move is None:
        raise CheckFailed(
            "rules", document["version"], "No move begins with this event.", None, document["type"]
        )
    return game.parse_move(move)


def record_of(document: Json) -> EventRecord:
    """The event of an event document."""
    members = document["type"], document["schema"], document["seat"], document["data"]
    return tuple.__new__(EventRecord, members)  # half the time of EventRecord(...)


def _create(game: Game, document: Json) -> Create:
    data = document["data"]
    seats = data.get("seats")
    for name, right in (
        ("id", type(data.get("id")) is str),
        ("commitment", type(data.get("commitment")) is str),
        ("options", type(data.get("options")) is dict),
        ("seats", type(seats) is list and len(seats) <= _MAX_SEATS),
    ):
        if not right:
            raise _malformed(document, name)
    taken = tuple(_seat(document, seat) for seat in data["seats"])
    try:
        setup = game.recorded_setup(data)
    except DomainError as refusal:
        raise _malformed(document, next(iter(refusal.data["errors"]))) from None
    return Create(data["id"], data["commitment"], data["options"], taken, setup, as_recorded=True)


def _seat(document: Json, recorded: Any) -> Seat:
    if type(recorded) is not dict or recorded.keys() != {"kind", "player", "bot", "client_seed"}:
        raise _malformed(document, "seats")
    words = (recorded["player"], recorded["bot"], recorded["client_seed"])
    if type(recorded["kind"]) is not str or recorded["kind"] not in _KINDS:
        raise _malformed(document, "seats")
    if any(word is not None and type(word) is not str for word in words):
        raise _malformed(document, "seats")
    if (recorded["kind"] == "bot") != (recorded["bot"] is not None):
        raise _malformed(document, "seats")
    return Seat(recorded["kind"], recorded["player"], recorded["bot"], recorded["client_seed"])


def _take_seat(document: Json) -> TakeSeat:
    seat, player, seed = document["seat"], document["data"].get("player"), document["data"].get("client_seed")
    if seat is None:
        raise _malformed(document, "seat")
    if type(player) is not str:
        raise _malformed(document, "player")
    if seed is not None and type(seed) is not str:
        raise _malformed(document, "client_seed")
    return TakeSeat(seat, player, seed)


def recorded_choice(document: Json) -> tuple[str, str, Json | None, str | None]:
    """Bot, version, budget and seed, as a bot's move and a hint record them."""
    data = document["data"]
    bot, version, budget, seed = (data.get(name) for name in ("bot", "version", "budget", "seed"))
    if type(bot) is not str:
        raise _malformed(document, "bot")
    if type(version) is not str:
        raise _malformed(document, "version")
    if budget is not None and not _is_budget(budget):
        raise _malformed(document, "budget")
    if seed is not None and (type(seed) is not str or _SEED.fullmatch(seed) is None):
        raise _malformed(document, "seed")
    return bot, version, budget, seed


def _is_budget(budget: Any) -> bool:
    if type(budget) is not dict or budget.keys() != {"iterations"}:
        return False
    return type(budget["iterations"]) is int and budget["iterations"] >= 0


def _malformed(document: Json, name: str) -> CheckFailed:
    return CheckFailed(
        "rules",
        document["version"],
        f"{name} of a {document['type']} event is malformed.",
        None,
        document["data"].get(name, document.get(name)),
    )
