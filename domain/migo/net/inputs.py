# compiled into migo
"""Inputs of the net for a table, from a seat: numbers and values of inputs, ONE for 1.0.

Judged is the moment after a take, while cards lie: all of it is public. Kinds of equipment are told apart by how the
seat stands in them, not by their names. `research/training/kernel/migo/inputs.hpp` is the same.
"""

from typing import Final

from domain.migo.net.layout import (
    AGAINST,
    AHEAD,
    BOTTLE_CLASS,
    CLASSES,
    COARSE,
    CUT,
    DEEP,
    END,
    FAR,
    FLAG,
    FLAG_LEAD,
    FLIP,
    FREE,
    FREE_COUNT,
    FREE_NEXT,
    FULL,
    HAT_CLASS,
    HEAPS,
    IN_GAME,
    KIND,
    LAST_TAKER,
    LAYOUT,
    LEADS,
    MARGINS,
    NEXT_FLIP,
    NEXT_FULL,
    OTHERS_FULL,
    OWN_FLAG,
    PAIR,
    PLAYING,
    POINTS,
    ROUND,
    SCORE,
    SHERPA_CLASS,
    SHERPAS,
    TIE_BREAK,
    TIED,
    TO_ACT,
    TOKENS_LEFT,
    TOTAL,
    UNDER,
    USELESS_CLASS,
)
from domain.migo.rules.cards import BOTTLE, GEAR, HAT, SHERPA, CardTable
from domain.migo.rules.layouts import LARGE, LAYOUTS
from domain.migo.rules.options import size_of_layouts
from domain.migo.rules.scoring import EMPTY_POINTS, HAT_POINTS, MAJORITY, SHARED_MAJORITY, scores
from domain.migo.rules.state import Player, State, layout_of, next_seat, setup_of, tokens_left
from domain.net.network import ONE

Inputs = list[tuple[int, int]]
_FAR_LEAD: Final = 5
_NEAR_LEAD: Final = 3
_MARGIN: Final = 15
_MOST_LYING: Final = 8
_MOST_FREE: Final = 9
_MOST_FLIP: Final = 10
_MOST_POINTS: Final = 32
_POINT: Final = ONE // 8
_NOBODY: Final = -1_000_000


class Standing:
    """Standing of a seat in each kind of equipment: `own` pieces, the `best` of the others, how many of them have so
    many (`ties`), the `lead`.
    """

    __slots__ = ("best", "lead", "own", "ties")

    def __init__(self, pieces: list[list[int]], seat: int, resigned: tuple[int, ...]) -> None:
        """`pieces` are by kind, then by seat."""
        self.own: list[int] = []
        self.best: list[int] = []
        self.ties: list[int] = []
        self.lead: list[int] = []
        for of_kind in pieces:
            best = ties = 0
            for other, count in enumerate(of_kind):
                if other == seat or other in resigned:
                    continue
                if count > best:
                    best, ties = count, 1
                elif count == best and best:
                    ties += 1
            self.own.append(of_kind[seat])
            self.best.append(best)
            self.ties.append(ties)
            self.lead.append(of_kind[seat] - best)

    def majority(self, kind: int, pieces: int, shared: bool) -> int:
        """The points for having so many pieces; `shared`: whether two who tie share them."""
        best = self.best[kind]
        if pieces > best:
            return MAJORITY
        return SHARED_MAJORITY if shared and pieces and pieces == best and self.ties[kind] == 1 else 0


class Table:
    """Open cards after a take, the same for every seat."""

    def __init__(self, state: State, left: int | None = None) -> None:
        """Cards lie, and a seat is to act; `left`: takes until the round ends; as many as cards lie unless told."""
        setup = setup_of(state)
        self._state = state
        self._cards: CardTable = setup.options.card_table
        self._layout = layout_of(state)
        self._seats = len(state.players)
        self._tokens = tokens_left(state)
        self._now = scores(state)
        self._pieces: list[list[int]] = [[] for _ in range(GEAR)]
        self._points: list[int] = []
        for player in state.players:
            self._count(player)
        self._lies = [0] * GEAR
        self._sherpas = 0
        lying = state.lying
        for place, face in enumerate(state.dealt):
            if lying >> place & 1:
                kind = self._cards.kinds[face]
                if kind < GEAR:
                    self._lies[kind] += self._cards.counts[face]
                elif kind == SHERPA:
                    self._sherpas += 1
        limit = setup.options.turn_limit
        left = state.left if left is None else left
        self._ahead = left if limit is None else min(left, limit - state.takes)
        self.is_cut = self._ahead < left
        large = size_of_layouts(setup.options.layout_size, self._seats) == LARGE
        self._layout_input = LAYOUT + 2 * LAYOUTS.index(self._layout.name) + large
        self._standings: dict[int, Standing] = {}

    def _count(self, player: Player) -> None:
        """The player's pieces by kind, and its points without majorities."""
        own, points = [0] * GEAR, EMPTY_POINTS * player.empty
        for face in player.cards:
            kind, count = self._cards.kinds[face], self._cards.counts[face]
            if kind < GEAR:
                own[kind] += count
                points += count
            elif kind == HAT:
                points += HAT_POINTS * count
        for kind in range(GEAR):
            self._pieces[kind].append(own[kind])
        self._points.append(points)

    def _standing(self, seat: int) -> Standing:
        standing = self._standings.get(seat)
        if standing is None:
            standing = Standing(self._pieces, seat, self._state.resigned)
            self._standings[seat] = standing
        return standing

    def inputs(self, seat: int) -> Inputs:
        """Inputs of the net from a seat that plays."""
        to_act = self._state.to_act
        assert to_act is not None
        own = self._standing(seat)
        inputs: Inputs = []
        self._add_kinds(inputs, own)
        self._add_table(inputs, own, None if seat == to_act else self._standing(to_act))
        self._add_takes(inputs, seat, to_act)
        self._add_points(inputs, seat)
        self._add_means(inputs, seat, to_act)
        if self._seats > 2 or self.is_cut:
            self._add_flags(inputs, seat)
        return inputs

    def _add_kinds(self, inputs: Inputs, own: Standing) -> None:
        more = self._seats > 2
        for kind in range(GEAR):
            lead = max(-_FAR_LEAD, min(_FAR_LEAD, own.lead[kind])) + _FAR_LEAD
            at = KIND + (more * LEADS + lead) * HEAPS + min(_MOST_LYING, self._lies[kind])
            inputs.append((at, ONE))
            if more and own.ties[kind] > 1:
                inputs.append((TIED + lead, ONE))

    def _add_table(self, inputs: Inputs, own: Standing, others: Standing | None) -> None:
        """The cards that lie; `others` is how the seat to act stands, if it is another one."""
        state, kinds = self._state, self._cards.kinds
        lying, above = state.lying, self._layout.above
        mine = 0 if others is not None else CLASSES
        free = 0
        for place, face in enumerate(state.dealt):
            if not lying >> place & 1:
                continue
            value = self._cards.counts[face] * ONE if kinds[face] == HAT else ONE
            covering = lying & above[place]
            if not covering:
                free += 1
                inputs.append((FREE + mine + self._class(face, own), value))
                if others is not None:
                    inputs.append((FREE_NEXT + self._class(face, others), value))
            elif not covering & covering - 1:
                cover = state.dealt[covering.bit_length() - 1]
                inputs.append((UNDER + mine + self._class(face, own), value))
                inputs.append((PAIR + self._coarse(cover, own) * COARSE + self._coarse(face, own), ONE))
            elif covering.bit_count() == 2:
                inputs.append((DEEP + self._class(face, own), value))
            else:
                inputs.append((FAR + self._coarse(face, own), value))
        inputs.append((FREE_COUNT + min(_MOST_FREE, free), ONE))

    def _class(self, face: int, of: Standing) -> int:
        """Value of a face to a seat with that standing."""
        kind, count = self._cards.kinds[face], self._cards.counts[face]
        if kind == HAT:
            return HAT_CLASS
        if kind == BOTTLE:
            return BOTTLE_CLASS if self._tokens else USELESS_CLASS
        if kind == SHERPA:
            return SHERPA_CLASS
        rest = min(3, (self._lies[kind] - count + 1) // 2)
        lead = max(-_NEAR_LEAD, min(_NEAR_LEAD, of.lead[kind])) + _NEAR_LEAD
        return ((7 if count > 1 else 0) + lead) * 4 + rest

    def _coarse(self, face: int, of: Standing) -> int:
        kind = self._cards.kinds[face]
        if kind >= GEAR:
            return 6 + kind - HAT
        lead = of.lead[kind]
        return (3 if self._cards.counts[face] > 1 else 0) + (0 if lead <= -2 else 1 if lead < 2 else 2)

    def _add_takes(self, inputs: Inputs, seat: int, to_act: int) -> None:
        """Inputs for the takes to come, by seat."""
        seats, resigned, ahead = self._seats, self._state.resigned, self._ahead
        taker = to_act
        for _ in range((ahead - 1) % (seats - len(resigned))):
            taker = next_seat(taker, seats, resigned)
        inputs.append((AHEAD + ahead, ONE))
        inputs.append((LAST_TAKER + (taker - seat) % seats, ONE))
        inputs.append((TO_ACT + (to_act - seat) % seats, ONE))
        inputs.append((IN_GAME + seats - 2, ONE))
        inputs.append((PLAYING + seats - len(resigned) - 2, ONE))
        inputs.append((self._layout_input, ONE))

    def _add_points(self, inputs: Inputs, seat: int) -> None:
        state, seats, now = self._state, self._seats, self._now
        points = score = last = _NOBODY
        for step in range(1, seats):
            other = (seat + step) % seats
            if other in state.resigned:
                continue
            points = max(points, self._points[other])
            score = max(score, now[other])
            last = max(last, state.players[other].last)
            lead = max(-_MOST_POINTS, min(_MOST_POINTS, now[seat] - now[other]))
            if lead:
                inputs.append((AGAINST + step - 1, lead * _POINT))
        margin = _margin(now[seat] - score)
        inputs.append((POINTS + _margin(self._points[seat] - points), ONE))
        inputs.append((SCORE + margin, ONE))
        if self._ahead <= 3:
            inputs.append((END + (self._ahead - 1) * MARGINS + margin, ONE))
        if state.players[seat].last > last:
            inputs.append((TIE_BREAK, ONE))

    def _add_means(self, inputs: Inputs, seat: int, to_act: int) -> None:
        """Bottles, and sherpas with what they may turn over."""
        state, is_next = self._state, seat == to_act
        full = 0
        for other, player in enumerate(state.players):
            if other != seat and other not in state.resigned:
                full += player.full
        inputs.append((FULL + 4 * is_next + state.players[seat].full, ONE))
        inputs.append((OTHERS_FULL + full, ONE))
        if not is_next:
            inputs.append((NEXT_FULL + state.players[to_act].full, ONE))
        inputs.append((TOKENS_LEFT + self._tokens, ONE))
        inputs.append((SHERPAS + min(4, self._sherpas), ONE))
        if self._sherpas:
            inputs.append((FLIP + self._best_flip(seat), ONE))
            if not is_next:
                inputs.append((NEXT_FLIP + self._best_flip(to_act), ONE))

    def _best_flip(self, seat: int) -> int:
        """The points that turning one of the seat's cards over brings at most, tokens left out."""
        kinds, counts, best = self._cards.kinds, self._cards.counts, 0
        of = self._standing(seat)
        for face in self._state.players[seat].cards:
            kind, up = kinds[face], kinds[face ^ 1]
            if up == SHERPA:
                continue
            if kind == up:
                gain = self._gain(of, kind, counts[face ^ 1] - counts[face])
            else:
                gain = self._gain(of, up, counts[face ^ 1]) + self._gain(of, kind, -counts[face])
            best = max(best, gain)
        return min(_MOST_FLIP, best)

    def _gain(self, of: Standing, kind: int, count: int) -> int:
        """Worth of so many more pieces."""
        if kind == HAT:
            return HAT_POINTS * count
        if kind >= GEAR:
            return 0
        own, shared = of.own[kind], self._seats > 2
        return count + of.majority(kind, own + count, shared) - of.majority(kind, own, shared)

    def _add_flags(self, inputs: Inputs, seat: int) -> None:
        """Inputs for the score of the game, where the round's flag is not all that matters."""
        state, seats = self._state, self._seats
        most, total = 0, _NOBODY
        for step in range(1, seats):
            other = (seat + step) % seats
            if other in state.resigned:
                continue
            flags = state.players[other].flags
            if flags:
                inputs.append((FLAG + step - 1, ONE))
            most = max(most, flags)
            total = max(total, self._total(other))
        flags = state.players[seat].flags
        if flags:
            inputs.append((OWN_FLAG, ONE))
        inputs.append((ROUND + state.number - 1, ONE))
        if self.is_cut:
            inputs.append((CUT, ONE))
            inputs.append((TOTAL + _margin(self._total(seat) - total), ONE))
            inputs.append((FLAG_LEAD + max(-1, min(1, flags - most)) + 1, ONE))

    def _total(self, seat: int) -> int:
        """The seat's points of all rounds."""
        total = self._now[seat]
        for ended in self._state.rounds:
            total += ended.scores[seat]
        return total


def _margin(points: int) -> int:
    return max(-_MARGIN, min(_MARGIN, points)) + _MARGIN
