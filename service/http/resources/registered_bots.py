"""An app's own bots: their versions, the choice of the version that plays, and their secrets."""

from collections.abc import Mapping, Sequence
from typing import Final

from domain.bot import with_version
from domain.lifecycle import Json
from events.features.registered_bots.health import health_of
from events.features.registered_bots.records import BotVersion, RegisteredBot
from events.log.player_ids import BOT
from service.http.blueprint import Answer, ApiBlueprint
from service.http.call import POSITION_LIMIT
from service.http.request_context import admit, bot_questions, current_caller, use_cases, while_waiting
from service.http.request_parsing import checked, json_body, meant, query
from service.http.responses import NO_STORE, Reply, answer
from service.http.schemas import registered_bots as shapes
from service.http.schemas.common.queries import NoQuery
from service.http.schemas.webhooks import RotatedSecret, SecretRotation

registered_bots = ApiBlueprint("Registered bots", "Bots of apps.")

JSON: Final = "application/json"
PATH: Final = "/v1/bots/{bot}"
_NEW, _CHANGED, _ROTATION = shapes.NewBotVersion(), shapes.ChangedBot(), SecretRotation()
_TRIED, _NO_QUERY = shapes.TriedPosition(), NoQuery()
COUNTS: Final = 200  # questions as which a trial counts, because each calls another server
_OF_ALL: Final = ("unauthorized", "forbidden", "store-unavailable")
_OF_ONE: Final = ("not-found", *_OF_ALL)


@registered_bots.operation(
    "POST",
    "/v1/bots",
    summary="Register a bot, or its next version",
    body=_NEW,
    answers={201: Answer("The bot.", {JSON: shapes.OwnBot()})},
    problems=(*_OF_ALL, "too-many-bots", "conflict"),
)
def register_bot() -> Reply:
    """A remote bot that seats of the app's games can name: `{"kind": "bot", "bot": "my-bot"}`, or `my-bot@3` for a
    version. The first one is current, a later one gets `share`. A game keeps its version.
    """
    app = _app()
    wanted = checked(_NEW, json_body(_NEW))
    bot, secret = use_cases().bots.register(
        app, wanted["name"], wanted["url"], wanted.get("secret"), wanted["strength"], wanted.get("share")
    )
    document = _one(bot)
    if secret is not None:
        document["secret"] = secret
    return answer(document, 201, cache=NO_STORE)


@registered_bots.operation(
    "PATCH",
    PATH,
    summary="Promote, share, retire or remove versions",
    body=_CHANGED,
    answers={200: Answer("The bot.", {JSON: shapes.OwnBot()})},
    problems=(*_OF_ONE, "conflict"),
)
def change_bot(bot: str) -> Reply:
    """For new games: if versions share them, a game's seed draws its version, and its first event records the draw. A
    removed version is not called any more: its games go on with fallback moves. A bot without versions is gone.
    """
    app = _app()
    body = json_body(_CHANGED)
    wanted = meant(body, checked(_CHANGED, body))
    return answer(_one(use_cases().bots.change(app, bot, wanted)), cache=NO_STORE)


@registered_bots.operation(
    "POST",
    f"{PATH}/secret",
    summary="Replace a bot's secret",
    body=_ROTATION,
    body_required=False,
    answers={201: Answer("The new secret.", {JSON: RotatedSecret()})},
    problems=(*_OF_ONE, "rate-limited"),
)
def rotate_bot_secret(bot: str) -> Reply:
    """It signs from now on, also in running games, and the old one beside it for `overlap` seconds."""
    app = _app()
    wanted = checked(_ROTATION, json_body(_ROTATION, optional=True))
    secret, until = use_cases().bots.rotate(app, bot, wanted["overlap"])
    return answer({"secret": secret, "former_expires_at": until}, 201, cache=NO_STORE)


@registered_bots.operation(
    "POST",
    f"{PATH}/try",
    summary="Try a bot",
    body=_TRIED,
    body_required=False,
    answers={200: Answer("The result.", {JSON: shapes.BotTrial()})},
    problems=(*_OF_ONE, "impossible-position", "no-answer", "busy"),
    limited="bots",
)
def try_bot(bot: str) -> Reply:
    """Asks `my-bot` or `my-bot@3` for a move outside of any game, and says what is wrong with the answer. It counts
    as 200 questions.
    """
    caller = current_caller()
    app = use_cases().callers.acting_app(caller)
    query(_NO_QUERY)
    position = checked(_TRIED, json_body(_TRIED, optional=True, limit=POSITION_LIMIT))
    admit("bots", caller, COUNTS)
    with while_waiting(caller):
        return answer(bot_questions().trials.made(app, bot, position), cache=NO_STORE)


def bot_documents(app: str, bots: Sequence[RegisteredBot]) -> list[Json]:
    """Bots of an app in the form that the app sees."""
    counts = use_cases().bots.counts(app) if bots else {}  # read once, because there are thousands
    return [_document(bot, counts) for bot in bots]


def _one(bot: RegisteredBot) -> Json:
    (document,) = bot_documents(bot.app, [bot])
    return document


def _document(bot: RegisteredBot, counts: Mapping[str, Mapping[str, int]]) -> Json:
    return {
        "name": bot.name,
        "current": _named(bot.current),
        "former": _named(bot.former),
        "versions": [_version(bot, version, counts) for version in bot.versions],
    }


def _version(bot: RegisteredBot, version: BotVersion, counts: Mapping[str, Mapping[str, int]]) -> Json:
    ratings = use_cases().leaderboards.of(bot.app, f"{BOT}{bot.name}:{version.number}")
    return {
        "version": str(version.number),
        "url": version.url,
        "strength": version.strength,
        "created_at": version.created_at,
        "retired": version.retired,
        "share": bot.parts.get(version.number, 0),
        "health": health_of(counts.get(with_version(bot.name, version.number), {})),
        "ratings": ratings,
    }


def _named(number: int | None) -> str | None:
    return None if number is None else str(number)


def _app() -> str:
    """The app that asks; the operation has no query."""
    app = use_cases().callers.acting_app(current_caller())
    query(_NO_QUERY)
    return app
