"""Several acts at once in a process of one thread: what they ask the store for goes in one exchange.

Each act runs in a greenlet of its own until it needs a reply. Once all of them do, what they ask is sent as one batch,
and each goes on with its own replies. So whatever is written for one game serves many, in as many exchanges as one
takes.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

from greenlet import getcurrent, greenlet  # type: ignore[import-untyped]

from events.redis.connections.batching import Call, Exchange

T = TypeVar("T")


class Together:
    """Carries out the calls of one link, for one thread; in place of a `Batcher`, whose locks and waits it spares."""

    def __init__(self) -> None:
        self._exchange: Exchange | None = None
        self._hub: greenlet | None = None
        self._asking: list[tuple[greenlet, Call]] = []

    def over(self, exchange: Exchange) -> "Together":
        """Carry out the calls of a link by its `exchange`; returns itself, for the link."""
        self._exchange = exchange
        return self

    def carry_out(self, call: Call, seconds: float) -> None:
        """Have the call settled: with those of the other acts, where an act makes it."""
        assert self._exchange is not None
        if self._hub is None:
            self._exchange([call])
        else:
            self._asking.append((getcurrent(), call))
            self._hub.switch()

    def run(self, acts: Sequence[Callable[[], T]]) -> list[T | Exception]:
        """What each act returns, or raises if that is an Exception; anything else ends them all, and is raised.

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
        """One exchange, and each act as far as it comes with that."""
        assert self._exchange is not None
        asking, self._asking = self._asking, []
        self._exchange([call for _, call in asking])
        for one, _ in asking:
            one.switch()
