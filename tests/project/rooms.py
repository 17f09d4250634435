"""`python -m tests.project.rooms`: write the table of rooms on the architecture page, from the rooms' docstrings."""

import ast
from pathlib import Path
from typing import Final

from tests.support.markdown import ROOT

PAGE: Final = ROOT / "docs/explanation/architecture.md"
PACKAGES: Final = ("compiled", "domain", "drills", "events", "research", "service", "workers")
ROOMS: Final = sorted(
    path.parent.relative_to(ROOT).as_posix()
    for name in PACKAGES
    for path in (ROOT / name).rglob("__init__.py")
)


def rows() -> list[str]:
    """One line for each room, with its purpose."""
    return [f"| `{room}/` | {_purpose(ROOT / room)} |" for room in ROOMS]


def is_row(line: str) -> bool:
    """True for a line of the page's table of rooms."""
    return line.startswith("| `")


def _purpose(room: Path) -> str:
    """The first paragraph of the room's docstring, as one line."""
    text = ast.get_docstring(ast.parse((room / "__init__.py").read_text())) or ""
    return " ".join(text.split("\n\n")[0].split())


def main() -> None:
    """Replace the rows; the rest of the page stays."""
    lines = PAGE.read_text().splitlines()
    first = next(at for at, line in enumerate(lines) if is_row(line))
    others = [line for line in lines if not is_row(line)]
    PAGE.write_text("\n".join([*others[:first], *rows(), *others[first:]]) + "\n")


if __name__ == "__main__":
    main()
