# compiled into recording
"""The event store on Redis streams: one stream a game, one script that appends."""

from collections.abc import Callable, Mapping, Sequence

from events.errors import GameEnded, GameNotFound, InviteVoid, VersionConflict
from events.log.envelope import EMPTY, RecordedEvent, StreamHead
from events.log.game_secrets import Secrets
from events.log.signing import SignedHead
from events.log.stored_form import (
    secret_fields,
    secrets_of,
    signature_of,
    signature_text,
    token_fields,
)
from events.log.usage import USED
from events.ports import NOWHERE, Appended, CommandId, MovedMeanwhile, Repeated, StoredInvite
from events.store import installation, keys
from events.store.cluster.news import news_of
from events.store.connections.client import Argument, RedisClient, Request
from events.store.invite_record import invite_record
from events.store.stream_entries import (
    ENDS_WITH,
    events_of,
    last_entry,
    packed_events,
    packed_heads,
    version_of,
)

# The only way in for events. Atomically, in this order:
#   1. a command that was done before gets its record as the answer, and nothing else happens;
#   2. the stream must end at the expected version with the expected head of the chain;
#   3. the events are added, the command recorded, seats' tokens (or, at creation, all secrets) set;
#   4. the feed gets a reference to what was added, and the index of due games is brought up to date; so is the index of
#      deadlines, if the game has a clock, and what its line in a listing says of how it stands;
#   5. subscribers are notified (see `events.store.news`); if that is not allowed, the append is done all the same.
# A command whose id was drawn for it alone (`~`) can only come again as this very request. So it has no record of its
# own: if it was done, its entry begins right after the expected version.
# It answers with a status and never with an error; a server out of memory refuses it as a whole, at its first write.
# KEYS: events, commands, secrets, feed, due, standings; of a game with a clock also deadlines
# ARGV: expected version, expected head (32 bytes), command id, fingerprint, game id, types and what is used, due (""
#       for no), number of events, their lines, their heads (see `events.store.stream_entries`), how the game stands (""
#       for nothing), of a game with a clock its deadline (0 for none), then fields of secrets and their values
APPEND = (
    ENDS_WITH
    + """
local expected, head, command, game, due = tonumber(ARGV[1]), ARGV[2], ARGV[3], ARGV[5], ARGV[7]
local drawn = string.find(command, '~', 1, true)

if not drawn then
  local record = redis.call('HGET', KEYS[2], command)
  if record then return 'repeated ' .. record end
end

local version, ends = 0, true
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
if last then
  version, ends = tonumber(string.match(last[1], '^%d+')), ends_with(last, head)
end
if version ~= expected or not ends then
  local begun = drawn and redis.call('XRANGE', KEYS[1], expected + 1, '+', 'COUNT', 1)[1]
  if begun and begun[2][6] == command then
    local done, count = string.match(begun[1], '^(%d+)-(%d+)$')
    return 'repeated :' .. done - count + 1 .. ':' .. done
  end
  return 'conflict ' .. version
end

local first = version + 1
version = version + ARGV[8]
redis.call('XADD', KEYS[1], version .. '-' .. ARGV[8], 'events', ARGV[9], 'heads', ARGV[10], 'command', command)
if not drawn then redis.call('HSET', KEYS[2], command, ARGV[4] .. ':' .. first .. ':' .. version) end
local fields = 12
if KEYS[7] then
  fields = 13
  if ARGV[12] == '0' then
    redis.call('ZREM', KEYS[7], game)
  else
    redis.call('ZADD', KEYS[7], ARGV[12], game)
  end
end
if #ARGV >= fields then redis.call('HSET', KEYS[3], unpack(ARGV, fields)) end
local reference = redis.call(
  'XADD', KEYS[4], '*', 'game', game, 'first', first, 'last', version, 'types', ARGV[6], 'due', due)
if due == '' then
  redis.call('HDEL', KEYS[5], game)
else
  redis.call('HSET', KEYS[5], game, due .. ':' .. version .. ':' .. string.match(reference, '^%d+'))
end
if ARGV[11] == '' then
  redis.pcall('HDEL', KEYS[6], game)
else
  redis.pcall('HSET', KEYS[6], game, ARGV[11])
end
redis.pcall('PUBLISH', KEYS[1], version)
return 'appended ' .. version
"""
)

# As APPEND, of the first events of a game. An id that a game had gets no other one: neither if that game was removed or
# pruned, nor if it may have been moved to the archive since somebody looked there.
# KEYS: as for APPEND, then games that are gone, games that were pruned, archived
# ARGV: as for APPEND, then what `archived` was when somebody looked ("" for nothing), or "-" where nobody did
CREATE = f"""
local archived, pruned, gone, seen = table.remove(KEYS), table.remove(KEYS), table.remove(KEYS), table.remove(ARGV)
local function append()
{APPEND}
end
if redis.call('SISMEMBER', gone, ARGV[5]) == 1 then return 'ended 0' end
if redis.call('HEXISTS', pruned, ARGV[5]) == 1 then return 'ended 0' end
if seen ~= '-' and redis.call('EXISTS', KEYS[1]) == 0 and (redis.call('GET', archived) or '') ~= seen then
  return 'moved 0'
end
return append()
"""

# As APPEND, by an invite, which must be what it was, and must not have expired. It is left where it is: its seat is
# taken now, and no seat is taken twice. What a repeated command has done is told, whatever has become of the invite.
# KEYS: as for APPEND, then invites. ARGV: as for APPEND, the invite's id, what is kept of it
APPEND_INVITED = f"""
local invites, kept, invite = table.remove(KEYS), table.remove(ARGV), table.remove(ARGV)
local function append()
{APPEND}
end
local time = redis.call('TIME')
local until_ms = tonumber(string.match(kept, '%d+$'))
if redis.call('HGET', invites, invite) ~= kept or time[1] * 1000 + math.floor(time[2] / 1000) >= until_ms then
  if redis.call('HEXISTS', KEYS[2], ARGV[3]) == 0 then return 'uninvited 0' end
end
return append()
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
        self._news = news_of(link, waiting, last_entry, version_of)
        self._patience = patience
        self._secret = installation.Secret(link, keys.REQUESTS_SECRET)

    def create(
        self,
        game_id: str,
        secrets: Secrets,
        command: CommandId,
        events: Sequence[RecordedEvent],
        due: str,
        deadline: int | None = None,
        standing: bytes = b"",
        *,
        looked_at: str | None = NOWHERE,
        used: str = "",
    ) -> Appended | Repeated:
        partition, fields = keys.partition_of(game_id), secret_fields(secrets)
        sent = _append_arguments(game_id, EMPTY, command, events, due, deadline, standing, used, fields)
        gone = (keys.ended(partition), keys.pruned(partition), keys.archived(partition))
        touched = (*_append_keys(game_id, deadline), *gone)
        return self._done(game_id, command, self._link.script(CREATE, touched, [*sent, looked_at or ""]))

    def append(
        self,
        game_id: str,
        expected: StreamHead,
        command: CommandId,
        events: Sequence[RecordedEvent],
        due: str = "",
        tokens: Mapping[int, str] | None = None,
        invite: StoredInvite | None = None,
        deadline: int | None = None,
        standing: bytes = b"",
        used: str = "",
    ) -> Appended | Repeated:
        fields = token_fields(tokens) if tokens else ()
        touched = _append_keys(game_id, deadline)
        sent = _append_arguments(game_id, expected, command, events, due, deadline, standing, used, fields)
        if invite is not None:
            touched, sent = (*touched, keys.invites(game_id)), [*sent, invite.id, invite_record(invite)]
            return self._done(game_id, command, self._link.script(APPEND_INVITED, touched, sent))
        reply = self._link.script(APPEND, touched, sent)
        return self._done(game_id, command, reply)

    def _done(self, game_id: str, command: CommandId, reply: bytes) -> Appended | Repeated:
        outcome = _outcome(game_id, command, reply)
        if isinstance(outcome, Repeated):
            self._link.settle(keys.stream(game_id))  # too few replicas may have it still
        return outcome

    def read(self, game_id: str, after: int = 0, limit: int | None = None) -> list[RecordedEvent]:
        first = min(after, NEVER) + 1
        count = () if limit is None else ("COUNT", limit)  # an entry has at least one event
        found, known = list[RecordedEvent](), 0  # so many of the first entry are known already
        for entry in self._link.call("XRANGE", keys.stream(game_id), first, "+", *count):
            found += events_of(entry)
            known = max(0, first - found[0].version)  # none, where the entry comes after a gap
            if limit is not None and len(found) >= limit + known:
                break
        return found[known:][:limit]

    def recorded(self, game_id: str, command: CommandId) -> Repeated | None:
        found = _repeated(command, self._link.call(*_record(game_id, command)))
        if found is not None:
            self._link.settle(keys.stream(game_id))
        return found

    def recorded_of(
        self, identity: Callable[[bytes], tuple[str, CommandId]]
    ) -> tuple[bytes, Repeated | None]:
        secret, found = self._secret.read_with(lambda secret: [_record(*identity(secret))])
        if secret is None:
            return self._secret.read(), None
        game_id, command = identity(secret)
        done = _repeated(command, *found)
        if done is not None:
            self._link.settle(keys.stream(game_id))
        return secret, done

    def secrets(self, game_id: str) -> Secrets:
        flat = self._link.call("HGETALL", keys.secrets(game_id))
        if not flat:
            raise GameNotFound(game_id)
        fields = {flat[at].decode(): flat[at + 1].decode() for at in range(0, len(flat), 2)}
        return secrets_of(fields)

    def has_ended(self, game_id: str) -> bool:
        partition = keys.partition_of(game_id)
        asked = [("SISMEMBER", keys.ended(partition), game_id), ("HEXISTS", keys.pruned(partition), game_id)]
        return any(self._link.calls(asked))

    def requests_secret(self) -> bytes:
        return self._secret.read()

    def keep_signature(self, game_id: str, signed: SignedHead) -> SignedHead:
        text = signature_text(signed)
        kept = self._link.script(KEEP_SIGNATURE, [keys.secrets(game_id)], [text])
        if not kept:
            raise GameNotFound(game_id)
        return signature_of(kept.decode())

    def version(self, game_id: str) -> int:
        return version_of(self._link.call(*last_entry(keys.stream(game_id))))

    def wait(self, game_id: str, after: int, seconds: float) -> int:
        return self._news.wait(keys.stream(game_id), after, min(seconds, self._patience))


def _append_arguments(
    game_id: str,
    expected: StreamHead,
    command: CommandId,
    events: Sequence[RecordedEvent],
    due: str,
    deadline: int | None,
    standing: bytes,
    used: str,
    fields: Sequence[str],
) -> list[Argument]:
    types = ",".join([event.type for event in events])
    arguments: list[Argument] = [
        *(expected.version, bytes.fromhex(expected.head), command.id, command.fingerprint, game_id),
        *(f"{types},{USED}{used}" if used else types, due, len(events)),
        *(packed_events(events), packed_heads(events), standing),
    ]
    if deadline is not None:
        arguments.append(deadline)
    arguments += fields
    return arguments


def _append_keys(game_id: str, deadline: int | None) -> tuple[str, ...]:
    named = keys.append_keys(game_id)
    return named if deadline is None else (*named, keys.deadlines(keys.partition_of(game_id)))


def _record(game_id: str, command: CommandId) -> Request:
    """The request for what is recorded of the command."""
    return ("HGET", keys.commands(game_id), command.id)


def _repeated(command: CommandId, record: bytes | None) -> Repeated | None:
    return None if record is None else Repeated.by(command, record.decode())


def _outcome(game_id: str, command: CommandId, reply: bytes) -> Appended | Repeated:
    status, _, detail = reply.decode().partition(" ")
    if status == "appended":
        return Appended(int(detail))
    if status == "repeated":
        return Repeated.by(command, detail)
    if status == "uninvited":
        raise InviteVoid
    if status == "ended":
        raise GameEnded(game_id)
    if status == "moved":
        raise MovedMeanwhile
    if detail == "0":
        raise GameNotFound(game_id)
    raise VersionConflict(int(detail))
