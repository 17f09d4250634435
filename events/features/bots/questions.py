"""Questions to bots outside of their own turns: about any position, and for hints.

The process that asks puts a question into a queue and waits; a worker thinks about it. The answer of a worker is
{"thought": what the bot came to, "budget": what it used up} or {"problem": {"code", "detail", ...}}.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from hashlib import sha256

import orjson

from domain.bot import LONGEST, Bot, Budget
from domain.errors import DomainError
from domain.game import Game
from domain.lifecycle import Json
from domain.registry import game_named
from events.engine.access import GAME_ID, new_game_id
from events.engine.bot_decision import (
    BotDecision,
    any_seed,
    decision_document,
    explained,
    think,
)
from events.engine.command_handler import Clock, utc_now
from events.errors import (
    BotFailed,
    CommandMismatch,
    EngineError,
    NoAnswer,
    QuestionNotFound,
    StoreUnavailable,
)
from events.features.analyses.analyses import Analyses, Analysis
from events.features.bots.hints import Hint, Hints
from events.features.bots.port import QuestionQueue
from events.features.bots.queue import BATCH_LASTS, LONGEST_THOUGHT, MOST_OF_LONG, Cost, cost_of, is_long
from events.features.bots.trials import Trials
from events.features.usage.quotas import QUESTIONS, Admission
from events.log.usage import bot_named, text_of
from events.measures import UNCOUNTED, Measures

MARGIN = 10.0  # seconds for which an answer is waited for beyond the time that the bot may think
AGAIN = 2.0  # seconds beyond that time after which a hint is asked for again: the queue, or a worker, may have lost it
MOST = LONGEST + MARGIN  # seconds
COUNTED = 60.0  # seconds in which an answer is counted as usage
KEY_LENGTH = 40
ANALYSIS = Cost("analysis", 1.0)
SHORT = (
    200  # events of a history that is gone through at once, in some 20 ms; a longer one is left to the worker
)


AtLength = Callable[[float], Callable[[], None]]


@dataclass(frozen=True, slots=True)
class Question:
    """A position that somebody describes, and the bot that is to find a move in it.

    `position` is a seat's view and history as the API gives them; `budget` None is the bot's own; `seed` 16 hex digits.
    `length`: bytes that it takes, or about as many.
    """

    game: str
    bot: str
    position: Json
    budget: Budget | None = None
    seed: str | None = None
    length: int = 0


@dataclass(frozen=True, slots=True)
class BotAnswer:
    """A hint that was given, and the version of the game with that; `recorded` if everybody gets to know of it."""

    version: int
    recorded: bool
    decision: Json


class BotQuestions:
    """Questions to bots. Safe to share among threads and greenlets."""

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
        """`is_gone`: an app that has no good key any more, or was deleted since (ms): nobody can fetch an answer.
        `admission`: keeps to the quotas of apps.
        """
        self._admission = admission
        self._trials = trials
        self._now = now
        self._clock = clock
        self._is_gone = is_gone
        self._games = games
        self._hints = hints
        self._analyses = analyses
        self._queue = queue
        self._measures = measures

    @property
    def trials(self) -> Trials:
        """Questions to apps' own bots. Raises NoAnswer where nobody asks them."""
        if self._trials is None:
            raise NoAnswer("there are no trials")
        return self._trials

    def refuse_early(self, app: str, key: str | None) -> None:
        """Raises QueueFull if a refusal of the last second is in this process's cache.

        `key`: the caller's, by which a question can be repeated.
        """
        self._queue.refuse_early(app, None if key is None else _job(app, key))

    def ask(self, app: str, question: Question, key: str | None = None) -> str:
        """Put a question for an app; the id of its job, which nobody can guess, if they cannot guess the key.

        With a `key` the same question is put once, and has a reservation if there is no room. Faults of a position are
        found here, before a worker is asked. If its history is long, the worker finds them, and refuses the position in
        the same words. Raises DomainError, also "rated-game" for the position of a game of the app that counts and is
        not over, as far as it says so; QueueFull, QuotaSpent, CommandMismatch, NoAnswer.
        """
        game = self._game(question.game)
        bot = game.bot(question.bot)
        job, digest = (new_game_id(), "") if key is None else (_job(app, key), _digest_of([question]))
        cost = cost_of(game.name, bot, question.budget, question.length)
        if self._queue.enter(job, app, cost, digest):
            try:
                self._check(app, game, question.position)
                self._admit(app, job, BATCH_LASTS + COUNTED if cost.is_long else None)
            except BaseException:
                self._queue.leave(job, app)
                raise
        asked: Json = {"choose": _request(question), "app": app}
        if cost.is_long:
            asked["unseen"] = self._milliseconds()
        self._queue.ask(job, app, asked, cost, digest=digest)
        return job

    def _milliseconds(self) -> int:
        return int(1000 * self._now().timestamp())

    def ask_all(self, app: str, questions: Sequence[Question], key: str | None = None) -> str:
        """Put the questions of a batch for an app; the id of its job.

        A worker finds faults of positions, each of which is the answer to its question. Raises DomainError
        "unknown-bot"; QueueFull, QuotaSpent, CommandMismatch, NoAnswer.
        """
        job, digest = (new_game_id(), "") if key is None else (_job(app, key), _digest_of(questions))
        now = self._milliseconds()
        each = list[tuple[Json, Cost]]()
        for question in questions:
            game = self._game(question.game)
            cost = cost_of(game.name, game.bot(question.bot), question.budget, 0)
            each.append(({"choose": _request(question), "app": app, "unseen": now}, cost))
        keys, admission = [f"{job}_{number}" for number in range(len(each))], self._admission
        if admission is None or not admission.limits(QUESTIONS, app) or (key and self._stands(job, app)):
            self._queue.ask_all(job, app, each, digest)
            return job
        admission.take(QUESTIONS, app, *keys, seconds=BATCH_LASTS + COUNTED)
        try:
            self._queue.ask_all(job, app, each, digest)
        except CommandMismatch:  # the reservations are those of the batch that came with the key just now
            raise
        except EngineError:
            admission.give_back(QUESTIONS, app, *keys)
            raise
        return job

    def seconds_left(self, job: str) -> float:
        """Seconds until the job is gone. Raises NoAnswer."""
        return self._queue.seconds_left(job)

    def _check(self, app: str, game: Game, position: Json) -> None:
        for game_id in _games_of(position):
            self._hints.refuse_counting(game_id, app)
        if len(position.get("history", ())) <= SHORT:
            game.position(position)

    def _admit(self, app: str, key: str, seconds: float | None = None) -> None:
        if self._admission is not None:
            self._admission.take(QUESTIONS, app, key, seconds=seconds)

    def seconds(self, question: Question) -> float:
        """Seconds that it is sensible to wait for the answer."""
        return _patience(self._game(question.game).bot(question.bot), question.budget)

    def answer(self, app: str, job: str, seconds: float = 0.0) -> Json | None:
        """Decision of the bot, waited for at most so long; None while there is none.

        Of a batch `answers`, in order: each the decision, or the DomainError or BotFailed in place of one.
        Raises QuestionNotFound, also for another app's job; BotFailed, NoAnswer, and DomainError as `ask` does.
        """
        answer = self._queue.answer(job, app, seconds)
        if answer is not None and "answers" in answer:
            return {"answers": [_decision_or_refusal(one) for one in answer["answers"]]}
        return None if answer is None else _decision(answer)

    def forget(self, job: str) -> None:
        """Take a question back, because nobody waits for its answer."""
        self._queue.forget(job)

    def hint(self, game_id: str, seat: int, bot: str, holder: str | None = None) -> BotAnswer:
        """Move of the bot for the seat, whose turn it must be; recorded, in a game that nobody has prepared,
        before it is returned.

        The same hint again is the same answer, and recorded once. `holder` is the hash of the token that asks: where
        it was issued anew meanwhile, nothing is recorded. Raises DomainError, VersionConflict, GameNotFound,
        Unauthorized, QueueFull, NoAnswer, BotFailed.
        """
        hint = self._hints.wanted(game_id, seat, bot)
        key = _key(hint)
        if hint.budget is None:  # else it was given before
            self._admit(self._hints.app(hint), key)
        answer = self._thought(hint, key)
        if answer is None or "problem" in answer:
            self._queue.forget(key)  # so that it can be asked again
        if answer is None:
            raise NoAnswer
        decision = _decision(answer)
        given = replace(hint, bot_version=decision["version"])
        version, recorded = self._hints.give(given, answer["budget"], holder)
        return BotAnswer(version, recorded, decision)

    def _thought(self, hint: Hint, key: str) -> Json | None:
        """Answer of a worker, if any comes in time. A question lost on its way is asked again meanwhile."""
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
        """Analysis of a finished game's moves so far; where it is not whole, a worker is asked to go on.

        Waits for the worker at most so long. `admit` is called before a worker is asked. Raises GameNotOver,
        AnalysisUnavailable, GameNotFound, QueueFull, NoAnswer, BotFailed.
        """
        known = self._analyses.known(game_id)
        if known.document is not None:
            return known
        under_way = self._analyses.is_under_way(game_id)
        part = known.asked if under_way else known.part
        key = _digest("analysis-", f"{game_id}:{known.of}:{part}")
        if not under_way:
            if not self._stands(key, game_id):
                admit()
            self._queue.ask(key, game_id, {"analysis": {"game_id": game_id}}, ANALYSIS, app=known.app)
        try:
            answer = self._queue.answer(key, game_id, seconds)
        except QuestionNotFound:
            answer = None  # somebody else has got it, or a worker has begun another part by now
        if answer is not None:
            self._queue.forget(key)
            _raise_problem(answer)
        return self._analyses.known(game_id)

    def _stands(self, key: str, owner: str) -> bool:
        try:
            self._queue.answer(key, owner)
        except QuestionNotFound:
            return False
        return True

    # For workers

    def next(
        self, *, hints_only: bool = False, long_too: bool = True, worker: str = "", or_else: str = ""
    ) -> str | None:
        """The key of the next question: hints, long questions, others; the apps in turn. Raises StoreUnavailable.

        `worker`: its name, by which the question is put back if the worker dies. `or_else`: the question to take if
        the queues are empty and nobody thinks about it.
        """
        return self._queue.next(hints_only=hints_only, long_too=long_too, worker=worker, or_else=or_else)

    def put_back(self, is_dead: Callable[[str], bool]) -> None:
        """Put questions of dead workers into their queues again; a question that several workers have died of has
        failed.
        """
        for key in self._queue.put_back(is_dead):
            self.give_up(key)

    def renew(self, key: str, worker: str) -> None:
        """Note that the worker still thinks about the question. Raises StoreUnavailable."""
        self._queue.renew(key, worker)

    def leave_off(self, key: str, worker: str) -> None:
        """Put the question into its queue again: the worker stops, and does not think about it any more.

        Raises StoreUnavailable.
        """
        self._queue.leave_off(key, worker)

    def carry_out(
        self, key: str, meanwhile: Callable[[], None] | None = None, at_length: AtLength | None = None
    ) -> None:
        """Think about a question, and answer it; a question that was forgotten is left alone.

        `meanwhile` is called now and then while a bot thinks, except about a hint. For a long question of so many
        seconds `at_length` returns the function that is called instead.
        Raises StoreUnavailable, and what a bot raises that fails.
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
        if (long := _long(question)) and at_length is not None:
            meanwhile = at_length(long)
        try:
            game, decision = self._decide(question, meanwhile)
        except StoreUnavailable:
            raise
        except (DomainError, EngineError) as refusal:
            self._queue.tell(key, _problem(refusal.code, refusal.detail, refusal.data))
            if "unseen" in question and self._admission is not None:
                self._admission.give_back(QUESTIONS, question["app"], key)
        else:
            answer = {"thought": decision_document(game, decision), "budget": decision.budget}
            took = decision.milliseconds / 1000 if long else self._clock() - began
            self._queue.tell(key, answer, took, self._used(question, decision))

    def give_up(self, key: str) -> None:
        """Tell those who wait that the bot failed."""
        self._queue.tell(key, _problem(BotFailed.code, "", {}))

    def _decide(self, question: Json, meanwhile: Callable[[], None] | None) -> tuple[Game, BotDecision]:
        if "hint" in question:
            return self._hints.think(Hint(**question["hint"]))
        request = question["choose"]
        game = self._game(request["game"])
        budget = None if request["budget"] is None else Budget(**request["budget"])
        if "unseen" in question:  # of a batch or long question: when it was put, for it may wait for long
            for game_id in _games_of(request["position"]):
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
        """The usage that an answer adds; a hint of which there is an event is counted from the feed."""
        what = "questions" if "choose" in question else "hints"
        bot, counts = bot_named(decision.bot, decision.version), dict[str, int]()
        if what == "questions" or not self._hints.is_recorded(Hint(**question["hint"])):
            counts[f"{what}:{bot}"] = 1
        counts[f"ms:{bot}"] = decision.milliseconds
        app = question.get("app")
        return text_of(app, self._now().date().isoformat(), counts) if app else ""

    def _game(self, name: str) -> Game:
        return game_named(name, self._games)


def _games_of(position: Json) -> list[str]:
    """The ids of the games from which the position says that it is."""
    told = [position.get("view"), *[event.get("data") for event in (position.get("history") or ())[:1]]]
    ids = [document.get("id") for document in told if isinstance(document, dict)]
    return [one for one in ids if isinstance(one, str) and GAME_ID.fullmatch(one)]


def _nameless(position: Json) -> Json:
    """The position without who sits where: no bot asks for that, and no name is to lie on the queue's server."""
    view, history = position.get("view"), position.get("history")
    observation = dict(position)
    if isinstance(view, dict):
        observation["view"] = {name: value for name, value in view.items() if name != "seats"}
    if history is not None:
        observation["history"] = [event | _without_players(event) for event in history]
    return observation


def _without_players(event: Json) -> Json:
    data = event.get("data")
    if not isinstance(data, dict) or data.keys().isdisjoint(("player", "seats")):
        return {}
    return {"data": {name: value for name, value in data.items() if name not in ("player", "seats")}}


def _patience(bot: Bot, budget: Budget | None) -> float:
    """The time that the bot may think, and a margin for the queue before it."""
    if budget is not None and budget.milliseconds is None:
        return MOST
    milliseconds = bot.milliseconds if budget is None else budget.milliseconds or 0
    return min(LONGEST, milliseconds / 1000) + MARGIN


def _key(hint: Hint) -> str:
    """One key for the same hint, so that two who ask at once are one question."""
    return _digest("hint-", f"{hint.game_id}:{hint.identity.id}")


def _job(app: str, key: str) -> str:
    """The job of an app's question under a key of its own."""
    return _digest("", f"{app}:{key}")


def _request(question: Question) -> Json:
    return {
        "game": question.game,
        "bot": question.bot,
        "position": _nameless(question.position),
        "budget": None if question.budget is None else asdict(question.budget),
        "seed": question.seed or any_seed(),
    }


def _long(question: Json) -> float:
    """Seconds of a long question; 0.0 for any other."""
    budget = Budget(**((question.get("choose") or {}).get("budget") or {}))
    return (budget.milliseconds or 0) / 1000 if is_long(budget) else 0.0


def _digest_of(questions: Sequence[Question]) -> str:
    """Digest of what the caller asks, by which the same question is known again."""
    asked = [[one.game, one.bot, one.position, one.budget, one.seed] for one in questions]
    return sha256(orjson.dumps(asked, option=orjson.OPT_SORT_KEYS)).hexdigest()


def _digest(prefix: str, identity: str) -> str:
    return prefix + sha256(identity.encode()).hexdigest()[:KEY_LENGTH]


def _problem(code: str, detail: str, data: Json) -> Json:
    return {"problem": {"code": code, "detail": detail, "data": data}}


def _decision(answer: Json) -> Json:
    """Answer of a worker; its refusal is raised."""
    _raise_problem(answer)
    decision: Json = answer["thought"]
    return decision


def _decision_or_refusal(answer: Json) -> Json | DomainError | BotFailed:
    try:
        return _decision(answer)
    except (DomainError, BotFailed) as refusal:
        return refusal


def _raise_problem(answer: Json) -> None:
    if "problem" in answer:
        problem = answer["problem"]
        if problem["code"] == BotFailed.code:
            raise BotFailed
        raise DomainError(problem["code"], problem["detail"], **problem["data"])
