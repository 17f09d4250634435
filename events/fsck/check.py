"""Walks the whole store and the archive, and reports faults.

It may run beside a live service. It reads each game at one moment, by one script, and leaves out games that are being
moved to the archive just now. Memory grows with the number of faults, not of games.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from redis.exceptions import ResponseError

from domain.game import Game
from events.archive.mover import Mover
from events.archive.reader import ArchiveReader
from events.archive.record import folded
from events.engine.access import OF_A_SEAT
from events.engine.pending_action import pending_action
from events.errors import CorruptStream
from events.features.games.redis import RedisSeatForks
from events.features.ratings.redis.ratings import RedisRatings
from events.fsck.apps import check_apps
from events.fsck.archive import ArchiveCheck
from events.fsck.feed import check_feed
from events.fsck.findings import Finding
from events.fsck.game import check_game, due_value
from events.fsck.keys import SINGLE, check_types, type_of, typed
from events.fsck.lines import LineCheck
from events.fsck.listings import check_listings
from events.fsck.own_data import OwnDataCheck
from events.fsck.players import check_player
from events.fsck.ratings import check_ratings
from events.fsck.results import ResultCheck
from events.log.signing import Keyring
from events.log.snapshot import Snapshot
from events.log.stored_form import StoredGame
from events.ports import Found
from events.store import keys
from events.store.connections.client import Argument, RedisClient
from events.store.stream_entries import ENDS_WITH
from events.store.whole_games import RedisGames

KEY: Final = re.compile(r"\{p([0-9]{3})\}:(events|commands|secrets):(.+)", re.DOTALL)
PATIENCE: Final = 120.0  # seconds that a game may wait for the engine, and the feed for the dispatcher

# Corrects the entry of a game in the index of due games, if the game is still at the version that was looked at.
# KEYS: events, due; ARGV: game id, version, head (32 bytes), value ("" for none)
FIX_DUE: Final = (
    ENDS_WITH
    + """
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
if not last or string.match(last[1], '^%d+') ~= ARGV[2] or not ends_with(last, ARGV[3]) then return 0 end
if ARGV[4] == '' then redis.call('HDEL', KEYS[2], ARGV[1]) else redis.call('HSET', KEYS[2], ARGV[1], ARGV[4]) end
return 1
"""
)
# Corrects the entry of a game in the index of deadlines in the same way.
# KEYS: events, deadlines; ARGV: game id, version, head (32 bytes), deadline ("0" for none)
FIX_DEADLINE: Final = (
    ENDS_WITH
    + """
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
if not last or string.match(last[1], '^%d+') ~= ARGV[2] or not ends_with(last, ARGV[3]) then return 0 end
if ARGV[4] == '0' then redis.call('ZREM', KEYS[2], ARGV[1]) else redis.call('ZADD', KEYS[2], ARGV[4], ARGV[1]) end
return 1
"""
)
# Removes what belongs to a game that is not there: KEYS[1] whole, or ARGV[1] of it where that is given.
# KEYS: what is to be removed, then the keys of which none may exist; ARGV: a field, or ""
DROP: Final = """
for at = 2, #KEYS do if redis.call('EXISTS', KEYS[at]) == 1 then return 0 end end
if ARGV[1] == '' then return redis.call('DEL', KEYS[1]) end
if redis.call('TYPE', KEYS[1]).ok == 'zset' then return redis.call('ZREM', KEYS[1], ARGV[1]) end
return redis.call('HDEL', KEYS[1], ARGV[1])
"""


@dataclass(slots=True)
class Report:
    """Report of the check: the number of things looked at, and the findings in their order."""

    games: int = 0
    files: int = 0
    archived: int = 0
    findings: list[Finding] = field(default_factory=list)

    @property
    def left(self) -> list[Finding]:
        """Findings that were not repaired."""
        return [finding for finding in self.findings if not finding.repaired]


@dataclass(frozen=True, slots=True)
class Repair:
    """Repair of the index of due games, or of that of deadlines: a script, its keys and its arguments."""

    source: str
    keys: tuple[str, ...]
    arguments: tuple[Argument, ...]


class Fsck:
    """One walk through everything. Every method may raise StoreUnavailable."""

    def __init__(
        self,
        link: RedisClient,
        games: Mapping[str, Game],
        archive: tuple[ArchiveReader, Mover] | None,
        *,
        repair: bool = False,
        patience: float = PATIENCE,
        seat_forks: RedisSeatForks | None = None,
        keyring: Keyring | None = None,
    ) -> None:
        """`archive`: what reads it and what tidies it up; `seat_forks`: what lists the games that seats have made.

        `keyring`: the keys by which signatures are checked.
        """
        self._link = link
        self._redis = RedisGames(link)
        self._games = games
        self._results = ResultCheck(RedisRatings(link), patience)
        self._lines = LineCheck(link, patience)
        self._archive = (
            None if archive is None else ArchiveCheck(self._redis, *archive, games, self._look, repair=repair)
        )
        self._repair = repair
        self._patience = patience
        self._seat_forks = seat_forks
        self._keyring = keyring
        self._dues: dict[Finding, Repair] = {}

    def run(
        self, progress: Callable[[str, int], None] = lambda *_: None, report: Report | None = None
    ) -> Report:
        """Look at everything; `progress` is called with what is looked at, and how many so far.

        `report` is filled, if it is given: if the check ends early, it has the findings so far.
        """
        report, seen, is_whole = report or Report(), set[Finding](), False
        try:
            for finding in self._all(report, progress):
                if finding not in seen:  # a scan may come upon a key twice
                    seen.add(finding)
                    report.findings.append(finding)
            is_whole = True
        finally:
            if self._archive is not None:
                report.files, report.archived = self._archive.files, self._archive.games
            if not is_whole:
                report.findings += self._dues
        broken = {finding.game_id for finding in report.findings if finding.kind.is_evidence}
        report.findings += [self._due(finding, repair, broken) for finding, repair in self._dues.items()]
        return report

    def _due(self, finding: Finding, repair: Repair, broken: set[str | None]) -> Finding:
        """The fault of an index, repaired if its game has no other fault: a repair sets the game going again."""
        if finding.game_id in broken:
            detail = f"{finding.detail} It stays so, for something else is wrong with the game, which must not go on."
            return replace(finding, detail=detail)
        if self._repair and self._script(repair.source, repair.keys, repair.arguments):
            return finding.done()
        return finding

    def _all(self, report: Report, progress: Callable[[str, int], None]) -> Iterator[Finding]:
        for found in self._redis.keys("{p???}:*"):
            there = self._redis.existing(list(_games_beside(found)))
            for key, wrong in typed(self._link, found):
                yield from self._key(key, wrong, there, report)
            progress("games", report.games)
        yield from check_types(self._link, self._redis, "{app:*}:*", "{apps}:*", *SINGLE)
        yield from check_apps(self._link, repair=self._repair)
        for partition in self._partitions():
            yield from self._fields(partition)
            yield from check_feed(self._link, partition, self._was_archived, self._patience)
            progress("partitions", partition + 1)
        yield from check_listings(self._link, self._redis, self._were_archived)
        yield from check_ratings(self._link, self._redis, self._were_archived)
        yield from OwnDataCheck(
            self._link, self._redis, self._archived, self._patience, repair=self._repair
        ).findings()
        if self._archive is not None:
            yield from self._archive.findings(progress)
            yield from self._archive.pruned_orphans()
        yield from self._results.findings()
        yield from self._lines.findings()

    def _look(self, game: Snapshot, now: float) -> None:
        """Compare a game with its line and its result; `now`: in seconds."""
        self._results.look(game, now)
        self._lines.look(game, now)

    def _key(self, key: str, wrong: Finding | None, there: set[str], report: Report) -> Iterator[Finding]:
        """Faults of a key; `there`: the games that are known to have a stream."""
        if wrong is not None:
            yield wrong
        match = KEY.fullmatch(key)
        if match is None:
            if type_of(key) is None:
                yield Finding("unknown-key", None, key, "Nothing here uses a key of this name.")
            yield from check_player(self._link, key)
            return
        partition, kind, game_id = int(match[1]), match[2], match[3]
        if keys.partition_of(game_id) != partition:
            detail = f"The game's keys begin with {keys.tag(keys.partition_of(game_id))}."
            yield Finding("misplaced-key", game_id, key, detail)
        elif kind == "events":
            report.games += 1
            if wrong is None:
                yield from self._game(game_id)
        elif game_id not in there:
            yield from self._beside(kind, game_id)

    def _game(self, game_id: str) -> Iterator[Finding]:
        try:
            found = self._redis.whole(game_id)
        except (CorruptStream, ResponseError) as error:
            yield Finding("bad-entry", game_id, keys.stream(game_id), f"It cannot be read: {error}")
            return
        if not found.raw.entries:
            return  # moved to the archive a moment ago
        yield from self._unlisted(found.raw)
        for finding in check_game(found, self._games, self._patience, self._look, self._keyring):
            if finding.code in ("due-wrong", "deadline-wrong"):
                self._dues[finding] = self._fix(finding.code, found)
            else:
                yield finding

    def _unlisted(self, raw: StoredGame) -> Iterator[Finding]:
        """The fault of a game that a seat has made for itself and that no list has: it would be kept for good."""
        fields, forks = raw.beside["secrets"], self._seat_forks
        if forks is None or fields.get("app") != OF_A_SEAT:
            return
        first = fields.get("first_origin", raw.game_id)
        try:
            is_listed = forks.until(first, raw.game_id) is not None
        except ResponseError:
            return  # the list is of a wrong type, which is reported
        if not is_listed and self._link.call("EXISTS", keys.stream(raw.game_id)):
            where = keys.seat_forks(keys.partition_of(first))
            finding = Finding(
                "fork-unlisted", raw.game_id, where, "A seat has made this game; it never expires."
            )
            if self._repair:
                forks.enter(first, raw.game_id)
            yield finding.done() if self._repair else finding

    def _fix(self, code: str, found: Found) -> Repair:
        """The repair of the index that has a wrong entry of the game."""
        raw = found.raw
        game, partition = folded(raw, raw.events(), self._games), keys.partition_of(raw.game_id)
        where = (raw.game_id, raw.version, bytes.fromhex(raw.head))
        if code == "due-wrong":
            value = due_value(found, pending_action(game.status)) or ""
            return Repair(FIX_DUE, (keys.stream(raw.game_id), keys.due(partition)), (*where, value))
        named = (keys.stream(raw.game_id), keys.deadlines(partition))
        return Repair(FIX_DEADLINE, named, (*where, game.deadline or 0))

    def _beside(self, kind: str, game_id: str) -> Iterator[Finding]:
        """The fault of a key that stands beside no stream: its game has no events here."""
        try:
            raw = self._redis.whole(game_id).raw
        except (CorruptStream, ResponseError):
            return  # reported with the stream
        if raw.entries or not raw.beside[kind]:
            return
        key, stream, secrets = keys.beside(kind, game_id), keys.stream(game_id), keys.secrets(game_id)
        if self._is_archived_with(raw):
            detail = "The game is in the archive, with all that stands beside it."
            yield self._dropped(Finding("orphaned-key", game_id, key, detail), (key, stream))
        elif kind == "secrets":
            yield Finding("no-stream", game_id, key, "There are secrets of a game that has no events.")
        elif not raw.beside["secrets"]:
            detail = "The game has neither events nor secrets."
            yield self._dropped(Finding("orphaned-key", game_id, key, detail), (key, stream, secrets))

    def _partitions(self) -> list[int]:
        """The partitions that have a feed, or indexes."""
        named = [
            (keys.feed(number), keys.due(number), keys.restored(number), keys.deadlines(number))
            for number in range(keys.PARTITIONS)
        ]
        there = self._link.calls([("EXISTS", *some) for some in named])
        return [partition for partition, count in enumerate(there) if count]

    def _fields(self, partition: int) -> Iterator[Finding]:
        """Faults of entries without a stream, in the indexes of due games, restored games and deadlines."""
        for key, code, *read in (
            (keys.due(partition), "due-orphan", "HKEYS"),
            (keys.deadlines(partition), "deadline-orphan", "ZRANGE", 0, -1),
            (keys.restored(partition), "restored-orphan", "HKEYS"),
        ):
            (reply,) = self._link.calls([(str(read[0]), key, *read[1:])])
            if isinstance(reply, ResponseError):
                continue  # of a wrong type, which is reported
            named = [name.decode(errors="replace") for name in reply]
            there = self._link.calls([("EXISTS", keys.stream(game_id)) for game_id in named]) if named else []
            for game_id, exists in zip(named, there, strict=True):
                there_still = ("ZSCORE" if code == "deadline-orphan" else "HEXISTS", key, game_id)
                if not exists and self._link.call(*there_still):
                    finding = Finding(code, game_id, key, "The game that it names has no events here.")
                    named_keys = (key, keys.stream(game_id))
                    if code != "restored-orphan":
                        self._dues[finding] = Repair(DROP, named_keys, (game_id,))
                    else:
                        yield self._dropped(finding, named_keys, game_id)

    def _dropped(self, finding: Finding, named: tuple[str, ...], member: str = "") -> Finding:
        if not self._repair or not finding.kind.repairable:
            return finding
        return finding.done() if self._script(DROP, named, (member,)) else finding

    def _was_archived(self, game_id: str) -> bool:
        return bool(self._were_archived([game_id]))

    def _were_archived(self, game_ids: Collection[str]) -> set[str]:
        """Those of the games that the archive has, or had until they were pruned."""
        here = self._archived(game_ids)
        return here | self._redis.pruned([game_id for game_id in game_ids if game_id not in here])

    def _archived(self, game_ids: Collection[str]) -> set[str]:
        return set() if self._archive is None else self._archive.holding(game_ids)

    def _is_archived_with(self, raw: StoredGame) -> bool:
        """True if the archive has the game, with everything that Redis still has of it."""
        record = None if self._archive is None else self._archive.record(raw.game_id)
        return record is not None and all(
            fields.items() <= record.raw.beside[kind].items() for kind, fields in raw.beside.items()
        )

    def _script(self, source: str, named: tuple[str, ...], arguments: tuple[Argument, ...]) -> bool:
        try:
            return bool(self._link.script(source, named, arguments))
        except ResponseError:
            return False  # a key is of a wrong type, which is reported


def _games_beside(found: list[bytes]) -> set[str]:
    """The games of the keys that stand beside a stream: all of a game's keys but its events."""
    matches = [KEY.fullmatch(key.decode(errors="replace")) for key in found]
    return {match[3] for match in matches if match is not None and match[2] != "events"}
