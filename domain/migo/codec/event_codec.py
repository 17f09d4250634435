"""Events as they are stored: named by (type, schema version), their data JSON-ready and whole; and back.

Cards are ids ("E07") and faces are names ("E07a") here. What a viewer may not see is decided in `view`.
"""

from typing import Any, Final, assert_never

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
from domain.migo.rules.cards import FACE, IDS, NAME, NUMBER, SIDES, faces_of, names
from domain.migo.rules.events import (
    BottleDrunk,
    BottleGained,
    CardFlipped,
    CardTaken,
    Event,
    GameCreated,
    GameEnded,
    GameScored,
    GameStarted,
    MovesTakenBack,
    PlayerResigned,
    PlayerStanding,
    PositionSet,
    RoundEnded,
    Rounds,
    RoundStarted,
    SeatTaken,
    SherpaDismissed,
)
from domain.migo.rules.options import options_document, options_from
from domain.migo.rules.state import GONE

SCHEMA: Final = 1
_CONSEQUENCES: Final = frozenset(
    (
        "game_started",
        "position_set",
        "round_started",
        "bottle_gained",
        "sherpa_dismissed",
        "card_flipped",
        "bottle_drunk",
        "round_ended",
        "game_ended",
    )
)


def is_consequence(record: EventRecord) -> bool:
    """True if an event of this kind happens only because of the one before it, by nobody's decision."""
    return record.type in _CONSEQUENCES


def encode(event: Event) -> EventRecord:
    """The event as it is stored."""
    match event:
        case CardTaken(seat, place, face):
            return _record("card_taken", seat, place=place, card=IDS[face >> 1], face=SIDES[face & 1])
        case BottleGained(seat):
            return _record("bottle_gained", seat)
        case SherpaDismissed(seat, face):
            return _record("sherpa_dismissed", seat, card=IDS[face >> 1])
        case CardFlipped(seat, face):
            return _record("card_flipped", seat, card=IDS[face >> 1], face=SIDES[face & 1])
        case BottleDrunk(seat):
            return _record("bottle_drunk", seat)
        case RoundEnded(number, scores, winner):
            return _record("round_ended", None, round=number, scores=list(scores), winner=winner)
        case RoundStarted():
            return _round_started(event)
        case PlayerResigned(seat):
            return _record("player_resigned", seat)
        case GameEnded(places, reason, flags, scores):
            ended = {"places": list(places), "reason": reason, "flags": list(flags), "scores": list(scores)}
            return _record("game_ended", None, **ended)
        case GameScored(places):
            return _record("game_scored", None, places=list(places))
        case GameCreated():
            return _created(event)
        case SeatTaken(seat, player, client_seed):
            return _record("seat_taken", seat, player=player, client_seed=client_seed)
        case GameStarted(first_seat):
            return _record("game_started", None, first_seat=first_seat)
        case PositionSet():
            return _record("position_set", None, **_position(event))
        case MovesTakenBack(seat, to_version, position):
            return _record(TAKEN_BACK, seat, to_version=to_version, **_position(position))
        case _:
            assert_never(event)


def _record(kind: str, seat: int | None, **data: Any) -> EventRecord:
    return EventRecord(kind, SCHEMA, seat, data)


def _round_started(event: RoundStarted) -> EventRecord:
    return _record(
        "round_started",
        None,
        round=event.number,
        layout=event.layout,
        starter=event.starter,
        cards=names(event.cards),
        turned=[IDS[card] for card in event.turned],
        boxed=names(event.boxed),
    )


def _created(event: GameCreated) -> EventRecord:
    created = _record(
        "game_created",
        None,
        id=event.game_id,
        game="migo",
        commitment=event.commitment,
        options=options_document(event.options),
        seats=[seat_document(seat) for seat in event.seats],
        setup=event.rounds is not None or event.origin is not None,
        rounds=None if event.rounds is None else [names(cards) for cards in event.rounds],
    )
    if event.origin is not None:  # a member of forks only
        created.data["origin"] = origin_document(event.origin)
    created.data.update(eligibility_document(event.unrated, event.pairing))
    return created


def _position(event: PositionSet) -> Json:
    return {
        "to_act": event.to_act,
        "turn": event.takes + 1,
        "round": event.number,
        "starter": event.starter,
        "table": [None if face == GONE else NAME[face] for face in event.table],
        "discarded": names(event.discarded),
        "boxed": names(event.boxed),
        "players": [
            {
                "cards": names(one.cards),
                "bottles": {"full": one.full, "empty": one.empty},
                "flags": one.flags,
                "last_take": one.last,
            }
            for one in event.players
        ],
        "resigned": list(event.resigned),
        "rounds": [{"scores": list(scores), "winner": winner} for scores, winner in event.rounds],
        "prepared": [names(cards) for cards in event.prepared],
    }


def decode(record: EventRecord) -> Event:
    """The event that was stored; DomainError "unknown-event" for a name that this version does not know."""
    kind, schema, by, data = record.type, record.schema, record.seat, record.data
    if schema != SCHEMA and (kind, schema) != SEALED_CREATION:
        raise DomainError("unknown-event", f"Migo knows no event ({kind}, {schema}).")
    seat = -1 if by is None else by
    match kind:
        case "card_taken":
            return CardTaken(seat, data["place"], _face(data))
        case "bottle_gained":
            return BottleGained(seat)
        case "sherpa_dismissed":
            return SherpaDismissed(seat, 2 * NUMBER[data["card"]] + 1)
        case "card_flipped":
            return CardFlipped(seat, _face(data))
        case "bottle_drunk":
            return BottleDrunk(seat)
        case "round_ended":
            return RoundEnded(data["round"], tuple(data["scores"]), data["winner"])
        case "round_started":
            turned = tuple([NUMBER[card] for card in data["turned"]])
            cards, boxed = faces_of(data["cards"]), faces_of(data["boxed"])
            return RoundStarted(data["round"], data["layout"], data["starter"], cards, turned, boxed)
        case "player_resigned":
            return PlayerResigned(seat)
        case "game_ended":
            places, flags, scores = (tuple(data[name]) for name in ("places", "flags", "scores"))
            return GameEnded(places, data["reason"], flags, scores)
        case "game_scored":
            return GameScored(tuple(data["places"]))
        case "game_created":
            seats = tuple(recorded_seat(seat_data) for seat_data in data["seats"])
            rounds = None if data["rounds"] is None else _rounds(data["rounds"])
            origin = Origin(**data["origin"]) if "origin" in data else None
            options = options_from(data["options"])
            unrated, pairing = data.get("unrated_because"), data.get("pairing")
            return GameCreated(
                data["id"], data["commitment"], options, seats, rounds, origin, unrated, pairing
            )
        case "seat_taken":
            return SeatTaken(seat, data["player"], data["client_seed"])
        case "game_started":
            return GameStarted(data["first_seat"])
        case "position_set":
            return _position_set(data)
        case "moves_taken_back":
            return MovesTakenBack(seat, data["to_version"], _position_set(data))
        case _:
            raise DomainError("unknown-event", f"Migo knows no event ({kind}, {schema}).")


def _face(data: Json) -> int:
    return FACE[data["card"] + data["face"]]


def _rounds(written: list[list[str]]) -> Rounds:
    return tuple([faces_of(cards) for cards in written])


def _position_set(data: Json) -> PositionSet:
    return PositionSet(
        to_act=data["to_act"],
        takes=data["turn"] - 1,
        number=data["round"],
        starter=data["starter"],
        table=tuple([GONE if name is None else FACE[name] for name in data["table"]]),
        discarded=faces_of(data["discarded"]),
        boxed=faces_of(data["boxed"]),
        players=tuple(
            [
                PlayerStanding(
                    cards=faces_of(one["cards"]),
                    full=one["bottles"]["full"],
                    empty=one["bottles"]["empty"],
                    flags=one["flags"],
                    last=one["last_take"],
                )
                for one in data["players"]
            ]
        ),
        resigned=tuple(data["resigned"]),
        rounds=tuple([(tuple(ended["scores"]), ended["winner"]) for ended in data["rounds"]]),
        prepared=_rounds(data["prepared"]),
    )
