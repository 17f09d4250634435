"""The addresses of the page: one document for all of them, and the files that it needs."""

import json
from functools import cache

from flask import Blueprint, render_template_string, request
from markupsafe import Markup
from werkzeug.wrappers import Response

from domain.words.languages import LANGUAGE_NAMES, LANGUAGES
from events.errors import StoreUnavailable
from service.http.admission.origins import framing_origin
from service.http.admission.preconditions import unless_known
from service.http.compression import compressed_document
from service.http.page import assets
from service.http.parts import parts
from service.http.problems import Problem

page = Blueprint("page", __name__)

# Scripts, styles and markup come from files only: with trusted types, a browser refuses to use a string as markup.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'; frame-ancestors "
)
MAIN = "shell/main.js"
FOR_EVER = "public, max-age=31536000, immutable"


def document(**names: str) -> Response:
    """The page; its script shows what the address asks for, and reads the names in the address."""
    del names
    screen = assets.ROUTES.get(str(request.url_rule))
    return _document(MAIN, *filter(None, [screen]))


@page.get("/embed/<game>")
def embedded(game: str) -> Response:
    """A table for a frame: its script reads game and ticket from the address. Only pages of allowed origins may frame
    it.
    """
    del game
    return _document(assets.EMBEDDED, parent=framing_origin(parts().settings, request.args.get("parent", "")))


def _document(main: str, *screens: str, parent: str | None = None) -> Response:
    """The page that begins with the module `main` and shows a screen; pages of the origin `parent` may frame it."""
    headers = {
        "Content-Security-Policy": POLICY + (parent or "'none'"),
        "Cross-Origin-Opener-Policy": "same-origin",
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-cache",
        "Vary": "Accept-Language",
    }
    wanted = (tag[:2] for tag in request.accept_languages.values())
    language = next((tag for tag in wanted if tag in LANGUAGES), "en")  # as shell/i18n.js chooses
    text = render_template_string(
        _template(),
        assets=f"/assets/{assets.digest()}",
        main=main,
        parent=parent,
        first=assets.first_modules((*screens, main), language),
        styles=assets.styles(),
        art=_art(),
        routes=json.dumps(assets.ROUTES),
        languages=json.dumps(LANGUAGE_NAMES, ensure_ascii=False),
        options=json.dumps(assets.OPTIONS),
        levels=json.dumps(assets.LEVELS),
        is_for_apps=is_for_apps(),
    )
    response = Response(text, headers=headers, content_type="text/html; charset=utf-8")
    response.add_etag()
    return compressed_document(unless_known(response), large=512)


def wants_page() -> bool:
    """True if a browser asks for a page to show, and not for a resource of the API or a part of a page."""
    prefers = request.accept_mimetypes.best_match(("application/problem+json", "text/html"))
    return prefers == "text/html" and not request.path.startswith(
        ("/v1/", "/assets/", "/static/", "/.well-known/")
    )


def missing() -> Response:
    """The page for an address without a page: it says so, and links to the start."""
    response = document()
    response.status_code = 404
    response.headers["Vary"] = "Accept, Accept-Language"
    return response


def is_for_apps() -> bool:
    """True if apps need a key, so that the page cannot create a game by itself."""
    try:
        return parts().use_cases.callers.are_there_keys()
    except StoreUnavailable:
        return False  # the page itself reports it


for route in assets.ROUTES:
    page.get(route)(document)


@page.get("/assets/<digest>/<path:name>")
def asset(digest: str, name: str) -> Response:
    """A file of this version of the page; files of other versions do not exist any more."""
    content = assets.files().get(name)
    if content is None or digest != assets.digest():
        raise Problem("not-found", "There is no such file in this version of the page.")
    response = Response(content, content_type=assets.content_type(name), headers={"Cache-Control": FOR_EVER})
    return compressed_document(response, large=512)


@cache
def _template() -> str:
    return (assets.ROOT / "page.html").read_text()


@cache
def _art() -> Markup:
    """The drawings, within the document, so that `use` needs no further request."""
    return Markup(assets.files()["art/drawings.svg"].decode())  # noqa: S704 -- a file of ours
