# compiled into serving
"""Callers and their rights: app keys, seat tokens, visibility."""

import re
import secrets as randomness
from dataclasses import dataclass
from hashlib import sha256
from hmac import compare_digest

from domain.lifecycle import Viewer
from domain.value import Value
from events.errors import Forbidden, GameNotFound, Unauthorized
from events.features.apps.keys import AppKeys
from events.features.apps.scopes import NO_SCOPES, USUAL
from events.log.game_secrets import OF_A_SEAT as OF_A_SEAT  # noqa: PLC0414 (it is about access, too)
from events.log.game_secrets import Secrets

BY_INVITE = "invite"  # a value of `joining`: open seats are taken with an invite only
BY_APP = "app"  # a value of `joining`: the app alone seats people
NO_TOKEN = ""  # stands for the hash of a void token: no token has this hash, so nobody holds the seat
ANONYMOUS = "anonymous"  # the app of every caller if there are no app keys
GAME_ID = re.compile(r"[0-9A-Za-z]{22}")
SEAT_TOKEN = re.compile(r"mg_([0-9A-Za-z]{22})_([0-9]{1,2})_([0-9A-Za-z_-]{43})")
ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


class Caller(Value):
    """A caller: "app" (with its name), "seat" (of one game), "anonymous", a spectator, or "foreign".

    A "foreign" caller is a spectator whose page, on another site, may not act as an app. `token_hash` is that of the
    seat's token. Callers are compared without it, because the token may be issued anew at any time; and without what
    belongs to an app's key and may be revoked at any time: `scopes` (what the key may do), `key_id` and its
    `token_hash`.
    """

    __match_args__ = ("kind", "app", "seat", "game_id")

    def __init__(
        self,
        kind: str,
        app: str | None = None,
        seat: int | None = None,
        game_id: str | None = None,
        token_hash: str | None = None,
        scopes: frozenset[str] | None = None,
        key_id: str | None = None,
    ) -> None:
        """`scopes`: what an app may do; by default everything but to administer apps."""
        if scopes is None:
            scopes = USUAL if kind == "app" else NO_SCOPES
        self.kind = kind
        self.app = app
        self.seat = seat
        self.game_id = game_id
        self.token_hash = token_hash
        self.scopes = scopes
        self.key_id = key_id

    @property
    def viewer(self) -> Viewer:
        """The viewer that this caller is: an app sees what a spectator sees."""
        return self.seat


@dataclass(frozen=True, slots=True)
class SeatToken:
    """A seat token as it claims to be; the game keeps its `secret_hash`."""

    game_id: str
    seat: int
    secret_hash: str


STRANGER = Caller("anonymous")
FOREIGN = Caller("foreign")


def is_for_its_seats_alone(secrets: Secrets) -> bool:
    """True for a private game of ANONYMOUS, every caller's app: only its seats may see its log and listing."""
    return secrets.app == ANONYMOUS and secrets.visibility != "public" and any(secrets.tokens.values())


def new_game_id() -> str:
    """22 random letters and digits: about 131 bits."""
    return game_id_from(randomness.token_bytes(32))


def game_id_from(drawn: bytes) -> str:
    """The game id made from 32 random bytes."""
    number, letters = int.from_bytes(drawn, "big"), ""
    for _ in range(22):
        number, letter = divmod(number, len(ALPHABET))
        letters += ALPHABET[letter]
    return letters


def new_seat_token(game_id: str, seat: int) -> str:
    """A token good for one seat of one game; only its hash is kept."""
    return seat_token(game_id, seat, randomness.token_urlsafe(32))


def seat_token(game_id: str, seat: int, drawn: str) -> str:
    """The seat token with what was `drawn` for it: 32 random bytes in base64url."""
    return f"mg_{game_id}_{seat}_{drawn}"


def hash_of(token: str) -> str:
    """Stored form of a token: its SHA-256, in hex."""
    return sha256(token.encode()).hexdigest()


def read_seat_token(token: str) -> SeatToken | None:
    """Claim of a seat token; None if it has not the form of one."""
    match = SEAT_TOKEN.fullmatch(token)
    return SeatToken(match[1], int(match[2]), hash_of(token)) if match else None


def seat_of(secrets: Secrets, token_hash: str) -> int | None:
    """The seat that a token of that hash plays; None if it plays none.

    A token names its game and seat, so no other game's or seat's token has its hash.
    """
    for seat, known in secrets.tokens.items():
        if compare_digest(known, token_hash):
            return seat
    return None


def is_held_by(secrets: Secrets, seat: int | None, token_hash: str | None) -> bool:
    """True if a token of that hash plays the seat, or if the hash is None: the caller without a token was let in
    before.
    """
    if token_hash is None or seat is None:
        return True
    return compare_digest(secrets.tokens.get(seat, ""), token_hash)


def app_with_key(key: str, app_keys: AppKeys) -> Caller:
    """The app that has this key. Raises Unauthorized, StoreUnavailable. The time that this takes reveals nothing about
    other keys.
    """
    known = app_keys.known(key)
    return Caller("app", known.app, token_hash=known.digest, scopes=known.scopes, key_id=known.id)


def acting_app(caller: Caller, app_keys: AppKeys) -> str:
    """The app for which this caller creates and lists games. Refuses seats, and where there are app keys, callers
    without one.
    """
    if caller.kind == "seat":
        raise Forbidden("A seat token is for playing its seat; this needs an app key.")
    if caller.app is not None:
        return caller.app
    if caller.kind == "foreign" or app_keys.exist():
        raise Unauthorized("This needs an app key: Authorization: Bearer KEY.")
    return ANONYMOUS


def may_watch(caller: Caller, secrets: Secrets, app_keys: AppKeys) -> bool:
    """True if this caller may know of the game; a seat's token was checked against the game before.

    A private game without tokens (bots among themselves) may be watched by its app. Without app keys everybody who
    knows the game's id is its app.
    """
    return (
        secrets.visibility == "public"
        or caller.kind == "seat"
        or (caller.kind == "app" and caller.app == secrets.app)
        or (not any(secrets.tokens.values()) and _is_keyless_app(caller, secrets, app_keys))
    )


def is_app_of(caller: Caller, secrets: Secrets, app_keys: AppKeys) -> bool:
    """True if this caller is the game's own app, which vouches for its players."""
    return (caller.kind == "app" and caller.app == secrets.app) or _is_keyless_app(caller, secrets, app_keys)


def may_see_ratings(caller: Caller, secrets: Secrets, app_keys: AppKeys) -> bool:
    """True if this caller, who may watch the game, may see its players' ratings: the players' own app may, and without
    app keys everybody.
    """
    is_own = caller.kind == "app" and caller.app == secrets.app
    return is_own or (secrets.app == ANONYMOUS and not app_keys.exist())


def require_app_of(caller: Caller, game_id: str, secrets: Secrets, app_keys: AppKeys) -> None:
    """Raise GameNotFound for a caller who may not know of the game, Forbidden for any other that is not the game's own
    app.
    """
    if is_app_of(caller, secrets, app_keys):
        return
    if not may_watch(caller, secrets, app_keys):
        raise GameNotFound(game_id)
    raise Forbidden("Only the game's own app may do this.")


def may_sit_down(caller: Caller, secrets: Secrets, app_keys: AppKeys, waiting: bool) -> bool:
    """True if this caller may take an open seat: everybody who may watch may, and so may the app of a game that waits
    for players.
    """
    return may_watch(caller, secrets, app_keys) or (waiting and _is_keyless_app(caller, secrets, app_keys))


def require_may_join(caller: Caller, secrets: Secrets, app_keys: AppKeys) -> None:
    """Raise Forbidden for a caller without an invite who may know of the open seat, but may not take it."""
    if secrets.joining == BY_INVITE:
        raise Forbidden("This game is joined by invite: send `invite`.")
    if secrets.joining == BY_APP and not is_app_of(caller, secrets, app_keys):
        raise Forbidden("Only the game's own app seats people in this game.")


def require_host_of(caller: Caller, game_id: str, secrets: Secrets, app_keys: AppKeys) -> None:
    """Raise GameNotFound or Forbidden unless the caller may invite others to the game: its own app may.

    Without app keys the player of one of its seats may, and anybody while no seat has a player.
    """
    if caller.kind == "app" and caller.app == secrets.app:
        return
    keyless = secrets.app == ANONYMOUS and not app_keys.exist()
    if keyless and (
        caller.kind == "seat" or (caller.kind == "anonymous" and not any(secrets.tokens.values()))
    ):
        return
    if not may_watch(caller, secrets, app_keys):
        raise GameNotFound(game_id)
    raise Forbidden(
        "Without app keys, only who plays one of the game's seats may do this."
        if keyless
        else "Only the game's own app may do this."
    )


def _is_keyless_app(caller: Caller, secrets: Secrets, app_keys: AppKeys) -> bool:
    return caller.kind == "anonymous" and secrets.app == ANONYMOUS and not app_keys.exist()
