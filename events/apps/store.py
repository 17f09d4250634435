"""The port: what is asked of whatever keeps apps."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from events.apps.records import App, StoredKey

MOST_APPS: Final = 10_000  # of an installation, those without keys included: a name is never given away again


@dataclass(frozen=True, slots=True)
class FoundKey:
    """A key that somebody has shown, by its id: whose it is, the store's time in ms, and the last day of its use."""

    app: str
    scopes: tuple[str, ...]
    key: StoredKey
    now: int
    used: int | None


@dataclass(frozen=True, slots=True)
class FoundApp:
    """An app as it is now, by the store's time in ms; `used` are the last days of its keys' use, by id, since 1970."""

    app: App
    now: int
    used: dict[str, int]


class AppStore(Protocol):
    """The apps of an installation. Every method may raise StoreUnavailable; each is safe to be sent again."""

    def has_apps(self) -> bool:
        """True if there is any app, with or without keys."""

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
        """Put an app in the place of what was read of it, None for a new one; `gone` are the ids of former keys.

        "done", also where the very same was done before; "changed" if it is another one by now, "full" if there are
        MOST_APPS: then nothing is done.
        """
