"""The port of bots: the questions that its use-cases ask of a store."""

from collections.abc import Callable, Sequence
from typing import Protocol

from domain.lifecycle import Json
from events.features.bots.queue import Cost


class QuestionQueue(Protocol):
    """Queue of questions to bots. Every method may raise NoAnswer."""

    def refuse_early(self, app: str, key: str | None) -> None:
        """Raise QueueFull if this question was refused, or the app's share was full, less than a second ago."""

    def enter(self, key: str, app: str, cost: Cost, digest: str = "") -> bool:
        """Find room for a question that will be put at once; False if it was put under its key already.

        `digest`: of a question with a key of the caller's own; it gets a reservation if there is no room. Raises
        QueueFull, CommandMismatch if another question has the key.
        """

    def leave(self, key: str, app: str) -> None:
        """Give back the room of a question that will not be put."""

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
        """Put a question into a queue. A question that was put under the key before and is in no queue is put into it
        again.

        `app`: the app whose share of the queue the question takes; by default its owner. An `urgent` question goes to
        the queue of hints, which is served first and has room of its own. A question with a `digest` that a worker is
        thinking about is not queued again. Raises QueueFull, CommandMismatch if another question has the key.
        """

    def ask_all(self, key: str, app: str, questions: Sequence[tuple[Json, Cost]], digest: str = "") -> None:
        """Put the positions of a batch, which are asked one after the other. Raises QueueFull, CommandMismatch."""

    def lay(self, key: str, owner: str, question: Json) -> None:
        """Store a question without queueing it: the caller must pass its key to a worker."""

    def seconds_left(self, key: str) -> float:
        """Seconds until the question, or its answer, is gone."""

    def answer(self, key: str, owner: str, seconds: float = 0.0) -> Json | None:
        """The answer to the owner's question, waited for at most so long; None while there is none.

        The answer to a batch has `answers`, in the order of the positions.

        Raises QuestionNotFound.
        """

    def announce(self, key: str, owner: str) -> None:
        """Make a webhook tell the owner once the question is answered; immediately if it already is."""

    def forget(self, key: str) -> None:
        """Remove the question and its answer, for which nobody waits any more."""

    def next(
        self, *, hints_only: bool = False, long_too: bool = True, worker: str = "", or_else: str = ""
    ) -> str | None:
        """The key of the question that a worker is to think about next; the question leaves the queue.

        Hints come first, then long questions if `long_too`, then the others.

        `or_else`: the question to take if the queues are empty and no worker is thinking about it.
        """

    def put_back(self, is_dead: Callable[[str], bool]) -> list[str]:
        """Put questions of dead workers into their queues again. Returns the keys of questions under which too many
        workers died.
        """

    def renew(self, key: str, worker: str) -> None:
        """Note that the worker is still thinking about the question."""

    def leave_off(self, key: str, worker: str) -> None:
        """Put the question back into its queue, because the worker stops."""

    def question(self, key: str) -> Json | None:
        """The question of that key, for a worker; None if it is answered or forgotten."""

    def tell(self, key: str, answer: Json, seconds: float | None = None, used: str = "") -> None:
        """Store a worker's answer, which took so many seconds. The first answer also records the usage `used`."""
