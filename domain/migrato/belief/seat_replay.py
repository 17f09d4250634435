"""A game's events as one seat may see them, played again: to the table as it sees it, and what it remembers.

The state that is played on holds DOWN for whatever the seat cannot see. A move is accepted where it was legal, as far
as the seat could tell; what follows from it, where it fits the table.
"""

from collections.abc import Callable
from typing import Final

from domain.errors import DomainError
from domain.lifecycle import Seat
from domain.migrato.belief.hypotheses import unseen
from domain.migrato.belief.knowledge import NIGHT, NOTHING, Knowledge, update_knowledge
from domain.migrato.codec.given_position import position_set
from domain.migrato.codec.readers import Given, rules_of
from domain.migrato.rules.cards import DOWN, FIRST_DANGER, NAME, SEEN
from domain.migrato.rules.columns import Column, arriving_species
from domain.migrato.rules.events import (
    ArrivalFailed,
    BirdPlayed,
    BirdsArrived,
    CardDiscarded,
    CardsDrawn,
    CardsMoved,
    ColumnDiscarded,
    DangerPlayed,
    DeckReshuffled,
    Event,
    GameCreated,
    GameStarted,
    HandExchanged,
    ReturnFlightTaken,
    TurnPassed,
)
from domain.migrato.rules.legal import refusal
from domain.migrato.rules.moves import Discard, Move, MoveCards, Play, PlayDanger
from domain.migrato.rules.rule_books import HAND_SIZE, SEATS, Rules
from domain.migrato.rules.state import ACTION, DISCARD, INITIAL, WAITING, Phase, State, evolve, flights_left

SITTING: Final = (Seat("human"), Seat("human"))
# Nothing on the table changes.
_REMARKS: Final = ("seat_taken", "game_scored", "move_chosen", "hint_given", "seat_token_reissued")
_ENDS: Final = ("player_resigned", "game_ended")


def replay(history: Given, rules: Rules, seat: int) -> tuple[State, Knowledge]:
    """The table and the memory after all the events.

    Raises DomainError "validation-error" for what is malformed, "impossible-position" for what cannot have happened.
    """
    state, memory = INITIAL, NOTHING
    for number, given in enumerate(history.items(), 1):
        version = given.member("version")
        if version.whole(1) != number:
            raise version.impossible(f"Event {number} comes here: they are all needed, in order.")
        event = _Reader(given, state, rules, seat).event()
        if event is not None:
            after = _after(state, event, seat)
            _require_deck(after, given, rules, seat)
            try:
                memory = update_knowledge(memory, seat, state, event, after)
            except DomainError as error:
                raise given.impossible(error.detail) from error
            state = after
    if state.phase is WAITING:
        raise history.impossible("It must begin with game_created and game_started, or position_set.")
    return state, memory


def _after(state: State, event: Event, seat: int) -> State:
    """The state after the event, the opponent's hand hidden."""
    state = evolve(_opened(state, event, seat), event)
    return _with_hand(state, 1 - seat, (DOWN,) * len(state.players[1 - seat].hand))


def _opened(state: State, event: Event, seat: int) -> State:
    """With the card in the opponent's hand that the event shows there."""
    match event:
        case BirdPlayed(player, card) | CardDiscarded(player, card) if player != seat:
            shown = card
        case DangerPlayed(player, danger) if player != seat:
            shown = danger
        case _:
            return state
    hand = state.players[1 - seat].hand
    return _with_hand(state, 1 - seat, (*hand[1:], shown))


def _with_hand(state: State, seat: int, hand: tuple[int, ...]) -> State:
    one, two = state.players
    players = (one._replace(hand=hand), two) if seat == 0 else (one, two._replace(hand=hand))
    return state._replace(players=players)


def _require_deck(state: State, given: Given, rules: Rules, seat: int) -> None:
    if state.phase is WAITING:
        return
    left = unseen(rules.deck, state.players[seat], state.players[1 - seat], state.discard_pile)
    for face, count in enumerate(left):
        if count < 0:
            raise given.impossible(f"{NAME[face]} would be there more often than in the deck list.")


class _Reader:
    """One event's document, beside the state that it happened in."""

    def __init__(self, given: Given, state: State, rules: Rules, seat: int) -> None:
        self._given = given
        self._state = state
        self._rules = rules
        self._seat = seat
        self._kind = given.member("type")

    def event(self) -> Event | None:
        """The event, what the seat cannot see DOWN; None if nothing changes by it on the table."""
        kind = self._kind.word((*_READERS, *_REMARKS, *_ENDS))
        if self._given.has("schema"):
            self._given.member("schema").whole(1, 1)
        if kind in _ENDS:
            raise self._kind.impossible("The game is over.")
        if (self._state.setup is None) != (kind == "game_created"):
            raise self._kind.impossible("A game begins with game_created, and has one.")
        if kind in _REMARKS:
            return None
        begun = kind not in ("game_created", "game_started", "position_set")
        if begun != (self._state.phase is not WAITING):
            raise self._kind.impossible("The cards are dealt once, before anything else.")
        return _READERS[kind](self)

    def positioned(self) -> Event:
        return position_set(self._given.member("data"), self._rules, self._seat)

    def created(self) -> Event:
        options = self._data("options")
        if rules_of(options) != self._rules:
            raise options.impossible("The view has other options.")
        return GameCreated("", "", self._rules, SITTING, None)

    def started(self) -> Event:
        first, hands = self._data("first_seat"), self._data("hands")
        if self._rules.first_seat not in ("random", first.whole(0, SEATS - 1)):
            raise first.impossible(f"By the options seat {self._rules.first_seat} starts.")
        if len(hands.items()) != SEATS:
            raise hands.wrong(f"Must have {SEATS} hands.")
        own = hands.items()[self._seat]
        hand, hidden = own.faces(), (DOWN,) * HAND_SIZE
        if len(hand) != HAND_SIZE:
            raise own.impossible(f"A hand is dealt {HAND_SIZE} cards.")
        both = (hand, hidden) if self._seat == 0 else (hidden, hand)
        return GameStarted(first.whole(0), (DOWN,) * len(self._rules.deck), both)

    def bird_played(self) -> Event:
        seat, given = self._actor(ACTION), self._data("card")
        slot = self._data("slot").slot()
        hidden = given.value is None or (given.face() < FIRST_DANGER and SEEN[given.face()] == DOWN)
        down = seat != self._seat and hidden
        event = BirdPlayed(seat, DOWN if down else given.face(), slot)
        if not down:
            self._require_legal(seat, Play(event.card, self._target(seat, slot)), event)
            return event
        player = self._state.players[seat]
        if not player.hand or not self._rules.placement.fits[player.shapes[slot]] & NIGHT:
            raise given.impossible("No bird of the night could be played there.")
        self._target(seat, slot)
        return event

    def card_discarded(self) -> Event:
        seat = self._actor(DISCARD)
        event = CardDiscarded(seat, self._data("card").face())
        self._require_legal(seat, Discard(event.card), event)
        return event

    def cards_drawn(self) -> Event:
        seat, count = self._actor(DISCARD), self._data("count")
        hand, deck = self._state.players[seat].hand, len(self._state.deck)
        if count.whole(0) != min(HAND_SIZE - len(hand), deck) or not (deck or not self._state.discard_pile):
            raise count.impossible("Not so many cards were drawn there.")
        if seat != self._seat:
            return CardsDrawn(seat, (DOWN,) * count.whole(0))
        cards = self._data("cards")
        if len(cards.faces()) != count.whole(0):
            raise cards.impossible("There are other than `count` cards.")
        return CardsDrawn(seat, cards.faces())

    def cards_moved(self) -> Event:
        seat = self._actor(ACTION)
        source, target = self._data("from").slot(), self._data("to").slot()
        index, uncover = self._data("index").whole(0), self._data("uncover").flag()
        event = CardsMoved(seat, source, index, target, uncover)
        self._require_legal(seat, MoveCards(source, index, self._target(seat, target), uncover), event)
        return event

    def danger_played(self) -> Event:
        seat = self._actor(ACTION)
        danger, card, target = self._data("danger").face(), self._data("card"), self._data("target")
        if len(target.members()) != 1:
            raise target.wrong('Must be {"slot": 1 to 4} or {"pile": species}.')
        slot = None if target.has("pile") else target.member("slot").slot()
        pile = target.member("pile").species() if target.has("pile") else None
        event = DangerPlayed(seat, danger, slot, pile, card.face())
        self._require_legal(seat, PlayDanger(danger, slot, pile), event)
        victim = self._state.players[1 - seat]
        lying = victim.arrivals[pile] if pile is not None else victim.columns[slot or 0]
        self._require_cards(card, (event.card,), lying[-1:])
        return event

    def hand_exchanged(self) -> Event:
        seat, cards = self._actor(ACTION), self._data("cards")
        hand, shown = self._state.players[seat].hand, cards.faces()
        same = sorted(shown) == sorted(hand) if seat == self._seat else len(shown) == len(hand)
        if not same or not hand:
            raise cards.impossible("These were not the cards in hand.")
        return HandExchanged(seat, shown)

    def column_discarded(self) -> Event:
        abandoned = self._data("abandoned").flag()
        seat = self._actor(ACTION if abandoned else DISCARD)
        slot, column, cards = self._column(seat)
        given = self._data("places")
        places = tuple([place.whole(0) for place in given.items()])
        whole = tuple(range(len(column)))
        if (
            not set(places) <= set(whole)
            or sorted(set(places)) != list(places)
            or (abandoned and places != whole)
        ):
            raise given.impossible("There are no such cards in the column.")
        self._require_cards(cards, cards.faces(), tuple([column[place] for place in places]))
        return ColumnDiscarded(seat, slot, cards.faces(), places, abandoned)

    def birds_arrived(self) -> Event:
        seat = self._actor(DISCARD)
        slot, species, cards = self._flock(seat)
        return BirdsArrived(seat, slot, species, cards)

    def return_flight_taken(self) -> Event:
        seat = self._actor(DISCARD)
        slot, species, cards = self._flock(seat)
        if not flights_left(self._state) >> species & 1:
            raise self._kind.impossible("That Return Flight card does not lie there.")
        return ReturnFlightTaken(seat, slot, species, cards)

    def arrival_failed(self) -> Event:
        seat = self._actor(DISCARD)
        slot, column, cards = self._column(seat)
        self._require_cards(cards, cards.faces(), column)
        return ArrivalFailed(seat, slot, cards.faces())

    def deck_reshuffled(self) -> Event:
        count, pile = self._data("count"), len(self._state.discard_pile)
        if self._state.deck or self._state.phase is not DISCARD or not pile:
            raise self._kind.impossible("The deck had not run out.")
        if count.whole(1) != pile:
            raise count.impossible(f"The discard pile had {pile} cards.")
        return DeckReshuffled((DOWN,) * pile)

    def turn_passed(self) -> Event:
        seat = self._actor(ACTION)
        if self._state.players[seat].hand:
            raise self._kind.impossible("Something else was legal.")
        return TurnPassed(seat)

    def _data(self, name: str) -> Given:
        return self._given.member("data").member(name)

    def _actor(self, phase: Phase) -> int:
        """The seat that did it, which was to act, and in that phase of its turn."""
        given = self._given.member("seat")
        seat = given.whole(0, SEATS - 1)
        if seat != self._state.to_act:
            raise given.impossible(f"It was seat {self._state.to_act}'s turn.")
        if self._state.phase is not phase:
            raise self._kind.impossible("That is not what comes next in a turn.")
        return seat

    def _target(self, seat: int, slot: int) -> int | None:
        """The slot of a column, or None for a new one, which has the lowest free slot."""
        columns = self._state.players[seat].columns
        if columns[slot]:
            return slot
        if columns.index(()) != slot:
            raise self._given.member("data").impossible("A new column has the lowest free slot.")
        return None

    def _require_legal(self, seat: int, move: Move, event: Event) -> None:
        """`event` is what the move did; the opponent's hand is taken to have had the card that it shows."""
        if not self._state.players[seat].hand and not isinstance(move, MoveCards):
            raise self._kind.impossible("There was no card in hand.")
        refused = refusal(_opened(self._state, event, self._seat), seat, move)
        if refused:
            raise self._kind.impossible(refused[0])

    def _column(self, seat: int) -> tuple[int, Column, Given]:
        """The slot, what lies there, and the cards that are said to have lain there."""
        slot = self._data("slot")
        column = self._state.players[seat].columns[slot.slot()]
        if not column:
            raise slot.impossible("There was no column.")
        return slot.slot(), column, self._data("cards")

    def _flock(self, seat: int) -> tuple[int, int, Column]:
        """The slot, species and cards of a column that arrived."""
        slot, column, given = self._column(seat)
        cards, species = given.faces(), self._data("species")
        self._require_cards(given, cards, column)
        landed = self._state.players[seat].landed
        if arriving_species(cards, landed, after_move=True) != species.species():
            raise given.impossible("Those are no flock that arrives.")
        return slot, species.species(), cards

    def _require_cards(self, given: Given, cards: Column, lying: Column) -> None:
        """The cards are those that lie there, face-down ones some birds of the night."""
        seen = [
            SEEN[card] if there == DOWN and card < FIRST_DANGER else card
            for card, there in zip(cards, lying, strict=False)
        ]
        if len(cards) != len(lying) or tuple(seen) != lying:
            raise given.impossible("Other cards lay there.")


_READERS: Final[dict[str, Callable[[_Reader], Event]]] = {
    "game_created": _Reader.created,
    "game_started": _Reader.started,
    "position_set": _Reader.positioned,
    "bird_played": _Reader.bird_played,
    "card_discarded": _Reader.card_discarded,
    "cards_drawn": _Reader.cards_drawn,
    "cards_moved": _Reader.cards_moved,
    "danger_played": _Reader.danger_played,
    "hand_exchanged": _Reader.hand_exchanged,
    "column_discarded": _Reader.column_discarded,
    "birds_arrived": _Reader.birds_arrived,
    "return_flight_taken": _Reader.return_flight_taken,
    "arrival_failed": _Reader.arrival_failed,
    "deck_reshuffled": _Reader.deck_reshuffled,
    "turn_passed": _Reader.turn_passed,
}
