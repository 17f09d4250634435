# compiled into migo
"""Commands become events (rules 2 to 5). All judgement sits here and in `legal`; nothing changes when it refuses."""

from collections.abc import Sequence
from typing import Any

from domain.chance import Chance
from domain.errors import DomainError, game_not_started, game_over, illegal_move, invalid, not_your_turn
from domain.lifecycle import Create, Fork, Score, TakeSeat, check_open_seat, check_seats
from domain.migo.rules.cards import BOTTLE, FACE, SHERPA
from domain.migo.rules.chance import FRONTS, first_order, later_order, without_free_sherpas
from domain.migo.rules.events import (
    BottleDrunk,
    BottleGained,
    CardFlipped,
    CardTaken,
    Event,
    GameCreated,
    GameEnded,
    GameScored,
    GameStarted,
    PlayerResigned,
    RoundEnded,
    Rounds,
    RoundStarted,
    SeatTaken,
    SherpaDismissed,
)
from domain.migo.rules.fork import fork
from domain.migo.rules.layouts import Layout
from domain.migo.rules.legal import refusal
from domain.migo.rules.moves import Move, Resign, Take
from domain.migo.rules.options import SEAT_COUNTS, Options, last_round, resolve, round_layout
from domain.migo.rules.scoring import champion, next_starter, places, round_winner, scores, total_scores
from domain.migo.rules.state import INITIAL, State, evolve, fold, setup_of, tokens_left

Command = Move | Create | Fork | TakeSeat | Score


def decide(state: State, seat: int | None, command: Command, chance: Chance) -> list[Event]:
    """The events that the command causes; `seat` makes it if it is a move.

    Raises DomainError: "not-your-turn", "game-not-started", "game-over", "seat-taken", "illegal-move" (with the rule),
    "validation-error".
    """
    if isinstance(command, Take):
        if seat is None or seat != state.to_act:
            raise _out_of_turn(state)
        refused = refusal(state, seat, command)
        if refused is not None:
            raise illegal_move(*refused)
        return _take(state, seat, command, chance)
    if isinstance(command, Resign):
        return _resign(state, seat)
    if isinstance(command, Create):
        return _create(command, chance)
    if isinstance(command, Fork):
        return fork(command)
    if isinstance(command, TakeSeat):
        return _take_seat(state, command, chance)
    return _score(state)


def _out_of_turn(state: State) -> DomainError:
    if state.result is not None:
        return game_over()
    if state.number == 0:
        return game_not_started()
    return not_your_turn(state.to_act)


# --- a turn ---------------------------------------------------------------------------------------------------------


def _take(state: State, seat: int, move: Take, chance: Chance) -> list[Event]:
    """The events of a take that is known to be legal."""
    events = taken(state, seat, move)
    if state.lying & state.lying - 1 and state.takes + 1 != setup_of(state).options.turn_limit:
        return events
    return events + _take_ends_more(fold(state, events), chance)


def taken(state: State, seat: int, move: Take) -> list[Event]:
    """Events of a take, known to be legal; the end of a round or of the game is left out."""
    table, face = setup_of(state).options.card_table, state.dealt[move.place]
    events: list[Event] = [CardTaken(seat, move.place, face)]
    if table.kinds[face] == SHERPA:
        events.append(SherpaDismissed(seat, face))
        if move.flip >= 0:
            face = _face_up(state, seat, move.flip) ^ 1
            events.append(CardFlipped(seat, face))
    if table.kinds[face] == BOTTLE and tokens_left(state):  # taken, or turned to it; never given back (M5)
        events.append(BottleGained(seat))
    if move.drink:
        events.append(BottleDrunk(seat))
    return events


def _face_up(state: State, seat: int, card: int) -> int:
    for face in state.players[seat].cards:
        if face >> 1 == card:
            return face
    raise AssertionError("judged to be there")


def _take_ends_more(state: State, chance: Chance) -> list[Event]:
    """The events after a take that ends the round or the game: those ends, or the start of the next round."""
    events: list[Event] = []
    if not state.lying:
        points = scores(state)
        events.append(RoundEnded(state.number, points, round_winner(state, points)))
        state = evolve(state, events[0])
        won = champion(state)
        if won is not None:
            return [*events, _ended(state, *won)]
    if state.takes == setup_of(state).options.turn_limit:  # ruling M9
        return [*events, _ended(state, None, "turn_limit")]
    return [*events, _next_round(state, chance)]


def _next_round(state: State, chance: Chance) -> Event:
    seeds, number = setup_of(state).client_seeds, state.number + 1
    used = list(state.discarded)
    for player in state.players:
        used += player.cards
    if state.prepared:
        faces = tuple(sorted([*used, *state.boxed]))
    else:
        faces = later_order(number, used, state.boxed, chance, seeds)
    starter = next_starter(state, state.rounds[-1].scores)
    return _round_started(state, number, starter, faces)


def _round_started(state: State, number: int, starter: int, faces: tuple[int, ...]) -> RoundStarted:
    """The round as it is prepared, or else with `faces` in their order: those of all cards, as they are up."""
    setup = setup_of(state)
    layout = round_layout(setup.options, len(setup.seats), number)
    if state.prepared:
        cards = state.prepared[0]
        if len(cards) != layout.size:  # prepared for other options
            raise invalid("setup.rounds", f"Round {number} has {layout.size} cards, not {len(cards)}.")
        laid = {face >> 1 for face in cards}
        boxed = tuple([face for face in faces if face >> 1 not in laid])
    else:
        cards, boxed = faces[: layout.size], faces[layout.size :]
    cards, turned = without_free_sherpas(cards, layout, setup.options.card_table)
    return RoundStarted(number, layout.name, starter, cards, turned, boxed)


def _ended(state: State, winner: int | None, reason: str) -> GameEnded:
    return ended(state, places(state, winner), reason)


def ended(state: State, places: tuple[int, ...], reason: str) -> GameEnded:
    """The event that ends the game with these places, scored as the table lies."""
    flags = tuple([player.flags for player in state.players])
    return GameEnded(places, reason, flags, total_scores(state))


def _resign(state: State, seat: int | None) -> list[Event]:
    """The events of a resignation (ruling M8)."""
    if state.number == 0 or state.result is not None:
        raise _out_of_turn(state)
    if seat is None or not 0 <= seat < len(state.players):
        raise _out_of_turn(state)
    if seat in state.resigned:
        raise illegal_move("The seat has resigned before.", "M8")
    resigned = PlayerResigned(seat)
    after = evolve(state, resigned)
    playing = [other for other in range(len(after.players)) if other not in after.resigned]
    if len(playing) > 1:
        return [resigned]
    return [resigned, _ended(after, playing[0], "resigned")]


# --- lifecycle ------------------------------------------------------------------------------------------------------


def _create(command: Create, chance: Chance) -> list[Event]:
    seats = len(command.seats)
    check_seats("Migo", SEAT_COUNTS, command.seats)
    options = resolve(command.options, seats)
    rounds = None if command.setup is None else _prepared(command.setup, options, seats)
    game_id, commitment = command.game_id, command.commitment
    created = GameCreated(
        game_id, commitment, options, command.seats, rounds, unrated=command.unrated, pairing=command.pairing
    )
    return [created, *_start_if_full(evolve(INITIAL, created), chance)]


def _prepared(setup: Any, options: Options, seats: int) -> Rounds:
    """The faces of `setup.rounds`: as many cards as each layout has, none of them twice."""
    where, rounds = "setup.rounds", setup["rounds"]
    if not 1 <= len(rounds) <= last_round(seats):
        raise invalid(where, f"Must have 1 to {last_round(seats)} rounds.")
    return tuple(
        [
            _prepared_round(cards, round_layout(options, seats, at + 1), seats, f"{where}.{at}")
            for at, cards in enumerate(rounds)
        ]
    )


def _prepared_round(cards: Sequence[str], layout: Layout, seats: int, where: str) -> tuple[int, ...]:
    for at, name in enumerate(cards):
        if name not in FACE:
            raise invalid(f"{where}.{at}", f"There is no face {name!r}: they are E01a, E01b, ... E25b.")
    if len(cards) != layout.size:
        there_are = f"The layout `{layout.name}` has {layout.size} cards in this game of {seats}"
        raise invalid(where, f"{there_are}, not {len(cards)}.")
    faces = tuple([FACE[name] for name in cards])
    seen = set[int]()
    for at, face in enumerate(faces):
        if face >> 1 in seen:
            raise invalid(f"{where}.{at}", "The card is there twice.")
        seen.add(face >> 1)
    return faces


def _take_seat(state: State, command: TakeSeat, chance: Chance) -> list[Event]:
    setup = setup_of(state)
    check_open_seat(setup.seats, command.seat, state.result)
    taken = SeatTaken(command.seat, command.player, command.client_seed)
    return [taken, *_start_if_full(evolve(state, taken), chance)]


def _start_if_full(state: State, chance: Chance) -> list[Event]:
    """Rules 2: once no seat is open, round 1 is laid out."""
    setup = setup_of(state)
    if any(seat.kind == "open" for seat in setup.seats):
        return []
    seeds, first = setup.client_seeds, setup.options.first_seat
    first_seat = chance.first_seat(len(setup.seats), seeds) if isinstance(first, str) else first
    faces = FRONTS if state.prepared else first_order(chance, seeds)
    return [GameStarted(first_seat), _round_started(state, 1, first_seat, faces)]


def _score(state: State) -> list[Event]:
    """Confirm the result, once."""
    if state.result is None:
        raise DomainError("conflict", "The game has not ended yet.")
    if state.result.scored:
        return []
    return [GameScored(state.result.places)]
