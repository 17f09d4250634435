"""Deliveries: a message on its way to one endpoint, until it has arrived or is given up."""

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from domain.lifecycle import Json
from events.features.webhooks.event_types import CHOICE_DONE, PING, LoggedMessage, Message, number_of
from events.times import milliseconds_of, timestamp

FIRST_PAUSE: Final = 5.0  # seconds after the first failure; each further pause is twice as long
LONGEST_PAUSE: Final = 3_600.0
JITTER: Final = 0.2  # the part by which a pause varies at random
# the most seconds until an attempt, unless the clock was set back
FURTHEST: Final = LONGEST_PAUSE * (1 + JITTER) + 1.0
# seconds after the event, or after it was sent again, for which a delivery is tried
GIVEN_UP: Final = 86_400.0
# deliveries of an endpoint that are taken from its app's log; further ones stay in the log
WAITING: Final = 1_000
DEAD: Final = 1_000  # deliveries of an endpoint that were given up and are kept


@dataclass(frozen=True, slots=True)
class Delivery:
    """A message for an endpoint. `begun` and `next` are Unix times: since when it is due, and the time of the next
    attempt.

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
        """The message's id, the same in all its attempts."""
        return self.logged.id

    @property
    def order(self) -> tuple[int, int]:
        """The delivery's place among those of its lane."""
        return number_of(self.id) if self.logged.message.game_id else (int(self.begun * 1000), 0)

    @property
    def lane(self) -> str:
        """The delivery's lane, its game: deliveries of one lane are sent one after another."""
        return self.logged.message.game_id or self.id

    @property
    def is_ping(self) -> bool:
        """True if it is a ping, which is tried once."""
        return self.logged.message.type == PING

    def is_void(self, now: float) -> bool:
        """True if it is about a job that is gone with its answer: it is neither sent nor kept any more."""
        message = self.logged.message
        return message.type == CHOICE_DONE and 1000 * now >= milliseconds_of(message.data["expires_at"])

    def failed(self, status: int | None, error: str, now: float, pause: float) -> "Delivery":
        """The delivery after a failed attempt; the next one is due after a pause, in seconds."""
        # when a clock was set back, it must not be due for longer than any other
        begun = min(self.begun, now)
        return replace(
            self, begun=begun, attempts=self.attempts + 1, next=now + pause, status=status, error=error
        )

    def moved(self, seconds: float) -> "Delivery":
        """The delivery with its times moved by the seconds by which the clock was set."""
        return replace(self, begun=self.begun + seconds, next=self.next + seconds if self.next else 0.0)

    def is_given_up(self, now: float) -> bool:
        """True if there is no further attempt after one that has failed."""
        return self.is_ping or self.is_void(now) or now >= self.begun + GIVEN_UP

    def afresh(self, now: datetime) -> "Delivery":
        """The delivery as if it had never been tried."""
        return replace(self, begun=now.timestamp(), attempts=0, next=0.0)

    def record(self) -> Json:
        """The delivery as a record."""
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
    """The delivery from its stored record."""
    message = Message(record["type"], record["at"], record["game_id"], record["version"], record["data"])
    rest = (record[name] for name in ("begun", "attempts", "next", "status", "error"))
    return Delivery(LoggedMessage(delivery_id, message), *rest)


def of_message(logged: LoggedMessage) -> Delivery:
    """The delivery of a message, which is due since the message was logged."""
    return Delivery(logged, number_of(logged.id)[0] / 1000)


def ping(delivery_id: str, now: datetime) -> Delivery:
    """A delivery without news."""
    return Delivery(LoggedMessage(delivery_id, Message(PING, timestamp(now), "", 0, {})), now.timestamp())


def seconds_until(attempt: float, now: float) -> float:
    """Seconds until an attempt is due. An attempt further away than any pause is due now: the clock was set back."""
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
