"""Rounds with certain cards at certain places."""

from tests.service.migo.naive import CARDS, FACES, WIDTHS

PLAIN = [card + "a" for card in CARDS if FACES[card + "a"]["kind"] not in ("bottle", "hat")]
REST = [card + "a" for card in CARDS if card + "a" not in PLAIN]


def prepared(layout: str, size: int, at: dict[int, str]) -> list[str]:
    """A round with these cards at these places, and others, with their front up, everywhere else."""
    used = {name[:3] for name in at.values()}
    others = iter([name for name in (*PLAIN, *REST) if name[:3] not in used])
    places = sum(map(sum, WIDTHS[layout, size]))
    return [at.get(place) or next(others) for place in range(places)]


def ropes(at: dict[int, str]) -> list[str]:
    """A first round of two players: 5, 10, 14 and 17 can be taken at the start."""
    return prepared("ropes", 2, at)
