"""Ports of the use-cases of webhooks: stores of apps' logs and endpoints."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from events.features.signing_secrets import SigningSecret
from events.features.webhooks.deliveries import Delivery
from events.features.webhooks.event_types import LoggedMessage, Message
from events.features.webhooks.records import Endpoint


@dataclass(frozen=True, slots=True)
class LogPage:
    """Messages of a log, and the id after which reading goes on.

    `is_lost`: some that were asked for are gone. `is_end`: there were no more when it was read.
    """

    messages: list[LoggedMessage]
    next: str
    is_lost: bool = False
    is_end: bool = True


@dataclass(frozen=True, slots=True)
class ChangedEndpoint:
    """An endpoint that was changed, and is tried at once (`tries_now`), or for which something else waits."""

    app: str
    id: str
    tries_now: bool


@dataclass(frozen=True, slots=True)
class DoneJob:
    """A job of an app that is done at a time (ms), and is gone at another. `id`: of the note that says so."""

    id: str
    app: str
    job: str
    at: int
    expires_at: int


class Lease(Protocol):
    """One process's claim to deliver. Every method may raise StoreUnavailable; each is safe to be sent again."""

    def take(self) -> bool:
        """Take the lease, or renew it; False while another process has it."""

    def give_up(self) -> None:
        """Let another process have it at once."""


class AppLogStore(Protocol):
    """The logs of apps' messages. Every method may raise StoreUnavailable; each is safe to be sent again."""

    def active(self) -> set[str]:
        """The apps whose logs are kept."""

    def has_begun(self) -> bool:
        """True if anybody has ever asked for a log: until then nobody need read the feed for it."""

    def apps_of(self, game_ids: Sequence[str]) -> list[str | None]:
        """Apps of these games; None for a game that is gone."""

    def write(
        self, app: str, game_id: str, first: int, last: int, messages: Sequence[Message], *, settled: bool
    ) -> int | None:
        """Log the messages of the game's events `first` to `last`, unless that was done; None.

        Returns a number if the log ends at another version of the game: the version up to which it is complete. Then
        nothing was done. `settled`: no event follows.
        """

    def keep(self, app: str) -> None:
        """Let everything go into the app's log from now on."""

    def read(self, app: str, after: str | None, limit: int, types: Collection[str] | None = None) -> LogPage:
        """The messages of these types (None: all) among the first `limit` after an id, None being the end of the log.

        The log is kept from now on.
        """

    def wait(self, app: str, after: str, seconds: float) -> bool:
        """Wait until there is a message after that id, at most so long; whether there is one."""

    def drop_unused(self) -> None:
        """Forget old messages, and whole logs that nobody has asked for in a long time."""


class AttendanceStore(Protocol):
    """The apps that ask who is connected, and what their logs say of that. Every method may raise StoreUnavailable;
    each is safe to be sent again.
    """

    def ask(self, app: str) -> None:
        """Let the app's log say who is connected, for a day from now."""

    def asked(self) -> list[str]:
        """The apps that have asked within a day; what the logs of others say is forgotten."""

    def attendees(self, app: str) -> set[tuple[str, int]]:
        """The games and seats that are connected, as far as the app's log says."""

    def attend(
        self, app: str, game_id: str, seat: int, message: Message | None, *, is_connected: bool
    ) -> bool:
        """Log that a seat is connected or is no more, in silence if there is no message; False if the log says so."""


class EndpointStore(Protocol):
    """Endpoints and their deliveries. Every method may raise StoreUnavailable; each is safe to be sent again."""

    def add(self, new: Endpoint, secrets: Sequence[SigningSecret], start: str, most: int) -> bool:
        """Add an endpoint, which gets what follows `start` in its app's log; False where the app has `most` already."""

    def of_app(self, app: str) -> list[Endpoint]:
        """The app's endpoints."""

    def one_of_app(self, app: str, endpoint_id: str) -> Endpoint | None:
        """One of them; None if there is no such."""

    def sizes(self, endpoints: Sequence[Endpoint]) -> list[tuple[int, int]]:
        """The number of deliveries of each endpoint that wait, and of those that were given up."""

    def replace(self, known: Endpoint, changed: Endpoint) -> bool:
        """Replace the endpoint if it still is as it was known."""

    def remove(self, endpoint: Endpoint) -> bool:
        """Remove the endpoint with all that belongs to it; whether it was there."""

    def secrets(self, endpoint: Endpoint) -> list[SigningSecret]:
        """Its secrets, the newest first; those that no longer sign may be among them."""

    def replace_secrets(
        self, endpoint: Endpoint, known: Sequence[SigningSecret], new: Sequence[SigningSecret]
    ) -> bool:
        """Replace the secrets if they still are as they were known."""

    def enqueue(self, endpoint: Endpoint, delivery: Delivery, most: int) -> bool:
        """Have a delivery made; False where `most` wait already."""

    def deliveries(self, endpoint: Endpoint, *, dead: bool) -> list[Delivery]:
        """The deliveries that wait, or those that were given up, in no order."""

    def revive(self, endpoint: Endpoint, delivery: Delivery) -> bool:
        """Have a delivery made again that was given up; False if it is gone from there."""

    # For the process that sends

    def changed(self) -> list[ChangedEndpoint]:
        """The endpoints at which it is to look again; each is returned once."""

    def cursor(self, endpoint: Endpoint) -> str | None:
        """Up to where in the app's log the endpoint has taken its messages; None if there is no such endpoint."""

    def take(self, endpoint: Endpoint, cursor: str, then: str, deliveries: Sequence[Delivery]) -> bool:
        """Let the deliveries wait, taken from the log up to `then`; False if it was at another place than `cursor`."""

    def delivered(self, endpoint: Endpoint, delivery: Delivery) -> None:
        """The delivery has arrived."""

    def postponed(self, endpoint: Endpoint, delivery: Delivery) -> None:
        """The delivery is as it is now, and waits; nothing where it does not wait any more."""

    def give_up(
        self,
        endpoint: Endpoint,
        delivery: Delivery,
        most: int,
        *,
        was_tried: bool = True,
        is_kept: bool = True,
    ) -> None:
        """End the wait of a delivery, after a failed attempt or without one (`was_tried`); it is kept among the last
        `most` that were given up, if it is kept.
        """


class DoneJobs(Protocol):
    """Jobs of questions to bots that are done, and whose apps are not told yet. Every method may raise
    StoreUnavailable.
    """

    def fresh(self) -> list[DoneJob]:
        """The first of them."""

    def told(self, jobs: Sequence[DoneJob]) -> None:
        """The apps of these are told."""
