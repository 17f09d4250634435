"""Jobs of questions to bots that are done, in a stream on the queue's server."""

from collections.abc import Sequence
from typing import Final

from events.features.webhooks.port import DoneJob
from events.store.connections.client import RedisClient
from events.store.queues.keys import DONE

AT_ONCE: Final = 200
FIELDS: Final = [b"app", b"job", b"left"]


class RedisDoneJobs:
    """The port of done jobs over Redis."""

    def __init__(self, queue: RedisClient) -> None:
        self._queue = queue

    def fresh(self) -> list[DoneJob]:
        """The oldest of these jobs."""
        entries = self._queue.call("XRANGE", DONE, "-", "+", "COUNT", AT_ONCE)
        return [_job(entry_id.decode(), flat) for entry_id, flat in entries]

    def told(self, jobs: Sequence[DoneJob]) -> None:
        """Remove these jobs: their apps have been told."""
        if jobs:
            self._queue.call("XDEL", DONE, *[job.id for job in jobs])


def _job(entry_id: str, flat: Sequence[bytes]) -> DoneJob:
    """The job of that entry; a job without an app if another engine wrote the entry."""
    at = int(entry_id.partition("-")[0])
    if flat[::2] != FIELDS:
        return DoneJob(entry_id, "", "", at, at)
    app, job, left = (value.decode() for value in flat[1::2])
    return DoneJob(entry_id, app, job, at, at + int(left))
