"""A game of Migrato in which cards are dealt one by one, each by a chance event of known probabilities.

The domain draws from a deck that lies in order; here nobody fixes that order in advance. `decide` is asked first how
many cards a command draws and from what. These are dealt one after another, by the player of chance. Then `decide` is
asked again with the dealt cards on top. There are no rules here.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Self, TypeVar

from orjson import dumps

from domain.bot import Rng
from domain.lifecycle import Create, Json, Seat, Viewer
from domain.migrato.belief.determinize import Determinizer
from domain.migrato.belief.knowledge import NOTHING, Knowledge, update_knowledge
from domain.migrato.belief.observation import Observation, observe
from domain.migrato.codec.event_codec import encode
from domain.migrato.rules.decide import Command, decide
from domain.migrato.rules.events import CardsDrawn, DeckReshuffled, Event, GameCreated, GameStarted
from domain.migrato.rules.rule_books import SEATS
from domain.migrato.rules.state import INITIAL, State, evolve
from domain.migrato.rules.view import redact
from research.numbering import MOVES

Known = TypeVar("Known")


class Heap(NamedTuple):
    """Cards of which some are drawn: the deck, or (`shuffled`) what a shuffle will turn into the deck."""

    cards: tuple[int, ...]
    drawn: int
    shuffled: bool


class Deal(NamedTuple):
    """A command that waits for chance. `first_seat` is None while that has yet to be drawn."""

    seat: int | None
    command: Command
    heaps: tuple[Heap, ...]
    first_seat: int | None
    dealt: tuple[int, ...] = ()


class Table:
    """A moment of a game and the way to it; never changes, so copies are shared.

    `state` is the domain's state before the command that waits for the cards of `deal`. The order of its deck means
    nothing. `events` are the way from the table `before` to it.
    """

    __slots__ = ("action", "before", "deal", "earlier", "events", "known", "options", "state")

    def __init__(
        self,
        options: Json,
        earlier: Self | None,
        action: int | None,
        before: State,
        events: Sequence[Event],
        deal: Deal | None,
    ) -> None:
        self.options, self.earlier, self.action = options, earlier, action
        self.before, self.events, self.deal = before, events, deal
        state = before
        for event in events:
            state = evolve(state, event)
        self.state = state
        self.known: dict[tuple[str, Viewer], Any] = {}  # the answers so far about a viewer's knowledge

    @classmethod
    def laid(cls, options: Json) -> Self:
        """The state before the first card is dealt; `options` as `domain.migrato.rules.options.resolve` takes them."""
        create = Create("dealt", "", options, (Seat("human"),) * SEATS)
        events = decide(INITIAL, None, create, _AsDealt((), 0))
        first_seat = options.get("first_seat", 0)
        deal = Deal(None, create, _heaps(INITIAL, events), None if first_seat == "random" else first_seat)
        table = cls(options, None, None, INITIAL, (), deal)
        for viewer in (None, *range(SEATS)):
            table.known["history", viewer] = ""
            table.known["memory", viewer] = NOTHING
        return table

    def outcomes(self) -> list[tuple[int, float]]:
        """Possible draws with their probabilities: faces of cards, or at first the starting seat if it is drawn."""
        assert self.deal is not None
        if self.deal.first_seat is None:
            return [(seat, 1 / SEATS) for seat in range(SEATS)]
        left = Counter(_left(self.deal))
        total = left.total()
        return [(card, left[card] / total) for card in sorted(left)]

    def after(self, action: int) -> Self:
        """The table after a move by its number or, where chance is to act, one of its outcomes."""
        deal = self.deal
        if deal is None:
            return self._moved(action)
        if deal.first_seat is None:
            deal = deal._replace(first_seat=action)
        else:
            deal = deal._replace(dealt=(*deal.dealt, action))
        if len(deal.dealt) < sum(heap.drawn for heap in deal.heaps):
            return type(self)(self.options, self, action, self.state, (), deal)
        state, order = _arranged(self.state, deal)
        events = decide(state, deal.seat, deal.command, _AsDealt(order, deal.first_seat or 0))
        return type(self)(self.options, self, action, state, events, None)

    def _moved(self, action: int) -> Self:
        state, move = self.state, MOVES[action]
        events = decide(state, state.to_act, move, _AsDealt((), 0))
        heaps = _heaps(state, events)
        if heaps:
            return type(self)(
                self.options, self, action, state, (), Deal(state.to_act, move, heaps, first_seat=0)
            )
        return type(self)(self.options, self, action, state, events, None)

    # --- what a seat knows ---------------------------------------------------------------------------------------

    def history(self, viewer: Viewer) -> str:
        """Every event as far as the viewer could see it when it happened, a line each."""

        def update(known: str, _before: State, event: Event, _after: State) -> str:
            return known + _line(event, viewer)

        return self._since("history", viewer, update)

    def memory(self, seat: int) -> Knowledge:
        """Knowledge of the seat beyond the table as it lies."""

        def update(known: Knowledge, before: State, event: Event, after: State) -> Knowledge:
            return update_knowledge(known, seat, before, event, after)

        return self._since("memory", seat, update)

    def _since(
        self, what: str, viewer: Viewer, update: Callable[[Known, State, Event, State], Known]
    ) -> Known:
        """Knowledge at this table, continued from the last table on the way whose knowledge is kept.

        Tables of playouts are never asked, so nothing is kept of them.
        """
        unread: list[Table] = []
        table: Table = self
        while (what, viewer) not in table.known:
            unread.append(table)
            assert table.earlier is not None, "nobody knows what an imagined opponent remembers"
            table = table.earlier
        known: Known = table.known[what, viewer]
        for table in reversed(unread):
            before = table.before
            for event in table.events:
                after = evolve(before, event)
                known = update(known, before, event, after)
                before = after
            table.known[what, viewer] = known
        return known

    def seen(self, seat: int) -> Observation:
        """The observation that the project's bots get."""
        return observe(self.state, seat, self.memory(seat))

    def imagined(self, seat: int, rng: Rng) -> Self:
        """A table that the seat cannot tell from this one: what it does not know is drawn anew.

        The opponent's history there is the public one: the cards drawn for it have no past.
        """
        assert self.deal is None, "a seat imagines what it has before it, not what is just being dealt"
        if ("worlds", seat) not in self.known:
            self.known["worlds", seat] = Determinizer(self.seen(seat))
        state: State = self.known["worlds", seat].sample(rng)
        table = type(self)(self.options, None, None, with_deck(state, tuple(sorted(state.deck))), (), None)
        table.known = {
            ("history", None): self.history(None),
            ("history", seat): self.history(seat),
            ("history", 1 - seat): self.history(None),
            ("memory", seat): self.memory(seat),
        }
        return table

    # --- copies --------------------------------------------------------------------------------------------------

    def __deepcopy__(self, _memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Json, list[int]]]:
        """Pickled as the options and all actions; TypeError for a table that came from an imagined one."""
        actions: list[int] = []
        table: Table = self
        while table.earlier is not None:
            assert table.action is not None
            actions.append(table.action)
            table = table.earlier
        if table.before is not INITIAL:
            raise TypeError("An imagined table has no history that it could be stored by.")
        return _replayed, (self.options, actions[::-1])


def _replayed(options: Json, actions: list[int]) -> Table:
    table = Table.laid(options)
    for action in actions:
        table = table.after(action)
    return table


class _AsDealt:
    """A chance that puts the dealt cards on top; the order below them is not fixed yet."""

    def __init__(self, dealt: tuple[int, ...], first_seat: int) -> None:
        self._dealt, self._first_seat = dealt, first_seat

    def shuffled(self, number: int, cards: Sequence[int], client_seeds: object) -> tuple[int, ...]:
        return _on_top(self._dealt, cards)

    def first_seat(self, seats: int, client_seeds: object) -> int:
        return self._first_seat


def _on_top(dealt: tuple[int, ...], cards: Sequence[int]) -> tuple[int, ...]:
    rest = sorted(cards)
    for card in dealt:
        rest.remove(card)
    return (*dealt, *rest)


def _heaps(state: State, events: Sequence[Event]) -> tuple[Heap, ...]:
    """The pile from which the events draw, and the number of cards; empty when they draw none."""
    heaps: list[Heap] = []
    deck, shuffled = state.deck, False
    for event in events:
        match event:
            case GameStarted():
                heaps.append(Heap(event.deck, sum(len(hand) for hand in event.hands), shuffled=True))
            case DeckReshuffled():
                deck, shuffled = event.deck, True
            case CardsDrawn() if event.cards:
                heaps.append(Heap(deck, len(event.cards), shuffled))
            case _:
                pass
    return tuple(heaps)


def _left(deal: Deal) -> list[int]:
    """The cards of which the next is dealt."""
    dealt = deal.dealt
    for heap in deal.heaps:
        if len(dealt) < heap.drawn:
            left = list(heap.cards)
            for card in dealt:
                left.remove(card)
            return left
        dealt = dealt[heap.drawn :]
    raise AssertionError("everything has been dealt")


def _arranged(state: State, deal: Deal) -> tuple[State, tuple[int, ...]]:
    """The state with the cards dealt from its deck on top, and those dealt from what will be shuffled."""
    order: tuple[int, ...] = ()
    dealt = deal.dealt
    for heap in deal.heaps:
        here, dealt = dealt[: heap.drawn], dealt[heap.drawn :]
        if heap.shuffled:
            order = here
        else:
            state = with_deck(state, _on_top(here, heap.cards))
    return state, order


def with_deck(state: State, deck: tuple[int, ...]) -> State:
    """The state with the cards of its deck in another order."""
    return State(
        state.setup,
        state.phase,
        state.to_act,
        state.turn,
        deck,
        state.discard_pile,
        state.players,
        state.shuffles,
        state.result,
    )


def _line(event: Event, viewer: Viewer) -> str:
    """One act in a line: its seat, and what the viewer could see of it; "" for the game's creation."""
    if isinstance(event, GameCreated):
        return ""
    wire = encode(event)
    data, _ = redact(wire, viewer)
    return f"{wire.type} {'-' if wire.seat is None else wire.seat} {dumps(list(data.values())).decode()}\n"
