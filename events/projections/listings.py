"""Listings: each app's games, newest first; a projection of the games that can be late, but never wrong for long."""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

import orjson

from domain.lifecycle import Json, places_in_duel
from events.caching.snapshot import Snapshot
from events.errors import BadCursor
from events.games.access import OF_A_SEAT
from events.games.serialisers import summary_document
from events.redis.client import RedisClient

STATUSES = ("waiting", "playing", "finished")
MEMBER = re.compile(rb"[0-9]{13}:[0-9A-Za-z]{22}")
ROUNDS = 10  # of looking for games that pass the filters, for one page

# Puts a game's line in unless a later one is there already, and the game into the indexes it can be found by.
# All members have the same score, so that they stand in the order of their bytes: creation time, then id.
# KEYS: lines, the indexes that list the game, the indexes that no longer do
# ARGV: game id, version, line, member, number of indexes that list the game
UPDATE = """
local known = redis.call('HGET', KEYS[1], ARGV[1])
if known and (tonumber(string.match(known, '^%d+')) or 0) >= tonumber(ARGV[2]) then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2] .. ':' .. ARGV[3])
local listed = 1 + tonumber(ARGV[5])
for at = 2, listed do redis.call('ZADD', KEYS[at], 0, ARGV[4]) end
for at = listed + 1, #KEYS do redis.call('ZREM', KEYS[at], ARGV[4]) end
return 1
"""


@dataclass(frozen=True, slots=True)
class Page:
    """Some of the games, and where the rest begins; `cursor` None where there is no rest."""

    games: list[Json]
    cursor: str | None


class Listings:
    """The apps' listings in Redis; all keys of an app share a hash tag."""

    def __init__(self, link: RedisClient) -> None:
        self._link = link

    def update(self, snapshot: Snapshot) -> None:
        """Put the game's line into its app's listing; harmless when doubled or late. Raises StoreUnavailable.

        What a seat has made for itself is of no app, and listed nowhere.
        """
        app, game_id = snapshot.secrets.app, snapshot.game_id
        if app == OF_A_SEAT:
            return
        line = summary_document(snapshot)
        listed = [_index(app), _index(app, "status", line["status"]), _index(app, "game", line["game"])]
        listed += [_index(app, "player", player) for player in _players(line)]
        unlisted = [_index(app, "status", status) for status in STATUSES if status != line["status"]]
        created = int(datetime.fromisoformat(line["created_at"]).timestamp() * 1000)
        self._link.script(
            UPDATE,
            [_lines(app), *listed, *unlisted],
            [game_id, snapshot.version, orjson.dumps(line), f"{created:013d}:{game_id}", len(listed)],
        )

    def page(
        self,
        app: str,
        *,
        status: str | None,
        game: str | None,
        players: Sequence[str] | None,
        limit: int,
        cursor: str | None,
    ) -> Page:
        """At most `limit` games of the app that pass the filters, from `cursor` on. Raises BadCursor.

        `players` is all that the games of a player are listed under. The narrowest index is read and its games are
        filtered by the rest; a page may be short, and still have a cursor, where that takes too long.
        """
        indexes = _narrowest(app, status, game, players)
        wanted = {"status": status, "game": game}
        found: list[tuple[bytes, Json]] = []
        before = b"+" if cursor is None else b"(" + _member(cursor)
        for _ in range(ROUNDS):
            members = self._members(indexes, before, limit + 1)
            found += [
                (member, line) for member, line in self._read(app, members) if _passes(line, wanted, players)
            ]
            if len(found) > limit:
                return Page([line for _, line in found[:limit]], _cursor(found[limit - 1][0]))
            if len(members) <= limit:
                return Page([line for _, line in found], None)
            before = b"(" + members[-1]
        return Page([line for _, line in found], _cursor(members[-1]))

    def _members(self, indexes: Sequence[str], before: bytes, limit: int) -> list[bytes]:
        """The first members of all the indexes together."""
        reading = [("ZREVRANGEBYLEX", index, before, "-", "LIMIT", 0, limit) for index in indexes]
        found = {member for reply in (self._link.calls(reading) if reading else ()) for member in reply}
        return sorted(found, reverse=True)[:limit]

    def _read(self, app: str, members: list[bytes]) -> Iterator[tuple[bytes, Json]]:
        if not members:
            return
        lines = self._link.call("HMGET", _lines(app), *(member.partition(b":")[2] for member in members))
        for member, line in zip(members, lines, strict=True):
            yield member, _with_places(orjson.loads(line.partition(b":")[2]))


def _with_places(line: Json) -> Json:
    """The line with the places of its result: a former release, whose games had two seats, wrote none."""
    if (result := line["result"]) is not None and "places" not in result:
        result["places"] = list(places_in_duel(result["winner"]))
    return line


def _lines(app: str) -> str:
    return f"{{app:{app}}}:lines"


def _index(app: str, *part: str) -> str:
    return ":".join((f"{{app:{app}}}", "games", *part))


def _narrowest(app: str, status: str | None, game: str | None, players: Sequence[str] | None) -> list[str]:
    if players is not None:
        return [_index(app, "player", player) for player in players]
    for part, value in (("status", status), ("game", game)):
        if value is not None:
            return [_index(app, part, value)]
    return [_index(app)]


def _players(line: Json) -> list[str]:
    """The ids of a line's players; names in lines that former releases wrote."""
    told = [seat.get("player_id", seat.get("player")) for seat in line["seats"]]
    return [player for player in told if player is not None]


def _passes(line: Json, wanted: dict[str, str | None], players: Sequence[str] | None) -> bool:
    fits = all(value is None or line[name] == value for name, value in wanted.items())
    return fits and (players is None or not set(players).isdisjoint(_players(line)))


def _cursor(member: bytes) -> str:
    return urlsafe_b64encode(member).decode().rstrip("=")


def _member(cursor: str) -> bytes:
    try:
        member = urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4))
    except (NotBase64, ValueError):
        raise BadCursor from None
    if MEMBER.fullmatch(member) is None:
        raise BadCursor
    return member
