"""Rounds with certain cards at certain places, of the cards that the page of the rules lists."""

import re
from typing import Any

from tests.model.migo_model import MORE, TWO, places_of
from tests.support.running import ROOT

PAGE = ROOT / "docs" / "reference" / "rules-migo.md"
ROW = re.compile(r"^\| (E\d\d) \| (.+) \| (.+) \|$", re.MULTILINE)


def _face(told: str) -> dict[str, Any]:
    count, _, kind = told.rpartition(" ")
    return {"kind": kind, "count": int(count or 0)}


FACES = {
    card + side: _face(told)
    for card, *faces in ROW.findall(PAGE.read_text())
    for side, told in zip("ab", faces, strict=True)
}
COUNTED = {name: (face["kind"], face["count"]) for name, face in FACES.items()}  # as the model has them
CARDS = sorted({name[:3] for name in FACES})
PLAIN = [card + "a" for card in CARDS if FACES[card + "a"]["kind"] not in ("bottle", "hat")]
REST = [card + "a" for card in CARDS if card + "a" not in PLAIN]


def places(layout: str, size: int) -> int:
    """The number of cards that lie there, laid out for two or for four."""
    return len(places_of(layout, (TWO if size == 2 else MORE)[layout]))


def prepared(layout: str, size: int, at: dict[int, str]) -> list[str]:
    """A round with these cards at these places, and others, with their front up, everywhere else."""
    used = {name[:3] for name in at.values()}
    others = iter([name for name in (*PLAIN, *REST) if name[:3] not in used])
    return [at.get(place) or next(others) for place in range(places(layout, size))]


def ropes(at: dict[int, str]) -> list[str]:
    """A first round of two players: 5, 10, 14 and 17 can be taken at the start."""
    return prepared("ropes", 2, at)
