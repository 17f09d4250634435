"""A month of some apps: games of people and bots, hints and questions, by clocks that the test sets; and another
count of it, from the streams of the games, from the answers that were given, and from the clock of bots that think.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any, Final

import pytest

from domain.lifecycle import Seat
from events.application import Application
from events.engine import bot_decision
from events.engine.access import Caller
from events.engine.new_game import NewGame
from events.engine.pending_action import pending_action
from events.features.analyses.analyses import Analyses
from events.features.analyses.redis import RedisAnalyses
from events.features.bots.hints import Hint
from events.features.bots.question_documents import Question
from events.features.bots.questions import BotQuestions
from events.features.bots.queue import Cost
from events.features.bots.redis.questions import RedisQuestionQueue
from events.measures import UNCOUNTED
from events.store.event_store import RedisEventStore
from tests.events.conftest import NewLink
from tests.events.counter import COUNTER
from tests.events.wiring import application_on

APPS: Final = ("club", "league", "zoo")
BEGINNING: Final = datetime(2026, 11, 1, tzinfo=UTC)
HUMAN: Final = Seat("human")
ONE: Final = Seat("bot", bot="one", version="1")
THINKER: Final = Seat("bot", bot="thinker", version="7")
VERSIONS: Final = {str(seat.bot): seat.version for seat in (ONE, THINKER)}
TABLES: Final = ((HUMAN, HUMAN), (HUMAN, ONE), (ONE, THINKER), (THINKER, HUMAN))


class Thoughts:
    """The clock of bots that think, and their measures. From one look of a bot at it to the next, some milliseconds
    pass; while nobody thinks it stands still. `took`: milliseconds that passed, with the bot that thought.
    """

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._now = 0
        self._began: int | None = None
        self.took: Any = lambda bot, milliseconds: None

    def monotonic(self) -> float:
        """The time, in place of `time.monotonic`."""
        if self._began is None:
            self._began = self._now
        else:
            self._now += self._random.randrange(40)
        return self._now / 1000

    def thought(self, bot: str, _seconds: float) -> None:
        """A bot has thought from its first look until the last."""
        if self._began is not None:
            self.took(bot, self._now - self._began)
            self._began = None

    def __getattr__(self, name: str) -> Any:
        return getattr(UNCOUNTED, name)


class Month:
    """Plays one game after the other; `counted` is what was done, by app, day and name.

    With `patch`, bots think by the month's clock, and else by the machine's, which `counted` does not know.
    """

    def __init__(self, new_link: NewLink, patch: pytest.MonkeyPatch | None = None, *, seed: int = 1) -> None:
        self.now = BEGINNING
        self.random = Random(seed)
        self.thoughts = Thoughts(seed)
        self.thoughts.took = self._took
        if patch is not None:
            patch.setattr(bot_decision, "time", self.thoughts)
        self._app = ""
        self.store = RedisEventStore(new_link(), new_link(), 5.0)
        self.application: Application = application_on(
            new_link(), self.store, now=lambda: self.now, measures=self.thoughts
        )
        link, jobs = new_link(), list[str]()
        queue = RedisQuestionQueue(link, new_link(), 1.0, lambda key, _: jobs.append(key))
        analyses = Analyses(self.application.decisions, RedisAnalyses(link))
        games = {COUNTER.name: COUNTER}
        self.questions = BotQuestions(
            games, self.application.hints, analyses, queue, self.thoughts, now=lambda: self.now
        )
        self.games: list[tuple[str, str]] = []
        self.answers = Counter[tuple[str, str, str]]()

    def play(self, days: int, games: int) -> Iterator[None]:
        """So many games of each app on each day; a step of the month at a time."""
        for _ in range(days):
            for app in APPS:
                self._app = app
                for _ in range(games):
                    yield from self._game(app)
                    self.now += timedelta(seconds=self.random.randrange(1, 60))
            self.now = (self.now + timedelta(days=1)).replace(hour=self.random.randrange(24))

    def _game(self, app: str) -> Iterator[None]:
        seats, has_help = self.random.choice(TABLES), self.random.random() < 0.3
        new = NewGame("counter", {"goal": self.random.randrange(5, 20)}, seats)
        made = self.application.creation.create(app, new).snapshot
        game_id, aborts = made.game_id, self.random.random() < 0.1
        self.games.append((app, game_id))
        yield
        while (now := self.application.views.snapshot(game_id)).status.result is None:
            seat = now.status.to_act
            assert seat is not None
            if pending_action(now.status) == "bot":
                self.application.bot_turns.bot_move(game_id, now.version)
            elif aborts and now.version > 4:
                self.application.interventions.abort(game_id, Caller("app", app))
            elif has_help and self.random.random() < 0.2:
                self._hint(game_id, seat, app)
                self.application.moves.play(game_id, seat, {"amount": 1}, key=f"k{now.version}")
            else:
                self.application.moves.play(game_id, seat, {"amount": self.random.randrange(1, 4)})
            if self.random.random() < 0.1:
                self._question(app)
            self.now += timedelta(seconds=1)
            yield
        self.application.bot_turns.score_game(game_id)
        yield

    def _question(self, app: str) -> None:
        asked = Question("counter", "thinker", {"memory": ["added"]}, seed="00000000000000a7")
        job = self.questions.ask(app, asked)
        self.questions.for_workers.carry_out(job)
        if self.random.random() < 0.3:
            self.questions.for_workers.carry_out(job)  # its job is done again: it is answered
        self.answers[app, self._day, "questions:thinker@7"] += 1

    def _hint(self, game_id: str, seat: int, app: str) -> None:
        hint = self.application.hints.wanted(game_id, seat, "thinker")
        key = f"hint-{game_id}{hint.since}"
        question = {"hint": asdict(hint), "app": app}
        self.questions._queue.ask(key, game_id, question, Cost("counter/hint", 0.01), urgent=True, app=app)
        self.questions.for_workers.carry_out(key)
        answer = self.questions._queue.answer(key, game_id)
        assert answer is not None
        for _ in range(2):  # the same hint again is recorded once
            self.application.hints.give(Hint(**asdict(hint)), answer["budget"])

    def _took(self, bot: str, milliseconds: int) -> None:
        self.answers[self._app, self._day, f"ms:{bot}@{VERSIONS[bot]}"] += milliseconds

    @property
    def _day(self) -> str:
        return self.now.date().isoformat()

    def counted(self) -> dict[str, dict[str, Counter[str]]]:
        """Counts of each app on each day, by the events in the games' streams, the answers, and the clock."""
        found: dict[str, dict[str, Counter[str]]] = {app: {} for app in APPS}
        for app, game_id in self.games:
            by_command = Counter[tuple[str, str]]()
            for event in self.store.read(game_id):
                day = found[app].setdefault(event.at[:10], Counter())
                if event.type == "added" and (event.command or "")[0].isdigit():
                    by_command[event.at[:10], str(event.command)] += 1
                if event.type == "move_chosen":
                    day[f"moves:{event.data['bot']}@{event.data['version']}"] += 1
                if event.type == "hint_given":
                    day[f"hints:{event.data['bot']}@{event.data['version']}"] += 1
                names = {"game_created": "created", "game_scored": "finished", "game_aborted": "aborted"}
                if event.type in names:
                    day[names[event.type]] += 1
            for date, _ in by_command:
                found[app][date]["people"] += 1
        for (app, date, name), number in self.answers.items():
            found[app].setdefault(date, Counter())[name] += number
        return found
