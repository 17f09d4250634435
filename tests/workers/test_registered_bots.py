"""An app's own bots at play: each game is asked of its version, whatever happens to the bot meanwhile."""

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module

import pytest
from redis import Redis
from standardwebhooks import Webhook, WebhookVerificationError

from domain.bot import Budget
from domain.errors import DomainError
from domain.lifecycle import Seat
from domain.migo.net import checked_in as migo_nets
from domain.migrato.net import checked_in as migrato_nets
from domain.net.written import fingerprint
from domain.registry import game_named
from events.application import Application
from events.audit.seats import misdrawn
from events.audit.verify import verify
from events.engine.bot_decision import present_bot, seated_bot
from events.engine.new_game import NewGame
from events.engine.new_game_form import NEW_GAMES
from events.errors import BotNotFound
from events.features.ratings.results import time_class
from events.features.registered_bots.health import BOUNDS, health_of
from events.features.registered_bots.records import BotVersion, RegisteredBot
from events.features.signing_secrets import SigningSecret
from events.features.usage.counting import Counting
from events.features.usage.redis import RedisUsage, RedisUsageSource
from events.log.snapshot import Snapshot
from events.runtime import adapters, bootstrap
from events.runtime.settings import Settings
from events.store import keys
from events.store.due_games import PARTITIONS
from events.store.link import link_to
from tests.audit.games import parsed, sound
from tests.support.bot_server import BotServer, answer, bot_server
from workers.remote import job
from workers.remote.client import RemoteBotClient

EXCHANGE = answer({"move": {"type": "exchange"}})
SECONDS = 20.0


@pytest.fixture
def settings(redis_url: str) -> Settings:
    """Settings of an operator who allows bots on this machine."""
    allowed = ("127.0.0.1",)
    return Settings(redis_url=redis_url, queue_url=redis_url, remote_allow=allowed, remote_seconds=SECONDS)


@pytest.fixture(autouse=True)
def _in_this_process(application: Application, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    caller = RemoteBotClient(bootstrap.guard(settings), SECONDS, lambda _: None)
    monkeypatch.setattr(job, "application", lambda: application)
    monkeypatch.setattr(job, "caller", lambda: caller)


def register(application: Application, server: BotServer) -> str:
    """A version of the bot; its secret, of the first one."""
    return str(application.bots.register("club", "mine", server.url, None, "", None)[1])


def begin(application: Application, bot: str = "mine") -> str:
    """A game that the bot begins against a person; its id."""
    seats = (Seat("bot", bot=bot), Seat("human"))
    return application.creation.create("club", NewGame(seats=seats)).snapshot.game_id


def play(application: Application, game_id: str) -> list[str]:
    """The types of the events of the turn that is due now, and why another moved in the bot's place."""
    before = application.views.snapshot(game_id).version
    job.play(game_id, before)
    events = application.views.history(game_id, before)
    return [event.record.data.get("fallback") or event.type for event in events]


def test_a_version_is_rolled_back_under_play(application: Application) -> None:
    """Every game is asked of the version with which it was created, before and after, and by the secret of then."""
    with bot_server(EXCHANGE) as one, bot_server(EXCHANGE) as two:
        register(application, one)
        first = begin(application)
        register(application, two)
        application.bots.change("club", "mine", {"current": 2})
        second = begin(application)
        application.bots.change("club", "mine", {"current": 1})
        third = begin(application)
        application.bots.change("club", "mine", {"retired": [2]})
        for game_id in (first, second, third):
            assert play(application, game_id)[0] == "hand_exchanged"
        fourth = begin(application)
        job.stand_in(fourth, application.views.snapshot(fourth).version)
        asked = [
            [one.headers["webhook-id"].split("-")[0] for one in server.received] for server in (one, two)
        ]
    assert asked == [[first, third], [second]]
    counts = application.bots.counts("club")
    assert [health_of(counts[f"mine@{number}"])["answered"] for number in (1, 2)] == [2, 1]
    assert health_of(counts["mine@1"])["fallbacks"] == {"suspended": 1}
    assert health_of(counts["mine@2"])["p95_ms"] in BOUNDS


def test_moves_count_for_the_version_that_was_asked(application: Application, redis_url: str) -> None:
    """Those of a bot that was registered by its name and version, and those of any other as `remote`."""
    with bot_server(EXCHANGE) as server:
        for strength in ("weak", "fair", "strong"):
            application.bots.register("club", "mine", server.url, None, strength, None)
        application.bots.change("club", "mine", {"current": 3})
        remote = NewGame(seats=(Seat("remote"), Seat("human")), remotes={0: (server.url, None)})
        for game_id in (begin(application), application.creation.create("club", remote).snapshot.game_id):
            assert play(application, game_id)[0] == "hand_exchanged"
    link = link_to(redis_url, 10.0)
    Counting(RedisUsage(link), RedisUsageSource(link, link)).step(PARTITIONS)
    bots = application.usage.report("club")["total"]["bots"]
    assert {bot["bot"]: bot["moves"] for bot in bots} == {"mine@3": 1, "remote": 1}


def test_no_game_waits_for_a_bot_that_is_gone(application: Application, settings: Settings) -> None:
    """Neither one whose version was removed, nor one of an app that was deleted."""

    def bot() -> None:
        application.bots.change("club", "mine", {"removed": [1]})

    def app() -> None:
        adapters.app_store(settings).delete("club")

    gone: tuple[Callable[[], None], ...] = (bot, app)
    for remove in gone:
        with bot_server(EXCHANGE) as server:
            if remove is app:
                application.apps.create("club")
            register(application, server)
            game_id = begin(application)
            remove()
            assert play(application, game_id)[0] == "unreachable", remove.__name__
            assert server.received == []
        with pytest.raises(BotNotFound):
            application.bots.get("club", "mine")


def test_a_former_secret_signs_for_as_long_as_it_was_promised(application: Application) -> None:
    """In a game that was created before as well."""
    with bot_server(EXCHANGE) as server:
        old = register(application, server)
        games = [begin(application) for _ in range(2)]
        new, until = application.bots.rotate("club", "mine", 60)
        assert until is not None
        play(application, games[0])
        newest, until = application.bots.rotate("club", "mine", 0)
        assert until is None
        play(application, games[1])
        during, after = server.received
    for secret in (old, new):
        assert Webhook(secret).verify(during.body, during.headers)
        with pytest.raises(WebhookVerificationError):
            Webhook(secret).verify(after.body, after.headers)
    assert Webhook(newest).verify(after.body, after.headers)


def test_a_bot_whose_secrets_are_lost_gets_another(application: Application, redis: Redis) -> None:
    """A store that was restored may know the bot alone."""
    with bot_server(EXCHANGE) as server:
        register(application, server)
    redis.delete(keys.bot_secrets("club"))
    secret, until = application.bots.rotate("club", "mine", 60)
    assert until is None
    place = application.bots.place("club", "mine", 1)
    assert place is not None
    assert place.secret == secret


def test_of_two_who_register_at_once_one_has_made_the_secret(application: Application) -> None:
    """Also in the same millisecond: nobody is told a secret that signs nothing."""
    at, store = "2026-11-29T00:00:00.000Z", application.bots.store
    bot = RegisteredBot("club", "mine", at, (BotVersion(1, "https://example.com/", "", at),), 1, registered=1)
    first = [SigningSecret("one")]
    assert [store.put(None, bot, 9, first) for _ in range(2)] == ["done", "done"]
    assert store.put(None, bot, 9, [SigningSecret("two")]) == "changed"
    assert store.secrets("club", "mine") == first


def test_a_drawn_version_is_verified(application: Application) -> None:
    """So is a game in which a former version of an engine's bot is pinned; another draw than the seed's is found."""
    with bot_server(answer(status=404)) as server:
        register(application, server)
        application.bots.register("club", "mine", f"{server.url}/2", None, "", 50)
        pinned = Seat("bot", bot="level-5@2-90254018")
        search = Seat("bot", bot="ismcts", budget=Budget(iterations=5))
        for other in (pinned, search):
            end = finished(application, Seat("bot", bot="mine"), other)
            export = b"".join(application.exports.pieces(end, None))
            report = sound(verify(parsed(export), bots=True))
            assert report.unasked == 0
            assert [remark.detail for remark in report.remarks if remark.about == "bots"] == []
            assert (b'"version":"2-90254018"' in export) == (other is pinned)
            assert (b'"budget":{"iterations":5}' in export) == (other is search)
            seats, seed = end.status.seats, end.secrets.seed
            assert misdrawn(seats, seed, end.game_id) is None
            other_one = replace(seats[0], version="2" if seats[0].version == "1" else "1")
            assert misdrawn((other_one,), seed, end.game_id) is not None


def finished(application: Application, *seats: Seat) -> Snapshot:
    """A game of bots at its end."""
    return finished_of(application, NewGame(seats=seats, options={"turn_limit": 12}))


def finished_of(application: Application, new: NewGame) -> Snapshot:
    """The game at its end."""
    now = application.creation.create("club", new).snapshot
    while now.status.status != "finished":
        if now.status.seats[now.status.to_act or 0].kind == "remote":
            job.play(now.game_id, now.version)
        else:
            application.bot_turns.bot_move(now.game_id, now.version)
        now = application.views.snapshot(now.game_id)
    application.bot_turns.score_game(now.game_id)
    return application.views.snapshot(now.game_id)


def test_a_bot_of_a_version_that_is_gone_plays_on_as_it_is_now() -> None:
    """The record of its moves says so; a version that is kept is the one that plays."""
    game = game_named("migrato")
    assert seated_bot(game, Seat("bot", bot="level-5", version="2-00000000")) is game.bots["level-5"]
    assert seated_bot(game, Seat("bot", bot="level-5", version="2-90254018")).version == "2-90254018"


def test_only_a_seat_of_a_new_game_takes_a_version(application: Application) -> None:
    """A hint and a bot that takes over are by the present one, and say so."""
    game = application.creation.create("club", NewGame(seats=(Seat("human"), Seat("human")))).snapshot
    with pytest.raises(DomainError, match="Only a seat of a new game"):
        application.hints.wanted(game.game_id, 0, "level-5@2-90254018")
    with pytest.raises(DomainError, match="Only a seat of a new game"):
        present_bot(game.game, "level-5@2-90254018")


def test_former_nets_are_what_they_are_called() -> None:
    """Two of each game at the most, and each can be played by; the engine has three nets with the present one."""
    for name, nets in (("migrato", migrato_nets), ("migo", migo_nets)):
        assert len(nets.FORMER) <= 2
        for weights in nets.FORMER:
            module = import_module(f"domain.{name}.net.former_{weights}")
            assert fingerprint(module.NET) == weights
            assert nets.trained(weights) is not nets.trained()
    with pytest.raises(DomainError, match="has no version '9'"):
        game_named("migo").bot("net@9")


def test_a_store_of_a_former_format_gets_neither(
    application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process of the former release could not read such a game."""
    application.bots.register("club", "mine", "http://127.0.0.1:9/", None, "", None)
    monkeypatch.setattr(NEW_GAMES, "has_bots", False)
    for seat in (Seat("bot", bot="mine"), Seat("bot", bot="ismcts", budget=Budget(iterations=5))):
        with pytest.raises(DomainError, match="former format"):
            application.creation.create("club", NewGame(seats=(seat, Seat("human"))))
    assert application.listing.page("club").games == []


def test_a_version_is_rated_by_itself_and_again_after_a_rebuild(application: Application) -> None:
    """Against a measured bot of the engine, which its games do not move; nor do they move a person."""
    with bot_server(answer(status=404)) as server:
        register(application, server)
        options = {"first_seat": "random"}
        seats = (Seat("bot", bot="mine"), Seat("bot", bot="greedy"))
        game = finished_of(application, NewGame(seats=seats, options=options))
        person = Seat("human", player="ada")
        new = NewGame(seats=(Seat("bot", bot="mine"), person), options=options)
        against = application.creation.create("club", new).snapshot
    assert game.is_rated
    application.moves.play(against.game_id, 1, {"type": "resign"})
    application.bot_turns.score_game(against.game_id)

    def rate() -> dict[str, object]:
        for game_id in (game.game_id, against.game_id):
            entered = application.leaderboards.enter(game_id)
            assert entered is not None
        application.leaderboards.fold_all(lambda _: None)
        page, _ = application.leaderboards.page("club", "migrato", time_class(game), 10)
        return {
            str(one.get("bot") or "ada"): (one.get("version"), one["rating"], one["games"]) for one in page
        }

    rated = rate()
    assert (rated["mine"][0], rated["mine"][2]) == ("1", 2)  # type: ignore[index]
    assert "ada" not in rated
    assert rated["greedy"][1]["elo"] == game_named("migrato").strengths["greedy"].elo  # type: ignore[index]
    application.leaderboards.wipe()
    assert rate() == rated
