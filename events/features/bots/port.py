"""The port of bots: the questions that its use-cases ask of a store."""

from collections.abc import Callable, Sequence
from typing import Protocol

from domain.lifecycle import Json
from events.features.bots.queue import Cost


class QuestionQueue(Protocol):
    """Queue of questions to bots. Every method may raise NoAnswer."""

    def refuse_early(self, app: str, key: str | None) -> None:
        """Raises QueueFull if this question was refused, or the app's share was full, less than a second ago."""

    def enter(self, key: str, app: str, cost: Cost, digest: str = "") -> bool:
        """Find room for a question that will be put at once; False if it was put under its key already.

        `digest`: of a question with a key of the caller's, which gets a reservation if there is no room. Raises
        QueueFull, CommandMismatch if another question has the key.
        """

    def leave(self, key: str, app: str) -> None:
        """Give back the room that a question has found: it is not put."""

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
        """Put a question. One that was put under the key already and is in no queue is put into it again.

        `app`: the app whose share of the queue it takes; by default its owner. An `urgent` question goes to the queue
        of hints, which comes first and has room of its own. A question with a `digest` that is being thought about is
        not put into the queue again. Raises QueueFull, CommandMismatch where another question has the key.
        """

    def ask_all(self, key: str, app: str, questions: Sequence[tuple[Json, Cost]], digest: str = "") -> None:
        """Put the positions of a batch, which come one after the other. Raises QueueFull, CommandMismatch."""

    def lay(self, key: str, owner: str, question: Json) -> None:
        """Store a question outside of the queues: the caller has to tell a worker of it."""

    def seconds_left(self, key: str) -> float:
        """Seconds until the question, or its answer, is gone."""

    def answer(self, key: str, owner: str, seconds: float = 0.0) -> Json | None:
        """The answer to the owner's question, waited for at most so long; None while there is none.

        That of a batch has `answers`, in order.

        Raises QuestionNotFound.
        """

    def announce(self, key: str, owner: str) -> None:
        """Have the owner told once the question is answered, by a webhook; or at once if it is answered by now."""

    def forget(self, key: str) -> None:
        """Remove the question and its answer: nobody waits for it any more."""

    def next(
        self, *, hints_only: bool = False, long_too: bool = True, worker: str = "", or_else: str = ""
    ) -> str | None:
        """The key of the question that a worker is to think about next; the question leaves the queue.

        Hints come first, then long questions if `long_too`, then the others.

        `or_else`: the question to take if the queues are empty and nobody thinks about it.
        """

    def put_back(self, is_dead: Callable[[str], bool]) -> list[str]:
        """Put questions of dead workers into their queues again; the keys of those that too many workers have died
        of.
        """

    def renew(self, key: str, worker: str) -> None:
        """Note that the worker still thinks about the question."""

    def leave_off(self, key: str, worker: str) -> None:
        """Put the question into its queue again: the worker stops, and does not think about it any more."""

    def question(self, key: str) -> Json | None:
        """The question of that key, for a worker; None if it is answered or forgotten."""

    def tell(self, key: str, answer: Json, seconds: float | None = None, used: str = "") -> None:
        """Give a worker's answer, which took so many seconds. With the first answer, note what was `used`."""
