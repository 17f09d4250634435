"""Every event store's promises, on a real server, with an archive behind it and without."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from hashlib import sha256

import pytest

from domain.lifecycle import EventRecord
from events.engine.access import new_game_id
from events.errors import CommandMismatch, CorruptStream, GameNotFound, StoreOfNoRelease, VersionConflict
from events.log.envelope import EMPTY, RecordedEvent, StreamHead, seal
from events.log.game_secrets import Secrets
from events.log.signing import SignedHead
from events.ports import Appended, CommandId, Repeated, short
from events.store import keys
from events.store.connections.client import RedisClient
from events.store.event_store import RedisEventStore
from events.store.whole_games import RedisGames
from tests.events.conftest import NewLink
from tests.support.stored import lose

SEED = bytes(range(32))
AT = "2026-11-21T12:00:00.123Z"
SECRETS = Secrets(SEED, "my-app", "private", "counter", AT, {0: "a" * 64, 1: "b" * 64})
CREATE = CommandId("create")
GAME = new_game_id()


def events_after(
    stream_head: StreamHead, *types: str, command: str = "create", game_id: str = GAME
) -> list[RecordedEvent]:
    """Events of these types, sealed onto the stream_head."""
    return seal(
        game_id,
        SEED,
        stream_head,
        AT,
        command,
        [EventRecord(name, 1, None, {"ü": "ß", "n": [1, None]}) for name in types],
    )


@pytest.fixture
def created(store: RedisEventStore) -> list[RecordedEvent]:
    events = events_after(EMPTY, "game_created", "game_started")
    store.create(GAME, SECRETS, CREATE, events, due="")
    return events


@pytest.fixture
def tip(created: list[RecordedEvent]) -> StreamHead:
    return created[-1].stream_head


def add(store: RedisEventStore, head: StreamHead, *types: str, command: str) -> list[RecordedEvent]:
    """Append these events, and return them."""
    more = events_after(head, *types, command=command)
    assert store.append(GAME, head, CommandId(command), more) == Appended(more[-1].version)
    return more


def test_a_game_that_is_not_there(store: RedisEventStore) -> None:
    """No events, version 0, no secrets, and nothing can be appended to it."""
    assert store.read(GAME) == []
    assert store.version(GAME) == 0
    with pytest.raises(GameNotFound):
        store.secrets(GAME)
    with pytest.raises(GameNotFound):
        store.append(
            GAME, StreamHead(1, "0" * 64), CommandId("x"), events_after(StreamHead(1, "0" * 64), "a")
        )
    assert store.version(GAME) == 0


def test_append_goes_on_from_the_tip(
    store: RedisEventStore, created: list[RecordedEvent], tip: StreamHead
) -> None:
    """Every member of the envelope is read as it was written, bytes for bytes; versions are gapless.

    So are the secrets: the seed, the app, the visibility, the tokens' hashes.
    """
    assert store.read(GAME) == created
    assert store.secrets(GAME) == SECRETS
    more = add(store, tip, "a", "b", command="x")
    assert store.read(GAME) == created + more
    assert store.version(GAME) == 4


def test_append_elsewhere_is_a_conflict(store: RedisEventStore, created: list[RecordedEvent]) -> None:
    """It says where the stream ends, and adds nothing: at a former version; beyond the end, as when a server came
    back with an older copy; at the right version of another history, for the chain never breaks.
    """
    former, ahead = created[0].stream_head, StreamHead(3, created[-1].head)
    for head in (former, ahead, StreamHead(2, "f" * 64)):
        with pytest.raises(VersionConflict) as refused:
            store.append(GAME, head, CommandId("x"), events_after(head, "a"))
        assert refused.value.current == 2
        assert store.read(GAME) == created
        assert store.recorded(GAME, CommandId("x")) is None
    tip = created[-1].stream_head
    assert store.append(GAME, tip, CommandId("x"), events_after(tip, "a")) == Appended(3)
    assert store.recorded(GAME, CommandId("x")) == Repeated(3, 3)


def test_a_command_is_done_once(
    store: RedisEventStore, created: list[RecordedEvent], tip: StreamHead
) -> None:
    """Its repeat is answered with what it caused, even when the stream has gone on since."""
    command = CommandId("0:key", "print")
    first = events_after(tip, "a", "b", command="0:key")
    store.append(GAME, tip, command, first)
    second = add(store, first[-1].stream_head, "c", command="y")
    assert store.append(GAME, tip, command, first) == Repeated(3, 4)
    head = second[-1].stream_head
    assert store.append(GAME, head, command, events_after(head, "d")) == Repeated(3, 4)
    assert store.read(GAME) == created + first + second


def test_a_command_with_a_drawn_id_is_done_once(
    store: RedisEventStore, link: RedisClient, created: list[RecordedEvent], tip: StreamHead
) -> None:
    """Sent again because its answer was lost, when the stream has gone on or not; nothing stands beside the stream."""
    command = CommandId("0~drawn")
    first = add(store, tip, "a", "b", command=command.id)
    assert store.append(GAME, tip, command, first) == Repeated(3, 4)
    second = add(store, first[-1].stream_head, "c", command="y")
    assert store.append(GAME, tip, command, first) == Repeated(3, 4)
    assert store.read(GAME) == created + first + second
    assert store.recorded(GAME, command) is None
    assert link.call("HKEYS", keys.commands(GAME)) == [b"create", b"y"]


def test_another_command_is_there_instead(store: RedisEventStore, tip: StreamHead) -> None:
    """A command with a drawn id is a conflict where another one was done, be it of the same length."""
    add(store, tip, "a", command="0~one")
    for head in (tip, StreamHead(1, tip.head), StreamHead(9, tip.head)):
        with pytest.raises(VersionConflict) as refused:
            store.append(GAME, head, CommandId("0~two"), events_after(head, "a", command="0~two"))
        assert refused.value.current == 3
    assert store.version(GAME) == 3


def test_reading_from_anywhere(store: RedisEventStore) -> None:
    """Appends have any number of events, and pages begin and end anywhere, also beyond the end."""
    for events in (1, 2, 3, 7):
        game_id = new_game_id()
        whole = events_after(EMPTY, "game_created", "game_started", game_id=game_id)
        store.create(game_id, SECRETS, CREATE, whole, due="")
        for number in range(4):
            head, command = whole[-1].stream_head, f"0~{number}"
            more = events_after(head, *"abcdefg"[:events], command=command, game_id=game_id)
            store.append(game_id, head, CommandId(command), more)
            whole = whole + more
        for after in (*range(len(whole) + 2), 10**30):
            assert store.read(game_id, after) == whole[after:]
            for limit in range(1, len(whole) + 2):
                assert store.read(game_id, after, limit) == whole[after : after + limit]


def test_reading_across_a_gap(
    store: RedisEventStore, link: RedisClient, created: list[RecordedEvent]
) -> None:
    """All that is there is read, so that nobody takes the gap for something else."""
    whole = list(created)
    for types in ("abcd", "efg", "h"):
        whole += add(store, whole[-1].stream_head, *types, command=types)
    lose(link, GAME, 3)
    for after in (2, 3, 5):
        assert store.read(GAME, after) == whole[6:]
        for limit in (1, 2, 3, 4):
            assert store.read(GAME, after, limit) == whole[6 : 6 + limit]


def test_a_stream_of_0_1_0_is_refused(
    store: RedisEventStore, link: RedisClient, created: list[RecordedEvent]
) -> None:
    """It has an entry for each event; that version was never released."""
    link.call("DEL", keys.stream(GAME))
    for event in created:
        salt, commitment = event.proof(GAME, SEED)
        seal = salt + commitment + event.head
        entry = ("event", event.committed, "seal", seal, "command", "create")
        link.call("XADD", keys.stream(GAME), f"{event.version}-0", *entry)
    with pytest.raises(StoreOfNoRelease, match=r"of 0\.1\.0\. That version was never released"):
        store.read(GAME)
    with pytest.raises(StoreOfNoRelease):
        RedisGames(link).whole(GAME)


def test_an_event_that_could_not_be_read_again_is_not_stored(
    store: RedisEventStore, created: list[RecordedEvent], tip: StreamHead
) -> None:
    """A type is a plain name; nothing is added of any other."""
    for kind in ("two words", 'a"quote', "a\nline", "7up", ""):
        with pytest.raises(ValueError, match="type cannot be"):
            store.append(GAME, tip, CommandId("x"), events_after(tip, "a", kind))
    assert store.read(GAME) == created


def test_a_command_id_belongs_to_one_request(store: RedisEventStore, created: list[RecordedEvent]) -> None:
    """The same id with another fingerprint is refused, and adds nothing; in another game it is another command."""
    head = created[-1].stream_head
    store.append(GAME, head, CommandId("k", "one"), events_after(head, "a"))
    head = store.read(GAME)[-1].stream_head
    with pytest.raises(CommandMismatch):
        store.append(GAME, head, CommandId("k", "two"), events_after(head, "b"))
    with pytest.raises(CommandMismatch):
        store.recorded(GAME, CommandId("k", "two"))
    assert store.version(GAME) == 3
    assert store.recorded(new_game_id(), CommandId("k", "one")) is None
    assert store.recorded(GAME, CommandId("k", "one")) is not None


KEY, BODY = sha256(b"key").digest(), sha256(b"body").digest()
COMMAND = CommandId(f"0:{short(KEY)}", short(BODY))


def test_a_record_is_short(store: RedisEventStore, link: RedisClient, tip: StreamHead) -> None:
    """A record of a command is short: it holds 128 bits of each digest."""
    store.append(GAME, tip, COMMAND, events_after(tip, "a", command=COMMAND.id))
    assert link.call("HGET", keys.commands(GAME), COMMAND.id) == f"{short(BODY)}:3:3".encode()


def test_a_game_is_created_once(store: RedisEventStore, created: list[RecordedEvent]) -> None:
    """Sent again it changes nothing; another creation under the same id is a conflict, and changes nothing either."""
    store.create(GAME, SECRETS, CREATE, created, due="")
    others = Secrets(bytes(32), "other-app", "public", "counter", AT)
    with pytest.raises(VersionConflict):
        store.create(GAME, others, CommandId("create again"), events_after(EMPTY, "game_created"), due="")
    assert store.secrets(GAME) == SECRETS
    assert store.read(GAME) == created


def test_tokens_come_with_the_events_that_take_a_seat(
    store: RedisEventStore, created: list[RecordedEvent]
) -> None:
    """Both or neither: a refused append leaves the tokens as they were."""
    tokens, (former, tip) = {2: "c" * 64}, [event.stream_head for event in created]
    with pytest.raises(VersionConflict):
        store.append(GAME, former, CommandId("x"), events_after(former, "a"), tokens=tokens)
    assert store.secrets(GAME) == SECRETS
    store.append(GAME, tip, CommandId("y"), events_after(tip, "a"), tokens=tokens)
    assert store.secrets(GAME) == SECRETS.with_tokens(tokens)


def test_every_append_is_in_the_feed(store: RedisEventStore, link: RedisClient, tip: StreamHead) -> None:
    """The feed has one reference for every append, and none for a repeat."""
    more = events_after(tip, "a", "b")
    for _ in range(2):
        store.append(GAME, tip, CommandId("x"), more, due="bot")
    fields = [entry[1] for entry in link.call("XRANGE", keys.feed(keys.partition_of(GAME)), "-", "+")]
    references = [dict(zip(flat[::2], flat[1::2], strict=True)) for flat in fields]
    game = GAME.encode()
    assert references == [
        {b"game": game, b"first": b"1", b"last": b"2", b"types": b"game_created,game_started", b"due": b""},
        {b"game": game, b"first": b"3", b"last": b"4", b"types": b"a,b", b"due": b"bot"},
    ]


def test_all_keys_of_a_game_share_a_slot() -> None:
    """The hash tag is all a cluster looks at; each of the 256 partitions gets its share of games.

    A stored game must be found again by every release: the numbers never change.
    """
    tags = {key.partition(":")[0] for key in keys.append_keys(GAME)}
    assert tags == {keys.tag(keys.partition_of(GAME))}
    assert keys.append_keys(GAME)[:3] == (keys.stream(GAME), keys.commands(GAME), keys.secrets(GAME))
    assert {keys.partition_of(f"{number:022d}") for number in range(5000)} == set(range(256))
    games = ["0" * 22, "A" * 22, "abcdefghijklmnopqrstuv"]
    assert [keys.partition_of(game) for game in games] == [248, 192, 243]


def test_waiting_ends_in_time(store: RedisEventStore, created: list[RecordedEvent]) -> None:
    """At once where the game is ahead; else the version is the same then. No time at all does not wait."""
    assert store.wait(GAME, after=1, seconds=5) == 2
    assert store.wait(GAME, after=2, seconds=0.05) == 2
    assert store.wait(GAME, after=2, seconds=0) == 2


FOREIGN = (
    ("3-2", b"{at}\na 1 null {}", 2),
    ("3-1", b"{at}\na 1 null {}", 2),
    ("3-1", b"{at}", 1),
    ("3-1", b"", 1),
    ("3-1", b"a 1 null {}", 1),
    ("3-1", b"{at}\na 1 null", 1),
    ("3-0", b"{at}\na 1 null {}", 0),
)


def test_an_entry_that_this_engine_has_not_written(
    store: RedisEventStore, link: RedisClient, created: list[RecordedEvent]
) -> None:
    """Too many events or too few for its id, a line that is none, no time, another place: an error, not a game."""
    entries = [
        (entry_id, ("events", lines.replace(b"{at}", AT.encode()), "heads", bytes(32 * heads)))
        for entry_id, lines, heads in FOREIGN
    ]
    before = link.call("DUMP", keys.stream(GAME))
    for entry_id, fields in entries:
        link.call("XADD", keys.stream(GAME), entry_id, *fields, "command", "x")
        assert store.read(GAME, limit=2) == created
        with pytest.raises(CorruptStream):
            store.read(GAME)
        link.call("RESTORE", keys.stream(GAME), 0, before, "REPLACE")


def test_one_winner_for_each_version(new_link: NewLink) -> None:
    """Many append to one game at once: every version has exactly one event, and every loser is told."""
    store = RedisEventStore(new_link(), new_link(), 5.0)
    store.create(GAME, SECRETS, CREATE, events_after(EMPTY, "game_created"), due="")
    won, lost = list[int](), list[int]()

    def appender(number: int) -> None:
        for turn in range(15):
            head, command = store.read(GAME)[-1].stream_head, f"{number}-{turn}"
            try:
                store.append(GAME, head, CommandId(command), events_after(head, "a", command=command))
            except VersionConflict:
                lost.append(head.version)
            else:
                won.append(head.version)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(appender, range(8)))
    stored = store.read(GAME)
    assert [event.version for event in stored] == list(range(1, len(won) + 2))
    assert sorted(won) == list(range(1, len(won) + 1))
    assert len(won) + len(lost) == 8 * 15
    assert len({event.command for event in stored}) == len(stored)


def test_the_first_signature_stays(
    store: RedisEventStore, link: RedisClient, created: list[RecordedEvent]
) -> None:
    """Later ones are told which it is; it comes along when a game is restored, and a game that is gone gets none."""
    first = SignedHead("a" * 16, 2, "b" * 64, "c" * 86)
    assert store.keep_signature(GAME, first) == first
    assert store.keep_signature(GAME, replace(first, key_id="d" * 16)) == first
    assert store.secrets(GAME) == replace(SECRETS, signature=first)
    restored, gone = new_game_id(), new_game_id()
    store.create(
        restored,
        replace(SECRETS, signature=first),
        CREATE,
        events_after(EMPTY, "a", game_id=restored),
        due="",
    )
    assert store.secrets(restored) == replace(SECRETS, signature=first)
    with pytest.raises(GameNotFound):
        store.keep_signature(gone, first)
    assert link.call("EXISTS", keys.secrets(gone)) == 0
