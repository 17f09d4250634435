"""Puts the jobs that games wait for into the queue."""

from workers.job_queue.queue import JobQueue, Task
from workers.reactions.batch import Batch


class Jobs:
    """Queues the engine's next job for each game, once for each game."""

    def __init__(self, queue: JobQueue) -> None:
        self._queue = queue

    def enqueue(self, batch: Batch) -> None:
        """Queue the job that each game waits for now; turns that are over need no job."""
        due = [Task(entry.due, entry.game_id, entry.version) for entry in batch.latest.values() if entry.due]
        if due:
            self._queue.enqueue(*due)
