"""Replays a game's events as one seat may see them, to the seat's table and knowledge.

The replayed state holds DOWN in place of cards that the seat cannot see. Every move is decided again, with the hidden
cards that the events after it show. The history must tell the events that `decide` makes of it.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from domain.chance import UnknownOrder
from domain.common_events import clocks
from domain.common_events.takebacks import ANSWERED, REQUESTED, TAKEN_BACK
from domain.errors import DomainError
from domain.interventions import ABORT, ADJUDICATION, CLAIM, HAND_OVER, REPLACEMENT
from domain.lifecycle import SEALED_CREATION, EventRecord, Seat
from domain.migrato.belief.hypotheses import unseen
from domain.migrato.belief.knowledge import NOTHING, Knowledge, may_be_laid_down, update_knowledge
from domain.migrato.codec.event_codec import encode, is_consequence
from domain.migrato.codec.readers import Field, rules_of
from domain.migrato.codec.table_reader import read_position_set
from domain.migrato.rules.cards import DOWN, FIRST_DANGER, IS_NIGHT, NAME
from domain.migrato.rules.decide import decide
from domain.migrato.rules.events import CardsDrawn, DeckReshuffled, Event, GameCreated, GameStarted
from domain.migrato.rules.fork import taken_back
from domain.migrato.rules.moves import (
    EXCHANGE,
    PASS,
    RETURN,
    Abandon,
    Discard,
    Exchange,
    Move,
    MoveCards,
    Play,
    PlayDanger,
)
from domain.migrato.rules.options import Rules
from domain.migrato.rules.rule_books import HAND_SIZE, SEATS
from domain.migrato.rules.state import INITIAL, WAITING, Player, State, evolve, setup_of
from domain.migrato.rules.view import redact, reveals_nothing

_DEALT: Final = ("game_started", "position_set")
_MOVES: Final = (
    "bird_played", "cards_moved", "danger_played", "column_discarded", "hand_exchanged", "turn_passed",
    "card_discarded",
)  # fmt: skip
_CHECKED: Final = ("birds_arrived", "return_flight_taken", "arrival_failed")
_END: Final = ("player_resigned", "game_ended", ABORT, ADJUDICATION, CLAIM)
# They change nothing on the table.
_UNCHANGED: Final = (
    "seat_taken", "game_scored", "move_chosen", "hint_given", "seat_token_reissued", REPLACEMENT, HAND_OVER,
    *clocks.KINDS, REQUESTED, ANSWERED,
)  # fmt: skip
_OTHERS: Final = ("game_created", TAKEN_BACK, "cards_drawn", "deck_reshuffled")
_KINDS: Final = (*_DEALT, *_MOVES, *_CHECKED, *_END, *_UNCHANGED, *_OTHERS)
# They stand for hidden cards where `decide` looks at one.
_ANY_DANGER: Final = FIRST_DANGER
_ANY_NIGHT_BIRD: Final = IS_NIGHT.index(True, DOWN + 1)


class Entry(NamedTuple):
    """An event's document."""

    field: Field
    kind: str

    def data(self, name: str) -> Field:
        """A member of the event's data."""
        return self.field.member("data").member(name)

    def impossible(self, message: str) -> DomainError:
        """The error for an event that cannot come here."""
        return self.field.member("type").impossible(message)

    def is_consequence(self) -> bool:
        """True if nobody decided anything between the event before it and this one."""
        swept = self.kind == "column_discarded" and not self.data("abandoned").boolean()
        return is_consequence(EventRecord(self.kind, 1, None, {"abandoned": not swept}))


_NEWEST: Final = dict(
    (SEALED_CREATION, (clocks.SET, clocks.SET_SCHEMA))
)  # schemas of events that have more than one


def replay(history: Field, rules: Rules, seat: int) -> tuple[State, Knowledge]:
    """The table and the seat's knowledge after all the events.

    Raises DomainError "validation-error" for what is malformed, "impossible-position" for what cannot have happened.
    """
    entries = _entries(history)
    state, knowledge = INITIAL, NOTHING
    former: State | None = None  # before the last move, if nobody has learnt anything since
    while entries:
        length = next(
            (at for at, entry in enumerate(entries) if at and not entry.is_consequence()), len(entries)
        )
        group, entries = entries[:length], entries[length:]
        if state.setup is None:
            events = _setup(group, rules, seat)
        elif group[0].kind == TAKEN_BACK:
            events, former = _taken_back(group, former, rules, seat), None
        else:
            known = state
            state, events = _decided(state, group, entries, seat)
            former = known if all(reveals_nothing(event) for event in events) else None
        for entry, event in zip(group, events, strict=True):
            after = evolve(state, event)
            _require_deck(after, entry, seat)
            try:
                knowledge = update_knowledge(knowledge, seat, state, event, after)
            except DomainError as error:
                raise entry.field.impossible(error.detail) from error
            state = after
        state = _hidden(state, seat)
    if state.phase is WAITING:
        raise history.impossible("It must begin with game_created and game_started, or position_set.")
    return state, knowledge


def _entries(history: Field) -> list[Entry]:
    """The events that change the table."""
    entries: list[Entry] = []
    for number, field in enumerate(history.items(), 1):
        version = field.member("version")
        if version.integer(1) != number:
            raise version.impossible(f"Event {number} is expected here: all are needed, in order.")
        entry = Entry(field, field.member("type").one_of(_KINDS))
        if field.has("schema"):
            field.member("schema").integer(1, _NEWEST.get(entry.kind, 1))
        if entry.kind in _END:
            raise entry.impossible("The game is over.")
        if entry.kind not in _UNCHANGED:
            entries.append(entry)
    return entries


def _hidden(state: State, seat: int) -> State:
    """The state with all that the seat cannot see DOWN."""
    other = state.players[1 - seat]
    other = other._replace(hand=(DOWN,) * len(other.hand), columns=other.shapes)
    return _with_player(state, 1 - seat, other)._replace(deck=(DOWN,) * len(state.deck))


def _with_player(state: State, seat: int, player: Player) -> State:
    one, two = state.players
    return state._replace(players=(player, two) if seat == 0 else (one, player))


def _require_deck(state: State, entry: Entry, seat: int) -> None:
    if state.phase is WAITING:
        return
    deck = setup_of(state).rules.deck
    left = unseen(deck, state.players[seat], state.players[1 - seat], state.discard_pile)
    for face, count in enumerate(left):
        if count < 0:
            raise entry.field.impossible(f"There would be more {NAME[face]} than in the deck list.")


# --- the deal ---------------------------------------------------------------------------------------------------------


def _setup(group: list[Entry], rules: Rules, seat: int) -> list[Event]:
    """The events with which a game begins."""
    beginning = (("game_created",), _DEALT)
    for number, entry in enumerate(group):
        if number >= len(beginning) or entry.kind not in beginning[number]:
            raise entry.impossible("A game begins with game_created and game_started, or position_set.")
    options = group[0].data("options")
    if rules_of(options) != rules:
        raise options.impossible("The view has other options.")
    events: list[Event] = [GameCreated("", "", rules, (Seat("human"),) * SEATS, None)]
    for entry in group[1:]:
        if entry.kind == "position_set":
            events.append(read_position_set(entry.field.member("data"), rules, seat))
        else:
            events.append(_started(entry, rules, seat))
    return events


def _started(entry: Entry, rules: Rules, seat: int) -> GameStarted:
    first, hands = entry.data("first_seat"), entry.data("hands")
    if rules.first_seat not in ("random", first.integer(0, SEATS - 1)):
        raise first.impossible(f"By the options, seat {rules.first_seat} starts.")
    if len(hands.items()) != SEATS:
        raise hands.malformed(f"Must have {SEATS} hands.")
    own = hands.items()[seat]
    if len(own.faces()) != HAND_SIZE:
        raise own.impossible(f"A hand is dealt {HAND_SIZE} cards.")
    both = [own.faces() if number == seat else (DOWN,) * HAND_SIZE for number in range(SEATS)]
    return GameStarted(first.integer(0), (DOWN,) * len(rules.deck), tuple(both))


# --- moves ------------------------------------------------------------------------------------------------------------


def _decided(state: State, group: list[Entry], later: list[Entry], seat: int) -> tuple[State, list[Event]]:
    """The state with the cards that the group shows, and what the rules make of the move that begins the group.

    The events are those of the group as far as the seat can see. The history's end may come before the group's.
    """
    first, actor = group[0], group[0].field.member("seat")
    if first.kind not in _MOVES or first.is_consequence() or state.phase is WAITING:
        raise first.impossible("A game is created, then the cards are dealt, then a move of a seat follows.")
    if actor.integer(0, SEATS - 1) != state.to_act:
        raise actor.impossible(f"It is seat {state.to_act}'s turn.")
    move = _move(state, group, seat)
    state = _revealed(state, group, move, seat)
    try:
        decided = decide(state, state.to_act, move, UnknownOrder())
    except DomainError as error:
        raise first.impossible(error.detail) from error
    if len(group) > len(decided):
        raise group[len(decided)].impossible("By the rules, this does not come next.")
    if len(group) < len(decided) and later:
        raise later[0].impossible(f"By the rules, {encode(decided[len(group)]).type} comes next.")
    return state, [_required(entry, event, seat) for entry, event in zip(group, decided, strict=False)]


def _required(entry: Entry, event: Event, seat: int) -> Event:
    """The event, with the cards that only the entry tells; the entry must match it as far as the seat can see."""
    record = encode(event)
    if entry.kind != record.type:
        raise entry.impossible(f"By the rules, {record.type} comes next.")
    if record.seat is not None and entry.field.member("seat").integer(0, SEATS - 1) != record.seat:
        raise entry.field.member("seat").impossible(f"By the rules, this is an event of seat {record.seat}.")
    own_draw = isinstance(event, CardsDrawn) and event.seat == seat
    for name, value in redact(record, seat)[0].items():
        if value is None or (own_draw and name == "cards"):
            continue
        member = entry.data(name)
        if member.value != value:
            error = member.impossible if type(member.value) is type(value) else member.malformed
            is_list = isinstance(value, list)  # may have stand-ins
            raise error("By the rules, these are others." if is_list else f"By the rules, this is {value}.")
    if own_draw:
        assert isinstance(event, CardsDrawn)
        cards = entry.data("cards")
        if len(cards.faces()) != len(event.cards):
            raise cards.impossible("The number of cards is not `count`.")
        return CardsDrawn(seat, cards.faces())
    return DeckReshuffled((DOWN,) * len(event.deck)) if isinstance(event, DeckReshuffled) else event


def _move(state: State, group: list[Entry], seat: int) -> Move:
    """The move that the group's first event tells."""
    first = group[0]
    choice = RETURN if any(entry.kind == "return_flight_taken" for entry in group) else None
    match first.kind:
        case "bird_played":
            return Play(_bird(state, group, seat), _target(state, first.data("slot")), choice)
        case "cards_moved":
            source, index = first.data("from").slot(), first.data("index").integer(0)
            uncover = first.data("uncover").boolean()
            return MoveCards(source, index, _target(state, first.data("to")), uncover, choice)
        case "danger_played":
            target = first.data("target")
            if len(target.members()) != 1:
                raise target.malformed('Must be {"slot": 1 to 4} or {"pile": species}.')
            pile = target.member("pile").species() if target.has("pile") else None
            slot = target.member("slot").slot() if pile is None else None
            return PlayDanger(first.data("danger").face(), slot, pile)
        case "card_discarded":
            return Discard(first.data("card").face())
        case "column_discarded":
            return Abandon(first.data("slot").slot())
        case "hand_exchanged":
            return EXCHANGE
        case _:
            return PASS


def _target(state: State, slot: Field) -> int | None:
    """The slot of a column, or None for a new column."""
    assert state.to_act is not None
    return slot.slot() if state.players[state.to_act].columns[slot.slot()] else None


def _taken_back(group: list[Entry], former: State | None, rules: Rules, seat: int) -> list[Event]:
    """The event that leads back to the state before the last move; it may lead to no other state."""
    first = group[0]
    if former is None or former.to_act is None:
        raise first.impossible("There is no move here that can be taken back.")
    actor, version = first.field.member("seat"), first.data("to_version")
    if actor.integer(0, SEATS - 1) != former.to_act:
        raise actor.impossible(f"The last move was seat {former.to_act}'s.")
    event = taken_back(former, former.to_act, version.integer(1))
    if read_position_set(first.field.member("data"), rules, seat) != event.position:
        raise first.impossible("This is not the position before the last move.")
    if len(group) > 1:
        raise group[1].impossible("By the rules, this does not come next.")
    return [event]


# --- hidden cards -----------------------------------------------------------------------------------------------------


def _turned_up(group: list[Entry]) -> tuple[int, ...]:
    """The column that was turned up to see whether it arrives; () if there was none."""
    return next((entry.data("cards").faces() for entry in group if entry.kind in _CHECKED), ())


def _bird(state: State, group: list[Entry], seat: int) -> int:
    """The card that was played; if the seat never saw the card, any face that it can have."""
    assert state.to_act is not None
    field, turned_up = group[0].data("card"), _turned_up(group)
    if state.to_act == seat or (field.value is not None and not IS_NIGHT[field.face()]):
        return field.face()
    if turned_up and IS_NIGHT[turned_up[-1]]:
        return turned_up[-1]
    player = state.players[state.to_act]
    shape = player.shapes[group[0].data("slot").slot()]
    may_be = may_be_laid_down(player, shape, setup_of(state).rules)
    if not may_be:
        raise field.impossible("No bird of the night could be played there.")
    return (may_be & -may_be).bit_length() - 1


def _revealed(state: State, group: list[Entry], move: Move, seat: int) -> State:
    """The state with the opponent's cards that the group shows, and stand-ins for others that `decide` looks at."""
    other, own = state.players[1 - seat], state.to_act == seat
    hand = (_ANY_DANGER,) * len(other.hand)
    columns = [list(column) for column in other.columns]
    turned_up = _turned_up(group)
    match move:
        case PlayDanger(_, int() as slot) if own:
            _turn_up(columns[slot], (len(columns[slot]) - 1,), (group[0].data("card").face(),))
        case Play(card, slot) if not own:
            hand = (card, *hand[1:]) if hand else ()
            if slot is not None:
                _turn_all_up(columns[slot], turned_up[:-1])
        case MoveCards(source, index, int() as target) if not own:
            length, tail = len(columns[target]), columns[source][index:]
            _turn_all_up(columns[target], turned_up[:length])
            _turn_all_up(tail, turned_up[length:])
            columns[source][index:] = tail
        case Discard(card) | PlayDanger(card) if not own:
            hand = (card, *hand[1:]) if hand else ()
        case Exchange() if not own:
            cards = group[0].data("cards").faces()
            hand = cards if len(cards) == len(hand) else hand
    for entry in group:
        if entry.kind == "column_discarded" and not own:
            places = [place.integer(0) for place in entry.data("places").items()]
            _turn_up(columns[entry.data("slot").slot()], places, entry.data("cards").faces())
    other = other._replace(hand=hand, columns=tuple([tuple(column) for column in columns]))
    return _with_player(state, 1 - seat, other)


def _turn_up(column: list[int], places: Sequence[int], cards: Sequence[int]) -> None:
    """Put night cards at face-down places of the column; any other card is left out, and `decide` will not find it."""
    for place, card in zip(places, cards, strict=False):
        if 0 <= place < len(column) and column[place] == DOWN and IS_NIGHT[card]:
            column[place] = card


def _turn_all_up(column: list[int], cards: Sequence[int]) -> None:
    _turn_up(column, range(len(column)), cards)
    _turn_up(column, range(len(column)), (_ANY_NIGHT_BIRD,) * len(column))
