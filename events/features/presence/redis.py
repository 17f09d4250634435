"""Presence on the queue's server: for each game a sorted set of its seats by the time at which they cease to count.

WATCHED is a member, too, by the time at which watching began.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from redis.exceptions import ResponseError

from domain.registry import GAMES
from events.features.presence.port import GRACE, KEPT, UNSEEN, WATCHED
from events.store import keys
from events.store.connections.client import Argument, RedisClient, Request

AT_ONCE: Final = 128  # games in one request
LISTED: Final = 2 * GRACE  # seconds for which a game is listed after its last report
SEATS: Final = range(max(max(game.seat_counts) for game in GAMES.values()))


class RedisPresence:
    """The port of presence over Redis, by the server's clock."""

    def __init__(self, link: RedisClient) -> None:
        self._link = link

    def tell(self, present: Mapping[str, Mapping[int, float]]) -> dict[str, dict[int, float]]:
        heard = dict[str, dict[int, float]]()
        games = list(present)
        for at in range(0, len(games), AT_ONCE):
            some = games[at : at + AT_ONCE]
            time, *last = self._link.calls([("TIME",), *(("ZSCORE", keys.ATTENDED, game) for game in some)])
            now = _milliseconds(time)
            watched = [_is_watched(at, now) for at in last]
            asked = [
                _asked(game, present[game], now, begins=not before)
                for game, before in zip(some, watched, strict=True)
            ]
            listed = _listed([game for game in some if present[game]], now)
            replies = iter(self._link.calls([one for requests in asked for one in requests] + listed))
            for game, requests in zip(some, asked, strict=True):
                *_, found = [next(replies) for _ in requests]
                heard[game] = _seats(found, now)
        return heard

    def hear(self, game_ids: Sequence[str]) -> dict[str, dict[int, float]]:
        heard = dict[str, dict[int, float]]()
        for at in range(0, len(game_ids), AT_ONCE):
            some = game_ids[at : at + AT_ONCE]
            asked: list[Request] = [("ZRANGE", keys.presence(game), 0, -1, "WITHSCORES") for game in some]
            *found, now = self._link.calls([*asked, ("TIME",)])
            for game, seats in zip(some, found, strict=True):
                heard[game] = _seats(seats, _milliseconds(now))
        return heard

    def told(self) -> list[str]:
        now = _milliseconds(self._link.call("TIME"))
        since, latest = now - round(LISTED * 1000), now + round(LISTED * 1000)
        found = self._link.call("ZRANGEBYSCORE", keys.ATTENDED, since, latest)
        return [game.decode() for game in found]


def _milliseconds(time: Sequence[bytes]) -> int:
    seconds, micros = time
    return int(seconds) * 1000 + int(micros) // 1000


def _is_watched(last: Any, now: int) -> bool:
    """True if the game was reported just now, and the clock was not set since."""
    return isinstance(last, bytes) and abs(now - float(last)) <= UNSEEN * 1000


def _asked(game_id: str, seats: Mapping[int, float], now: int, *, begins: bool) -> list[Request]:
    """Requests about a game, of which the last one asks for all seats.

    The first request corrects times of a clock that was ahead: no seat counts for longer than GRACE from now on.
    `begins`: the watching of the game begins now, which is recorded before any seat counts as connected.
    """
    key, most = keys.presence(game_id), now + round(GRACE * 1000)
    lowered, told = list[Argument](), list[Argument]()
    for seat in SEATS:
        lowered += (most, seat)
    for seat, seconds in seats.items():
        told += (now + round(min(seconds, GRACE) * 1000), seat)
    telling: list[Request] = [("ZADD", key, "GT", *told), ("EXPIRE", key, KEPT)] if told else []
    if telling and begins:
        telling.insert(0, ("ZADD", key, now, WATCHED))
    return [("ZADD", key, "XX", "LT", *lowered), *telling, ("ZRANGE", key, 0, -1, "WITHSCORES")]


def _listed(games: Sequence[str], now: int) -> list[Request]:
    """Requests that list games with reported seats, and remove those of long ago, or from a clock that was ahead."""
    if not games:
        return []
    since, latest = now - round(LISTED * 1000), now + round(LISTED * 1000)
    return [
        ("ZADD", keys.ATTENDED, *(part for game in games for part in (now, game))),
        ("ZREMRANGEBYSCORE", keys.ATTENDED, 0, since),
        ("ZREMRANGEBYSCORE", keys.ATTENDED, latest, "+inf"),
    ]


def _seats(found: Sequence[Any] | ResponseError, now: int) -> dict[int, float]:
    """The seconds by seat; none if the key has another type, which `migrato fsck` reports.

    A time far beyond GRACE was reported before the server's clock was set back: it is over, unless it is reported
    again.
    """
    if isinstance(found, ResponseError):
        return {}
    left = {int(found[at]): (float(found[at + 1]) - now) / 1000 for at in range(0, len(found), 2)}
    return {
        seat: seconds if seconds < (0 if seat == WATCHED else 2 * GRACE) else 0.0
        for seat, seconds in left.items()
    }
