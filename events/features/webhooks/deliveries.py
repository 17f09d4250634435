"""Deliveries: a message on its way to one endpoint, until it has arrived or is given up."""

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from domain.lifecycle import Json
from events.features.webhooks.event_types import CHOICE_DONE, PING, LoggedMessage, Message, number_of
from events.times import milliseconds_of, timestamp

FIRST_PAUSE: Final = 5.0  # seconds after the first failure; twice as long after each further one
LONGEST_PAUSE: Final = 3_600.0
JITTER: Final = 0.2  # of a pause, more or less
FURTHEST: Final = LONGEST_PAUSE * (1 + JITTER) + 1.0  # seconds to an attempt, unless the clock was set back
GIVEN_UP: Final = 86_400.0  # seconds after the event, or after it was sent again, that a delivery is tried
WAITING: Final = 1_000  # deliveries of an endpoint that are taken from its app's log; the others wait there
DEAD: Final = 1_000  # deliveries of an endpoint that were given up and are kept


@dataclass(frozen=True, slots=True)
class Delivery:
    """A message for an endpoint. `begun` and `next` are Unix times: since when it is due, and of the next attempt.

    `error` says how the last attempt failed, `status` is the receiver's answer, if there was one.
    """

    logged: LoggedMessage
    begun: float
    attempts: int = 0
    next: float = 0.0
    status: int | None = None
    error: str | None = None

    @property
    def id(self) -> str:
        """The message's id, which all its attempts have."""
        return self.logged.id

    @property
    def order(self) -> tuple[int, int]:
        """Its place among the deliveries of its lane."""
        return number_of(self.id) if self.logged.message.game_id else (int(self.begun * 1000), 0)

    @property
    def lane(self) -> str:
        """Deliveries of a lane follow one another: those of a game."""
        return self.logged.message.game_id or self.id

    @property
    def is_ping(self) -> bool:
        """True if it is a ping, which is tried once."""
        return self.logged.message.type == PING

    def is_void(self, now: float) -> bool:
        """True if it is about a job that is gone with its answer: it is not sent any more, nor kept."""
        message = self.logged.message
        return message.type == CHOICE_DONE and 1000 * now >= milliseconds_of(message.data["expires_at"])

    def failed(self, status: int | None, error: str, now: float, pause: float) -> "Delivery":
        """The same after an attempt that has failed; the next one is due after a pause, in seconds."""
        begun = min(self.begun, now)  # by a clock that was set back it is not due for longer than any other
        return replace(
            self, begun=begun, attempts=self.attempts + 1, next=now + pause, status=status, error=error
        )

    def moved(self, seconds: float) -> "Delivery":
        """The same by a clock that was set by so many seconds."""
        return replace(self, begun=self.begun + seconds, next=self.next + seconds if self.next else 0.0)

    def is_given_up(self, now: float) -> bool:
        """True if there is no further attempt after one that has failed."""
        return self.is_ping or self.is_void(now) or now >= self.begun + GIVEN_UP

    def afresh(self, now: datetime) -> "Delivery":
        """The same as if it had never been tried."""
        return replace(self, begun=now.timestamp(), attempts=0, next=0.0)

    def record(self) -> Json:
        """Its record."""
        message = self.logged.message
        return {
            "type": message.type,
            "at": message.at,
            "game_id": message.game_id,
            "version": message.version,
            "data": message.data,
            "begun": self.begun,
            "attempts": self.attempts,
            "next": self.next,
            "status": self.status,
            "error": self.error,
        }


def delivery_of(delivery_id: str, record: Json) -> Delivery:
    """The delivery that was kept so."""
    message = Message(record["type"], record["at"], record["game_id"], record["version"], record["data"])
    rest = (record[name] for name in ("begun", "attempts", "next", "status", "error"))
    return Delivery(LoggedMessage(delivery_id, message), *rest)


def of_message(logged: LoggedMessage) -> Delivery:
    """A message's delivery; it is due since the message was logged."""
    return Delivery(logged, number_of(logged.id)[0] / 1000)


def ping(delivery_id: str, now: datetime) -> Delivery:
    """A delivery that says nothing."""
    return Delivery(LoggedMessage(delivery_id, Message(PING, timestamp(now), "", 0, {})), now.timestamp())


def seconds_until(attempt: float, now: float) -> float:
    """Seconds until an attempt is due. It is if it lies further away than any pause is long: the clock was set back."""
    left = attempt - now
    return left if 0.0 < left <= FURTHEST else 0.0


def pause_after(
    failures: int,
    chance: Callable[[], float] = random.random,
    first: float = FIRST_PAUSE,
    longest: float = LONGEST_PAUSE,
) -> float:
    """Seconds until the next attempt, after so many failures in a row."""
    usual = min(first * 2.0 ** min(failures - 1, 20), longest)
    return usual * (1 - JITTER + 2 * JITTER * chance())
