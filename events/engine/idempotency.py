"""Requests with an `Idempotency-Key`: each is done once, however often it is sent.

The ids and tokens that such a request would otherwise draw are derived from it, so a repeat gets the same ones. The
store keeps nothing of the request beforehand, and only hashes afterwards. The key of the derivation is

    root = HMAC-SHA256(the installation's secret, purpose || bearer token || Idempotency-Key), each as its SHA-256

and so unknown to a reader of the store who knows neither the token nor the key of the request: see ADR 0015.
"""

import hmac
from base64 import urlsafe_b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256

import orjson

from domain.lifecycle import Json
from events.engine import access
from events.engine.repository import pages
from events.ports import CommandId, EventStore, short


@dataclass(frozen=True, slots=True)
class KeyedRequest:
    """A request with an `Idempotency-Key`: the key, its bearer token (None without one), what its body says."""

    key: str = field(repr=False)
    token: str | None = field(repr=False)
    body: Json = field(repr=False)


@dataclass(frozen=True, slots=True)
class RepeatedTokens:
    """Answer to a repeat: the `tokens` by seat. Seats in `void` have another token by now; seats in `moved` have acted
    since.
    """

    tokens: Mapping[int, str]
    void: set[int]
    moved: set[int]


class KeyedCommand:
    """Ids and secrets that follow from one request, the same each time that it is sent."""

    def __init__(self, secret: bytes, purpose: str, sent: KeyedRequest) -> None:
        """`secret`: the installation's; `purpose`: the use of the `Idempotency-Key`, such as "game" or "seat:" + a
        game's id.
        """
        parts = (purpose, sent.token or "", sent.key)
        message = b"".join(sha256(part.encode()).digest() for part in parts)
        self._root = hmac.digest(secret, message, "sha256")
        self._body = sent.body
        self.has_token = sent.token is not None

    @cached_property
    def game_id(self) -> str:
        """The id of the game that the request creates."""
        return access.game_id_from(self._derived("game"))

    def seat_token(self, game_id: str, seat: int) -> str:
        """The token of a seat that the request creates or takes."""
        drawn = urlsafe_b64encode(self._derived(f"token:{game_id}:{seat}")).rstrip(b"=").decode()
        return access.seat_token(game_id, seat, drawn)

    @cached_property
    def quick_match_ticket(self) -> str:
        """The secret of the quick-match ticket that the request gets: 32 bytes in base64url."""
        return urlsafe_b64encode(self._derived("quick-match")).rstrip(b"=").decode()

    @cached_property
    def creation(self) -> CommandId:
        """The identity of the request as the command that creates the game of this id."""
        return CommandId("create", self._fingerprint())

    def command(self, kind: str) -> CommandId:
        """The identity of the request as a command of this kind to a game."""
        return CommandId(f"{kind}:{short(self._derived('command'))}", self._fingerprint())

    def repeated_tokens(
        self, store: EventStore, game_id: str, seats: Iterable[int], done: int
    ) -> RepeatedTokens:
        """The tokens of seats that a repeat is still given, if the request was done with event `done` of the game.

        No token is given again that has been replaced since. A caller without a token shows only its `Idempotency-Key`.
        Once the seat has acted, that key is not enough: the player of the seat has got the answer.
        """
        current = store.secrets(game_id).tokens
        tokens = {seat: self.seat_token(game_id, seat) for seat in seats}
        void = {seat for seat, token in tokens.items() if current.get(seat) != access.hash_of(token)}
        moved = set[int]() if self.has_token else _that_moved(store, game_id, set(tokens) - void, done)
        return RepeatedTokens({s: token for s, token in tokens.items() if s not in void | moved}, void, moved)

    def _fingerprint(self) -> str:
        """Fingerprint of the body; keyed, so that nobody can try names and see whether they were in it."""
        body = orjson.dumps(self._body, option=orjson.OPT_SORT_KEYS)
        return short(hmac.digest(self._derived("body"), body, "sha256"))

    def _derived(self, what: str) -> bytes:
        return hmac.digest(self._root, what.encode(), "sha256")


def _that_moved(store: EventStore, game_id: str, seats: set[int], after: int) -> set[int]:
    """Those of the seats that have acted after that version; reads no more events than necessary."""
    waiting = set(seats)
    for page in pages(store, game_id, after=after) if waiting else ():
        waiting -= {event.seat for event in page}
        if not waiting:
            break
    return seats - waiting
