"""Messages that a job is done: to the webhooks of its app that name them, while its answer is there."""

from dataclasses import replace
from pathlib import Path

import pytest

from events.application import Application
from events.errors import StoreUnavailable
from events.features.bots.queue import Cost
from events.features.bots.redis.questions import ANSWER_TTL, RedisQuestionQueue
from events.features.webhooks.choices import Choices
from events.features.webhooks.deliveries import Delivery
from events.features.webhooks.event_types import CHOICE_DONE
from events.features.webhooks.redis.done_jobs import RedisDoneJobs
from events.runtime.settings import Settings
from events.store.connections.client import RedisClient
from events.store.link import link_to
from events.store.queues.keys import DONE
from events.times import milliseconds_of
from tests.service.contract import validator
from tests.support.receiver import receiver
from tests.support.waiting import until
from tests.webhooks.conftest import create
from tests.webhooks.sending import Sending
from tests.webhooks.test_app_events import webhook_worker

ADDRESS = "http://127.0.0.1:9"


@pytest.fixture
def keyed(keyed: Settings) -> Settings:
    """Settings under which receivers on this machine may be called."""
    return replace(keyed, remote_allow=("127.0.0.0/8",))


@pytest.fixture
def queue(keyed: Settings) -> RedisClient:
    """The queue's server."""
    return link_to(keyed.queue_url or keyed.redis_url or "", 5.0)


@pytest.fixture
def jobs(queue: RedisClient) -> RedisQuestionQueue:
    return RedisQuestionQueue(queue, queue, 5.0, lambda *_: None)


@pytest.fixture
def choices(engine: Application, queue: RedisClient) -> Choices:
    return Choices(RedisDoneJobs(queue), engine.webhooks.store)


def answer(jobs: RedisQuestionQueue, job: str, app: str = "club") -> None:
    """A job that its app does not wait for is done."""
    jobs.ask(job, app, {"choose": {}}, Cost("migrato/greedy", 0.001))
    jobs.announce(job, app)
    jobs.tell(job, {"thought": {"move": "of the answer nothing is told"}})


def hook(
    engine: Application, *types: str, url: str = ADDRESS, app: str = "club", game_id: str | None = None
) -> str:
    """The id of a new webhook."""
    state, _ = engine.webhooks.create(app, url, types, "", game_id, None)
    return state.endpoint.id


def waiting(engine: Application, webhook: str, app: str = "club", *, dead: bool = False) -> list[Delivery]:
    found, _ = engine.webhooks.deliveries(app, webhook, dead=dead, after=None, limit=99)
    return list(found)


def told(engine: Application, webhook: str, app: str = "club") -> list[str]:
    return [one.logged.message.data["job"] for one in waiting(engine, webhook, app)]


def test_webhooks_of_the_app_that_name_it(
    engine: Application, jobs: RedisQuestionQueue, choices: Choices
) -> None:
    """No other app's, none for one game alone, none that names no types, and none that is disabled."""
    named, also = hook(engine, CHOICE_DONE), hook(engine, "game.created", CHOICE_DONE)
    game_id, _ = create(engine)
    others = [hook(engine), hook(engine, "game.created"), hook(engine, CHOICE_DONE, game_id=game_id)]
    others.append(off := hook(engine, CHOICE_DONE))
    engine.webhooks.change("club", off, {"disabled": True})
    rival = hook(engine, CHOICE_DONE, app="other")
    assert not choices.step()
    answer(jobs, "first")
    answer(jobs, "second")
    answer(jobs, "third", app="nobody")
    assert choices.step()
    assert not choices.step()
    for webhook in (named, also):
        assert told(engine, webhook) == ["first", "second"]
    for webhook in others:
        assert told(engine, webhook) == []
    assert told(engine, rival, "other") == []
    assert [one.logged.message.data["job"] for one in waiting(engine, named)] == ["first", "second"]


def test_a_death_before_it_is_noted(
    engine: Application, jobs: RedisQuestionQueue, queue: RedisClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message waits once, under one id; what nobody has written here is passed over."""
    webhook, source = hook(engine, CHOICE_DONE), RedisDoneJobs(queue)
    answer(jobs, "job")
    queue.call("XADD", DONE, "*", "of", "another engine")

    def dies(_: object) -> None:
        raise StoreUnavailable("died")

    with monkeypatch.context() as patched:
        patched.setattr(source, "told", dies)
        with pytest.raises(StoreUnavailable):
            Choices(source, engine.webhooks.store).step()
    assert told(engine, webhook) == ["job"]
    assert Choices(source, engine.webhooks.store).step()
    assert told(engine, webhook) == ["job"]
    assert queue.call("XLEN", DONE) == 0


def test_it_is_sent_signed(
    engine: Application, sending: Sending, jobs: RedisQuestionQueue, choices: Choices
) -> None:
    """It says where the answer is, until when, and nothing else."""
    with receiver() as server:
        state, secret = engine.webhooks.create("club", server.url, (CHOICE_DONE,), "", None, None)
        answer(jobs, "job")
        choices.step()
        sending.until(lambda: server.accepted)
        sending.until(lambda: not waiting(engine, state.endpoint.id))
    (got,) = server.got
    assert got.is_signed_by(secret)
    document = got.document
    validator({"$ref": "#/components/schemas/ChoiceDone"}).validate(document)
    assert got.headers["webhook-id"] == document["id"]
    assert document["type"] == CHOICE_DONE
    left = milliseconds_of(document["data"].pop("expires_at")) - milliseconds_of(document["timestamp"])
    assert 0 < left <= 1000 * ANSWER_TTL
    assert document["data"] == {"job": "job", "links": {"self": "/v1/bots/jobs/job"}}


@pytest.mark.parametrize("status", [None, 500])
def test_it_goes_with_its_job(
    engine: Application, sending: Sending, jobs: RedisQuestionQueue, choices: Choices, status: int | None
) -> None:
    """A message that has not arrived by then is sent no more, and not kept among the dead ones."""
    with receiver(lambda _: 500) as server:
        url = server.url if status else ADDRESS
        webhook = hook(engine, CHOICE_DONE, url=url)
        answer(jobs, "job")
        choices.step()
        sending.until(lambda: [one.attempts for one in waiting(engine, webhook)] == [1])
        tried = len(server.got)
        sending.passes(ANSWER_TTL + 1)
        sending.until(lambda: not waiting(engine, webhook))
        assert len(server.got) == tried
    assert waiting(engine, webhook, dead=True) == []


def test_a_worker_sends_it(
    engine: Application, keyed: Settings, jobs: RedisQuestionQueue, tmp_path: Path
) -> None:
    """A real one, whether the job is done before it begins or later."""
    log = tmp_path / "log"
    with receiver() as server:
        engine.webhooks.create("club", server.url, (CHOICE_DONE,), "", None, None)
        answer(jobs, "first")
        with webhook_worker(keyed.redis_url or "", log, MIGRATO_REMOTE_ALLOW="127.0.0.0/8"):
            until(lambda: len(server.accepted) == 1, otherwise=log.read_text)
            answer(jobs, "second")
            until(lambda: len(server.accepted) == 2, otherwise=log.read_text)
    assert [got.document["data"]["job"] for got in server.accepted] == ["first", "second"]
