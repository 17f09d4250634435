"""Measurements of workers for `/metrics`."""

from events.runtime import metrics
from tests.workers.conftest import Place, Run
from workers.job_queue.queue import JobQueue, Task
from workers.reactions.sweeper import Sweeper

LONG = 60.0  # seconds: more than any wait here, on however busy a machine


def value(name: str, **labels: str) -> float:
    """One sample's value; 0 if there is none yet."""
    found = {
        line.rpartition(" ")[0]: float(line.rpartition(" ")[2])
        for line in metrics.exposition().decode().splitlines()
        if not line.startswith("#")
    }
    inner = ",".join(f'{label}="{word}"' for label, word in sorted(labels.items()))
    return found.get(f"{name}{{{inner}}}", 0.0)


def test_a_job_is_measured(place: Place, bots_game: str, run_jobs: Run) -> None:
    """Its wait, its time, and for how long its bot thought, by names that are known beforehand."""
    names = ("migrato_job_wait_seconds_count", "migrato_job_seconds_count")
    before = [value(name, queue="migrato", job="bot") for name in names]
    thoughts = value("migrato_bot_thinking_seconds_count", bot="greedy")
    waited = value("migrato_job_wait_seconds_sum", queue="migrato", job="bot")
    place.step()
    run_jobs()
    assert [value(name, queue="migrato", job="bot") for name in names] == [count + 1 for count in before]
    assert 0 < value("migrato_job_wait_seconds_sum", queue="migrato", job="bot") - waited < LONG
    assert value("migrato_bot_thinking_seconds_count", bot="greedy") == thoughts + 2
    assert bots_game not in metrics.exposition().decode()


def test_lost_work_is_counted(sweeper: Sweeper, queue: JobQueue, bots_game: str) -> None:
    """Lost work is counted, so that an operator notices a queue that keeps losing jobs."""
    before = value("migrato_lost_jobs_total", due="bot", remedy="enqueued")
    sweeper.sweep()
    assert queue.state(Task("bot", bots_game, 2)).value == "waiting"
    assert value("migrato_lost_jobs_total", due="bot", remedy="enqueued") == before + 1
