"""Documents of questions and answers as the queue's server stores them, and their keys.

A worker's answer is {"thought": the decision, "budget": what the bot used up} or {"problem": {"code", "detail", ...}}.
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
    """A position that a caller describes, and the bot that is to find a move in it.

    `position` is a seat's view and history as the API gives them. `budget` None means the bot's own; `seed` has 16 hex
    digits. `length`: about how many bytes the question takes.
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
    """The ids of the games that the position names as its own."""
    told = [position.get("view"), *[event.get("data") for event in (position.get("history") or ())[:1]]]
    ids = [document.get("id") for document in told if isinstance(document, dict)]
    return [one for one in ids if isinstance(one, str) and GAME_ID.fullmatch(one)]


def _nameless(position: Json) -> Json:
    """The position without the players' names: no bot uses them, and they must not be stored on the queue's server."""
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
    """The key of a hint; two requests for the same hint share it, and so ask one question."""
    return key_of("hint-", f"{hint.game_id}:{hint.identity.id}")


def job_key(app: str, key: str) -> str:
    """The id of the job of an app's question that has a key of the app's own."""
    return key_of("", f"{app}:{key}")


def digest_of(questions: Sequence[Question]) -> str:
    """Digest of the questions, by which a repeated request is recognized."""
    asked = [[one.game, one.bot, one.position, one.budget, one.seed] for one in questions]
    return sha256(orjson.dumps(asked, option=orjson.OPT_SORT_KEYS)).hexdigest()


def key_of(prefix: str, identity: str) -> str:
    """A key derived from the identity."""
    return prefix + sha256(identity.encode()).hexdigest()[:KEY_LENGTH]


def problem_of(code: str, detail: str, data: Json) -> Json:
    """The answer of a worker that refuses the question."""
    return {"problem": {"code": code, "detail": detail, "data": data}}


def decision_of(answer: Json) -> Json:
    """The decision in a worker's answer; raises the refusal if the answer is one."""
    raise_problem(answer)
    decision: Json = answer["thought"]
    return decision


def decision_or_refusal(answer: Json) -> Json | DomainError | BotFailed:
    """The decision in a worker's answer, or the refusal, which is returned and not raised."""
    try:
        return decision_of(answer)
    except (DomainError, BotFailed) as refusal:
        return refusal


def raise_problem(answer: Json) -> None:
    """Raise the refusal in a worker's answer, if the answer is one."""
    if "problem" in answer:
        problem = answer["problem"]
        if problem["code"] == BotFailed.code:
            raise BotFailed
        raise DomainError(problem["code"], problem["detail"], **problem["data"])
