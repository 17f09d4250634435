"""A position from outside: turns a seat's view of a game and its history into the seat's observation.

The documents are those that the API gives the seat: its view, and every event as the seat may see it, in order. Other
members (seals, times, players) are ignored. If there is no history (absent or null), the view must suffice: the seat
then remembers nothing, and the view must show its own face-down cards, as with `memory_aid`, or filled in by the
caller.
"""

from domain.errors import DomainError
from domain.lifecycle import Json, Seat
from domain.migrato.belief.determinize import Determinizer
from domain.migrato.belief.hypotheses import unseen
from domain.migrato.belief.knowledge import NOTHING
from domain.migrato.belief.observation import Observation, observe
from domain.migrato.codec.history_reader import replay
from domain.migrato.codec.readers import Field, rules_of
from domain.migrato.codec.table_reader import MOST_CARDS, PHASES, Side, read_player, require_faces
from domain.migrato.rules.cards import DOWN, NAME
from domain.migrato.rules.columns import ends_game
from domain.migrato.rules.options import Rules
from domain.migrato.rules.rule_books import SEATS
from domain.migrato.rules.state import DISCARD, Player, Setup, State, score


def position_of(document: Json) -> Observation:
    """The seat's observation from {"view": ..., "history": [...]}: the same as in a game played here.

    Raises DomainError "validation-error" for a malformed view and "impossible-position" for one that contradicts itself
    or asks for no move; `errors` names the path.
    """
    root = Field(document, "")
    view = root.member("view")
    rules, seat = _rules(view), _seat_to_act(view)
    state, knowledge = _table(view, rules, seat), NOTHING
    if root.has("history") and root.member("history").value is not None:
        history = root.member("history")
        if view.has("version") and view.member("version").integer(1) != len(history.items()):
            raise view.member("version").impossible(f"The history has {len(history.items())} events.")
        played, knowledge = replay(history, rules, seat)
        _require_same(state, played, view, seat)
        state = played
    else:
        columns = view.member("state").member("players").items()[seat].member("columns")
        require_faces(state.players[seat], columns)
    observation = observe(state, seat, knowledge)
    try:
        Determinizer(observation)
    except DomainError as error:
        raise view.member("state").impossible(error.detail) from error
    return observation


def _rules(view: Field) -> Rules:
    if view.has("game"):
        view.member("game").one_of(["migrato"])
    return rules_of(view.member("options"))


def _seat_to_act(view: Field) -> int:
    """The view's seat, if it is to act."""
    if view.has("status"):
        status = view.member("status")
        if status.one_of(["waiting", "playing", "finished"]) != "playing":
            raise status.impossible("Nobody can move in this game now.")
    viewer = view.member("viewer")
    if viewer.value is None:
        raise viewer.impossible("A spectator has no move to make.")
    seat = viewer.integer(0, SEATS - 1)
    to_act = view.member("to_act")
    if to_act.value is None or to_act.integer(0, SEATS - 1) != seat:
        raise to_act.impossible(f"Seat {seat}, whose view this is, is not to act.")
    return seat


# --- the table --------------------------------------------------------------------------------------------------------


def _table(view: Field, rules: Rules, seat: int) -> State:
    """The state as the view shows it, hidden cards DOWN."""
    table = view.member("state")
    if table.value is None:
        raise table.impossible("The cards have not been dealt.")
    turn = view.member("turn").integer(1)
    if turn > rules.last_turn:
        raise view.member("turn").impossible("The turn limit has been reached: the game is over.")
    phase = PHASES[table.member("phase").one_of(PHASES)]
    sides = table.member("players").items()
    if len(sides) != SEATS:
        raise table.member("players").malformed(f"Must have {SEATS} players.")
    one, two = [_player(side, rules, number, own=number == seat) for number, side in enumerate(sides)]
    deck, pile = (DOWN,) * table.member("deck").integer(0, MOST_CARDS), table.member("discard_pile").faces()
    setup = Setup("", "", rules, (Seat("human"),) * SEATS, None)
    state = State(setup, phase, seat, turn, deck, pile, (one, two), 1, None)
    if one.flights & two.flights:
        raise table.member("players").impossible("There is only one Return Flight card of each species.")
    if ends_game((one.landed, two.landed)):
        raise table.member("players").impossible("Every species has arrived: the game is over.")
    if phase is DISCARD and not state.players[seat].hand:
        raise sides[seat].member("hand").impossible("There is no card to discard.")
    _require_all_cards(state, table, rules, seat)
    return state


def _player(side: Field, rules: Rules, number: int, *, own: bool) -> Player:
    if side.has("seat") and side.member("seat").integer(0, SEATS - 1) != number:
        raise side.member("seat").impossible(f"Seat {number} is expected here.")
    player = read_player(Side(*[side.member(name) for name in Side._fields]), rules, own=own)
    points = score(player, rules)
    if side.has("score") and side.member("score").integer(0) != points:
        raise side.member("score").impossible(f"These cards score {points}.")
    return player


def _require_all_cards(state: State, table: Field, rules: Rules, seat: int) -> None:
    """All cards together are the deck list."""
    me, other = state.players[seat], state.players[1 - seat]
    left = unseen(rules.deck, me, other, state.discard_pile)
    for face, count in enumerate(left):
        if count < 0:
            raise table.impossible(f"There are more {NAME[face]} than in the deck list.")
    down = sum(column.count(DOWN) for column in (*me.columns, *other.columns))
    hidden = len(state.deck) + len(other.hand) + down
    if hidden != sum(left):
        total = len(rules.deck)
        raise table.member("deck").impossible(
            f"This makes {total - sum(left) + hidden} cards; the deck list has {total}."
        )


def _require_same(table: State, played: State, view: Field, seat: int) -> None:
    """The history leads to the table that the view shows."""
    shown = view.member("state")
    sides = shown.member("players").items()
    compared: list[tuple[Field, object, object]] = [
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
    for field, in_view, in_history in compared:
        if in_view != in_history:
            raise field.impossible("The history leads to a different table.")
    for column, own in zip(table.players[seat].columns, played.players[seat].columns, strict=True):
        if any(face not in (DOWN, card) for face, card in zip(column, own, strict=True)):
            raise (
                sides[seat].member("columns").impossible("By the history, other cards were played face down.")
            )
