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

    `is_lost`: some of the requested messages are gone. `is_end`: there were no more when the log was read.
    """

    messages: list[LoggedMessage]
    next: str
    is_lost: bool = False
    is_end: bool = True


@dataclass(frozen=True, slots=True)
class ChangedEndpoint:
    """An endpoint that was changed, or for which a delivery waits; `tries_now`: its pauses end."""

    app: str
    id: str
    tries_now: bool


@dataclass(frozen=True, slots=True)
class DoneJob:
    """A job of an app: the times (ms) at which it was done and at which it will be gone. `id`: of the note that says
    so.
    """

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
        """Give the lease up, so that another process can have it immediately."""


class AppLogStore(Protocol):
    """The logs of apps' messages. Every method may raise StoreUnavailable; each is safe to be sent again."""

    def active(self) -> set[str]:
        """The apps whose logs are kept."""

    def has_begun(self) -> bool:
        """True if any app has ever asked for its log: until then the feed need not be read for logs."""

    def apps_of(self, game_ids: Sequence[str]) -> list[str | None]:
        """Apps of these games; None for a game that is gone."""

    def write(
        self, app: str, game_id: str, first: int, last: int, messages: Sequence[Message], *, settled: bool
    ) -> int | None:
        """Log the messages of the game's events `first` to `last`, unless that was done; returns None then.

        If the log ends at another version of the game, nothing is done, and the version up to which the log is complete
        is returned. `settled`: no event follows.
        """

    def keep(self, app: str) -> None:
        """Begin the app's log: from now on every message goes into it."""

    def read(self, app: str, after: str | None, limit: int, types: Collection[str] | None = None) -> LogPage:
        """The messages of these types (None: all) among the first `limit` after an id, None being the end of the log.

        The log is kept from now on.
        """

    def wait(self, app: str, after: str, seconds: float) -> bool:
        """Wait until there is a message after that id, for at most so many seconds. Returns True if there is one."""

    def drop_unused(self) -> None:
        """Remove old messages, and whole logs that no app has asked for in a long time."""


class AttendanceStore(Protocol):
    """The apps that ask who is connected, and the connections in their logs. Every method may raise StoreUnavailable;
    each is safe to be sent again.
    """

    def ask(self, app: str) -> None:
        """Log the connections of the app's games for a day from now."""

    def asked(self) -> list[str]:
        """The apps that have asked within a day; the connections of other apps are forgotten."""

    def attendees(self, app: str) -> set[tuple[str, int]]:
        """The games and seats that are connected according to the app's log."""

    def attend(
        self, app: str, game_id: str, seat: int, message: Message | None, *, is_connected: bool
    ) -> bool:
        """Log that a seat was connected or disconnected; without a `message` only the record changes. False if the log
        already says so.
        """


class EndpointStore(Protocol):
    """Endpoints and their deliveries. Every method may raise StoreUnavailable; each is safe to be sent again."""

    def add(self, new: Endpoint, secrets: Sequence[SigningSecret], start: str, most: int) -> bool:
        """Add an endpoint, which gets the messages after `start` in its app's log; False if the app has
        `most` already.
        """

    def of_app(self, app: str) -> list[Endpoint]:
        """The app's endpoints."""

    def one_of_app(self, app: str, endpoint_id: str) -> Endpoint | None:
        """The app's endpoint of that id; None if there is none."""

    def sizes(self, endpoints: Sequence[Endpoint]) -> list[tuple[int, int]]:
        """For each endpoint, the numbers of deliveries that wait and that were given up."""

    def replace(self, known: Endpoint, changed: Endpoint) -> bool:
        """Replace the endpoint if it is still the `known` one."""

    def remove(self, endpoint: Endpoint) -> bool:
        """Remove the endpoint with all that belongs to it. Returns True if it was there."""

    def secrets(self, endpoint: Endpoint) -> list[SigningSecret]:
        """The endpoint's secrets, newest first; some may no longer sign."""

    def replace_secrets(
        self, endpoint: Endpoint, known: Sequence[SigningSecret], new: Sequence[SigningSecret]
    ) -> bool:
        """Replace the secrets if they are still the `known` ones."""

    def enqueue(self, endpoint: Endpoint, delivery: Delivery, most: int) -> bool:
        """Add a delivery; False if `most` wait already."""

    def deliveries(self, endpoint: Endpoint, *, dead: bool) -> list[Delivery]:
        """The deliveries that wait, or those that were given up, in any order."""

    def revive(self, endpoint: Endpoint, delivery: Delivery) -> bool:
        """Let a delivery that was given up wait again; False if it is gone."""

    # Methods for the process that sends

    def changed(self) -> list[ChangedEndpoint]:
        """The endpoints at which the sender must look again; each is returned once."""

    def cursor(self, endpoint: Endpoint) -> str | None:
        """The cursor up to which the endpoint has taken messages from the app's log; None if there is no
        such endpoint.
        """

    def take(self, endpoint: Endpoint, cursor: str, then: str, deliveries: Sequence[Delivery]) -> bool:
        """Store the deliveries, taken from the log up to `then`; False if the endpoint's cursor was not `cursor`."""

    def delivered(self, endpoint: Endpoint, delivery: Delivery) -> None:
        """Remove a delivery that has arrived."""

    def postponed(self, endpoint: Endpoint, delivery: Delivery) -> None:
        """Store the delivery as it is after an attempt; nothing is done if it no longer waits."""

    def give_up(
        self,
        endpoint: Endpoint,
        delivery: Delivery,
        most: int,
        *,
        was_tried: bool = True,
        is_kept: bool = True,
    ) -> None:
        """End the wait of a delivery, after a failed attempt or without one (`was_tried`). If it `is_kept`, it joins
        the last `most` deliveries that were given up.
        """


class DoneJobs(Protocol):
    """Jobs of questions to bots that are done, and of which their apps have not been told. Every method may raise
    StoreUnavailable.
    """

    def fresh(self) -> list[DoneJob]:
        """The oldest of these jobs."""

    def told(self, jobs: Sequence[DoneJob]) -> None:
        """Remove these jobs: their apps have been told."""
