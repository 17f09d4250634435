"""Steady chance: what a test's own process draws follows from the test's name, so a run tells of the code alone."""

import os
import secrets
from collections import Counter
from collections.abc import Generator
from random import Random
from typing import Final

import hypothesis
import pytest

DRAWN: Final = 32  # bytes, as `secrets` draws them where nobody says how many


class SteadyChance:
    """A plugin of pytest: `secrets` draws anew from each test's name, and from each wider fixture's.

    Processes that a test starts draw as ever; all do with `--hypothesis-profile default`.
    """

    def __init__(self) -> None:
        self._random, self._process = Random(), os.getpid()
        self._made: Counter[str] = Counter()
        self._truly_drawn = secrets.token_bytes

    def pytest_sessionstart(self) -> None:
        """Replace `secrets` now that the profile of Hypothesis is known."""
        if hypothesis.settings().derandomize:
            secrets.token_bytes = self._draw

    def _draw(self, nbytes: int | None = None) -> bytes:
        """Draw as `secrets.token_bytes` does. A fork draws by true chance, since two forks would draw the same."""
        if os.getpid() != self._process:
            return self._truly_drawn(nbytes)
        return self._random.randbytes(DRAWN if nbytes is None else nbytes)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """A test draws the same whatever ran before it."""
        self._random.seed(item.nodeid)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef[object], request: pytest.FixtureRequest
    ) -> Generator[None, object, object]:
        """A fixture of several tests draws the same whichever of them comes first; made again, it draws anew."""
        if fixturedef.scope == "function":
            return (yield)
        name = f"{fixturedef.baseid}::{fixturedef.argname}[{getattr(request, 'param_index', 0)}]"
        self._made[name] += 1
        before = self._random.getstate()
        self._random.seed(f"{name} {self._made[name]}")
        try:
            return (yield)
        finally:
            self._random.setstate(before)
