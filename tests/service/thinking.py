"""Bots that answer questions in this process, at once, by way of a real server."""

from domain.lifecycle import Json
from domain.registry import GAMES
from events.application import Application
from events.features.analyses.analyses import Analyses
from events.features.analyses.redis import RedisAnalyses
from events.features.bots.questions import BotQuestions
from events.features.bots.redis.questions import RedisQuestionQueue
from events.features.bots.trials import Trials
from events.runtime.settings import Settings
from events.store.link import link_to

PATIENCE = 2.0  # seconds


class Worker:
    """Carries a question out when it is put, or keeps it until it is told to `catch_up`."""

    def __init__(self, settings: Settings, application: Application) -> None:
        self.settings, self.application = settings, application
        url = settings.queue_url or ""
        self.application = application
        self.busy = self._is_at_it = False
        self.waiting: list[str] = []
        self.trial: Json = {}  # what is said of an app's bot, if not that its move is good
        thinkers = RedisQuestionQueue(link_to(url, 5.0), link_to(url, 2 * PATIENCE), PATIENCE, self._enqueue)
        analyses = Analyses(application.decisions, RedisAnalyses(link_to(url, 5.0)))
        trials = Trials(application.bots, thinkers, self.try_out, PATIENCE)
        self.bot_questions = BotQuestions(GAMES, application.hints, analyses, thinkers, trials=trials)

    def try_out(self, key: str) -> None:
        """Say of an app's bot what a worker might, without a call."""
        trials = self.bot_questions.trials
        trial = trials.trial(key)
        assert trial is not None
        move = trial.question["legal_moves"][0]
        good = {"milliseconds": 12, "move": trial.judged(move), "fallback": None, "wrong": []}
        trials.tell(key, self.trial or good)

    def catch_up(self) -> None:
        """Answer every question that waits."""
        self._is_at_it = True
        try:
            while self.waiting:
                job = self.waiting.pop(0)
                self.bot_questions.for_workers.carry_out(self.bot_questions.for_workers.next() or job)
        finally:
            self._is_at_it = False

    def _enqueue(self, key: str, urgent: bool) -> None:
        self.waiting.insert(0 if urgent else len(self.waiting), key)
        if not (self.busy or self._is_at_it):
            self.catch_up()
