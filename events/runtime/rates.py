"""Rates of callers' requests: the limits by name, their defaults, and their changes by an operator."""

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

OFF: Final = "off"
ON: Final = "on"
CHANGE: Final = re.compile(r"([a-z]+(?:-[a-z]+)*)=(off|([1-9][0-9]{0,8})(?:/([1-9][0-9]{0,4}|)([smhd]?))?)")
UNITS: Final = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86_400}
LONGEST: Final = 86_400 * 31  # seconds
RUNNING: Final = "running"  # games of an app that are not over
SEAT_FORKS: Final = "seat-forks"  # forks that seats of one game have made, and that are kept
CAPS: Final = (RUNNING, SEAT_FORKS)  # the limits that are no rates
A_LIMIT: Final = "on, off, or changes separated by commas: games=60/1m, running=5000, guesses=off"


class Rate(NamedTuple):
    """A number of times in a number of seconds; a limit that has no time, because it is no rate, has 0 seconds."""

    amount: int
    seconds: int


# For one person. An address may be that of several, and an app acts for many: see `service.http.admission.rates`.
DEFAULTS: Final[Mapping[str, Rate]] = {
    "requests": Rate(1000, 10),
    "guesses": Rate(20, 60),
    "games": Rate(30, 60),
    "forks": Rate(30, 60),
    "bots": Rate(60, 60),
    "records": Rate(60, 60),
    "game-forks": Rate(500, 86_400),
    RUNNING: Rate(100_000, 0),
    SEAT_FORKS: Rate(100, 0),
}


def rates_of(text: str) -> Mapping[str, Rate]:
    """The limits that a setting asks for, by name; none of what is off. ValueError for a text that is no setting."""
    if text == OFF:
        return {}
    rates = dict(DEFAULTS)
    for entry in [] if text == ON else text.split(","):
        change = CHANGE.fullmatch(entry.strip())
        if change is None or change[1] not in DEFAULTS:
            raise ValueError(f"{entry.strip()!r} changes no limit")
        name, whole, amount, times, unit = change.groups()
        if whole == OFF:
            rates.pop(name, None)
            continue
        is_rate = times is not None
        seconds = int(times or "1") * UNITS[unit] if is_rate else 0
        if is_rate == (name in CAPS) or seconds > LONGEST:
            raise ValueError(f"{entry.strip()!r} changes no limit")
        rates[name] = Rate(int(amount), seconds)
    return rates
