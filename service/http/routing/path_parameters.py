"""Parameters in the paths of operations: for the routers, openapi.yaml and tests.

A value that does not fit its pattern is answered with 404, without a request to the store.
"""

import re
from dataclasses import dataclass
from typing import Any, Final

from werkzeug.routing import BaseConverter, Map

from events.features.apps.records import KEY_ID, NAME


@dataclass(frozen=True, slots=True)
class PathParameter:
    """A parameter, written as `{name}` in paths; with a `minimum` it is an integer."""

    name: str
    pattern: str
    description: str
    example: str
    minimum: int | None = None

    def read(self, text: str) -> str | int:
        """The value of a text that fits the pattern."""
        return text if self.minimum is None else int(text)

    @property
    def schema(self) -> dict[str, Any]:
        """The schema of its values in openapi.yaml."""
        if self.minimum is not None:
            return {"type": "integer", "minimum": self.minimum}
        return {"type": "string", "pattern": f"^{self.pattern}$"}


PATH_PARAMETERS: Final = {
    parameter.name: parameter
    for parameter in (
        PathParameter("game_id", "[0-9A-Za-z]{1,64}", "The game's id.", "4kQ7ZpV2mXc9TtRb1LwYsA"),
        PathParameter("seat", "[0-9]{1,3}", "The seat's number, from 0.", "0", minimum=0),
        PathParameter("player_id", "pl_[0-9a-z]{20}", "The player's id.", "pl_0123456789abcdefghij"),
        PathParameter("invite_id", "[0-9a-f]{16}", "The invite's id.", "0123456789abcdef"),
        PathParameter(
            "ticket", "mq_[0-9A-Za-z_-]{43}", "A ticket of POST /v1/quick-match.", f"mq_{'x' * 43}"
        ),
        PathParameter("webhook_id", "[0-9A-Za-z]{22}", "The webhook's id.", "7hT2mXc9TtRb1LwYsA4kQ7"),
        PathParameter("delivery_id", "[0-9A-Za-z-]{1,32}", "The delivery's id.", "1795340000000-0"),
        PathParameter("name", NAME.pattern, "The app's name.", "chess-club"),
        PathParameter("key_id", KEY_ID.pattern, "The key's id.", "4kQ7ZpV2mXc9"),
        PathParameter(
            "bot",
            "[0-9a-z-]{1,64}(@[0-9a-z-]{1,32})?",
            "A name of GET /v1/bots, alone or with `@` and a version.",
            "heuristic",
        ),
        PathParameter("job", "[0-9A-Za-z]{1,64}", "The job's id.", "9TtRb1LwYsA4kQ7ZpV2mXc"),
    )
}

_IN_PATH: Final = re.compile(r"\{(\w+)\}")


def parameters_of(path: str) -> list[PathParameter]:
    """Parameters of a path, in their order. KeyError for an unknown name."""
    return [PATH_PARAMETERS[name] for name in _IN_PATH.findall(path)]


def expression_of(path: str) -> re.Pattern[str]:
    """Regular expression for a path, with a group for each parameter."""
    literals = [re.escape(part) for part in _IN_PATH.split(path)[::2]]
    groups = [f"(?P<{parameter.name}>{parameter.pattern})" for parameter in parameters_of(path)]
    return re.compile("".join([text for pair in zip(literals, [*groups, ""], strict=True) for text in pair]))


def rule_of(path: str) -> str:
    """A path as a rule of Flask's router."""
    return _IN_PATH.sub(r"<\1:\1>", path)


def example_of(path: str) -> str:
    """The path with an example of each parameter."""
    return _IN_PATH.sub(lambda match: PATH_PARAMETERS[match[1]].example, path)


def teach(routes: Map) -> None:
    """Add the parameters to Flask's router."""
    for parameter in PATH_PARAMETERS.values():
        routes.converters[parameter.name] = _converter(parameter)


def _converter(parameter: PathParameter) -> type[BaseConverter]:
    class Converter(BaseConverter):
        regex = parameter.pattern

        def to_python(self, value: str) -> str | int:
            return parameter.read(value)

    return Converter
