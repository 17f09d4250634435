"""Documents of questions and answers, as they lie on the queue's server, and the keys under which they lie there.

The answer of a worker is {"thought": what the bot came to, "budget": what it used up} or {"problem": {"code", "detail",
...}}.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256

import orjson

from domain.bot import Budget
from domain.errors import DomainError
from domain.lifecycle import Json
from events.engine.access import GAME_ID
from events.engine.bot_decision import any_seed
from events.errors import BotFailed
from events.features.bots.hints import Hint
from events.features.bots.queue import is_long

KEY_LENGTH = 40


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


def request_of(question: Question) -> Json:
    """The question as a worker gets it, with a seed."""
    return {
        "game": question.game,
        "bot": question.bot,
        "position": _nameless(question.position),
        "budget": None if question.budget is None else asdict(question.budget),
        "seed": question.seed or any_seed(),
    }


def seconds_of_long(question: Json) -> float:
    """Seconds of a long question; 0.0 for any other."""
    budget = Budget(**((question.get("choose") or {}).get("budget") or {}))
    return (budget.milliseconds or 0) / 1000 if is_long(budget) else 0.0


def games_of(position: Json) -> list[str]:
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


def hint_key(hint: Hint) -> str:
    """One key for the same hint, so that two who ask at once are one question."""
    return key_of("hint-", f"{hint.game_id}:{hint.identity.id}")


def job_key(app: str, key: str) -> str:
    """The job of an app's question under a key of its own."""
    return key_of("", f"{app}:{key}")


def digest_of(questions: Sequence[Question]) -> str:
    """Digest of what the caller asks, by which the same question is known again."""
    asked = [[one.game, one.bot, one.position, one.budget, one.seed] for one in questions]
    return sha256(orjson.dumps(asked, option=orjson.OPT_SORT_KEYS)).hexdigest()


def key_of(prefix: str, identity: str) -> str:
    """A key that follows from the identity."""
    return prefix + sha256(identity.encode()).hexdigest()[:KEY_LENGTH]


def problem_of(code: str, detail: str, data: Json) -> Json:
    """The answer of a worker that refuses."""
    return {"problem": {"code": code, "detail": detail, "data": data}}


def decision_of(answer: Json) -> Json:
    """Answer of a worker; its refusal is raised."""
    raise_problem(answer)
    decision: Json = answer["thought"]
    return decision


def decision_or_refusal(answer: Json) -> Json | DomainError | BotFailed:
    """The same, or the refusal itself."""
    try:
        return decision_of(answer)
    except (DomainError, BotFailed) as refusal:
        return refusal


def raise_problem(answer: Json) -> None:
    """Raise the refusal of a worker, if the answer is one."""
    if "problem" in answer:
        problem = answer["problem"]
        if problem["code"] == BotFailed.code:
            raise BotFailed
        raise DomainError(problem["code"], problem["detail"], **problem["data"])
