"""Views of the game: everything lies open but rounds that were prepared and are not laid out yet.

Views are built field by field; the fields of events that are not listed here are hidden while the game runs.
"""

from typing import Final

from domain.lifecycle import EventRecord, Json
from domain.migo.rules.cards import IDS, SIDES
from domain.migo.rules.events import (
    BottleDrunk,
    BottleGained,
    CardFlipped,
    CardTaken,
    Event,
    SherpaDismissed,
)
from domain.migo.rules.legal import free_places
from domain.migo.rules.options import face_document, round_layout
from domain.migo.rules.scoring import scores
from domain.migo.rules.state import GONE, State, layout_of, setup_of, tokens_left


def view(state: State) -> Json | None:
    """The table, the same for everybody; None before round 1 is laid out."""
    if state.number == 0:
        return None
    options, seats, free = setup_of(state).options, len(state.players), free_places(state)
    return {
        "phase": "take",
        "round": state.number,
        "layout": layout_of(state).name,
        "starter": state.starter,
        "table": [
            {"place": place, **_card(state, face), "free": place in free}
            for place, face in enumerate(state.table)
            if face != GONE
        ],
        "bottles": tokens_left(state),
        "players": [_player(state, seat, points) for seat, points in enumerate(scores(state))],
        "rounds": [
            {
                "round": number,
                "layout": round_layout(options, seats, number).name,
                "scores": list(ended.scores),
                "winner": ended.winner,
            }
            for number, ended in enumerate(state.rounds, 1)
        ],
    }


def _player(state: State, seat: int, points: int) -> Json:
    player = state.players[seat]
    return {
        "seat": seat,
        "flags": player.flags,
        "score": points,
        "resigned": seat in state.resigned,
        "bottles": {"full": player.full, "empty": player.empty},
        "cards": [_card(state, face) for face in player.cards],
    }


def _card(state: State, face: int) -> Json:
    table = setup_of(state).options.card_table
    return {
        "card": IDS[face >> 1],
        "face": SIDES[face & 1],
        "up": face_document(table, face),
        "down": face_document(table, face ^ 1),
    }


_POSITION: Final = "to_act turn round starter table discarded boxed players resigned rounds"
# The fields of each event that everybody may see while the game runs.
_PUBLIC: Final[dict[str, frozenset[str]]] = {
    kind: frozenset(fields.split())
    for kind, fields in {
        "game_created": "id game commitment options seats setup origin unrated_because pairing seals",
        "seat_taken": "player client_seed",
        "game_started": "first_seat",
        "position_set": _POSITION,
        "moves_taken_back": f"to_version {_POSITION}",
        "round_started": "round layout starter cards turned boxed",
        "card_taken": "place card face",
        "bottle_gained": "",
        "sherpa_dismissed": "card",
        "card_flipped": "card face",
        "bottle_drunk": "",
        "round_ended": "round scores winner",
        "player_resigned": "",
        "game_ended": "places reason flags scores",
        "game_scored": "places",
    }.items()
}


def redact(record: EventRecord) -> tuple[Json, list[str]]:
    """The event's data as anybody may see it while the game runs, and the sorted names of its hidden fields."""
    public = _PUBLIC[record.type]
    hidden = sorted(field for field, value in record.data.items() if field not in public and value)
    if not hidden:
        return record.data, hidden
    return {field: None if field in hidden else value for field, value in record.data.items()}, hidden


_OF_A_TAKE: Final = (CardTaken, BottleGained, SherpaDismissed, CardFlipped, BottleDrunk)


def reveals_nothing(event: Event) -> bool:
    """True if the event shows nobody anything hidden, and has no chance in it: all events within a round."""
    return isinstance(event, _OF_A_TAKE)
