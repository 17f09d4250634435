# compiled into rules
"""Refusals of commands: a code, a sentence and data. Adapters turn them into answers of their own."""

from typing import Any, Final


class DomainError(Exception):
    """A command that a game refuses; nothing has changed.

    `code` is the word that clients match on; `detail` is a sentence for people; `rule` is the section or ruling of the
    game's rules ("5.2", "R7"), None where none applies; `data` has further members that help (`errors` per field,
    `missing`, ...).
    """

    def __init__(self, code: str, detail: str, rule: str | None = None, **data: Any) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.rule = rule
        self.data: dict[str, Any] = data


NEVER_RELEASED: Final = (
    "That version was never released, and its games are not read: play on from an empty store."
)


def illegal_move(detail: str, rule: str) -> DomainError:
    """A well-formed move that the rules do not allow now."""
    return DomainError("illegal-move", detail, rule)


def invalid(field: str, message: str) -> DomainError:
    """A command with a value that is not valid; `field` is the dotted path of that value."""
    return DomainError("validation-error", f"{field}: {message}", errors={field: [message]})


def game_not_started() -> DomainError:
    """A move while open seats wait for players."""
    return DomainError("game-not-started", "The game waits for players to take its open seats.")


def game_over() -> DomainError:
    """A move after the end."""
    return DomainError("game-over", "The game is over.")


def not_your_turn(to_act: int | None) -> DomainError:
    """A move of a seat that is not to act."""
    return DomainError("not-your-turn", f"It is seat {to_act}'s turn.", to_act=to_act)
