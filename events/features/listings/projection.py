"""Listings: each app's games, newest first; a projection of the games that may be late, but never stays wrong for long.

A line also shows its game's standing, which every move changes. The append itself stores the standing beside the game
(see `events.store.event_store`), and it is read with the line. So it is never late, and no move has to be projected.
"""

import re
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

import orjson

from domain.lifecycle import Json
from events.engine.access import ANONYMOUS, OF_A_SEAT, is_for_its_seats_alone
from events.errors import BadCursor, CorruptStream
from events.features.listings.port import (
    ERA,
    OWN,
    Band,
    Change,
    Horizon,
    Index,
    Kept,
    Known,
    ListingStore,
    Page,
    Place,
    Span,
)
from events.features.members import creation_of, member_of
from events.log.game_secrets import OPEN
from events.log.serialisers import (
    STANDING,
    clock_at,
    standing_document,
    standing_json,
    summary_document,
)
from events.log.snapshot import Snapshot
from events.times import milliseconds_of, time_of

WAITING: Final = "waiting"
PLAYING: Final = "playing"
FINISHED: Final = "finished"
STATUSES = (WAITING, PLAYING, FINISHED)
MEMBER = re.compile(rb"[0-9]{13}:[0-9A-Za-z]{22}")
AT_ONCE = 100  # games that are read together
EVERY: Index = ()  # the index of all games
NEWEST = "newest"  # by creation, the last one first
OLDEST = "oldest"  # by creation, the first one first
UPDATED = "updated"  # by last event, the last one first
STALE = "stale"  # by last event, the first one first
TURN = "turn"  # the games in which it is the player's turn come first
ORDERS = (NEWEST, OLDEST, UPDATED, STALE, TURN)
# Ranks of a player's games, the lowest first; games in which it is the player's turn have higher ranks.
RANKS: Final = ("finished", "waiting", "playing")
ITS_TURN: Final = len(RANKS)
FIRST, LAST = 0, 10**13 - 1  # milliseconds: the bounds of the creation times in members
CHANGE = re.compile(rb"([0-9]{1,15}):([0-9]{13}:[0-9A-Za-z]{22})")
ROUNDS = 10  # reads of an index to fill one page with games that pass the filters
FEW = 1000  # the most games with the same own data that are sorted in memory


@dataclass(frozen=True, slots=True)
class Filters:
    """Filters of an app's games: a game must pass all that are not None.

    `player`: the id under which the games of a player are listed; `to_act`: that of the player whose turn it is.
    `updated_after` and `updated_before` bound the time of the last event, in milliseconds; two more bound that of the
    creation. `own`: marks of the app's own data (`events.features.own_data.records`), which a line does not show.
    """

    status: str | None = None
    game: str | None = None
    player: str | None = None
    to_act: str | None = None
    joining: str | None = None
    updated_after: int | None = None
    updated_before: int | None = None
    created_after: int | None = None
    created_before: int | None = None
    own: tuple[str, ...] = ()

    def passes(self, line: Json) -> bool:
        """True if the game of that line passes all filters except those of own data."""
        wanted = (("status", self.status), ("game", self.game), ("joining", self.joining))
        return (
            all(value is None or line.get(name, OPEN) == value for name, value in wanted)
            and (self.player is None or self.player in _players(line))
            and (self.to_act is None or self.to_act == _player_to_act(line))
            and _is_within(line.get("updated_at"), self.updated_after, self.updated_before)
            and _is_within(line["created_at"], self.created_after, self.created_before)
        )

    @property
    def narrowest(self) -> Index:
        """The shortest index that has all games that pass; its other games are filtered out."""
        if self.own:
            return OWN, self.own[0]
        player = self.to_act or self.player
        for part, value in (("player", player), ("status", self.status), ("game", self.game)):
            if value is not None:
                return part, value
        return EVERY

    @property
    def bands(self) -> list[Band]:
        """The bands that have all games that pass, by their last change; for a player by rank, lowest first, without
        gaps.
        """
        player = self.to_act or self.player
        statuses = [status for status in RANKS if self.status in (None, status)]
        if player is None:
            return [Band(("changed", status)) for status in statuses]
        ranks = [] if self.to_act else [RANKS.index(status) for status in statuses]
        if "playing" in statuses:
            ranks.append(ITS_TURN)
        return [Band(("of", player), rank * ERA) for rank in ranks]


class Listings:
    """The listings of apps' games, kept up to date from the feed."""

    def __init__(self, store: ListingStore) -> None:
        self._store = store

    def update(self, snapshot: Snapshot, *, anew: bool = False) -> None:
        """Put the game's line into its app's listing; safe to repeat, and harmless when it comes late. Raises
        StoreUnavailable.

        `anew`: replace a line of the same version too, and the standing beside the game. The last line of a finished
        game has everything, so no standing is kept from then on. Forks that a seat made belong to no app, and are not
        listed.
        """
        app, game_id = snapshot.secrets.app, snapshot.game_id
        if app == OF_A_SEAT:
            return
        if anew and not snapshot.is_settled:
            self._store.stand(game_id, snapshot.version, standing_json(snapshot))
        line = line_document(snapshot, hidden=is_for_its_seats_alone(snapshot.secrets))
        if line["status"] == "waiting":  # the lobby shows them
            line["options"] = snapshot.status.options
        listed: list[Index] = [EVERY, ("status", line["status"]), ("game", line["game"])]
        listed += [("player", player) for player in _players(line)]
        unlisted = [("status", status) for status in STATUSES if status != line["status"]]
        member, document = member_of(creation_of(line["created_at"]), game_id), orjson.dumps(line)
        changed = (line["status"], milliseconds_of(snapshot.updated_at))
        shown_at = milliseconds_of(line["updated_at" if "updated_at" in line else "created_at"])
        scores = _scores(_players(line), _player_to_act(line), line["status"], shown_at)
        self._store.put(
            app, game_id, snapshot.version, document, member, listed, unlisted, changed, scores, anew=anew
        )
        if snapshot.is_settled:
            self._store.stand(game_id, snapshot.version, b"")

    def touch(self, game_ids: Sequence[str]) -> None:
        """Note when these games changed last, and whose turn it is. Raises StoreUnavailable."""
        known = self._store.known(game_ids) if game_ids else []
        changes = defaultdict[str, list[Change]](list)
        for game_id, one in zip(game_ids, known, strict=True):
            if one is not None and one.app != OF_A_SEAT:
                try:
                    changes[one.app].append(_change(game_id, one))
                except (LookupError, TypeError, ValueError):
                    continue  # foreign data: `migrato fsck` reports them
        for app, found in changes.items():
            self._store.touch(app, found)

    def stale(self, status: str, until: int) -> Iterator[tuple[str, int]]:
        """The games of all apps, also private ones, that have that status and have not changed since `until`, each with
        the time of its last change.
        """
        band = [Band(("changed", status))]
        for app in self._store.apps():
            place: Place | None = None
            while places := self._store.by_change(app, band, Span(last=until, beyond=place), AT_ONCE):
                yield from ((member.partition(b":")[2].decode(), at) for at, member in places)
                place = places[-1]

    def apps(self) -> list[str]:
        """The apps that have games in a listing. Raises StoreUnavailable."""
        return self._store.apps()

    def horizon(self, app: str) -> Horizon:
        """The times before which the app's finished games are forgotten. Raises StoreUnavailable."""
        return self._store.horizon(app)

    def move_horizon(self, app: str, *, listed: int | None = None, done: int | None = None) -> None:
        """Move one time of that horizon forward, in milliseconds. Raises StoreUnavailable."""
        self._store.move_horizon(app, listed=listed, done=done)

    def running(self, app: str) -> Iterator[str]:
        """The ids of the app's unfinished games, the most recently changed ones last. Raises StoreUnavailable."""
        for status in (WAITING, PLAYING):
            place: Place | None = None
            band = [Band(("changed", status))]
            while places := self._store.by_change(app, band, Span(beyond=place), AT_ONCE):
                yield from (member.partition(b":")[2].decode() for _, member in places)
                place = places[-1]

    def has_played(self, app: str, player_id: str, since: int) -> bool:
        """True if the player has had a seat in a listed game that is not over, or that has changed since a time, in
        milliseconds. Raises StoreUnavailable.
        """
        finished, *others = Filters(player=player_id).bands
        return bool(
            self._store.by_change(app, others, Span(), 1)
            or self._store.by_change(app, [finished], Span(first=since), 1)
        )

    def clear_horizons(self) -> None:
        """Let all finished games of all apps be listed again."""
        for app in self._store.apps():
            self._store.clear_horizon(app)

    def over_before(self, app: str, until: int) -> Iterator[list[tuple[Place, bytes | None]]]:
        """The app's finished games that have not changed since a time, in milliseconds, in the order of their ends;
        each with its stored line. Raises StoreUnavailable.
        """
        place: Place | None = None
        band = [Band(("changed", FINISHED))]
        while places := self._store.by_change(app, band, Span(last=until - 1, beyond=place), AT_ONCE):
            yield list(zip(places, self._store.lines(app, [member for _, member in places]), strict=True))
            place = places[-1]

    def unlist(self, app: str, member: bytes, kept: bytes | None) -> bool:
        """Remove a finished game whose line is still this one. Returns True if it was. Raises StoreUnavailable."""
        listed: list[Index] = [EVERY, ("changed", FINISHED), ("status", FINISHED)]
        if kept is not None:
            line = document_of(kept)
            listed.append(("game", line["game"]))
            for player in _players(line):
                listed += [("player", player), ("of", player)]
        return self._store.unlist(app, member, kept, listed)

    def outdated(self, versions: Mapping[str, int]) -> list[str]:
        """Games whose lines are older than these versions, or missing. Raises StoreUnavailable."""
        listed = self._store.versions(list(versions))
        return [game for (game, version), at in zip(versions.items(), listed, strict=True) if at < version]

    def page(
        self, app: str, filters: Filters, *, limit: int, cursor: str | None = None, order: str = NEWEST
    ) -> Page:
        """At most `limit` games of the app that pass the filters, from `cursor` on. Raises BadCursor.

        `order`: one of ORDERS; for TURN the filters must name a player. If every caller is the same app, the listing
        hides the standing of private games, and when they changed.

        The narrowest index is read, and its games are filtered by the other conditions. A page may be short and still
        have a cursor, if filtering takes too long. The lines of games that wait for players have `options`.
        """
        if order == TURN:
            return self._by_change(
                app, filters, _as_one(filters.bands), Span(newest_first=True), limit, cursor
            )
        if order not in (NEWEST, OLDEST):
            span = Span(
                _or_more(filters.updated_after, 1), _or_more(filters.updated_before, -1), order == UPDATED
            )
            return self._by_change(app, filters, filters.bands, span, limit, cursor)
        newest_first = order == NEWEST
        found: list[tuple[bytes, Json]] = []
        first, last = _bound(filters.created_after, FIRST), _bound(filters.created_before, LAST)
        beyond = None if cursor is None else _member(cursor)
        for _ in range(ROUNDS):
            if beyond is not None:
                first, last = (first, min(last, beyond)) if newest_first else (max(first, beyond), last)
            members = self._store.members(
                app, filters.narrowest, first, last, limit + 1, newest_first=newest_first
            )
            found += self._passing(app, members, filters, filters.own[1:])
            if len(found) > limit:
                return Page([line for _, line in found[:limit]], _cursor(found[limit - 1][0]))
            if len(members) <= limit:
                return Page([line for _, line in found], None)
            beyond = members[-1]
        return Page([line for _, line in found], _cursor(members[-1]))

    def _by_change(
        self,
        app: str,
        filters: Filters,
        bands: Sequence[Band],
        span: Span,
        limit: int,
        cursor: str | None,
    ) -> Page:
        """The page in the order of the games' last events, or in that of one band."""
        found: list[tuple[Place, Json]] = []
        beyond = None if cursor is None else _place(cursor)
        few = self._few(app, filters)
        own = filters.own if few is None else filters.own[1:]
        for _ in range(ROUNDS):
            places = self._store.by_change(app, bands, replace(span, beyond=beyond), limit + 1, few)
            passing = dict(self._passing(app, [member for _, member in places], filters, own))
            found += [
                (place, passing[place[1]])
                for place in places
                if place[1] in passing and (bands[0].is_ranked or "updated_at" in passing[place[1]])
            ]
            if len(found) > limit:
                return Page([line for _, line in found[:limit]], _cursor(b"%d:%s" % found[limit - 1][0]))
            if len(places) <= limit:
                return Page([line for _, line in found], None)
            beyond = places[-1]
        return Page([line for _, line in found], _cursor(b"%d:%s" % places[-1]))

    def _few(self, app: str, filters: Filters) -> list[bytes] | None:
        """The games with the app's own data in the filters; None if there are too many, or if the filters name no own
        data.
        """
        if not filters.own:
            return None
        bounds = _bound(None, FIRST), _bound(None, LAST)
        found = self._store.members(app, filters.narrowest, *bounds, FEW + 1, newest_first=True)
        return found if len(found) <= FEW else None

    def waiting(self, app: str, player_id: str) -> list[str]:
        """The ids of the app's games that wait for players, and in which the player has or had a seat."""
        members = self._store.shared(app, [("player", player_id), ("status", "waiting")])
        return [member.partition(b":")[2].decode() for member in members]

    def of_player(self, app: str, player_id: str) -> Iterator[str]:
        """The ids of the app's games in which the player has or had a seat."""
        first = _bound(None, FIRST)
        while members := self._store.members(
            app, ("player", player_id), first, _bound(None, LAST), AT_ONCE, newest_first=False
        ):
            yield from (member.partition(b":")[2].decode() for member in members)
            first = members[-1]

    def _passing(
        self, app: str, members: list[bytes], filters: Filters, own: Sequence[str]
    ) -> list[tuple[bytes, Json]]:
        """Those of the members that pass the filters and have these marks of own data, with their lines."""
        for mark in own:
            has = self._store.listed(app, (OWN, mark), members)
            members = [member for member, is_there in zip(members, has, strict=True) if is_there]
        if not members:
            return []
        now = time.time_ns() // 1_000_000
        lines = zip(members, self._store.kept(app, members), strict=True)
        read = [(member, _shown(app, kept, now)) for member, kept in lines if kept.line is not None]
        return [(member, line) for member, line in read if filters.passes(line)]


def document_of(kept: bytes) -> Json:
    """The document of a stored line, which is its version, a colon and the document. Raises CorruptStream."""
    try:
        line: Json = orjson.loads(kept.partition(b":")[2])
    except ValueError as error:
        raise CorruptStream("A line of a listing cannot be read: `migrato fsck` tells of it.") from error
    return line


def line_document(snapshot: Snapshot, *, hidden: bool) -> Json:
    """The line of a game in its app's listing, its clock as at the last event: all of it public.

    `hidden`: a private game of the app ANONYMOUS. Its line says nothing about its moves, nor whether it is a rematch.
    """
    line = summary_document(snapshot)
    if hidden:
        line.pop("finished_at", None)
        return line
    if snapshot.secrets.rematch_of is not None:
        line["rematch_of"] = snapshot.secrets.rematch_of
    return line | standing_document(snapshot)


def _shown(app: str, kept: Kept, now: int) -> Json:
    """The line as it is shown at a time, in milliseconds."""
    line: Json = orjson.loads(kept.line or b"")
    if _is_hidden(app, line["visibility"]):
        for name in (*STANDING, "finished_at"):
            line.pop(name, None)
        return line
    with suppress(LookupError, TypeError, ValueError):  # foreign data: `migrato fsck` reports them
        standing: Json = orjson.loads(kept.standing or b"{}")
        if standing and standing["version"] > line.get("version", 0):
            line |= {name: standing[name] for name in STANDING if name in standing}
    if "updated_at" not in line and kept.changed_at is not None:  # a former release wrote the line
        line["updated_at"] = time_of(kept.changed_at)
    if "clock" in line:
        line["clock"] = clock_at(line["clock"], now)
    return line


def _is_hidden(app: str, visibility: str) -> bool:
    """True if nobody is shown the game's standing: it is a private game of the app ANONYMOUS."""
    return app == ANONYMOUS and visibility != "public"


def _change(game_id: str, known: Known) -> Change:
    """The change of a running game, from its own keys; ValueError and the like for foreign data."""
    member = member_of(creation_of(known.created_at), game_id)
    if known.standing is None:
        return Change(member, milliseconds_of(str(known.last_event)), {})
    standing = orjson.loads(known.standing)
    at, players = milliseconds_of(standing["updated_at"]), standing["players"]
    if _is_hidden(known.app, known.visibility):
        return Change(member, at, {})
    turn_of = None if standing["to_act"] is None else players[standing["to_act"]]
    return Change(member, at, _scores(players, turn_of, "playing", at))


def _scores(players: Sequence[str | None], turn_of: str | None, status: str, at: int) -> dict[str, int]:
    """The scores of a game among the games of its players; `turn_of` is the player who is to act."""
    return {
        player: (ITS_TURN if player == turn_of else RANKS.index(status)) * ERA + at
        for player in players
        if player is not None
    }


def _as_one(bands: list[Band]) -> list[Band]:
    """The bands of a player's ranks as one, ordered by rank first."""
    if not bands:
        return []
    first, last = bands[0], bands[-1]
    return [Band(first.index, first.first, last.first + last.width - first.first, is_ranked=True)]


def _players(line: Json) -> list[str]:
    """The ids of a line's players."""
    return [seat["player_id"] for seat in line["seats"] if "player_id" in seat]


def _player_to_act(line: Json) -> str | None:
    """The id of the player whose turn it is, if a player's is."""
    to_act = line.get("to_act")
    return None if to_act is None else line["seats"][to_act].get("player_id")


def _is_within(at: str | None, after: int | None, before: int | None) -> bool:
    """True if the time is between these bounds, or if there are no bounds; False for an unknown time."""
    if after is None and before is None:
        return True
    if at is None:
        return False
    known = milliseconds_of(at)
    return (after is None or after < known) and (before is None or known < before)


def _bound(milliseconds: int | None, otherwise: int) -> bytes:
    """Bytes that sort before all members of that time."""
    known = otherwise if milliseconds is None else milliseconds
    return b"%013d" % min(max(known, FIRST), LAST)


def _or_more(milliseconds: int | None, more: int) -> int | None:
    return None if milliseconds is None else milliseconds + more


def _cursor(member: bytes) -> str:
    return urlsafe_b64encode(member).decode().rstrip("=")


def _decoded(cursor: str) -> bytes:
    try:
        return urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4))
    except (NotBase64, ValueError):
        raise BadCursor from None


def _member(cursor: str) -> bytes:
    member = _decoded(cursor)
    if MEMBER.fullmatch(member) is None:
        raise BadCursor
    return member


def _place(cursor: str) -> Place:
    place = CHANGE.fullmatch(_decoded(cursor))
    if place is None:
        raise BadCursor
    return int(place[1]), place[2]
