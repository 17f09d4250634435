"""Players: opaque ids in events, names beside them, and nothing left of a name that was erased."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from threading import Barrier
from typing import Any, cast

import pytest

from domain.lifecycle import Json, Seat
from events.application import Application
from events.engine.new_game import NewGame
from events.errors import PlayerNotFound, StoreUnavailable
from events.features.players import records
from events.features.players.names import is_name
from events.features.players.players import FORGETS_AFTER, NAMELESS, Players
from events.features.players.port import PlayerRecord
from events.features.players.redis import RedisPlayerStore
from events.log.player_ids import PLAYER_ID
from events.log.serialisers import event_document
from events.log.snapshot import Snapshot
from events.runtime.embedded import EmbeddedServer
from events.store import keys
from events.store.connections.client import RedisClient, Request
from events.store.link import link_to
from events.store.servers.aof_rewrite import PAUSE, AofRewriter
from tests.events.dump import dump, holding
from tests.events.refusals import refusal_of
from tests.events.wiring import application_on
from tests.support.clock import Clock
from tests.support.players import committed_to
from tests.support.sure import sure
from tests.support.waiting import until

AT = "2026-11-21T12:00:00.000Z"
NAME = "Ada Lovelace"
ADA = PlayerRecord(NAME, "club", AT)
HUMANS = (Seat("human", NAME, client_seed="mine"), Seat("open"))
ONE_NAME = ("Jos\xe9 G", "Jose\u0301 G", " Jos\xe9 G ", "Jos\xe9\xa0 G", "Jose\u0301 G\u2800")
WITH_JOINERS = {
    "Persian": "\u0646\u0627\u0645\u0647\u200c\u0627\u06cc",
    "Malayalam, with a joiner at the end": "\u0d30\u0d3e\u0d1c\u0d28\u0d4d\u200d",
    "a family": "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "a heart between skins": "\U0001f469\U0001f3fd\u200d\u2764\ufe0f\u200d\U0001f468\U0001f3ff",
    "a flag": "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    "an ideograph of a certain form": "\u845b\U000e0100",
    "younger than this Python": "\U0001fae8",
}


@pytest.fixture
def players(link: RedisClient) -> Players:
    return Players(RedisPlayerStore(link))


def test_only_its_own_key_and_id_open_a_record() -> None:
    """Another key, another player, a changed byte: there is no such record then."""
    key, player_id = bytes(32), "pl_" + "0" * 20
    sealed = records.seal(player_id, key, ADA)
    assert records.unseal(player_id, key, sealed) == ADA
    assert records.unseal(player_id, b"x" * 32, sealed) is None
    assert records.unseal("pl_" + "1" * 20, key, sealed) is None
    assert records.unseal(player_id, key, sealed[:-1] + bytes([sealed[-1] ^ 1])) is None
    assert records.unseal(player_id, key, b"") is None


def test_a_sealed_record_tells_nothing() -> None:
    """The longest name of the longest app is as long as the shortest; ("ab", "c") and ("a", "bc") differ in the index.

    An id belongs to the partition that the index wants, so that one script may touch all keys of a player.
    """
    longest = PlayerRecord("\U0001f426" * 64, "a" * 64, AT)
    others = (ADA, longest, PlayerRecord('"' * 64, "a" * 64, AT), PlayerRecord("a", "b", AT))
    assert len({len(records.seal("pl_x", bytes(32), record)) for record in others}) == 1
    shown = [
        replace(record, display_name=name) for record in others for name in ("a", '"' * 64, "\U0001f426" * 64)
    ]
    assert len({len(records.seal("pl_x", bytes(32), record)) for record in shown}) == 1
    assert records.digest(b"s", "ab", "c") != records.digest(b"s", "a", "bc")
    for partition in (0, 1, 255):
        player_id = records.new_player_id(partition)
        assert PLAYER_ID.fullmatch(player_id)
        assert keys.partition_of(player_id) == partition


def test_a_player_who_is_erased_while_renamed_stays_erased(players: Players, link: RedisClient) -> None:
    """A record is only put in the place of the one that was read, and of a player who is there."""
    ada = players.enrol("club", NAME, AT)
    store = RedisPlayerStore(link)
    assert players.rename("club", ada, " Ada  L. ").display_name == "Ada L."
    (kept,) = store.read([ada])
    assert kept is not None
    assert kept.record == replace(ADA, display_name="Ada L.")

    class Interrupted:
        """A link on which the player is erased, or renamed by others, before a script."""

        def calls(self, requests: Sequence[Request]) -> list[Any]:
            return link.calls(requests)

        def script(self, source: str, keys: Sequence[str], arguments: Sequence[Any]) -> Any:
            if meanwhile:
                meanwhile.pop()()
            return link.script(source, keys, arguments)

    late = RedisPlayerStore(link)
    late._link = cast(RedisClient, Interrupted())
    meanwhile: list[Callable[[], object]] = [lambda: store.rename(ada, "other")]
    assert late.rename(ada, "last")
    assert Players(store).get("club", ada).display_name == "last"
    meanwhile.append(lambda: store.erase(ada, kept.digest))
    assert not late.rename(ada, "back")
    assert store.read([ada]) == [None]


class TestNames:
    """Names to ids and back."""

    def test_the_same_name_of_the_same_app_is_the_same_player(
        self, players: Players, link: RedisClient
    ) -> None:
        """Another app's player of that name is somebody else. All keys of a player are in one slot of a cluster."""
        ada = players.enrol("club", NAME, AT)
        assert PLAYER_ID.fullmatch(ada)
        of_player = [key for key in dump(link) if key != keys.PLAYERS_SECRET.encode()]
        assert {key[: key.index(b"}")] for key in of_player} == {f"{{p{keys.partition_of(ada):03d}".encode()}
        assert players.enrol("club", NAME, "later") == ada
        assert len({ada, players.enrol("other", NAME, AT), players.enrol("club", "ada", AT)}) == 3
        assert players.get("club", ada).created_at == AT

    def test_there_is_one_way_to_write_a_name(self, players: Players) -> None:
        """Composed or not, and whatever room is around it; two seats of one game too, and a guest's name."""
        ids = {players.enrol("club", name, AT) for name in ONE_NAME}
        ids |= {players.known("club", name) or "" for name in ONE_NAME}
        ids |= {players.listed_as("club", name) for name in ONE_NAME}
        ids |= {
            str(seat.player)
            for seat in players.seated("club", [Seat("human", n) for n in ONE_NAME], AT, bool)
        }
        (player_id,) = ids
        assert players.get("club", player_id).name == ONE_NAME[0]
        assert len({players.guest("club", "game", 1, name, AT) for name in ONE_NAME}) == 1

    def test_names_of_any_script(self) -> None:
        """Joiners and the like belong to many; `tests.service.test_bad_documents` has what is no name."""
        assert {which: is_name(name) for which, name in WITH_JOINERS.items()} == dict.fromkeys(
            WITH_JOINERS, True
        )

    def test_all_at_once_get_the_same_id(self, redis_url: str) -> None:
        """Eight processes make the same player at the same moment."""
        together = Barrier(8)

        def enrol(_: int) -> str:
            players = Players(RedisPlayerStore(link_to(redis_url, 5.0)))
            together.wait()
            return players.enrol("club", NAME, AT)

        with ThreadPoolExecutor(8) as pool:
            assert len(set(pool.map(enrol, range(8)))) == 1
        assert len(dump(link_to(redis_url, 5.0))) == 4  # secret, index entry, record, key

    def test_a_secret_that_was_replaced_is_noticed(self, link: RedisClient) -> None:
        """As by a backup that was restored: nobody is looked for, or made, by what is no longer true."""
        store = RedisPlayerStore(link)
        assert store.known("club", [NAME]) == [None]
        assert dump(link) == {}, "to look for somebody makes nothing"
        ada, secret = store.enrol(ADA), link.call("GET", keys.PLAYERS_SECRET)
        assert store.known(ADA.app, ["nobody", ADA.name]) == [None, ada]
        link.call("SET", keys.PLAYERS_SECRET, b"another" * 5)
        assert store.known(ADA.app, [ADA.name]) == [None]
        other = store.enrol(ADA)
        assert RedisPlayerStore(link).enrol(ADA) == other != ada
        link.call("SET", keys.PLAYERS_SECRET, secret)
        assert store.enrol(ADA) == ada
        link.call("DEL", keys.PLAYERS_SECRET)
        assert store.known(ADA.app, [ADA.name]) == [None]
        assert RedisPlayerStore(link).enrol(ADA) == store.enrol(ADA) != ada

    def test_names_are_looked_up_together_and_then_known(self, link: RedisClient) -> None:
        """For a while; then they are looked up again."""
        players, clock = Players(RedisPlayerStore(link)), Clock()
        ids = [players.enrol("club", name, AT) for name in ("ada", "bo")]
        elsewhere = Players(RedisPlayerStore(link), clock)
        assert elsewhere.names(ids) == dict(zip(ids, (("ada", None), ("bo", None)), strict=True))
        players.erase("club", ids[0])
        assert players.names(ids) == {ids[0]: NAMELESS, ids[1]: ("bo", None)}
        clock.now += FORGETS_AFTER - 0.1
        assert elsewhere.names(ids)[ids[0]] == ("ada", None)
        clock.now += 0.2
        assert elsewhere.names(ids) == {ids[0]: NAMELESS, ids[1]: ("bo", None)}

    def test_a_game_goes_on_without_names_while_the_store_does_not_answer(
        self, players: Players, short_path: Path
    ) -> None:
        """A player who has moved must hear of it, with or without names; nothing wrong is kept in memory."""
        nowhere = Players(RedisPlayerStore(link_to(f"unix://{short_path}/nowhere", 1.0)))
        ada = players.enrol("club", NAME, AT)
        seats: list[Json] = [{"seat": 0, "player": None, "player_id": ada}, {"seat": 1}]
        nowhere.show(seats)
        assert seats[0]["player"] is None
        players.show(seats)
        assert seats == [{"seat": 0, "player": NAME, "player_id": ada}, {"seat": 1}]


class TestErasing:
    """DELETE, as the use-case."""

    def test_nothing_is_left_of_a_player(self, players: Players, link: RedisClient) -> None:
        """Not the key, not the record, not the entry of the index; a repeat finds nobody.

        What counts erasures says how many, and not who.
        """
        ada = players.enrol("club", NAME, AT)
        key, digest = link.call("GET", keys.player_key(ada)), link.call("HGET", keys.player(ada), "digest")
        sealed = link.call("HGET", keys.player(ada), "sealed")
        assert len(holding(link, key)) == 1
        players.erase("club", ada)
        for gone in (key, digest, sealed, digest.hex().encode(), ada.encode()):
            assert holding(link, gone) == []
        erasures = keys.erasures(keys.partition_of(ada))
        assert set(dump(link)) == {keys.PLAYERS_SECRET.encode(), erasures.encode()}
        assert link.call("GET", erasures) == b"1"
        with pytest.raises(PlayerNotFound):
            players.erase("club", ada)

    def test_the_same_name_is_somebody_new_then(self, players: Players, link: RedisClient) -> None:
        """The former player stays nobody: a late repeat of the script does no harm to the new one."""
        ada = players.enrol("club", NAME, AT)
        digest = link.call("HGET", keys.player(ada), "digest")
        players.erase("club", ada)
        again = players.enrol("club", NAME, AT)
        assert again != ada
        assert players.names([ada, again]) == {ada: NAMELESS, again: (NAME, None)}
        assert players._store.erase(ada, digest) is False
        assert players.enrol("club", NAME, AT) == again


def played(counter: Application) -> Snapshot:
    """A whole game of Ada's and Bo's, when it was new."""
    new = NewGame("counter", {"goal": 1}, HUMANS, "public")
    created = counter.creation.create("club", new).snapshot
    counter.seats.take(created.game_id, 1, "Bo Peep", None, counter.callers.who_asks(None))
    counter.moves.play(created.game_id, 0, {"amount": 1})
    counter.bot_turns.score_game(created.game_id)
    counter.listing.update(created.game_id)
    return created


class TestGames:
    """Players in games."""

    def test_a_finished_game_verifies_after_an_erasure(self, counter: Application) -> None:
        """Its events are what they were; its view shows the id and no name."""
        created = played(counter)
        ada = sure(created.status.seats[0].player)
        before = counter.views.history(created.game_id)
        counter.players.erase("club", ada)
        after = counter.views.history(created.game_id)
        assert after == before
        over, head = counter.views.snapshot(created.game_id), bytes(31) + b"\2"
        for event in after:
            head = sha256(head + committed_to(event_document(over, event, None))).digest()
            assert event.head == head.hex()
        seats = counter.views.game_document(counter.views.snapshot(created.game_id), None)["seats"]
        assert (seats[0]["player"], seats[0]["player_id"], seats[1]["player"]) == (None, ada, "Bo Peep")
        assert counter.listing.page("club", player=NAME).games == []
        (line,) = counter.listing.page("club", player=ada).games
        assert line["seats"][0]["player"] is None

    def test_a_refused_game_keeps_no_name(self, counter: Application, link: RedisClient) -> None:
        """A seat that cannot be taken keeps none either: somebody who never played is not remembered."""
        wrong = NewGame("counter", {}, (Seat("human", NAME), Seat("bot", bot="nobody")))
        full = NewGame("counter", {}, (Seat("human"), Seat("human")), "public")
        taken = counter.creation.create("club", full).snapshot.game_id
        assert refusal_of(counter.creation.create, "club", wrong) == "unknown-bot"
        stranger = counter.callers.who_asks(None)
        assert refusal_of(counter.seats.take, taken, 1, NAME, None, stranger) == "seat-taken"
        assert not [key for key in dump(link) if b":player" in key]

    def test_a_refused_game_is_refused_without_a_store(self, short_path: Path) -> None:
        """A refusal by the game needs none; a good one cannot be created."""
        nowhere = application_on(link_to(f"unix://{short_path}/nowhere", 1.0))
        high = NewGame("counter", {"goal": "high"}, HUMANS)
        assert refusal_of(nowhere.creation.create, "club", high) == "validation-error"
        with pytest.raises(StoreUnavailable):
            nowhere.creation.create("club", NewGame("counter", {}, HUMANS))

    def test_a_player_without_a_game_is_found_by_the_next(
        self, counter: Application, link: RedisClient
    ) -> None:
        """As where a process died between the two; games made from a game have ids already, and names show.

        A player is known since the moment of the enrolment, which is the first game's unless there was a death.
        """
        ada = counter.players.enrol("club", NAME, AT)
        first = counter.creation.create("club", NewGame("counter", {}, HUMANS)).snapshot
        assert first.status.seats[0].player == ada
        assert len([key for key in dump(link) if b":player-key:" in key]) == 1
        again = counter.creation.create("club", NewGame("counter", {}, first.status.seats)).snapshot
        assert again.status.seats == first.status.seats
        assert counter.views.game_document(again, None)["seats"][0]["player"] == NAME
        other = counter.creation.create("team", NewGame("counter", {}, HUMANS)).snapshot
        known = counter.players.get("team", other.status.seats[0].player or "")
        assert known.created_at == other.secrets.created_at
        assert datetime.fromisoformat(known.created_at).tzinfo == UTC


class TestTheAppendOnlyFile:
    """Erased players leave the embedded server's files."""

    def test_erased_players_leave_the_files(self, short_path: Path) -> None:
        """By one rewrite, which settles the count of erasures; the next one has to wait."""
        with EmbeddedServer(short_path) as server:
            link, clock = link_to(server.url, 5.0), Clock()
            players, forgetting = Players(RedisPlayerStore(link)), AofRewriter(link, clock)
            ada, bo = (players.enrol("club", name, AT) for name in ("ada", "bo"))
            key, of_bo = (link.call("GET", keys.player_key(player)) for player in (ada, bo))
            sealed = link.call("HGET", keys.player(ada), "sealed")
            players.erase("club", ada)
            assert all(in_files(short_path, part) for part in (key, sealed, of_bo))
            until(lambda: settled(forgetting, link))
            until(lambda: not in_files(short_path, key) and not in_files(short_path, sealed))
            assert in_files(short_path, of_bo)
            players.erase("club", bo)
            assert not settled(forgetting, link)
            clock.now += PAUSE
            until(lambda: settled(forgetting, link))
            until(lambda: not in_files(short_path, of_bo))

    def test_a_rewrite_that_nobody_saw_the_end_of_is_done_again(self, short_path: Path) -> None:
        """The dispatcher that began it has died, or the server has: the count is still there."""
        with EmbeddedServer(short_path) as server:
            link = link_to(server.url, 5.0)
            players = Players(RedisPlayerStore(link))
            players.erase("club", players.enrol("club", NAME, AT))
            begun = AofRewriter(link)
            begun.step()
            server.stop()
            server.start()
            begun.step()  # another run of the server: what it says of its last rewrite is about none of ours
            assert not settled_already(link)
            another = AofRewriter(link)
            until(lambda: settled(another, link))

    def test_a_server_that_refuses_is_left_alone(
        self, link: RedisClient, redis_url: str, caplog: pytest.LogCaptureFixture
    ) -> None:
        """It is said in the log, once in a while; where there is no file, the count is taken back at once."""
        players = Players(RedisPlayerStore(link))
        players.erase("club", players.enrol("club", NAME, AT))
        link.call("ACL", "SETUSER", "limited", "on", "nopass", "~*", "+@all", "-info", "-bgrewriteaof")
        limited = link_to(redis_url.replace("unix://", "unix://limited:x@"), 5.0)
        forgetting = AofRewriter(limited)
        for _ in range(2):
            forgetting.step()
        assert len(caplog.records) == 1
        link.call("ACL", "DELUSER", "limited")
        assert not settled_already(link)
        assert settled(AofRewriter(link), link)


def in_files(directory: Path, searched: bytes) -> bool:
    files = [file for file in directory.rglob("*aof*") if file.is_file()]
    return any(searched in file.read_bytes() for file in files)


def settled(forgetting: AofRewriter, link: RedisClient) -> bool:
    forgetting.step()
    return settled_already(link)


def settled_already(link: RedisClient) -> bool:
    return not [key for key in link.call("KEYS", "*") if key.endswith(b":erasures")]
