"""Questions to bots outside of their own turns: about any position, and for hints.

The process that asks puts a question into a queue and waits; a worker thinks about it (`thinking.py`).
"""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace

from domain.bot import LONGEST, Bot, Budget
from domain.game import Game
from domain.lifecycle import Json
from domain.registry import game_named
from events.engine.access import ANONYMOUS, new_game_id
from events.engine.command_handler import Clock, utc_now
from events.errors import CommandMismatch, EngineError, NoAnswer, QuestionNotFound
from events.features.analyses.analyses import Analyses, Analysis
from events.features.bots.hints import Hint, Hints
from events.features.bots.port import QuestionQueue
from events.features.bots.question_documents import (
    Question,
    decision_of,
    decision_or_refusal,
    digest_of,
    games_of,
    hint_key,
    job_key,
    key_of,
    raise_problem,
    request_of,
)
from events.features.bots.queue import BATCH_LASTS, Cost, cost_of
from events.features.bots.thinking import Thinking
from events.features.bots.trials import Trials
from events.features.usage.quotas import QUESTIONS, Admission
from events.measures import UNCOUNTED, Measures

MARGIN = 10.0  # seconds for which a caller waits beyond the time that the bot may think
# seconds beyond the bot's time after which a hint is asked for again, because the queue or a worker may have lost it
AGAIN = 2.0
MOST = LONGEST + MARGIN  # the longest wait, in seconds
COUNTED = 60.0  # seconds within which an answer counts as usage
ANALYSIS = Cost("analysis", 1.0)
SHORT = (
    200  # events of a history that is gone through at once, in some 20 ms; a longer one is left to the worker
)


@dataclass(frozen=True, slots=True)
class BotAnswer:
    """A hint that was given, and the game's version with it; `recorded` if an event tells everybody of it."""

    version: int
    recorded: bool
    decision: Json


class BotQuestions:
    """Use cases of callers that ask bots. Safe to share among threads and greenlets.

    `for_workers`: the use cases of the workers that answer.
    """

    def __init__(
        self,
        games: Mapping[str, Game],
        hints: Hints,
        analyses: Analyses,
        queue: QuestionQueue,
        measures: Measures = UNCOUNTED,
        clock: Callable[[], float] = time.monotonic,
        now: Clock = utc_now,
        is_gone: Callable[[str, int], bool] = lambda _, __: False,
        admission: Admission | None = None,
        trials: Trials | None = None,
    ) -> None:
        """`admission`: enforces the quotas of apps; the other parameters as in `Thinking`."""
        self.for_workers = Thinking(games, hints, analyses, queue, measures, clock, now, is_gone, admission)
        self._admission = admission
        self._trials = trials
        self._now = now
        self._games = games
        self._hints = hints
        self._analyses = analyses
        self._queue = queue

    @property
    def trials(self) -> Trials:
        """Questions to apps' own bots. Raises NoAnswer if the engine has no store for them."""
        if self._trials is None:
            raise NoAnswer("there are no trials")
        return self._trials

    def refuse_early(self, app: str, key: str | None) -> None:
        """Raise QueueFull if this process's cache has a refusal of the last second.

        `key`: the caller's own key, by which a question can be repeated.
        """
        self._queue.refuse_early(app, None if key is None else job_key(app, key))

    def ask(self, app: str, question: Question, key: str | None = None) -> str:
        """Put a question for an app. Returns the id of its job, which nobody can guess without knowing the key.

        With a `key` the same question is put only once, and gets a reservation if there is no room. Faults of a
        position are found here, before a worker gets it; if its history is long, the worker finds them, and refuses the
        position in the same words. Raises DomainError, with "rated-game" if the position names a game of the app that
        counts and is not over; QueueFull, QuotaSpent, CommandMismatch, NoAnswer.
        """
        game = self._game(question.game)
        bot = game.bot(question.bot)
        job, digest = (new_game_id(), "") if key is None else (job_key(app, key), digest_of([question]))
        cost = cost_of(game.name, bot, question.budget, question.length)
        if self._queue.enter(job, app, cost, digest):
            try:
                self._check(app, game, question.position)
                self._admit(app, job, BATCH_LASTS + COUNTED if cost.is_long else None)
            except BaseException:
                self._queue.leave(job, app)
                raise
        asked: Json = {"choose": request_of(question), "app": app}
        if cost.is_long:
            asked["unseen"] = self._milliseconds()
        self._queue.ask(job, app, asked, cost, digest=digest)
        return job

    def _milliseconds(self) -> int:
        return int(1000 * self._now().timestamp())

    def ask_all(self, app: str, questions: Sequence[Question], key: str | None = None) -> str:
        """Put the questions of a batch for an app. Returns the id of its job.

        A worker finds faults of positions, and each is the answer to its own question. Raises DomainError
        "unknown-bot"; QueueFull, QuotaSpent, CommandMismatch, NoAnswer.
        """
        job, digest = (new_game_id(), "") if key is None else (job_key(app, key), digest_of(questions))
        now = self._milliseconds()
        each = list[tuple[Json, Cost]]()
        for question in questions:
            game = self._game(question.game)
            cost = cost_of(game.name, game.bot(question.bot), question.budget, 0)
            each.append(({"choose": request_of(question), "app": app, "unseen": now}, cost))
        keys, admission = [f"{job}_{number}" for number in range(len(each))], self._admission
        if admission is None or not admission.limits(QUESTIONS, app) or (key and self._stands(job, app)):
            self._queue.ask_all(job, app, each, digest)
            return job
        admission.take(QUESTIONS, app, *keys, seconds=BATCH_LASTS + COUNTED)
        try:
            self._queue.ask_all(job, app, each, digest)
        except CommandMismatch:  # then the batch that was put under the key before has the reservations
            raise
        except EngineError:
            admission.give_back(QUESTIONS, app, *keys)
            raise
        return job

    def seconds_left(self, job: str) -> float:
        """Seconds until the job is gone. Raises NoAnswer."""
        return self._queue.seconds_left(job)

    def _check(self, app: str, game: Game, position: Json) -> None:
        for game_id in games_of(position):
            self._hints.refuse_counting(game_id, app)
        if len(position.get("history", ())) <= SHORT:
            game.position(position)

    def _admit(self, app: str, key: str, seconds: float | None = None) -> None:
        if self._admission is not None:
            self._admission.take(QUESTIONS, app, key, seconds=seconds)

    def seconds(self, question: Question) -> float:
        """Seconds that a caller should wait for the answer."""
        return _patience(self._game(question.game).bot(question.bot), question.budget)

    def answer(self, app: str, job: str, seconds: float = 0.0) -> Json | None:
        """Decision of the bot, waited for at most so many seconds; None while there is none.

        A batch has `answers`, in order: each the decision, or the DomainError or BotFailed in place of one. Raises
        QuestionNotFound, also for another app's job; BotFailed, NoAnswer, and the DomainErrors of `ask`.
        """
        answer = self._queue.answer(job, app, seconds)
        if answer is not None and "answers" in answer:
            return {"answers": [decision_or_refusal(one) for one in answer["answers"]]}
        return None if answer is None else decision_of(answer)

    def announce(self, app: str, job: str) -> None:
        """Make the app's webhooks tell once the job is done.

        The app ANONYMOUS has none of these events, because its webhooks belong to every caller. Raises NoAnswer.
        """
        if app != ANONYMOUS:
            self._queue.announce(job, app)

    def forget(self, job: str) -> None:
        """Take a question back for whose answer nobody waits."""
        self._queue.forget(job)

    def hint(self, game_id: str, seat: int, bot: str, holder: str | None = None) -> BotAnswer:
        """Move of the bot for the seat, whose turn it must be. If nobody prepared the game's cards, it is recorded
        before it is returned.

        The same hint again has the same answer, and is recorded once. `holder` is the hash of the token that asks: if
        the seat has another token by then, nothing is recorded. Raises DomainError, VersionConflict, GameNotFound,
        Unauthorized, QueueFull, NoAnswer, BotFailed.
        """
        hint = self._hints.wanted(game_id, seat, bot)
        key = hint_key(hint)
        if hint.budget is None:  # otherwise the hint was given before
            self._admit(self._hints.app(hint), key)
        answer = self._thought(hint, key)
        if answer is None or "problem" in answer:
            self._queue.forget(key)  # so that the hint can be asked for again
        if answer is None:
            raise NoAnswer
        decision = decision_of(answer)
        given = replace(hint, bot_version=decision["version"])
        version, recorded = self._hints.give(given, answer["budget"], holder)
        return BotAnswer(version, recorded, decision)

    def _thought(self, hint: Hint, key: str) -> Json | None:
        """A worker's answer; None if none comes in time. A question that seems to be lost on its way is put again
        meanwhile.
        """
        bot = self._hints.bot(hint)
        app, left, cost = self._hints.app(hint), _patience(bot, None), cost_of("hint", bot, None, 0)
        once = left - MARGIN + AGAIN
        while left > 0:
            asked = {"hint": asdict(hint), "app": app}
            self._queue.ask(key, hint.game_id, asked, cost, urgent=True, app=app)
            with suppress(QuestionNotFound):
                answer = self._queue.answer(key, hint.game_id, min(once, left))
                if answer is not None:
                    return answer
            left -= once
        return None

    def analysis(
        self, game_id: str, seconds: float = 0.0, admit: Callable[[], None] = lambda: None
    ) -> Analysis:
        """Analysis of a finished game, as far as it is done; if it is not complete, a worker is asked to go on.

        Waits for the worker for at most so many seconds. `admit` is called before a worker is asked. Raises
        GameNotOver, AnalysisUnavailable, GameNotFound, QueueFull, NoAnswer, BotFailed.
        """
        known = self._analyses.known(game_id)
        if known.document is not None:
            return known
        under_way = self._analyses.is_under_way(game_id)
        part = known.asked if under_way else known.part
        key = key_of("analysis-", f"{game_id}:{known.of}:{part}")
        if not under_way:
            if not self._stands(key, game_id):
                admit()
            self._queue.ask(key, game_id, {"analysis": {"game_id": game_id}}, ANALYSIS, app=known.app)
        try:
            answer = self._queue.answer(key, game_id, seconds)
        except QuestionNotFound:
            answer = None  # another caller has got the answer, or a worker has begun the next part
        if answer is not None:
            self._queue.forget(key)
            raise_problem(answer)
        return self._analyses.known(game_id)

    def _stands(self, key: str, owner: str) -> bool:
        try:
            self._queue.answer(key, owner)
        except QuestionNotFound:
            return False
        return True

    def _game(self, name: str) -> Game:
        return game_named(name, self._games)


def _patience(bot: Bot, budget: Budget | None) -> float:
    """Seconds that the bot may think, plus a margin for the queue."""
    if budget is not None and budget.milliseconds is None:
        return MOST
    milliseconds = bot.milliseconds if budget is None else budget.milliseconds or 0
    return min(LONGEST, milliseconds / 1000) + MARGIN
