"""The port of bots: the questions that its use-cases ask of a store."""

from collections.abc import Callable, Sequence
from typing import Protocol

from domain.lifecycle import Json
from events.features.bots.line import Cost


class QuestionQueue(Protocol):
    """Queue of questions to bots. Every method may raise NoAnswer."""

    def refuse_early(self, app: str, key: str | None) -> None:
        """Raises QueueFull where the app's share was full, or this question refused, less than a second ago."""

    def enter(self, key: str, app: str, cost: Cost, digest: str = "") -> bool:
        """Find room for a question that will be put at once; False if it stands under its key already.

        `digest`: of a question whose key may come again; its place is kept where there is no room. Raises QueueFull,
        CommandMismatch where another question has the key.
        """

    def leave(self, key: str, app: str) -> None:
        """The question that has found room is not put."""

    def ask(
        self,
        key: str,
        owner: str,
        question: Json,
        cost: Cost,
        *,
        urgent: bool = False,
        app: str | None = None,
        digest: str = "",
    ) -> None:
        """Put a question; where one stands under the key already, it is put in line again if it is in none. QueueFull.

        `app`: in whose share of the line it stands; its owner's, unless it is said. An `urgent` one stands in another
        line, which comes first, and finds room where others do not any more. One with a `digest` that is being thought
        about is not put in line again.
        """

    def ask_all(self, key: str, app: str, questions: Sequence[tuple[Json, Cost]], digest: str = "") -> None:
        """Put the positions of a batch, which come one after the other. Raises QueueFull, CommandMismatch."""

    def seconds_left(self, key: str) -> float:
        """Seconds until the question, or its answer, is gone."""

    def answer(self, key: str, owner: str, seconds: float = 0.0) -> Json | None:
        """The answer to the owner's question, waited for at most so long; None while there is none.

        That of a batch has `answers`, in order.

        Raises QuestionNotFound.
        """

    def forget(self, key: str) -> None:
        """Nobody wants to know any more."""

    def next(self, *, hints_only: bool = False, worker: str = "", or_else: str = "") -> str | None:
        """The key of the question that a worker is to think about next; it leaves the line.

        `or_else`: what is taken where nothing is in line, should nobody think about it.
        """

    def put_back(self, is_dead: Callable[[str], bool]) -> list[str]:
        """Put questions in line again whose workers are dead; the keys of those that have ended too many of them."""

    def question(self, key: str) -> Json | None:
        """The question of that key, for a worker; None where it is answered or nobody wants to know."""

    def tell(self, key: str, answer: Json, seconds: float | None = None, used: str = "") -> None:
        """Give a worker's answer, which took so many seconds. If it is the first, it is noted what was `used`."""
