"""Several acts at the same time in a process of one thread, whose requests to the store go in one exchange.

Each act runs in its own greenlet until it needs a reply. Once all acts do, their requests are sent as one batch, and
each act goes on with its own replies. So code for one game serves many games, in as many exchanges as one game needs.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

from greenlet import getcurrent, greenlet  # type: ignore[import-untyped]

from events.store.connections.batching import Call, Exchange

T = TypeVar("T")


class Lane:
    """Carries out the calls of one link; it takes the place of a `Batcher`, and needs none of its locks and waits."""

    def __init__(self, together: "Together", exchange: Exchange) -> None:
        self._together = together
        self.exchange = exchange

    def carry_out(self, call: Call, seconds: float) -> None:
        """Carry out the call; one that an act makes goes together with those of the other acts."""
        self._together.carry_out(self, call)


class Together:
    """Acts of one thread, and the links that they use: one for a single server, or one for each server of a cluster."""

    def __init__(self) -> None:
        self._hub: greenlet | None = None
        self._asking: list[tuple[greenlet, Lane, Call]] = []

    def over(self, exchange: Exchange) -> Lane:
        """A lane that carries out the calls of a link by its `exchange`."""
        return Lane(self, exchange)

    def carry_out(self, lane: Lane, call: Call) -> None:
        """Carry out the call: immediately, or, if an act makes it, together with those of the other acts."""
        if self._hub is None:
            lane.exchange([call])
        else:
            self._asking.append((getcurrent(), lane, call))
            self._hub.switch()

    def run(self, acts: Sequence[Callable[[], T]]) -> list[T | Exception]:
        """The result of each act, or its Exception. Any other exception ends all acts, and is raised.

        Acts wait for each other only during requests to the store; during these, none may hold a lock that another one
        needs.
        """
        outcomes: dict[int, T | Exception] = {}

        def settle(number: int, act: Callable[[], T]) -> None:
            try:
                outcomes[number] = act()
            except Exception as error:  # noqa: BLE001 -- the error of this act alone
                outcomes[number] = error

        self._hub = getcurrent()
        running = [greenlet(settle) for _ in acts]
        try:
            for number, (one, act) in enumerate(zip(running, acts, strict=True)):
                one.switch(number, act)
            while self._asking:
                self._answer()
        finally:
            self._hub = None
            self._asking.clear()
            for one in running:
                if not one.dead:
                    one.throw()  # ends it, as if it had been killed
        return [outcomes[number] for number in range(len(acts))]

    def _answer(self) -> None:
        """Make one exchange for each link with requests, and let each act go on with its replies."""
        asking, self._asking = self._asking, []
        calls: dict[Lane, list[Call]] = {}
        for _, lane, call in asking:
            calls.setdefault(lane, []).append(call)
        for lane, of_lane in calls.items():
            lane.exchange(of_lane)
        for one, _, _ in asking:
            one.switch()
