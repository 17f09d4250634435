"""The port of apps."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from events.features.apps.records import App, Limits, StoredKey
from events.features.usage.quotas import Quotas

# per installation; apps without keys count too, because no name is ever given to another app
MOST_APPS: Final = 10_000


@dataclass(frozen=True, slots=True)
class FoundKey:
    """A key that a caller presented: its app, the store's time in ms, and the last day on which it was used."""

    app: str
    scopes: tuple[str, ...]
    key: StoredKey
    now: int
    used: int | None
    quotas: Quotas = field(default_factory=dict)
    limits: Limits = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FoundApp:
    """An app with the store's time in ms; `used`: the last day on which each key was used, by id, in days
    since 1970.
    """

    app: App
    now: int
    used: dict[str, int]


class AppStore(Protocol):
    """The apps of an installation. Every method may raise StoreUnavailable; each is safe to be sent again."""

    def has_apps(self) -> bool:
        """True if there is an app, with or without keys, or was one that has been deleted."""

    def find_key(self, key_id: str) -> FoundKey | None:
        """The key of that id, in one round trip; None if there is none."""

    def note_use(self, key_id: str, day: int) -> None:
        """Record that the key was used on that day since 1970, if the key still exists."""

    def now(self) -> int:
        """The store's time in ms since 1970."""

    def find(self, name: str) -> FoundApp | None:
        """The app of that name; None if there is none."""

    def page(self, after: str, limit: int) -> list[FoundApp]:
        """At most so many apps whose names come after that one, in the order of their names."""

    def put(self, former: App | None, app: App, gone: Sequence[str] = ()) -> str:
        """Replace an app by another version, if the stored one is still `former` (None for a new app); `gone` are the
        ids of keys that it no longer has.

        Returns "done", also if the new version was already there. Returns "changed" if the stored version is another
        one, or "full" if there are MOST_APPS; then nothing is done.
        """

    def delete(self, name: str) -> int:
        """Remove all data of the app, its record last. Returns the number of keys removed from the store.

        From then on no finished game of the app is listed, or counts for ratings.
        """

    def deleted_at(self, name: str) -> int:
        """Time at which an app of that name was last deleted, in milliseconds; 0 if none was."""


class RunningGames(Protocol):
    """The limit of an app's games that are not over."""

    def take_place(self, app: str, game_id: str) -> None:
        """Take a place for a game that is about to be created; safe to repeat."""
