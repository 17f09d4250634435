"""Who asks, and what that caller may do: app keys, seat tokens, visibility."""

import re
import secrets as randomness
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from hmac import compare_digest

from domain.lifecycle import Viewer
from domain.value import Value
from events.errors import Forbidden, Unauthorized
from events.log.game_secrets import Secrets

OF_A_SEAT = "-"  # the app of games that a seat has made for itself: none, for no app can have this name
ANONYMOUS = "anonymous"  # the app that everybody is where no app keys are configured
SEAT_TOKEN = re.compile(r"mg_([0-9A-Za-z]{22})_([0-9]{1,2})_([0-9A-Za-z_-]{43})")
ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


class Caller(Value):
    """A caller: "app" (with its name), "seat" (of one game), "anonymous", a spectator, or "foreign".

    A foreign one is a spectator who is no app either where no app keys are configured. `token_hash` is that of the
    seat's token, which may be issued anew at any time: it is no part of who calls.
    """

    __match_args__ = ("kind", "app", "seat", "game_id")

    def __init__(
        self,
        kind: str,
        app: str | None = None,
        seat: int | None = None,
        game_id: str | None = None,
        token_hash: str | None = None,
    ) -> None:
        self.kind = kind
        self.app = app
        self.seat = seat
        self.game_id = game_id
        self.token_hash = token_hash

    @property
    def viewer(self) -> Viewer:
        """The viewer that this caller is: an app sees what a spectator sees."""
        return self.seat


@dataclass(frozen=True, slots=True)
class SeatToken:
    """A seat token as it claims to be; `secret_hash` is what the game must know of it."""

    game_id: str
    seat: int
    secret_hash: str


STRANGER = Caller("anonymous")
FOREIGN = Caller("foreign")


def new_game_id() -> str:
    """22 random letters and digits: about 131 bits."""
    return game_id_from(randomness.token_bytes(32))


def game_id_from(drawn: bytes) -> str:
    """The game id that 32 random bytes come to."""
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
    """What is kept of a token: its SHA-256, in hex."""
    return sha256(token.encode()).hexdigest()


def read_seat_token(token: str) -> SeatToken | None:
    """What a seat token claims; None if it has not the form of one."""
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
    """Whether a token of that hash plays the seat; None is nobody in particular, who was let in before."""
    if token_hash is None or seat is None:
        return True
    return compare_digest(secrets.tokens.get(seat, ""), token_hash)


def app_with_key(key: str, app_keys: Mapping[str, str]) -> Caller:
    """The app whose key this is, or Unauthorized; every key is compared, so the time taken says nothing."""
    digest = hash_of(key)
    found = [name for name, known in app_keys.items() if compare_digest(known, digest)]
    if not found:
        raise Unauthorized("This token is not known.")
    return Caller("app", app=found[0])


def acting_app(caller: Caller, app_keys: Mapping[str, str]) -> str:
    """The app that creates and lists games for this caller; refuses seats, and strangers where there are keys."""
    if caller.kind == "seat":
        raise Forbidden("A seat token is for playing its seat; this needs an app key.")
    if caller.app is not None:
        return caller.app
    if app_keys or caller.kind == "foreign":
        raise Unauthorized("This needs an app key: Authorization: Bearer KEY.")
    return ANONYMOUS


def may_watch(caller: Caller, secrets: Secrets, app_keys: Mapping[str, str]) -> bool:
    """Whether this caller may know of the game; a seat's token was checked against the game before.

    A private game of which nobody holds a token (bots among themselves) is its app's to watch, and where no app keys
    are configured everybody who knows its id is its app.
    """
    return (
        secrets.visibility == "public"
        or caller.kind == "seat"
        or (caller.kind == "app" and caller.app == secrets.app)
        or (not secrets.tokens and _is_keyless_app(caller, secrets, app_keys))
    )


def is_app_of(caller: Caller, secrets: Secrets, app_keys: Mapping[str, str]) -> bool:
    """Whether this caller is the game's own app, whose word for who its players are is taken."""
    return (caller.kind == "app" and caller.app == secrets.app) or _is_keyless_app(caller, secrets, app_keys)


def may_sit_down(caller: Caller, secrets: Secrets, app_keys: Mapping[str, str], waiting: bool) -> bool:
    """Whether this caller may take an open seat: whoever may watch, and the app of a game that waits for players."""
    return may_watch(caller, secrets, app_keys) or (waiting and _is_keyless_app(caller, secrets, app_keys))


def _is_keyless_app(caller: Caller, secrets: Secrets, app_keys: Mapping[str, str]) -> bool:
    return caller.kind == "anonymous" and not app_keys and secrets.app == ANONYMOUS
