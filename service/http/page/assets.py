"""The files of the page: all of them under one digest, so that a browser may keep them for ever.

A module imports another by a relative address, so both come from the same version of the page.
"""

import hashlib
import re
from functools import cache
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import Final

ROOT: Final = Path(__file__).parents[2] / "web"
SUFFIXES: Final = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}
STYLES: Final = ("base", "screens", "table", "reading", "figures")
LANGUAGES: Final = ("en", "fr", "de")
_IMPORTED: Final = re.compile(r'\bfrom "(\.[^"]+)"')
_ROUTE: Final = re.compile(r'path: /\^\\/(\w*).*import\("\.\./([^"]+)"\)')


@cache
def files() -> dict[str, bytes]:
    """Files that a browser may ask for, by their path below `service/web`; pages are templates, and not among them."""
    found = sorted(path for path in ROOT.glob("*/**/*") if path.suffix in SUFFIXES)
    return {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in found}


@cache
def digest() -> str:
    """A name of this version of all files."""
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
    """The style sheets in their order: those of every screen, and after them those of the games."""
    found = [name for name in files() if name.endswith(".css")]
    common = [f"style/{name}.css" for name in STYLES]
    return (*common, *sorted(set(found) - set(common)))


@cache
def first_modules(start: str, language: str) -> tuple[str, ...]:
    """Modules that a browser needs before it can show a screen, so that it may ask for all of them at once.

    `start` is the first part of the screen's address (`play`), `language` one of LANGUAGES.
    """
    screens = dict(_ROUTE.findall(files()["shell/routes.js"].decode()))
    found: dict[str, None] = {}
    waiting = [screens[start]] if start in screens else []
    waiting += [f"words/{language}.js", "shell/main.js"]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = None
            imported = _IMPORTED.findall(files()[name].decode())
            waiting += [normpath(join(dirname(name), other)) for other in imported]
    return tuple(found)
