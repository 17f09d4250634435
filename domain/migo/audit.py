"""Answers for the audit: the moves that events record, and what may stand for a hidden field.

This module believes nothing in an event; the rules judge its consequences.
"""

from collections.abc import Sequence
from typing import Any, Final

from domain.common_events.takebacks import TAKEN_BACK
from domain.errors import invalid
from domain.lifecycle import EventRecord, Json
from domain.migo.rules.options import OPTIONS
from domain.migo.rules.state import State, setup_of
from domain.options import Option, OptionVariant

CHANCE_EVENTS: Final = frozenset(("game_started", "round_started"))
RESIGNATION_EVENTS: Final = frozenset(("player_resigned",))
_OF_A_TAKE: Final = frozenset(("sherpa_dismissed", "card_flipped", "bottle_gained", "bottle_drunk"))
LOOKAHEAD: Final = {"card_taken": len(_OF_A_TAKE)}  # each of them follows at most once


def recorded_setup(data: Json) -> Json | None:
    """The rounds that were prepared, by the first event's data; DomainError "validation-error" for another thing."""
    rounds = data.get("rounds")
    if rounds is None:
        return None
    if type(rounds) is not list or any(type(cards) is not list for cards in rounds):
        raise invalid("rounds", "Must be null or a list of lists of faces.")
    if any(type(card) is not str for cards in rounds for card in cards):
        raise invalid("rounds", "Must be null or a list of lists of faces.")
    return {"rounds": rounds}


def infer_move(record: EventRecord, following: Sequence[EventRecord]) -> Json | None:
    """The move that begins with the event, as it would be posted; None where no move does."""
    if record.type == "player_resigned":
        return {"type": "resign"}
    if record.type != "card_taken":
        return None
    move: Json = {"type": "take", "place": record.data.get("place")}
    for event in following:
        if event.type not in _OF_A_TAKE:
            break
        if event.type == "card_flipped":
            move["flip"] = event.data.get("card")
        elif event.type == "bottle_drunk":
            move["drink"] = True
    return move


def view_scores(view: Json) -> list[int]:
    """The sums of the scores that a view shows, by seat: of the rounds that have ended, and of the running one."""
    ended = view["rounds"]
    running = not ended or ended[-1]["round"] != view["round"]
    sums = [player["score"] if running else 0 for player in view["players"]]
    for one in ended:
        sums = [before + points for before, points in zip(sums, one["scores"], strict=True)]
    return sums


def stand_in(kind: str, field: str) -> Any:
    """Something that the field of such an event may hide; KeyError for a field that never hides anything."""
    return _STAND_INS[kind, field]


_SOME_ROUND: Final = [["E01a"]]
_STAND_INS: Final[dict[tuple[str, str], Any]] = {
    ("game_created", "rounds"): _SOME_ROUND,
    ("position_set", "prepared"): _SOME_ROUND,
    (TAKEN_BACK, "prepared"): _SOME_ROUND,
}


# --- options that may leave no trace ----------------------------------------------------------------------------------


def _variant(option: Option) -> OptionVariant:
    """The variant with another of the option's values."""
    name, another = option.name, option.another

    def options(document: Json) -> Json:
        return {**document, name: another(document.get(name))}

    def state(true: State) -> State:
        setup = setup_of(true)
        changed = setup.options._replace(**{name: another(getattr(setup.options, name))})
        return true._replace(setup=setup._replace(options=changed))

    return OptionVariant(name, frozenset((option.shows_in or "").split()), options, state)


OPTION_VARIANTS: Final = tuple(_variant(option) for option in OPTIONS if option.shows_in is not None)
