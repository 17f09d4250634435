"""Going on from a position of another game: as it truly was, or as a seat may believe that it was."""

from domain.errors import DomainError, invalid
from domain.lifecycle import Fork, check_fork_seats, check_seats
from domain.migo.rules.events import Event, GameCreated, MovesTakenBack, PlayerStanding, PositionSet
from domain.migo.rules.options import SEAT_COUNTS
from domain.migo.rules.state import State, setup_of


def fork(command: Fork) -> list[Event]:
    """The first events of a game that goes on from a state of another.

    DomainError "validation-error" for seats that will not do, "game-not-started" and "game-over" for a state in which
    there is nothing to go on with.
    """
    state: State = command.position
    check_seats("Migo", SEAT_COUNTS, command.seats)
    if len(command.seats) != len(state.players):
        raise invalid("seats", f"This game has {len(state.players)} seats, not {len(command.seats)}.")
    check_fork_seats(command.seats)
    if state.result is not None:
        raise DomainError("game-over", "The game was over.")
    if state.to_act is None:
        raise DomainError("game-not-started", "The cards had not been laid out yet.")
    options = setup_of(state).options
    created = GameCreated(
        command.game_id, command.commitment, options, command.seats, None, origin=command.origin
    )
    return [created, position_set(state)]


def position_set(state: State) -> PositionSet:
    """The state of a game that somebody is to act in, as an event; nothing of it is left out."""
    assert state.to_act is not None, "nobody is to act"
    return PositionSet(
        to_act=state.to_act,
        takes=state.takes,
        number=state.number,
        starter=state.starter,
        table=state.table,
        discarded=state.discarded,
        boxed=state.boxed,
        players=tuple([PlayerStanding(p.cards, p.full, p.empty, p.flags, p.last) for p in state.players]),
        resigned=state.resigned,
        rounds=tuple([(ended.scores, ended.winner) for ended in state.rounds]),
        prepared=state.prepared,
    )


def taken_back(former: State, seat: int, to_version: int) -> MovesTakenBack:
    """The event that takes the seat's last move back, to the `former` state, in which the seat was to act."""
    return MovesTakenBack(seat, to_version, position_set(former))


def resampled(state: State) -> State:
    """The state with all later rounds left to chance: prepared ones are dropped."""
    return state._replace(prepared=())
