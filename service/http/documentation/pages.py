"""The pages: the API's description for programs and for people, the problems, the guide, and where to begin."""

from functools import cache
from pathlib import Path

import flask_swagger_ui
from flask import Blueprint, current_app, render_template_string, request, send_from_directory
from markupsafe import Markup
from werkzeug.wrappers import Response

from events.runtime.settings import Settings
from service.http import problems
from service.http.compression import compressed_response
from service.http.documentation import guide, openapi
from service.http.preconditions import unless_known
from service.http.problems import Problem

pages = Blueprint("pages", __name__)

OWN = Path(__file__).parents[2] / "web"
SWAGGER_UI = Path(flask_swagger_ui.__file__).parent / "dist"
FILES = {
    "page.css": OWN,
    "docs.js": OWN,
    "swagger-ui.css": SWAGGER_UI,
    "swagger-ui-bundle.js": SWAGGER_UI,
    "favicon-32x32.png": SWAGGER_UI,
}
# Swagger UI sets style attributes, and its style sheet holds pictures as data: addresses.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


@pages.get("/openapi.json")
def openapi_json() -> Response:
    """The OpenAPI document as JSON."""
    return _described(openapi.as_json(), "application/json")


@pages.get("/openapi.yaml")
def openapi_yaml() -> Response:
    """The OpenAPI document as YAML."""
    return _described(openapi.as_yaml().encode(), "application/yaml")


def _described(body: bytes, content_type: str) -> Response:
    response = Response(body, content_type=content_type, headers={"Cache-Control": "no-cache"})
    response.add_etag()
    return compressed_response(unless_known(response), keep=True)


@pages.get("/developers")
def developers() -> Response:
    """Start for programmers: links to all documentation."""
    settings: Settings = current_app.extensions["settings"]
    return _page("developers.html", address=(settings.public_url or request.host_url).rstrip("/"))


@pages.get("/docs")
def docs() -> Response:
    """The API, to read and to try out."""
    return _page("docs.html")


@pages.app_template_filter("inline")
def inline(text: str) -> Markup:
    """A sentence with code in backticks, as HTML."""
    return guide.inline(text)


@pages.get("/problems")
def problem_kinds() -> Response:
    """Meanings of the codes; `type` of a problem document leads here."""
    return _page("problems.html", kinds=problems.KINDS)


@pages.get("/guide")
@pages.get("/guide/<path:name>")
def guide_page(name: str = guide.INDEX) -> Response:
    """A page of the documentation, or a file that belongs to one."""
    if name in guide.files():
        path = guide.files()[name]
        return _described(path.read_bytes(), guide.FILES[path.suffix])
    if name not in guide.pages():
        raise Problem("not-found", "There is no such page; /guide lists them.")
    title, html = guide.page(name)
    return _page("guide.html", title=title, html=html)


def _page(name: str, **values: object) -> Response:
    headers = {
        "Content-Security-Policy": POLICY,
        "Cross-Origin-Opener-Policy": "same-origin",
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-cache",
    }
    return Response(
        render_template_string(_template(name), **values),
        headers=headers,
        content_type="text/html; charset=utf-8",
    )


@cache
def _template(name: str) -> str:
    return (OWN / name).read_text()


@pages.get(f"/static/<any({', '.join(map(repr, FILES))}):name>")
def static_file(name: str) -> Response:
    """A file that the pages need; everything they need is served from here."""
    response = send_from_directory(FILES[name], name, max_age=3600, conditional=False)
    return compressed_response(unless_known(response), keep=True)
