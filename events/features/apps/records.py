"""Record of an app: its scopes, its metadata, and for each key an id, a hash and two times. Keys themselves are not
stored.
"""

import re
import secrets as randomness
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any, Final

import orjson

from events.features.apps.scopes import SCOPES
from events.features.metadata import Metadata
from events.features.usage.quotas import Quotas

NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
KEY: Final = re.compile(r"mk_([0-9A-Za-z]{12})_[0-9A-Za-z_-]{43}")
KEY_ID: Final = re.compile(r"[0-9A-Za-z]{12}")
KEYS_AT_ONCE: Final = 2  # valid keys of an app: the one in use, and its successor
ALPHABET: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
ID_LENGTH: Final = 12  # 71 bits
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
DAY: Final = 86_400_000  # milliseconds
LIMITED: Final = ("games", "forks", "bots", "records")  # limits that an app may have of its own

Limits = Mapping[str, int]  # times a minute, by the name of the limit


@dataclass(frozen=True, slots=True)
class StoredKey:
    """Record of a key: its `digest` is its SHA-256 in hex; times are in ms, `expires` None for never."""

    id: str
    digest: str
    created: int
    expires: int | None

    def is_valid(self, now: int) -> bool:
        """True if the key has not expired by `now`, in ms."""
        return self.expires is None or now < self.expires

    def expiring(self, at: int) -> "StoredKey":
        """The same key, valid until `at` at the latest."""
        return replace(self, expires=at if self.expires is None else min(at, self.expires))


@dataclass(frozen=True, slots=True)
class App:
    """An app, `created` in ms, with its keys, oldest first. An app without keys can do nothing; its games stay."""

    name: str
    scopes: tuple[str, ...]
    created: int
    keys: tuple[StoredKey, ...]
    metadata: Metadata = field(default_factory=dict)
    quotas: Quotas = field(default_factory=dict)
    limits: Limits = field(default_factory=dict)

    def valid_keys(self, now: int) -> tuple[StoredKey, ...]:
        """The keys that have not expired by `now`, in ms."""
        return tuple(key for key in self.keys if key.is_valid(now))

    def key(self, key_id: str) -> StoredKey | None:
        """The key of that id; None if the app has none."""
        return next((key for key in self.keys if key.id == key_id), None)

    def packed(self) -> bytes:
        """The record as the store keeps it; the same bytes for the same app."""
        keys = [[key.id, key.digest, key.created, key.expires] for key in self.keys]
        more: dict[str, Any] = {"metadata": self.metadata} if self.metadata else {}
        if self.quotas:
            more["quotas"] = self.quotas
        if self.limits:
            more["limits"] = self.limits
        return orjson.dumps({"scopes": self.scopes, "created": self.created, "keys": keys, **more})

    @classmethod
    def unpacked(cls, name: str, record: bytes) -> "App":
        """The app of that name, of the record that the store has."""
        kept: dict[str, Any] = orjson.loads(record)
        keys = tuple(StoredKey(*key) for key in kept["keys"])
        more = kept.get("metadata", {}), kept.get("quotas", {}), kept.get("limits", {})
        return cls(name, tuple(kept["scopes"]), kept["created"], keys, *more)


def new_key(now: int, seconds: int | None) -> tuple[str, StoredKey]:
    """A new key as its owner sees it once, and its record; it expires after so many seconds (None: never)."""
    key_id = "".join(randomness.choice(ALPHABET) for _ in range(ID_LENGTH))
    text = f"mk_{key_id}_{randomness.token_urlsafe(32)}"
    expires = None if seconds is None else now + 1000 * seconds
    return text, StoredKey(key_id, sha256(text.encode()).hexdigest(), now, expires)


def in_order(scopes: Iterable[str]) -> tuple[str, ...]:
    """Each of the scopes once, in the order of SCOPES."""
    wanted = set(scopes)
    return tuple(scope for scope in SCOPES if scope in wanted)


def date(day: int) -> str:
    """A day since 1970 as a date, such as 2026-11-22."""
    return (EPOCH + timedelta(days=day)).strftime("%Y-%m-%d")
