"""Answers for the audit: the moves that events record, and what may stand for a hidden field.

Nothing that stands in an event is believed here; what comes of it is judged by the rules.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

from domain.errors import invalid
from domain.game import OptionVariant
from domain.lifecycle import EventRecord, Json
from domain.migo.rules.layouts import LAYOUTS
from domain.migo.rules.options import LAYOUT_SIZES, MOST_TAKES
from domain.migo.rules.state import State, setup_of
from domain.takebacks.events import TAKEN_BACK

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


def _variant(option: str, shows_in: str, other: Callable[[Any], Any]) -> OptionVariant:
    """The variant with `other` of the option's value, resolved; `shows_in` names types of events."""

    def options(document: Json) -> Json:
        return {**document, option: other(document.get(option))}

    def state(true: State) -> State:
        setup = setup_of(true)
        changed = setup.options._replace(**{option: other(getattr(setup.options, option))})
        return true._replace(setup=setup._replace(options=changed))

    return OptionVariant(option, frozenset(shows_in.split()), options, state)


def _another(words: Sequence[str]) -> Callable[[Any], Any]:
    """The word after a value, round and round."""
    return lambda value: words[(words.index(value or words[0]) + 1) % len(words)]


OPTION_VARIANTS: Final = (
    _variant("layout_size", "round_started", _another(LAYOUT_SIZES)),
    _variant("round4_layout", "round_started", _another(LAYOUTS)),
    _variant("first_seat", "game_started", lambda seat: seat if seat == "random" else "random"),
    _variant("turn_limit", "game_ended", lambda limit: MOST_TAKES if limit is None else None),
)
