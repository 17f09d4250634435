# compiled into migo
"""The state of a game of Migo, and how events change it: plain tuples with structural sharing."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final, assert_never

from domain.lifecycle import Origin, Result, Seat
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
    MovesTakenBack,
    PlayerResigned,
    PositionSet,
    RoundEnded,
    Rounds,
    RoundStarted,
    SeatTaken,
    SherpaDismissed,
)
from domain.migo.rules.layouts import Layout
from domain.migo.rules.options import TOKENS, Options, round_layout
from domain.value import Value

GONE: Final = -1  # at a place whose card was taken
NEVER: Final = -1  # the last take of a player who has taken nothing in the round


class Setup(Value):
    """Facts that are settled before the first card; `rounds` as they were prepared, or None, `origin` that of a fork.

    `unrated`, `pairing`: as in `Create`.
    """

    __match_args__ = ("game_id", "commitment", "options", "seats", "rounds", "origin", "unrated", "pairing")

    def __init__(
        self,
        game_id: str,
        commitment: str,
        options: Options,
        seats: tuple[Seat, ...],
        rounds: Rounds | None,
        origin: Origin | None = None,
        unrated: str | None = None,
        pairing: str | None = None,
    ) -> None:
        self.game_id = game_id
        self.commitment = commitment
        self.options = options
        self.seats = seats
        self.rounds = rounds
        self.origin = origin
        self.unrated = unrated
        self.pairing = pairing

    @property
    def client_seeds(self) -> tuple[str | None, ...]:
        """The seats' part of every shuffle."""
        return tuple([seat.client_seed for seat in self.seats])


class Player(Value):
    """Pieces of a player: faces in the order in which they came, tokens, flags; `last`: its last take."""

    __match_args__ = ("cards", "full", "empty", "flags", "last")

    def __init__(self, cards: tuple[int, ...], full: int, empty: int, flags: int, last: int) -> None:
        self.cards = cards
        self.full = full
        self.empty = empty
        self.flags = flags
        self.last = last


class RoundResult(Value):
    """Result of a round."""

    __match_args__ = ("scores", "winner")

    def __init__(self, scores: tuple[int, ...], winner: int) -> None:
        self.scores = scores
        self.winner = winner


class State(Value):
    """A game of Migo. `to_act` is None while nobody can act.

    `takes` counts those of the whole game, `number` is the round's (0 before the first), `dealt` are the faces by place
    as the round was laid out, and `lying` is the bit set of the places where they still lie. `discarded` and `boxed`
    cards keep the face that was up. `rounds` are those that have ended, `resigned` the seats that gave up, in that
    order. `prepared` are the rounds still to be laid out as they were prepared: the only thing that is hidden.
    """

    __match_args__ = (
        "setup",
        "to_act",
        "takes",
        "number",
        "starter",
        "layout",
        "dealt",
        "lying",
        "players",
        "discarded",
        "boxed",
        "rounds",
        "resigned",
        "prepared",
        "result",
    )

    def __init__(
        self,
        setup: Setup | None,
        to_act: int | None,
        takes: int,
        number: int,
        starter: int,
        layout: Layout | None,
        dealt: tuple[int, ...],
        lying: int,
        players: tuple[Player, ...],
        discarded: tuple[int, ...],
        boxed: tuple[int, ...],
        rounds: tuple[RoundResult, ...],
        resigned: tuple[int, ...],
        prepared: Rounds,
        result: Result | None,
    ) -> None:
        self.setup = setup
        self.to_act = to_act
        self.takes = takes
        self.number = number
        self.starter = starter
        self.layout = layout
        self.dealt = dealt
        self.lying = lying
        self.players = players
        self.discarded = discarded
        self.boxed = boxed
        self.rounds = rounds
        self.resigned = resigned
        self.prepared = prepared
        self.result = result

    @property
    def table(self) -> tuple[int, ...]:
        """The face at every place, GONE where none lies any more."""
        return tuple([face if self.lying >> place & 1 else GONE for place, face in enumerate(self.dealt)])

    @property
    def left(self) -> int:
        """Number of cards on the table."""
        return self.lying.bit_count()


INITIAL: Final = State(None, None, 0, 0, 0, None, (), 0, (), (), (), (), (), (), None)


def setup_of(state: State) -> Setup:
    """The setup of a game that has been created."""
    assert state.setup is not None, "the game has not been created"
    return state.setup


def layout_of(state: State) -> Layout:
    """Layout of the running round."""
    assert state.layout is not None, "no round has begun"
    return state.layout


def tokens_left(state: State) -> int:
    """The bottle tokens that nobody has."""
    taken = 0
    for player in state.players:
        taken += player.full + player.empty
    return TOKENS - taken


def next_seat(seat: int, seats: int, resigned: tuple[int, ...]) -> int:
    """The seat whose turn follows, clockwise; those that resigned are skipped (ruling M8)."""
    following = (seat + 1) % seats
    if not resigned:
        return following
    while following in resigned and following != seat:
        following = (following + 1) % seats
    return following


def lying_at(table: tuple[int, ...]) -> int:
    """The bit set of the places where a card lies."""
    return sum([1 << place for place, face in enumerate(table) if face != GONE])


def fold(state: State, events: Iterable[Event]) -> State:
    """The state after all the events."""
    for event in events:
        state = evolve(state, event)
    return state


def evolve(state: State, event: Event) -> State:
    """The state after the event. It only assigns: what was recorded has happened."""
    if isinstance(event, CardTaken):
        return _taken(state, event)
    if isinstance(event, BottleGained):
        player = state.players[event.seat]
        changed = Player(player.cards, player.full + 1, player.empty, player.flags, player.last)
        return _with_player(state, event.seat, changed, state.to_act, state.discarded)
    if isinstance(event, SherpaDismissed):
        player = state.players[event.seat]
        kept = tuple([face for face in player.cards if face != event.face])
        changed = Player(kept, player.full, player.empty, player.flags, player.last)
        return _with_player(state, event.seat, changed, state.to_act, state.discarded + (event.face,))
    if isinstance(event, CardFlipped):
        player = state.players[event.seat]
        turned = tuple([face ^ 1 if face ^ 1 == event.face else face for face in player.cards])
        changed = Player(turned, player.full, player.empty, player.flags, player.last)
        return _with_player(state, event.seat, changed, state.to_act, state.discarded)
    if isinstance(event, BottleDrunk):
        player = state.players[event.seat]
        changed = Player(player.cards, player.full - 1, player.empty + 1, player.flags, player.last)
        return _with_player(state, event.seat, changed, event.seat, state.discarded)
    if isinstance(event, RoundEnded):
        return _round_ended(state, event)
    if isinstance(event, RoundStarted):
        return _round_started(state, event)
    if isinstance(event, PlayerResigned):
        return _resigned(state, event.seat)
    if isinstance(event, GameEnded):
        more = {"flags": list(event.flags)}
        return over(state, Result(event.places, event.reason, event.scores, more=more))
    if isinstance(event, GameScored):
        result = state.result
        assert result is not None, "a game ends before it is scored"
        return over(state, replace(result, places=event.places, scored=True))
    if isinstance(event, GameCreated):
        game_id, commitment, options, seats = event.game_id, event.commitment, event.options, event.seats
        setup = Setup(
            game_id, commitment, options, seats, event.rounds, event.origin, event.unrated, event.pairing
        )
        players = tuple([Player((), 0, 0, 0, NEVER) for _ in event.seats])
        return State(setup, None, 0, 0, 0, None, (), 0, players, (), (), (), (), event.rounds or (), None)
    if isinstance(event, SeatTaken):
        setup = setup_of(state)
        taken = Seat("human", event.player, None, event.client_seed)
        seats = setup.seats[: event.seat] + (taken,) + setup.seats[event.seat + 1 :]
        return state._replace(setup=setup._replace(seats=seats))
    if isinstance(event, GameStarted):
        starter, prepared = event.first_seat, state.prepared
        return State(
            state.setup, None, 0, 0, starter, None, (), 0, state.players, (), (), (), (), prepared, None
        )
    if isinstance(event, PositionSet):
        return _positioned(state, event)
    if isinstance(event, MovesTakenBack):  # within a round
        return _positioned(state, event.position)._replace(dealt=state.dealt)
    assert_never(event)


def _taken(state: State, event: CardTaken) -> State:
    seat, players = event.seat, state.players
    player = players[seat]
    taker = Player(player.cards + (event.face,), player.full, player.empty, player.flags, state.takes + 1)
    return State(
        state.setup,
        next_seat(seat, len(players), state.resigned),
        state.takes + 1,
        state.number,
        state.starter,
        state.layout,
        state.dealt,
        state.lying & ~(1 << event.place),
        _put(players, seat, taker),
        state.discarded,
        state.boxed,
        state.rounds,
        state.resigned,
        state.prepared,
        state.result,
    )


def _with_player(
    state: State, seat: int, player: Player, to_act: int | None, discarded: tuple[int, ...]
) -> State:
    return State(
        state.setup,
        to_act,
        state.takes,
        state.number,
        state.starter,
        state.layout,
        state.dealt,
        state.lying,
        _put(state.players, seat, player),
        discarded,
        state.boxed,
        state.rounds,
        state.resigned,
        state.prepared,
        state.result,
    )


def _round_ended(state: State, event: RoundEnded) -> State:
    """The state after a round: cards and tokens stay until a next round is laid out (ruling M13)."""
    player = state.players[event.winner]
    changed = Player(player.cards, player.full, player.empty, player.flags + 1, player.last)
    return State(
        state.setup,
        None,
        state.takes,
        state.number,
        state.starter,
        state.layout,
        state.dealt,
        state.lying,
        _put(state.players, event.winner, changed),
        state.discarded,
        state.boxed,
        state.rounds + (RoundResult(event.scores, event.winner),),
        state.resigned,
        state.prepared,
        None,
    )


def over(state: State, result: Result) -> State:
    """The same table in a game that has ended with that result."""
    return State(
        state.setup,
        None,
        state.takes,
        state.number,
        state.starter,
        state.layout,
        state.dealt,
        state.lying,
        state.players,
        state.discarded,
        state.boxed,
        state.rounds,
        state.resigned,
        state.prepared,
        result,
    )


def _round_started(state: State, event: RoundStarted) -> State:
    setup = setup_of(state)
    players = [Player((), 0, 0, player.flags, NEVER) for player in state.players]
    return State(
        setup,
        event.starter,
        state.takes,
        event.number,
        event.starter,
        round_layout(setup.options, len(setup.seats), event.number),
        event.cards,
        (1 << len(event.cards)) - 1,
        tuple(players),
        (),
        event.boxed,
        state.rounds,
        state.resigned,
        state.prepared[1:],
        None,
    )


def _resigned(state: State, seat: int) -> State:
    """The state after a seat resigned: of more than two players, the others play on without its cards (ruling M8)."""
    players, resigned = state.players, state.resigned + (seat,)
    player, discarded = players[seat], state.discarded
    if len(players) > 2:
        discarded += player.cards
        player = Player((), player.full, player.empty, player.flags, player.last)
    to_act = next_seat(seat, len(players), resigned) if state.to_act == seat else state.to_act
    return _with_player(state, seat, player, to_act, discarded)._replace(resigned=resigned)


def _positioned(state: State, event: PositionSet) -> State:
    setup = setup_of(state)
    players = [Player(one.cards, one.full, one.empty, one.flags, one.last) for one in event.players]
    return State(
        setup,
        event.to_act,
        event.takes,
        event.number,
        event.starter,
        round_layout(setup.options, len(setup.seats), event.number),
        event.table,
        lying_at(event.table),
        tuple(players),
        event.discarded,
        event.boxed,
        tuple([RoundResult(scores, winner) for scores, winner in event.rounds]),
        event.resigned,
        event.prepared,
        None,
    )


def _put(players: tuple[Player, ...], seat: int, player: Player) -> tuple[Player, ...]:
    changed = list(players)
    changed[seat] = player
    return tuple(changed)
