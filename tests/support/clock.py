"""Time in seconds that a test puts forward."""


class Clock:
    """A clock that only a test puts forward; an instance is called in place of `time.monotonic` and the like."""

    def __init__(self, now: float = 1000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now
