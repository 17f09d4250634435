"""Reads compose files as Docker Compose does, as far as ours need it."""

import re
from collections.abc import Mapping
from typing import Any

import yaml

from tests.support.running import ROOT

VARIABLE = re.compile(r"\$\{(\w+)(?::([-?])([^}]*))?\}")
SECRETS = {"STORE_PASSWORD": "the store's", "QUEUE_PASSWORD": "the queue's", "DOMAIN": "migrato.example.org"}


class Missing(Exception):
    """A variable that has to be set is not."""


def composition(name: str = "compose.yaml") -> dict[str, Any]:
    """The file as it is written."""
    found: dict[str, Any] = yaml.safe_load((ROOT / name).read_text())
    return found


def interpolated(value: Any, environ: Mapping[str, str]) -> Any:
    """The value with `${NAME}`, `${NAME:-default}` and `${NAME:?message}` replaced. Raises Missing."""
    match value:
        case str():
            return VARIABLE.sub(lambda found: _value_of(found, environ), value)
        case dict():
            return {name: interpolated(member, environ) for name, member in value.items()}
        case list():
            return [interpolated(member, environ) for member in value]
        case _:
            return value


def _value_of(found: re.Match[str], environ: Mapping[str, str]) -> str:
    name, how, otherwise = found.groups()
    value = environ.get(name, "")
    if not value and how == "?":
        raise Missing(f"{name} {otherwise}")
    return value or (otherwise if how == "-" else "")


def variables(value: Any) -> set[str]:
    """The names of all variables in the value."""
    return {name for name, *_ in VARIABLE.findall(yaml.safe_dump(value))}
