"""`migrato fsck`: each thing that can be wrong is broken on purpose, found by its name, and repaired or left alone."""

import json
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from domain.lifecycle import Seat
from domain.registry import GAMES
from events.archive import file_format
from events.archive.reader import ArchiveReader
from events.archive.restoring import restore
from events.engine.access import STRANGER
from events.engine.new_game import NewGame
from events.features.apps.administration import Apps
from events.features.apps.keys import AppKeys
from events.features.apps.redis.apps import RedisAppStore
from events.features.games.forks import WantedFork
from events.features.own_data.records import OwnDataChange
from events.features.players.players import Players
from events.features.players.redis import RedisPlayerStore
from events.fsck.check import Fsck, Report
from events.log.signing import Keyring, Signer
from events.log.stored_form import signature_text
from events.runtime import adapters
from events.store import keys
from events.store.connections.client import RedisClient
from events.store.whole_games import RedisGames
from tests.archive.conftest import BOTS, Place
from tests.support.stored import last_entry, lose
from tests.support.waiting import until

Break = Callable[[RedisClient, str], object]


def codes(report: Report) -> list[str]:
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
    """The bytes with another byte in the middle."""
    at = len(value) // 2
    return value[:at] + (b"0" if value[at : at + 1] != b"0" else b"1") + value[at + 1 :]


def reference(game_id: str, last: int) -> tuple[str | int, ...]:
    return ("game", game_id, "first", 1, "last", last, "types", "card_discarded", "due", "")


def feed_of(game_id: str) -> str:
    return keys.feed(keys.partition_of(game_id))


def last_reference(link: RedisClient, game_id: str) -> bytes:
    """The id of the last entry of the game's feed."""
    found: bytes = link.call("XREVRANGE", feed_of(game_id), "+", "-", "COUNT", 1)[0][0]
    return found


def misplaced(game_id: str) -> str:
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
    link.call("FLUSHALL")
    link.calls([("RESTORE", key, 0, content) for key, content in kept.items()])


def test_losses_are_told_and_left_alone(place: Place) -> None:
    """Losses are told by name, with the game or the key, and a repair leaves them as they are."""
    game_id = place.finished(3)
    place.finished(3)
    assert place.fsck().findings == []
    whole = replicas(place.link)
    for code, break_it in LEFT_ALONE:
        break_it(place.link, game_id)
        found = place.fsck(repair=True)
        assert code in codes(found)
        finding = next(finding for finding in found.findings if finding.code == code)
        assert not finding.repaired
        assert finding.kind.remedy
        assert finding.game_id == game_id or code in OF_NO_GAME
        assert code in codes(place.fsck(repair=True))
        put_back(place.link, whole)


def test_a_lost_end_that_no_record_tells_of(place: Place) -> None:
    """A move of a person's leaves no record beside the stream; by then the feed has forgotten it, too. What lines show
    of the game is later than its end.

    A game of a later release has a chain that is whole; only nobody here knows the game.
    """
    people = (Seat("human", player="ada"), Seat("human", player="bob"))
    game_id = place.application.creation.create("anonymous", NewGame("migrato", {}, people)).snapshot.game_id
    place.application.moves.play(game_id, 0, {"type": "exchange"})
    assert place.fsck().findings == []
    report = Fsck(place.link, {}, (ArchiveReader(place.storage), place.mover())).run()
    assert [(finding.code, finding.game_id) for finding in report.findings] == [("unreadable-game", game_id)]
    lose(place.link, game_id)
    place.link.call("DEL", keys.feed(keys.partition_of(game_id)))
    assert codes(place.fsck(repair=True)) == codes(place.fsck()) == ["standing-wrong", "stream-gap"]


REPAIRED: list[tuple[str, Break]] = [
    ("due-wrong", lambda link, game: link.call("HSET", keys.due(keys.partition_of(game)), game, "bot:1:1")),
    ("due-wrong", lambda link, game: link.call("HSET", keys.due(keys.partition_of(game)), game, b"\xffgarbage")),
    ("due-orphan", lambda link, _: link.call("HSET", keys.due(0), "no game", "garbage")),
    ("due-orphan", lambda link, _: link.call("HSET", keys.due(0), "x" * 22, "bot:1:1")),
    ("restored-orphan", lambda link, _: link.call("HSET", keys.restored(0), "x" * 22, "1")),
    ("orphaned-key", lambda link, _: link.call("HSET", keys.commands("x" * 22), "create", ":1:2")),
]  # fmt: skip


def test_things_that_no_chain_holds_together_are_checked_too(place: Place) -> None:
    """One changed byte in what stands beside a finished game; the signature is checked by the key that it names."""
    game_id = place.finished()
    signer = Signer(Ed25519PrivateKey.generate())
    keyring = Keyring(signer, {signer.key_id: signer.public})
    snapshot = place.application.views.snapshot(game_id)
    signed = signer.sign(game_id, *snapshot.stream_head)
    other = replace(signed, signature=signer.sign("another", *snapshot.stream_head).signature)
    place.link.call("HSET", keys.secrets(game_id), "signature", signature_text(signed))

    def found() -> list[str]:
        report = place.fsck(patience=-1.0, keyring=keyring)
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
        sound = place.link.call("HGET", key, member)
        place.link.call("HSET", key, member, wrong)
        assert code in found(), (member, wrong)
        place.link.call("HSET", key, member, sound)


def test_harmless_faults_are_repaired(place: Place) -> None:
    """A harmless fault is told at first and put right with --repair; then all is well."""
    game_id = place.finished(3)
    for code, break_it in REPAIRED:
        break_it(place.link, game_id)
        assert codes(place.fsck()) == [code]
        repaired = place.fsck(repair=True)
        assert codes(repaired) == [code]
        assert repaired.left == []
        assert place.fsck().findings == []
    assert place.application.views.snapshot(game_id).status.status == "finished"


def test_a_game_or_a_deadline_that_was_forgotten(place: Place) -> None:
    """Comes back, as the sweeper reads it; a deadline of a game without a clock, or that is nowhere, is removed."""
    stuck = place.application.creation.create("anonymous", NewGame(seats=BOTS)).snapshot.game_id
    due = keys.due(keys.partition_of(stuck))
    before = place.link.call("HGET", due, stuck)
    place.link.call("HDEL", due, stuck)
    assert codes(place.fsck(repair=True)) == ["due-wrong"]
    assert place.link.call("HGET", due, stuck).rpartition(b":")[0] == before.rpartition(b":")[0]
    people = (Seat("human"), Seat("human"))
    new = NewGame(seats=people, clock={"kind": "per-move", "seconds": 60})
    game_id = place.application.creation.create("anonymous", new).snapshot.game_id
    plain = place.application.creation.create("anonymous", NewGame(seats=people)).snapshot.game_id
    deadlines = keys.deadlines(keys.partition_of(game_id))
    before = place.link.call("ZSCORE", deadlines, game_id)
    assert place.fsck().findings == []
    for wrong in (("ZREM", deadlines, game_id), ("ZADD", deadlines, 7, game_id)):
        place.link.call(*wrong)
        assert codes(place.fsck(repair=True)) == ["deadline-wrong"]
        assert place.link.call("ZSCORE", deadlines, game_id) == before
    for game, code in ((plain, "deadline-wrong"), ("0" * 22, "deadline-orphan")):
        place.link.call("ZADD", keys.deadlines(keys.partition_of(game)), 7, game)
        assert codes(place.fsck(repair=True)) == [code]
    standings = keys.standings(keys.partition_of(plain))
    before = place.link.call("HGET", standings, plain)
    turned = dict(reversed(json.loads(before).items()))
    place.link.call("HSET", standings, plain, json.dumps(turned))
    assert codes(place.fsck()) == [], "the order of members says nothing"
    place.link.call("HSET", standings, plain, before.replace(b'"version":2', b'"version":3'))
    assert codes(place.fsck()) == ["standing-wrong"]
    place.application.listing.update(plain, anew=True)
    assert place.link.call("HGET", standings, plain) == before
    assert place.fsck().findings == []


KINDS: list[Callable[[str], str]] = [
    *(
        lambda game, named=named: named(keys.partition_of(game))
        for named in (
            *(keys.deadlines, keys.feed, keys.due, keys.standings),
            *(keys.restored, keys.archived, keys.archiving, keys.erasures),
        )
    ),
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
    lambda _: keys.own_data("anonymous"),
    lambda _: keys.own_data_index("anonymous"),
]


@pytest.mark.usefixtures("one_partition")
def test_a_key_of_a_wrong_type_is_told_and_hides_nothing(place: Place) -> None:
    """By any of its keys; another game that has lost an event is told all the same, and the key stays as it is."""
    place.finished(3)
    place.move()
    game_id, broken = place.finished(3), place.finished(3)
    running = place.application.creation.create("anonymous", NewGame(seats=BOTS)).snapshot.game_id
    lose(place.link, broken, 2)
    whole = replicas(place.link)
    for key in (named(game_id) for named in KINDS):
        place.link.call("DEL", key)
        place.link.call("SADD", key, "nobody's")
        found = place.fsck(repair=True)
        assert [finding.where for finding in found.left if finding.code == "wrong-type"] == [key]
        told = {(finding.code, finding.game_id) for finding in found.left}
        assert ("stream-gap", broken) in told
        assert found.games == 3
        assert place.link.call("TYPE", key) == b"set"
        assert key != keys.due(0) or ("due-wrong", running) in told
        put_back(place.link, whole)


PLAYER_KEYS = {  # by code the key that goes, and the one that is told
    "player-without-key": ("player-key", "player"),
    "key-without-player": ("player", "player-key"),
    "name-without-player": ("player", "player-name"),
}


def test_a_player_of_whom_something_is_missing_is_told(place: Place) -> None:
    """With the key that is left alone; a player who is whole, or erased, is no finding."""
    players = Players(RedisPlayerStore(place.link))
    for name in ("ada", "bo", "cy"):
        players.enrol("club", name, "2026-11-21T12:00:00.000Z")
    players.erase("club", players.enrol("club", "dee", "2026-11-21T12:00:00.000Z"))
    assert place.fsck().findings == []
    sought = players.seeking("other", "eve", "2026-11-21T12:00:00.000Z", 60)
    assert place.fsck().findings == []
    place.link.call("DEL", keys.player(sought))
    assert sorted(codes(place.fsck())) == ["key-without-player", "name-without-player"]
    place.link.call("DEL", keys.player_key(sought), *place.link.call("KEYS", "*:player-seeking:*"))
    whole = replicas(place.link)
    for code, (gone, told) in PLAYER_KEYS.items():
        (key, *_) = place.link.call("KEYS", f"*:{gone}:*")
        place.link.call("DEL", key)
        found = place.fsck(repair=True)
        (where,) = [finding.where for finding in found.left if finding.code == code]
        assert f":{told}:" in where
        assert codes(place.fsck()) == codes(found)
        put_back(place.link, whole)


def test_own_data_and_its_index(place: Place) -> None:
    """Of a game that is archived, too, whose app finds and changes it as before. What is of no game goes; what is found
    wrongly is put right, and what cannot be read is told.
    """
    application, link = place.application, place.link
    game_id, other = place.finished(3), place.finished(3)
    change = OwnDataChange({"external_id": "order-1", "metadata": {"plan": "gold"}}, {0: {"team": "red"}})
    application.own_data.change(game_id, STRANGER, change)
    place.move()
    assert application.listing.page("anonymous", external_id="order-1").games[0]["metadata"] == {
        "plan": "gold"
    }
    application.own_data.change(game_id, STRANGER, OwnDataChange({"metadata": {"plan": "silver"}}))
    application.own_data.change(other, STRANGER, OwnDataChange({"metadata": {"plan": "gold"}}))
    assert place.fsck().findings == []
    records, index = keys.own_data("anonymous"), keys.own_data_index("anonymous")
    (entry, *_) = link.call("ZRANGE", index, 0, -1)
    sound, nobody = link.call("HGET", records, game_id), b"x" * 22
    breaks: list[tuple[str, Callable[[], object]]] = [
        ("own-data-unlisted", lambda: link.call("ZREM", index, entry)),
        ("own-data-listed", lambda: link.call("ZADD", index, 0, b"no" + entry)),
        ("own-data-listed", lambda: link.call("ZADD", index, 0, entry[:-22] + nobody)),
        (
            "own-data-orphan",
            lambda: link.call("HSET", records, nobody, b"1" + sound.replace(b"order", b"other")),
        ),
    ]
    for code, break_it in breaks:
        before = link.call("ZRANGE", index, 0, -1)
        break_it()
        assert set(codes(place.fsck())) >= {code}
        assert place.fsck(repair=True).left == []
        assert place.fsck().findings == []
        assert link.call("ZRANGE", index, 0, -1) == before
    for wrong in (b"1:{", b"hello", sound.replace(b'"at":', b'"at":1')):
        link.call("HSET", records, game_id, wrong)
        assert "own-data-bad" in codes(place.fsck(repair=True))
        application.views.snapshot(game_id)
        application.listing.page("anonymous")
        application.own_data.change(game_id, STRANGER, change)
        assert "own-data-bad" not in codes(place.fsck(repair=True))


APP_BREAKS: list[Break] = [
    lambda link, _: link.call("DEL", keys.APP_NAMES),
    lambda link, _: link.call("HSET", keys.APP_KEYS, "0" * 12, "club"),
    lambda link, key: link.call("HSET", keys.APP_KEYS, key, "other"),
    lambda link, key: link.call("HDEL", keys.APP_KEYS, key),
    lambda link, _: link.call("HSET", keys.APP_KEYS_USED, "0" * 12, 1),
]


def test_the_indexes_of_apps_are_made_anew(place: Place) -> None:
    """The indexes of apps are made anew from the records, and the keys of apps are good again."""
    store = RedisAppStore(place.link)
    issued = Apps(store).create("club")
    Apps(store).create("other")
    assert place.fsck().findings == []
    for break_it in APP_BREAKS:
        break_it(place.link, issued.id)
        assert set(codes(place.fsck())) == {"app-index-wrong"}
        assert place.fsck(repair=True).left == []
        assert place.fsck().findings == []
        assert AppKeys({}, store).known(issued.text).app == "club"
        assert len(Apps(store).page()[0]) == 2


def test_an_app_without_a_record_is_told(place: Place) -> None:
    """Fsck repairs nothing that might follow from the missing record."""
    Apps(RedisAppStore(place.link)).create("club")
    for record in (b"{", b"7", b"{}", None):
        if record is None:
            place.link.call("HDEL", keys.APPS, "club")
        else:
            place.link.call("HSET", keys.APPS, "club", record)
        assert codes(place.fsck(repair=True)) == codes(place.fsck()) == ["bad-app"]


def test_erasures_raise_no_alarm(place: Place) -> None:
    """The check raises no alarm while players come and are erased."""
    ended = threading.Event()

    def live() -> None:
        players = Players(RedisPlayerStore(place.link))
        while not ended.is_set():
            players.erase("club", players.enrol("club", "ada", "2026-11-21T12:00:00.000Z"))

    with ThreadPoolExecutor() as lives:
        going = lives.submit(live)
        alarms = [finding for _ in range(20) for finding in place.fsck().findings]
        ended.set()
    assert going.result() is None
    assert alarms == []


LOSSES: list[Break] = [
    lose,
    lambda link, game: lose(link, game, with_command=True),
    lambda link, game: link.call("DEL", keys.stream(game)),
]


def test_a_game_that_has_lost_events_does_not_go_on(place: Place) -> None:
    """It waits as it did, and a second run finds all that the first has found."""
    game_id = place.application.creation.create("anonymous", NewGame(seats=BOTS)).snapshot.game_id
    for _ in range(3):
        place.application.bot_turns.bot_move(game_id, place.application.views.snapshot(game_id).version)
    due = keys.due(keys.partition_of(game_id))
    before, whole = place.link.call("HGET", due, game_id), replicas(place.link)
    for break_it in LOSSES:
        break_it(place.link, game_id)
        found = place.fsck(repair=True)
        assert place.link.call("HGET", due, game_id) == before
        assert len(found.left) > 1
        told = [finding for finding in found.left if finding.code in ("due-wrong", "due-orphan")]
        assert ["must not go on" in finding.detail for finding in told] == [True]
        assert codes(place.fsck(repair=True)) == codes(found)
        put_back(place.link, whole)


def test_games_and_feeds_that_nobody_looks_after(place: Place) -> None:
    """A bot that should have moved, and appends that no dispatcher has seen; people may take their time."""
    place.application.creation.create("anonymous", NewGame(seats=(Seat("human"), Seat("human"))))
    stuck = place.application.creation.create("anonymous", NewGame(seats=BOTS)).snapshot.game_id
    until(lambda: "stuck-game" in codes(place.fsck(patience=0.05)))
    report = place.fsck(repair=True, patience=0.05)
    assert {finding.game_id for finding in report.left if finding.code == "stuck-game"} == {stuck}
    assert "feed-behind" in codes(report)
    assert place.fsck().findings == []


def test_a_move_that_died_half_way_is_ended(place: Place) -> None:
    """The game is in the file and in Redis; while somebody moves games, that is nobody's business."""
    game_id = place.finished()

    def die(what: str) -> None:
        if what.startswith("remove"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        place.move(step=die)
    assert place.fsck().findings == []  # as far as can be seen, it goes on
    place.link.call("DEL", keys.archiving(keys.partition_of(game_id)))
    assert codes(place.fsck()) == ["half-moved"]
    assert place.fsck(repair=True).left == []
    assert not place.redis_games.existing([game_id])
    assert place.application.views.snapshot(game_id).status.status == "finished"
    assert place.fsck().findings == []


def test_a_fork_that_a_seat_made(place: Place) -> None:
    """It is not archived. One that never expires is found and put right; of one that was removed nothing is left."""
    people = (Seat("human"), Seat("human"))
    game = place.application.creation.create("club", NewGame(seats=people))
    caller = place.application.callers.who_asks(game.tokens[0], game.snapshot.game_id)
    wanted = WantedFork(2, resample=True, seats=people)
    fork, _ = place.application.forks.fork(game.snapshot.game_id, caller, wanted)
    game_id, forks = fork.snapshot.game_id, adapters.seat_forks(place.settings)
    place.application.moves.play(game_id, 0, {"type": "resign"})
    place.application.bot_turns.score_game(game_id)
    assert (place.move().games, place.redis_games.existing([game_id])) == (0, {game_id})

    def walk(*, repair: bool = False) -> list[str]:
        found = Fsck(place.link, GAMES, None, repair=repair, patience=1000.0, seat_forks=forks).run()
        return [finding.code for finding in found.findings]

    assert walk() == []
    listed = keys.seat_forks(keys.partition_of(game.snapshot.game_id))
    place.link.call("DEL", listed)
    assert [walk(), walk(repair=True), walk()] == [["fork-unlisted"], ["fork-unlisted"], []]
    assert [forks.end(one) for one in forks.listed()] == [True]
    assert walk() == []
    place.application.forks.fork(game.snapshot.game_id, caller, wanted)
    place.link.call("DEL", listed)
    place.link.call("SET", listed, "garbage")
    assert walk(repair=True) == ["wrong-type"]


def test_an_archived_game_that_redis_has_in_part(place: Place) -> None:
    """Keys that are left go, as after a restored backup of only some; another history is nobody's but a person's."""
    game_id = place.finished()
    secrets = place.redis_games.whole(game_id).raw.beside["secrets"]
    place.move()
    place.link.call("HSET", keys.secrets(game_id), "seed", secrets["seed"])
    assert codes(place.fsck(repair=True)) == ["orphaned-key"]
    assert not place.link.call("EXISTS", keys.secrets(game_id))
    assert place.fsck().findings == []
    restore(RedisGames(place.link), place.reader.records(), place.application.listing.update)
    assert place.fsck().findings == []
    lose(place.link, game_id)
    assert "archive-differs" in codes(place.fsck(repair=True))
    assert place.link.call("EXISTS", keys.stream(game_id))


def test_a_damaged_file_is_told(place: Place) -> None:
    """A file with one flipped bit, in any place, is told of; the repair leaves it alone."""
    place.finished()
    place.move()
    (name,) = place.storage.names()
    path = place.directory / name
    sound = path.read_bytes()
    for byte in (20, -5, -200):
        content = bytearray(sound)
        content[byte] ^= 1
        path.write_bytes(content)
        report = place.fsck(repair=True)
        assert ("file-damaged", name) in [(finding.code, finding.where) for finding in report.left]
        lost = {"file-damaged", "feed-to-nothing", "listing-orphan"}  # it cannot be found
        assert {finding.code for finding in report.left} <= lost
        assert path.read_bytes() == content


@pytest.mark.usefixtures("one_partition")
def test_leftovers_of_a_dead_archiver_are_tidied_up(place: Place) -> None:
    """A staged file, and a former one that should have gone; foreign files are told and left."""
    place.finished()
    place.move()
    (former,) = place.storage.names()
    content = place.storage.read(former)
    place.finished()
    place.move()
    place.storage.stage(f"{former}.0a.tmp", content[:100])
    place.storage.stage(former, content)
    place.storage.stage(f"{former[:10]}/notes.txt", b"mine")
    assert codes(place.fsck()) == ["leftover", "two-files", "unknown-file"]
    assert [finding.code for finding in place.fsck(repair=True).left] == ["unknown-file"]
    assert len(place.storage.names()) == 2
    assert file_format.is_staged(f"{former}.0a.tmp")
    assert codes(place.fsck()) == ["unknown-file"]


@pytest.mark.usefixtures("one_partition")
def test_no_false_alarms_beside_a_live_service(place: Place) -> None:
    """Games are created, played, archived and looked for all the while.

    The line of a game that is just over may be late; the patience with it is over at once, for these games are played
    yesterday.
    """
    ended = threading.Event()

    def live() -> None:
        while not ended.is_set():
            place.finished(3)
            place.move()

    with ThreadPoolExecutor() as lives:
        going = [lives.submit(live) for _ in range(2)]
        alarms = [finding for _ in range(5) for finding in place.fsck().findings]
        ended.set()
    assert [one.result() for one in going] == [None, None]
    assert [finding for finding in alarms if finding.code != "listing-wrong"] == []
    after = place.fsck()
    assert (after.findings, after.archived > 0) == ([], True)


def test_the_command_tells_by_its_exit_code(place: Place) -> None:
    """0 is well or repaired, 1 something is left, 2 it could not be checked."""
    run = partial(place.command, "fsck", MIGRATO_EPHEMERAL="1")
    game_id = place.finished(3)
    well = run()
    all_is_well = "1 game in Redis, 0 in 0 files of the archive: all is well.\n"
    assert (well.exit_code, well.stdout) == (0, all_is_well)
    place.link.call("HSET", keys.due(keys.partition_of(game_id)), game_id, "bot:1:1")
    told = run()
    assert told.exit_code == 1
    assert told.stdout.startswith(f"due-wrong  {game_id}  ")
    assert told.stdout.endswith(": 1 finding, 0 of them repaired.\n")
    repaired = run("--repair", "--json")
    assert repaired.exit_code == 0
    document = json.loads(repaired.stdout)
    assert (document["codes"], document["left"]) == ({"due-wrong": 1}, 0)
    assert document["findings"][0]["game_id"] == game_id
    lose(place.link, game_id, 2)
    assert run().exit_code == 1
    place.link.call("DEL", keys.feed(0))
    place.link.call("SET", keys.feed(0), "hello")
    told = run()
    assert (told.exit_code, f"wrong-type  {keys.feed(0)}" in told.stdout) == (1, True)
    kept = place.command("fsck")
    assert kept.stdout.startswith("store-forgets  ")  # the first of all, and of which server
    nowhere = run(MIGRATO_REDIS_URL="redis://127.0.0.1:1")
    assert nowhere.exit_code == 2
    assert nowhere.stderr.startswith("Error: ")


def test_an_interrupt_leaves_what_was_found(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """An interrupted check keeps what it has found, is no success, and repairs nothing after the interrupt."""
    run = partial(place.command, "fsck", MIGRATO_EPHEMERAL="1")
    game_id = place.finished(3)
    place.link.call("HSET", keys.due(keys.partition_of(game_id)), game_id, "bot:1:1")

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("events.fsck.archive.ArchiveCheck.findings", interrupted)
    told = run("--repair")
    assert told.exit_code == 1
    assert told.stdout.startswith(f"due-wrong  {game_id}  ")
    assert told.stdout.endswith("0 of them repaired. Interrupted: what came after was not looked at.\n")
    document = json.loads(run("--json").stdout)
    assert (document["interrupted"], document["codes"]) == (True, {"due-wrong": 1})
