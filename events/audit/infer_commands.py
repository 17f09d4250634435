# compiled into recording
"""The commands that caused events, inferred from these.

This module believes nothing in a recorded event. It checks the types of a command's parts; the game decides the command
again, and so checks that it was possible. Where several commands cause the same events, the one that the game refuses
least is taken. So a command that the game refuses cannot have happened.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from domain import annotations
from domain.annotations import BEFORE_A_MOVE, FORKED
from domain.chance import Chance, is_client_seed
from domain.clocks.decide import ClockCommand, CreditTime, RunOut, SetClock
from domain.clocks.options import FORFEIT, recorded_options
from domain.common_events import clocks, takebacks
from domain.errors import DomainError
from domain.game import Game, Records
from domain.interventions import ABORT, ADJUDICATION, CLAIM, HAND_OVER, KINDS, WITH_REASON, Decision
from domain.lifecycle import (
    AbortGame,
    Adjudicate,
    ClaimWin,
    Create,
    HandOver,
    Json,
    PlayBotMove,
    ReissueToken,
    ReplacePlayer,
    Score,
    Seat,
    TakeHint,
    TakeSeat,
    TellFork,
    recorded_seat,
)
from domain.takebacks.decide import AnswerTakeback, AskTakeback
from events.audit.findings import MALFORMED, CheckFailed
from events.audit.seats import are_shares, is_budget, is_registered
from events.audit.stream_verifier import ReadEvent, is_time
from events.log.player_ids import may_be_recorded
from events.log.ratings.unrated import PAIRINGS, RECORDED
from events.times import milliseconds_of

_SEED: Final = re.compile(r"[0-9a-f]{16}")
_KINDS: Final = frozenset(("human", "open", "bot", "remote"))
_MAX_SEATS: Final = 16
# Events that begin something else than a seat's move.
_NO_MOVES: Final = (
    KINDS
    | clocks.KINDS
    | {"game_created", "seat_taken", "seat_token_reissued", "game_scored", "hint_given", FORKED}
    | {takebacks.REQUESTED, takebacks.ANSWERED}
)


def lookahead_of(game: Records) -> Mapping[str, int]:
    """Number of events after one of a type that `command_of` needs to find the command; none for unknown types.

    After a bot's choice: its move, and what that needs; after a creation: the position that a fork begins with.
    """
    return {**game.lookahead, BEFORE_A_MOVE: 1 + max(game.lookahead.values(), default=0), "game_created": 1}


def command_of(game: Game, state: Any, event: ReadEvent, following: list[ReadEvent]) -> Any:
    """The command that caused the event and, maybe, those `following`, as many as `lookahead_of` says or more.

    Raises CheckFailed "rules" if no command begins with this event, and DomainError if the game cannot read it.
    """
    kind, data = event.type, event.data
    if kind != BEFORE_A_MOVE and is_move(kind):
        return _move(game, state, event, following)
    match kind:
        case "game_created":
            return _create(game, event)
        case "seat_taken":
            return _take_seat(event)
        case "seat_token_reissued":
            if event.seat is None:
                raise _malformed(event, "seat")
            return ReissueToken(event.seat)
        case kind if kind in KINDS:
            return _decided(event)
        case kind if kind in clocks.KINDS:
            return _clocked(event)
        case takebacks.REQUESTED:
            return AskTakeback()
        case takebacks.ANSWERED:
            if type(data.get("agree")) is not bool:
                raise _malformed(event, "agree")
            return AnswerTakeback(data["agree"])
        case "game_scored":
            return Score()
        case "hint_given":
            bot, version, budget, seed = recorded_choice(event)
            if seed is None:
                raise _malformed(event, "seed")
            return TakeHint(bot, version, budget, seed)
        case annotations.FORKED:
            if type(data.get("version")) is not int or not 1 <= data["version"] < event.version:
                raise _malformed(event, "version")
            return TellFork(data["version"])
        case _:  # a bot's choice
            bot, version, budget, seed = recorded_choice(event)
            fallback, replaces = data.get("fallback"), data.get("replaces")
            if not following:
                raise CheckFailed(
                    "rules", event.version, "A bot's choice is recorded, but its move does not follow."
                )
            if not is_move(following[0].type):
                what = f"A bot's choice is followed by its move, not by a {following[0].type} event."
                raise CheckFailed("rules", following[0].version, what, None, following[0].type)
            move = _move(game, state, following[0], following[1:])
            return PlayBotMove(move, bot, version, budget, seed, fallback, replaces)


def is_move(kind: str) -> bool:
    """True if an event of the type begins a move of a seat, if any command begins with it."""
    return kind not in _NO_MOVES


def created(game: Game, state: Any, command: Create, chance: Chance) -> list[Any]:
    """The events that creating the game causes, also for a bot that this engine has no longer: it plays no part yet.

    Raises DomainError.
    """
    known = [seat.kind != "bot" or seat.bot in game.bots for seat in command.seats]
    asked = command
    if not all(known):
        stand_ins = [
            seat if is_known else replace(seat, bot=game.fallback_bot)
            for seat, is_known in zip(command.seats, known, strict=True)
        ]
        asked = replace(command, seats=tuple(stand_ins))
    try:
        events = list(game.decide(state, None, asked, chance))
    except MALFORMED:
        if command.setup is None:
            raise
        raise DomainError("validation-error", "What was prepared for the game is malformed.") from None
    if not all(known):
        first = game.encode(events[0])
        documents = zip(first.data["seats"], command.seats, strict=True)
        seats = [{**seated, "bot": seat.bot} for seated, seat in documents]
        events[0] = game.decode(first._replace(data={**first.data, "seats": seats}))
    return events


def _move(game: Game, state: Any, event: ReadEvent, following: list[ReadEvent]) -> Any:
    needed = game.lookahead.get(event.type, 0)
    try:
        move = game.infer_move(state, event, following[:needed])
    except MALFORMED:
        move = None
    if move is None:
        raise CheckFailed(
            "rules", event.version, f"No move begins with a {event.type} event.", None, event.type
        )
    return game.parse_move(move)


def _create(game: Game, event: ReadEvent) -> Create:
    data = event.data
    seats = data.get("seats")
    for name, right in (
        ("id", type(data.get("id")) is str),
        ("commitment", type(data.get("commitment")) is str),
        ("options", type(data.get("options")) is dict),
        ("seats", type(seats) is list and len(seats) <= _MAX_SEATS),
    ):
        if not right:
            raise _malformed(event, name)
    taken = tuple(_seat(event, seat) for seat in data["seats"])
    try:
        setup = game.recorded_setup(data)
    except DomainError as refusal:
        raise _malformed(event, next(iter(refusal.data["errors"]))) from None
    unrated, pairing = data.get("unrated_because"), data.get("pairing")
    if "unrated_because" in data and (
        type(unrated) is not str or unrated not in {*game.rated_options, *RECORDED}
    ):
        raise _malformed(event, "unrated_because")
    if "pairing" in data and (type(pairing) is not str or pairing not in PAIRINGS or unrated is not None):
        raise _malformed(event, "pairing")
    options = data["options"]
    return Create(data["id"], data["commitment"], options, taken, setup, unrated, pairing)


def _seat(event: ReadEvent, recorded: Any) -> Seat:
    if type(recorded) is not dict or recorded.keys() - {"version", "elo", "shares", "budget"} != {
        "kind",
        "player",
        "bot",
        "client_seed",
    }:
        raise _malformed(event, "seats")
    kind, player = recorded["kind"], recorded["player"]
    bot, client_seed = recorded["bot"], recorded["client_seed"]
    if type(kind) is not str or kind not in _KINDS:
        raise _malformed(event, "seats")
    if any(
        word is not None and not _is_text(name, word)
        for name, word in recorded.items()
        if name not in ("kind", "elo", "shares", "budget")
    ):
        raise _malformed(event, "seats")
    if (kind == "bot" and bot is None) or (bot is not None and kind not in ("bot", "remote")):
        raise _malformed(event, "seats")
    if "version" in recorded and (bot is None or recorded["version"] is None):
        raise _malformed(event, "seats")
    if kind == "remote" and bot is not None and not is_registered(recorded):
        raise _malformed(event, "seats")
    if ("shares" in recorded and not are_shares(recorded)) or (
        "budget" in recorded and not is_budget(recorded)
    ):
        raise _malformed(event, "seats")
    elo = recorded.get("elo")
    if "elo" in recorded and (bot is None or type(elo) is not int):
        raise _malformed(event, "seats")
    if (kind in ("bot", "open") and player is not None) or (kind == "open" and client_seed is not None):
        what = "A bot's seat must name no player, and an open seat neither player nor bot."
        raise CheckFailed("rules", event.version, what, None, recorded)
    return recorded_seat(recorded)


def _take_seat(event: ReadEvent) -> TakeSeat:
    if event.seat is None:
        raise _malformed(event, "seat")
    return TakeSeat(event.seat, _text(event, "player"), _text_or_none(event, "client_seed"))


def _decided(event: ReadEvent) -> Decision:
    """Command of an app about the game, or of a player who claims the win."""
    kind, seat, data = event.type, event.seat, event.data
    if kind == CLAIM:
        return _claim(event)
    if kind == HAND_OVER:
        if seat is None:
            raise _malformed(event, "seat")
        return HandOver(_text_or_none(event, "app"), seat, _text(event, "player"))
    app = _text(event, "app")
    if kind == ABORT:
        return AbortGame(app, _text(event, "reason") if event.schema == WITH_REASON else None)
    if kind == ADJUDICATION:
        places = data.get("places")
        if type(places) is not list or any(type(place) is not int for place in places):
            raise _malformed(event, "places")
        return Adjudicate(app, tuple(places), _text(event, "reason") if event.schema == WITH_REASON else None)
    if seat is None:
        raise _malformed(event, "seat")
    return ReplacePlayer(app, seat, _text(event, "bot"))


def _claim(event: ReadEvent) -> ClaimWin:
    seat, absent, since = event.seat, event.data.get("absent"), event.data.get("since")
    if seat is None:
        raise _malformed(event, "seat")
    if type(absent) is not int:
        raise _malformed(event, "absent")
    if type(since) is not str or not is_time(since):
        raise _malformed(event, "since")
    return ClaimWin(seat, absent, since, milliseconds_of(event.at) - milliseconds_of(since))


def _clocked(event: ReadEvent) -> ClockCommand:
    """Command about the game's clock."""
    kind, data = event.type, event.data
    if kind == clocks.SET:
        _text_or_none(event, "bot")
        options = recorded_options(data, event.schema)
        if options.when_up != FORFEIT and options.bot is None:
            raise _malformed(event, "bot")
        return SetClock(options)
    if event.seat is None:
        raise _malformed(event, "seat")
    if kind == clocks.UP:
        if type(data.get("deadline")) is not str or not is_time(data["deadline"]):
            raise _malformed(event, "deadline")
        return RunOut(data["deadline"])
    if type(data.get("milliseconds")) is not int:
        raise _malformed(event, "milliseconds")
    if type(data.get("until")) is not str or not is_time(data["until"]):
        raise _malformed(event, "until")
    return CreditTime(data["milliseconds"], data["until"])


def recorded_choice(event: ReadEvent) -> tuple[str, str, Json | None, str | None]:
    """Bot, version, budget and seed, as a bot's move and a hint record them; a move may name a fallback, too."""
    bot, version = _text(event, "bot"), _text(event, "version")
    _text_or_none(event, "fallback")
    _text_or_none(event, "replaces")
    budget, seed = event.data.get("budget"), event.data.get("seed")
    if budget is not None and not _is_budget(budget):
        raise _malformed(event, "budget")
    if seed is not None and (type(seed) is not str or _SEED.fullmatch(seed) is None):
        raise _malformed(event, "seed")
    return bot, version, budget, seed


def _is_budget(budget: Any) -> bool:
    if type(budget) is not dict or budget.keys() != {"iterations"}:
        return False
    return type(budget["iterations"]) is int and budget["iterations"] >= 0


def _text(event: ReadEvent, name: str) -> str:
    value = event.data.get(name)
    if not _is_text(name, value):
        raise _malformed(event, name)
    return str(value)


def _text_or_none(event: ReadEvent, name: str) -> str | None:
    return None if event.data.get(name) is None else _text(event, name)


def _is_text(name: str, value: Any) -> bool:
    """True if an engine takes such a text there, for which there is only its word."""
    if type(value) is not str:
        return False
    return is_client_seed(value) if name == "client_seed" else may_be_recorded(value)


def _malformed(event: ReadEvent, name: str) -> CheckFailed:
    return CheckFailed(
        "rules",
        event.version,
        f"{name} of a {event.type} event is malformed.",
        None,
        event.data.get(name, getattr(event, name, None)),
    )
