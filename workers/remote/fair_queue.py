"""The order of calls of remote bots: each app's bots have lanes of their own, so that many calls of one app do not
delay those of another.

Calls wait in RQ's queue only until a remote worker has looked up their apps and hosts (`sort`). Then each waits in a
lane: there is one for each bot (app, host and URL). `take` serves in turn first the apps, then the app's hosts, then
the host's bots, each time the one that was served the longest ago; an app or a host with enough calls under way
(`.fair_share`) is skipped. Waiting apps, hosts and lanes are members of rings: sorted sets, by the turn in which they
were last served. All this is on the queue's server, for any number of workers, and may be lost like the queue itself:
the sweeper then queues the calls again.

A bot that did not answer FAILURES times in a row is suspended: it is not called for a while, which grows with every
further call without an answer, and ends with the first answer. Its games go on meanwhile, but no faster than if it had
been called: a move in its place is made when a call would have been over.
"""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, Final, NamedTuple

from redis import Redis
from rq import Queue
from rq.job import Job
from rq.serializers import JSONSerializer
from rq.utils import now, utcformat

from events.errors import UrlRefused
from events.store.queues.keys import REMOTE_WAITING
from events.url_guard import target_of
from workers.job_queue.fetching import FetchedJob
from workers.remote import job

PREFIX: Final = "migrato:remote:"
FAILURES: Final = 5  # calls in a row without an answer, after which a bot is suspended
FIRST_PAUSE: Final = 5.0  # seconds; each further call without an answer doubles the pause
LONGEST_PAUSE: Final = 300.0
LONGEST_WAIT: Final = (
    10.0  # seconds that a suspended bot's game waits for a move; the sweeper waits only a little longer
)
MEMORY: Final = 600.0  # seconds without a call after which a bot's failures are forgotten
BATCH: Final = 32  # calls that are sorted together

# The beginning of both scripts. A path is an app; an app and a host; or an app, a host and a bot. A ring has what waits
# below one path.
COMMON: Final = """
local prefix = ARGV[1]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function key(kind, path) return prefix .. kind .. ':' .. path end
local function enter(path)
  local turn = redis.call('GET', prefix .. 'turn') or '0'
  local app, host, bot = string.match(path, '^(%S+) (%S+) (%S+)$')
  redis.call('ZADD', key('ring', ''), 'NX', turn, app)
  redis.call('ZADD', key('ring', app), 'NX', turn, host)
  redis.call('ZADD', key('ring', app .. ' ' .. host), 'NX', turn, bot)
end
"""
# Moves jobs from the queue into lanes, each of them once, even if other workers do the same.
# KEYS: the queue, the hash of what waits in lanes
# ARGV: prefix, then ids and paths
SORT: Final = (
    COMMON
    + """
for at = 2, #ARGV, 2 do
  local id, path = ARGV[at], ARGV[at + 1]
  if redis.call('LREM', KEYS[1], 1, id) > 0 and redis.call('HSETNX', KEYS[2], id, now) == 1 then
    redis.call('RPUSH', key('lane', path), id)
    enter(path)
  end
end
"""
)
# Takes the next job in turn, and records its worker and the time; or returns how many wait. A suspended lane sleeps
# until its first job must not wait any longer, or its bot may be tried again. A time that lies further away than any
# can is over: the clock was set back.
# KEYS: the hash of what waits in lanes
# ARGV: prefix, prefix of jobs' keys, worker, time in RQ's form, milliseconds that a suspended bot's
# game waits, that a job may take, and the longest that a bot is suspended or tried, then the paths that are passed over
TAKE: Final = (
    COMMON
    + """
local full, asleep = {}, {}
for at = 8, #ARGV do full[ARGV[at]] = true end
local furthest = now + ARGV[5]
for _, range in ipairs({{'-inf', now}, {'(' .. furthest, '+inf'}}) do
  for _, path in ipairs(redis.call('ZRANGEBYSCORE', prefix .. 'asleep', range[1], range[2], 'LIMIT', 0, 100)) do
    redis.call('ZREM', prefix .. 'asleep', path)
    if redis.call('EXISTS', key('lane', path)) == 1 then enter(path) end
  end
end
local turn = redis.call('INCR', prefix .. 'turn')

local function first_of(path)
  local lane = key('lane', path)
  while true do
    local id = redis.call('LINDEX', lane, 0)
    if not id then return nil end
    if redis.call('HGET', ARGV[2] .. id, 'status') == 'queued' then return id end
    redis.call('LPOP', lane)
    redis.call('HDEL', KEYS[1], id)
  end
end
local function take_from(path)
  local id = first_of(path)
  if not id then return nil end
  local breaker, suspended = key('breaker', path), 0
  local state = redis.call('HMGET', breaker, 'openings', 'until')
  local openings, till = tonumber(state[1] or 0), tonumber(state[2] or 0)
  if till > now + tonumber(ARGV[7]) then till = now end
  if till > now then
    local latest = (tonumber(redis.call('HGET', KEYS[1], id)) or 0) + ARGV[5]
    if latest > now and latest <= furthest then
      asleep[path] = true
      redis.call('ZADD', prefix .. 'asleep', math.min(latest, till), path)
      return nil
    end
    suspended = 1
  elseif till > 0 then
    redis.call('HSET', breaker, 'until', now + ARGV[6])
  end
  redis.call('LPOP', key('lane', path))
  redis.call('HDEL', KEYS[1], id)
  local job = ARGV[2] .. id
  redis.call('HSET', job, 'status', 'started', 'worker_name', ARGV[3], 'started_at', ARGV[4],
               'taken_at', redis.call('TIME')[1])
  return {id, path, openings, suspended, redis.call('HGETALL', job)}
end
local function take(path, depth)
  if depth == 3 then return take_from(path) end
  local ring = key('ring', path)
  for _, name in ipairs(redis.call('ZRANGE', ring, 0, #ARGV + 32)) do
    local inner = depth == 0 and name or path .. ' ' .. name
    if not full[inner] then
      local found = take(inner, depth + 1)
      local waits = depth == 2 and 'lane' or 'ring'
      if asleep[inner] or redis.call('EXISTS', key(waits, inner)) == 0 then
        redis.call('ZREM', ring, name)
      elseif found then
        redis.call('ZADD', ring, turn, name)
      end
      if found then return found end
    end
  end
end
return take('', 0) or redis.call('HLEN', KEYS[1])
"""
)
# Deletes a job that is done, and records the outcome for its bot. Returns the milliseconds for which the bot is
# suspended. A call that began before the bot was suspended says nothing new.
# KEYS: the job, the bot's failures
# ARGV: prefix, "answered", "silent" or "", openings when the call began, failures that suspend it, first and longest
# pause, how long failures are remembered
NOTE_OUTCOME: Final = (
    COMMON
    + """
redis.call('DEL', KEYS[1])
if ARGV[2] == 'answered' then redis.call('DEL', KEYS[2]) end
if ARGV[2] ~= 'silent' then return 0 end
local openings = tonumber(redis.call('HGET', KEYS[2], 'openings') or 0)
if openings ~= tonumber(ARGV[3]) then return 0 end
local failures = redis.call('HINCRBY', KEYS[2], 'failures', 1)
redis.call('PEXPIRE', KEYS[2], ARGV[7])
if openings == 0 and failures < tonumber(ARGV[4]) then return 0 end
local pause = math.min(ARGV[5] * 2 ^ openings, tonumber(ARGV[6]))
redis.call('HSET', KEYS[2], 'openings', openings + 1, 'until', now + pause)
redis.call('PEXPIRE', KEYS[2], ARGV[7] + pause)
return pause
"""
)


class Lane(NamedTuple):
    """Lane of a call: an app's name, and digests that distinguish hosts and URLs without naming them."""

    app: str
    host: str
    bot: str

    @property
    def at_host(self) -> str:
        """The app and the host, as a path."""
        return f"{self.app} {self.host}"

    @property
    def path(self) -> str:
        """The app, the host and the bot, as a path."""
        return " ".join(self)


UNKNOWN_LANE: Final = Lane("-", "-", "-")  # for a job whose app is not known; it will end immediately


def lane_of(app: str, url: str) -> Lane:
    """The lane of an app's bot."""
    try:
        host = _digest(target_of(url).host)
    except UrlRefused:  # this release does not allow the URL, and the call will report that
        host = "-"
    return Lane(app, host, _digest(url))


def trial_lane_of(app: str, url: str) -> Lane:
    """The lane of trials of an app's bot, which is never suspended, because the app must learn what is wrong."""
    return lane_of(app, url)._replace(bot=_digest(f"trial {url}"))


class RemoteJob(FetchedJob):
    """A call that was taken. `openings`: how often its bot had been suspended by then.

    `suspended`: the call must not be made. `outcome`: the bot's behaviour: "answered", "silent", or "" if nothing is
    known.
    """

    lane = UNKNOWN_LANE
    openings = 0
    suspended = False
    outcome = ""

    def perform(self) -> Any:
        """Make the call, or a move in the bot's place."""
        if self.suspended:
            return job.stand_in(*self.args)
        self.outcome = str(super().perform() or "")
        return None


class FairQueue:
    """The lanes, as one worker uses them."""

    def __init__(self, server: Redis, queue: Queue, worker: str, seconds: float, limit: float) -> None:
        """`queue`: where calls come from; `seconds`: the limit of one call; `limit`: that of its job."""
        self._server = server
        self._queue = queue
        self._worker = worker
        times = (min(seconds, LONGEST_WAIT), limit, max(limit, LONGEST_PAUSE))
        self._times = tuple(int(one * 1000) for one in times)
        self._sort, self._take, self._note = map(server.register_script, (SORT, TAKE, NOTE_OUTCOME))

    def unsorted(self, seconds: float) -> list[str]:
        """The ids of the oldest jobs; waits for one for at most so many seconds. Raises RedisError."""
        line = self._queue.key
        if self._server.execute_command("BLMOVE", line, line, "LEFT", "LEFT", seconds) is None:  # type: ignore[no-untyped-call]
            return []
        found: list[Any] = self._server.lrange(self._queue.key, 0, BATCH - 1)
        return [job_id.decode() for job_id in found]

    def sort(self, lanes: Mapping[str, Lane]) -> None:
        """Move these jobs into their lanes. Raises RedisError."""
        pairs = [word for job_id, lane in lanes.items() for word in (job_id, lane.path)]
        self._sort([self._queue.key, REMOTE_WAITING], [PREFIX, *pairs])

    def take(self, full: Sequence[str]) -> RemoteJob | int:
        """The next job in turn outside of the paths in `full`, or the number of waiting jobs. Raises RedisError."""
        found = self._take(
            [REMOTE_WAITING],
            [PREFIX, Job.key_for(""), self._worker, utcformat(now()), *self._times, *full],
        )
        return found if isinstance(found, int) else self._restored(*found)

    def done(self, job: RemoteJob) -> float:
        """Delete the job. Returns the seconds for which its bot is suspended from now on, or 0. Raises RedisError."""
        milliseconds = [int(seconds * 1000) for seconds in (FIRST_PAUSE, LONGEST_PAUSE, MEMORY)]
        keys = [job.key, f"{PREFIX}breaker:{job.lane.path}"]
        pause: int = self._note(keys, [PREFIX, job.outcome, job.openings, FAILURES, *milliseconds])
        return pause / 1000

    def _restored(
        self, job_id: bytes, path: bytes, openings: int, suspended: int, flat: Sequence[bytes]
    ) -> RemoteJob:
        job = RemoteJob(job_id.decode(), connection=self._server, serializer=JSONSerializer)
        job.restore(dict(zip(flat[::2], flat[1::2], strict=True)))
        job.lane, job.openings, job.suspended = Lane(*path.decode().split(" ")), openings, bool(suspended)
        return job


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:32]
