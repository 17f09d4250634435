"""`python -m tests.audit.vectors`: write docs/audit/vectors.json, what every verifier must come to."""

import json
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from domain.chance import SeededChance, commitment_of
from domain.game import Game
from domain.lifecycle import Create, EventRecord, Json, Seat
from domain.registry import GAMES
from events.log import chain
from events.log.chain import canonical
from events.log.envelope import EMPTY, RecordedEvent, StreamHead, in_form_2, seal
from events.log.leaves import digest, salts_shown, sealed
from events.log.signing import Signer, jwk_of

PATH = Path(__file__).parents[2] / "docs" / "audit" / "vectors.json"
SEED = bytes(range(32))
GAME_ID = "game"
CLIENT_SEEDS = ("ada", None)
AT = "2026-11-21T10:00:00.000Z"
# Where writers of JSON differ: escapes, order, characters beyond the basic plane.
WRITTEN = (
    '{"b": 1, "a": [true, false, null], "": {}}',
    '{"n": [0, -1, 9007199254740991, -9007199254740991]}',
    '{"s": "\\u20ac \\ud83d\\udc26 \\u2028 \\u007f / \\" \\\\ \\b\\f\\n\\r\\t\\u0000\\u001f"}',
    '{"at": "x", "aT": 1, "a_": 2, "A": 3, "10": 4, "9": 5}',
)


def vectors() -> Json:
    """All vectors."""
    events = _game(None)
    documents, redacted = [_document(one, None) for one in events], [_document(one, 0) for one in events]
    head = events[-1].stream_head
    closed = _game(GAMES["migrato"])
    return {
        "canonical": [{"json": text, "bytes": canonical(json.loads(text)).hex()} for text in WRITTEN],
        "chain": {
            "seed": SEED.hex(),
            "game_id": GAME_ID,
            "events": documents,
            "redacted": redacted,
            "head": head._asdict(),
        },
        "sealed": {
            "seed": SEED.hex(),
            "game_id": GAME_ID,
            "events": [_closed(one, None, whole=True) for one in closed],
            "redacted": [_closed(one, 0) for one in closed],
            "spectator": [_closed(one, None) for one in closed],
            "head": closed[-1].stream_head._asdict(),
        },
        "refused": [*_refused(documents, events[0].stream_head), *_refused_closed(closed)],
        "shuffles": [_shuffle(number, size) for number, size in ((0, 10), (1, 10), (0, 54), (7, 54), (0, 1))],
        "first_seats": [_first_seat(game_id) for game_id in ("game", "other", "third", "fourth")],
        "signatures": _signatures(head),
    }


def _game(closed: Game | None) -> list[RecordedEvent]:
    """The first moves of a game of two people, in form 2 of commitments or without `closed` in form 1."""
    game, chance = GAMES["migrato"], SeededChance(SEED, GAME_ID)
    seats = (Seat("human", "ada", client_seed="ada"), Seat("human", "bo"))
    state, seat, head, events = game.initial(), None, EMPTY, list[RecordedEvent]()
    command: Any = Create(GAME_ID, commitment_of(SEED), {}, seats)
    for _ in range(9):
        decided = game.decide(state, seat, command, chance)
        records = [game.encode(event) for event in decided]
        if closed is not None and not events:
            records[0] = in_form_2(records[0])
        events += seal(GAME_ID, SEED, head, AT, "", records, closed)
        head = events[-1].stream_head
        for event in decided:
            state = game.evolve(state, event)
        seat = game.status(state).to_act
        assert seat is not None
        command = game.fallback_move(state, seat)
    return events


def _document(stored: RecordedEvent, viewer: int | None) -> Json:
    """Whole, or as a seat sees it while the game runs."""
    data, hidden = stored.data, list[str]()
    if viewer is not None:
        wire = EventRecord(stored.type, stored.schema, stored.seat, stored.data)
        data, hidden = GAMES["migrato"].redact(wire, viewer)
    told = {"version": stored.version, "type": stored.type, "schema": stored.schema, "at": stored.at}
    document = told | {"seat": stored.seat, "data": data, "redacted": hidden}
    document |= {"commitment": stored.commitment, "head": stored.head}
    return document if hidden else document | {"salt": stored.salt}


def _closed(stored: RecordedEvent, viewer: int | None, *, whole: bool = False) -> Json:
    """In form 2: whole, or as a seat or a spectator sees it while the game runs."""
    told = {"version": stored.version, "type": stored.type, "schema": stored.schema, "at": stored.at}
    data, hidden = stored.data, list[str]()
    if not whole:
        data, hidden = GAMES["migrato"].redact(stored.record, viewer)
    leaves = stored.closed(GAMES["migrato"], GAME_ID, SEED).leaves
    document = told | {"seat": stored.seat, "data": data, "redacted": hidden}
    document |= {"sealed": sealed(leaves), "salts": salts_shown(leaves, data)}
    return document | {"commitment": stored.commitment, "head": stored.head}


def _refused_closed(closed: list[RecordedEvent]) -> list[Json]:
    """Alterations of the start of a game, which hides a hand and the deck, and of its first event, of former form."""
    first, start = (_closed(one, 0) for one in closed[:2])
    data, sealed_, salts = start["data"], start["sealed"], start["salts"]
    own, other = data["hands"][0], "/hands/1"
    tip = closed[0].stream_head._asdict() | {"seals": 2}
    former = {name: value for name, value in start.items() if name not in ("sealed", "salts")}
    changed = [
        ("commitments", start | {"at": "2026-11-21T10:00:00.001Z"}),
        ("commitments", start | {"data": data | {"first_seat": 1 - data["first_seat"]}}),
        ("commitments", start | {"data": data | {"hands": [own[::-1], None]}}),
        ("commitments", start | {"data": data | {"hands": [own, own]}, "redacted": ["deck"]}),
        ("commitments", start | {"sealed": sealed_ | {other: "00" * 32}}),
        ("commitments", start | {"sealed": {**sealed_, "/hands": "00" * 32}}),
        ("commitments", start | {"salts": {"/hands/0": "00" * 32}}),
        ("commitments", start | {"salts": salts | {other: "00" * 32}}),
        ("commitments", start | {"salts": {}}),
        ("commitments", start | {"redacted": ["deck"]}),
        ("format", former),
        ("chain", start | {"head": first["head"]}),
    ]
    # Who does not know the form yet does by the first event: its head is no other form's.
    whole = {name: value for name, value in first.items() if name not in ("sealed", "salts")}
    whole["data"] = {name: value for name, value in first["data"].items() if name != "seals"}
    whole |= {"redacted": ["deck"]}
    changed += _misplaced(tip)
    return [
        *({"check": check, "tip": tip, "document": document} for check, document in changed),
        {"check": "chain", "tip": {"version": 0, "head": EMPTY.head}, "document": whole},
        # Nothing binds the type of what holds no salt.
        {"check": "format", "tip": {"version": 0, "head": EMPTY.head}, "document": first | {"salts": []}},
    ]


def _misplaced(tip: Json) -> list[tuple[str, Json]]:
    """Events that seal what is no place of the data, whose commitments would bind less than is shown, or twice."""
    shown = ["G5n", "G5d", "R1"]
    return [
        ("commitments", _sealing(tip, shown, [], {"/cards/length": 3})),  # of a list of JavaScript's
        ("commitments", _sealing(tip, shown, [None, *shown[1:]], {"/cards/0": "G5n", "/cards/00": "R1"})),
        ("commitments", _sealing(tip, shown, [*shown[:2], None], {"/cards/-1": "R1"})),
        ("commitments", _sealing(tip, shown, None, {"/cards": shown, "x/cards": shown})),
    ]


def _sealing(tip: Json, cards: Any, bare: Any, values: Json) -> Json:
    """An event with those cards that commits to `bare` and to the values at these pointers."""
    salt = "11" * 32
    event: Json = {"version": tip["version"] + 1, "type": "hand_exchanged", "schema": 1, "at": AT, "seat": 0}
    digests = {pointer: digest(bytes.fromhex(salt), pointer, value) for pointer, value in values.items()}
    commitment = chain.digest_of(chain.canonical(event | {"data": {"cards": bare}, "sealed": digests}))
    head = chain.link(bytes.fromhex(tip["head"]), commitment)
    document = event | {"data": {"cards": cards}, "redacted": [], "sealed": digests}
    document["salts"] = dict.fromkeys(values, salt)
    return document | {"commitment": commitment.hex(), "head": head.hex()}


def _refused(documents: list[Json], first: StreamHead) -> list[Json]:
    head, second, third = first._asdict(), documents[1], documents[2]
    changed = [
        ("sequence", third),
        ("commitments", second | {"at": "2026-11-21T10:00:00.001Z"}),
        ("commitments", second | {"salt": "00" * 32}),
        ("chain", second | {"head": third["head"]}),
    ]
    return [{"check": check, "tip": head, "document": document} for check, document in changed]


def _shuffle(number: int, size: int) -> Json:
    cards = list(range(size))
    order = SeededChance(SEED, GAME_ID).shuffled(number, cards, CLIENT_SEEDS)
    told: Json = {
        "seed": SEED.hex(),
        "game_id": GAME_ID,
        "number": number,
        "client_seeds": list(CLIENT_SEEDS),
    }
    return told | {"cards": cards, "order": list(order)}


def _first_seat(game_id: str) -> Json:
    seat = SeededChance(SEED, game_id).first_seat(2, CLIENT_SEEDS)
    told: Json = {"seed": SEED.hex(), "game_id": game_id, "client_seeds": list(CLIENT_SEEDS)}
    return told | {"seats": 2, "seat": seat}


def _signatures(head: StreamHead) -> list[Json]:
    signer = Signer(Ed25519PrivateKey.from_private_bytes(SEED))
    signed = signer.sign(GAME_ID, head.version, head.head)
    right: Json = {
        "jwk": jwk_of(signer.public),
        "game_id": GAME_ID,
        "version": head.version,
        "head": head.head,
    }
    right |= {"signature": signed.signature, "valid": True}
    wrong: list[Json] = [{"game_id": "other"}, {"version": head.version + 1}, {"head": EMPTY.head}]
    return [right, *(right | one | {"valid": False} for one in wrong)]


def text() -> str:
    """The file: a line for each vector."""
    parts = []
    for name, value in vectors().items():
        if isinstance(value, list):
            lines = ",\n".join(f"    {json.dumps(one)}" for one in value)
            parts.append(f'  "{name}": [\n{lines}\n  ]')
        else:
            members = ",\n".join(f"    {json.dumps(key)}: {json.dumps(one)}" for key, one in value.items())
            parts.append(f'  "{name}": {{\n{members}\n  }}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


if __name__ == "__main__":
    PATH.write_text(text())
