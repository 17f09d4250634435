"""The job of questions to bots under its name on the queue; jobs of an earlier version may still wait there."""

from workers.question_worker import think as think  # noqa: PLC0414 (RQ finds it here)
