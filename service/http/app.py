"""The application factory: wires settings, use-cases and resources into one WSGI application."""

import logging
import os
import time
from collections.abc import Iterable
from ipaddress import ip_network
from wsgiref.types import StartResponse, WSGIEnvironment

from flask import Flask, request
from flask.globals import request_ctx
from flask.sessions import SecureCookieSessionInterface, SessionMixin
from werkzeug.exceptions import HTTPException
from werkzeug.routing import IntegerConverter, Map, UnicodeConverter
from werkzeug.wrappers import Response

from domain.errors import DomainError
from events.errors import EngineError, NoAnswer, StoreUnavailable
from events.runtime import bootstrap
from events.runtime.settings import Settings, load
from events.scheduling import Slices
from events.use_cases.application import Application
from events.use_cases.bots.queries import BotQueries
from service.http import problems
from service.http.admission.concurrency import EXPORTS, ConcurrencyLimits
from service.http.admission.origins import Origins
from service.http.call import CALL, Call, current_call
from service.http.documentation import guide, pages
from service.http.fast_path import FastPath
from service.http.operations.queue_metrics import QueueMetrics
from service.http.operations.readiness import Readiness, RedisReadiness
from service.http.operations.request_metrics import measure
from service.http.operations.warning_throttle import WarningThrottle
from service.http.problems import Problem
from service.http.request_context import refuse_foreign_page
from service.http.resources import BLUEPRINTS
from service.http.responses import empty, vary_by_origin, with_common_headers
from service.http.streaming import Broadcast

log = logging.getLogger("migrato.app")

ALLOWED = (
    "Accept, Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Prefer"
)

OPEN_TO_PAGES = {
    f"{blueprint.name}.{o.endpoint}" for blueprint in BLUEPRINTS for o in blueprint.operations if o.foreign
}


LOOK = 0.0002  # seconds that long work rests: time comes after sockets, so these are looked at meanwhile


class GameId(UnicodeConverter):
    """A game's id in a path; anything else is not found without asking the store."""

    def __init__(self, routes: Map) -> None:
        super().__init__(routes)
        self.regex = "[0-9A-Za-z]{1,64}"


class PlayerId(UnicodeConverter):
    """A player's id in a path; anything else is not found without asking the store."""

    def __init__(self, routes: Map) -> None:
        super().__init__(routes)
        self.regex = "pl_[0-9a-z]{20}"


class BotName(UnicodeConverter):
    """A bot's name in a path."""

    def __init__(self, routes: Map) -> None:
        super().__init__(routes)
        self.regex = "[0-9a-z-]{1,64}"


class SeatNumber(IntegerConverter):
    """A seat in a path, in ASCII digits."""

    regex = "[0-9]{1,3}"


class _NoSessions(SecureCookieSessionInterface):
    """There are no cookies here."""

    def save_session(self, app: Flask, session: SessionMixin, response: Response) -> None: ...


class Service(Flask):
    """Flask without sessions and static files, whose OPTIONS answers browsers' preflight requests."""

    session_interface = _NoSessions()
    response_class = Response  # type: ignore[assignment]  # flask's own adds only what is not used here

    def __init__(self) -> None:
        super().__init__("service", static_folder=None)
        self.fast_path: FastPath | None = None
        self.url_map.merge_slashes = False  # a doubled slash within a path is another address, not a redirect
        self.url_map.converters["game_id"] = GameId
        self.url_map.converters["player_id"] = PlayerId
        self.url_map.converters["bot"] = BotName
        self.url_map.converters["seat"] = SeatNumber

    def wsgi_app(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request, with the headers that every answer has."""
        call = Call(environ, self.extensions)
        token = CALL.set(call)
        try:
            answer = None if self.fast_path is None else self.fast_path.answer(call, start_response)
            return (
                super().wsgi_app(environ, with_common_headers(start_response)) if answer is None else answer
            )
        finally:
            CALL.reset(token)

    def make_default_options_response(self) -> Response:  # type: ignore[override]
        """What may be done to a resource, for clients and for browsers (CORS)."""
        assert request_ctx.url_adapter is not None
        allow = ", ".join(sorted(request_ctx.url_adapter.allowed_methods()))
        headers = {
            "Allow": allow,
            "Access-Control-Allow-Methods": allow,
            "Access-Control-Allow-Headers": ALLOWED,
            "Access-Control-Max-Age": "86400",
        }
        return empty(204, headers)


def create_app(
    settings: Settings | None = None,
    application: Application | None = None,
    readiness: Readiness | None = None,
    bot_queries: BotQueries | None = None,
) -> Service:
    """The whole service. Settings that are not given come from the environment, and all else from the settings."""
    settings = settings or load(os.environ)
    app = Service()
    app.extensions["settings"] = settings
    app.extensions["use_cases"] = application or bootstrap.application(settings, Slices(_pause))
    app.extensions["bot_queries"] = bot_queries or bootstrap.bot_queries(
        settings, app.extensions["use_cases"]
    )
    app.extensions["readiness"] = readiness or RedisReadiness.from_settings(settings)
    warnings = app.extensions["warnings"] = WarningThrottle(log)
    app.extensions["broadcast"] = Broadcast(app.extensions["use_cases"], warnings, bootstrap.memory(settings))
    proxies = [ip_network(proxy) for proxy in settings.trusted_proxies]
    app.extensions["concurrency"] = ConcurrencyLimits(settings.streams_per_caller, proxies)
    app.extensions["exports"] = ConcurrencyLimits(EXPORTS, proxies, name="exports", what="exports under way")
    app.extensions["queue_metrics"] = QueueMetrics.from_settings(settings)
    origins = app.extensions["origins"] = Origins(settings)
    measure(app)
    if origins.watched:
        app.after_request(vary_by_origin)
    app.before_request(refuse_foreign_pages)
    for blueprint in (*BLUEPRINTS, pages.pages):
        app.register_blueprint(blueprint)
    app.register_error_handler(Exception, refuse)
    operations = [operation for blueprint in BLUEPRINTS for operation in blueprint.operations]
    app.fast_path = FastPath(operations, refuse, by_origin=origins.watched)
    return app


def refuse_foreign_pages() -> None:
    """Where no app keys tell who asks, pages of other sites may do what is open to them and nothing else."""
    is_open = request.endpoint in OPEN_TO_PAGES or request.blueprint in (None, pages.pages.name)
    if not is_open and request.method != "OPTIONS":
        refuse_foreign_page()


def _pause() -> None:
    time.sleep(LOOK)  # gevent's, where gunicorn runs the service: all other greenlets go first


def refuse(error: Exception) -> Response:
    """Whatever went wrong as a problem document (RFC 9457); what nobody foresaw is logged and not shown."""
    problem = _problem_of(error)
    if problem.code == "validation-error":
        _cite(problem)
    return problems.answer(problem)


def _cite(problem: Problem) -> None:
    """Names the rule that says what the first member at fault may be, where the game has one."""
    call = current_call()
    members = [field.partition(".")[0] for field in problem.members.get("errors", ())]
    rule = next((call.rules[member] for member in members if member in call.rules), None)
    if rule is not None and call.game is not None:
        problem.members |= {"rule": rule, "rule_url": guide.rule_url(call.game, rule)}


def _problem_of(error: Exception) -> Problem:
    match error:
        case Problem():
            return error
        case StoreUnavailable():
            _warnings().warning("the store does not answer: %s", error.reason)
            return Problem(error.code, error.detail)
        case NoAnswer():
            _warnings().warning("a question to a bot was not answered: %s", error.reason)
            return Problem(error.code, error.detail)
        case DomainError() | EngineError() if error.code in problems.KINDS and error.code != "internal-error":
            game = current_call().game
            rule_url = guide.rule_url(game, error.rule) if error.rule and game is not None else None
            return Problem(error.code, error.detail, rule=error.rule, rule_url=rule_url, **error.data)
        case HTTPException(code=int(status)) if status in problems.CODE_OF_STATUS:
            headers = {k: v for k, v in error.get_headers() if k == "Allow"}
            return Problem(problems.CODE_OF_STATUS[status], _sentence(error), headers=headers)
        case _:
            log.error(
                "%s %s failed", current_call().environ["REQUEST_METHOD"], current_call().path, exc_info=error
            )
            return Problem("internal-error", "An error in the service stopped this request.")


def _warnings() -> WarningThrottle:
    warnings: WarningThrottle = current_call().extensions["warnings"]
    return warnings


def _sentence(error: HTTPException) -> str:
    match error.code:
        case 404:
            return "There is nothing at this address."
        case 405:
            return f"This resource has no method {current_call().environ['REQUEST_METHOD']}."
        case _:
            return "The request could not be understood."
