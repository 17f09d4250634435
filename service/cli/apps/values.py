"""Arguments of `migrato apps`: names, ids of keys, durations."""

import re
from typing import Any

import click

from events.features.apps.records import KEY_ID, NAME
from events.features.usage.quotas import MOST
from service.cli.wording import duration

UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86_400}


class Duration(click.ParamType[int]):
    """A number of seconds, or of another unit, as in 90m, 12h and 7d; it comes to whole seconds."""

    name = "time"

    def __init__(self, least: int, most: int) -> None:
        self._least, self._most = least, most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The seconds; a failure that names the option for anything else."""
        if isinstance(value, int):
            return value
        match = re.fullmatch(r"([0-9]{1,10})([smhd]?)", value)
        if match is None:
            self.fail(f"{value!r} is no time: seconds, or a number with a unit, as in 90m, 12h and 7d.")
        seconds = int(match[1]) * UNITS[match[2]]
        if not self._least <= seconds <= self._most:
            self.fail(f"{value!r} is not within {duration(self._least)} and {duration(self._most)}.")
        return seconds


class Quota(click.ParamType[int]):
    """A number, or `off`, which is -1."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number; a failure that names the option for anything else."""
        if value == "off" or isinstance(value, int):
            return -1 if value == "off" else int(value)
        if re.fullmatch(r"[0-9]{1,10}", value) is None or int(value) > MOST:
            self.fail(f"{value!r} is no quota: a number up to {MOST}, or off.")
        return int(value)


class Matching(click.ParamType[str]):
    """A text of a form."""

    def __init__(self, name: str, form: re.Pattern[str], told: str) -> None:
        self.name, self._form, self._told = name, form, told

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The text itself; a failure that says which form it should have."""
        if self._form.fullmatch(value) is None:
            self.fail(f"{value!r} will not do: {self._told}")
        return str(value)


APP_NAME = Matching(
    "name", NAME, "a name is 1 to 64 lower-case letters, digits, - and _, and begins with a letter or digit."
)
A_KEY_ID = Matching("id", KEY_ID, "the id of a key is the 12 letters and digits after mk_.")
