# compiled into rules
"""Values that are made by the million: like frozen dataclasses, but written by hand, so that they are compiled as a
whole.
"""

from typing import Any, ClassVar, Self


class Value:
    """Two values are equal if their fields are. `__match_args__` names the fields in the order of `__init__`, which
    sets each once.
    """

    __match_args__: ClassVar[tuple[str, ...]] = ()

    def _replace(self, **changes: Any) -> Self:
        """The value with some fields changed; slow."""
        fields = {name: getattr(self, name) for name in self.__match_args__}
        return type(self)(**fields | changes)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and _fields(self) == _fields(other)

    def __hash__(self) -> int:
        return hash(tuple(_fields(self)))

    def __repr__(self) -> str:
        fields = ", ".join([f"{name}={getattr(self, name)!r}" for name in self.__match_args__])
        return f"{type(self).__name__}({fields})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(_fields(self))


def _fields(value: Any) -> list[Any]:
    return [getattr(value, name) for name in value.__match_args__]
