"""Deliveries of an endpoint that may be attempted now. The module is pure: its callers give it times and pauses.

The deliveries of a game form a lane: one is attempted once the one before it has arrived or is given up. A receiver
that cannot be reached is tried by one delivery at a time, with growing pauses; once it answers, all go on. A receiver
that refuses one delivery holds up that game alone. A ping waits for no pause: its sender wants to know now.
"""

from bisect import insort
from collections.abc import Callable, Iterable
from dataclasses import replace
from operator import attrgetter
from typing import Final

from events.features.webhooks.deliveries import GIVEN_UP, Delivery, pause_after, seconds_until

AT_ONCE: Final = 8  # attempts at one endpoint at the same time
ORDER: Final = attrgetter("order")


class Outbox:
    """An endpoint's waiting deliveries."""

    def __init__(self, pause: Callable[[int], float] = pause_after) -> None:
        """`pause`: seconds until the next attempt, after so many failures in a row."""
        self._pause = pause
        self._lanes = dict[str, list[Delivery]]()
        self._ids = set[str]()
        self._under_way = dict[str, bool]()  # by lane: whether the attempt is a ping
        self._failures = 0
        self._hold = 0.0  # until then the receiver is left alone, except by pings
        self._rest = 0.0  # until then no attempt begins at all

    def __len__(self) -> int:
        return len(self._ids)

    @property
    def is_down(self) -> bool:
        """True if the receiver could not be reached the last time."""
        return self._failures > 0

    def add(self, deliveries: Iterable[Delivery]) -> None:
        """Add deliveries; those that wait already stay as they are."""
        for delivery in deliveries:
            if delivery.id not in self._ids:
                self._ids.add(delivery.id)
                insort(self._lanes.setdefault(delivery.lane, []), delivery, key=ORDER)

    def ready(self, now: float) -> list[Delivery]:
        """Deliveries that may be attempted now, the oldest first."""
        found = sorted((head for head in self._heads() if self.seconds_until(head, now) <= 0.0), key=ORDER)
        if not self.is_down:
            return found[: max(0, AT_ONCE - len(self._under_way))]
        busy = {*self._under_way.values()}
        ones = [next((one for one in found if one.is_ping is kind), None) for kind in {False, True} - busy]
        return sorted((one for one in ones if one is not None), key=ORDER)

    def due_in(self, now: float) -> float:
        """Seconds until something can be attempted or given up, if nothing else happens."""
        return min((self.seconds_until(head, now) for head in self._heads()), default=float("inf"))

    def begin(self, delivery: Delivery) -> None:
        """Record that the delivery's attempt is under way."""
        self._under_way[delivery.lane] = delivery.is_ping

    def interrupted(self, delivery: Delivery, now: float, pause: float) -> None:
        """Record that the outcome of the attempt is unknown; the next attempt is made after a pause."""
        self._under_way.pop(delivery.lane, None)
        self._rest = now + pause

    def try_now(self) -> None:
        """End all pauses, because somebody waits for the outcome."""
        self._hold = 0.0
        for lane in self._lanes.values():
            lane[:] = [replace(one, next=0.0) for one in lane]

    def clock_was_set(self, seconds: float) -> None:
        """Move the times of all deliveries by the seconds by which the clock was set, so that each waits for its whole
        pause.
        """
        self._hold += seconds
        self._rest += seconds
        for lane in self._lanes.values():
            lane[:] = [one.moved(seconds) for one in lane]

    def arrived(self, delivery: Delivery) -> None:
        """Record that the receiver has the delivery, and can be reached."""
        self._reached()
        self._remove(delivery)

    def refused(self, delivery: Delivery, status: int, error: str, now: float) -> Delivery:
        """Record that the receiver can be reached but refuses the delivery. Returns the delivery after that."""
        self._reached()
        return self._failed(delivery, status, error, now, self._pause(delivery.attempts + 1))

    def unreachable(
        self, delivery: Delivery, status: int | None, error: str, now: float, least: float = 0.0
    ) -> Delivery:
        """Record that the receiver cannot be reached, and asks for a pause of `least` seconds. Returns the delivery
        after that.

        A ping neither ends a pause nor restarts one, so pings, however many, do not delay other deliveries.
        """
        if not (delivery.is_ping and self.is_down):
            self._failures += 1
            self._hold = now + max(least, self._pause(self._failures))
        return self._failed(delivery, status, error, now, 0.0)

    def outdated(self, now: float) -> list[Delivery]:
        """Deliveries to be given up without another attempt: void ones, and old ones of a receiver that cannot be
        reached.
        """
        return [
            delivery
            for lane, deliveries in self._lanes.items()
            if lane not in self._under_way
            for delivery in deliveries
            if delivery.is_void(now) or (self.is_down and now >= delivery.begun + GIVEN_UP)
        ]

    def stuck(self) -> Delivery | None:
        """The oldest refused delivery, if the receiver accepts others."""
        refused = [head for head in self._heads() if head.attempts]
        return None if self.is_down else min(refused, key=ORDER, default=None)

    def give_up(self, delivery: Delivery) -> None:
        """Remove a delivery from those that wait."""
        self._remove(delivery)

    def oldest(self) -> float | None:
        """The time since which the oldest delivery waits; None if none does."""
        return min((lane[0].begun for lane in self._lanes.values()), default=None)

    def _heads(self) -> Iterable[Delivery]:
        return (lane[0] for key, lane in self._lanes.items() if key not in self._under_way)

    def seconds_until(self, head: Delivery, now: float) -> float:
        """Seconds until the first delivery of a lane may be attempted."""
        times = (self._rest, head.next) if head.is_ping else (self._rest, head.next, self._hold)
        return max(seconds_until(time, now) for time in times)

    def _reached(self) -> None:
        self._failures, self._hold = 0, 0.0

    def _failed(
        self, delivery: Delivery, status: int | None, error: str, now: float, pause: float
    ) -> Delivery:
        self._under_way.pop(delivery.lane, None)
        lane = self._lanes.get(delivery.lane, [])
        known = next((one for one in lane if one.id == delivery.id), delivery)
        after = known.failed(status, error, now, pause)
        lane[:] = [after if one.id == delivery.id else one for one in lane]
        return after

    def _remove(self, delivery: Delivery) -> None:
        self._under_way.pop(delivery.lane, None)
        self._ids.discard(delivery.id)
        lane = [one for one in self._lanes.get(delivery.lane, []) if one.id != delivery.id]
        if lane:
            self._lanes[delivery.lane] = lane
        else:
            self._lanes.pop(delivery.lane, None)
