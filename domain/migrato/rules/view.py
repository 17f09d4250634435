# compiled into recording
"""Views of the game (rules 9): allow-lists, built field by field for a seat or a spectator.

A new field is hidden until someone shows it here. When the game is over everything is shown.
"""

from typing import Final

from domain.lifecycle import EventRecord, Json, Viewer
from domain.migrato.rules.cards import FACE, IS_NIGHT, NAME, SPECIES, SPECIES_IDS, names
from domain.migrato.rules.events import BirdPlayed, CardsMoved, ColumnDiscarded, Event
from domain.migrato.rules.state import DISCARD, OVER, Player, State, score, setup_of


def view(state: State, viewer: Viewer, *, whole: bool = False) -> Json | None:
    """The table as the viewer may see it; None before the cards are dealt. `whole`: as if the game were over."""
    if state.turn == 0:
        return None
    over = whole or state.phase is OVER
    table: Json = {
        "phase": "discard" if state.phase is DISCARD else "action",
        "deck": len(state.deck),
        "discard_pile": names(state.discard_pile),
        "players": [_side(state, seat, viewer, over) for seat in range(len(state.players))],
    }
    if over:
        table["deck_cards"] = names(state.deck)
    return table


def _side(state: State, seat: int, viewer: Viewer, over: bool) -> Json:
    player, rules = state.players[seat], setup_of(state).rules
    own = viewer == seat
    return {
        "seat": seat,
        "hand": names(player.hand) if own or over else None,
        "hand_size": len(player.hand),
        "score": score(player, rules),
        "columns": _columns(player, shows_night=over or (own and rules.memory_aid)),  # ruling R13
        "arrivals": {SPECIES_IDS[s]: names(pile) for s, pile in enumerate(player.arrivals) if pile},
        "return_flights": _flights(player.flights) if player.flights else [],
    }


def _flights(taken: int) -> list[str]:
    return [species.id for s, species in enumerate(SPECIES) if taken >> s & 1]


def _columns(player: Player, shows_night: bool) -> list[Json]:
    cards = _SHOWN if shows_night else _LYING
    return [
        {"slot": number + 1, "cards": [cards[face] for face in column]}
        for number, column in enumerate(player.columns)
        if column
    ]


# Cards in columns, by face: as who may see all of them does, and as everybody does. Shared, not to be changed.
_SHOWN: Final = tuple([{"face": name, "down": down} for name, down in zip(NAME, IS_NIGHT, strict=True)])
_LYING: Final = tuple([{"face": None, "down": True} if card["down"] else card for card in _SHOWN])


_POSITION: Final = "phase to_act turn shuffles count discard_pile hand_sizes arrivals landed return_flights"
# The fields of each event that everybody may see while the game runs; `redact` shows the others to whom they concern.
_PUBLIC: Final[dict[str, frozenset[str]]] = {
    kind: frozenset(fields.split())
    for kind, fields in {
        "game_created": "id game commitment options seats setup origin unrated_because pairing seals",
        "seat_taken": "player client_seed",
        "game_started": "first_seat",
        "position_set": _POSITION,
        "moves_taken_back": f"to_version {_POSITION}",
        "bird_played": "slot",
        "cards_moved": "from index to uncover",
        "danger_played": "danger target",
        "birds_arrived": "slot species cards",
        "arrival_failed": "slot cards",
        "return_flight_taken": "slot species cards",
        "column_discarded": "slot cards places abandoned",
        "hand_exchanged": "cards",
        "card_discarded": "card",
        "cards_drawn": "count",
        "deck_reshuffled": "count",
        "turn_passed": "",
        "player_resigned": "",
        "game_ended": "winner reason scores",
        "game_scored": "winner scores",
    }.items()
}


def redact(record: EventRecord, viewer: Viewer) -> tuple[Json, list[str]]:
    """The event's data as the viewer may see it while the game runs, and the sorted names of its hidden fields."""
    if record.type in ("position_set", "moves_taken_back"):
        return _redact_position(record, viewer)
    public = _PUBLIC[record.type]
    hidden = [field for field in record.data if field not in public and not _shown(record, field, viewer)]
    if not hidden:
        return record.data, hidden
    hidden.sort()
    data = {field: None if field in hidden else value for field, value in record.data.items()}
    if record.type == "game_started":
        data["hands"] = [hand if seat == viewer else None for seat, hand in enumerate(record.data["hands"])]
    return data, hidden


def _redact_position(record: EventRecord, viewer: Viewer) -> tuple[Json, list[str]]:
    """A whole position, hidden place by place, like a deal: a seat sees its own hand and its own face-down cards, which
    it put there (or knows as well as the seat that did); nobody sees the deck.
    """
    public, whole = _PUBLIC[record.type], record.data
    data: Json = {name: value if name in public else None for name, value in whole.items()}
    data["hands"] = [hand if seat == viewer or not hand else None for seat, hand in enumerate(whole["hands"])]
    data["columns"] = [
        columns if seat == viewer else [_turned_down(column) for column in columns]
        for seat, columns in enumerate(whole["columns"])
    ]
    data["deck"] = None if whole["deck"] else []
    return data, sorted(name for name, value in whole.items() if data[name] != value)


def _turned_down(column: Json) -> Json:
    cards = [{"face": None, "down": True} if card["down"] else card for card in column["cards"]]
    return {"slot": column["slot"], "cards": cards}


def _shown(record: EventRecord, field: str, viewer: Viewer) -> bool:
    """True if a field that is not public concerns the viewer, or hides nothing in this event."""
    kind, seat, data = record.type, record.seat, record.data
    if kind == "bird_played" and field == "card":
        return viewer == seat or not IS_NIGHT[FACE[data["card"]]]
    if kind == "cards_drawn" and field == "cards":
        return viewer == seat or not data["cards"]
    if kind == "danger_played" and field == "card":  # ruling R14: the victim once played it
        return viewer is not None or "pile" in data["target"] or not IS_NIGHT[FACE[data["card"]]]
    # That a deck was set up is public, its order is not.
    return kind == "game_created" and field == "deck" and data["deck"] is None


def reveals_nothing(event: Event) -> bool:
    """True if nobody, a spectator too, sees a card by the event that was hidden from them, and chance has no part.

    Only these are known to be so. That a card of the night was put down, from this hand to that place, is the player's
    own choice and no card; but what a player passes for, having no move, tells of its hand.
    """
    if isinstance(event, BirdPlayed):
        return IS_NIGHT[event.card]
    if isinstance(event, ColumnDiscarded):
        return event.abandoned and not any(IS_NIGHT[card] for card in event.cards)
    return isinstance(event, CardsMoved)
