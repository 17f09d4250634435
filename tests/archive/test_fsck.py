"""`migrato fsck`: each thing that can be wrong is broken on purpose, found by its name, and repaired or left alone."""

import json
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from domain.lifecycle import Seat
from domain.registry import GAMES
from events.apps.administration import Apps
from events.apps.keys import AppKeys
from events.archive import file_format
from events.archive.reader import ArchiveReader
from events.archive.restoring import restore
from events.archive.storage import Storage
from events.fsck.check import Fsck, Report
from events.games.new_game import NewGame
from events.log.signing import Keyring, Signer
from events.log.stored_form import signature_text
from events.players.players import Players
from events.redis import keys
from events.redis.connections.client import RedisClient
from events.redis.people.apps import RedisAppStore
from events.redis.people.players import RedisPlayerStore
from events.redis.whole_games import RedisGames
from events.runtime import bootstrap
from events.runtime.settings import Settings
from events.use_cases.application import Application
from events.use_cases.forks import WantedFork
from service.cli import main
from tests.archive.conftest import BOTS, NewMover, finished
from tests.stored import last_entry, lose, written_by_a_former_release
from tests.waiting import until

Walk = Callable[..., Report]
Break = Callable[[RedisClient, str], object]


@pytest.fixture
def walk(link: RedisClient, storage: Storage, new_mover: NewMover) -> Walk:
    """Walks through the server and the archive; nobody is missed for having no dispatcher."""

    def run(repair: bool = False, patience: float = 1000.0) -> Report:
        return Fsck(
            link, GAMES, (ArchiveReader(storage), new_mover()), repair=repair, patience=patience
        ).run()

    return run


def codes(report: Report) -> list[str]:
    """The findings."""
    return sorted(finding.code for finding in report.findings)


def replace_last(link: RedisClient, game_id: str, position: int, changed: Callable[[bytes], bytes]) -> None:
    """Put another last entry in the place of a stream's, with one field's value changed."""
    stream = keys.stream(game_id)
    entry_id, fields = last_entry(link, game_id)
    fields[position] = changed(fields[position])
    link.call("XDEL", stream, entry_id)
    copy = link.call("XRANGE", stream, "-", "+")
    link.call("DEL", stream)
    for before, kept in [*copy, (entry_id, fields)]:
        link.call("XADD", stream, before, *kept)


def flipped(value: bytes) -> bytes:
    """With another byte in the middle."""
    at = len(value) // 2
    return value[:at] + (b"0" if value[at : at + 1] != b"0" else b"1") + value[at + 1 :]


def reference(game_id: str, last: int) -> tuple[str | int, ...]:
    """The fields of an entry of the feed."""
    return ("game", game_id, "first", 1, "last", last, "types", "card_discarded", "due", "")


def feed_of(game_id: str) -> str:
    """The feed of the game's partition."""
    return keys.feed(keys.partition_of(game_id))


def last_reference(link: RedisClient, game_id: str) -> bytes:
    """The id of the last entry of the game's feed."""
    found: bytes = link.call("XREVRANGE", feed_of(game_id), "+", "-", "COUNT", 1)[0][0]
    return found


def misplaced(game_id: str) -> str:
    """A key of the game in another partition."""
    return f"{keys.tag((keys.partition_of(game_id) + 1) % 256)}:secrets:{game_id}"


LEFT_ALONE: list[tuple[str, Break]] = [
    ("stream-gap", lambda link, game: lose(link, game, 3)),
    ("command-beyond-end", lose),
    ("bad-chain", lambda link, game: replace_last(link, game, 1, lambda of: of.replace(b'"winner"', b'"loser_"'))),
    ("bad-chain", lambda link, game: replace_last(link, game, 3, flipped)),
    ("bad-entry", lambda link, game: link.call("XADD", keys.stream(game), "*", "hello", "world")),
    ("wrong-type", lambda link, game: link.call("SET", keys.stream(game), "hello")),
    ("bad-entry", lambda link, game: replace_last(link, game, 1, lambda event: event[:-1])),
    ("bad-commitment", lambda link, game: link.call("HSET", keys.secrets(game), "seed", "00" * 32)),
    ("no-secrets", lambda link, game: link.call("DEL", keys.secrets(game))),
    ("no-stream", lambda link, game: link.call("DEL", keys.stream(game))),
    ("command-missing", lambda link, game: link.call("HDEL", keys.commands(game), "create")),
    ("misplaced-key", lambda link, game: link.call("HSET", misplaced(game), "a", 1)),
    ("listing-orphan", lambda link, game: link.call("DEL", *keys.append_keys(game)[:4])),
    ("unknown-key", lambda link, _: link.call("SET", f"{keys.tag(0)}:notes", "x")),
    ("bad-reference", lambda link, _: link.call("XADD", keys.feed(0), "*", "hello", "world")),
    ("bad-mark", lambda link, game: link.call("HSET", keys.restored(keys.partition_of(game)), game, "soon")),
    ("feed-beyond-end", lambda link, game: link.call("XADD", feed_of(game), "*", *reference(game, 9999))),
    ("feed-to-nothing", lambda link, _: link.call("XADD", keys.feed(0), "*", *reference("x" * 22, 1))),
    ("feed-missing", lambda link, game: link.call("XDEL", feed_of(game), last_reference(link, game))),
]  # fmt: skip
OF_NO_GAME = ("unknown-key", "feed-to-nothing", "bad-reference")


def replicas(link: RedisClient) -> dict[bytes, bytes]:
    """All that is kept, as it can be put back."""
    return {key: link.call("DUMP", key) for key in link.call("KEYS", "*")}


def put_back(link: RedisClient, kept: dict[bytes, bytes]) -> None:
    """Everything as it was."""
    link.call("FLUSHALL")
    link.calls([("RESTORE", key, 0, content) for key, content in kept.items()])


@pytest.mark.parametrize("former", [False, True])
def test_losses_are_told_and_left_alone(
    application: Application, link: RedisClient, walk: Walk, former: bool
) -> None:
    """By name, with the game or the key; a repair changes nothing of it. So it is for games of former releases."""
    game_id = finished(application, 3)
    finished(application, 3)
    if former:
        written_by_a_former_release(link, game_id)
    assert walk().findings == []
    whole = replicas(link)
    for code, break_it in LEFT_ALONE:
        break_it(link, game_id)
        found = walk(repair=True)
        assert code in codes(found)
        finding = next(finding for finding in found.findings if finding.code == code)
        assert not finding.repaired
        assert finding.kind.remedy
        assert finding.game_id == game_id or code in OF_NO_GAME
        assert code in codes(walk(repair=True))
        put_back(link, whole)


def test_a_lost_end_that_no_record_tells_of(
    application: Application, link: RedisClient, walk: Walk, storage: Storage, new_mover: NewMover
) -> None:
    """A move of a person's leaves no record beside the stream; by then the feed has forgotten it, too.

    A game of a later release has a chain that is whole; only nobody here knows the game.
    """
    people = (Seat("human", player="ada"), Seat("human", player="bob"))
    game_id = application.creation.create("anonymous", NewGame("migrato", {}, people)).snapshot.game_id
    application.moves.play(game_id, 0, {"type": "exchange"})
    assert walk().findings == []
    report = Fsck(link, {}, (ArchiveReader(storage), new_mover())).run()
    assert [(finding.code, finding.game_id) for finding in report.findings] == [("unreadable-game", game_id)]
    lose(link, game_id)
    link.call("DEL", keys.feed(keys.partition_of(game_id)))
    assert codes(walk(repair=True)) == codes(walk()) == ["stream-gap"]


REPAIRED: list[tuple[str, Break]] = [
    ("due-wrong", lambda link, game: link.call("HSET", keys.due(keys.partition_of(game)), game, "bot:1:1")),
    ("due-wrong", lambda link, game: link.call("HSET", keys.due(keys.partition_of(game)), game, b"\xffgarbage")),
    ("due-orphan", lambda link, _: link.call("HSET", keys.due(0), "no game", "garbage")),
    ("due-orphan", lambda link, _: link.call("HSET", keys.due(0), "x" * 22, "bot:1:1")),
    ("restored-orphan", lambda link, _: link.call("HSET", keys.restored(0), "x" * 22, "1")),
    ("orphaned-key", lambda link, _: link.call("HSET", keys.commands("x" * 22), "create", ":1:2")),
]  # fmt: skip


def test_things_that_no_chain_holds_together_are_checked_too(
    application: Application, link: RedisClient, storage: Storage, new_mover: NewMover
) -> None:
    """One changed byte in what stands beside a finished game; the signature is checked by the key that it names."""
    game_id = finished(application)
    signer = Signer(Ed25519PrivateKey.generate())
    keyring = Keyring(signer, {signer.key_id: signer.public})
    snapshot = application.views.snapshot(game_id)
    signed = signer.sign(game_id, *snapshot.stream_head)
    other = replace(signed, signature=signer.sign("another", *snapshot.stream_head).signature)
    link.call("HSET", keys.secrets(game_id), "signature", signature_text(signed))

    def found() -> list[str]:
        archive = ArchiveReader(storage), new_mover()
        report = Fsck(link, GAMES, archive, patience=-1.0, keyring=keyring).run()
        return [code for code in codes(report) if code != "feed-behind"]

    assert found() == []
    for key, member, wrong, code in (
        (keys.secrets(game_id), "visibility", "ptblic", "secrets-wrong"),
        (keys.secrets(game_id), "created_at", "2026-11-21T10;00:00.123Z", "secrets-wrong"),
        (keys.secrets(game_id), "signature", signature_text(replace(signed, head="0" * 64)), "secrets-wrong"),
        (keys.secrets(game_id), "signature", signature_text(other), "secrets-wrong"),
        (keys.secrets(game_id), "app", "anonxmous", "listing-wrong"),
        (keys.lines("anonymous"), game_id, b"9:{}", "listing-wrong"),
        (keys.lines("anonymous"), game_id, b"9:{", "listing-wrong"),
        (keys.commands(game_id), "create", ":0:2", "command-missing"),
        (keys.commands(game_id), "create", ":1:3", "command-missing"),
    ):
        sound = link.call("HGET", key, member)
        link.call("HSET", key, member, wrong)
        assert code in found(), (member, wrong)
        link.call("HSET", key, member, sound)


def test_harmless_faults_are_repaired(application: Application, link: RedisClient, walk: Walk) -> None:
    """Told at first, put right with --repair, and then all is well."""
    game_id = finished(application, 3)
    for code, break_it in REPAIRED:
        break_it(link, game_id)
        assert codes(walk()) == [code]
        repaired = walk(repair=True)
        assert codes(repaired) == [code]
        assert repaired.left == []
        assert walk().findings == []
    assert application.views.snapshot(game_id).status.status == "finished"


def test_a_game_or_a_deadline_that_was_forgotten(
    application: Application, link: RedisClient, walk: Walk
) -> None:
    """Comes back, as the sweeper reads it; a deadline of a game without a clock, or that is nowhere, is removed."""
    stuck = application.creation.create("anonymous", NewGame(seats=BOTS)).snapshot.game_id
    due = keys.due(keys.partition_of(stuck))
    before = link.call("HGET", due, stuck)
    link.call("HDEL", due, stuck)
    assert codes(walk(repair=True)) == ["due-wrong"]
    assert link.call("HGET", due, stuck).rpartition(b":")[0] == before.rpartition(b":")[0]

    people = (Seat("human"), Seat("human"))
    new = NewGame(seats=people, clock={"kind": "per-move", "seconds": 60})
    game_id = application.creation.create("anonymous", new).snapshot.game_id
    plain = application.creation.create("anonymous", NewGame(seats=people)).snapshot.game_id
    deadlines = keys.deadlines(keys.partition_of(game_id))
    before = link.call("ZSCORE", deadlines, game_id)
    assert walk().findings == []
    for wrong in (("ZREM", deadlines, game_id), ("ZADD", deadlines, 7, game_id)):
        link.call(*wrong)
        assert codes(walk(repair=True)) == ["deadline-wrong"]
        assert link.call("ZSCORE", deadlines, game_id) == before
    for game, code in ((plain, "deadline-wrong"), ("0" * 22, "deadline-orphan")):
        link.call("ZADD", keys.deadlines(keys.partition_of(game)), 7, game)
        assert codes(walk(repair=True)) == [code]
    assert walk().findings == []


KINDS: list[Callable[[str], str]] = [
    *(
        lambda game, named=named: named(keys.partition_of(game))
        for named in (keys.deadlines, keys.feed, keys.due, keys.restored, keys.archived, keys.archiving)
    ),
    lambda game: keys.erasures(keys.partition_of(game)),
    keys.stream,
    keys.commands,
    keys.secrets,
    lambda _: keys.player("pl_" + "x" * 20),
    lambda _: keys.player_key("pl_" + "x" * 20),
    lambda _: keys.player_name(0, bytes(32)),
    lambda _: keys.PLAYERS_SECRET,
    lambda _: keys.REQUESTS_SECRET,
    lambda _: "{app:anonymous}:lines",
    lambda _: "{app:anonymous}:games",
    lambda _: "{app:anonymous}:games:status:finished",
]


@pytest.mark.usefixtures("one_partition")
def test_a_key_of_a_wrong_type_is_told_and_hides_nothing(
    application: Application, link: RedisClient, walk: Walk, new_mover: NewMover
) -> None:
    """By any of its keys; another game that has lost an event is told all the same, and the key stays as it is."""
    finished(application, 3)
    new_mover().run()
    game_id, broken = finished(application, 3), finished(application, 3)
    running = application.creation.create("anonymous", NewGame(seats=BOTS)).snapshot.game_id
    lose(link, broken, 2)
    whole = replicas(link)
    for key in (named(game_id) for named in KINDS):
        link.call("DEL", key)
        link.call("SADD", key, "nobody's")
        found = walk(repair=True)
        assert [finding.where for finding in found.left if finding.code == "wrong-type"] == [key]
        told = {(finding.code, finding.game_id) for finding in found.left}
        assert ("stream-gap", broken) in told
        assert found.games == 3
        assert link.call("TYPE", key) == b"set"
        assert key != keys.due(0) or ("due-wrong", running) in told
        put_back(link, whole)


PLAYER_KEYS = {  # by code the key that goes, and the one that is told
    "player-without-key": ("player-key", "player"),
    "key-without-player": ("player", "player-key"),
    "name-without-player": ("player", "player-name"),
}


def test_a_player_of_whom_something_is_missing_is_told(link: RedisClient, walk: Walk) -> None:
    """With the key that is left alone; a player who is whole, or erased, is no finding."""
    players = Players(RedisPlayerStore(link))
    for name in ("ada", "bo", "cy"):
        players.enrol("club", name, "2026-11-21T12:00:00.000Z")
    players.erase("club", players.enrol("club", "dee", "2026-11-21T12:00:00.000Z"))
    assert walk().findings == []
    sought = players.seeking("other", "eve", "2026-11-21T12:00:00.000Z", 60)
    assert walk().findings == []
    link.call("DEL", keys.player(sought))
    assert sorted(codes(walk())) == ["key-without-player", "name-without-player"]
    link.call("DEL", keys.player_key(sought), *link.call("KEYS", "*:player-seeking:*"))
    whole = replicas(link)
    for code, (gone, told) in PLAYER_KEYS.items():
        (key, *_) = link.call("KEYS", f"*:{gone}:*")
        link.call("DEL", key)
        found = walk(repair=True)
        (where,) = [finding.where for finding in found.left if finding.code == code]
        assert f":{told}:" in where
        assert codes(walk()) == codes(found)
        put_back(link, whole)


APP_BREAKS: list[Break] = [
    lambda link, _: link.call("DEL", keys.APP_NAMES),
    lambda link, _: link.call("HSET", keys.APP_KEYS, "0" * 12, "club"),
    lambda link, key: link.call("HSET", keys.APP_KEYS, key, "other"),
    lambda link, key: link.call("HDEL", keys.APP_KEYS, key),
    lambda link, _: link.call("HSET", keys.APP_KEYS_USED, "0" * 12, 1),
]


def test_the_indexes_of_apps_are_made_anew(link: RedisClient, walk: Walk) -> None:
    """From the records; the keys of apps are good again."""
    store = RedisAppStore(link)
    issued = Apps(store).create("club")
    Apps(store).create("other")
    assert walk().findings == []
    for break_it in APP_BREAKS:
        break_it(link, issued.id)
        assert set(codes(walk())) == {"app-index-wrong"}
        assert walk(repair=True).left == []
        assert walk().findings == []
        assert AppKeys({}, store).known(issued.text).app == "club"
        assert len(Apps(store).page()[0]) == 2


def test_an_app_without_a_record_is_told(link: RedisClient, walk: Walk) -> None:
    """And nothing is repaired that might follow from it."""
    Apps(RedisAppStore(link)).create("club")
    for record in (b"{", b"7", b"{}", None):
        if record is None:
            link.call("HDEL", keys.APPS, "club")
        else:
            link.call("HSET", keys.APPS, "club", record)
        assert codes(walk(repair=True)) == codes(walk()) == ["bad-app"]


def test_erasures_raise_no_alarm(link: RedisClient, walk: Walk) -> None:
    """Players come and go all the while."""
    ended = threading.Event()

    def live() -> None:
        players = Players(RedisPlayerStore(link))
        while not ended.is_set():
            players.erase("club", players.enrol("club", "ada", "2026-11-21T12:00:00.000Z"))

    with ThreadPoolExecutor() as lives:
        going = lives.submit(live)
        alarms = [finding for _ in range(20) for finding in walk().findings]
        ended.set()
    assert going.result() is None
    assert alarms == []


LOSSES: list[Break] = [
    lose,
    lambda link, game: lose(link, game, with_command=True),
    lambda link, game: link.call("DEL", keys.stream(game)),
]


def test_a_game_that_has_lost_events_does_not_go_on(
    application: Application, link: RedisClient, walk: Walk
) -> None:
    """It waits as it did, and a second run finds all that the first has found."""
    game_id = application.creation.create("anonymous", NewGame(seats=BOTS)).snapshot.game_id
    for _ in range(3):
        application.bot_turns.bot_move(game_id, application.views.snapshot(game_id).version)
    due = keys.due(keys.partition_of(game_id))
    before, whole = link.call("HGET", due, game_id), replicas(link)
    for break_it in LOSSES:
        break_it(link, game_id)
        found = walk(repair=True)
        assert link.call("HGET", due, game_id) == before
        assert len(found.left) > 1
        told = [finding for finding in found.left if finding.code in ("due-wrong", "due-orphan")]
        assert ["must not go on" in finding.detail for finding in told] == [True]
        assert codes(walk(repair=True)) == codes(found)
        put_back(link, whole)


def test_games_and_feeds_that_nobody_looks_after(application: Application, walk: Walk) -> None:
    """A bot that should have moved, and appends that no dispatcher has seen; people may take their time."""
    application.creation.create("anonymous", NewGame(seats=(Seat("human"), Seat("human"))))
    stuck = application.creation.create("anonymous", NewGame(seats=BOTS)).snapshot.game_id
    until(lambda: "stuck-game" in codes(walk(patience=0.05)))
    report = walk(repair=True, patience=0.05)
    assert {finding.game_id for finding in report.left if finding.code == "stuck-game"} == {stuck}
    assert "feed-behind" in codes(report)
    assert walk().findings == []


def test_a_move_that_died_half_way_is_ended(
    application: Application, redis_games: RedisGames, new_mover: NewMover, walk: Walk, link: RedisClient
) -> None:
    """The game is in the file and in Redis; while somebody moves games, that is nobody's business."""
    game_id = finished(application)

    class Death(BaseException):
        pass

    def die(what: str) -> None:
        if what.startswith("remove"):
            raise Death

    with pytest.raises(Death):
        new_mover(step=die).run()
    assert walk().findings == []  # as far as can be seen, it goes on
    link.call("DEL", keys.archiving(keys.partition_of(game_id)))
    assert codes(walk()) == ["half-moved"]

    assert walk(repair=True).left == []
    assert not redis_games.existing([game_id])
    assert application.views.snapshot(game_id).status.status == "finished"
    assert walk().findings == []


def test_a_fork_that_a_seat_made(
    application: Application,
    redis_games: RedisGames,
    new_mover: NewMover,
    settings: Settings,
    link: RedisClient,
) -> None:
    """It is not archived. One that never expires, as former releases left them, is found, and put right; one that was
    removed leaves nothing to be found.
    """
    people = (Seat("human"), Seat("human"))
    game = application.creation.create("club", NewGame(seats=people))
    caller = application.callers.who_asks(game.tokens[0], game.snapshot.game_id)
    wanted = WantedFork(2, resample=True, seats=people)
    fork, _ = application.forks.fork(game.snapshot.game_id, caller, wanted)
    game_id, forks = fork.snapshot.game_id, bootstrap.seat_forks(settings)
    application.moves.play(game_id, 0, {"type": "resign"})
    application.bot_turns.score_game(game_id)
    assert (new_mover().run().games, redis_games.existing([game_id])) == (0, {game_id})

    def walk(*, repair: bool = False) -> list[str]:
        found = Fsck(link, GAMES, None, repair=repair, patience=1000.0, seat_forks=forks).run()
        return [finding.code for finding in found.findings]

    assert walk() == []
    link.call("DEL", keys.seat_forks(keys.partition_of(game.snapshot.game_id)))
    assert [walk(), walk(repair=True), walk()] == [["fork-unlisted"], ["fork-unlisted"], []]
    assert [forks.end(one) for one in forks.listed()] == [True]
    assert walk() == []
    application.forks.fork(game.snapshot.game_id, caller, wanted)
    link.call("DEL", keys.seat_forks(keys.partition_of(game.snapshot.game_id)))
    link.call("SET", keys.seat_forks(keys.partition_of(game.snapshot.game_id)), "garbage")
    assert walk(repair=True) == ["wrong-type"]


def test_an_archived_game_that_redis_has_in_part(
    application: Application,
    redis_games: RedisGames,
    new_mover: NewMover,
    walk: Walk,
    link: RedisClient,
    archive_reader: ArchiveReader,
) -> None:
    """Keys that are left go, as after a restored backup of only some; another history is nobody's but a person's."""
    game_id = finished(application)
    secrets = redis_games.whole(game_id).raw.beside["secrets"]
    new_mover().run()
    link.call("HSET", keys.secrets(game_id), "seed", secrets["seed"])
    assert codes(walk(repair=True)) == ["orphaned-key"]
    assert not link.call("EXISTS", keys.secrets(game_id))
    assert walk().findings == []

    restore(RedisGames(link), archive_reader.records(), application.listing.update)
    assert walk().findings == []
    lose(link, game_id)
    assert "archive-differs" in codes(walk(repair=True))
    assert link.call("EXISTS", keys.stream(game_id))


def test_a_damaged_file_is_told(
    application: Application, new_mover: NewMover, walk: Walk, settings: Settings, storage: Storage
) -> None:
    """By a flipped bit in any place; the repair leaves it alone."""
    finished(application)
    new_mover().run()
    (name,) = storage.names()
    path = Path(str(settings.archive)) / name
    sound = path.read_bytes()
    for byte in (20, -5, -200):
        content = bytearray(sound)
        content[byte] ^= 1
        path.write_bytes(content)
        report = walk(repair=True)
        assert ("file-damaged", name) in [(finding.code, finding.where) for finding in report.left]
        lost = {"file-damaged", "feed-to-nothing", "listing-orphan"}  # it cannot be found
        assert {finding.code for finding in report.left} <= lost
        assert path.read_bytes() == content


@pytest.mark.usefixtures("one_partition")
def test_leftovers_of_a_dead_archiver_are_tidied_up(
    application: Application, new_mover: NewMover, walk: Walk, storage: Storage
) -> None:
    """A staged file, and a former one that should have gone; foreign files are told and left."""
    finished(application)
    new_mover().run()
    (former,) = storage.names()
    content = storage.read(former)
    finished(application)
    new_mover().run()
    storage.stage(f"{former}.0a.tmp", content[:100])
    storage.stage(former, content)
    storage.stage(f"{former[:10]}/notes.txt", b"mine")

    assert codes(walk()) == ["leftover", "two-files", "unknown-file"]
    assert [finding.code for finding in walk(repair=True).left] == ["unknown-file"]
    assert len(storage.names()) == 2
    assert file_format.is_staged(f"{former}.0a.tmp")
    assert codes(walk()) == ["unknown-file"]


@pytest.mark.usefixtures("one_partition")
def test_no_false_alarms_beside_a_live_service(
    application: Application, new_mover: NewMover, walk: Walk
) -> None:
    """Games are created, played, archived and looked for all the while."""
    ended = threading.Event()

    def live() -> None:
        while not ended.is_set():
            finished(application, 3)
            new_mover().run()

    with ThreadPoolExecutor() as lives:
        going = [lives.submit(live) for _ in range(2)]
        alarms = [finding for _ in range(5) for finding in walk().findings]
        ended.set()
    assert [one.result() for one in going] == [None, None]
    assert alarms == []
    assert walk().archived > 0


def test_the_command_tells_by_its_exit_code(
    application: Application, link: RedisClient, settings: Settings
) -> None:
    """0 is well or repaired, 1 something is left, 2 it could not be checked."""
    environ = {
        "MIGRATO_REDIS_URL": str(settings.redis_url),
        "MIGRATO_ARCHIVE": str(settings.archive),
        "MIGRATO_EPHEMERAL": "1",
    }
    run = CliRunner(env=environ)
    game_id = finished(application, 3)
    well = run.invoke(main, ["fsck"])
    assert (well.exit_code, well.stdout) == (
        0,
        "1 game in Redis, 0 in 0 files of the archive: all is well.\n",
    )

    link.call("HSET", keys.due(keys.partition_of(game_id)), game_id, "bot:1:1")
    told = run.invoke(main, ["fsck"])
    assert told.exit_code == 1
    assert told.stdout.startswith(f"due-wrong  {game_id}  ")
    assert told.stdout.endswith(": 1 finding, 0 of them repaired.\n")
    repaired = run.invoke(main, ["fsck", "--repair", "--json"])
    assert repaired.exit_code == 0
    document = json.loads(repaired.stdout)
    assert (document["codes"], document["left"]) == ({"due-wrong": 1}, 0)
    assert document["findings"][0]["game_id"] == game_id

    lose(link, game_id, 2)
    assert run.invoke(main, ["fsck"]).exit_code == 1
    link.call("DEL", keys.feed(0))
    link.call("SET", keys.feed(0), "hello")
    told = run.invoke(main, ["fsck"])
    assert (told.exit_code, f"wrong-type  {keys.feed(0)}" in told.stdout) == (1, True)
    kept = run.invoke(main, ["fsck"], env={"MIGRATO_EPHEMERAL": None})
    assert kept.stdout.startswith("store-forgets  ")  # the first of all, and of which server
    nowhere = CliRunner(env={**environ, "MIGRATO_REDIS_URL": "redis://127.0.0.1:1"}).invoke(main, ["fsck"])
    assert nowhere.exit_code == 2
    assert nowhere.stderr.startswith("Error: ")


def test_an_interrupt_leaves_what_was_found(
    application: Application, link: RedisClient, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is no success, and nothing is repaired after it."""
    environ = {"MIGRATO_REDIS_URL": str(settings.redis_url), "MIGRATO_ARCHIVE": str(settings.archive)}
    run = CliRunner(env={**environ, "MIGRATO_EPHEMERAL": "1"})
    game_id = finished(application, 3)
    link.call("HSET", keys.due(keys.partition_of(game_id)), game_id, "bot:1:1")

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("events.fsck.archive.ArchiveCheck.findings", interrupted)
    told = run.invoke(main, ["fsck", "--repair"])
    assert told.exit_code == 1
    assert told.stdout.startswith(f"due-wrong  {game_id}  ")
    assert told.stdout.endswith("0 of them repaired. Interrupted: what came after was not looked at.\n")
    document = json.loads(run.invoke(main, ["fsck", "--json"]).stdout)
    assert (document["interrupted"], document["codes"]) == (True, {"due-wrong": 1})
