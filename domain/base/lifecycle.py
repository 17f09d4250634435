"""A game on the base as a decider: commands become events, and events make the table."""

from dataclasses import replace
from typing import Any, Final

from domain import annotations
from domain.base.events import created, ended, event, forked
from domain.base.rules import GameRules
from domain.base.table import Move, Table
from domain.bot import bot_named
from domain.chance import Chance
from domain.errors import DomainError
from domain.lifecycle import (
    Create,
    EventRecord,
    Fork,
    GameStatus,
    Origin,
    PlayBotMove,
    ReissueToken,
    Result,
    Score,
    Seat,
    TakeHint,
    TakeSeat,
    TellFork,
    check_fork_seats,
    check_open_seat,
    check_seats,
    eligibility_document,
    is_rated,
    must_be_playing,
    must_be_to_act,
    recorded_seat,
)

RESIGN: Final = {"type": "resign"}


def status(game: GameRules, table: Table) -> GameStatus:
    """The public state of the game."""
    running = table.position is not None and table.result is None
    setup = table.prepared is not None or table.origin is not None
    return GameStatus(
        status="playing" if running else "waiting" if table.result is None else "finished",
        seats=table.seats,
        turn=table.turn,
        to_act=game.to_act(table.position) if running else None,
        rated=is_rated(setup, table.seats, table.result),
        setup=setup,
        options=table.options or {},
        result=table.result,
        commitment=table.commitment,
        unrated=table.unrated,
        pairing=table.pairing,
    )


# --- commands become events -------------------------------------------------------------------------------------------


def decide(
    game: GameRules, table: Table, seat: int | None, command: Any, chance: Chance
) -> list[EventRecord]:
    """The events that the command causes, or DomainError."""
    match command:
        case Create():
            return _create(game, command, chance)
        case Fork():
            return _fork(game, command)
        case TakeSeat():
            return _take_seat(game, table, command, chance)
        case ReissueToken():
            return [
                annotations.encode(one) for one in annotations.token_reissued(status(game, table), command)
            ]
        case TakeHint():
            return [
                annotations.encode(one) for one in annotations.hint_given(status(game, table), seat, command)
            ]
        case TellFork():
            return [
                annotations.encode(one) for one in annotations.game_forked(status(game, table), seat, command)
            ]
        case PlayBotMove():
            to_act = must_be_to_act(status(game, table), seat)
            (how,) = annotations.move_chosen(to_act, command, ())
            return [annotations.encode(how), *_move(game, table, to_act, command.command, chance)]
        case Score():
            return _score(table)
        case _:
            return _move(game, table, seat, command, chance)


def _create(game: GameRules, command: Create, chance: Chance) -> list[EventRecord]:
    _check_seats(game, command.seats)
    options = game.options(command.options)
    more = {**(command.setup or {}), **eligibility_document(command.unrated, command.pairing)}
    first = created(game, command, options, command.setup is not None, more)
    return [first, *_start_if_full(game, evolve(game, Table(), first), chance)]


def _fork(game: GameRules, command: Fork) -> list[EventRecord]:
    _check_seats(game, command.seats)
    check_fork_seats(command.seats)
    must_be_playing(status(game, command.position))
    return forked(game, command)


def _check_seats(game: GameRules, seats: tuple[Seat, ...]) -> None:
    check_seats(game.name, game.seat_counts, seats)
    for seat in seats:
        if seat.kind == "bot":
            bot_named(game.bots, str(seat.bot))


def _take_seat(game: GameRules, table: Table, command: TakeSeat, chance: Chance) -> list[EventRecord]:
    check_open_seat(table.seats, command.seat, table.result)
    taken = event("seat_taken", command.seat, player=command.player, client_seed=command.client_seed)
    return [taken, *_start_if_full(game, evolve(game, table, taken), chance)]


def _start_if_full(game: GameRules, table: Table, chance: Chance) -> list[EventRecord]:
    if any(seat.kind == "open" for seat in table.seats):
        return []
    return [event("game_started", **game.deal(table, chance))]


def _move(game: GameRules, table: Table, seat: int | None, move: Move, chance: Chance) -> list[EventRecord]:
    now, position = status(game, table), table.position
    must_be_playing(now)
    if seat is not None and move.document == RESIGN:
        return [event("player_resigned", seat), ended(game.resigned(position, seat))]
    to_act = must_be_to_act(now, seat)
    if move.document not in game.moves(game.view_for(position, to_act), to_act):
        raise DomainError("illegal-move", "The rules do not allow this move now.")
    caused = game.play(position, to_act, move.document, chance)
    for record in caused:
        position = game.apply(position, record)
    result = game.outcome(position)
    return caused if result is None else [*caused, ended(result)]


def _score(table: Table) -> list[EventRecord]:
    """Confirm the result, once."""
    if table.result is None:
        raise DomainError("conflict", "The game has not ended yet.")
    return [] if table.result.scored else [event("game_scored", places=list(table.result.places))]


# --- events make the table --------------------------------------------------------------------------------------------


def evolve(game: GameRules, table: Table, record: EventRecord) -> Table:
    """The table after the event; the same object if nothing changed."""
    kind, seat, data = record.type, record.seat, record.data
    if annotations.redact(record) is not None:
        return table
    match kind:
        case "game_created":
            return Table(
                data["id"],
                data["commitment"],
                data["options"],
                tuple([recorded_seat(one) for one in data["seats"]]),
                game.recorded_setup(data),
                Origin(**data["origin"]) if "origin" in data else None,
                unrated=data.get("unrated_because"),
                pairing=data.get("pairing"),
            )
        case "seat_taken":
            seats = list(table.seats)
            seats[seat or 0] = Seat("human", data["player"], client_seed=data["client_seed"])
            return replace(table, seats=tuple(seats))
        case "game_started":
            return replace(table, position=game.begin(data, len(table.seats)), turn=1)
        case "position_set" | "moves_taken_back":
            return replace(table, position=data["position"], turn=data["turn"])
        case "player_resigned":
            return table
        case "game_ended":
            result = Result(tuple(data["places"]), data["reason"], tuple(data["scores"]))
            return replace(table, result=result)
        case "game_scored":
            assert table.result is not None, "a game ends before it is scored"
            return replace(table, result=replace(table.result, scored=True))
        case _:
            position = game.apply(table.position, record)
            moved = game.move_of(record) is not None  # True for a move, not for a consequence of one
            return replace(table, position=position, turn=table.turn + moved)
