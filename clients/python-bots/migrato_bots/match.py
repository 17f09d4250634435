"""Games against the engine's bots on this machine, without a server: `migrato arena` plays them."""

import os
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, distribution
from typing import Final, NoReturn

RULES: Final = "migrato-engine"  # the package that has them
MISSING: Final = """The rules of the games are not installed here. They are part of the engine. In its folder:

    pip install -e .

Or let the engine's own environment play, if it has one:

    .venv/bin/migrato arena --bots {bots}"""


def match(place: str, opponents: str, options: Sequence[str]) -> NoReturn:
    """Become `migrato arena`, in which the class at a place ("mybot.py:MyBot") plays the opponents ("level-3,greedy").

    `options`: further ones of `migrato arena`. SystemExit if the engine is not installed.
    """
    bots = f"{place},{opponents}"
    try:
        distribution(RULES)
    except PackageNotFoundError as error:
        raise SystemExit(MISSING.format(bots=bots)) from error
    os.execv(sys.executable, [sys.executable, "-m", "service.cli", "arena", "--bots", bots, *options])  # noqa: S606
