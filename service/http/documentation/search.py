"""Ways to find a page of the guide: the tree of its pages, and a search in their sections."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from service.http.documentation import guide

LONGEST: Final = 100  # characters of a search
MOST: Final = 20  # results
EXCERPT: Final = 160  # characters of text around the first word
BRANCHES: Final = {
    "tutorials": "Tutorials",
    "how-to": "How-to guides",
    "clients": "Clients",
    "reference": "Reference",
    "explanation": "Explanation",
    "adr": "Decisions",
}
OPEN: Final = ("tutorials", "how-to")
_HEADING: Final = re.compile(r"(#{1,4}) (.+)")
_LINK: Final = re.compile(r"\]\(([\w/-]+)\.md\)")
_MARKUP: Final = re.compile(r"\]\([^)]*\)|[`*\[\]|#]")


class Branch(NamedTuple):
    """One kind of pages, with its pages' titles, in the order of the index."""

    title: str
    is_open: bool
    pages: list[tuple[str, str]]

    def holds(self, name: str) -> bool:
        """True if the page is of this kind."""
        return any(page == name for page, _ in self.pages)


class Section(NamedTuple):
    """A section of a page, and its text without markup."""

    page: str
    title: str
    heading: str
    anchor: str
    text: str


class Result(NamedTuple):
    """A section that has all words of a search, and the text around the first of them."""

    page: str
    title: str
    heading: str
    anchor: str
    excerpt: str


@cache
def tree() -> list[Branch]:
    """The guide by the kinds of its pages."""
    index = {name: at for at, name in enumerate(_LINK.findall(guide.pages()[guide.INDEX].read_text()))}
    titles = {section.page: section.title for section in sections()}
    names = sorted(titles, key=lambda name: (index.get(name, len(index)), name))
    return [
        Branch(
            title,
            folder in OPEN,
            [(name, titles[name]) for name in names if name.startswith(f"{folder}/")],
        )
        for folder, title in BRANCHES.items()
    ]


@cache
def sections() -> list[Section]:
    """All sections of all pages."""
    return [section for name in guide.pages() for section in _sections_of(name)]


def _sections_of(name: str) -> Iterator[Section]:
    title, heading, anchor, lines, taken, is_code = "", "", "", list[str](), set[str](), False
    for line in [*guide.pages()[name].read_text().splitlines(), "# "]:
        is_code ^= line.startswith("```")
        found = None if is_code else _HEADING.match(line) or (line == "# ")
        if not found:
            lines.append(line)
            continue
        if heading:
            yield Section(name, title, heading, anchor, _MARKUP.sub("", " ".join(lines)))
        if isinstance(found, re.Match):
            heading, lines = _MARKUP.sub("", found[2]), []
            anchor = guide.slug(heading, taken)
            title = title or heading


def found(query: str) -> list[Result]:
    """The sections that have every word of a search, the best first: those whose heading has them."""
    words = query.lower().split()
    ranked = [(_worth(section, words), at, section) for at, section in enumerate(sections())]
    best = sorted([one for one in ranked if one[0]], key=lambda one: (-one[0], one[1]))
    return [
        Result(section.page, section.title, section.heading, section.anchor, _excerpt(section.text, words[0]))
        for _, _, section in best[:MOST]
    ]


def _worth(section: Section, words: list[str]) -> int:
    """The rank of a section in a search's results, higher for a better match; 0 if it lacks a word."""
    heading, title, text = section.heading.lower(), section.title.lower(), section.text.lower()
    worth = [8 * (word in heading) + 4 * (word in title) + min(text.count(word), 3) for word in words]
    decided = 1 if section.page.startswith("adr/") else 2
    return decided * sum(worth) if all(worth) else 0


def _excerpt(text: str, word: str) -> str:
    at = max(text.lower().find(word), 0)
    start = max(at - EXCERPT // 3, 0)
    cut = text[start : start + EXCERPT].strip()
    return ("… " if start else "") + cut + (" …" if start + EXCERPT < len(text) else "")
