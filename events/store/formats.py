"""Formats of the store: releases that read each other's writing may work side by side; others refuse to start.

A format is a number for all that is stored. Each process announces which formats it reads. A process writes the newest
format that all of them read, and the store notes the highest one that was written: nobody who cannot read that one
starts any more. So readers come before writers. Until all have read a format for so long as HOLD_MS, a former release
may come back.
"""

import secrets as randomness
from dataclasses import dataclass
from typing import Final

from events.store import keys
from events.store.connections.client import Argument, RedisClient

TTL_MS: Final = 30_000  # after which a process that announces nothing counts as gone
RENEWED: Final = 10.0  # seconds between two announcements
FIRST: Final = 1
SEALED: Final = 2  # new games bind every member of an event when it is shown
WITH_BOTS: Final = 3  # new games may have apps' own bots by name, and budgets of seats
HOLD_MS: Final = 86_400_000  # that all processes must read a format before it is written
BREAK_MS: Final = 300_000  # without any announcement: a release from before these may have run meanwhile

# Announces what a process reads, and raises the format that is written if all read another one for long enough.
# Answers with 'written' and the format to write, or refuses: the store is too 'new' or too 'old' for the process, or
# another one that lives reads nothing that it writes ('beside'). A time that lies too far ahead is one of a clock that
# was set back. The hold begins anew after a time in which nobody announced anything: a backup was restored, or a
# release ran that does not announce itself.
# KEYS: format, readers
# ARGV: the process, the formats that it reads (first and last) and writes (first and last), TTL, hold, break (ms)
JOIN: Final = """
local time = redis.call('TIME')
local now, ttl = time[1] * 1000 + math.floor(time[2] / 1000), tonumber(ARGV[6])
local first, last = tonumber(ARGV[2]), tonumber(ARGV[3])
local all = last
local readers = redis.call('HGETALL', KEYS[2])
for at = 1, #readers, 2 do
  local most, till = string.match(readers[at + 1], '^%d+:(%d+):(%d+)$')
  if not till or tonumber(till) <= now or tonumber(till) > now + ttl then
    redis.call('HDEL', KEYS[2], readers[at])
  elseif readers[at] ~= ARGV[1] then
    all = math.min(all, tonumber(most))
  end
end
local written = tonumber(redis.call('HGET', KEYS[1], 'written'))
if not written then written = redis.call('DBSIZE') == 0 and tonumber(ARGV[5]) or 1 end
if written > last then return {'new', written} end
if written < first then return {'old', written} end
if all < tonumber(ARGV[4]) then return {'beside', all} end
redis.call('HSET', KEYS[2], ARGV[1], first .. ':' .. last .. ':' .. string.format('%d', now + ttl))
local able = math.min(all, tonumber(ARGV[5]))
if able > written then
  local wanted, since = string.match(redis.call('HGET', KEYS[1], 'wanted') or '', '^(%d+):(%d+)$')
  local seen = tonumber(redis.call('HGET', KEYS[1], 'seen')) or now
  if tonumber(wanted) ~= able or tonumber(since) > now or now - seen > tonumber(ARGV[8]) then
    since = now
    redis.call('HSET', KEYS[1], 'wanted', string.format('%d:%d', able, now))
  end
  if now - since >= tonumber(ARGV[7]) then written = able end
end
if written >= able then redis.call('HDEL', KEYS[1], 'wanted') end
redis.call('HSET', KEYS[1], 'written', written, 'seen', string.format('%d', now))
return {'written', math.max(written, tonumber(ARGV[4]))}
"""


class FormatRefused(Exception):
    """This release must not work on the store as it is now; the message says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Formats:
    """Formats that a release reads and writes, from and to; a release writes one format of these at a time."""

    reads: tuple[int, int] = (1, 3)
    writes: tuple[int, int] = (1, 3)


OURS: Final = Formats()


class StoreFormat:
    """A process among those that work on a store. Every method may raise StoreUnavailable."""

    def __init__(self, link: RedisClient, formats: Formats = OURS, hold_ms: int = HOLD_MS) -> None:
        self._link = link
        self._formats = formats
        self._hold = hold_ms
        self._process = randomness.token_hex(8)

    def join(self) -> int:
        """Announce this process, for TTL_MS; the format that it is to write. Raises FormatRefused."""
        (first, last), (least, most) = self._formats.reads, self._formats.writes
        arguments: list[Argument] = [self._process, first, last, least, most]
        arguments += [TTL_MS, self._hold, BREAK_MS]
        status, number = self._link.script(JOIN, [keys.FORMAT, keys.READERS], arguments)
        self._refuse(status.decode(), int(number))
        return int(number)

    def check(self) -> None:
        """Raise FormatRefused if the store is too new, or too old, for this release."""
        found = self._link.call("HGET", keys.FORMAT, "written")
        written, (first, last) = 0 if found is None else int(found), self._formats.reads
        if written > last:
            self._refuse("new", written)
        elif 0 < written < first:
            self._refuse("old", written)

    def leave(self) -> None:
        """Announce that this process is gone."""
        self._link.call("HDEL", keys.READERS, self._process)

    def _refuse(self, status: str, number: int) -> None:
        first, last = self._formats.reads
        reads = f"this release reads format {first}" + (f" to {last}" if last > first else "")
        store = f"The event store is written in format {number}, and {reads}."
        back = "Start a newer release; to go back, restore a backup into an empty store."
        between = "Start a release between the two first, and wait until it writes its own format."
        beside = f"A process is running that reads no format after {number}, and this release writes only later ones."
        refusals = {
            "new": f"{store} {back}",
            "old": f"{store} {between}",
            "beside": f"{beside} Stop all processes of the other release first.",
        }
        if status in refusals:
            raise FormatRefused(refusals[status])
