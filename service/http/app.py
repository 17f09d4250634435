"""The Flask application: two ways from a request into the pipeline, and the routes that they find."""

import os
import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final, cast
from wsgiref.types import StartResponse, WSGIEnvironment

from flask import Flask
from flask.ctx import RequestContext
from flask.sessions import SecureCookieSessionInterface, SessionMixin
from werkzeug.exceptions import HTTPException
from werkzeug.routing import Rule
from werkzeug.wrappers import Response

from events.application import Application
from events.features.bots.questions import BotQuestions
from events.runtime import bootstrap
from events.runtime.settings import Settings, load
from service.http import pipeline
from service.http.admission.cors import allowed_headers
from service.http.call import CALL, Call, Found, Route, current_call
from service.http.documentation import pages
from service.http.operations.readiness import Readiness
from service.http.operations.tracing import Answer, traced
from service.http.page.routes import missing, page, wants_page
from service.http.parts import PARTS, Parts, parts_of
from service.http.resources import BLUEPRINTS
from service.http.resources.housekeeping import housekeeping
from service.http.responses import NO_BODY, STATUS, Reply, empty, of_flask
from service.http.routing.path_parameters import teach
from service.http.routing.short_way import ShortWay

if TYPE_CHECKING:
    from events.tracing.traces import Traces

DOCUMENTS: Final = (pages.pages, page)  # open to pages of every site
_PARAMETER: Final = re.compile(r"<(?:\w+:)?(\w+)>")


class _NoSessions(SecureCookieSessionInterface):
    """No sessions: the service has no cookies."""

    def save_session(self, app: Flask, session: SessionMixin, response: Response) -> None: ...


class _Findable(Rule):
    """A Werkzeug rule by which a resource is found. It cannot build addresses: the code for that takes half
    of a start.
    """

    def _compile_builder(self, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
        return _no_address


def _no_address(_: Rule, **parameters: Any) -> tuple[str, str]:
    raise NotImplementedError("addresses are not made from routes")


class Service(Flask):
    """The application. Flask finds the routes that the short way does not find, and serves documents."""

    session_interface = _NoSessions()
    url_rule_class = _Findable
    response_class = Response  # type: ignore[assignment]  # Flask's own class adds only what is not used here

    def __init__(self, parts: Parts) -> None:
        super().__init__("service", static_folder=None)
        self.parts = parts
        self.url_map.merge_slashes = False  # a doubled slash within a path is another address, not a redirect
        teach(self.url_map)
        self._routes: dict[str, Route] = {}  # by Flask's endpoint
        for blueprint in (*BLUEPRINTS, *DOCUMENTS):
            self.register_blueprint(blueprint)
        operations = []
        for blueprint in BLUEPRINTS:
            for operation in blueprint.operations:
                route = Route(
                    operation.path,
                    operation.view,
                    scope=operation.scope,
                    foreign=operation.foreign,
                    paced=blueprint is not housekeeping,
                    reads=operation.headers,
                )
                self._routes[f"{blueprint.name}.{operation.endpoint}"] = route
                operations.append((operation.method, route))
        self.short_way = ShortWay(operations)
        self.answer: Answer = self._answer

    def wsgi_app(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request, as a WSGI application."""
        reply = self.answer(environ)
        start_response(STATUS[reply.status], reply.headers)
        if environ["REQUEST_METHOD"] == "HEAD" or reply.status in NO_BODY:
            reply.close()
            return []
        return [reply.body] if reply.pieces is None else reply.pieces

    def _answer(self, environ: WSGIEnvironment) -> Reply:
        """The answer to a request, whose route is found by the short way or by Flask."""
        call = Call(environ)
        parts, current = PARTS.set(self.parts), CALL.set(call)
        try:
            found = self.short_way.find(environ)
            if found is not None:
                call.found = found
                return pipeline.run(call)
            with self.request_context(environ) as context:
                call.found = self._found(context)
                return pipeline.run(call)
        finally:
            CALL.reset(current)
            PARTS.reset(parts)

    def _found(self, context: RequestContext) -> Found:
        """The route that Flask's router has found, or one that refuses the request with 404 or 405."""
        request, rule = context.request, context.request.url_rule
        if rule is None:
            return Found(Route("", _nothing), {"error": request.routing_exception})
        route = self._routes.get(rule.endpoint) or self._document(rule)
        if request.method == "OPTIONS":
            assert context.url_adapter is not None
            allow = ", ".join(sorted(context.url_adapter.allowed_methods()))
            return Found(Route(route.name, _methods, paced=route.paced), {"allow": allow})
        return Found(route, request.view_args or {})

    def _document(self, rule: Rule) -> Route:
        make = self.view_functions[rule.endpoint]

        def view(**parameters: Any) -> Reply:
            return of_flask(cast(Response, make(**parameters)), current_call().environ)

        return Route(_PARAMETER.sub(r"{\1}", rule.rule), view)


def _nothing(error: HTTPException) -> Reply:
    """The refusal; for a browser that asks for a page, it is a page itself."""
    call = current_call()
    if error.code == 404 and call.method in ("GET", "HEAD") and wants_page():
        return of_flask(missing(), call.environ)
    raise error


def _methods(allow: str) -> Reply:
    """The answer to OPTIONS: the methods of a resource, for clients and for browsers (CORS)."""
    headers = {
        "Allow": allow,
        "Access-Control-Allow-Methods": allow,
        "Access-Control-Allow-Headers": allowed_headers(current_call().environ),
        "Access-Control-Max-Age": "86400",
        "Vary": "Access-Control-Request-Headers",
    }
    return empty(headers)


def create_app(
    settings: Settings | None = None,
    application: Application | None = None,
    readiness: Readiness | None = None,
    bot_questions: BotQuestions | None = None,
    traces: "Traces | None" = None,
) -> Service:
    """The whole service. Settings that are not given come from the environment; other parts that are not given come
    from the settings.
    """
    settings = settings or load(os.environ)
    traces = bootstrap.traces(settings) if traces is None else traces
    service = Service(parts_of(settings, application, readiness, bot_questions, traces))
    if traces is not None:
        service.answer = traced(service.answer, traces)
    return service
