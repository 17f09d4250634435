"""The port of listings: the questions that its use-cases ask of a store."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

from domain.lifecycle import Json


@dataclass(frozen=True, slots=True)
class Page:
    """Some games of a listing, and where the rest begins; `cursor` None where there is no rest."""

    games: list[Json]
    cursor: str | None


Changed = tuple[str, int]  # a game's status, and when it changed last, in milliseconds


Place = tuple[int, bytes]  # when a game changed last, in milliseconds, and the game as a member of an index


@dataclass(frozen=True, slots=True)
class Span:
    """A span of time in which something has changed, in milliseconds, both ends included; None has no bound.

    What changed last comes first if `newest_first`. `beyond`: only what comes after that in this order.
    """

    first: int | None = None
    last: int | None = None
    newest_first: bool = False
    beyond: Place | None = None


Index = tuple[str, ...]  # by which games of an app are found: ("status", "playing"); () is all of them
OWN: Final = (
    "own-data"  # the index ("own-data", mark): games by own data of the app, which may not be there yet
)

ERA: Final = 10**13  # milliseconds, more than any time; the scores of a rank among a player's games


@dataclass(frozen=True, slots=True)
class Band:
    """Games in the order of their changes: those of an index whose scores are from `first` on, `width` of them.

    A score less `first` is the time of the game's last event, in milliseconds. The games of a player, ("of", id), stand
    in ranks: their scores are `rank * ERA` and that time. A band of several ranks `is_ranked`.
    """

    index: Index
    first: int = 0
    width: int = ERA
    is_ranked: bool = False


class Kept(NamedTuple):
    """Content of a listing about a game: its line, None where there is none (yet); its standing, None if the line has
    it all; and the time of its last change in milliseconds, None if that is not known.
    """

    line: bytes | None
    standing: bytes | None
    changed_at: int | None


class Known(NamedTuple):
    """Content of a game's own keys. `standing` is None if it is not kept; only then is `last_event` there, the time of
    the last event.
    """

    app: str
    created_at: str
    visibility: str
    standing: bytes | None
    last_event: str | None


class Change(NamedTuple):
    """A change of a game that is played: the game as a member of indexes, when, and its scores by player."""

    member: str
    at: int
    scores: Mapping[str, int]


class Horizon(NamedTuple):
    """Times before which an app's finished games are forgotten, in milliseconds; 0 for none.

    A game whose last event was before `listed` is listed no more once it is in the archive, and one before `done` is in
    no listing.
    """

    listed: int
    done: int


class ListingStore(Protocol):
    """The lines of each app's listing, and indexes of them. Every method may raise StoreUnavailable.

    A member of an index is a game as `time:id`, and stands in the order of its bytes.
    """

    def put(
        self,
        app: str,
        game_id: str,
        version: int,
        line: bytes,
        member: str,
        listed: Sequence[Index],
        unlisted: Sequence[Index],
        changed: "Changed",
        scores: Mapping[str, int],
        *,
        anew: bool = False,
    ) -> None:
        """Put a game's line in, and the game into some indexes and out of others, unless a later version is there.

        Nor is anything done where there is the same version, unless the line is to be made `anew`. `changed` says by
        which of STATUSES the game stands now, and since when; `scores` are its scores among the games of its players.
        """

    def members(
        self, app: str, index: Index, first: bytes, last: bytes, limit: int, *, newest_first: bool
    ) -> list[bytes]:
        """At most `limit` members of an index after `first` and before `last`, in that order: from its end, or its
        beginning.
        """

    def listed(self, app: str, index: Index, members: Sequence[bytes]) -> list[bool]:
        """True for each of these members that the index has."""

    def shared(self, app: str, indexes: Sequence[Index]) -> list[bytes]:
        """The members of all these indexes."""

    def kept(self, app: str, members: Sequence[bytes]) -> list[Kept]:
        """All that is kept of these games, by one request for all of them."""

    def known(self, game_ids: Sequence[str]) -> list[Known | None]:
        """Each of these games as its own keys tell of it; None for one that is gone."""

    def stand(self, game_id: str, version: int, standing: bytes) -> None:
        """Keep how a game of that version stands, unless there is a later version; b"" for nothing."""

    def touch(self, app: str, changes: Sequence[Change]) -> None:
        """Note changes of games of the app; games that are not being played stay, and so do those that have changed
        later.

        From then on the app is among `apps`.
        """

    def by_change(
        self,
        app: str,
        bands: Sequence[Band],
        within: "Span",
        limit: int,
        among: Sequence[bytes] | None = None,
    ) -> list["Place"]:
        """At most so many games of these bands and those that changed then, in the order of their changes.

        `among`: only these members.
        """

    def apps(self) -> list[str]:
        """The apps that have games in a listing."""

    def horizon(self, app: str) -> Horizon:
        """The app's horizon."""

    def move_horizon(self, app: str, *, listed: int | None = None, done: int | None = None) -> None:
        """Move a part of the app's horizon to a later time. From then on no finished game from before it is `put`."""

    def clear_horizon(self, app: str) -> None:
        """Let all games of the app be listed again."""

    def lines(self, app: str, members: Sequence[bytes]) -> list[bytes | None]:
        """The lines of these games as they are kept; None where there is none."""

    def unlist(self, app: str, member: bytes, line: bytes | None, listed: Sequence[Index]) -> bool:
        """Remove a game from the listing and from these indexes, if its line is this one still; whether it was."""

    def versions(self, game_ids: Sequence[str]) -> list[int]:
        """The versions of the games' lines in their apps' listings; 0 without a line."""
