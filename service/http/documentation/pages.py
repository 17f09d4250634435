"""The pages: the API's description for programs and for people, the problems, the guide, and the page for
developers.
"""

import secrets
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from flask import Blueprint, render_template_string, request, send_from_directory
from markupsafe import Markup
from werkzeug.wrappers import Response

from service.http import problems
from service.http.admission.preconditions import unless_known
from service.http.compression import compressed_document
from service.http.documentation import guide, search
from service.http.page import assets
from service.http.page.routes import is_for_apps, missing, wants_page
from service.http.parts import parts
from service.http.problems import Problem

pages = Blueprint("pages", __name__)

OWN = Path(__file__).parents[2] / "web"
SCALAR = "scalar.standalone.js"
OWN_FILES = ("page.css", "site.js", "docs.js")
STYLES = "style-src 'self'"
# Tables of the guide align their columns by style attributes, and Scalar sets some.
POLICY = (
    f"default-src 'none'; script-src 'self'; {STYLES}; style-src-attr 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
KEY = "YOUR_APP_KEY"  # a placeholder, where games need a key
EMBEDDING = "how-to/embed-a-table"


@pages.get("/openapi.json")
def openapi_json() -> Response:
    """The OpenAPI document as JSON."""
    from service.http.documentation import openapi

    return _described(openapi.as_json(), "application/json")


@pages.get("/openapi.yaml")
def openapi_yaml() -> Response:
    """The OpenAPI document as YAML."""
    from service.http.documentation import openapi

    return _described(openapi.as_yaml().encode(), "application/yaml")


def _described(body: bytes, content_type: str) -> Response:
    response = Response(body, content_type=content_type, headers={"Cache-Control": "no-cache"})
    response.add_etag()
    return compressed_document(unless_known(response))


@pages.get("/developers")
def developers() -> Response:
    """The start page for programmers: a first program, and links to all else."""
    values = {
        "address": (parts().settings.public_url or request.host_url).rstrip("/"),
        "key": KEY if is_for_apps() else None,
        "embedding": EMBEDDING if EMBEDDING in guide.pages() else None,
    }
    return _document("For developers", _rendered("developers.html", **values), "/developers")


@pages.get("/docs")
def docs() -> Response:
    """The API reference, to read, to search and to try out, shown by Scalar.

    Scalar makes its styles by scripts. `docs.js` marks them with the nonce of the answer, and no others are allowed.
    """
    nonce = secrets.token_urlsafe(16)
    root = f"/assets/{assets.digest()}"
    answer = _html(_rendered("docs.html", nonce=nonce, assets=root))
    answer.headers["Content-Security-Policy"] = POLICY.replace(STYLES, f"{STYLES} 'nonce-{nonce}'")
    return answer


@pages.app_template_filter("inline")
def inline(text: str) -> Markup:
    """A sentence with code in backticks, as HTML."""
    return guide.inline(text)


@pages.get("/problems")
def problem_kinds() -> Response:
    """The meanings of the codes; the `type` of a problem document is an address on this page."""
    return _document("Problems", _rendered("problems.html", kinds=problems.KINDS), "/problems")


@pages.get("/guide")
@pages.get("/guide/<path:name>")
def guide_page(name: str = guide.INDEX) -> Response:
    """A page of the documentation, a file that belongs to one, or the results of a search."""
    query = request.args.get("q", "")[: search.LONGEST].strip()
    if query and name == guide.INDEX:
        title = f"Search: {query}"
        return _guide(title, query=query, results=search.found(query), here="")
    if name in guide.files():
        path = guide.files()[name]
        return _described(path.read_bytes(), guide.FILES[path.suffix])
    if name not in guide.pages():
        if wants_page():
            return missing()
        raise Problem("not-found", "There is no such page; /guide lists them.")
    title, html = guide.page(name)
    return _guide(title, here=name, html=html)


def _guide(title: str, **values: object) -> Response:
    rendered = _rendered("guide.html", title=title, tree=search.tree(), **values)
    return _document(title, rendered, "/guide")


def _document(title: str, body: str, here: str) -> Response:
    """A document in the layout of the page; `here` is its place among the documents."""
    root = f"/assets/{assets.digest()}"
    return _html(_rendered("site.html", title=title, body=Markup(body), here=here, assets=root))  # noqa: S704 -- ours


def _rendered(name: str, **values: object) -> str:
    return render_template_string(_template(name), **values)


def _html(text: str) -> Response:
    headers = {
        "Content-Security-Policy": POLICY,
        "Cross-Origin-Opener-Policy": "same-origin",
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-cache",
    }
    return compressed_document(Response(text, headers=headers, content_type="text/html; charset=utf-8"))


@cache
def _template(name: str) -> str:
    return (OWN / name).read_text()


@pages.get(f"/static/<any({', '.join(map(repr, (*OWN_FILES, SCALAR)))}):name>")
def static_file(name: str) -> Response:
    """A file that the pages need; they load nothing from other sites."""
    response = send_from_directory(
        _scalar() if name == SCALAR else OWN, name, max_age=3600, conditional=False
    )
    return compressed_document(unless_known(response))


@cache
def _scalar() -> Path:
    """Folder of Scalar's files. Its package is found but not imported, because the import would load a
    web framework.
    """
    found = find_spec("flask_openapi_scalar")
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).parent / "templates/scalar/js"
