"""Listings: each app's games, newest first; a projection of the games that can be late, but never wrong for long."""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

import orjson

from domain.lifecycle import Json, places_in_duel
from events.errors import BadCursor
from events.games.access import OF_A_SEAT, is_for_its_seats_alone
from events.log.game_secrets import OPEN
from events.log.serialisers import summary_document
from events.log.snapshot import Snapshot
from events.ports import Index, ListingStore, Page

STATUSES = ("waiting", "playing", "finished")
MEMBER = re.compile(rb"[0-9]{13}:[0-9A-Za-z]{22}")
EVERY: Index = ()  # the index of all games
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
        created = int(datetime.fromisoformat(line["created_at"]).timestamp() * 1000)
        member = f"{created:013d}:{game_id}"
        document = orjson.dumps(line)
        self._store.put(app, game_id, snapshot.version, document, member, listed, unlisted, anew=anew)

    def outdated(self, versions: Mapping[str, int]) -> list[str]:
        """Which games are listed as they were before these versions, or not at all. Raises StoreUnavailable."""
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
    ) -> Page:
        """At most `limit` games of the app that pass the filters, from `cursor` on. Raises BadCursor.

        `players` is all that the games of a player are listed under. The narrowest index is read and its games are
        filtered by the rest; a page may be short, and still have a cursor, where that takes too long. The lines of
        games that wait for players have `options`, unless a former release wrote them.
        """
        indexes = _narrowest(status, game, players)
        wanted = {"status": status, "game": game, "joining": joining}
        found: list[tuple[bytes, Json]] = []
        before = None if cursor is None else _member(cursor)
        for _ in range(ROUNDS):
            members = sorted(self._store.members(app, indexes, before, limit + 1), reverse=True)[: limit + 1]
            found += [
                (member, line) for member, line in self._read(app, members) if _passes(line, wanted, players)
            ]
            if len(found) > limit:
                return Page([line for _, line in found[:limit]], _cursor(found[limit - 1][0]))
            if len(members) <= limit:
                return Page([line for _, line in found], None)
            before = members[-1]
        return Page([line for _, line in found], _cursor(members[-1]))

    def waiting(self, app: str, player_id: str) -> list[str]:
        """The ids of the app's games that wait for players, at which the player sits or has sat."""
        members = self._store.shared(app, [("player", player_id), ("status", "waiting")])
        return [member.partition(b":")[2].decode() for member in members]

    def _read(self, app: str, members: list[bytes]) -> Iterator[tuple[bytes, Json]]:
        lines = self._store.lines(app, [member.partition(b":")[2] for member in members]) if members else []
        for member, line in zip(members, lines, strict=True):
            yield member, _with_places(orjson.loads(line))


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
