"""A fault that a checker finds."""

from dataclasses import dataclass
from typing import Final

# Every rule that can be broken, and what that means.
RULES: Final = {
    "lost": "an acknowledged event is not in the game",
    "changed": "the game has another event than the one that was told",
    "doubled": "a move is there that no request made, or one request made two",
    "gap": "a version is missing or out of order",
    "view": "an answer is not what its viewer sees at that version",
    "leak": "an answer shows, or depends on, what its viewer cannot know",
    "stream": "a stream goes back, leaves its end out, or shows what the same caller does not see elsewhere",
    "unfinished": "a game does not end",
    "stalled": "after a fault a game does not go on in time",
    "refused": "a correct request is refused",
    "failed": "the engine answers with an internal error, or a client cannot understand it",
    "unanswered": "a request that was repeated is never answered",
    "unnoticed": "a client is told of another past without a sign of it in the chain of heads",
    "verify": "`migrato verify` finds something wrong",
    "fsck": "`migrato fsck` finds something wrong",
}


@dataclass(frozen=True, slots=True)
class Violation:
    """A broken rule, by its name in RULES; `game_id` is None where it is not of one game."""

    rule: str
    game_id: str | None
    detail: str
