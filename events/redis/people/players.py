"""Players in Redis: a sealed record, its key, and an entry in an index by name, which come and go as one.

All keys of a player share a hash tag: the index's digest of app and name gives the partition, and the player's id is
drawn so that it belongs to the same one.
"""

import secrets as randomness
from collections.abc import Sequence

from events.players import records
from events.players.records import KEY_SIZE
from events.ports import PlayerRecord, StoredPlayer
from events.redis import installation, keys
from events.redis.connections.client import RedisClient
from events.redis.servers.aof_rewrite import AofRewriter

# Makes a player, or finds the one of that name: two at once get the same id.
# KEYS: index entry, record, key
# ARGV: id, digest, sealed record, key
ENROL = """
local known = redis.call('GET', KEYS[1])
if known then return known end
redis.call('HSET', KEYS[2], 'sealed', ARGV[3], 'digest', ARGV[2])
redis.call('SET', KEYS[3], ARGV[4])
redis.call('SET', KEYS[1], ARGV[1])
return ARGV[1]
"""
# Destroys a player, and remembers that the append-only file still holds what was destroyed.
# KEYS: index entry, record, key, count of erasures
# ARGV: the player's id
ERASE = """
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
local gone = redis.call('DEL', KEYS[3]) + redis.call('DEL', KEYS[2])
if gone > 0 then redis.call('INCR', KEYS[4]) end
return gone
"""


class RedisPlayerStore:
    """The players of an installation. Every method may raise StoreUnavailable; each is safe to be sent again."""

    def __init__(self, link: RedisClient) -> None:
        self._link = link
        self._rewriter = AofRewriter(link)
        self._secret = installation.Secret(link, keys.PLAYERS_SECRET)

    def known(self, app: str, names: Sequence[str]) -> list[str | None]:
        """The ids of the app's players of these names, in one round trip; None for one that is not there."""
        return self._known(app, names)[1] if names else []

    def enrol(self, record: PlayerRecord, place: str = "") -> str:
        """The id of the app's player of that name, or of its guest at a `place`, who is made where there is none."""
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
            [keys.player_name(partition, digest), keys.player(player_id), keys.player_key(player_id)],
            [player_id, digest, sealed, key],
        )
        return _text(reply)

    def read(self, player_ids: Sequence[str]) -> list[StoredPlayer | None]:
        """The players of these ids, in one round trip; None for one that is not there (any more)."""
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

    def erase(self, player_id: str, digest: bytes) -> bool:
        """Destroy key, record and index entry in one step; whether there was anything to destroy."""
        partition = keys.partition_of(player_id)
        touched = [
            keys.player_name(partition, digest),
            keys.player(player_id),
            keys.player_key(player_id),
            keys.erasures(partition),
        ]
        return bool(self._link.script(ERASE, touched, [player_id]))

    def settle_erasures(self) -> None:
        self._rewriter.step()

    def _known(
        self, app: str, names: Sequence[str], place: str = ""
    ) -> tuple[bytes | None, list[str | None]]:
        """The secret that the index depends on, if there is one yet, and the ids that it has."""
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
