"""Webhooks sent by real workers to real servers: at least once, in order for each game, whoever dies or hangs."""

import signal
import threading
import time
from dataclasses import replace
from pathlib import Path

import orjson
import pytest

from domain.lifecycle import Viewer
from events.apps.keys import FRESH, AppKeys
from events.games.new_game import NewGame
from events.log import serialisers
from events.redis import keys
from events.redis.connections.client import RedisClient
from events.runtime import bootstrap
from events.runtime.settings import Settings
from events.times import time_of
from events.use_cases.application import Application
from events.use_cases.webhooks.deliveries import of_message
from events.use_cases.webhooks.endpoints import EndpointState
from events.use_cases.webhooks.messages import LoggedMessage, Message
from tests.waiting import until
from tests.webhooks.conftest import PEOPLE, create, move
from tests.webhooks.receiver import Got, Json, receiver
from tests.webhooks.test_app_events import webhook_worker

LOCAL = {"MIGRATO_REMOTE_ALLOW": "127.0.0.0/8"}


@pytest.fixture
def keyed(keyed: Settings) -> Settings:
    """Settings under which receivers on this machine may be called."""
    return replace(keyed, remote_allow=("127.0.0.0/8",))


def hook(
    engine: Application,
    url: str,
    *types: str,
    app: str = "club",
    game_id: str | None = None,
    token: str | None = None,
) -> tuple[EndpointState, str]:
    """A new webhook, and its secret."""
    return engine.webhooks.create(app, url, types, "", game_id, token)


def all_logged(engine: Application, game_id: str) -> list[str]:
    """The ids of the game's messages in the log."""
    found, after = list[str](), "0"
    while (page := engine.app_logs.page("club", after, 100)).messages:
        found += [one.id for one in page.messages if one.message.game_id == game_id]
        after = page.next
    return found


def ids(documents: list[Json]) -> list[str]:
    """Theirs."""
    return [document["id"] for document in documents]


def state_of(engine: Application, state: EndpointState) -> EndpointState:
    """As it is now."""
    return engine.webhooks.get("club", state.endpoint.id)


def test_what_a_spectator_sees_signed_and_in_order(
    engine: Application, redis_url: str, tmp_path: Path
) -> None:
    """A game from its creation on: each message once, where nothing goes wrong."""
    with receiver() as server, webhook_worker(redis_url, tmp_path / "log", **LOCAL):
        _, secret = hook(engine, server.url)
        game_id, _ = create(engine)
        for _ in range(6):
            move(engine, game_id)
        final = engine.views.snapshot(game_id)
        until(
            lambda: (
                server.of_game(game_id)[-1:]
                and server.of_game(game_id)[-1]["data"]["turn"] == final.status.turn
            )
        )
        documents = server.of_game(game_id)
        assert ids(documents) == all_logged(engine, game_id)
        assert len(server.got) == len(documents)
        for got in server.got:
            assert got.is_signed_by(secret)
            assert got.headers["webhook-id"] == got.document["id"]
            assert got.headers["content-type"] == "application/json"
        for document in documents:
            version = document["data"]["version"]
            assert document["data"]["view"] == shown(engine, game_id, version, None)


def shown(engine: Application, game_id: str, version: int, viewer: Viewer) -> Json:
    """The view after that event."""
    snapshot = engine.views.snapshot(game_id, version)
    document = engine.views.game_document(snapshot, viewer)
    assert document == serialisers.game_document(snapshot, viewer) | {"seats": document["seats"]}
    return document


def test_a_seats_webhook_shows_what_that_seat_sees(
    engine: Application, redis_url: str, tmp_path: Path
) -> None:
    """And nothing of any other game; once its token is void, nothing at all."""
    game_id, tokens = create(engine)
    with receiver() as server, webhook_worker(redis_url, tmp_path / "log", **LOCAL):
        state, _ = hook(engine, server.url, token=tokens[1])
        assert (state.endpoint.game_id, state.endpoint.seat) == (game_id, 1)
        other, _ = create(engine)
        for _ in range(4):
            move(engine, game_id)
            move(engine, other)
        until(lambda: server.accepted)
        until(lambda: len(server.of_game(game_id)) == len(all_logged(engine, game_id)) > 0)
        assert server.of_game(other) == []
        for document in server.of_game(game_id):
            version = document["data"]["version"]
            assert document["data"]["view"] == shown(engine, game_id, version, 1)
            assert document["data"]["view"]["state"]["players"][0]["hand"] is None
        before = len(server.got)
        engine.interventions.replace_player(
            game_id, 1, "greedy", engine.callers.who_asks("key-of-the-club"), None
        )
        until(lambda: state_of(engine, state).endpoint.disabled == "seat")
        assert len(server.got) == before


def test_a_receiver_that_was_dead_gets_everything_in_order(
    engine: Application, redis_url: str, tmp_path: Path
) -> None:
    """Also where the worker is killed in the middle, again and again."""
    log = tmp_path / "log"
    with receiver() as first:
        hook(engine, first.url)
        games = [create(engine)[0] for _ in range(3)]
        with webhook_worker(redis_url, log, **LOCAL) as worker:
            until(lambda: all(first.of_game(game_id) for game_id in games), 20, log.read_text)
            port = first.port
            first.close()
            for _ in range(4):
                for game_id in games:
                    move(engine, game_id)
            time.sleep(1.5)
            worker.send_signal(signal.SIGKILL)
        accepted = first.accepted
    with webhook_worker(redis_url, log, **LOCAL):
        for _ in range(4):
            for game_id in games:
                move(engine, game_id)
        time.sleep(7)
    with receiver(port=port) as second, webhook_worker(redis_url, log, **LOCAL) as worker:
        second.accepted += accepted
        until(lambda: len(second.got) > 2, 30, log.read_text)
        worker.send_signal(signal.SIGKILL)
        with webhook_worker(redis_url, log, **LOCAL):
            for game_id in games:
                until(
                    lambda game_id=game_id: ids(second.of_game(game_id)) == all_logged(engine, game_id),  # type: ignore[misc]
                    40,
                    log.read_text,
                )
        for game_id in games:
            turns = [one["data"]["turn"] for one in second.of_game(game_id) if one["type"] == "turn.changed"]
            assert turns == list(range(1, engine.views.snapshot(game_id).status.turn + 1))


def test_who_hangs_and_who_is_slow_delay_nobody_else(
    engine: Application, redis_url: str, tmp_path: Path
) -> None:
    """Not another receiver of the same app, nor another app, nor a game: all of that happens while it hangs."""
    over, let_go = list[Got](), threading.Event()

    def hangs(got: Got) -> int | None:
        let_go.wait()
        over.append(got)
        return None

    def is_slow(_: Got) -> int | None:
        time.sleep(0.7)
        return 200

    with receiver(hangs) as hanging, receiver(is_slow) as slow, receiver() as good, receiver() as others:
        for server in (hanging, slow, good):
            hook(engine, server.url)
        hook(engine, others.url, app="other")
        with webhook_worker(redis_url, tmp_path / "log", **LOCAL):
            games = [create(engine)[0] for _ in range(4)]
            other, _ = create(engine, "other")
            until(lambda: hanging.got and slow.got)
            first = len(hanging.got)
            for _ in range(3):
                for game_id in games:
                    move(engine, game_id)
            until(lambda: all(ids(good.of_game(one)) == all_logged(engine, one) for one in games), 5)
            until(lambda: len(others.of_game(other)) == 3, 5)
            assert (over, hanging.accepted) == ([], [])
            assert first <= len(hanging.got) <= 8
            until(lambda: all(ids(slow.of_game(one)) == all_logged(engine, one) for one in games), 30)
        let_go.set()


def test_one_game_that_is_refused_holds_up_no_other(
    engine: Application, redis_url: str, tmp_path: Path
) -> None:
    """Its later messages wait for the one that is refused."""
    fine: list[str] = []
    refusing = [True]

    def refuses(got: Got) -> int | None:
        return 500 if refusing[0] and got.document["data"].get("game_id") not in fine else 200

    with receiver(refuses) as server, webhook_worker(redis_url, tmp_path / "log", **LOCAL):
        state, _ = hook(engine, server.url)
        fine.append(create(engine)[0])
        refused, _ = create(engine)
        move(engine, refused)
        until(lambda: len(server.of_game(fine[0])) == 3)
        until(lambda: state_of(engine, state).waiting >= 3)
        assert server.of_game(refused) == []
        waiting, _ = engine.webhooks.deliveries("club", state.endpoint.id, dead=False, after=None, limit=10)
        assert {one.logged.message.game_id for one in waiting} == {refused}
        assert [bool(one.attempts) for one in waiting] == [True, *[False] * (len(waiting) - 1)]
        assert (waiting[0].status, waiting[0].error) == (500, "status 500")
        refusing[0] = False
        until(lambda: ids(server.of_game(refused)) == all_logged(engine, refused), 20)


def test_410_disables_and_enabling_goes_on(engine: Application, redis_url: str, tmp_path: Path) -> None:
    """Nothing is lost that came meanwhile."""
    gone = [True]
    with (
        receiver(lambda _: 410 if gone[0] else 200) as server,
        webhook_worker(redis_url, tmp_path / "log", **LOCAL),
    ):
        state, _ = hook(engine, server.url)
        game_id, _ = create(engine)
        until(lambda: state_of(engine, state).endpoint.disabled == "gone")
        time.sleep(0.5)
        count = len(server.got)
        move(engine, game_id)
        time.sleep(1)
        assert len(server.got) == count == 1
        gone[0] = False
        engine.webhooks.change("club", state.endpoint.id, {"disabled": False})
        until(lambda: ids(server.of_game(game_id)) == all_logged(engine, game_id), 20)


def test_a_redirect_is_not_followed(engine: Application, redis_url: str, tmp_path: Path) -> None:
    """Wherever it leads."""
    with (
        receiver() as other,
        receiver(lambda _: 307) as server,
        webhook_worker(redis_url, tmp_path / "log", **LOCAL),
    ):
        server.headers = {"Location": other.url}
        state, _ = hook(engine, server.url)
        engine.webhooks.ping("club", state.endpoint.id)
        until(lambda: state_of(engine, state).dead)
        (dead,), _ = engine.webhooks.deliveries("club", state.endpoint.id, dead=True, after=None, limit=9)
        assert (dead.status, dead.error) == (307, "status 307")
        assert other.got == []


def test_our_own_network_is_not_called(engine: Application, redis_url: str, tmp_path: Path) -> None:
    """By a worker that is not allowed to, whatever the web process let in."""
    with receiver() as server, webhook_worker(redis_url, tmp_path / "log"):
        state, _ = hook(engine, server.url)
        engine.webhooks.ping("club", state.endpoint.id)
        until(lambda: state_of(engine, state).dead)
        (dead,), _ = engine.webhooks.deliveries("club", state.endpoint.id, dead=True, after=None, limit=9)
        assert dead.error == "its address is not found, or may not be called"
        assert server.got == []


def test_a_ping_and_a_new_secret(engine: Application, redis_url: str, tmp_path: Path) -> None:
    """Both secrets sign for a while; a ping comes whatever types are wanted."""
    with receiver() as server, webhook_worker(redis_url, tmp_path / "log", **LOCAL):
        state, secret = hook(engine, server.url, "game.finished")
        webhook_id = state.endpoint.id
        delivery = engine.webhooks.ping("club", webhook_id)
        until(lambda: server.got)
        (got,) = server.got
        assert got.document == {
            "id": delivery,
            "type": "ping",
            "timestamp": got.document["timestamp"],
            "data": {},
        }
        assert got.is_signed_by(secret)
        newer, until_when = engine.webhooks.rotate("club", webhook_id, 60)
        assert until_when is not None
        engine.webhooks.ping("club", webhook_id)
        until(lambda: len(server.got) == 2)
        assert server.got[1].is_signed_by(secret)
        assert server.got[1].is_signed_by(newer)
        newest, none = engine.webhooks.rotate("club", webhook_id, 0)
        assert none is None
        engine.webhooks.ping("club", webhook_id)
        until(lambda: len(server.got) == 3)
        assert [server.got[2].is_signed_by(one) for one in (secret, newer, newest)] == [False, False, True]


def test_what_was_given_up_is_sent_again(engine: Application, redis_url: str, tmp_path: Path) -> None:
    """With the same id; a webhook that is deleted leaves nothing behind."""
    fails = [True]
    with (
        receiver(lambda _: 500 if fails[0] else 200) as server,
        webhook_worker(redis_url, tmp_path / "log", **LOCAL),
    ):
        state, _ = hook(engine, server.url)
        webhook_id = state.endpoint.id
        delivery = engine.webhooks.ping("club", webhook_id)
        until(lambda: state_of(engine, state).dead == 1)
        fails[0] = False
        again = engine.webhooks.resend("club", webhook_id, delivery)
        assert again.attempts == 0
        until(lambda: server.accepted)
        assert server.accepted[0].headers["webhook-id"] == delivery
        until(lambda: (state_of(engine, state).dead, state_of(engine, state).waiting) == (0, 0))
        engine.webhooks.delete("club", webhook_id)
        link = RedisClient.to(redis_url, 5.0)
        assert [key for key in link.call("KEYS", "*") if webhook_id.encode() in key] == []
        assert link.call("HGETALL", keys.endpoint_secrets("club")) == []


def test_a_clock_is_shown_as_it_stood(engine: Application) -> None:
    """Right after the change, however late that is sent."""
    new = NewGame(seats=PEOPLE, clock={"kind": "per-move", "seconds": 60})
    game_id = engine.creation.create("club", new).snapshot.game_id
    snapshot = engine.views.snapshot(game_id)
    state, _ = hook(engine, "http://127.0.0.1:9/")
    assert snapshot.clock is not None
    at = time_of(snapshot.clock.at)
    created = Message("game.created", at, game_id, snapshot.version, {})
    late = of_message(LoggedMessage("1-0", created))
    first = engine.webhooks.payloads.body(state.endpoint, late)
    time.sleep(0.01)
    assert engine.webhooks.payloads.body(state.endpoint, late) == first
    clock = orjson.loads(first)["data"]["view"]["clock"]
    assert (clock["now"], clock["remaining_ms"]) == (at, [60_000, 60_000])


def test_an_app_that_is_revoked_is_sent_nothing(engine: Application, redis_url: str, tmp_path: Path) -> None:
    """Within seconds, also where the worker does not know the keys of the settings; let in again, it gets the rest."""
    engine.apps.create("late")
    with receiver() as server, webhook_worker(redis_url, tmp_path / "log", MIGRATO_APP_KEYS="", **LOCAL):
        state, _ = hook(engine, server.url, app="late")
        create(engine, "late")
        until(lambda: server.accepted)
        engine.apps.revoke("late")
        time.sleep(2 * FRESH)
        before = len(server.got)
        missed, _ = create(engine, "late")
        move(engine, missed)
        engine.webhooks.ping("late", state.endpoint.id)
        time.sleep(2 * FRESH)
        assert len(server.got) == before
        engine.apps.rotate("late")
        until(lambda: server.of_game(missed), 15.0)
        types = [document["type"] for document in server.of_game(missed)]
        assert types[0] == "game.created"


def test_an_app_that_the_store_does_not_have_is_not_revoked(engine: Application) -> None:
    """Its keys are in settings, of this process or another."""
    keys_here = AppKeys({}, engine.apps._kept)
    assert not keys_here.is_revoked("club")
    engine.apps.create("club")
    engine.apps.revoke("club")
    assert AppKeys({}, engine.apps._kept).is_revoked("club")
    assert not AppKeys({"club": "0" * 64}, engine.apps._kept).is_revoked("club")


def test_everybodys_webhooks_end_with_the_keyless_days(application: Application) -> None:
    """Nobody may be that app any more, until somebody makes it."""

    def is_over() -> bool:
        return AppKeys({}, application.apps._kept).is_revoked("anonymous", is_everybody=True)

    assert not is_over()
    application.apps.create("club")
    assert is_over()
    application.apps.create("anonymous")
    assert not is_over()


def test_what_dies_in_the_log_of_a_process_says_nothing(
    engine: Application, redis_url: str, tmp_path: Path
) -> None:
    """No secret, and no more of an address than its host."""
    log = tmp_path / "log"
    with receiver(lambda _: 503) as server, webhook_worker(redis_url, log, **LOCAL):
        _, secret = hook(engine, server.url)
        create(engine)
        until(lambda: server.got)
        time.sleep(0.5)
    text = log.read_text()
    assert secret not in text
    assert "the-club" not in text
    assert "503" in text


def test_parts_of_a_worker(keyed: Settings, engine: Application) -> None:
    """Two leases of one name: one at a time, and given up at once."""
    one, other = (bootstrap.webhook_parts(keyed, engine).lease for _ in range(2))
    assert one.take()
    assert one.take()
    assert not other.take()
    other.give_up()
    assert not other.take()
    one.give_up()
    assert other.take()
