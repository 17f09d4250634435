# compiled into recording
"""Secrets of a game: kept beside its events, and never shown."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from events.log.signing import SignedHead

OF_A_SEAT: Final = (
    "-"  # the app of games that a seat has made for itself: none, for no app can have this name
)
OPEN: Final = "open"  # the `joining` of a game that says nothing else


@dataclass(frozen=True, slots=True)
class Remote:
    """Address of a seat's bot, and the secret that signs its questions; neither is ever shown or logged.

    `more`: former secrets that sign as well. An app's bot by name has an empty secret here: its secret can be replaced,
    so it is looked up for each question.
    """

    url: str = field(repr=False)
    secret: str = field(repr=False)
    more: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Secrets:
    """A game's seed, its app, and the holders of its seats.

    `tokens` maps a seat to the SHA-256 (hex) of its token, `remotes` a remote seat to where its bot is; `seed` is 32
    bytes, `created_at` RFC 3339 UTC. `signature` is of the final head, and no secret. Nor is `rematch_of`, the id of
    the first game if this one is a rematch. `visibility` says who may watch, `joining` who may take an open seat (see
    `events.engine.access`). `first_origin` of a game that a seat has made for itself is the game that it goes back to,
    over however many forks and rematches; None for any other game.
    """

    seed: bytes
    app: str
    visibility: str
    game: str
    created_at: str
    tokens: Mapping[int, str] = field(default_factory=dict)
    remotes: Mapping[int, Remote] = field(default_factory=dict)
    signature: SignedHead | None = None
    rematch_of: str | None = None
    joining: str = OPEN
    first_origin: str | None = None

    def with_tokens(self, taken: Mapping[int, str]) -> "Secrets":
        """These secrets with the tokens of seats that were taken, too."""
        return replace(self, tokens={**self.tokens, **taken})
