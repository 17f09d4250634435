"""Questions to bots from the workers' side: the next question, the bot's thought about it, and the answer."""

import time
from collections.abc import Callable, Mapping
from dataclasses import replace

from domain.bot import LONGEST, Budget
from domain.errors import DomainError
from domain.game import Game
from domain.lifecycle import Json
from domain.registry import game_named
from events.engine.bot_decision import BotDecision, decision_document, explained, think
from events.engine.command_handler import Clock, utc_now
from events.errors import BotFailed, EngineError, StoreUnavailable
from events.features.analyses.analyses import Analyses
from events.features.bots.hints import Hint, Hints
from events.features.bots.port import QuestionQueue
from events.features.bots.question_documents import games_of, problem_of, seconds_of_long
from events.features.bots.queue import LONGEST_THOUGHT, MOST_OF_LONG, is_long
from events.features.usage.quotas import QUESTIONS, Admission
from events.log.usage import bot_named, text_of
from events.measures import UNCOUNTED, Measures

AtLength = Callable[[float], Callable[[], None]]


class Thinking:
    """Use cases of the workers that think about questions. Safe to share among threads and greenlets."""

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
    ) -> None:
        """`is_gone`: True for an app that has no valid key any more, or was deleted after a time in ms: it can fetch no
        answer.
        """
        self._games = games
        self._hints = hints
        self._analyses = analyses
        self._queue = queue
        self._measures = measures
        self._clock = clock
        self._now = now
        self._is_gone = is_gone
        self._admission = admission

    def next(
        self, *, hints_only: bool = False, long_too: bool = True, worker: str = "", or_else: str = ""
    ) -> str | None:
        """The key of the next question: hints first, then long questions, then others; the apps take turns. Raises
        StoreUnavailable.

        `worker`: its name, by which the question is put back if the worker dies. `or_else`: the question to take if the
        queues are empty and no worker is thinking about it.
        """
        return self._queue.next(hints_only=hints_only, long_too=long_too, worker=worker, or_else=or_else)

    def put_back(self, is_dead: Callable[[str], bool]) -> None:
        """Put questions of dead workers into their queues again; a question under which several workers died has
        failed.
        """
        for key in self._queue.put_back(is_dead):
            self.give_up(key)

    def renew(self, key: str, worker: str) -> None:
        """Note that the worker is still thinking about the question. Raises StoreUnavailable."""
        self._queue.renew(key, worker)

    def leave_off(self, key: str, worker: str) -> None:
        """Put the question back into its queue, because the worker stops."""
        self._queue.leave_off(key, worker)

    def carry_out(
        self, key: str, meanwhile: Callable[[], None] | None = None, at_length: AtLength | None = None
    ) -> None:
        """Think about a question, and answer it; nothing is done for a question that was removed.

        `meanwhile` is called now and then while a bot thinks, except about a hint. For a long question of so many
        seconds, the function that `at_length` returns is called instead. Raises StoreUnavailable, and any error of a
        bot that fails.
        """
        question, began = self._queue.question(key), self._clock()
        if question is None:
            return
        if "unseen" in question and self._is_gone(question["app"], question["unseen"]):
            self._queue.forget(key.partition("_")[0])
            return
        if "analysis" in question:
            self._analyses.go_on(question["analysis"]["game_id"], meanwhile)
            self._queue.tell(key, {"analysed": True}, self._clock() - began)
            return
        if (long := seconds_of_long(question)) and at_length is not None:
            meanwhile = at_length(long)
        try:
            game, decision = self._decide(question, meanwhile)
        except StoreUnavailable:
            raise
        except (DomainError, EngineError) as refusal:
            self._queue.tell(key, problem_of(refusal.code, refusal.detail, refusal.data))
            if "unseen" in question and self._admission is not None:
                self._admission.give_back(QUESTIONS, question["app"], key)
        else:
            answer = {"thought": decision_document(game, decision), "budget": decision.budget}
            took = decision.milliseconds / 1000 if long else self._clock() - began
            self._queue.tell(key, answer, took, self._used(question, decision))

    def give_up(self, key: str) -> None:
        """Tell the waiting callers that the bot failed."""
        self._queue.tell(key, problem_of(BotFailed.code, "", {}))

    def _decide(self, question: Json, meanwhile: Callable[[], None] | None) -> tuple[Game, BotDecision]:
        if "hint" in question:
            return self._hints.think(Hint(**question["hint"]))
        request = question["choose"]
        game = game_named(request["game"], self._games)
        budget = None if request["budget"] is None else Budget(**request["budget"])
        # the time at which a position of a batch, or a long question, was put, because it may wait for long
        if "unseen" in question:
            for game_id in games_of(request["position"]):
                self._hints.refuse_counting(game_id, question["app"])
        observation = game.position(request["position"])
        longest = LONGEST
        if budget is not None and is_long(budget):
            longest, budget = LONGEST_THOUGHT, replace(budget, iterations=MOST_OF_LONG)
        decision = think(
            game, observation, request["bot"], request["seed"], budget, meanwhile, self._measures, longest
        )
        return game, explained(game, observation, decision)

    def _used(self, question: Json, decision: BotDecision) -> str:
        """The usage that an answer adds. A hint with an event is counted from the feed instead."""
        what = "questions" if "choose" in question else "hints"
        bot, counts = bot_named(decision.bot, decision.version), dict[str, int]()
        if what == "questions" or not self._hints.is_recorded(Hint(**question["hint"])):
            counts[f"{what}:{bot}"] = 1
        counts[f"ms:{bot}"] = decision.milliseconds
        app = question.get("app")
        return text_of(app, self._now().date().isoformat(), counts) if app else ""
