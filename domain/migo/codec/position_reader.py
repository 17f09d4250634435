"""A position from outside: turns a seat's view, as the API gives it, into the seat's observation.

As everything lies open, the view suffices, and the history is ignored. Not every member is needed, but the given
members must agree with each other. Members that no view has are ignored.
"""

import json
from typing import Any, Final

from domain.errors import DomainError, invalid
from domain.lifecycle import Json
from domain.migo.observation import Observation, observe, seen
from domain.migo.positions.impossible import impossible_as_seen
from domain.migo.rules.cards import FACE
from domain.migo.rules.options import SEAT_COUNTS, Options, last_round, resolve, round_layout
from domain.migo.rules.state import GONE, NEVER, Player, RoundResult, State
from domain.migo.rules.view import view as whole_view

_TYPES: Final = {
    bool: "true or false",
    int: "a whole number",
    str: "a string",
    list: "a list",
    dict: "an object",
}
# Errors of reading malformed data.
_MALFORMED = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


def position_of(document: Json) -> Observation:
    """The seat's observation from {"view": ...}: the same as in a game played here.

    Raises DomainError "validation-error" for a malformed view and "impossible-position" for one that contradicts itself
    or asks for no move; `errors` names the path.
    """
    view = document.get("view")
    if not isinstance(view, dict):
        raise invalid("view", "Must be an object.")
    if view.get("game", "migo") != "migo":
        raise invalid("view.game", "Must be migo.")
    table = view.get("state")
    if not isinstance(table, dict):
        raise invalid("view.state", "Must be the table of a game that has started.")
    try:
        seats = len(table["players"])
    except _MALFORMED:
        raise invalid("view.state.players", "Must be a list of players.") from None
    if seats not in SEAT_COUNTS:
        raise invalid("view.state.players", "There is no such number of players.")
    sitting = view.get("seats", table["players"])
    if not isinstance(sitting, list) or len(sitting) != seats:
        raise _impossible("view.state.players", "The game has another number of seats.")
    seat = _seat_to_act(view, seats)
    state = _state(view, table, _options(view, seats), seat)
    return observe(state, seat)


def _impossible(field: str, message: str) -> DomainError:
    return DomainError("impossible-position", f"{field}: {message}", errors={field: [message]})


def _seat_to_act(view: Json, seats: int) -> int:
    """The view's seat, if it is to act."""
    if view.get("status", "playing") != "playing":
        raise _impossible("view.status", "Nobody can move in this game now.")
    seat: Any = view.get("viewer")
    if seat is None:
        raise _impossible("view.viewer", "A spectator has no move to make.")
    if type(seat) is not int or not 0 <= seat < seats:
        raise invalid("view.viewer", f"Must be a seat, 0 to {seats - 1}.")
    to_act: Any = view.get("to_act")
    if to_act is not None and type(to_act) is not int:
        raise invalid("view.to_act", "Must be null or a seat.")
    if to_act != seat:
        raise _impossible("view.to_act", f"Seat {seat}, whose view this is, is not to act.")
    return seat


def _options(view: Json, seats: int) -> Options:
    options = view.get("options")
    if not isinstance(options, dict):
        raise invalid("view.options", "Must be an object.")
    try:
        return resolve(options, seats)
    except DomainError as error:
        errors = {f"view.{name}": why for name, why in error.data["errors"].items()}
        path, why = next(iter(errors.items()))
        raise DomainError(error.code, f"{path}: {why[0]}", errors=errors) from error


def _state(view: Json, table: Json, options: Options, seat: int) -> State:
    """The table that the view shows."""
    number: Any = table.get("round")
    seats = len(table["players"])
    if type(number) is not int or not 1 <= number <= last_round(seats):
        raise invalid("view.state.round", f"Must be a whole number from 1 to {last_round(seats)}.")
    try:
        places = [GONE] * round_layout(options, seats, number).size
        for card in table["table"]:
            if card["place"] < 0:
                raise IndexError
            places[card["place"]] = _face(card)
        players = [_player(player) for player in table["players"]]
        state = seen(
            options,
            seat,
            view["turn"] - 1,
            number,
            table["starter"],
            tuple(places),
            players,
            [at for at, player in enumerate(table["players"]) if player["resigned"]],
            tuple([RoundResult(tuple(ended["scores"]), ended["winner"]) for ended in table["rounds"]]),
        )
        fault = impossible_as_seen(state)
        shown = {} if fault else _shown(state, table, seat)
    except _MALFORMED:
        raise invalid("view.state", "This is no table of Migo.") from None
    if fault is not None:
        raise _impossible("view.state", fault)
    _require_same(view, shown, "view")
    return state


def _shown(state: State, table: Json, seat: int) -> Json:
    """View of that state, its cards in the order in which the table lists them."""
    shown: Any = whole_view(state)
    cards = {card["place"]: card for card in shown["table"]}
    listed = [cards[card["place"]] for card in table["table"]]
    shown["table"] = listed if len(listed) == len(cards) else shown["table"]
    return {"viewer": seat, "to_act": seat, "turn": int(state.takes) + 1, "state": shown}


def _require_same(given: Any, shown: Any, path: str) -> None:
    """Refuse members that differ from the view, one by one; missing members are ignored."""
    if type(given) is not type(shown):
        raise invalid(path, f"Must be {_TYPES[type(shown)]}.")
    if isinstance(shown, dict):
        for name, value in shown.items():
            if name in given:
                _require_same(given[name], value, f"{path}.{name}")
    elif isinstance(shown, list):
        if len(given) != len(shown):
            raise _impossible(path, f"By the rest of the view it has {len(shown)} entries.")
        for at, value in enumerate(shown):
            _require_same(given[at], value, f"{path}.{at}")
    elif given != shown:
        raise _impossible(path, f"By the rest of the view it is {json.dumps(shown)}.")


def _face(card: Json) -> int:
    return FACE[card["card"] + card["face"]]


def _player(player: Json) -> Player:
    cards = tuple([_face(card) for card in player["cards"]])
    return Player(cards, player["bottles"]["full"], player["bottles"]["empty"], player["flags"], NEVER)
