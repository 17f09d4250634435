"""App keys: which app has a key, and whether there are any keys at all.

The settings have keys, and the store has keys that come and go while the engine runs. A process trusts the store's
answer about a key for FRESH seconds. So it asks once a second for each key in use, and a revocation takes effect
everywhere after that time. Invalid keys are not remembered, so the time of an answer tells a guesser nothing.
"""

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from hmac import compare_digest
from typing import Final

from events.errors import StoreUnavailable, Unauthorized
from events.features.apps.port import AppStore, FoundKey
from events.features.apps.records import DAY, KEY, Limits
from events.features.apps.scopes import USUAL
from events.features.usage.quotas import Quotas

# seconds for which an answer of the store is trusted: about a key, or that there are no keys
FRESH: Final = 1.0
KEPT: Final = 20_000  # the most keys that are remembered
UNGUESSABLE: Final = 22  # characters of a secret that nobody can guess: 128 random bits in base64url


@dataclass(frozen=True, slots=True)
class KnownKey:
    """A valid key: its app and its rights. `id` and `digest` are None for a key from the settings."""

    app: str
    scopes: frozenset[str]
    id: str | None = None
    digest: str | None = None


class AppKeys:
    """The app keys of an installation. Safe among threads and greenlets: the store is asked again for an entry that is
    lost.
    """

    def __init__(
        self,
        configured: Mapping[str, str] | None = None,
        store: AppStore | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`configured`: by app, the SHA-256 of its key in hex; `clock`: seconds, for the age of remembered answers."""
        self._configured = dict(configured or {})
        self._store = store
        self._clock = clock
        self._exist = bool(self._configured)
        self._looked = float("-inf")
        self._known: dict[str, tuple[float, KnownKey]] = {}
        self._revoked: dict[str, tuple[float, bool]] = {}
        self._quotas: dict[str, tuple[float, Quotas, int]] = {}
        self._limits: dict[str, Limits] = {}

    def exist(self) -> bool:
        """True if callers need a key; otherwise every caller is the app ANONYMOUS. Raises StoreUnavailable.

        The first app that is created makes this true for good, even after its keys have expired or were revoked, or
        after the app was deleted.
        """
        if not self._exist and self._store is not None and self._clock() - self._looked >= FRESH:
            asked = self._clock()
            self._exist = self._store.has_apps()
            self._looked = asked
        return self._exist

    def require(self) -> None:
        """From now on every app needs a key, even if there are none."""
        self._exist = True

    def known(self, key: str) -> KnownKey:
        """The app and the record of the key. Raises Unauthorized, StoreUnavailable."""
        digest = sha256(key.encode()).hexdigest()
        kept = self._known.get(digest)
        if kept is not None and self._clock() < kept[0]:
            return kept[1]
        app = self._configured_app(digest)
        if app is not None:
            return KnownKey(app, USUAL)
        form = KEY.fullmatch(key)
        if form is None or self._store is None:
            raise _refusal()
        return self._looked_up(form[1], digest)

    def is_at_hand(self, key: str) -> bool:
        """True if this process can tell without the store that the key is genuine and not guessed."""
        digest = sha256(key.encode()).hexdigest()
        return digest in self._known or (len(key) >= UNGUESSABLE and self._configured_app(digest) is not None)

    def app_at_hand(self, key: str) -> str | None:
        """The app whose key this was when this process last looked; None for a key that it would have to look up."""
        digest = sha256(key.encode()).hexdigest()
        kept = self._known.get(digest)
        return self._configured_app(digest) if kept is None else kept[1].app

    def _configured_app(self, digest: str) -> str | None:
        """The app that has this key by the settings; the time taken does not depend on how near a guess is."""
        found = [app for app, known in self._configured.items() if compare_digest(known, digest)]
        return found[0] if found else None

    def confirm(self, key_id: str, digest: str) -> None:
        """Raise Unauthorized if that key of the store, which was good, is so no more. Raises StoreUnavailable."""
        kept = self._known.get(digest)
        if kept is None or self._clock() >= kept[0]:
            self._looked_up(key_id, digest)

    def is_revoked(self, app: str, *, is_everybody: bool = False) -> bool:
        """True if the app is in the store and no key of it is good, here or there. Raises StoreUnavailable.

        An app that is not in the store is not: its keys may be in the settings of other processes alone. But the one
        that `is_everybody` while nobody needs a key is, once there are keys.
        """
        if app in self._configured or self._store is None:
            return False
        until, revoked = self._revoked.get(app, (0.0, False))
        asked = self._clock()
        if asked >= until:
            found = self._store.find(app)
            if found is None:
                revoked = is_everybody and self.exist()
            else:
                revoked = not found.app.valid_keys(found.now)
            if len(self._revoked) >= KEPT:
                self._revoked.clear()
            self._revoked[app] = (asked + FRESH, revoked)
        return revoked

    def was_deleted(self, app: str, since: int) -> bool:
        """True if the app was deleted after that time, in milliseconds. Raises StoreUnavailable."""
        return self._store is not None and self._store.deleted_at(app) >= since

    def quotas(self, app: str) -> tuple[Quotas, int]:
        """Quotas of the app, and the store's time in ms, both at most a second old. Raises StoreUnavailable."""
        if self._store is None or not self.exist():
            return _NO_QUOTAS
        asked = self._clock()
        until, quotas, now = self._quotas.get(app, (0.0, *_NO_QUOTAS))
        if asked >= until:
            found = self._store.find(app)
            quotas, now = _NO_QUOTAS if found is None else (found.app.quotas, found.now)
            self._keep_quotas(app, asked, quotas, now)
        return quotas, now

    def _keep_quotas(self, app: str, asked: float, quotas: Quotas, now: int) -> None:
        if len(self._quotas) >= KEPT:
            self._quotas.clear()
        self._quotas[app] = (asked + FRESH, quotas, now)

    def limits_at_hand(self, app: str) -> Limits:
        """The app's own limits, as of the last lookup of one of its keys in this process, which is at most a second old
        at a request. An app of the settings has none.
        """
        return self._limits.get(app, _NO_LIMITS)

    def _looked_up(self, key_id: str, digest: str) -> KnownKey:
        assert self._store is not None
        asked = self._clock()
        found = self._store.find_key(key_id)
        if not compare_digest(_NOBODYS if found is None else found.key.digest, digest) or found is None:
            self._known.pop(digest, None)
            raise _refusal()
        if not found.key.is_valid(found.now):
            self._known.pop(digest, None)
            raise Unauthorized("This app key has expired.")
        known = KnownKey(found.app, frozenset(found.scopes), key_id, digest)
        if len(self._known) >= KEPT:
            self._known.clear()
        self._known[digest] = (asked + _believed(found), known)
        self._keep_quotas(found.app, asked, found.quotas, found.now)
        if found.limits:
            self._limits[found.app] = found.limits
        else:
            self._limits.pop(found.app, None)
        self._note_use(self._store, found)
        return known

    @staticmethod
    def _note_use(store: AppStore, found: FoundKey) -> None:
        """Record once a day that the key is used."""
        today = found.now // DAY
        if found.used != today:
            with suppress(StoreUnavailable):  # the next answer, within a second, tries it again
                store.note_use(found.key.id, today)


_NO_LIMITS: Final[Limits] = {}
_NO_QUOTAS: Final[tuple[Quotas, int]] = ({}, 0)
_NOBODYS: Final = "0" * 64


def _believed(found: FoundKey) -> float:
    """Seconds for which the store's answer about a key is trusted."""
    if found.key.expires is None:
        return FRESH
    return min(FRESH, (found.key.expires - found.now) / 1000)


def _refusal() -> Unauthorized:
    return Unauthorized("This token is not known.")
