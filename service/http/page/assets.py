"""The files of the page, all under one digest, so that a browser may keep them forever.

A module imports another by a relative address, so both come from the same version of the page.
"""

import hashlib
import json
import re
from functools import cache
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import Any, Final

from domain.registry import GAMES

ROOT: Final = Path(__file__).parents[2] / "web"
SUFFIXES: Final = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}
STYLES: Final = ("base", "screens", "table", "reading", "people", "frame")
ROUTES: Final[dict[str, str]] = json.loads(
    (ROOT / "routes.json").read_text()
)  # the screens' modules, by address
OPTIONS: Final[dict[str, dict[str, Any]]] = {
    name: {
        option.name: {"kind": option.kind, "default": option.default, "choices": option.choices}
        for option in game.option_table
        if option.is_offered
    }
    for name, game in GAMES.items()
}
LEVELS: Final = {name: game.levels for name, game in GAMES.items()}  # the bots that the start offers
EMBEDDED: Final = "embed/main.js"  # starts a table in a frame of another page
_IMPORTED: Final = re.compile(r'\bfrom "(\.[^"]+)"')  # tests/page/test_shell.py compares it with Node


@cache
def files() -> dict[str, bytes]:
    """Files that a browser may ask for, by their path below `service/web`, without the page's templates."""
    found = sorted(path for path in ROOT.glob("*/**/*") if path.suffix in SUFFIXES)
    return {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in found}


@cache
def digest() -> str:
    """A name for this version of all files."""
    hashed = hashlib.sha256()
    for name, content in files().items():
        hashed.update(f"{name} {len(content)}\n".encode())
        hashed.update(content)
    return hashed.hexdigest()[:16]


def content_type(name: str) -> str:
    """The media type of a file."""
    return SUFFIXES[Path(name).suffix]


@cache
def styles() -> tuple[str, ...]:
    """The style sheets in their order: first those of every screen, then those of the games."""
    found = [name for name in files() if name.endswith(".css")]
    common = [f"style/{name}.css" for name in STYLES]
    return (*common, *sorted(set(found) - set(common)))


@cache
def first_modules(first: tuple[str, ...], language: str) -> tuple[str, ...]:
    """The modules that a browser needs before it can show the `first` ones, so that it can ask for all of them at once.

    `language` is the code of a language.
    """
    found: dict[str, None] = {}
    waiting = [*first, f"words/{language}/page.js"]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = None
            imported = _IMPORTED.findall(files()[name].decode())
            waiting += [normpath(join(dirname(name), other)) for other in imported]
    return tuple(found)
