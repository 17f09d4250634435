"""The memory that a game takes in the store, and the form in which its events stand there."""

import json
import random

import pytest

from benchmarks.scripted import SEATS, scripts
from domain.lifecycle import EventRecord, Json
from domain.registry import GAMES
from events.application import Application
from events.engine.new_game import NewGame
from events.errors import CorruptStream
from events.log.envelope import EMPTY, RecordedEvent, seal
from events.store import keys
from events.store.link import link_to
from events.store.stream_entries import events_of, packed_events, packed_heads

SEED = bytes(range(32))
AN_EVENT = 185  # bytes of Valkey's memory, all that stands beside the events included
WITH_KEYS = 215  # where every move came with an `Idempotency-Key`


@pytest.mark.parametrize(("keyed", "most"), [(False, AN_EVENT), (True, WITH_KEYS)])
def test_a_game_of_a_hundred_events_takes_18_500_bytes_at_most(
    application: Application, redis_url: str, keyed: bool, most: int
) -> None:
    """Its stream, and the hashes beside it; games of people on prepared decks, which are stored twice."""
    link, taken, events = link_to(redis_url, 5.0), 0, 0
    for script in scripts(6, seed=1):
        new = NewGame(next(iter(GAMES)), {}, SEATS, setup={"deck": script.deck})
        game_id = application.creation.create("anonymous", new).snapshot.game_id
        for number, (seat, move) in enumerate(script.moves):
            once = f"{number:036}" if keyed else None
            events_now = application.moves.play(game_id, seat, move, key=once).snapshot.version
        events += events_now
        for key in (keys.stream, keys.commands, keys.secrets):
            taken += link.call("MEMORY", "USAGE", key(game_id), "SAMPLES", 0)
    assert taken / events <= most


def entry_of(events: list[RecordedEvent]) -> tuple[bytes, list[bytes]]:
    """The entry of an append, as it is read."""
    fields = [b"events", packed_events(events), b"heads", packed_heads(events), b"command", b"a command"]
    return b"%d-%d" % (events[-1].version, len(events)), fields


def any_json(rng: random.Random, depth: int = 3) -> Json:
    """Anything that an event's data may be."""
    texts = ["", " ", "a b", "\n", '"', "\\", ',"schema":2', '{"at":"', "ß", "\u2028", "🂡", "9", "~"]
    values = [None, True, False, 0, -1, 2**53 - 1, *texts]

    def value(left: int) -> object:
        match rng.randrange(4) if left else 0:
            case 1:
                return [value(left - 1) for _ in range(rng.randrange(4))]
            case 2:
                return any_json(rng, left - 1)
            case _:
                return rng.choice(values)

    return {
        rng.choice(["a", "b", "data", "type", "version", " {"]): value(depth) for _ in range(rng.randrange(4))
    }


def test_all_that_is_packed_is_read_again() -> None:
    """To the byte: what the commitment is of, and the chain; with times that differ within an append."""
    rng = random.Random(1)
    for _ in range(50):
        events, head = list[RecordedEvent](), EMPTY
        for _ in range(rng.randrange(1, 6)):
            kind = rng.choice(["card_played", "a", "äh", "_"])
            record = EventRecord(kind, rng.randrange(1, 12), rng.choice([None, 0, 3]), any_json(rng))
            at = f"2026-11-21T12:00:00.{rng.randrange(2):03d}Z"
            events += seal("game", SEED, head, at, "a command", [record])
            head = events[-1].stream_head
        read = events_of(entry_of(events))
        assert read == events
        assert [event.committed for event in read] == [event.committed for event in events]
        assert [event.proof("game", SEED) for event in read] == [
            event.proof("game", SEED) for event in events
        ]
        assert [json.loads(event.committed)["data"] for event in read] == [event.data for event in events]


def test_a_damaged_entry_is_no_other_game() -> None:
    """Each byte is another one in turn: refused, or told of by the head or the canonical bytes."""
    rng = random.Random(1)
    records = [
        EventRecord("card_played", 1, 0, {"card": "HUN"}),
        EventRecord("game_ended", 1, None, {"scores": [1]}),
    ]
    events = seal("game", SEED, EMPTY, "2026-11-21T12:00:00.123Z", "a command", records)
    whole = [(event.committed, event.head) for event in events]
    entry_id, fields = entry_of(events)
    for place in (1, 3):
        for at, byte in enumerate(fields[place]):
            other = bytes([(byte + rng.randrange(1, 256)) % 256])
            damaged = fields[place][:at] + other + fields[place][at + 1 :]
            try:
                read = events_of((entry_id, [*fields[:place], damaged, *fields[place + 1 :]]))
            except CorruptStream:
                continue
            assert [(event.committed, event.head) for event in read] != whole, (place, at, other)
