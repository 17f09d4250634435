"""Ratings in Redis: each app's results, and the ratings that follow from them; all keys of an app share a hash tag.

A result is stored as lines of JSON: first `[leaderboard, member, subjects, places, anchors]`. Once they are computed,
the ratings after it follow, for each subject `[mean, deviation, games, wins, met, weight, by_bots, limited]`; then how
many people are not new at that time, how many of them by games against bots, and whether these limit the shown ratings.
`anchors` are left out if there are none, and what comes after `wins` is there only for people.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import orjson

from events.errors import CorruptStream
from events.features.ratings.port import Counted, Crowd, LeaderboardPosition, Pair, Ranked, RatedGame, Rating
from events.log.player_ids import BOT
from events.log.ratings.scale import DEVIATION, MEAN
from events.store import horizons, keys
from events.store.connections.client import Argument, RedisClient, Request

SCAN: Final = 500  # keys looked at in one request
THINNED: Final = 100  # results looked at in one script
LEADERBOARDS: Final = re.compile(r"\{app:(.+)\}:ladders", re.DOTALL)
NO_MORE: Final[list[Any]] = [
    {},
    0.0,
    (MEAN, DEVIATION),
    False,
]  # the missing end of a row of a subject that is not a person
PAIRS: Final = 100  # pairs that one request looks at
OWN: Final = re.compile(r"\{app:.+\}:(?:ladders|results(?::.+)?|ratings:.+|leaderboard:.+)", re.DOTALL)

# Enters a result. A leaderboard's first revision is the time, so that no former leaderboard of that name had it. If the
# result comes before the leaderboard's mark, the mark moves back to the member before it. The sorted set compares the
# two, because Lua compares texts by the server's locale. A result of which a part was missing counts as new. A result
# from before the app's horizon is not entered: its neighbours are gone.
# KEYS: leaderboards, results, the leaderboard's results, those of each subject, those of people who met; the horizon
# ARGV: leaderboard, game id, member, line
ENTER = """
for _, at in ipairs(redis.call('HMGET', table.remove(KEYS), 'rated', 'gone')) do
  if (tonumber(at) or 0) > tonumber(string.match(ARGV[3], '^%d+')) then return 0 end
end
local new = redis.call('ZADD', KEYS[3], 0, ARGV[3])
for at = 4, #KEYS do new = new + redis.call('ZADD', KEYS[at], 0, ARGV[3]) end
new = new + redis.call('HSETNX', KEYS[2], ARGV[2], ARGV[4])
local time = redis.call('TIME')
local fresh = string.format('%d', time[1] * 1000000 + time[2]) .. ':'
local revision, mark = string.match(redis.call('HGET', KEYS[1], ARGV[1]) or fresh, '^(%d+):(.*)$')
if new > 0 and mark ~= '' and redis.call('ZLEXCOUNT', KEYS[3], '[' .. ARGV[3], '[' .. mark) > 0 then
  mark = redis.call('ZREVRANGEBYLEX', KEYS[3], '(' .. ARGV[3], '-', 'LIMIT', 0, 1)[1] or ''
  revision = revision + 1
end
redis.call('HSET', KEYS[1], ARGV[1], string.format('%d', revision) .. ':' .. mark)
return new > 0 and 1 or 0
"""

# Stores the ratings that follow from the results after the mark, if mark and results are still the same.
# KEYS: leaderboards, results, the leaderboard's results, its ratings, its ranks
# ARGV: leaderboard, revision, mark, number of games, then id and lines of each; the last member; number of ratings,
#       then subject, rating and ordinal of each; then the subjects that are gone
COMMIT = """
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] .. ':' .. ARGV[3] then return 0 end
local games = tonumber(ARGV[4])
local at = 5 + 2 * games
local first = ARGV[3] == '' and '-' or '(' .. ARGV[3]
if redis.call('ZLEXCOUNT', KEYS[3], first, '[' .. ARGV[at]) ~= games then return 0 end
for game = 5, at - 1, 2 do redis.call('HSET', KEYS[2], ARGV[game], ARGV[game + 1]) end
redis.call('HSET', KEYS[1], ARGV[1], string.format('%d', ARGV[2] + 1) .. ':' .. ARGV[at])
local gone = at + 2 + 3 * tonumber(ARGV[at + 1])
for one = at + 2, gone - 1, 3 do
  redis.call('HSET', KEYS[4], ARGV[one], ARGV[one + 1])
  redis.call('ZADD', KEYS[5], ARGV[one + 2], ARGV[one])
end
for one = gone, #ARGV do
  redis.call('HDEL', KEYS[4], ARGV[one])
  redis.call('ZREM', KEYS[5], ARGV[one])
end
return 1
"""

# Removes those of some results from before the horizon that nobody needs any more: the ratings of all before it are
# worked out, and each set that has the result has enough later ones from before the horizon. One that only counts as a
# meeting of people leaves its subjects' sets, and its ratings go. Returns how many are removed.
# KEYS: leaderboards, results, the leaderboard's results; then for each game those of each subject, and those of people
#       who met
# ARGV: leaderboard, the first member that is not before the horizon, number of later results of people; then for each
#       game its id, its member, the numbers of sets of subjects and of people who met, and its line without ratings
THIN = """
local mark = string.match(redis.call('HGET', KEYS[1], ARGV[1]) or '', '^%d+:(.+)$')
local ends, recent = '(' .. ARGV[2], tonumber(ARGV[3])
if not mark or redis.call('ZLEXCOUNT', KEYS[3], '(' .. mark, ends) > 0 then return 0 end
local function thin(game, member, first, subjects, met, line)
  if redis.call('ZLEXCOUNT', KEYS[3], '[' .. member, '[' .. mark) == 0 then return 0 end
  local is_met, begins = false, '(' .. member
  if redis.call('ZLEXCOUNT', KEYS[3], begins, ends) < 1 then return 0 end
  for at = first, first + subjects + met - 1 do
    local later = redis.call('ZLEXCOUNT', KEYS[at], begins, ends)
    if later < 1 and at < first + subjects then return 0 end
    is_met = is_met or (at >= first + subjects and later < recent)
  end
  if is_met then
    for at = first, first + subjects - 1 do redis.call('ZREM', KEYS[at], member) end
    redis.call('HSET', KEYS[2], game, line)
    return 0
  end
  redis.call('ZREM', KEYS[3], member)
  for at = first, first + subjects + met - 1 do redis.call('ZREM', KEYS[at], member) end
  return redis.call('HDEL', KEYS[2], game)
end
local removed, first = 0, 4
for at = 4, #ARGV, 5 do
  local subjects, met = tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3])
  removed = removed + thin(ARGV[at], ARGV[at + 1], first, subjects, met, ARGV[at + 4])
  first = first + subjects + met
end
return removed
"""

# KEYS: of each pair, the results of the one against people and those of the other
# ARGV: how many of the one's results count, then of each pair the result before which they lie
# Returns in how many of these the other was rated, too.
MEETINGS = """
local found = {}
for at = 2, #ARGV do
  local one, other = KEYS[2 * at - 3], KEYS[2 * at - 2]
  local last = redis.call('ZREVRANGEBYLEX', one, '(' .. ARGV[at], '-', 'LIMIT', 0, ARGV[1])
  local together = 0
  if #last > 0 then
    for _, there in ipairs(redis.call('ZMSCORE', other, unpack(last))) do
      if there then together = together + 1 end
    end
  end
  found[at - 1] = together
end
return found
"""


class RedisRatings:
    """The port of ratings over Redis; safe among threads and greenlets."""

    def __init__(self, link: RedisClient) -> None:
        self._link = link

    def look(self, game_ids: Sequence[str]) -> list[tuple[str, bytes | None, RatedGame | None]]:
        asked = self._link.calls([("HGET", keys.secrets(game_id), "app") for game_id in game_ids])
        apps = [app.decode() if isinstance(app, bytes) else "" for app in asked]
        requests: list[Request] = []
        for app, game_id in zip(apps, game_ids, strict=True):
            requests += [("HGET", f"{{app:{app}}}:lines", game_id), ("HGET", keys.results(app), game_id)]
        replies = [reply if isinstance(reply, bytes) else None for reply in self._link.calls(requests)]
        return [
            (app, line and line.partition(b":")[2], None if result is None else _known(app, result))
            for app, line, result in zip(apps, replies[::2], replies[1::2], strict=True)
        ]

    def result(self, app: str, game_id: str) -> Counted | None:
        """The game's result as it was entered; None if it was not, or if a part of it is lost."""
        return self.entered(app, [game_id])[game_id]

    def entered(self, app: str, game_ids: Sequence[str]) -> dict[str, Counted | None]:
        """The same of several games, by id."""
        lines = self._link.call("HMGET", keys.results(app), *game_ids) if game_ids else []
        rated = [None if line is None else _known(app, line) for line in lines]
        results = [None if one is None else one.counted for one in rated]
        places = [[] if one is None else [(key, one.member) for key in _places(one)] for one in results]
        asked = [("ZSCORE", *place) for some in places for place in some]
        there = iter(self._link.calls(asked) if asked else [])
        whole = [None not in [next(there) for _ in some] for some in places]
        return {
            game_id: one if is_whole else None
            for game_id, one, is_whole in zip(game_ids, results, whole, strict=True)
        }

    def enter(self, counted: Counted) -> bool:
        app, leaderboard = counted.app, counted.leaderboard
        named = [keys.leaderboards(app), keys.results(app), *_places(counted)]
        named.append(keys.horizon(app))
        line = _line(counted) + b"\n"
        return bool(self._link.script(ENTER, named, [leaderboard, counted.game_id, counted.member, line]))

    def leaderboards(self, app: str) -> dict[str, LeaderboardPosition]:
        flat = self._link.call("HGETALL", keys.leaderboards(app))
        return {flat[at].decode(): _position(flat[at + 1]) for at in range(0, len(flat), 2)}

    def batch(self, app: str, leaderboard: str, mark: str, limit: int) -> list[RatedGame]:
        first = f"({mark}" if mark else "-"
        key = keys.results_of(app, leaderboard)
        return self._games(app, self._link.call("ZRANGEBYLEX", key, first, "+", "LIMIT", 0, limit))

    def before(
        self, app: str, leaderboard: str, member: str, subjects: Sequence[str]
    ) -> tuple[dict[str, Rating], Crowd] | None:
        named = [keys.results_of(app, leaderboard, subject) for subject in ("", *subjects)]
        asked = [("ZREVRANGEBYLEX", key, f"({member}", "-", "LIMIT", 0, 1) for key in named]
        last = self._link.calls(asked)
        found = self._games(app, [reply[0] for reply in last if reply])
        known, crowd = dict[str, Rating](), Crowd()
        played = [subject for subject, reply in zip(("", *subjects), last, strict=True) if reply]
        for subject, game in zip(played, found, strict=True):
            if game.after is None:
                return None
            if subject:
                known[subject] = game.after[game.counted.subjects.index(subject)]
            else:
                crowd = game.crowd
        return known, crowd

    def meetings(self, app: str, leaderboard: str, pairs: Sequence[Pair], last: int) -> list[int]:
        found = list[int]()
        for at in range(0, len(pairs), PAIRS):
            some = pairs[at : at + PAIRS]
            named = [keys.meetings_of(app, leaderboard, who) for _, *two in some for who in two]
            found += self._link.script(MEETINGS, named, [last, *(member for member, *_ in some)])
        return found

    def commit(
        self,
        app: str,
        leaderboard: str,
        position: LeaderboardPosition,
        batch: Sequence[RatedGame],
        gone: Sequence[str],
    ) -> bool:
        present = dict[str, Rating]()
        arguments: list[Argument] = [leaderboard, position.revision, position.mark, len(batch)]
        for game in batch:
            after = game.after or ()
            worked_out = b"%b\n%d %d\n%d" % (orjson.dumps([_row(one) for one in after]), *game.crowd)
            arguments += [game.counted.game_id, _line(game.counted) + b"\n" + worked_out]
            present.update(zip(game.counted.subjects, after, strict=True))
        rows = [
            (who, orjson.dumps(_row(one)), repr(one.ordinal))
            for who, one in present.items()
            if who not in gone and one.games  # a subject without games has no place
        ]
        arguments += [batch[-1].counted.member, len(rows), *(part for row in rows for part in row), *gone]
        named = [keys.leaderboards(app), keys.results(app), keys.results_of(app, leaderboard)]
        named += [keys.ratings(app, leaderboard), keys.ranks(app, leaderboard)]
        return bool(self._link.script(COMMIT, named, arguments))

    def thin(self, app: str, leaderboard: str, before: int, recent: int) -> int:
        horizons.move(self._link, app, "rated", before)
        last, place, removed = f"{before:013d}:", "-", 0
        key = keys.results_of(app, leaderboard)
        while members := self._link.call("ZRANGEBYLEX", key, place, f"({last}", "LIMIT", 0, THINNED):
            named = [keys.leaderboards(app), keys.results(app), key]
            arguments: list[Argument] = [leaderboard, last, recent]
            for game in self._games(app, members):
                result = game.counted
                sets, subjects = _places(result)[1:], len(result.subjects)
                named += sets
                arguments += [result.game_id, result.member, subjects, len(sets) - subjects]
                arguments.append(_line(replace(result, anchors=None)) + b"\n")
            removed += self._link.script(THIN, named, arguments)
            place = f"({members[-1].decode()}"
        return removed

    def horizon(self, app: str) -> int:
        """The time before which results may be gone, in milliseconds."""
        return max(horizons.read(self._link, app, "rated", "gone"))

    def wipe(self) -> None:
        """Remove the leaderboards first, so that no process can commit ratings from results that are being removed, and
        once more last, so that ratings computed in between are computed again.
        """
        for pattern in ("{app:*}:ladders", "{app:*}:r*", "{app:*}:leaderboard:*", "{app:*}:ladders"):
            for found in self._scan(pattern):
                own = [key for key in found if OWN.fullmatch(key.decode(errors="replace"))]
                self._link.calls([("UNLINK", key) for key in own])
        for found in self._scan("{app:*}:horizon"):
            self._link.calls([("HDEL", key, "rated") for key in found])

    def apps(self) -> list[str]:
        names = [key.decode(errors="replace") for found in self._scan("{app:*}:ladders") for key in found]
        return sorted({match[1] for name in names if (match := LEADERBOARDS.fullmatch(name))})

    def ratings(self, app: str, subject: str) -> dict[str, Rating]:
        leaderboards = sorted(self.leaderboards(app))
        rows = self._link.calls(
            [("HGET", keys.ratings(app, leaderboard), subject) for leaderboard in leaderboards]
        )
        return {
            leaderboard: _rating(row)
            for leaderboard, row in zip(leaderboards, rows, strict=True)
            if isinstance(row, bytes)
        }

    def ranked_ratings(self, app: str, leaderboard: str) -> dict[str, tuple[Rating, float | None]]:
        """All present ratings of a leaderboard, each with the ordinal by which it is ranked; None if it has no rank.

        The ranks are read first, because an erasure removes a rating before its rank.
        """
        asked = [
            ("ZRANGE", keys.ranks(app, leaderboard), 0, -1, "WITHSCORES"),
            ("HGETALL", keys.ratings(app, leaderboard)),
        ]
        places, rows = [self._link.call(*one) for one in asked]
        scores = dict(zip(places[::2], map(float, places[1::2]), strict=True))
        return {
            who.decode(): (_rating(row), scores.get(who))
            for who, row in zip(rows[::2], rows[1::2], strict=True)
        }

    def ranks(self, app: str, subject: str) -> dict[str, int]:
        leaderboards = sorted(self.leaderboards(app))
        ranks = self._link.calls(
            [("ZREVRANK", keys.ranks(app, leaderboard), subject) for leaderboard in leaderboards]
        )
        return {
            leaderboard: rank + 1
            for leaderboard, rank in zip(leaderboards, ranks, strict=True)
            if isinstance(rank, int)
        }

    def around(self, app: str, leaderboard: str, subject: str, limit: int) -> list[Ranked]:
        rank = self._link.call("ZREVRANK", keys.ranks(app, leaderboard), subject)
        return [] if rank is None else self._ranked(app, leaderboard, max(0, rank - (limit - 1) // 2), limit)

    def top(self, app: str, leaderboard: str, after: tuple[float, str] | None, limit: int) -> list[Ranked]:
        start = 0 if after is None else self._start(keys.ranks(app, leaderboard), *after)
        return self._ranked(app, leaderboard, start, limit)

    def _ranked(self, app: str, leaderboard: str, start: int, limit: int) -> list[Ranked]:
        named = self._link.call("ZREVRANGE", keys.ranks(app, leaderboard), start, start + limit - 1)
        rows = self._link.call("HMGET", keys.ratings(app, leaderboard), *named) if named else []
        return [
            Ranked(start + number, who.decode(), _rating(row))
            for number, (who, row) in enumerate(zip(named, rows, strict=True), 1)
            if row is not None  # a missing one was erased a moment ago
        ]

    def forget(self, app: str, subjects: Sequence[str]) -> None:
        requests: list[Request] = []
        for leaderboard in self.leaderboards(app):
            requests.append(("HDEL", keys.ratings(app, leaderboard), *subjects))
            requests.append(("ZREM", keys.ranks(app, leaderboard), *subjects))
        self._link.calls(requests)

    def _start(self, key: str, ordinal: float, subject: str) -> int:
        """The number of places before the next page."""
        asked = [
            ("ZREVRANK", key, subject),
            ("ZSCORE", key, subject),
            ("ZCOUNT", key, f"({ordinal!r}", "+inf"),
        ]
        rank, score, better = self._link.calls(asked)
        return rank + 1 if score is not None and float(score) == ordinal else int(better)

    def _games(self, app: str, members: Sequence[bytes]) -> list[RatedGame]:
        ids = [member.partition(b":")[2] for member in members]
        lines = self._link.call("HMGET", keys.results(app), *ids) if ids else []
        games = [_rated(app, line) for line in lines if line is not None]
        if [game.counted.member.encode() for game in games] != list(members):
            raise CorruptStream(f"Results of app {app} are lost: run `migrato projections rebuild`.")
        return games

    def _scan(self, pattern: str) -> Any:
        cursor = b"0"
        while True:
            cursor, found = self._link.call("SCAN", cursor, "MATCH", pattern, "COUNT", SCAN)
            yield list(found)
            if cursor == b"0":
                return


def _places(counted: Counted) -> list[str]:
    """The sorted sets that have the result: the leaderboard's, that of each subject, and those of people who met."""
    app, leaderboard, subjects = counted.app, counted.leaderboard, counted.subjects
    people = [who for who in subjects if not who.startswith(BOT)]
    met = people if len(people) > 1 else []
    named = [keys.results_of(app, leaderboard, who) for who in ("", *subjects)]
    return named + [keys.meetings_of(app, leaderboard, who) for who in met]


def _line(counted: Counted) -> bytes:
    facts = [counted.leaderboard, counted.member, counted.subjects, counted.places]
    return orjson.dumps(facts if counted.anchors is None else [*facts, counted.anchors])


def _known(app: str, line: bytes) -> RatedGame | None:
    """The rated game from its stored text; None for a text that no release has written."""
    try:
        return _rated(app, line)
    except (TypeError, ValueError):
        return None


def _rated(app: str, line: bytes) -> RatedGame:
    facts, after, *crowd = line.split(b"\n")
    leaderboard, member, subjects, places, *anchors = orjson.loads(facts)
    fixed = tuple(anchors[0]) if anchors else None
    counted = Counted(app, leaderboard, member, tuple(subjects), tuple(places), fixed)
    ratings = tuple([_rating_of(row) for row in orjson.loads(after)]) if after else None
    people, by_bots, limits = [*map(int, b" ".join(crowd).split()), 0, 0, 0][:3]
    return RatedGame(counted, ratings, Crowd(people, by_bots, bool(limits)))


def _position(value: bytes) -> LeaderboardPosition:
    revision, _, mark = value.decode().partition(":")
    return LeaderboardPosition(int(revision), mark)


def _row(rating: Rating) -> list[Any]:
    row: list[Any] = [rating.mean, rating.deviation, rating.games, rating.wins]
    of_people = [rating.met, rating.weight, rating.by_bots, rating.limited]
    return row if of_people == NO_MORE else row + of_people


def _rating(row: bytes) -> Rating:
    return _rating_of(orjson.loads(row))


def _rating_of(row: list[Any]) -> Rating:
    """The rating from a stored row, which has fewer members in former releases."""
    mean, deviation, games, wins, *more = row
    met, weight, by_bots, limited = more + NO_MORE[len(more) :]
    return Rating(mean, deviation, games, wins, met, weight, tuple(by_bots), limited)
