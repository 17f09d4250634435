"""Analyses of games on the queue's server: a limited number, each kept for a day, and the claims of workers."""

from typing import Final

import orjson

from domain.lifecycle import Json
from events.errors import NoAnswer, StoreUnavailable
from events.store.connections.client import Argument, RedisClient

PREFIX: Final = "migrato:analysis:"
INDEX: Final = "migrato:analyses"
KEPT: Final = 86_400  # seconds
MOST_KEPT: Final = 256
CLAIMED: Final = 15  # seconds after a worker's last sign of life when another one may take over

# Keeps an analysis, and removes the oldest ones beyond the most that there may be. A time later than now was written
# before the clock was set back.
# KEYS: the analysis, the index
# ARGV: the document, the seconds for which it is kept, how many there may be
KEEP: Final = """
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
local now = redis.call('TIME')[1]
for _, key in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '(' .. now, '+inf')) do
  redis.call('ZADD', KEYS[2], now - 1, key)
end
redis.call('ZADD', KEYS[2], now, KEYS[1])
redis.call('EXPIRE', KEYS[2], ARGV[2])
local beyond = redis.call('ZCARD', KEYS[2]) - tonumber(ARGV[3])
if beyond > 0 then
  local oldest = redis.call('ZPOPMIN', KEYS[2], beyond)
  for at = 1, #oldest, 2 do redis.call('DEL', oldest[at]) end
end
return 1
"""


# Claims an analysis for a worker; 0 if another worker has claimed it. A claim that lasts longer than any can was made
# before the clock was set back; its maker claims it again.
# KEYS: the claim; ARGV: milliseconds
CLAIM: Final = """
local left = redis.call('PTTL', KEYS[1])
if left > 0 and left <= tonumber(ARGV[1]) then return 0 end
redis.call('SET', KEYS[1], 1, 'PX', ARGV[1])
return 1
"""


class RedisAnalyses:
    """The port of analyses over Redis; safe among threads and greenlets."""

    def __init__(self, link: RedisClient) -> None:
        self._link = link

    def kept(self, game_id: str) -> Json | None:
        """The stored record of a game's analysis; None without one. Raises NoAnswer."""
        found = self._ask("GET", PREFIX + game_id)
        if not isinstance(found, bytes):
            return None
        document: Json = orjson.loads(found)
        return document

    def keep(self, game_id: str, document: Json) -> None:
        """Store the record in place of the last one. Raises NoAnswer."""
        self._run(KEEP, [PREFIX + game_id, INDEX], [orjson.dumps(document), KEPT, MOST_KEPT])

    def claim(self, game_id: str, *, again: bool = False) -> bool:
        """Claim the analysis for this worker; False if another one has claimed it. `again`: this worker renews its
        claim.
        """
        if again:
            return self._ask("SET", _claim(game_id), 1, "EX", CLAIMED) is not None
        return bool(self._run(CLAIM, [_claim(game_id)], [1000 * CLAIMED]))

    def is_claimed(self, game_id: str) -> bool:
        """True if a worker has claimed the analysis."""
        left = self._ask("PTTL", _claim(game_id))
        return isinstance(left, int) and 0 < left <= 1000 * CLAIMED

    def release(self, game_id: str) -> None:
        """Give the claim up."""
        self._ask("DEL", _claim(game_id))

    def _run(self, script: str, keys: list[str], sent: list[Argument]) -> object:
        try:
            return self._link.script(script, keys, sent)
        except StoreUnavailable as error:
            raise NoAnswer(error.reason) from error

    def _ask(self, *request: Argument) -> object:
        try:
            return self._link.call(*request)
        except StoreUnavailable as error:
            raise NoAnswer(error.reason) from error


def _claim(game_id: str) -> str:
    return f"{PREFIX}{game_id}:claimed"
