"""The port of listings: the questions that its use-cases ask of a store."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

from domain.lifecycle import Json


@dataclass(frozen=True, slots=True)
class Page:
    """Some games of a listing, and the cursor of the next page; None if there is none."""

    games: list[Json]
    cursor: str | None


Changed = tuple[str, int]  # a game's status, and when it changed last, in milliseconds


# the time when a game changed last, in milliseconds, and the game as a member of an index
Place = tuple[int, bytes]


@dataclass(frozen=True, slots=True)
class Span:
    """A span of the times of last changes, in milliseconds, both ends included; None stands for no bound.

    `newest_first`: the latest change comes first. `beyond`: only games that come after this place in that order.
    """

    first: int | None = None
    last: int | None = None
    newest_first: bool = False
    beyond: Place | None = None


Index = tuple[str, ...]  # a way to find games of an app: ("status", "playing"); () has all of them
OWN: Final = (
    "own-data"  # the index ("own-data", mark) of games by the app's own data; a game in it need not exist yet
)

# milliseconds, more than any time; it separates the scores of two ranks among a player's games
ERA: Final = 10**13


@dataclass(frozen=True, slots=True)
class Band:
    """Games of an index in the order of their last changes: those whose scores begin at `first`, `width` wide.

    A score minus `first` is the time of the game's last event, in milliseconds. The games of a player, ("of", id), have
    ranks: their scores are `rank * ERA` plus that time. A band of several ranks `is_ranked`.
    """

    index: Index
    first: int = 0
    width: int = ERA
    is_ranked: bool = False


class Kept(NamedTuple):
    """A listing's data about a game: its line, None if there is none (yet); its standing, None if the line has
    everything; and the time of its last change in milliseconds, None if that is not known.
    """

    line: bytes | None
    standing: bytes | None
    changed_at: int | None


class Known(NamedTuple):
    """Data of a game's own keys. `last_event`, the time of the last event, is there only if no `standing` is kept."""

    app: str
    created_at: str
    visibility: str
    standing: bytes | None
    last_event: str | None


class Change(NamedTuple):
    """A change of a running game: the game as a member of indexes, the time, and its scores by player."""

    member: str
    at: int
    scores: Mapping[str, int]


class Horizon(NamedTuple):
    """Times before which an app's finished games are forgotten, in milliseconds; 0 for none.

    A game whose last event was before `listed` is removed from the listing once it is in the archive. A game whose last
    event was before `done` is in no listing.
    """

    listed: int
    done: int


class ListingStore(Protocol):
    """The lines of each app's listing, and indexes of them. Every method may raise StoreUnavailable.

    A member of an index is a game as `time:id`, sorted by its bytes.
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
        """Store a game's line, and enter the game into some indexes and remove it from others, unless the stored line
        is later.

        A line of the same version is replaced only if it is to be made `anew`. `changed`: the one of STATUSES that the
        game has now, and since when; `scores`: its scores among the games of its players.
        """

    def members(
        self, app: str, index: Index, first: bytes, last: bytes, limit: int, *, newest_first: bool
    ) -> list[bytes]:
        """At most `limit` members of an index after `first` and before `last`, from the index's end if `newest_first`,
        otherwise from its beginning.
        """

    def listed(self, app: str, index: Index, members: Sequence[bytes]) -> list[bool]:
        """For each of these members, True if the index has it."""

    def shared(self, app: str, indexes: Sequence[Index]) -> list[bytes]:
        """The members that all these indexes have."""

    def kept(self, app: str, members: Sequence[bytes]) -> list[Kept]:
        """All stored data about these games, from one request."""

    def known(self, game_ids: Sequence[str]) -> list[Known | None]:
        """The data in each game's own keys; None for a game that is gone."""

    def stand(self, game_id: str, version: int, standing: bytes) -> None:
        """Store the standing of a game of that version, unless there is a later version; b"" for no standing."""

    def touch(self, app: str, changes: Sequence[Change]) -> None:
        """Note changes of games of the app. Games that are not running are left alone, and so are those with a later
        change.

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
        """At most `limit` games of these bands whose last change is in the span, in the order of their changes."""

    def apps(self) -> list[str]:
        """The apps that have games in a listing."""

    def horizon(self, app: str) -> Horizon:
        """The app's horizon."""

    def move_horizon(self, app: str, *, listed: int | None = None, done: int | None = None) -> None:
        """Move one time of the app's horizon forward. From then on no finished game from before it is
        stored by `put`.
        """

    def clear_horizon(self, app: str) -> None:
        """Let all games of the app be listed again."""

    def lines(self, app: str, members: Sequence[bytes]) -> list[bytes | None]:
        """The stored lines of these games; None for a game without one."""

    def unlist(self, app: str, member: bytes, line: bytes | None, listed: Sequence[Index]) -> bool:
        """Remove a game from the listing and from these indexes, if its line is still this one. Returns
        True if it was.
        """

    def versions(self, game_ids: Sequence[str]) -> list[int]:
        """The versions of the games' lines in their apps' listings; 0 without a line."""
