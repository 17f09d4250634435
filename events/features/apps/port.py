"""The port of apps."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from events.features.apps.records import App, Limits, StoredKey
from events.features.usage.quotas import Quotas

MOST_APPS: Final = 10_000  # of an installation, those without keys included: a name is never given away again


@dataclass(frozen=True, slots=True)
class FoundKey:
    """A key that a caller has shown: its app, the store's time in ms, and the last day of its use."""

    app: str
    scopes: tuple[str, ...]
    key: StoredKey
    now: int
    used: int | None
    quotas: Quotas = field(default_factory=dict)
    limits: Limits = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FoundApp:
    """An app as it is now, by the store's time in ms; `used` are the last days of its keys' use, by id, since 1970."""

    app: App
    now: int
    used: dict[str, int]


class AppStore(Protocol):
    """The apps of an installation. Every method may raise StoreUnavailable; each is safe to be sent again."""

    def has_apps(self) -> bool:
        """True if there is any app, with or without keys, or was one that is deleted."""

    def find_key(self, key_id: str) -> FoundKey | None:
        """The key of that id, in one round trip; None if there is none."""

    def note_use(self, key_id: str, day: int) -> None:
        """The key, if it is still there, was used on that day since 1970."""

    def now(self) -> int:
        """The store's time in ms since 1970."""

    def find(self, name: str) -> FoundApp | None:
        """The app of that name; None if there is none."""

    def page(self, after: str, limit: int) -> list[FoundApp]:
        """At most so many apps whose names come after that one, in the order of their names."""

    def put(self, former: App | None, app: App, gone: Sequence[str] = ()) -> str:
        """Replace an app by another version, if it is still the one that was read (None for a new app); `gone` are the
        ids of former keys.

        "done", also where the very same was done before; "changed" if it is another one by now, "full" if there are
        MOST_APPS: then nothing is done.
        """

    def delete(self, name: str) -> int:
        """Remove everything that is kept of the app, its record last; the number of keys of the store.

        No game of the app that is over by now is listed again, or counts for ratings.
        """

    def deleted_at(self, name: str) -> int:
        """Time at which an app of that name was last deleted, in milliseconds; 0 if none was."""


class RunningGames(Protocol):
    """Limit of an app's games that are not over."""

    def take_place(self, app: str, game_id: str) -> None:
        """Have a place for a game that is to be created; harmless when doubled.

        Raises TooManyGames, StoreUnavailable.
        """
