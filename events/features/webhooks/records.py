"""Records of endpoints."""

from dataclasses import dataclass, field
from typing import Final

from domain.lifecycle import Json
from events.features.webhooks.event_types import ATTENDANCE, USUAL

BY_APP: Final = "app"  # why an endpoint is disabled: its app disabled it
GONE: Final = "gone"  # why an endpoint is disabled: its receiver answered 410
NO_SEAT: Final = "seat"  # why an endpoint is disabled: the token of its seat is no longer valid


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An endpoint. `types`: () for the usual ones. `game_id`: messages of this game alone; `seat`: as it sees the game.

    `token_hash` is that of the seat's token; `disabled` says why nothing is sent, None if the endpoint is in use.
    """

    id: str
    app: str
    url: str
    types: tuple[str, ...]
    description: str
    created_at: str
    game_id: str | None = None
    seat: int | None = None
    token_hash: str | None = field(default=None, repr=False)
    disabled: str | None = None

    def wants(self, kind: str, game_id: str) -> bool:
        """True if the endpoint gets messages of that type about that game."""
        return kind in (self.types or USUAL) and self.game_id in (None, game_id)

    @property
    def attends(self) -> bool:
        """True if the endpoint gets connections and disconnections."""
        return not ATTENDANCE.isdisjoint(self.types)


def endpoint_record(endpoint: Endpoint) -> Json:
    """Record of an endpoint, without its secrets, which are stored apart."""
    return {
        name: getattr(endpoint, name) for name in Endpoint.__dataclass_fields__ if name not in ("id", "app")
    }


def endpoint_of(app: str, endpoint_id: str, record: Json) -> Endpoint:
    """The endpoint from its stored record."""
    return Endpoint(id=endpoint_id, app=app, **{**record, "types": tuple(record["types"])})
