"""The event store on Redis streams: one stream a game, one script that appends."""

from collections.abc import Mapping, Sequence

from events.errors import GameNotFound, VersionConflict
from events.log.envelope import EMPTY, RecordedEvent, StreamHead
from events.log.game_secrets import Secrets
from events.log.signing import SignedHead
from events.log.stored_form import (
    secret_fields,
    secrets_of,
    signature_of,
    signature_text,
    stored_event,
    token_fields,
)
from events.ports import Appended, CommandId, Repeated
from events.redis import installation, keys
from events.redis.client import Argument, RedisClient
from events.redis.news import News

# The one way in for events. Atomically, in this order:
#   1. a command that was done before is answered with its record, and nothing else happens;
#   2. the stream must end at the expected version with the expected head of the chain;
#   3. the events are added, the command recorded, seats' tokens (or, at creation, all secrets) set;
#   4. the feed gets a reference to what was added, and the index of due games is brought up to date;
#   5. subscribers are notified (see `events.redis.news`); where that is not allowed, the append is done all the same.
# It answers with a status and never with an error; a server out of memory refuses it as a whole, at its first write.
# KEYS: events, commands, secrets, feed, due
# ARGV: expected version, expected head, command id, fingerprint, game id, types, due ("" for no), number of fields of
#       secrets, those fields and values, then for every event its canonical bytes and its seal
APPEND = """
local expected, head, command, fingerprint, game = tonumber(ARGV[1]), ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local types, due, fields = ARGV[6], ARGV[7], tonumber(ARGV[8])

local record = redis.call('HGET', KEYS[2], command)
if record then return 'repeated ' .. record end

local version = 0
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
if last then
  version = tonumber(string.match(last[1], '^%d+'))
  if string.sub(last[2][4], -64) ~= head then return 'conflict ' .. version end
end
if version ~= expected then return 'conflict ' .. version end

local first = version + 1
for at = 9 + 2 * fields, #ARGV, 2 do
  version = version + 1
  redis.call('XADD', KEYS[1], version .. '-0', 'event', ARGV[at], 'seal', ARGV[at + 1], 'command', command)
end
redis.call('HSET', KEYS[2], command, fingerprint .. ':' .. first .. ':' .. version)
for at = 9, 7 + 2 * fields, 2 do
  redis.call('HSET', KEYS[3], ARGV[at], ARGV[at + 1])
end
local reference = redis.call(
  'XADD', KEYS[4], '*', 'game', game, 'first', first, 'last', version, 'types', types, 'due', due)
if due == '' then
  redis.call('HDEL', KEYS[5], game)
else
  redis.call('HSET', KEYS[5], game, due .. ':' .. version .. ':' .. string.match(reference, '^%d+'))
end
redis.pcall('PUBLISH', KEYS[1], version)
return 'appended ' .. version
"""

# What signs a game's final head stands with its secrets. The first signature stays; a game that is gone gets none.
# KEYS: secrets. ARGV: the signature
KEEP_SIGNATURE = """
if redis.call('EXISTS', KEYS[1]) == 0 then return '' end
redis.call('HSETNX', KEYS[1], 'signature', ARGV[1])
return redis.call('HGET', KEYS[1], 'signature')
"""

NEVER = 2**53  # a version that no game reaches


class RedisEventStore:
    """The event store port over Redis; safe among threads and greenlets.

    `link` carries what is answered at once; `waiting` is the way to the one connection on which all who wait are
    notified, each for at most `patience` seconds at a time.
    """

    def __init__(self, link: RedisClient, waiting: RedisClient, patience: float) -> None:
        self._link = link
        self._news = News(link, waiting, lambda stream: ("XLEN", stream), int)
        self._patience = patience

    def create(
        self, game_id: str, secrets: Secrets, command: CommandId, events: Sequence[RecordedEvent], due: str
    ) -> Appended | Repeated:
        sent = _append_arguments(game_id, EMPTY, command, events, due, secret_fields(secrets))
        reply = self._link.script(APPEND, keys.append_keys(game_id), sent)
        return _outcome(game_id, command, reply)

    def append(
        self,
        game_id: str,
        expected: StreamHead,
        command: CommandId,
        events: Sequence[RecordedEvent],
        due: str = "",
        tokens: Mapping[int, str] | None = None,
    ) -> Appended | Repeated:
        sent = _append_arguments(game_id, expected, command, events, due, token_fields(tokens or {}))
        reply = self._link.script(APPEND, keys.append_keys(game_id), sent)
        return _outcome(game_id, command, reply)

    def read(self, game_id: str, after: int = 0, limit: int | None = None) -> list[RecordedEvent]:
        first = min(after, NEVER) + 1
        count = () if limit is None else ("COUNT", limit)
        return [
            stored_event(entry)
            for entry in self._link.call("XRANGE", keys.stream(game_id), first, "+", *count)
        ]

    def recorded(self, game_id: str, command: CommandId) -> Repeated | None:
        record = self._link.call("HGET", keys.commands(game_id), command.id)
        return None if record is None else Repeated.by(command, record.decode())

    def secrets(self, game_id: str) -> Secrets:
        flat = self._link.call("HGETALL", keys.secrets(game_id))
        if not flat:
            raise GameNotFound(game_id)
        fields = {flat[at].decode(): flat[at + 1].decode() for at in range(0, len(flat), 2)}
        return secrets_of(fields)

    def requests_secret(self) -> bytes:
        return installation.secret(self._link, keys.REQUESTS_SECRET)

    def keep_signature(self, game_id: str, signed: SignedHead) -> SignedHead:
        text = signature_text(signed)
        kept = self._link.script(KEEP_SIGNATURE, [keys.secrets(game_id)], [text])
        if not kept:
            raise GameNotFound(game_id)
        return signature_of(kept.decode())

    def version(self, game_id: str) -> int:
        return int(self._link.call("XLEN", keys.stream(game_id)))

    def wait(self, game_id: str, after: int, seconds: float) -> int:
        return self._news.wait(keys.stream(game_id), after, min(seconds, self._patience))


def _append_arguments(
    game_id: str,
    expected: StreamHead,
    command: CommandId,
    events: Sequence[RecordedEvent],
    due: str,
    fields: Sequence[str],
) -> list[Argument]:
    types = ",".join([event.type for event in events])
    arguments: list[Argument] = [
        *(expected.version, expected.head, command.id, command.fingerprint, game_id, types, due),
        len(fields) // 2,
        *fields,
    ]
    for event in events:
        arguments += (event.committed, event.salt + event.commitment + event.head)
    return arguments


def _outcome(game_id: str, command: CommandId, reply: bytes) -> Appended | Repeated:
    status, _, detail = reply.decode().partition(" ")
    if status == "appended":
        return Appended(int(detail))
    if status == "repeated":
        return Repeated.by(command, detail)
    if detail == "0":
        raise GameNotFound(game_id)
    raise VersionConflict(int(detail))
