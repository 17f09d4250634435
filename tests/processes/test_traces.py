"""One trace through a whole engine: a request to a web worker, its append, and the bot worker's job."""

import requests

from tests.support.collector import TRACE, Collector
from tests.support.engine import Engine
from tests.support.waiting import LIMIT, until


def test_from_a_request_to_the_job(engine: Engine, collector: Collector) -> None:
    """The request, its append and the job are in the trace that the caller named."""
    sent = {"traceparent": f"00-{TRACE}-b7ad6b7169203331-01"}
    wanted = {"seats": [{"kind": "bot", "bot": "greedy"}, {"kind": "human"}]}
    answer = requests.post(f"{engine.url}/v1/games", json=wanted, headers=sent, timeout=LIMIT)
    assert answer.status_code == 201
    names = ("POST /v1/games", "create stream", "job bot", "append")
    until(lambda: all(collector.named(name) for name in names), otherwise=engine.tail)  # of two processes
    request, create, job, append = [span for name in names if (span := collector.named(name))]
    assert request.parent_span_id.hex() == "b7ad6b7169203331"
    assert create.parent_span_id == request.span_id
    assert job.parent_span_id == create.span_id
    assert append.parent_span_id == job.span_id
    assert collector.services == {"our-games"}
