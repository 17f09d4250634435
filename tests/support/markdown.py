"""Reads the project's texts: their fenced blocks, links and headings."""

import re
from itertools import takewhile
from pathlib import Path

ROOT = Path(__file__).parents[2]
TEXTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
ALL_TEXTS = sorted([*TEXTS, *ROOT.glob("benchmarks/**/*.md"), *ROOT.glob("clients/*/README.md")])

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def blocks(text: Path, language: str) -> list[str]:
    """The fenced blocks of one language, from top to bottom."""
    return [code for found, code in FENCE.findall(text.read_text()) if found == language]


def prose(text: Path) -> str:
    """The text without its fenced blocks."""
    return FENCE.sub("", text.read_text())


def links(text: Path) -> list[str]:
    """The targets of every link and picture."""
    return [target or picture for target, picture in LINK.findall(prose(text))]


def anchors(text: Path) -> set[str]:
    """Names for `#...` in the text: its headings, as code forges spell them."""
    titles = [title.lower() for title in HEADING.findall(prose(text))]
    return {re.sub(r"[^\w\- ]", "", title).replace(" ", "-") for title in titles}


def named(text: Path) -> str:
    """The text's path, for the names of tests."""
    return str(text.relative_to(ROOT))


def table(text: Path, head: str) -> list[list[str]]:
    """The cells of each row of the table whose first column has that head."""
    lines = iter(prose(text).splitlines())
    found = any(line.startswith(f"| {head} |") for line in lines)
    assert found, f"{named(text)} has no table of {head}s"
    next(lines)
    rows = takewhile(lambda line: line.startswith("|"), lines)
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
