"""Administration of apps: they are created, listed, given new keys, and revoked. Callers check the right to do so."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Final, TypedDict

from events.errors import EngineError, StoreUnavailable
from events.features.apps.port import MOST_APPS, AppStore, FoundApp
from events.features.apps.records import KEYS_AT_ONCE, LIMITED, App, in_order, new_key
from events.features.apps.scopes import USUAL
from events.features.metadata import Change, Metadata, merged
from events.features.usage.quotas import KINDS, PERIODS, Quotas

QuotaChange = Mapping[str, Mapping[str, int | None] | None]
LimitChange = Mapping[str, int | None]

OVERLAP: Final = 86_400  # seconds for which the old key stays good after a rotation, by default
LONGEST_OVERLAP: Final = 30 * 86_400
SHORTEST_LIFE: Final = 60  # the shortest life of a key, in seconds
LONGEST_LIFE: Final = 3660 * 86_400
ATTEMPTS: Final = 10  # attempts at a change while other processes change the same app


class AppChange(TypedDict, total=False):
    """Changes of an app: of its metadata, its quotas and its limits; a number that is None removes one."""

    metadata: Change | None
    quotas: QuotaChange | None
    limits: LimitChange | None


class AppExists(EngineError):
    """An app of that name exists already, perhaps without valid keys."""

    code = "app-exists"

    def __init__(self, name: str) -> None:
        super().__init__(f"There is an app {name} already; rotate its key, or choose another name.")


class AppNotFound(EngineError):
    """There is no app of that name."""

    code = "not-found"

    def __init__(self, name: str) -> None:
        super().__init__(f"There is no app {name}.")


class KeyNotFound(EngineError):
    """The app has no key of that id."""

    code = "not-found"

    def __init__(self, name: str, key_id: str) -> None:
        super().__init__(f"The app {name} has no key {key_id}.")


class TooManyApps(EngineError):
    """The installation has the greatest number of apps that is allowed."""

    code = "too-many-apps"

    def __init__(self) -> None:
        super().__init__(f"There are {MOST_APPS:,} apps, which is the most.")


class TooManyKeys(EngineError):
    """The app has as many valid keys as it may have; `key_ids` are their ids."""

    code = "too-many-keys"

    def __init__(self, name: str, keys: list[str]) -> None:
        super().__init__(
            f"The app {name} has {len(keys)} valid keys: {' and '.join(keys)}. Revoke one of them, wait until one "
            "expires, or rotate with an overlap of 0, which ends them all.",
            key_ids=keys,
        )


class AppsConflict(EngineError):
    """Other processes keep changing the same app."""

    code = "conflict"

    def __init__(self) -> None:
        super().__init__("The app has changed meanwhile; read it again.")


@dataclass(frozen=True, slots=True)
class IssuedKey:
    """An app that has just got a key of this `id`; `text` is the key itself, which is shown only now."""

    found: FoundApp
    id: str
    text: str

    def __repr__(self) -> str:
        return f"IssuedKey({self.found.app.name!r}, {self.id!r})"


class Apps:
    """The use cases of administrators of apps. Every method may raise StoreUnavailable."""

    def __init__(self, store: AppStore | None) -> None:
        self._kept = store

    def create(
        self,
        name: str,
        scopes: Collection[str] = USUAL,
        seconds: int | None = None,
        metadata: Metadata | None = None,
    ) -> IssuedKey:
        """Create an app with a key that expires after so many seconds (None: never). Raises AppExists, TooManyApps."""
        now = self._store.now()
        text, key = new_key(now, seconds)
        app = App(name, in_order(scopes), now, (key,), metadata or {})
        outcome = self._store.put(None, app)
        if outcome == "full":
            raise TooManyApps
        if outcome == "changed":
            raise AppExists(name)
        return IssuedKey(FoundApp(app, now, {}), key.id, text)

    def app(self, name: str) -> FoundApp:
        """The app of that name. Raises AppNotFound."""
        found = self._store.find(name)
        if found is None:
            raise AppNotFound(name)
        return found

    def page(self, after: str = "", limit: int = 100) -> tuple[list[FoundApp], str | None]:
        """A page of apps in the order of their names, and the name after which the next page begins; None on the last
        page.
        """
        found = self._store.page(after, limit + 1)
        return found[:limit], found[limit - 1].app.name if len(found) > limit else None

    def change(self, name: str, change: AppChange) -> FoundApp:
        """Change some members of the app in one step. A member whose change is None is removed."""
        return self._change(name, lambda found: _changed(found.app, change))

    def rotate(self, name: str, overlap: int = OVERLAP, seconds: int | None = None) -> IssuedKey:
        """Issue another key for the app. The old key is valid for `overlap` seconds more; with 0 all old keys become
        void.

        The new key expires after so many `seconds` (None: never). Raises AppNotFound, TooManyKeys, AppsConflict.
        """
        text, key = new_key(0, None)

        def rotated(found: FoundApp) -> App:
            now, valid = found.now, found.app.valid_keys(found.now)
            if overlap > 0 and len(valid) >= KEYS_AT_ONCE:
                raise TooManyKeys(name, [former.id for former in valid])
            expires = None if seconds is None else now + 1000 * seconds
            kept = [former.expiring(now + 1000 * overlap) for former in valid] if overlap > 0 else []
            return replace(found.app, keys=(*kept, replace(key, created=now, expires=expires)))

        return IssuedKey(self._change(name, rotated), key.id, text)

    def revoke_key(self, name: str, key_id: str) -> FoundApp:
        """Revoke one key of the app. Raises AppNotFound, KeyNotFound, AppsConflict."""

        def without(found: FoundApp) -> App:
            if found.app.key(key_id) is None:
                raise KeyNotFound(name, key_id)
            return replace(found.app, keys=tuple(key for key in found.app.keys if key.id != key_id))

        return self._change(name, without)

    def revoke(self, name: str) -> FoundApp:
        """Revoke all keys of the app. Its games stay, and `rotate` gives it access again. Raises AppNotFound,
        AppsConflict.
        """
        return self._change(name, lambda found: replace(found.app, keys=()))

    def _change(self, name: str, changed: Callable[[FoundApp], App]) -> FoundApp:
        """Change the app in one step; returns the changed app."""
        for _ in range(ATTEMPTS):
            found = self.app(name)
            app = changed(found)
            gone = [key.id for key in found.app.keys if app.key(key.id) is None]
            if self._store.put(found.app, app, gone) == "done":
                return FoundApp(app, found.now, found.used)
        raise AppsConflict

    @property
    def _store(self) -> AppStore:
        if self._kept is None:
            raise StoreUnavailable("there is no store for apps")
        return self._kept


def _changed(app: App, change: AppChange) -> App:
    if "metadata" in change:
        app = replace(app, metadata=merged(app.metadata, change["metadata"], "metadata"))
    if "quotas" in change:
        app = replace(app, quotas=_limited(app.quotas, change["quotas"]))
    if "limits" in change:
        numbers = {} if change["limits"] is None else {**app.limits, **change["limits"]}
        kept = {name: number for name in LIMITED if (number := numbers.get(name)) is not None}
        app = replace(app, limits=kept)
    return app


def _limited(known: Quotas, change: QuotaChange | None) -> Quotas:
    """The quotas after a change; those that the change does not name stay as they are."""
    if change is None:
        return {}
    found = dict[str, Mapping[str, int]]()
    for kind in KINDS:
        changed = change.get(kind, {})
        numbers = {} if changed is None else {**known.get(kind, {}), **changed}
        kept = {period: number for period in PERIODS if (number := numbers.get(period)) is not None}
        if kept:
            found[kind] = kept
    return found
