"""The port of bots: the questions that its use-cases ask of a store."""

from typing import Protocol

from domain.lifecycle import Json


class QuestionQueue(Protocol):
    """Queue of questions to bots. Every method may raise NoAnswer."""

    def ask(
        self, key: str, owner: str, question: Json, *, urgent: bool = False, app: str | None = None
    ) -> None:
        """Put a question; where one stands under the key already, it is put in line again if it is in none. QueueFull.

        `app`: in whose share of the line it stands; its owner's, unless it is said. An `urgent` one stands in another
        line, which comes first, and finds room where others do not any more.
        """

    def answer(self, key: str, owner: str, seconds: float = 0.0) -> Json | None:
        """The answer to the owner's question, waited for at most so long; None while there is none.

        Raises QuestionNotFound.
        """

    def forget(self, key: str) -> None:
        """Nobody wants to know any more."""

    def next(self, *, hints_only: bool = False) -> str | None:
        """The key of the question that a worker is to think about next; it leaves the line."""

    def question(self, key: str) -> Json | None:
        """The question of that key, for a worker; None where it is answered or nobody wants to know."""

    def tell(self, key: str, answer: Json) -> None:
        """Give a worker's answer."""
