"""The names of things on the queue's server that more than one process looks at."""

from typing import Final

REMOTE_WAITING: Final = (
    "migrato:remote:waiting"  # calls that wait in a lane by now: a hash of job id to since when
)
DISPATCHER_ALIVE: Final = "migrato:dispatcher:alive"  # renewed by the dispatcher, expires by itself
ARCHIVER_ALIVE: Final = "migrato:archiver:alive"  # and by the archiver

WEBHOOKS_ALIVE: Final = "migrato:webhooks:alive"  # and by the webhook worker

NOTES: Final = "migrato:used"  # what is used and stands in no feed, until it is counted: a stream
NOTE: Final = f"""
local function note(used, of)
  redis.call('XADD', '{NOTES}', 'MAXLEN', '~', 100000, '*', 'used', used, 'of', of)
end
"""  # for scripts: adds a note. Where nobody counts, the oldest go


DONE: Final = (
    "migrato:jobs-done"  # jobs of questions to bots that are done, until their apps are told: a stream
)
TELL_DONE: Final = f"""
local function tell_done(app, job, left)
  redis.call('XADD', '{DONE}', 'MAXLEN', '~', 10000, '*', 'app', app, 'job', job, 'left', left)
  redis.call('EXPIRE', '{DONE}', 3600)
end
"""  # for scripts: the job, whose answer is there for so many more milliseconds. Where nobody reads, the oldest go


def waiting_jobs(queue: str) -> str:
    """RQ's list of the ids of the jobs that wait in a queue."""
    return f"rq:queue:{queue}"


def workers(queue: str) -> str:
    """RQ's set of the keys of a queue's workers."""
    return f"rq:workers:{queue}"
