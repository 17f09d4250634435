"""The application factory: wires settings, use-cases and resources into one WSGI application."""

import logging
import os
import time
from collections.abc import Iterable
from ipaddress import ip_network
from typing import TYPE_CHECKING, Any, cast
from wsgiref.types import StartResponse, WSGIEnvironment

from flask import Flask, request
from flask.globals import request_ctx
from flask.sessions import SecureCookieSessionInterface, SessionMixin
from werkzeug.exceptions import HTTPException, MethodNotAllowed
from werkzeug.routing import IntegerConverter, Map, UnicodeConverter
from werkzeug.wrappers import Response

from domain.errors import DomainError
from events.apps.records import KEY_ID, NAME
from events.errors import (
    EngineError,
    NoAnswer,
    StoreRefuses,
    StoreUnavailable,
    TooManyForks,
    TooManyGames,
    TooManyWaitingDeliveries,
)
from events.runtime import bootstrap
from events.runtime.metrics import LIMITED
from events.runtime.rates import rates_of
from events.runtime.settings import Settings, load
from events.scheduling import Slices
from events.use_cases.application import Application
from events.use_cases.bots.queries import BotQueries
from events.warning_throttle import WarningThrottle
from service.http import problems
from service.http.admission.addresses import Addresses
from service.http.admission.concurrency import EXPORTS, ConcurrencyLimits
from service.http.admission.cors import Cors, allowed_headers
from service.http.admission.hosts import refuse_impossible_host
from service.http.admission.origins import Origins
from service.http.admission.pace import Guesses, Pace
from service.http.admission.rates import RateLimits, Scale
from service.http.call import CALL, REQUEST_ID, Call, current_call
from service.http.documentation import guide, pages
from service.http.fast_path import FastPath
from service.http.operations.access_log import access_log
from service.http.operations.queue_metrics import QueueMetrics
from service.http.operations.readiness import STORE_AWAY, Readiness, RedisReadiness
from service.http.operations.request_metrics import measure, template
from service.http.operations.tracing import HotPath, TracedFastPath, noting, traced_app
from service.http.page.routes import page
from service.http.preconditions import held, refuse_unread
from service.http.problems import Problem
from service.http.request_context import refuse_foreign_page
from service.http.resources import BLUEPRINTS
from service.http.resources.housekeeping import housekeeping
from service.http.responses import Reply, empty, show_quota, vary_by_origin, with_common_headers
from service.http.streaming import Broadcast

if TYPE_CHECKING:
    from events.tracing.traces import Traces

log = logging.getLogger("migrato.app")

OPERATIONS = {f"{blueprint.name}.{o.endpoint}": o for blueprint in BLUEPRINTS for o in blueprint.operations}


COUNTED = {blueprint.name for blueprint in BLUEPRINTS if blueprint is not housekeeping}

DOCUMENTS = (pages.pages, page)
OPEN = {None, *(blueprint.name for blueprint in DOCUMENTS)}  # to pages of any other site

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


class WebhookId(UnicodeConverter):
    """A webhook's id in a path; anything else is not found without asking the store."""

    def __init__(self, routes: Map) -> None:
        super().__init__(routes)
        self.regex = "[0-9A-Za-z]{22}"


class DeliveryId(UnicodeConverter):
    """A delivery's id in a path."""

    def __init__(self, routes: Map) -> None:
        super().__init__(routes)
        self.regex = "[0-9A-Za-z-]{1,32}"


class AppName(UnicodeConverter):
    """An app's name in a path; anything else is not found without asking the store."""

    def __init__(self, routes: Map) -> None:
        super().__init__(routes)
        self.regex = NAME.pattern


class AppKeyId(UnicodeConverter):
    """The id of an app's key in a path."""

    def __init__(self, routes: Map) -> None:
        super().__init__(routes)
        self.regex = KEY_ID.pattern


class BotName(UnicodeConverter):
    """A bot's name in a path."""

    def __init__(self, routes: Map) -> None:
        super().__init__(routes)
        self.regex = "[0-9a-z-]{1,64}"


class InviteId(UnicodeConverter):
    """An invite's id in a path; anything else is not found without asking the store."""

    def __init__(self, routes: Map) -> None:
        super().__init__(routes)
        self.regex = "[0-9a-f]{16}"


class MatchTicket(UnicodeConverter):
    """A ticket of quick match in a path; anything else is not found without asking the store."""

    def __init__(self, routes: Map) -> None:
        super().__init__(routes)
        self.regex = "mq_[0-9A-Za-z_-]{43}"


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
        self.fast_path: HotPath | None = None
        self.cors: Cors | None = None
        self.url_map.merge_slashes = False  # a doubled slash within a path is another address, not a redirect
        self.url_map.converters["game_id"] = GameId
        self.url_map.converters["player_id"] = PlayerId
        self.url_map.converters["webhook_id"] = WebhookId
        self.url_map.converters["delivery_id"] = DeliveryId
        self.url_map.converters["app_name"] = AppName
        self.url_map.converters["app_key_id"] = AppKeyId
        self.url_map.converters["bot"] = BotName
        self.url_map.converters["invite"] = InviteId
        self.url_map.converters["match"] = MatchTicket
        self.url_map.converters["seat"] = SeatNumber

    def wsgi_app(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request, with the headers that every answer has."""
        if self.cors is not None:
            start_response = self.cors.for_page(environ, start_response)
        call = Call(environ, self.extensions)
        token = CALL.set(call)
        try:
            answer = None if self.fast_path is None else self.fast_path.answer(call, start_response)
            return (
                super().wsgi_app(environ, with_common_headers(start_response, (REQUEST_ID, call.request_id)))
                if answer is None
                else answer
            )
        finally:
            CALL.reset(token)

    def dispatch_request(self) -> Any:
        """The answer of a view, if it meets the caller's conditions."""
        operation = OPERATIONS.get(request.endpoint or "")
        if operation is not None:
            refuse_unread(operation.headers)
        return held(cast(Reply | Response, super().dispatch_request()))

    def make_response(self, rv: Any) -> Response:  # type: ignore[override]
        """A view's result as Flask's kind of answer."""
        return super().make_response((rv.body, rv.status, rv.headers) if isinstance(rv, Reply) else rv)

    def make_default_options_response(self) -> Response:  # type: ignore[override]
        """Methods of a resource, for clients and for browsers (CORS)."""
        assert request_ctx.url_adapter is not None
        allow = ", ".join(sorted(request_ctx.url_adapter.allowed_methods()))
        headers = {
            "Allow": allow,
            "Access-Control-Allow-Methods": allow,
            "Access-Control-Allow-Headers": allowed_headers(current_call().environ),
            "Access-Control-Max-Age": "86400",
            "Vary": "Access-Control-Request-Headers",
        }
        return empty(204, headers)


def create_app(
    settings: Settings | None = None,
    application: Application | None = None,
    readiness: Readiness | None = None,
    bot_queries: BotQueries | None = None,
    traces: "Traces | None" = None,
) -> Service:
    """The whole service. Settings that are not given come from the environment, and all else from the settings."""
    settings = settings or load(os.environ)
    app = Service()
    app.extensions["settings"] = settings
    traces = bootstrap.traces(settings) if traces is None else traces
    app.extensions["use_cases"] = application or bootstrap.application(
        settings, Slices(_pause), traces=traces
    )
    app.extensions["bot_queries"] = bot_queries or bootstrap.bot_queries(
        settings, app.extensions["use_cases"]
    )
    app.extensions["readiness"] = readiness or RedisReadiness.from_settings(settings)
    warnings = app.extensions["warnings"] = WarningThrottle(log)
    app.extensions["broadcast"] = Broadcast(app.extensions["use_cases"], warnings, bootstrap.memory(settings))
    addresses = Addresses(map(ip_network, settings.trusted_proxies), warnings)
    app.extensions["concurrency"] = ConcurrencyLimits(settings.streams_per_caller, addresses)
    app.extensions["exports"] = ConcurrencyLimits(
        EXPORTS, addresses, name="exports", what="exports under way"
    )
    app.before_request(lambda: refuse_impossible_host(current_call().environ))
    pace = limited(app, settings, Scale(addresses, app.extensions["use_cases"].callers.are_there_keys))
    app.extensions["access_log"] = access_log(settings)
    app.extensions["routes"] = app.url_map
    app.extensions["queue_metrics"] = QueueMetrics.from_settings(settings)
    origins = Origins(settings, app.extensions["use_cases"].callers.are_there_keys)
    app.extensions["origins"] = origins
    cors = Cors(settings)
    app.cors = cors if cors.restricted else None
    by_origin = origins.watched or cors.restricted
    measure(app)
    if by_origin:
        app.after_request(vary_by_origin)
    app.before_request(tell_scope)
    app.before_request(refuse_foreign_pages)
    for blueprint in (*BLUEPRINTS, *DOCUMENTS):
        app.register_blueprint(blueprint)
    app.register_error_handler(Exception, refuse)
    operations = [operation for blueprint in BLUEPRINTS for operation in blueprint.operations]
    fast_path = app.fast_path = FastPath(operations, refuse, by_origin=by_origin, pace=pace)
    if traces is not None:
        app.extensions["access_log"] = noting(app.extensions["access_log"])
        app.fast_path = TracedFastPath(fast_path, traces)
        app.wsgi_app = traced_app(app.wsgi_app, traces)  # type: ignore[assignment,method-assign]
    return app


def limited(app: Service, settings: Settings, scale: Scale) -> Pace | None:
    """Have the app count what callers do, and refuse what is too much; what counts its requests, if anything does."""
    rates = rates_of(settings.limits)
    counts = bootstrap.rate_counts(settings)
    app.extensions["rate_limits"] = RateLimits(rates, counts, scale, app.extensions["warnings"])
    app.extensions["guesses"] = Guesses(rates["guesses"], scale) if "guesses" in rates else None
    if rates:
        app.after_request(show_quota)
    if "requests" not in rates:
        return None
    pace = Pace(rates["requests"], scale)

    def count_request() -> None:
        if request.blueprint in COUNTED:
            pace.count(current_call())

    app.before_request(count_request)
    return pace


def tell_scope() -> None:
    """Tell the scope that an app's key needs for the request."""
    operation = OPERATIONS.get(request.endpoint or "")
    if operation is not None:
        current_call().scope = operation.scope


def refuse_foreign_pages() -> None:
    """Without app keys, let pages of other sites do what is open to them and nothing else."""
    operation = OPERATIONS.get(request.endpoint or "")
    is_open = request.blueprint in OPEN or (operation is not None and operation.foreign)
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
            _warnings().warning(STORE_AWAY, error.said, kind=error.kind)
            after = {"Retry-After": str(error.seconds)} if isinstance(error, StoreRefuses) else {}
            return Problem(error.code, error.detail, headers=after)
        case NoAnswer():
            _warnings().warning("a question to a bot was not answered: %s", error.reason)
            return Problem(error.code, error.detail)
        case TooManyGames() | TooManyForks() | TooManyWaitingDeliveries():
            LIMITED.labels(error.data["limit"]["name"]).inc()
            return Problem(error.code, error.detail, **error.data)
        case DomainError() | EngineError() if error.code in problems.KINDS and error.code != "internal-error":
            game = current_call().game
            rule_url = guide.rule_url(game, error.rule) if error.rule and game is not None else None
            return Problem(error.code, error.detail, rule=error.rule, rule_url=rule_url, **error.data)
        case HTTPException(code=int(status)) if status in problems.CODE_OF_STATUS:
            headers = {}
            if isinstance(error, MethodNotAllowed) and error.valid_methods is not None:
                headers["Allow"] = ", ".join(sorted(error.valid_methods))
            return Problem(problems.CODE_OF_STATUS[status], _sentence(error), headers=headers)
        case _:
            log.error("a request failed", exc_info=error, extra={"route": _route()})
            return Problem("internal-error", "An error in the service stopped this request.")


def _route() -> str | None:
    """The template of the route that the request matches: no path, for some day one may hold what is secret."""
    call = current_call()
    try:
        adapter = call.extensions["routes"].bind("")
        rule, _ = adapter.match(call.path, call.environ["REQUEST_METHOD"], return_rule=True)
    except HTTPException:
        return None
    return template(rule.rule)


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
