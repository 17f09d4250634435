"""Listings: each app's games, newest first; a projection of the games that can be late, but never wrong for long."""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime

import orjson

from domain.lifecycle import Json, places_in_duel
from events.errors import BadCursor
from events.games.access import ANONYMOUS, OF_A_SEAT, is_for_its_seats_alone
from events.log.game_secrets import OPEN
from events.log.serialisers import summary_document
from events.log.snapshot import Snapshot
from events.ports import Index, ListingStore, Page, Place, Span
from events.times import milliseconds_of, time_of

STATUSES = ("waiting", "playing", "finished")
MEMBER = re.compile(rb"[0-9]{13}:[0-9A-Za-z]{22}")
AT_ONCE = 100  # games that are looked at together
EVERY: Index = ()  # the index of all games
NEWEST = "newest"  # in these orders games stand by their creation: the last one first,
OLDEST = "oldest"  # or the first one;
UPDATED = "updated"  # in these by their last event: the last one first,
STALE = "stale"  # or the first one
ORDERS = (NEWEST, OLDEST, UPDATED, STALE)
FIRST, LAST = 0, 10**13 - 1  # milliseconds between which a member names the creation of its game
CHANGE = re.compile(rb"([0-9]{1,15}):([0-9]{13}:[0-9A-Za-z]{22})")
ROUNDS = 10  # of looking for games that pass the filters, for one page


class Listings:
    """The listings of apps' games, kept up to date from the feed."""

    def __init__(self, store: ListingStore) -> None:
        self._store = store

    def update(self, snapshot: Snapshot, *, anew: bool = False) -> None:
        """Put the game's line into its app's listing; harmless when doubled or late. Raises StoreUnavailable.

        `anew`: also where there is one of the same version. What a seat has made for itself is of no app, and listed
        nowhere.
        """
        app, game_id = snapshot.secrets.app, snapshot.game_id
        if app == OF_A_SEAT:
            return
        line = summary_document(snapshot)
        if snapshot.secrets.rematch_of is not None and not is_for_its_seats_alone(snapshot.secrets):
            line["rematch_of"] = snapshot.secrets.rematch_of
        if line["status"] == "waiting":  # for the lobby
            line["options"] = snapshot.status.options
        listed: list[Index] = [EVERY, ("status", line["status"]), ("game", line["game"])]
        listed += [("player", player) for player in _players(line)]
        unlisted = [("status", status) for status in STATUSES if status != line["status"]]
        member, document = _member_of(line["created_at"], game_id), orjson.dumps(line)
        changed = (line["status"], milliseconds_of(snapshot.updated_at))
        self._store.put(
            app, game_id, snapshot.version, document, member, listed, unlisted, changed, anew=anew
        )

    def touch(self, game_ids: Sequence[str]) -> None:
        """Note when these games have changed last, which their lines need not show. Raises StoreUnavailable."""
        changes = self._store.last_changes(game_ids) if game_ids else []
        touched = list[tuple[str, str, int]]()
        for game_id, change in zip(game_ids, changes, strict=True):
            if change is not None and change[0] != OF_A_SEAT:
                with suppress(ValueError):  # others wrote over it: `migrato fsck` tells
                    touched.append((change[0], _member_of(change[1], game_id), milliseconds_of(change[2])))
        if touched:
            self._store.touch(touched)

    def stale(self, status: str, until: int) -> Iterator[tuple[str, int]]:
        """The games of all apps, also private ones, that have that status and have not changed since a time; and when
        each of them has.
        """
        for app in self._store.apps():
            place: Place | None = None
            while places := self._store.by_change(app, [status], Span(last=until, beyond=place), AT_ONCE):
                yield from ((member.partition(b":")[2].decode(), at) for at, member in places)
                place = places[-1]

    def outdated(self, versions: Mapping[str, int]) -> list[str]:
        """Games that are listed as they were before these versions, or not at all. Raises StoreUnavailable."""
        listed = self._store.versions(list(versions))
        return [game for (game, version), at in zip(versions.items(), listed, strict=True) if at < version]

    def page(
        self,
        app: str,
        *,
        status: str | None,
        game: str | None,
        players: Sequence[str] | None,
        joining: str | None = None,
        limit: int,
        cursor: str | None,
        order: str = NEWEST,
        updated_after: int | None = None,
        updated_before: int | None = None,
        created_after: int | None = None,
        created_before: int | None = None,
    ) -> Page:
        """At most `limit` games of the app that pass the filters, from `cursor` on. Raises BadCursor.

        `order`: one of ORDERS. `updated_after` and `updated_before`: their last event is after or before that time, in
        milliseconds; `created_after` and `created_before`: so is their creation. In the listing of the app that
        everybody is nobody is told when private games have changed.

        `players` is all that the games of a player are listed under. The narrowest index is read and its games are
        filtered by the rest; a page may be short, and still have a cursor, where that takes too long. The lines of
        games that wait for players have `options`, unless a former release wrote them.
        """
        wanted = {"status": status, "game": game, "joining": joining}

        def passes(line: Json) -> bool:
            return (
                _passes(line, wanted, players)
                and _is_within(line.get("updated_at"), updated_after, updated_before)
                and _is_within(line["created_at"], created_after, created_before)
            )

        if order not in (NEWEST, OLDEST):
            span = Span(_or_more(updated_after, 1), _or_more(updated_before, -1), order == UPDATED)
            return self._by_change(app, status, passes, span, limit, cursor)
        indexes, newest_first = _narrowest(status, game, players), order == NEWEST
        found: list[tuple[bytes, Json]] = []
        first, last = _bound(created_after, FIRST), _bound(created_before, LAST)
        beyond = None if cursor is None else _member(cursor)
        for _ in range(ROUNDS):
            if beyond is not None:
                first, last = (first, min(last, beyond)) if newest_first else (max(first, beyond), last)
            between = self._store.members(app, indexes, first, last, limit + 1, newest_first=newest_first)
            members = sorted(between, reverse=newest_first)[: limit + 1]
            found += [(member, line) for member, line in self._read(app, members) if passes(line)]
            if len(found) > limit:
                return Page([line for _, line in found[:limit]], _cursor(found[limit - 1][0]))
            if len(members) <= limit:
                return Page([line for _, line in found], None)
            beyond = members[-1]
        return Page([line for _, line in found], _cursor(members[-1]))

    def _by_change(
        self,
        app: str,
        status: str | None,
        passes: Callable[[Json], bool],
        span: Span,
        limit: int,
        cursor: str | None,
    ) -> Page:
        """The same in the order of the games' last events."""
        statuses = [one for one in STATUSES if status in (None, one)]
        found: list[tuple[Place, Json]] = []
        beyond = None if cursor is None else _place(cursor)
        for _ in range(ROUNDS):
            places = self._store.by_change(app, statuses, replace(span, beyond=beyond), limit + 1)
            lines = zip(places, self._read(app, [member for _, member in places]), strict=True)
            found += [(place, line) for place, (_, line) in lines if "updated_at" in line and passes(line)]
            if len(found) > limit:
                return Page([line for _, line in found[:limit]], _cursor(b"%d:%s" % found[limit - 1][0]))
            if len(places) <= limit:
                return Page([line for _, line in found], None)
            beyond = places[-1]
        return Page([line for _, line in found], _cursor(b"%d:%s" % places[-1]))

    def waiting(self, app: str, player_id: str) -> list[str]:
        """The ids of the app's games that wait for players, at which the player sits or has sat."""
        members = self._store.shared(app, [("player", player_id), ("status", "waiting")])
        return [member.partition(b":")[2].decode() for member in members]

    def _read(self, app: str, members: list[bytes]) -> Iterator[tuple[bytes, Json]]:
        if not members:
            return
        lines = self._store.lines(app, [member.partition(b":")[2] for member in members])
        changes = self._store.changed_at(app, members)
        for member, text, changed_at in zip(members, lines, changes, strict=True):
            line = _with_places(orjson.loads(text))
            if changed_at is not None and not (app == ANONYMOUS and line["visibility"] != "public"):
                line["updated_at"] = time_of(changed_at)
            yield member, line


def _with_places(line: Json) -> Json:
    """The line with the places of its result: a former release, whose games had two seats, wrote none."""
    if (result := line["result"]) is not None and "places" not in result:
        result["places"] = list(places_in_duel(result["winner"]))
    return line


def _narrowest(status: str | None, game: str | None, players: Sequence[str] | None) -> list[Index]:
    if players is not None:
        return [("player", player) for player in players]
    for part, value in (("status", status), ("game", game)):
        if value is not None:
            return [(part, value)]
    return [EVERY]


def _players(line: Json) -> list[str]:
    """The ids of a line's players; names in lines that former releases wrote."""
    players = [seat.get("player_id", seat.get("player")) for seat in line["seats"]]
    return [player for player in players if player is not None]


def _passes(line: Json, wanted: dict[str, str | None], players: Sequence[str] | None) -> bool:
    fits = all(value is None or line.get(name, OPEN) == value for name, value in wanted.items())
    return fits and (players is None or not set(players).isdisjoint(_players(line)))


def _is_within(at: str | None, after: int | None, before: int | None) -> bool:
    """True if the time is within these, or none are given; one that is not known is within none."""
    if after is None and before is None:
        return True
    if at is None:
        return False
    known = milliseconds_of(at)
    return (after is None or after < known) and (before is None or known < before)


def _bound(milliseconds: int | None, otherwise: int) -> bytes:
    """Bytes that stand before all members of that time."""
    known = otherwise if milliseconds is None else milliseconds
    return b"%013d" % min(max(known, FIRST), LAST)


def _or_more(milliseconds: int | None, more: int) -> int | None:
    return None if milliseconds is None else milliseconds + more


def _member_of(created_at: str, game_id: str) -> str:
    created = int(datetime.fromisoformat(created_at).timestamp() * 1000)
    return f"{created:013d}:{game_id}"


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
