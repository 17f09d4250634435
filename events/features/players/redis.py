"""Players in Redis: an encrypted record, its key, and an entry in an index by name, which are created and removed
together.
"""

import secrets as randomness
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from events.errors import StoreUnavailable
from events.features.players import records
from events.features.players.port import PlayerRecord, StoredPlayer
from events.features.players.records import KEY_SIZE
from events.store import installation, keys
from events.store.connections.client import RedisClient
from events.store.servers.aof_rewrite import AofRewriter

ATTEMPTS: Final = 8  # attempts at a record while other processes change it

# The beginning that the scripts share. A player without a game has another key in the index, and expires.
STAY = """
local tag = string.match(KEYS[1], '^{[^}]*}')
local function stay(id, digest, seconds)
    local hex = string.gsub(digest, '.', function(byte) return string.format('%02x', string.byte(byte)) end)
    local name, seeking = tag .. ':player-name:' .. hex, tag .. ':player-seeking:' .. hex
    for _, key in ipairs({tag .. ':player:' .. id, tag .. ':player-key:' .. id}) do
        if seconds == '' then redis.call('PERSIST', key) else redis.call('EXPIRE', key, seconds) end
    end
    if seconds ~= '' then redis.call('SET', seeking, id, 'EX', seconds)
    else
        redis.call('SET', name, id, 'NX')
        redis.call('DEL', seeking)
    end
end
"""
# Creates a player, or finds the one of that name: two requests at the same time get the same id.
# KEYS: index entry, record, key, index entry of who has no game yet
# ARGV: id, digest, sealed record, key, seconds ("" for good)
ENROL = f"""{STAY}
local known = redis.call('GET', KEYS[1])
if known then return known end
local id = redis.call('GET', KEYS[4])
if not id then
    id = ARGV[1]
    redis.call('HSET', KEYS[2], 'sealed', ARGV[3], 'digest', ARGV[2])
    redis.call('SET', KEYS[3], ARGV[4])
end
stay(id, ARGV[2], ARGV[5])
return id
"""
# Keeps a player for good, or a player without a game for a while. Returns whether the player exists.
# KEYS: record, key
# ARGV: id, seconds ("" for good)
KEEP = f"""{STAY}
local digest = redis.call('HGET', KEYS[1], 'digest')
if not digest or redis.call('EXISTS', KEYS[2]) == 0 then return 0 end
if redis.call('PTTL', KEYS[1]) >= 0 then stay(ARGV[1], digest, ARGV[2]) end
return 1
"""
# Replaces a player's record, unless the player is gone or another process has changed it.
# KEYS: record, key. ARGV: the sealed record that is there, the new one
RESEAL = """
if redis.call('EXISTS', KEYS[2]) == 0 or redis.call('HGET', KEYS[1], 'sealed') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'sealed', ARGV[2])
return 1
"""
# Destroys a player; if asked to, also records that the append-only file still has the destroyed data.
# KEYS: index entry, record, key, count of erasures, index entry of who has no game yet
# ARGV: the player's id, whether it is remembered ("1")
ERASE = """
for _, entry in ipairs({KEYS[1], KEYS[5]}) do
    if redis.call('GET', entry) == ARGV[1] then redis.call('DEL', entry) end
end
local gone = redis.call('DEL', KEYS[3]) + redis.call('DEL', KEYS[2])
if gone > 0 and ARGV[2] == '1' then redis.call('INCR', KEYS[4]) end
return gone
"""


class RedisPlayerStore:
    """The players of an installation. Every method may raise StoreUnavailable; each is safe to be sent again."""

    def __init__(self, link: RedisClient) -> None:
        self._link = link
        self._rewriter = AofRewriter(link)
        self._secret = installation.Secret(link, keys.PLAYERS_SECRET)

    def known(self, app: str, names: Sequence[str]) -> list[str | None]:
        """The ids of the app's players of these names, in one round trip; None for a name without a player."""
        return self._known(app, names)[1] if names else []

    def enrol(self, record: PlayerRecord, place: str = "", seconds: int | None = None) -> str:
        secret, (known,) = self._known(record.app, [record.name], place)
        if known is not None:
            return known
        digest = records.digest(secret or self._secret.read(), record.app, record.name, place)
        partition = records.partition_of_digest(digest)
        player_id = records.new_player_id(partition, guest=bool(place))
        key = randomness.token_bytes(KEY_SIZE)
        sealed = records.seal(player_id, key, record)
        reply = self._link.script(
            ENROL,
            [
                keys.player_name(partition, digest),
                keys.player(player_id),
                keys.player_key(player_id),
                keys.player_seeking(partition, digest),
            ],
            [player_id, digest, sealed, key, "" if seconds is None else seconds],
        )
        return _text(reply)

    def keep(self, player_id: str, seconds: int | None = None) -> bool:
        touched = [keys.player(player_id), keys.player_key(player_id)]
        return bool(self._link.script(KEEP, touched, [player_id, "" if seconds is None else seconds]))

    def read(self, player_ids: Sequence[str]) -> list[StoredPlayer | None]:
        """The players of these ids, in one round trip; None for one who does not exist or was erased."""
        requests = [
            request
            for player_id in player_ids
            for request in (
                ("HMGET", keys.player(player_id), "sealed", "digest"),
                ("GET", keys.player_key(player_id)),
            )
        ]
        replies = self._link.calls(requests) if requests else []
        return [
            _kept(player_id, record, key)
            for player_id, record, key in zip(player_ids, replies[::2], replies[1::2], strict=True)
        ]

    def rename(self, player_id: str, display_name: str | None) -> bool:
        """Change the display name, encrypted with the key whose end destroys both names. Returns True if the player
        exists.
        """
        touched = [keys.player(player_id), keys.player_key(player_id)]
        for _ in range(ATTEMPTS):
            sealed, key = self._link.calls([("HGET", touched[0], "sealed"), ("GET", touched[1])])
            record = records.unseal(player_id, key, sealed) if sealed and key else None
            if record is None:
                return False
            new = records.seal(player_id, key, replace(record, display_name=display_name))
            if self._link.script(RESEAL, touched, [sealed, new]):
                return True
        raise StoreUnavailable("others rename the player at the same time")

    def erase(self, player_id: str, digest: bytes, *, at_once: bool = True) -> bool:
        """Destroy key, record and index entry in one step. Returns True if there were any."""
        partition = keys.partition_of(player_id)
        touched = [
            keys.player_name(partition, digest),
            keys.player(player_id),
            keys.player_key(player_id),
            keys.erasures(partition),
            keys.player_seeking(partition, digest),
        ]
        return bool(self._link.script(ERASE, touched, [player_id, int(at_once)]))

    def settle_erasures(self) -> None:
        self._rewriter.step()

    def _known(
        self, app: str, names: Sequence[str], place: str = ""
    ) -> tuple[bytes | None, list[str | None]]:
        """The secret on which the index depends, if there is one yet, and the ids in the index."""
        secret, found = self._secret.read_with(
            lambda secret: [("GET", _entry(records.digest(secret, app, name, place))) for name in names]
        )
        if secret is None:
            return None, [None] * len(names)
        return secret, [None if player_id is None else _text(player_id) for player_id in found]


def _entry(digest: bytes) -> str:
    return keys.player_name(records.partition_of_digest(digest), digest)


def _kept(player_id: str, fields: Sequence[bytes | None], key: bytes | None) -> StoredPlayer | None:
    sealed, digest = fields
    if sealed is None or digest is None or key is None:
        return None
    record = records.unseal(player_id, key, sealed)
    return None if record is None else StoredPlayer(record, digest)


def _text(reply: bytes) -> str:
    return reply.decode()
