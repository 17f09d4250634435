"""Retention: old games leave the listings and the archive; what proves them stays, wherever the process dies."""

import json
import re
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from itertools import count
from pathlib import Path

import pytest

from benchmarks.retention import APP, DAY, Simulation, months
from events.archive.rolls import Rolls, day_number
from events.archive.storage import Directory
from events.errors import GamePruned
from events.features.apps.keys import FRESH, AppKeys
from events.features.listings.projection import Listings
from events.features.ratings.redis import ratings as results_in_redis
from events.fsck import lines, results
from events.log.signing import Keyring
from events.retention.apps import delete_app
from events.retention.players import erase_unseen, players_of
from events.retention.retention import NoSigningKey, Retained
from events.runtime import adapters
from events.runtime.key_files import load
from events.runtime.settings import Settings
from events.store import keys
from service.cli.commands.projections import rebuild_all
from service.http.app import create_app
from tests.archive.test_mover import Death
from tests.support.command import migrato
from tests.support.sure import sure

LISTED, KEPT = 10, 30  # days


@pytest.fixture
def settings(settings: Settings, tmp_path: Path) -> Settings:
    """Games are listed for ten days and kept for thirty."""
    keys = tmp_path / "keys"
    return replace(settings, signing_keys=keys, listings_keep=LISTED * DAY, archive_keep=KEPT * DAY)


@pytest.fixture
def on(settings: Settings) -> Simulation:
    """An engine with few players, whose games have data of the app's own."""
    return Simulation(settings, 5, own_data=True)


def later(on: Simulation, days: float) -> None:
    on.clock.at += timedelta(days=days)


def command(on: Simulation, *arguments: str) -> tuple[int, str]:
    """The exit code and the output of `migrato archive ...` for this store, by the clock of the machine."""
    settings = on.settings
    environ = {
        "MIGRATO_REDIS_URL": sure(settings.redis_url),
        "MIGRATO_ARCHIVE": sure(settings.archive),
        "MIGRATO_SIGNING_KEYS": str(settings.signing_keys),
    }
    done = migrato("archive", *arguments, **environ)
    return done.exit_code, done.output


def expired(on: Simulation) -> None:
    """Remove the locks of processes that have died, as if they had expired."""
    on.link.call("DEL", keys.RETAINING, *map(keys.archiving, range(keys.PARTITIONS)))


def ratings(on: Simulation) -> list[object]:
    page, _ = on.application.leaderboards.page(APP, "migo", "untimed", 10)
    return [{name: value for name, value in one.items() if name != "player"} for one in page]


def export_of(on: Simulation, game_id: str) -> bytes:
    """The export of a game that the archive has."""
    return sure(on.reader.find_once(game_id)).export


def of_game(on: Simulation, game_id: str) -> list[str]:
    """The keys that have something of the game, but for what ratings rest on, and what expires."""
    found = []
    for key in on.link.call("KEYS", "*"):
        name = key.decode()
        kind = on.link.call("TYPE", key)
        reading = {b"hash": ("HKEYS", key), b"zset": ("ZRANGE", key, 0, -1), b"set": ("SMEMBERS", key)}.get(
            kind
        )
        members = [key] if reading is None else [key, *on.link.call(*reading)]
        if any(game_id.encode() in member for member in members) and not re.search(
            ":(results|counting)", name
        ):
            found.append(name)
    return found


def test_old_games_leave_listing_and_archive(on: Simulation) -> None:
    """First the listing, with all that Redis keeps of the game but its result; then the archive, which keeps a proof.

    The ratings stay as they are, and a rebuild comes to the same.
    """
    old = on.play(3)
    later(on, LISTED + 1)
    young, before = on.play(1), ratings(on)
    assert on.let_go().unlisted == 3
    assert [line["id"] for line in on.application.listing.page(APP).games] == young
    assert on.application.listing.page(APP, external_id="order-0").games == []
    assert on.application.views.snapshot(old[0]).is_settled
    assert [of_game(on, game_id) for game_id in old] == [[]] * 3
    export, current = export_of(on, old[0]), on.application.views.snapshot(old[0])
    later(on, KEPT - LISTED)
    done = on.let_go()
    assert (done.pruned, done.days, done.left) == (3, 1, {})
    with pytest.raises(GamePruned) as pruned:
        on.application.views.snapshot(old[0])
    told = pruned.value.data
    assert (told["version"], told["head"]) == current.stream_head
    assert told["digest"] == sha256(export).hexdigest()
    roll = Rolls(on.reader.storage).of_day("2024/01/01")
    assert sorted(roll) == sorted(old)
    assert {sure(entry.line)["status"] for entry in roll.values()} == {"finished"}
    assert on.findings() == []
    assert rebuild_all(on.settings).pruned == 3
    assert ratings(on) == before
    on.let_go()
    assert on.findings() == []


@pytest.mark.parametrize("at_once", [5, 100])
def test_old_results_only_count_as_meetings(
    on: Simulation, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They have no ratings and stand in no player's results any more; those that follow come out as from all."""
    monkeypatch.setattr(results_in_redis, "THINNED", at_once)
    for _ in range(12):
        on.play(1)
        later(on, 0.01)
    later(on, LISTED + 1)
    on.let_go()
    lines = on.link.call("HVALS", keys.results(APP))
    of_players = on.link.call("KEYS", keys.results_of(APP, "migo:none", "*"))
    places = sum(on.link.call("ZCARD", key) for key in of_players if not key.endswith(b":people"))
    rated = sum(not line.endswith(b"\n") for line in lines)
    assert (len(lines), 0 < rated < 6, places) == (12, True, 2 * rated)
    for _ in range(6):
        on.play(1)
        later(on, 0.01)
    before = ratings(on)
    assert on.findings() == []
    rebuild_all(on.settings)
    assert ratings(on) == before


def test_a_death_at_any_step_is_mended_by_the_next_run(on: Simulation) -> None:
    """A run dies one step later each time: nothing is lost, and the next run ends what it began."""
    for steps in count(1):
        old = on.play(2)
        later(on, KEPT + 2)
        on.mover().run()
        left = count(steps, -1)

        def step(what: str, left: "count[int]" = left) -> None:
            if next(left) == 0:
                raise Death(what)

        try:
            on.retention(step).run()
        except Death:
            assert [one for one in on.findings() if not one.startswith("leftover")] == []
            expired(on)
            on.retention().run()
            died = True
        else:
            died = False
        assert on.findings() == []
        for game_id in old:
            with pytest.raises(GamePruned):
                on.application.views.snapshot(game_id)
        if not died:
            break
    assert steps > 8
    assert command(on, "verify")[0] == 0


def test_two_at_once_and_a_second_time(on: Simulation) -> None:
    """The second one leaves it to the first one; where the first one's lock has expired, both do the same."""
    old = on.play(3)
    later(on, KEPT + 2)
    on.mover().run()
    others = list[Retained]()

    def step(what: str) -> None:
        if not others:
            others.append(on.retention().run())
            expired(on)
            others.append(on.retention().run())

    on.retention(step).run()
    busy, done = others
    assert busy.busy
    assert not done.left
    assert sorted(Rolls(on.reader.storage).of_day("2024/01/01")) == sorted(old)
    assert (on.let_go().pruned, on.findings()) == (0, [])


def test_a_pruned_game_is_told_from_one_that_was_dropped(on: Simulation) -> None:
    """By the signed roll: a file that somebody removed is a fault of `verify` and of fsck, one that was pruned none."""
    on.play(1)
    later(on, KEPT)
    dropped = on.play(1)[0]
    later(on, LISTED + 2)
    done = on.let_go()
    assert (done.unlisted, done.pruned) == (2, 1)
    assert command(on, "verify")[0] == 0
    (name,) = on.reader.files()
    on.reader.storage.remove(name)
    code, told = command(on, "verify")
    assert code == 1
    assert f"Game {dropped} is in the roll of" in told
    assert {"game-dropped", "rating-orphan"} <= {one.split()[0] for one in on.findings()}


def test_a_roll_that_was_changed_proves_nothing(on: Simulation) -> None:
    """Its end is made anew for other entries, by nobody's key; and a pruned game of which no roll tells is a fault."""
    (game_id,) = on.play(1)
    later(on, KEPT + 2)
    on.let_go()
    rolls = Rolls(on.reader.storage)
    (name,) = rolls.names()
    entries = rolls.of_day("2024/01/01")
    forged = {game_id: replace(entries[game_id], head="0" * 64)}
    on.reader.storage.remove(name)
    Rolls(on.reader.storage).add("2024/01/01", forged.values(), Keyring())
    code, told = command(on, "verify")
    assert code == 1
    assert "It is not signed." in told
    assert [one.split()[0] for one in on.findings()] == ["roll-wrong"]
    (name,) = rolls.names()
    on.reader.storage.remove(name)
    assert [one.split()[0] for one in on.findings()] == ["pruned-orphan"]


def test_a_pruned_game_is_gone_for_every_caller(on: Simulation) -> None:
    """The service says when it ended, and keeps private games to those who may know of them; no id comes again."""
    public = on.play(1)[0]
    hidden = on.application.creation.create(APP, replace(on.new(), visibility="private"))
    private = hidden.snapshot.game_id
    on.application.moves.play(private, 0, {"type": "resign"})
    on.application.bot_turns.score_game(private)
    later(on, KEPT + 2)
    on.let_go()
    client = create_app(on.settings, on.application).test_client()
    gone = client.get(f"/v1/games/{public}")
    document = gone.get_json()
    assert (gone.status_code, document["code"]) == (404, "game-pruned")
    assert "ended on 2024-01-01" in document["detail"]
    assert document["pruned_at"].startswith("2024-02-02")
    for path in ("", "/events", "/export", "/replay", "/head"):
        assert client.get(f"/v1/games/{public}{path}").get_json()["code"] == "game-pruned", path
    assert client.post(f"/v1/games/{public}/fork", json={"version": 2}).get_json()["code"] == "game-pruned"
    assert client.get(f"/v1/games/{private}").get_json()["code"] == "not-found"
    token = {"Authorization": f"Bearer {hidden.tokens[0]}"}
    for path, method in (("", "get"), ("/moves", "post"), ("/rematch", "post")):
        answer = getattr(client, method)(f"/v1/games/{private}{path}", headers=token, json={"type": "resign"})
        assert answer.get_json()["code"] == "game-pruned", path


def test_nothing_is_pruned_without_a_key(on: Simulation) -> None:
    """Without a key nothing is pruned, because nobody could later tell pruned games from lost ones."""
    on.play(1)
    later(on, KEPT + 2)
    on.mover().run()
    retention = on.retention(keyring=Keyring)
    with pytest.raises(NoSigningKey):
        retention.run()
    assert len(on.reader.files()) == 1


def test_fsck_finds_a_game_of_which_no_roll_of_its_day_tells(on: Simulation) -> None:
    """Also where the roll proves as many games as Redis knows, and where a second roll of the day proves them again."""
    (game_id,) = on.play(1)
    later(on, KEPT + 2)
    on.let_go()
    day, games, rolls = "2024/01/01", adapters.whole_games(on.settings), Rolls(on.reader.storage)
    stranger, (name,) = "x" * 22, rolls.names()
    assert on.findings() == []
    games.note_pruned(day_number(day), [stranger])
    orphan = f"pruned-orphan {stranger} {keys.pruned(keys.partition_of(stranger))}"
    assert on.findings() == [orphan]
    on.link.call("HDEL", keys.pruned(keys.partition_of(game_id)), game_id)
    assert {f"pruned-unknown {game_id} {name}", orphan} < set(on.findings())
    games.note_pruned(day_number(day), [game_id])
    content = on.reader.storage.read(name)
    entry = replace(rolls.of_day(day)[game_id], game_id="y" * 22, pruned=None)
    rolls.add(day, [entry], load(sure(on.settings.signing_keys)))
    on.reader.storage.stage(name, content)
    assert len(rolls.names()) == 2
    assert orphan in on.findings()


def test_many_games_have_the_archive_listed_as_often_as_few(
    on: Simulation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The archive is listed as a whole as often for many games as for few, and fsck reads each roll once."""
    looks, read, names, reads = list[str | None](), list[str](), Directory.names, Directory.read

    def listed(directory: Directory, pattern: str = "*", day: str | None = None) -> list[str]:
        looks.append(day)
        return names(directory, pattern, day)

    def content(directory: Directory, name: str) -> bytes:
        read.append(name)
        return reads(directory, name)

    monkeypatch.setattr(Directory, "names", listed)
    monkeypatch.setattr(Directory, "read", content)
    of_few, of_many = list[int](), list[int]()
    for games, counts in ((1, of_few), (12, of_many)):
        on.play(games)
        later(on, LISTED + 2)
        for act in (on.mover().run, on.retention().run, on.findings):
            looks.clear()
            act()
            counts.append(looks.count(None))
    assert of_many == of_few
    later(on, KEPT)
    assert on.let_go().pruned == 13
    read.clear()
    assert on.findings() == []
    assert sorted(read) == Rolls(on.reader.storage).names()


def test_fsck_compares_games_with_lines_and_results_some_at_a_time(
    on: Simulation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each fault is found, wherever its game stands among them."""
    for module in (lines, results):
        monkeypatch.setattr(module, "AT_ONCE", 2)
    ids = on.play(5)
    assert on.findings() == []
    for game_id in ids[::2]:
        on.link.call("HDEL", keys.lines(APP), game_id)
        on.link.call("HDEL", keys.results(APP), game_id)
    found = [one.split()[:2] for one in on.findings()]
    for code in ("listing-wrong", "result-missing"):
        assert sorted(game_id for what, game_id in found if what == code) == sorted(ids[::2])


def test_a_restored_game_stays(on: Simulation) -> None:
    """A game that the operator has brought back is not pruned, and says so; results and lines stay as they are."""
    (game_id,) = on.play(1)
    later(on, LISTED + 2)
    on.let_go()
    assert command(on, "restore", game_id)[0] == 0
    later(on, KEPT)
    done = on.retention().run()
    assert (done.pruned, [*done.left]) == (0, [game_id])
    assert on.findings() == []


def test_damage_stays_and_the_rest_goes(on: Simulation) -> None:
    """A roll or a line that cannot be read ends no worker: its day or its game is told of, all others go."""
    on.play(1)
    day = "2024/01/01"
    roll = Path(sure(on.settings.archive)) / day / f"roll-{'0' * 64}.gz"
    roll.parent.mkdir(parents=True)
    roll.write_bytes(b"half of it")
    later(on, 1)
    line, other = on.play(2)
    on.link.call("HSET", keys.lines(APP), line, "9:{")
    later(on, KEPT + 2)
    done = on.let_go()
    assert (set(done.left), done.unlisted, done.pruned) == (
        {f"The listing of {APP} on {day}", line, day},
        1,
        2,
    )
    with pytest.raises(GamePruned):
        on.application.views.snapshot(other)
    rebuilt = rebuild_all(on.settings)
    assert (set(rebuilt.left), rebuilt.pruned) == ({f"What was pruned of {day}"}, 2)
    on.link.call("DEL", *map(keys.pruned, range(keys.PARTITIONS)))
    code, told = command(on, "restore", "--all")
    assert (code, "2 games that were pruned are known" in told, "damaged: 1" in told) == (1, True, True)


def test_an_app_is_deleted_and_its_games_stay(on: Simulation) -> None:
    """Its keys, players, listing, ratings and data go; nothing that comes late is listed, and it is gone once."""
    engine = on.application
    engine.apps.create(APP)
    store = adapters.app_store(on.settings)
    (old,) = on.play(1)
    running = engine.creation.create(APP, on.new()).snapshot.game_id
    on.dispatch()
    environ = {"MIGRATO_REDIS_URL": sure(on.settings.redis_url), "MIGRATO_ARCHIVE": sure(on.settings.archive)}
    done = migrato("apps", "delete", APP, "--yes", "--json", **environ)
    assert (done.exit_code, done.stderr) == (0, "")
    told = json.loads(done.stdout)
    assert (told["aborted"], told["players"] >= 2) == (1, True)
    assert sure(engine.views.snapshot(running).status.result).reason == "aborted"
    assert engine.views.snapshot(old).is_settled
    engine.listing.update(old, anew=True)
    engine.leaderboards.enter(old)
    kept = [key.decode() for key in on.link.call("KEYS", "{app:*")]
    assert kept == [f"{{app:{APP}}}:horizon"]
    assert on.link.call("KEYS", "{p???}:player*") == []
    assert on.findings() == []
    assert migrato("apps", "delete", APP, "--yes", **environ).exit_code == 2
    assert AppKeys(store=store).exist()  # or everybody would be the one app there is


def test_a_deleted_app_whose_key_is_still_believed(on: Simulation) -> None:
    """A process that has used the key lets its callers in for a second: their games and players go as well."""
    engine, store, late = on.application, adapters.app_store(on.settings), list[str]()
    AppKeys(store=store).known(engine.apps.create(APP).text)

    def wait(seconds: float) -> None:
        assert seconds >= FRESH
        late.append(engine.creation.create(APP, on.new()).snapshot.game_id)
        on.dispatch()

    listings = Listings(adapters.of_retention(on.settings)[0])
    done = delete_app(APP, engine, store, listings, adapters.whole_games(on.settings), wait=wait)
    assert (done.aborted, done.players, len(late)) == (1, 2, 1)


def test_players_who_were_not_seen_for_long_are_erased(on: Simulation) -> None:
    """Not those who have played since, even if a roll alone tells so, nor those who sit at a game."""
    on.play(6)
    sitting = {seat.player for seat in on.application.creation.create(APP, on.new()).snapshot.status.seats}
    on.dispatch()
    later(on, 100)
    since = int(on.clock.at.timestamp() * 1000)
    (recent,) = on.play(1)
    later(on, LISTED + 1)
    assert on.let_go().unlisted == 7
    seen = sitting | {seat.player for seat in on.application.views.snapshot(recent).status.seats}
    listings, rolls = Listings(adapters.of_retention(on.settings)[0]), Rolls(on.reader.storage)
    games, engine = adapters.whole_games(on.settings), on.application
    before = {one.id for one in players_of(games, engine)}
    assert erase_unseen(since, games, engine, listings, rolls) == len(before - seen)
    assert {one.id for one in players_of(games, engine)} == seen
    assert on.findings() == []


@pytest.mark.nightly(
    "a month in which old games are let go while others are played, and something is left behind"
)
def test_months_go_by(on: Simulation) -> None:
    """The store stays as large as it is, fsck is clean each month, and nothing but proofs and last results is left."""
    sizes = [(month.findings, month.store_bytes) for month in months(on, 90, 4)]
    assert [findings for findings, _ in sizes] == [[], [], []]
    assert sizes[2][1] < 1.2 * sizes[1][1]
