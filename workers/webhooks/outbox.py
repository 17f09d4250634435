"""Which of an endpoint's deliveries may be attempted now: pure, with times and chance handed in.

The deliveries of a game form a lane: one is attempted once the one before it has arrived or is given up. A receiver
that cannot be reached is tried by one delivery at a time, with growing pauses; once it answers, all go on. A receiver
that refuses one delivery holds up that game alone.
"""

import random
from bisect import insort
from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import Final

from events.use_cases.webhooks.deliveries import GIVEN_UP, Delivery, pause_after

AT_ONCE: Final = 8  # attempts at one endpoint
ORDER: Final = attrgetter("order")


class Outbox:
    """An endpoint's deliveries that wait."""

    def __init__(self, chance: Callable[[], float] = random.random) -> None:
        self._chance = chance
        self._lanes = dict[str, list[Delivery]]()
        self._ids = set[str]()
        self._under_way = set[str]()
        self._failures = 0
        self._hold = 0.0

    def __len__(self) -> int:
        return len(self._ids)

    @property
    def is_down(self) -> bool:
        """Whether the receiver could not be reached the last time."""
        return self._failures > 0

    def add(self, deliveries: Iterable[Delivery]) -> None:
        """Let these wait, too; what waits already is left as it is."""
        for delivery in deliveries:
            if delivery.id not in self._ids:
                self._ids.add(delivery.id)
                insort(self._lanes.setdefault(delivery.lane, []), delivery, key=ORDER)

    def ready(self, now: float) -> list[Delivery]:
        """What may be attempted now, the oldest first."""
        room = (1 if self.is_down else AT_ONCE) - len(self._under_way)
        if room <= 0 or now < self._hold:
            return []
        heads = [head for head in self._heads() if head.next <= now]
        return sorted(heads, key=ORDER)[:room]

    def due_in(self, now: float) -> float:
        """Seconds until something may be attempted, or given up, if nothing else happens."""
        if not self._ids:
            return float("inf")
        return max(self._hold - now, min((head.next - now for head in self._heads()), default=float("inf")))

    def begin(self, delivery: Delivery) -> None:
        """Its attempt is under way."""
        self._under_way.add(delivery.lane)

    def interrupted(self, delivery: Delivery, now: float, pause: float) -> None:
        """Nothing is known of the attempt; none is made for a while."""
        self._under_way.discard(delivery.lane)
        self._hold = max(self._hold, now + pause)

    def arrived(self, delivery: Delivery) -> None:
        """The receiver has it, and can be reached."""
        self._reached()
        self._remove(delivery)

    def refused(self, delivery: Delivery, status: int, error: str, now: float) -> Delivery:
        """The receiver can be reached and does not take it; as it is after that."""
        self._reached()
        return self._failed(delivery, status, error, now, pause_after(delivery.attempts + 1, self._chance))

    def unreachable(
        self, delivery: Delivery, status: int | None, error: str, now: float, least: float = 0.0
    ) -> Delivery:
        """The receiver could not be reached, and asks for a pause of `least` seconds; the delivery after that."""
        self._failures += 1
        self._hold = now + max(least, pause_after(self._failures, self._chance))
        return self._failed(delivery, status, error, now, 0.0)

    def outdated(self, now: float) -> list[Delivery]:
        """What is to be given up without a further attempt, while the receiver cannot be reached."""
        if not self.is_down:
            return []
        return [
            delivery
            for lane, deliveries in self._lanes.items()
            if lane not in self._under_way
            for delivery in deliveries
            if now >= delivery.begun + GIVEN_UP
        ]

    def stuck(self) -> Delivery | None:
        """The oldest delivery that was refused, if the receiver takes others."""
        refused = [head for head in self._heads() if head.attempts]
        return None if self.is_down else min(refused, key=ORDER, default=None)

    def give_up(self, delivery: Delivery) -> None:
        """It does not wait any more."""
        self._remove(delivery)

    def oldest(self) -> float | None:
        """Since when the first one waits; None where none does."""
        return min((lane[0].begun for lane in self._lanes.values()), default=None)

    def _heads(self) -> Iterable[Delivery]:
        return (lane[0] for key, lane in self._lanes.items() if key not in self._under_way)

    def _reached(self) -> None:
        self._failures, self._hold = 0, 0.0

    def _failed(
        self, delivery: Delivery, status: int | None, error: str, now: float, pause: float
    ) -> Delivery:
        self._under_way.discard(delivery.lane)
        after = delivery.failed(status, error, now, pause)
        lane = self._lanes.get(delivery.lane, [])
        lane[:] = [after if one.id == delivery.id else one for one in lane]
        return after

    def _remove(self, delivery: Delivery) -> None:
        self._under_way.discard(delivery.lane)
        self._ids.discard(delivery.id)
        lane = [one for one in self._lanes.get(delivery.lane, []) if one.id != delivery.id]
        if lane:
            self._lanes[delivery.lane] = lane
        else:
            self._lanes.pop(delivery.lane, None)
