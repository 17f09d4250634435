# compiled into recording
"""Events as they are stored: named by (type, schema version), their data JSON-ready and whole; and back.

Faces are names, slots are 1 to 4 and species are ids here. What a viewer may not see is decided in `view`.
"""

from typing import Final, assert_never

from domain.common_events.takebacks import TAKEN_BACK
from domain.errors import DomainError
from domain.lifecycle import (
    SEALED_CREATION,
    EventRecord,
    Json,
    Origin,
    eligibility_document,
    origin_document,
    recorded_seat,
    seat_document,
)
from domain.migrato.codec import position_codec
from domain.migrato.rules.cards import FACE, NAME, SPECIES_IDS, faces, names
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
    GameEnded,
    GameScored,
    GameStarted,
    HandExchanged,
    MovesTakenBack,
    PlayerResigned,
    PositionSet,
    ReturnFlightTaken,
    SeatTaken,
    TurnPassed,
)
from domain.migrato.rules.options import options_document, rules_from

SCHEMA: Final = 1


_CONSEQUENCES: Final = frozenset(
    (
        "game_started",
        position_codec.KIND,
        "birds_arrived",
        "arrival_failed",
        "return_flight_taken",
        "cards_drawn",
        "deck_reshuffled",
        "game_ended",
    )
)


def is_consequence(record: EventRecord) -> bool:
    """True if an event of this kind happens only because of the one before it, by nobody's decision."""
    if record.type == "column_discarded":
        return not record.data["abandoned"]
    return record.type in _CONSEQUENCES


def encode(event: Event) -> EventRecord:
    """The event as it is stored; the frequent ones first."""
    if isinstance(event, CardsDrawn):
        drawn = event.cards
        return _record("cards_drawn", event.seat, {"cards": names(drawn), "count": len(drawn)})
    if isinstance(event, CardDiscarded):
        return _record("card_discarded", event.seat, {"card": NAME[event.card]})
    if isinstance(event, BirdPlayed):
        return _record("bird_played", event.seat, {"card": NAME[event.card], "slot": event.slot + 1})
    if isinstance(event, HandExchanged):
        return _record("hand_exchanged", event.seat, {"cards": names(event.cards)})
    if isinstance(event, CardsMoved):
        moved = {"from": event.source + 1, "index": event.index, "to": event.target + 1}
        return _record("cards_moved", event.seat, {**moved, "uncover": event.uncover})
    match event:
        case DangerPlayed(seat, danger, slot, pile, card):
            aim: Json = {"slot": slot + 1} if slot is not None else {"pile": SPECIES_IDS[pile or 0]}
            played = {"danger": NAME[danger], "target": aim, "card": NAME[card]}
            return _record("danger_played", seat, played)
        case BirdsArrived(seat, slot, species, cards):
            arrived = {"slot": slot + 1, "species": SPECIES_IDS[species], "cards": names(cards)}
            return _record("birds_arrived", seat, arrived)
        case ArrivalFailed(seat, slot, cards):
            return _record("arrival_failed", seat, {"slot": slot + 1, "cards": names(cards)})
        case ReturnFlightTaken(seat, slot, species, cards):
            taken = {"slot": slot + 1, "species": SPECIES_IDS[species], "cards": names(cards)}
            return _record("return_flight_taken", seat, taken)
        case ColumnDiscarded(seat, slot, cards, places, abandoned):
            gone = {"slot": slot + 1, "cards": names(cards), "places": list(places), "abandoned": abandoned}
            return _record("column_discarded", seat, gone)
        case DeckReshuffled(deck):
            return _record("deck_reshuffled", None, {"deck": names(deck), "count": len(deck)})
        case TurnPassed(seat):
            return _record("turn_passed", seat, {})
        case PlayerResigned(seat):
            return _record("player_resigned", seat, {})
        case GameEnded(winner, reason, scores):
            ended = {"winner": winner, "reason": reason, "scores": list(scores)}
            return _record("game_ended", None, ended)
        case GameScored(winner, scores):
            return _record("game_scored", None, {"winner": winner, "scores": list(scores)})
        case GameCreated():
            return _created(event)
        case SeatTaken(seat, player, client_seed):
            return _record("seat_taken", seat, {"player": player, "client_seed": client_seed})
        case GameStarted(first_seat, deck, hands):
            dealt = [names(hand) for hand in hands]
            started = {"first_seat": first_seat, "deck": names(deck), "hands": dealt}
            return _record("game_started", None, started)
        case PositionSet():
            return _record(position_codec.KIND, None, position_codec.encode(event))
        case MovesTakenBack(seat, to_version, position):
            return _record(TAKEN_BACK, seat, {"to_version": to_version, **position_codec.encode(position)})
        case _:
            assert_never(event)


def _record(kind: str, seat: int | None, data: Json) -> EventRecord:
    return EventRecord(kind, SCHEMA, seat, data)


def _created(event: GameCreated) -> EventRecord:
    data: Json = {
        "id": event.game_id,
        "game": "migrato",
        "commitment": event.commitment,
        "options": options_document(event.rules),
        "seats": [seat_document(seat) for seat in event.seats],
        "setup": event.deck is not None or event.origin is not None,
        "deck": None if event.deck is None else names(event.deck),
    }
    if event.origin is not None:  # a member of forks only
        data["origin"] = origin_document(event.origin)
    data |= eligibility_document(event.unrated, event.pairing)
    return _record("game_created", None, data)


def decode(record: EventRecord) -> Event:
    """The event that was stored; DomainError "unknown-event" for a name that this version does not know."""
    kind, schema, by, data = record.type, record.schema, record.seat, record.data
    if schema != SCHEMA and (kind, schema) != SEALED_CREATION:
        raise DomainError("unknown-event", f"Migrato knows no event ({kind}, {schema}).")
    seat = -1 if by is None else by
    match kind:
        case "bird_played":
            return BirdPlayed(seat, FACE[data["card"]], data["slot"] - 1)
        case "card_discarded":
            return CardDiscarded(seat, FACE[data["card"]])
        case "cards_drawn":
            return CardsDrawn(seat, faces(data["cards"]))
        case "cards_moved":
            return CardsMoved(seat, data["from"] - 1, data["index"], data["to"] - 1, data["uncover"])
        case "danger_played":
            aim = data["target"]
            slot = aim["slot"] - 1 if "slot" in aim else None
            pile = SPECIES_IDS.index(aim["pile"]) if "pile" in aim else None
            return DangerPlayed(seat, FACE[data["danger"]], slot, pile, FACE[data["card"]])
        case "birds_arrived":
            return BirdsArrived(
                seat, data["slot"] - 1, SPECIES_IDS.index(data["species"]), faces(data["cards"])
            )
        case "arrival_failed":
            return ArrivalFailed(seat, data["slot"] - 1, faces(data["cards"]))
        case "return_flight_taken":
            return ReturnFlightTaken(
                seat, data["slot"] - 1, SPECIES_IDS.index(data["species"]), faces(data["cards"])
            )
        case "column_discarded":
            places = tuple(data["places"])
            return ColumnDiscarded(seat, data["slot"] - 1, faces(data["cards"]), places, data["abandoned"])
        case "hand_exchanged":
            return HandExchanged(seat, faces(data["cards"]))
        case "deck_reshuffled":
            return DeckReshuffled(faces(data["deck"]))
        case "turn_passed":
            return TurnPassed(seat)
        case "player_resigned":
            return PlayerResigned(seat)
        case "game_ended":
            return GameEnded(data["winner"], data["reason"], tuple(data["scores"]))
        case "game_scored":
            return GameScored(data["winner"], tuple(data["scores"]))
        case "game_created":
            seats = tuple(recorded_seat(seat_data) for seat_data in data["seats"])
            deck = None if data["deck"] is None else faces(data["deck"])
            origin = Origin(**data["origin"]) if "origin" in data else None
            rules = rules_from(data["options"])
            unrated, pairing = data.get("unrated_because"), data.get("pairing")
            return GameCreated(data["id"], data["commitment"], rules, seats, deck, origin, unrated, pairing)
        case "seat_taken":
            return SeatTaken(seat, data["player"], data["client_seed"])
        case "game_started":
            hands = tuple(faces(hand) for hand in data["hands"])
            return GameStarted(data["first_seat"], faces(data["deck"]), hands)
        case position_codec.KIND:
            return position_codec.decode(data)
        case "moves_taken_back":
            return MovesTakenBack(seat, data["to_version"], position_codec.decode(data))
        case _:
            raise DomainError("unknown-event", f"Migrato knows no event ({kind}, {schema}).")
