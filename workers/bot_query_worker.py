"""The job of questions to bots, under the name that jobs on the queue have; jobs of an earlier version may
still wait.
"""

from workers.question_worker import think as think  # noqa: PLC0414 (RQ finds it here)
