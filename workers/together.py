"""Several acts at once in a process of one thread: their requests to the store go in one exchange.

Each act runs in a greenlet of its own until it needs a reply. Once all of them do, their requests are sent as one
batch, and each goes on with its own replies. So code for one game serves many games, in as many exchanges as one game
takes.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

from greenlet import getcurrent, greenlet  # type: ignore[import-untyped]

from events.store.connections.batching import Call, Exchange

T = TypeVar("T")


class Lane:
    """Carries out the calls of one link; in place of a `Batcher`, whose locks and waits it spares."""

    def __init__(self, together: "Together", exchange: Exchange) -> None:
        self._together = together
        self.exchange = exchange

    def carry_out(self, call: Call, seconds: float) -> None:
        """Have the call settled: with those of the other acts, where an act makes it."""
        self._together.carry_out(self, call)


class Together:
    """Acts of one thread, and the links that they ask: that of one server, or those of a cluster's servers."""

    def __init__(self) -> None:
        self._hub: greenlet | None = None
        self._asking: list[tuple[greenlet, Lane, Call]] = []

    def over(self, exchange: Exchange) -> Lane:
        """Lane that carries out the calls of a link by its `exchange`."""
        return Lane(self, exchange)

    def carry_out(self, lane: Lane, call: Call) -> None:
        """Have the call settled: at once, or with those of the other acts, where an act makes it."""
        if self._hub is None:
            lane.exchange([call])
        else:
            self._asking.append((getcurrent(), lane, call))
            self._hub.switch()

    def run(self, acts: Sequence[Callable[[], T]]) -> list[T | Exception]:
        """Result of each act, or its Exception; anything else that is raised ends them all, and is raised.

        Acts wait for each other only while they ask the store: none may hold a lock then that another one needs.
        """
        outcomes: dict[int, T | Exception] = {}

        def settle(number: int, act: Callable[[], T]) -> None:
            try:
                outcomes[number] = act()
            except Exception as error:  # noqa: BLE001 -- it is this act's alone
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
        """One exchange for each link that is asked, and each act as far as it comes with that."""
        asking, self._asking = self._asking, []
        calls: dict[Lane, list[Call]] = {}
        for _, lane, call in asking:
            calls.setdefault(lane, []).append(call)
        for lane, of_lane in calls.items():
            lane.exchange(of_lane)
        for one, _, _ in asking:
            one.switch()
