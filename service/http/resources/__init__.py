"""Resources, a module for each kind: their routes, and the views that answer."""

from collections.abc import Iterator
from importlib import import_module
from pkgutil import walk_packages
from typing import Final

from service.http.blueprint import ApiBlueprint

READ_FIRST: Final = (
    "Games",
    "Moves",
    "Events",
)  # all that a program needs to play, first; the others follow in the order of their names


def _found() -> Iterator[ApiBlueprint]:
    """Blueprints of all modules below this package."""
    for module in walk_packages(__path__, f"{__name__}."):
        members = vars(import_module(module.name)).values()
        yield from (member for member in members if isinstance(member, ApiBlueprint))


def _place(blueprint: ApiBlueprint) -> tuple[int, str]:
    tag = blueprint.tag
    return (READ_FIRST.index(tag) if tag in READ_FIRST else len(READ_FIRST)), tag


BLUEPRINTS: Final = tuple(sorted(set(_found()), key=_place))  # in the order of openapi.yaml
