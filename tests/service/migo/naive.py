"""Migo as its rules tell it, naively: what a view, a list of legal moves and a result have to be.

Written from `docs/reference/rules-migo.md` alone, whose table of cards it reads. All rounds are prepared: there is no
chance.
"""

import re
from itertools import pairwise
from typing import Any

from tests.project.running import ROOT

Json = dict[str, Any]
PAGE = ROOT / "docs" / "reference" / "rules-migo.md"
ROW = re.compile(r"^\| (E\d\d) \| (.+) \| (.+) \|$", re.MULTILINE)
GEAR = ("rope", "crampons", "ice_axe", "carabiner")
WIDTHS = {
    ("ropes", 2): [[6], [5], [4], [3]],
    ("ropes", 4): [[7], [6], [5], [4], [3]],
    ("pyramid", 2): [[6, 5, 4, 3]],
    ("pyramid", 4): [[7, 6, 5, 4, 3]],
    ("pyramids", 2): [[3, 2, 1]] * 3,
    ("pyramids", 4): [[4, 3, 2], [3, 2, 1], [4, 3, 2]],
}


def _face(told: str) -> Json:
    count, _, kind = told.rpartition(" ")
    return {"kind": kind, "count": int(count or 0)}


FACES = {
    card + side: _face(told)
    for card, *faces in ROW.findall(PAGE.read_text())
    for side, told in zip("ab", faces, strict=True)
}
CARDS = sorted({name[:3] for name in FACES})


def other(name: str) -> str:
    """The card with its other side up."""
    return name[:3] + ("b" if name[3] == "a" else "a")


def is_sherpa(name: str) -> bool:
    """Whether a sherpa is up."""
    return bool(FACES[name]["kind"] == "sherpa")


def covering(layout: str, size: int) -> list[set[int]]:
    """By place: the places whose cards lie over it."""
    over: list[set[int]] = []
    for shape in WIDTHS[layout, size]:
        if layout == "ropes":
            first, length = len(over), shape[0]
            over += [{first + at + 1} if at + 1 < length else set() for at in range(length)]
            continue
        rows = []
        for width in shape:
            rows.append([len(over) + at for at in range(width)])
            over += [set() for _ in range(width)]
        for row, after in pairwise(rows):
            for at, place in enumerate(after):
                over[row[at]].add(place)
                over[row[at + 1]].add(place)
    return over


def shown(name: str) -> Json:
    """A card as views show it."""
    return {"card": name[:3], "face": name[3], "up": FACES[name], "down": FACES[other(name)]}


class Naive:
    """A game of so many seats whose rounds are all prepared."""

    def __init__(self, seats: int, rounds: list[list[str]], **options: Any) -> None:
        self.seats, self.prepared, self.options = seats, rounds, options
        self.flags = [0] * seats
        self.resigned: list[int] = []
        self.ended: list[Json] = []
        self.takes = 0
        self.result: Json | None = None
        self.lay_out(1, options.get("first_seat", 0))

    def lay_out(self, number: int, starter: int) -> None:
        """The next round."""
        self.round, self.starter, self.to_act = number, starter, starter
        self.layout = (["ropes", "pyramid", "pyramids"] + [self.options.get("round4_layout", "ropes")])[
            number - 1
        ]
        size = 2 if self.seats == 2 and self.options.get("layout_size") != "large" else 4
        self.over = covering(self.layout, size)
        self.table = dict(enumerate(self.prepared[number - 1]))
        assert len(self.table) == len(self.over)
        self.turned = []
        for place in self.free():
            if is_sherpa(self.table[place]):
                self.table[place] = other(self.table[place])
                self.turned.append(self.table[place])
        self.bottles = 3
        self.full, self.empty = [0] * self.seats, [0] * self.seats
        self.cards: list[list[str]] = [[] for _ in range(self.seats)]
        self.last = [-1] * self.seats

    def free(self) -> list[int]:
        """The places whose cards can be taken."""
        return [place for place in self.table if not self.over[place] & self.table.keys()]

    def playing(self) -> list[int]:
        """The seats that have not resigned."""
        return [seat for seat in range(self.seats) if seat not in self.resigned]

    def legal(self, seat: int) -> list[Json]:
        """Every legal move of a seat."""
        if self.result is not None or seat != self.to_act:
            return []
        found: list[Json] = []
        for place in self.free():
            moves: list[Json] = [{"type": "take", "place": place}]
            if is_sherpa(self.table[place]):
                turnable = [None, *[card[:3] for card in self.cards[seat] if not is_sherpa(other(card))]]
                moves = [move | {"flip": card} for move in moves for card in turnable]
            if self.full[seat] and len(self.table) > 1:
                moves = [move | {"drink": drink} for move in moves for drink in (False, True)]
            found += moves
        return found

    def play(self, seat: int, move: Json) -> None:
        """A legal move."""
        if move["type"] == "resign":
            self.resign(seat)
            return
        name = self.table.pop(move["place"])
        self.takes += 1
        self.last[seat] = self.takes
        if not is_sherpa(name):
            self.cards[seat].append(name)
            self.gain(seat, name)
        elif move.get("flip"):
            at = [card[:3] for card in self.cards[seat]].index(move["flip"])
            self.cards[seat][at] = other(self.cards[seat][at])
            self.gain(seat, self.cards[seat][at])
        if move.get("drink"):
            self.full[seat] -= 1
            self.empty[seat] += 1
        else:
            self.to_act = self.after(seat)
        if not self.table:
            self.end_round()
        elif self.takes == self.options.get("turn_limit"):
            self.end("turn_limit", None)

    def gain(self, seat: int, name: str) -> None:
        """A token for a bottle, while there are any."""
        if FACES[name]["kind"] == "bottle" and self.bottles:
            self.bottles -= 1
            self.full[seat] += 1

    def after(self, seat: int) -> int:
        """The next seat that plays."""
        return next(
            s for step in range(1, self.seats + 1) if (s := (seat + step) % self.seats) in self.playing()
        )

    def scores(self) -> list[int]:
        """Of the running round."""
        scores = [-2 * empty for empty in self.empty]
        for kind in (*GEAR, "hat"):
            pieces = [
                sum(FACES[card]["count"] for card in cards if FACES[card]["kind"] == kind)
                for cards in self.cards
            ]
            for seat in range(self.seats):
                scores[seat] += pieces[seat] * (2 if kind == "hat" else 1)
            most = max(pieces[seat] for seat in self.playing())
            if kind == "hat" or most == 0:
                continue
            first = [seat for seat in self.playing() if pieces[seat] == most]
            if len(first) == 1:
                scores[first[0]] += 4
            elif len(first) == 2 and self.seats > 2:
                scores[first[0]] += 2
                scores[first[1]] += 2
        return scores

    def end_round(self) -> None:
        """Score it; the next one, or the end."""
        scores, playing = self.scores(), self.playing()
        best = max(scores[seat] for seat in playing)
        winner = max((seat for seat in playing if scores[seat] == best), key=lambda seat: self.last[seat])
        self.flags[winner] += 1
        self.ended.append({"round": self.round, "layout": self.layout, "scores": scores, "winner": winner})
        if self.flags[winner] == 2:
            self.end("two_flags", winner)
        elif self.round == (3 if self.seats == 2 else 4):
            self.end("round_four", winner)
        elif self.takes == self.options.get("turn_limit"):
            self.end("turn_limit", None)
        else:
            lowest = min(scores[seat] for seat in playing)
            order = [(self.starter + 1 + step) % self.seats for step in range(self.seats)]
            starter = next(seat for seat in order if seat in playing and scores[seat] == lowest)
            self.lay_out(self.round + 1, starter)

    def resign(self, seat: int) -> None:
        """The others play on, if there are two or more."""
        self.resigned.append(seat)
        if self.seats > 2:
            self.cards[seat] = []
        if len(self.playing()) == 1:
            self.end("resigned", self.playing()[0])
        elif self.to_act == seat:
            self.to_act = self.after(seat)

    def totals(self) -> list[int]:
        """The sums of the scores of all rounds."""
        rounds = [ended["scores"] for ended in self.ended]
        if self.table:
            rounds.append(self.scores())
        return [sum(scores[seat] for scores in rounds) for seat in range(self.seats)]

    def end(self, reason: str, winner: int | None) -> None:
        """The result."""
        totals = self.totals()

        def rank(seat: int) -> tuple[int, ...]:
            if seat in self.resigned:
                return (0, self.resigned.index(seat))
            return (1, seat == winner, self.flags[seat], totals[seat])

        places = [1 + sum(rank(of) > rank(seat) for of in range(self.seats)) for seat in range(self.seats)]
        self.result = {
            "winner": places.index(1) if places.count(1) == 1 else None,
            "places": places,
            "reason": reason,
            "flags": self.flags,
            "scores": totals,
        }

    def state(self) -> Json:
        """What everybody sees while the game runs."""
        scores, free = self.scores(), self.free()
        return {
            "phase": "take",
            "round": self.round,
            "layout": self.layout,
            "starter": self.starter,
            "table": [
                {"place": place, **shown(name), "free": place in free}
                for place, name in sorted(self.table.items())
            ],
            "bottles": self.bottles,
            "players": [
                {
                    "seat": seat,
                    "flags": self.flags[seat],
                    "score": scores[seat],
                    "resigned": seat in self.resigned,
                    "bottles": {"full": self.full[seat], "empty": self.empty[seat]},
                    "cards": [shown(name) for name in self.cards[seat]],
                }
                for seat in range(self.seats)
            ],
            "rounds": self.ended,
        }
