"""Webhooks sent to real servers: at least once, in order for each game, whoever dies or hangs."""

import logging
import re
import threading
import time
from dataclasses import replace
from pathlib import Path

import orjson
import pytest

from domain.lifecycle import Viewer
from domain.words.languages import LANGUAGES
from events.application import Application
from events.engine.new_game import NewGame
from events.features.apps.keys import FRESH, AppKeys
from events.features.webhooks.deliveries import FIRST_PAUSE, Delivery, of_message
from events.features.webhooks.endpoints import EndpointState
from events.features.webhooks.event_types import LoggedMessage, Message
from events.features.webhooks.redis.lease import MILLISECONDS
from events.log import serialisers
from events.runtime import bootstrap, metrics
from events.runtime.settings import Settings
from events.store import keys
from events.store.link import link_to
from events.times import time_of
from tests.service.contract import validator
from tests.support.receiver import Got, Json, receiver
from tests.support.sure import sure
from tests.support.waiting import until
from tests.webhooks.conftest import PEOPLE, create, move
from tests.webhooks.sending import Sending
from tests.webhooks.test_app_events import webhook_worker
from workers.webhooks import senders

LOCAL = {"MIGRATO_REMOTE_ALLOW": "127.0.0.0/8"}
LATER = 1.3 * FIRST_PAUSE  # seconds after which what has failed once is tried again


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
    found, after = list[str](), "0"
    while (page := engine.app_logs.page("club", after, 100)).messages:
        found += [one.id for one in page.messages if one.message.game_id == game_id]
        after = page.next
    return found


def ids(documents: list[Json]) -> list[str]:
    return [document["id"] for document in documents]


def dead_of(engine: Application, state: EndpointState) -> list[Delivery]:
    found, _ = engine.webhooks.deliveries("club", state.endpoint.id, dead=True, after=None, limit=9)
    return list(found)


def state_of(engine: Application, state: EndpointState) -> EndpointState:
    return engine.webhooks.get("club", state.endpoint.id)


def shown(engine: Application, game_id: str, version: int, viewer: Viewer) -> Json:
    snapshot = engine.views.snapshot(game_id, version)
    document = engine.views.game_document(snapshot, viewer)
    assert document == serialisers.game_document(snapshot, viewer) | {"seats": document["seats"]}
    return document


def told(engine: Application, documents: list[Json], game_id: str, viewer: Viewer) -> set[int]:
    """Versions of the events in these messages, which are as the viewer sees them, with a line in each language."""
    now, found = engine.views.snapshot(game_id), set[int]()
    history = engine.views.history(game_id, 0, now.version)
    for data in (document["data"] for document in documents):
        versions = [event["version"] for event in data["events"]]
        assert versions == [*range(versions[0], data["version"] + 1)]
        shown = [serialisers.event_document(now, history[version - 1], viewer) for version in versions]
        assert data["events"] == shown
        assert data["notation"] == engine.views.lines(now, shown, LANGUAGES)
        assert data["notation"].keys() == {*LANGUAGES}
        found |= {*versions}
    return found


def test_a_spectators_view_is_sent_signed_and_in_order(engine: Application, sending: Sending) -> None:
    """A game from its creation on: each message once, where nothing goes wrong; none of its events is missing."""
    with receiver() as server:
        _, secret = hook(engine, server.url)
        game_id, _ = create(engine)
        for _ in range(6):
            move(engine, game_id)
        turn = engine.views.snapshot(game_id).status.turn
        sending.until(lambda: [one["data"]["turn"] for one in server.of_game(game_id)][-1:] == [turn])
    documents = server.of_game(game_id)
    assert ids(documents) == all_logged(engine, game_id)
    assert len(server.got) == len(documents)
    for got in server.got:
        assert got.is_signed_by(secret)
        assert got.headers["webhook-id"] == got.document["id"]
        assert got.headers["content-type"] == "application/json"
    for document in documents:
        validator({"$ref": "#/components/schemas/WebhookMessage"}).validate(document)
        assert document["data"]["view"] == shown(engine, game_id, document["data"]["version"], None)
    assert told(engine, documents, game_id, None) == {*range(1, documents[-1]["data"]["version"] + 1)}


def test_a_seats_webhook_shows_that_seats_view(engine: Application, sending: Sending) -> None:
    """It shows no other game, and nothing once the seat's token is void."""
    game_id, tokens = create(engine)
    with receiver() as server:
        state, _ = hook(engine, server.url, token=tokens[1])
        assert (state.endpoint.game_id, state.endpoint.seat) == (game_id, 1)
        other, _ = create(engine)
        for _ in range(4):
            move(engine, game_id)
            move(engine, other)
        sending.until(lambda: server.accepted)
        sending.until(lambda: len(server.of_game(game_id)) == len(all_logged(engine, game_id)) > 0)
        assert server.of_game(other) == []
        for document in server.of_game(game_id):
            assert document["data"]["view"] == shown(engine, game_id, document["data"]["version"], 1)
            assert document["data"]["view"]["state"]["players"][0]["hand"] is None
        assert told(engine, server.of_game(game_id), game_id, 1)
        before = len(server.got)
        app = engine.callers.who_asks("key-of-the-club")
        engine.interventions.replace_player(game_id, 1, "greedy", app, None)
        sending.until(lambda: state_of(engine, state).endpoint.disabled == "seat")
        assert len(server.got) == before


def test_a_receiver_that_was_dead_gets_everything_in_order(
    engine: Application, redis_url: str, tmp_path: Path
) -> None:
    """Also where real workers are killed in the middle; their log has no secret, and of an address its host alone."""
    log, link = tmp_path / "log", link_to(redis_url, 5.0)
    failed = re.compile(
        "no answer: Connection(Refused|Reset)Error"
    )  # the first one; it stays silent about more

    def failures() -> int:
        found, _ = engine.webhooks.deliveries("club", state.endpoint.id, dead=False, after=None, limit=99)
        return sum(one.attempts for one in found)

    def move_all() -> None:
        for game_id in games * 4:
            move(engine, game_id)

    def has_all() -> bool:
        return all(ids(second.of_game(one)) == all_logged(engine, one) for one in games)

    with receiver() as first:
        state, secret = hook(engine, first.url)
        games = [create(engine)[0] for _ in range(3)]
        with webhook_worker(redis_url, log, **LOCAL):
            until(lambda: all(first.of_game(game_id) for game_id in games), otherwise=log.read_text)
            port = first.port
            first.close()
            move_all()
            until(lambda: failures() and failed.search(log.read_text()), otherwise=log.read_text)
        accepted = first.accepted
    move_all()
    link.call("DEL", keys.WEBHOOKS_LEASE)  # as if its time were over
    with receiver(port=port) as second:
        second.accepted += accepted
        with webhook_worker(redis_url, log, **LOCAL):
            until(lambda: len(second.got) > 2, otherwise=log.read_text)
        link.call("DEL", keys.WEBHOOKS_LEASE)
        with webhook_worker(redis_url, log, **LOCAL):
            until(has_all, otherwise=log.read_text)
    for game_id in games:
        turns = [one["data"]["turn"] for one in second.of_game(game_id) if one["type"] == "turn.changed"]
        assert turns == list(range(1, engine.views.snapshot(game_id).status.turn + 1))
    assert not any(hidden in log.read_text() for hidden in (secret, "the-club"))


def test_receivers_that_hang_or_are_slow_delay_nobody_else(engine: Application, sending: Sending) -> None:
    """Not another receiver of the same app, nor another app, nor a game: all of that happens while they hang."""
    over, let_go, hurry = list[Got](), threading.Event(), threading.Event()

    def hangs(got: Got) -> int | None:
        let_go.wait()
        over.append(got)
        return None

    def is_slow(_: Got) -> int | None:
        hurry.wait()
        return 200

    with receiver(hangs) as hanging, receiver(is_slow) as slow, receiver() as good, receiver() as others:
        for server in (hanging, slow, good):
            hook(engine, server.url)
        hook(engine, others.url, app="other")
        games = [create(engine)[0] for _ in range(4)]
        other, _ = create(engine, "other")
        sending.until(lambda: hanging.got and slow.got)
        first = len(hanging.got)
        for game_id in games * 3:
            move(engine, game_id)
        sending.until(lambda: all(ids(good.of_game(one)) == all_logged(engine, one) for one in games))
        sending.until(lambda: len(others.of_game(other)) == 3)
        assert (over, hanging.accepted, slow.accepted) == ([], [], [])
        assert first <= len(hanging.got) <= 8
        hurry.set()
        sending.until(lambda: all(ids(slow.of_game(one)) == all_logged(engine, one) for one in games))
        assert over == []
        let_go.set()


def test_410_disables_and_enabling_goes_on(engine: Application, sending: Sending) -> None:
    """Nothing is lost that came meanwhile."""
    gone = [True]
    with receiver(lambda _: 410 if gone[0] else 200) as server, receiver() as other:
        state, _ = hook(engine, server.url)
        hook(engine, other.url)
        game_id, _ = create(engine)
        sending.until(lambda: state_of(engine, state).endpoint.disabled == "gone")
        move(engine, game_id)
        sending.passes(LATER)
        sending.until(lambda: ids(other.of_game(game_id)) == all_logged(engine, game_id))
        assert len(server.got) == 1
        gone[0] = False
        engine.webhooks.change("club", state.endpoint.id, {"disabled": False})
        sending.until(lambda: ids(server.of_game(game_id)) == all_logged(engine, game_id))


def test_a_call_goes_nowhere_else(
    engine: Application, keyed: Settings, sending: Sending, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Redirects are not followed, wherever they lead; a worker does not call our own network unless it is allowed to,
    whatever the web process let in.
    """
    with receiver() as other, receiver(lambda _: 307) as server:
        server.headers = {"Location": other.url}
        redirected, inside = hook(engine, server.url)[0], hook(engine, other.url)[0]
        engine.webhooks.ping("club", redirected.endpoint.id)
        sending.until(lambda: state_of(engine, redirected).dead)
        (dead,) = dead_of(engine, redirected)
        assert (dead.status, dead.error) == (307, "status 307")
        sending.stop()
        strict = Sending(replace(keyed, remote_allow=()), engine, monkeypatch)
        engine.webhooks.ping("club", inside.endpoint.id)
        strict.until(lambda: state_of(engine, inside).dead)
        strict.stop()
        (dead,) = dead_of(engine, inside)
        assert dead.error == "its address is not found, or may not be called"
        assert other.got == []


def test_a_ping_and_a_new_secret(engine: Application, sending: Sending) -> None:
    """Both secrets sign for a while; a ping comes whatever types are wanted."""
    with receiver() as server:
        state, secret = hook(engine, server.url, "game.finished")
        webhook_id = state.endpoint.id

        def ping() -> tuple[str, Got]:
            delivery, before = engine.webhooks.ping("club", webhook_id), len(server.got)
            sending.until(lambda: len(server.got) > before)
            return delivery, server.got[-1]

        delivery, got = ping()
        assert got.document == {
            "id": delivery,
            "type": "ping",
            "timestamp": got.document["timestamp"],
            "data": {},
        }
        assert got.is_signed_by(secret)
        newer, until_when = engine.webhooks.rotate("club", webhook_id, 60)
        assert until_when is not None
        _, got = ping()
        assert [got.is_signed_by(one) for one in (secret, newer)] == [True, True]
        newest, none = engine.webhooks.rotate("club", webhook_id, 0)
        assert none is None
        _, got = ping()
        assert [got.is_signed_by(one) for one in (secret, newer, newest)] == [False, False, True]


def test_a_ping_ends_the_pause_of_a_webhook_and_so_does_enabling_it(
    engine: Application, sending: Sending
) -> None:
    """Also where the clock was set meanwhile, hours or days ahead and right again: nothing is given up by that."""
    answers = [503]
    with receiver(lambda _: answers[0]) as server:
        server.headers = {"Retry-After": "3600"}  # longer than this test waits
        state, _ = hook(engine, server.url)
        webhook_id = state.endpoint.id

        def attempts() -> int:
            found, _ = engine.webhooks.deliveries("club", webhook_id, dead=False, after=None, limit=9)
            return sum(one.attempts for one in found)

        def is_left_alone() -> str:
            answers[0] = 503
            game_id, _ = create(engine)
            sending.until(attempts)
            answers[0] = 204
            return game_id

        def pause() -> None:
            for disabled in (True, False):
                engine.webhooks.change("club", webhook_id, {"disabled": disabled})

        for end_it in (
            lambda: engine.webhooks.ping("club", webhook_id),
            pause,
            lambda: sending.passes(3_600.0),
        ):
            game_id = is_left_alone()
            for wrong in (3 * 86_400.0, 7_200.0, 0.0):
                sending.set_clock(wrong)
            end_it()
            sending.until(lambda game_id=game_id: len(server.of_game(game_id)) == 3)  # type: ignore[misc]
        assert state_of(engine, state).dead == 0


def test_a_delivery_that_was_given_up_is_sent_again(
    engine: Application, sending: Sending, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the same id, and is counted until then; a webhook that is deleted leaves nothing behind."""
    monkeypatch.setattr(senders, "ALL", 0.0)
    fails = [True]
    with receiver(lambda _: 500 if fails[0] else 200) as server:
        state, _ = hook(engine, server.url)
        webhook_id = state.endpoint.id
        delivery = engine.webhooks.ping("club", webhook_id)
        sending.until(lambda: state_of(engine, state).dead == 1)
        sending.until(lambda: metrics.DELIVERIES_DEAD._value.get() == 1)
        fails[0] = False
        again = engine.webhooks.resend("club", webhook_id, delivery)
        assert again.attempts == 0
        sending.until(lambda: server.accepted)
        assert server.accepted[0].headers["webhook-id"] == delivery
        sending.until(lambda: (state_of(engine, state).dead, state_of(engine, state).waiting) == (0, 0))
        sending.until(lambda: metrics.DELIVERIES_DEAD._value.get() == 0)
    engine.webhooks.delete("club", webhook_id)
    link = link_to(redis_url, 5.0)
    assert [key for key in link.call("KEYS", "*") if webhook_id.encode() in key] == []
    assert link.call("HGETALL", keys.endpoint_secrets("club")) == []


def test_a_log_names_the_status_of_a_failure_and_no_secret(
    engine: Application, sending: Sending, caplog: pytest.LogCaptureFixture
) -> None:
    """It names only the host of an address."""
    caplog.set_level(logging.INFO)
    with receiver(lambda _: 503) as server:
        _, secret = hook(engine, server.url)
        create(engine)
        sending.until(lambda: "503" in caplog.text)
    assert not any(hidden in caplog.text for hidden in (secret, "the-club"))


def test_a_clock_is_shown_as_it_stood(engine: Application) -> None:
    """Right after the change, however late that is sent."""
    new = NewGame(seats=PEOPLE, clock={"kind": "per-move", "seconds": 60})
    game_id = engine.creation.create("club", new).snapshot.game_id
    snapshot = engine.views.snapshot(game_id)
    state, _ = hook(engine, "http://127.0.0.1:9/")
    at = time_of(sure(snapshot.clock).at)
    created = Message("game.created", at, game_id, snapshot.version, {})
    late = of_message(LoggedMessage("1-0", created))
    first = engine.webhooks.payloads.body(state.endpoint, late)
    time.sleep(0.01)
    assert engine.webhooks.payloads.body(state.endpoint, late) == first
    clock = orjson.loads(first)["data"]["view"]["clock"]
    assert (clock["now"], clock["remaining_ms"]) == (at, [60_000, 60_000])


def test_an_app_that_is_revoked_is_sent_nothing(engine: Application, sending: Sending) -> None:
    """Within seconds, also where the worker does not know the keys of the settings; let in again, it gets the rest."""
    now = [0.0]
    engine.webhooks._app_keys._clock = lambda: now[0]
    engine.apps.create("late")
    with receiver() as server, receiver() as other:
        state, _ = hook(engine, server.url, app="late")
        hook(engine, other.url)
        create(engine, "late")
        sending.until(lambda: len(server.accepted) == 3)
        engine.apps.revoke("late")
        now[0] += FRESH
        missed, _ = create(engine, "late")
        move(engine, missed)
        engine.webhooks.ping("late", state.endpoint.id)
        seen, _ = create(engine)
        sending.until(lambda: len(other.of_game(seen)) == 3)
        assert len(server.got) == 3
        engine.apps.rotate("late")
        now[0] += FRESH
        engine.webhooks.ping("late", state.endpoint.id)
        sending.until(lambda: server.of_game(missed))
        assert server.of_game(missed)[0]["type"] == "game.created"


def test_an_app_that_the_store_does_not_have_is_not_revoked(engine: Application) -> None:
    """Its keys are in settings, of this process or another."""
    assert not AppKeys({}, engine.apps._kept).is_revoked("club")
    engine.apps.create("club")
    engine.apps.revoke("club")
    assert AppKeys({}, engine.apps._kept).is_revoked("club")
    assert not AppKeys({"club": "0" * 64}, engine.apps._kept).is_revoked("club")


def test_everybodys_webhooks_end_with_the_keyless_days(application: Application) -> None:
    """Nobody may be that app any more, until somebody makes it."""
    over = []
    for app in ("", "club", "anonymous"):
        if app:
            application.apps.create(app)
        over.append(AppKeys({}, application.apps._kept).is_revoked("anonymous", is_everybody=True))
    assert over == [False, True, False]


def test_one_process_at_a_time_has_the_lease(keyed: Settings, engine: Application, redis_url: str) -> None:
    """It may take it again, and gives it up at once. One that it took by a clock that was ahead lasts no longer."""
    one, other = (bootstrap.webhook_parts(keyed, engine).lease for _ in range(2))
    assert [one.take(), one.take(), other.take()] == [True, True, False]
    link = link_to(redis_url, 5.0)
    link.call("EXPIRE", keys.WEBHOOKS_LEASE, 3 * 86_400)
    assert not other.take()
    assert link.call("PTTL", keys.WEBHOOKS_LEASE) <= MILLISECONDS
    other.give_up()
    assert not other.take()
    one.give_up()
    assert other.take()
