"""A position told from outside: a seat's view of a game and its history become what that seat observes.

The documents are those that the seat itself is given: its view, and every event as it may see it, in order. What else
they hold (seals, times, players) is not looked at. Without a history (absent or null) the view alone must do: then
nothing is remembered, and the own face-down cards must be shown in it, as `memory_aid` does, or by whoever asks.
"""

from typing import Final

from domain.errors import DomainError
from domain.lifecycle import Json
from domain.migrato.belief.determinize import Determinizer
from domain.migrato.belief.hypotheses import unseen
from domain.migrato.belief.knowledge import NOTHING
from domain.migrato.belief.observation import Observation, observe
from domain.migrato.belief.seat_replay import SITTING, replay
from domain.migrato.codec.readers import Given, rules_of
from domain.migrato.rules.cards import DOWN, FIRST_DANGER, IS_NIGHT, NAME, SPECIES, SPECIES_IDS, SPECIES_OF
from domain.migrato.rules.columns import Column, could_have_arrived, ends_game, shape_of
from domain.migrato.rules.rule_books import HAND_SIZE, SEATS, SLOTS, Rules
from domain.migrato.rules.state import ACTION, DISCARD, Player, Setup, State, score

_PHASES: Final = {"action": ACTION, "discard": DISCARD}


def position_of(document: Json) -> Observation:
    """The observation of the seat from {"view": ..., "history": [...]}: the same as in a game played here.

    Raises DomainError "validation-error" for what is malformed and "impossible-position" for what contradicts itself or
    asks for no move; `errors` names the place.
    """
    given = Given(document, "")
    view = given.member("view")
    rules, seat = _rules(view), _seat_to_act(view)
    table = _table(view, rules, seat)
    if given.has("history") and given.member("history").value is not None:
        history = given.member("history")
        if view.has("version") and view.member("version").whole(1) != len(history.items()):
            raise view.member("version").impossible(f"The history has {len(history.items())} events.")
        state, memory = replay(history, rules, seat)
        _require_same(table, state, view, seat)
    else:
        state, memory = table, NOTHING
        _require_own_cards(table, view, seat)
    seen = observe(state, seat, memory)
    try:
        Determinizer(seen)
    except DomainError as error:
        raise view.member("state").impossible(error.detail) from error
    return seen


def _rules(view: Given) -> Rules:
    if view.has("game"):
        view.member("game").word(["migrato"])
    return rules_of(view.member("options"))


def _seat_to_act(view: Given) -> int:
    """The view's seat, if it is to act."""
    if view.has("status"):
        status = view.member("status")
        if status.word(["waiting", "playing", "finished"]) != "playing":
            raise status.impossible("Nobody can move in this game now.")
    viewer = view.member("viewer")
    if viewer.value is None:
        raise viewer.impossible("A spectator has no move to make.")
    seat = viewer.whole(0, SEATS - 1)
    to_act = view.member("to_act")
    if to_act.value is None or to_act.whole(0, SEATS - 1) != seat:
        raise to_act.impossible(f"Seat {seat}, whose view this is, is not to act.")
    return seat


# --- the table --------------------------------------------------------------------------------------------------------


def _table(view: Given, rules: Rules, seat: int) -> State:
    """The state as the view shows it, what is hidden DOWN."""
    shown = view.member("state")
    if shown.value is None:
        raise shown.impossible("The cards have not been dealt.")
    turn = view.member("turn").whole(1)
    if rules.last_turn is not None and turn > rules.last_turn:
        raise view.member("turn").impossible("The turn limit has been reached: the game is over.")
    phase = _PHASES[shown.member("phase").word(_PHASES)]
    sides = shown.member("players").items()
    if len(sides) != SEATS:
        raise shown.member("players").wrong(f"Must have {SEATS} players.")
    one, two = [_side(side, rules, number, own=number == seat) for number, side in enumerate(sides)]
    deck = shown.member("deck").whole(0, 200)
    setup = Setup("", "", rules, SITTING, None)
    pile = shown.member("discard_pile").faces()
    state = State(setup, phase, seat, turn, (DOWN,) * deck, pile, (one, two), 1, None)
    if one.flights & two.flights:
        raise shown.member("players").impossible("A Return Flight card is there once only.")
    if ends_game((one.landed, two.landed)):
        raise shown.member("players").impossible("Every species has arrived: the game is over.")
    if phase is DISCARD and not state.players[seat].hand:
        raise sides[seat].member("hand").impossible("There is no card to discard.")
    _require_all_cards(state, shown, rules, seat)
    return state


def _side(given: Given, rules: Rules, number: int, *, own: bool) -> Player:
    if given.has("seat") and given.member("seat").whole(0, SEATS - 1) != number:
        raise given.member("seat").impossible(f"This is the place of seat {number}.")
    hand = _hand(given, own=own)
    columns: list[Column] = [()] * SLOTS
    for laid in given.member("columns").items():
        slot = laid.member("slot").slot()
        if columns[slot]:
            raise laid.member("slot").impossible("There is one column in a slot.")
        columns[slot] = _column(laid.member("cards"), rules, own=own)
    arrivals = [()] * len(SPECIES)  # type: list[tuple[int, ...]]
    for species, pile in given.member("arrivals").members().items():
        if species not in SPECIES_IDS:
            raise pile.wrong("There is no such species.")
        arrivals[SPECIES_IDS.index(species)] = _pile(pile, SPECIES_IDS.index(species))
    landed = sum(1 << s for s, pile in enumerate(arrivals) if pile)
    for slot, column in enumerate(columns):
        if any(face != DOWN and landed >> SPECIES_OF[face] & 1 for face in shape_of(column)):
            raise given.member("columns").impossible(
                f"The species seen in slot {slot + 1} has arrived: it cannot lie there."
            )
    shapes = tuple(shape_of(column) for column in columns)
    player = Player(hand, tuple(columns), shapes, tuple(arrivals), landed, _flights(given, rules))
    if given.has("score") and given.member("score").whole(0) != score(player, rules):
        raise given.member("score").impossible(f"The cards make {score(player, rules)}.")
    return player


def _hand(given: Given, *, own: bool) -> tuple[int, ...]:
    hand, size = given.member("hand"), given.member("hand_size")
    if not own:
        if hand.value is not None:
            raise hand.impossible("The opponent's hand is hidden from this seat: it must be null.")
        number = size.whole(0)
        if number > HAND_SIZE:
            raise size.impossible(f"A hand has at most {HAND_SIZE} cards.")
        return (DOWN,) * number
    cards = hand.faces()
    if len(cards) > HAND_SIZE:
        raise hand.impossible(f"A hand has at most {HAND_SIZE} cards.")
    if size.whole(0) != len(cards):
        raise size.impossible(f"The hand has {len(cards)} cards.")
    return cards


def _column(given: Given, rules: Rules, *, own: bool) -> Column:
    column = tuple([_laid(card, own=own) for card in given.items()])
    if not column or not rules.placement.possible[shape_of(column)]:
        raise given.impossible("No flock of this deck could fill the column.")
    return column


def _laid(given: Given, *, own: bool) -> int:
    face, down = given.member("face"), given.member("down").flag()
    if down and face.value is None:
        return DOWN
    card = face.face()
    if card >= FIRST_DANGER or IS_NIGHT[card] != down:
        raise face.impossible("Birds of the night lie face down in a column, birds of the day face up.")
    if down and not own:
        raise face.impossible("The opponent's face-down cards are hidden from this seat: it must be null.")
    return card


def _pile(given: Given, species: int) -> tuple[int, ...]:
    pile = given.faces()
    if not could_have_arrived(species, pile):
        raise given.impossible(f"No such pile of {SPECIES_IDS[species]} can have arrived.")
    return pile


def _flights(given: Given, rules: Rules) -> int:
    taken = 0
    for flight in given.member("return_flights").items():
        bit = 1 << flight.species()
        if taken & bit or not rules.return_flight:
            raise flight.impossible("There is no such Return Flight card to have.")
        taken |= bit
    return taken


# --- contradictions ---------------------------------------------------------------------------------------------------


def _require_all_cards(state: State, shown: Given, rules: Rules, seat: int) -> None:
    """All cards together are the deck list."""
    me, other = state.players[seat], state.players[1 - seat]
    left = unseen(rules.deck, me, other, state.discard_pile)
    for face, count in enumerate(left):
        if count < 0:
            raise shown.impossible(f"{NAME[face]} is there more often than in the deck list.")
    down = sum(column.count(DOWN) for column in (*me.columns, *other.columns))
    hidden = len(state.deck) + len(other.hand) + down
    if hidden != sum(left):
        total = len(rules.deck)
        raise shown.member("deck").impossible(
            f"With this there are {total - sum(left) + hidden} cards; the deck list has {total}."
        )


def _require_own_cards(table: State, view: Given, seat: int) -> None:
    if any(DOWN in column for column in table.players[seat].columns):
        columns = view.member("state").member("players").items()[seat].member("columns")
        raise columns.impossible("Without a history the faces of the own face-down cards are needed.")


def _require_same(table: State, played: State, view: Given, seat: int) -> None:
    """The history leads to the table that the view shows."""
    shown = view.member("state")
    sides = shown.member("players").items()
    compared: list[tuple[Given, object, object]] = [
        (view.member("turn"), table.turn, played.turn),
        (view.member("to_act"), table.to_act, played.to_act),
        (shown.member("phase"), table.phase, played.phase),
        (shown.member("deck"), len(table.deck), len(played.deck)),
        (shown.member("discard_pile"), sorted(table.discard_pile), sorted(played.discard_pile)),
    ]
    for side, there, here in zip(sides, table.players, played.players, strict=True):
        compared += [
            (side.member("hand"), sorted(there.hand), sorted(here.hand)),
            (side.member("columns"), there.shapes, here.shapes),
            (side.member("arrivals"), there.arrivals, here.arrivals),
            (side.member("return_flights"), there.flights, here.flights),
        ]
    for given, there_is, would_be in compared:
        if there_is != would_be:
            raise given.impossible("The history leads to another table than this.")
    for shown_column, column in zip(table.players[seat].columns, played.players[seat].columns, strict=True):
        if any(face not in (DOWN, card) for face, card in zip(shown_column, column, strict=True)):
            raise (
                sides[seat]
                .member("columns")
                .impossible("The own face-down cards are others than were played.")
            )
