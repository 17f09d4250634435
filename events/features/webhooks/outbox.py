"""Deliveries of an endpoint that may be attempted now: pure, with times and pauses handed in.

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

AT_ONCE: Final = 8  # attempts at one endpoint
ORDER: Final = attrgetter("order")


class Outbox:
    """An endpoint's deliveries that wait."""

    def __init__(self, pause: Callable[[int], float] = pause_after) -> None:
        """`pause`: seconds until the next attempt, after so many failures in a row."""
        self._pause = pause
        self._lanes = dict[str, list[Delivery]]()
        self._ids = set[str]()
        self._under_way = dict[str, bool]()  # by lane, whether it is a ping
        self._failures = 0
        self._hold = 0.0  # until when the receiver is left alone,
        self._rest = 0.0  # and until when nothing at all is begun

    def __len__(self) -> int:
        return len(self._ids)

    @property
    def is_down(self) -> bool:
        """True if the receiver could not be reached the last time."""
        return self._failures > 0

    def add(self, deliveries: Iterable[Delivery]) -> None:
        """Let these wait, too; what waits already is left as it is."""
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
        """Seconds until something may be attempted, or given up, if nothing else happens."""
        return min((self.seconds_until(head, now) for head in self._heads()), default=float("inf"))

    def begin(self, delivery: Delivery) -> None:
        """Its attempt is under way."""
        self._under_way[delivery.lane] = delivery.is_ping

    def interrupted(self, delivery: Delivery, now: float, pause: float) -> None:
        """Nothing is known of the attempt; none is made for a while."""
        self._under_way.pop(delivery.lane, None)
        self._rest = now + pause

    def try_now(self) -> None:
        """No pause goes on: somebody wants to know."""
        self._hold = 0.0
        for lane in self._lanes.values():
            lane[:] = [replace(one, next=0.0) for one in lane]

    def clock_was_set(self, seconds: float) -> None:
        """The clock was set by so many seconds: every delivery still waits for its whole time."""
        self._hold += seconds
        self._rest += seconds
        for lane in self._lanes.values():
            lane[:] = [one.moved(seconds) for one in lane]

    def arrived(self, delivery: Delivery) -> None:
        """The receiver has it, and can be reached."""
        self._reached()
        self._remove(delivery)

    def refused(self, delivery: Delivery, status: int, error: str, now: float) -> Delivery:
        """The receiver can be reached and does not take it; as it is after that."""
        self._reached()
        return self._failed(delivery, status, error, now, self._pause(delivery.attempts + 1))

    def unreachable(
        self, delivery: Delivery, status: int | None, error: str, now: float, least: float = 0.0
    ) -> Delivery:
        """The receiver could not be reached, and asks for a pause of `least` seconds; the delivery after that.

        A ping ends no pause and begins none anew: however many are sent, the others' turn comes.
        """
        if not (delivery.is_ping and self.is_down):
            self._failures += 1
            self._hold = now + max(least, self._pause(self._failures))
        return self._failed(delivery, status, error, now, 0.0)

    def outdated(self, now: float) -> list[Delivery]:
        """Deliveries to be given up without a further attempt: void ones, and old ones of a receiver that cannot be
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
        """The oldest delivery that was refused, if the receiver takes others."""
        refused = [head for head in self._heads() if head.attempts]
        return None if self.is_down else min(refused, key=ORDER, default=None)

    def give_up(self, delivery: Delivery) -> None:
        """Take a delivery out: it does not wait any more."""
        self._remove(delivery)

    def oldest(self) -> float | None:
        """The time since which the first one waits; None where none does."""
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
