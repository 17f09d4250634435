"""The documentation as pages: the Markdown files of `docs/`, rendered once, with nothing loaded from other sites.

`docs/reference/http-api.md` is served as `/guide/reference/http-api`; so are the pictures and files beside the pages.
Every heading has the anchor that GitHub gives it. Numbered rules have one more, so that a refusal can link to its rule:
section `### 4.1` is `#4.1`, item 2 of section `## 5.` is `#5.2`, and a table's row of ruling R7 is `#R7`.
`clients/python/README.md` is served as `/guide/clients/python`, where the clients are beside the engine.
"""

import re
from functools import cache
from pathlib import Path
from posixpath import normpath
from typing import TYPE_CHECKING, Final, NamedTuple

from markupsafe import Markup

if TYPE_CHECKING:
    from markdown_it.token import Token

ROOT: Final = Path(__file__).resolve().parents[3]
DOCS: Final = ROOT / "docs"
CLIENTS: Final = ROOT / "clients"
INDEX: Final = "README"
FILES: Final = {
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".json": "application/json",
    ".mjs": "text/plain",
}

_NUMBER: Final = re.compile(r"(\d+(?:\.\d+)*)\.? ")
_RULING: Final = re.compile(r"[A-Z]\d+")
_ABSOLUTE: Final = re.compile(r"[a-z]+:|/")


class Page(NamedTuple):
    """A page as HTML, with its title in plain text."""

    title: str
    html: str


@cache
def pages() -> dict[str, Path]:
    """The Markdown files by their path in the guide, without `.md`."""
    found = {path.relative_to(DOCS).with_suffix("").as_posix(): path for path in sorted(DOCS.rglob("*.md"))}
    clients = {f"clients/{path.parent.name}": path for path in sorted(CLIENTS.glob("*/README.md"))}
    return found | clients


@cache
def _names() -> dict[str, str]:
    """The names of pages and files in the guide, by their path in the repository."""
    served = pages() | files()
    return {path.relative_to(ROOT).as_posix(): name for name, path in served.items()}


@cache
def files() -> dict[str, Path]:
    """Files that pages link to beside pages: pictures, test vectors, programs."""
    found = sorted(path for path in DOCS.rglob("*") if path.suffix in FILES)
    return {path.relative_to(DOCS).as_posix(): path for path in found}


def inline(text: str) -> Markup:
    """A sentence with code in backticks, as HTML."""
    from markdown_it import MarkdownIt

    return Markup(MarkdownIt("commonmark", {"html": False}).renderInline(text))  # noqa: S704 -- nothing but its own tags


def rule_url(game: str, rule: str) -> str | None:
    """Address of a rule of a game; None if the game has no page of rules here."""
    name = f"reference/rules-{game}"
    return f"/guide/{name}#{rule}" if name in pages() else None


@cache
def page(name: str) -> Page:
    """The page of that name. KeyError: there is none."""
    from markdown_it import MarkdownIt  # imported here, because few processes ever show a page

    source = pages()[name].read_text()
    markdown = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    tokens = markdown.parse(source)
    title = _anchored(tokens)
    for token in tokens:
        _linked(token.children or [], name)
    rendered = markdown.renderer.render(tokens, markdown.options, {})
    # so that the keyboard can scroll them
    return Page(title or name, rendered.replace("<pre>", '<pre tabindex="0">'))


def _anchored(tokens: list["Token"]) -> str:
    """The HTML of a page whose headings, rules and rulings have anchors, and whose tables can have the focus; and its
    title.
    """
    title, section, item, depth = "", "", 0, 0
    taken = set[str]()
    for at, token in enumerate(tokens):
        text = _text(tokens[at + 1]) if at + 1 < len(tokens) else ""
        if token.type == "heading_open":
            title = title or text
            number = _NUMBER.match(text)
            section, item = number[1] if number else "", 0
            token.attrSet("id", slug(text, taken))
            if section:
                tokens[at + 1].children = [_anchor(section), *(tokens[at + 1].children or [])]
        elif token.type == "table_open":
            # so that the keyboard can scroll a table that is wider than the window
            token.attrSet("tabindex", "0")
        elif token.type == "ordered_list_open":
            depth += 1
        elif token.type == "ordered_list_close":
            depth -= 1
        elif token.type == "list_item_open" and depth == 1 and section and token.markup in (".", ")"):
            item += 1
            token.attrSet("id", f"{section}.{token.info or item}")
        elif token.type == "td_open" and _RULING.fullmatch(text) and tokens[at - 1].type == "tr_open":
            token.attrSet("id", text)
    return title


def _anchor(name: str) -> "Token":
    """An empty element that can be linked to."""
    from markdown_it.token import Token

    place = Token("html_inline", "", 0)
    place.content = f'<span id="{name}"></span>'
    return place


def _text(token: "Token") -> str:
    return "".join(child.content for child in token.children or [] if child.type in ("text", "code_inline"))


def slug(heading: str, taken: set[str]) -> str:
    """The anchor that GitHub gives a heading."""
    plain = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
    slug, more = plain, 0
    while slug in taken:
        more += 1
        slug = f"{plain}-{more}"
    taken.add(slug)
    return slug


def _linked(children: list["Token"], name: str) -> None:
    """Turn links to files of the repository into links within the guide; a link to a file that is not served becomes
    text.
    """
    folder = pages()[name].relative_to(ROOT).parent.as_posix()
    for token in children:
        attribute = {"link_open": "href", "image": "src"}.get(token.type)
        target = str(token.attrGet(attribute)) if attribute else ""
        if attribute is None or target.startswith("#") or _ABSOLUTE.match(target):
            continue
        path, _, fragment = target.partition("#")
        served = _names().get(normpath(f"{folder}/{path}"))
        if served is None:
            token.tag = "span"
            token.attrs = {}
        else:
            token.attrSet(attribute, f"/guide/{served}" + (f"#{fragment}" if fragment else ""))
    ends = iter([token for token in children if token.type == "link_close"])
    for token in children:
        if token.type == "link_open":
            next(ends).tag = token.tag
