"""Who wants a rematch, in Redis: beside the game that is over, which gets no more events."""

from collections.abc import Sequence
from typing import Final

from events.redis import keys
from events.redis.connections.client import RedisClient

# KEYS: the game's consents; ARGV: seat, hash, seconds
AGREE: Final = """
redis.call('HSETNX', KEYS[1], ARGV[1], ARGV[2])
if redis.call('TTL', KEYS[1]) < 0 then redis.call('EXPIRE', KEYS[1], ARGV[3]) end
return redis.call('HGETALL', KEYS[1])
"""


class RedisConsents:
    """The port of consents over Redis; each method is safe to be sent again."""

    def __init__(self, link: RedisClient) -> None:
        self._link = link

    def agree(self, game_id: str, seat: int, token_hash: str, seconds: int) -> dict[int, str]:
        return _hashes(self._link.script(AGREE, [keys.rematch(game_id)], [seat, token_hash, seconds]))

    def withdraw(self, game_id: str, seat: int) -> None:
        self._link.call("HDEL", keys.rematch(game_id), seat)

    def agreed(self, game_id: str) -> dict[int, str]:
        return _hashes(self._link.call("HGETALL", keys.rematch(game_id)))


def _hashes(flat: Sequence[bytes]) -> dict[int, str]:
    return {int(flat[at]): flat[at + 1].decode() for at in range(0, len(flat), 2)}
