"""The addresses of the page: one document for all of them, and the files that it needs."""

from functools import cache

from flask import Blueprint, render_template_string, request
from markupsafe import Markup
from werkzeug.wrappers import Response

from service.http.compression import compressed_response
from service.http.page import assets
from service.http.preconditions import unless_known
from service.http.problems import Problem

page = Blueprint("page", __name__)

# No script, style or markup but from files: with trusted types a browser refuses to take any string for markup.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
FOR_EVER = "public, max-age=31536000, immutable"


@page.get("/")
@page.get("/learn")
@page.get("/play/<game>")
@page.get("/join/<game>")
@page.get("/games/<game>")
@page.get("/players/<player>")
@page.get("/leaderboard")
@page.get("/operator")
@page.get("/proof")
def document(game: str = "", player: str = "") -> Response:
    """The page; its script shows what the address asks for. `game` and `player` are left to it."""
    del game, player
    headers = {
        "Content-Security-Policy": POLICY,
        "Cross-Origin-Opener-Policy": "same-origin",
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-cache",
        "Vary": "Accept-Language",
    }
    wanted = (tag[:2] for tag in request.accept_languages.values())
    language = next((tag for tag in wanted if tag in assets.LANGUAGES), "en")  # as shell/i18n.js chooses
    first = assets.first_modules(request.path.split("/")[1], language)
    text = render_template_string(
        _template(), assets=f"/assets/{assets.digest()}", first=first, styles=assets.styles(), art=_art()
    )
    response = Response(text, headers=headers, content_type="text/html; charset=utf-8")
    response.add_etag()
    return compressed_response(unless_known(response), keep=True, large=512)


@page.get("/assets/<digest>/<path:name>")
def asset(digest: str, name: str) -> Response:
    """A file of this version of the page; that of another version is not there any more."""
    content = assets.files().get(name)
    if content is None or digest != assets.digest():
        raise Problem("not-found", "There is no such file in this version of the page.")
    response = Response(content, content_type=assets.content_type(name), headers={"Cache-Control": FOR_EVER})
    return compressed_response(response, keep=True, large=512)


@cache
def _template() -> str:
    return (assets.ROOT / "page.html").read_text()


@cache
def _art() -> Markup:
    """The drawings, within the document: `use` finds them there without another request."""
    return Markup(assets.files()["art/drawings.svg"].decode())  # noqa: S704 -- a file of ours
