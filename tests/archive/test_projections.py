"""`migrato projections rebuild`: listings and ratings come back from the events, wherever these are."""

import threading
from itertools import pairwise

import orjson
import pytest

from domain.lifecycle import Seat
from events.application import Application
from events.engine.new_game import NewGame
from events.features.ratings.leaderboards import Leaderboard, Leaderboards
from events.runtime.settings import Settings
from events.store import keys
from events.store.connections.client import RedisClient
from service.cli.commands.projections import rebuild_all
from tests.archive.conftest import Place, play_on
from tests.support.sure import sure

NAMES = ("ada", "bo", "cy")
APP = "club"
DRAWN = {"first_seat": "random"}


def resigned(application: Application, *names: str) -> str:
    """A game that the second player gives up; its id."""
    seats = tuple(Seat("human", name) for name in names)
    game_id = application.creation.create(APP, NewGame("migo", DRAWN, seats, pairing="app")).snapshot.game_id
    application.moves.play(game_id, 1, {"type": "resign"})
    application.bot_turns.score_game(game_id)
    return game_id


def count(application: Application, game_id: str) -> None:
    application.listing.update(game_id)
    leaderboard = sure(application.leaderboards.enter(game_id))
    application.leaderboards.fold(*leaderboard)


@pytest.fixture
def games(place: Place) -> list[str]:
    """Some games of people, and one of bots; all of them are listed and rated."""
    played = [resigned(place.application, *pair) for pair in [*pairwise(NAMES), ("cy", "ada"), ("ada", "bo")]]
    seats = (Seat("bot", bot="greedy"), Seat("bot", bot="random"))
    bots = place.application.creation.create(APP, NewGame("migrato", DRAWN, seats))
    played.append(play_on(place.application, bots.snapshot.game_id))
    for game_id in played:
        count(place.application, game_id)
    return played


def kept(link: RedisClient) -> dict[bytes, list[tuple[bytes, bytes]]]:
    """All listings and ratings, but for how often ratings were worked out, and what is kept of running games."""
    found = {}
    for key in sorted(key for key in link.call("KEYS", "{app:*") if b":counting:" not in key):
        kind = link.call("TYPE", key)
        reading = ("HGETALL", key) if kind == b"hash" else ("ZRANGE", key, 0, -1, "WITHSCORES")
        pairs = sorted(zip(*[iter(link.call(*reading))] * 2, strict=True))
        at = ":" if b":ladders" in key else None
        found[key] = [(name, value.partition(at.encode())[2] if at else value) for name, value in pairs]
    return found


def rebuild(settings: Settings) -> None:
    rebuilt = rebuild_all(settings)
    assert rebuilt.left == {}


def test_nothing_changes(place: Place, games: list[str]) -> None:
    """Byte by byte, also when half of the games are in the archive, and once a player was erased."""
    before = kept(place.link)
    rebuild(place.settings)
    assert kept(place.link) == before
    place.move()
    for names in (("bo", "cy"), ("cy", "ada")):
        count(place.application, resigned(place.application, *names))
    before = kept(place.link)
    rebuild(place.settings)
    assert kept(place.link) == before
    entries, _ = place.application.leaderboards.page(APP, "migo", "none", 10)
    place.application.erasure.erase(APP, next(e["player_id"] for e in entries if e["player"] == "bo"))
    before = kept(place.link)
    rebuild(place.settings)
    assert kept(place.link) == before


def test_all_that_was_lost_comes_back(place: Place, games: list[str]) -> None:
    """Every key of listings and ratings, alone and all at once."""
    before = kept(place.link)
    for key in before:
        place.link.call("DEL", key)
        rebuild(place.settings)
        assert kept(place.link) == before, key
    for key in before:
        place.link.call("DEL", key)
    rebuild(place.settings)
    assert kept(place.link) == before


def test_beside_a_running_engine(place: Place, games: list[str]) -> None:
    """Games that end meanwhile count once, and nothing else comes to count."""
    played, stopped = list[str](), threading.Event()

    def play() -> None:
        while not stopped.is_set():
            played.append(resigned(place.application, *NAMES[len(played) % 2 : len(played) % 2 + 2]))
            place.application.listing.update(played[-1])
            leaderboard = sure(place.application.leaderboards.enter(played[-1]))
            try:
                place.application.leaderboards.fold(*leaderboard)
            except Exception:  # noqa: BLE001 -- the dispatcher logs it, and goes on
                continue

    playing = threading.Thread(target=play)
    playing.start()
    for _ in range(4):
        rebuild(place.settings)
    stopped.set()
    playing.join()
    place.application.leaderboards.fold_all(lambda _: None)
    lines = dict(kept(place.link)[keys.results(APP).encode()])
    assert sorted(game.decode() for game in lines) == sorted(games + played)
    after = kept(place.link)
    rebuild(place.settings)
    assert kept(place.link) == after


def test_a_game_that_cannot_be_read(place: Place, games: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """It is named, and left out, and so is one that the rules choke on; the others are there."""

    def enter(self: Leaderboards, game_id: str) -> Leaderboard | None:
        if game_id == games[0]:
            raise KeyError("winner")
        return entered(self, game_id)

    entered = Leaderboards.enter
    with monkeypatch.context() as patched:
        patched.setattr(Leaderboards, "enter", enter)
        rebuilt = rebuild_all(place.settings)
    assert (rebuilt.left, rebuilt.rated) == ({games[0]: "KeyError: 'winner'"}, len(games) - 1)
    place.link.call("XADD", keys.stream(games[0]), "*", "hello", "world")
    done = place.command("projections", "rebuild")
    assert done.exit_code == 1
    assert f"{games[0]} was left out" in done.stderr
    assert "4 games read, 4 of them rated." in done.stdout


@pytest.mark.parametrize("where", ["store", "archive"])
def test_fsck_compares_games_with_their_results(place: Place, games: list[str], where: str) -> None:
    """A result that is lost as a whole or in part, changed, or of a game that does not count."""
    unnamed = NewGame("migo", seats=(Seat("human"), Seat("human", "bo")))
    place.application.moves.play(
        place.application.creation.create(APP, unnamed).snapshot.game_id, 1, {"type": "resign"}
    )
    if where == "archive":
        place.move()

    def found() -> list[tuple[str, str | None]]:
        return [(one.code, one.game_id) for one in place.fsck(patience=-1.0).findings if "result" in one.code]

    assert found() == []
    results, places = keys.results(APP), keys.results_of(APP, "migo:none")
    line = place.link.call("HGET", results, games[1])
    other = place.link.call("HGET", results, games[2])
    for code, *change in (
        ("result-missing", "HDEL", results, games[1]),
        ("result-missing", "ZREM", places, orjson.loads(line.partition(b"\n")[0])[1]),
        ("result-wrong", "HSET", results, games[1], line.replace(b"[1,2]", b"[2,1]")),
        ("result-wrong", "HSET", results, games[1], other),
    ):
        place.link.call(*change)
        assert found() == [(code, games[1])]
        rebuild(place.settings)
        assert found() == []


def test_fsck_compares(place: Place, games: list[str]) -> None:
    """The ratings with the results that they follow from, and whether their games are there."""

    def codes() -> list[str]:
        return sorted(finding.code for finding in place.fsck().findings)

    assert codes() == []
    results, leaderboard = keys.results(APP), "migo:none"
    line = place.link.call("HGET", results, games[1])
    place.link.call("HSET", results, games[1], line.replace(b"[2", b"[3"))
    found = place.fsck().findings
    assert {finding.code for finding in found} == {"rating-wrong"}
    assert games[1] in {finding.game_id for finding in found}
    rebuild(place.settings)
    assert codes() == []
    (who, *_) = place.link.call("HKEYS", keys.ratings(APP, leaderboard))
    place.link.call("HSET", keys.ratings(APP, leaderboard), who, "[99,1,1,1]")
    assert codes() == ["rating-wrong"]
    rebuild(place.settings)
    for changed in (
        ("ZINCRBY", keys.ranks(APP, leaderboard), 1, who),
        ("ZREM", keys.ranks(APP, leaderboard), who),
        ("HSET", keys.ratings(APP, leaderboard), "pl_nobody", "[25,8,1,1]"),
        ("HDEL", keys.ratings(APP, "migrato:none"), "bot:greedy:1"),
    ):
        assert codes() == []
        assert place.link.call(*changed)
        assert codes() == ["rating-wrong"]
        rebuild(place.settings)
    for name in ("ladders", "results", f"results:{leaderboard}"):
        rebuild(place.settings)
        assert codes() == []
        place.link.call("SET", f"{{app:{APP}}}:{name}", "garbage")
        assert {"wrong-type"} <= set(codes()) <= {"wrong-type", "rating-wrong"}
    rebuild(place.settings)
    assert codes() == []
    place.link.call("DEL", *keys.append_keys(games[0])[:4])
    assert {"rating-orphan", "listing-orphan"} <= set(codes())
