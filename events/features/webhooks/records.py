"""Records of an endpoint, and of the secrets that prove the sender to its receiver."""

from dataclasses import dataclass, field
from typing import Final

from domain.lifecycle import Json
from events.features.webhooks.event_types import ATTENDANCE, USUAL

BY_APP: Final = "app"  # why an endpoint is disabled: the app wants it so,
GONE: Final = "gone"  # the receiver has answered 410,
NO_SEAT: Final = "seat"  # or the token of the seat that it is tied to is good no more


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
        """True if messages of that type about that game go there."""
        return kind in (self.types or USUAL) and self.game_id in (None, game_id)

    @property
    def attends(self) -> bool:
        """True if it is told who is connected."""
        return not ATTENDANCE.isdisjoint(self.types)


def endpoint_record(endpoint: Endpoint) -> Json:
    """Record of an endpoint; its secrets are kept apart."""
    return {
        name: getattr(endpoint, name) for name in Endpoint.__dataclass_fields__ if name not in ("id", "app")
    }


def endpoint_of(app: str, endpoint_id: str, record: Json) -> Endpoint:
    """The endpoint that was kept so."""
    return Endpoint(id=endpoint_id, app=app, **{**record, "types": tuple(record["types"])})
