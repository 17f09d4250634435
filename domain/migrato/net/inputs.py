# compiled into rules
"""Inputs of the net for an information set, in whole numbers of which 64 are 1.0.

Judged is the moment after a seat's discard and before its draw: so the luck of the draw adds no noise. What may be
drawn is taken as it was when the seat began to think; then comes the opponent's side, then the own one. Each part is
a sum in the net's first layer, so that what many moves share is summed once.
"""

from collections.abc import Sequence
from typing import Final

from domain.migrato.belief.hypotheses import FACES, unseen
from domain.migrato.belief.observation import Observation
from domain.migrato.net.layout import (
    CLOSED,
    DECK,
    DECK_LIST,
    FITS,
    FLIGHTS,
    HAND,
    HELD,
    KINDS,
    LANDED,
    LAST,
    LEAD,
    LEAD_IS,
    LEFT,
    LIMIT,
    MISSING,
    OPTIONS,
    OWN,
    OWN_COLUMNS,
    OWN_DAY,
    OWN_MUDDLES,
    OWN_TOP,
    PILE,
    PROSPECTS,
    SPECIES_COUNT,
    THEIR_COLUMNS,
    THEIR_DARK,
    THEIR_DOWN,
    THEIR_HAND,
    THEIR_PROSPECTS,
    THEIRS,
    USUAL_BIRDS,
    USUAL_CARDS,
    USUAL_SIZE,
    facts_of,
)
from domain.migrato.net.prospects import CHANCE, HASTE, PATIENCE, Prospects, Supply
from domain.migrato.rules.cards import (
    ALL_SPECIES,
    BIRDS,
    DOWN,
    FIRST_DANGER,
    GOAL,
    IS_NIGHT,
    MAX_BIRDS,
    SPECIES_OF,
    STILT,
)
from domain.migrato.rules.columns import Column, Shape
from domain.net.network import ONE, Network

Inputs = list[tuple[int, int]]  # number, value
GOOSE: Final = 0
NEAR_LIMIT: Final = 24  # turns
NO_FLOCK: Final = -1
NO_SPECIES: Final = -1
_MOST: Final = 4096


class Theirs:
    """The opponent's side: the first layer's sums with it, and of each species how soon it may land, and how."""

    def __init__(self, total: int, inputs: Inputs, tempo: list[int], bottom: list[int]) -> None:
        self.total = total
        self.inputs = inputs
        self.tempo = tempo
        self.bottom = bottom


class Moment:
    """A moment that is judged, all but the hand: the first layer's sums, what the seat has landed, the lead, and by
    species the own best flock (length, last birds and how few its first card has; 0 for none). `last`: the species
    whose landing ends the game, or NO_SPECIES. `hands`: by hand, the sums of it and of what it promises these flocks.
    """

    __slots__ = ("best", "hands", "landed", "last", "lead", "theirs", "total")

    def __init__(
        self,
        total: int,
        theirs: Theirs,
        best: list[int],
        hands: dict[tuple[int, ...], int],
        landed: int,
        last: int,
        lead: int,
    ) -> None:
        self.total = total
        self.theirs = theirs
        self.best = best
        self.hands = hands
        self.landed = landed
        self.last = last
        self.lead = lead


class Held:
    """A hand: the first layer's sums; by species its birds, most first, and these as one number."""

    __slots__ = ("birds", "codes", "total")

    def __init__(self, total: int, birds: list[list[int]], codes: list[int]) -> None:
        self.total = total
        self.birds = birds
        self.codes = codes


class Parts:
    """Sums of the first layer, and prospects, that were found before with the same supply of birds."""

    def __init__(self, supply: Supply) -> None:
        self.points = Prospects(supply, PATIENCE, points=True)
        self.tempo = Prospects(supply, PATIENCE, points=False)
        self.hurry = Prospects(supply, HASTE, points=False)
        self.columns: dict[tuple[Column, int], tuple[int, int]] = {}
        self.hands: dict[tuple[int, ...], Held] = {}
        self.own: dict[int, dict[tuple[int, ...], int]] = {}  # by landings and best flocks, then by hand
        self.species: dict[int, tuple[int, int]] = {}
        self.tables: dict[tuple[int, int, int, int], int] = {}
        self.theirs: dict[tuple[tuple[Shape, ...], int, int], Theirs] = {}


class InformationSet:
    """Knowledge of a seat at the beginning of its thinking; judges the moments that its moves lead to."""

    def __init__(
        self, observation: Observation, network: Network, alike: "InformationSet | None" = None
    ) -> None:
        """`alike`: the knowledge of the seat if other cards were hidden. Its chances of draws, and all that follows
        from them, are used again.
        """
        self._network = network
        self._facts = facts_of(observation.rules.deck_list)
        self._flights = observation.rules.return_flight
        self.turns_left: int = observation.rules.last_turn - observation.turn
        self.inputs: Inputs = []
        supply = self._pool(observation)
        self._total: int = network.add(network.bias, self.inputs)
        self.parts: Parts = Parts(supply) if alike is None else alike.parts

    # --- what may be drawn ---

    def _pool(self, observation: Observation) -> Supply:
        """Add the inputs that all moves share; return the supply."""
        facts, rules, deck = self._facts, observation.rules, observation.deck
        left = unseen(rules.deck, observation.me, observation.other, observation.discard_pile)
        closed = closed_cards(observation, left)
        discarded = [0] * FACES
        for face in observation.discard_pile:
            discarded[face] += 1
        discards, size = len(observation.discard_pile), facts.size
        near, soon = max(0, 12 - deck), max(0, 16 - deck)
        kinds = [[0] * KINDS, [0] * KINDS, [0] * KINDS]
        opened = 0
        for face in range(1, FACES):
            kind = facts.kind[face]
            open_ = max(0, ONE * left[face] - closed[face])
            kinds[0][kind] += open_
            kinds[1][kind] += closed[face]
            kinds[2][kind] += discarded[face]
            opened += open_
        for kind in range(KINDS):
            self._tell(LEFT + kind, kinds[0][kind] * USUAL_SIZE // size // 2)
            self._tell(CLOSED + kind, kinds[1][kind])
            self._tell(PILE + kind, kinds[2][kind] * USUAL_SIZE * soon * 2 // size)
        self._tell(DECK, deck * USUAL_SIZE * 3 // (2 * size))
        self._tell(DECK + 1, near * ONE // 12)
        for s in range(SPECIES_COUNT):
            cards = facts.cards[s] * USUAL_SIZE * 8 // size - USUAL_CARDS[s] * 8
            birds = facts.birds[s] * USUAL_SIZE * 2 // size - USUAL_BIRDS[s] * 2
            self._tell(DECK_LIST + s, cards)
            self._tell(DECK_LIST + SPECIES_COUNT + s, birds)
        self._tell(OPTIONS, ONE if rules.book == "opla" else 0)
        self._tell(OPTIONS + 1, ONE if rules.return_flight else 0)
        turns = self.turns_left
        if turns < NEAR_LIMIT:
            self._tell(OPTIONS + 2, (NEAR_LIMIT - turns) * ONE // NEAR_LIMIT)
            self._tell(LIMIT + _limit_class(turns), ONE)
        chances = [[0] * (MAX_BIRDS + 1) for _ in GOAL]
        for face in range(1, FIRST_DANGER):
            open_ = max(0, ONE * left[face] - closed[face])
            chance = (12 - near) * open_ * (CHANCE // 16) // (12 * max(ONE, opened)) * 16
            if near and discards:
                chance += near * discarded[face] * CHANCE // (12 * discards)
            chances[SPECIES_OF[face]][BIRDS[face]] += chance
        return [
            [(birds, of_birds[birds]) for birds in range(MAX_BIRDS, 0, -1) if of_birds[birds]]
            for of_birds in chances
        ]

    def _tell(self, at: int, value: int) -> None:
        if value:
            self.inputs.append((at, max(-_MOST, min(_MOST, value))))

    # --- the opponent's side ---

    def theirs(self, shapes: Sequence[Shape], landed: int, held: int) -> Theirs:
        """The opponent's side as everybody sees it."""
        key = tuple(shapes), landed, held
        part = self.parts.theirs.get(key)
        if part is None:
            part = self.parts.theirs[key] = self._their_part(shapes, landed, held)
        return Theirs(self._total + part.total, part.inputs, part.tempo, part.bottom)

    def _their_part(self, shapes: Sequence[Shape], landed: int, held: int) -> Theirs:
        """The opponent's side; the sums cover this side alone."""
        inputs: Inputs = []
        facts = self._facts
        length = [0] * SPECIES_COUNT
        top, bottom = [MAX_BIRDS] * SPECIES_COUNT, [MAX_BIRDS] * SPECIES_COUNT
        used = 0
        for shape in shapes:
            n = len(shape)
            if not n:
                continue
            used += 1
            s, birds, down, first = -1, 0, 0, MAX_BIRDS
            for at, face in enumerate(shape):
                if face == DOWN:
                    down += 1
                    continue
                if not at:
                    first = BIRDS[face]
                s, birds, down = SPECIES_OF[face], BIRDS[face], 0
            if s >= 0:
                inputs.append((THEIRS + s * 30 + min(n - 1, 5) * 5 + facts.rank[s][birds], ONE))
                if down:
                    inputs.append((THEIR_DOWN + s, down * ONE))
            else:
                dark = landed >> STILT & 1
                inputs.append((THEIR_DARK + dark * 6 + min(n, 5), ONE))
                s = GOOSE if dark else STILT
                birds = first = facts.hidden_birds[s]
            if not landed >> s & 1 and n <= GOAL[s]:
                shown = min(n, GOAL[s] - 1)
                if shown > length[s]:
                    length[s], bottom[s], top[s] = shown, birds, first
        inputs.append((THEIR_COLUMNS + used, ONE))
        inputs.append((THEIR_HAND + min(held, 3), ONE))
        tempo = [0] * SPECIES_COUNT
        for s in range(SPECIES_COUNT):
            if not landed >> s & 1:
                lacking = GOAL[s] - length[s]
                tempo[s] = self.parts.tempo.wait(s, lacking, top[s], bottom[s])
                _tell_prospects(
                    inputs,
                    THEIR_PROSPECTS + s * 3,
                    self.parts.points.wait(s, lacking, top[s], bottom[s]),
                    tempo[s],
                    self.parts.hurry.wait(s, lacking, top[s], bottom[s]),
                )
        return Theirs(self._network.add(0, inputs), inputs, tempo, bottom)

    # --- the own side ---

    def moment(
        self,
        theirs: Theirs,
        columns: Sequence[Column],
        landed: tuple[int, int],
        flights: tuple[int, int],
        lead: int,
    ) -> Moment:
        """Inputs that are the same for all kept cards; `landed` and `flights` are the own and the opponent's."""
        mine, other = landed
        total = theirs.total
        best = [0] * SPECIES_COUNT
        used = muddles = 0
        for column in columns:
            if column:
                used += 1
                known = self.parts.columns.get((column, mine))
                if known is None:
                    known = self.parts.columns[column, mine] = self._column(column, mine)
                flock = known[1]
                if flock == NO_FLOCK:
                    muddles += 1
                    continue
                total += known[0]
                s = flock >> 12
                best[s] = max(best[s], flock & 4095)
        total += self._table(landed, flights, lead, used << 3 | muddles)
        missing = ALL_SPECIES & ~(mine | other)
        last = missing.bit_length() - 1 if missing.bit_count() == 1 else NO_SPECIES
        flocks = mine
        for flock in best:
            flocks = flocks << 12 | flock
        hands = self.parts.own.get(flocks)
        if hands is None:
            hands = self.parts.own[flocks] = {}
        return Moment(total, theirs, best, hands, mine, last, lead)

    def logit(self, moment: Moment, hand: tuple[int, ...]) -> int:
        """The logit of winning with these cards kept."""
        return self._network.logit(self.total(moment, hand))

    def total(self, moment: Moment, hand: tuple[int, ...]) -> int:
        """The first layer's sums for the moment with that hand."""
        own = moment.hands.get(hand)
        if own is None:
            own = moment.hands[hand] = self._own(moment, hand)
        total = moment.total + own
        s = moment.last
        if s == NO_SPECIES:
            return total
        best = moment.best[s]
        tempo = self._of_species(s, best, self._of_hand(hand))[1]
        return self._network.add(total, last_inputs(moment.theirs, s, tempo, _bottom(best), moment.lead))

    def _own(self, moment: Moment, hand: tuple[int, ...]) -> int:
        """The sums of a hand and, with it, of the species that have not landed."""
        held = self._of_hand(hand)
        total = held.total
        for s in range(SPECIES_COUNT):
            if not moment.landed >> s & 1:
                total += self._of_species(s, moment.best[s], held)[0]
        return total

    def _of_hand(self, hand: tuple[int, ...]) -> Held:
        held = self.parts.hands.get(hand)
        if held is None:
            held = self.parts.hands[hand] = self._hand(hand)
        return held

    def _of_species(self, s: int, best: int, held: Held) -> tuple[int, int]:
        """The sums of a species' prospects, and its tempo."""
        key = (held.codes[s] << 3 | s) << 12 | best
        found = self.parts.species.get(key)
        if found is None:
            inputs, tempo = self.species_inputs(s, best, held.birds[s])
            found = self.parts.species[key] = self._network.add(0, inputs), tempo
        return found

    def _column(self, column: Column, landed: int) -> tuple[int, int]:
        """The sums of a column, and its flock: species, length, last birds and how few its first card has."""
        inputs, flock = self.column_inputs(column, landed)
        return self._network.add(0, inputs), flock

    def column_inputs(self, column: Column, landed: int) -> tuple[Inputs, int]:
        """Inputs of the net for an own column."""
        s, n = SPECIES_OF[column[0]], len(column)
        above = MAX_BIRDS
        for face in column:
            if SPECIES_OF[face] != s or BIRDS[face] > above:
                return [], NO_FLOCK
            above = BIRDS[face]
        if landed >> s & 1 or n > GOAL[s]:
            return [], NO_FLOCK
        last, rank, first = column[-1], self._facts.rank[s], BIRDS[column[0]]
        inputs = [
            (OWN + s * 25 + (n - 1) * 5 + rank[BIRDS[last]], ONE),
            (OWN_TOP + s * 5 + rank[first], ONE),
        ]
        if not IS_NIGHT[last]:
            inputs.append((OWN_DAY + s, ONE))
        return inputs, s << 12 | min(n, GOAL[s] - 1) << 8 | BIRDS[last] << 4 | (MAX_BIRDS - first)

    def _hand(self, hand: tuple[int, ...]) -> Held:
        birds: list[list[int]] = [[], [], [], [], []]
        for face in hand:
            if face < FIRST_DANGER:
                birds[SPECIES_OF[face]].append(BIRDS[face])
        codes = []
        for of_species in birds:
            of_species.sort(reverse=True)
            code = 0
            for number in of_species:
                code = code << 4 | number
            codes.append(code)
        return Held(self._network.add(0, self.hand_inputs(hand)), birds, codes)

    def hand_inputs(self, hand: tuple[int, ...]) -> Inputs:
        """Inputs of the net for the own hand."""
        inputs = [(HAND + self._facts.kind[face], ONE) for face in hand]
        inputs.append((HELD + min(len(hand), 4), ONE))
        return inputs

    def species_inputs(self, s: int, best: int, held: list[int]) -> tuple[Inputs, int]:
        """Inputs of the net for a species that the seat has not landed; `best` is a flock, 0 for none."""
        length, bottom = best >> 8, _bottom(best)
        top = MAX_BIRDS - (best & 15) if best else 0
        lacking = GOAL[s] - length
        inputs: Inputs = []
        fitting = sum([birds <= bottom for birds in held])
        if fitting:
            inputs.append((FITS + s * 3 + min(fitting, 3, lacking) - 1, ONE))
        tempo = self.parts.tempo.worth(s, lacking, top, bottom, held)
        points = self.parts.points.worth(s, lacking, top, bottom, held)
        hurry = self.parts.hurry.worth(s, lacking, top, bottom, held)
        _tell_prospects(inputs, PROSPECTS + s * 3, points, tempo, hurry)
        return inputs, tempo

    def _table(self, landed: tuple[int, int], flights: tuple[int, int], lead: int, columns: int) -> int:
        mine, other = landed
        of_flights = (flights[0] << 5 | flights[1]) & 1023
        key = mine << 5 | other, of_flights, lead, columns
        known = self.parts.tables.get(key)
        if known is None:
            inputs = self.table_inputs(landed, flights, lead, columns >> 3, columns & 7)
            known = self.parts.tables[key] = self._network.add(0, inputs)
        return known

    def table_inputs(
        self, landed: tuple[int, int], flights: tuple[int, int], lead: int, used: int, muddles: int
    ) -> Inputs:
        """Inputs of the net for landings, score, and the number of columns."""
        inputs = [(OWN_COLUMNS + used, ONE), (OWN_MUDDLES + muddles, ONE)]
        mine, other = landed
        for s in range(SPECIES_COUNT):
            inputs.append((LANDED + s * 4 + (mine >> s & 1) + 2 * (other >> s & 1), ONE))
            if self._flights:
                whose = 1 if flights[0] >> s & 1 else 2 if flights[1] >> s & 1 else 0
                inputs.append((FLIGHTS + s * 3 + whose, ONE))
        capped = max(-8, min(8, lead))
        if lead:
            inputs.append((LEAD, max(-24, min(24, lead)) * 13))
            inputs.append((LEAD + 1, max(-3, min(3, lead)) * 21))
            if self.turns_left < NEAR_LIMIT:
                inputs.append((LEAD + 2, capped * ((NEAR_LIMIT - self.turns_left) // 2)))
        inputs.append((LEAD_IS + capped + 8, ONE))
        missing = ALL_SPECIES & ~(mine | other)
        if missing:
            inputs.append((MISSING + (missing.bit_count() - 1) * 3 + _sign(lead), ONE))
        return inputs


def closed_cards(observation: Observation, left: list[int]) -> list[int]:
    """Expected number of the opponent's hidden cards by face; 64 for a card."""
    expected = [0.0] * FACES
    for weight, pools in observation.knowledge.hypotheses:
        for pool in pools:
            for face in pool.cards:
                expected[face] += weight
    return [min(int(expected[face] * ONE + 0.5), ONE * left[face]) for face in range(FACES)]


def last_inputs(theirs: Theirs, s: int, tempo: int, bottom: int, lead: int) -> Inputs:
    """Inputs of the net for the species whose landing ends the game."""
    inputs = [(LAST + _sign(lead), tempo // 32), (LAST + 3 + _sign(lead), theirs.tempo[s] // 32)]
    mine, other = lead + bottom, lead - theirs.bottom[s]
    if mine:
        inputs.append((LAST + (6 if mine > 0 else 7), ONE))
    if other:
        inputs.append((LAST + (8 if other > 0 else 9), ONE))
    return inputs


def _tell_prospects(inputs: Inputs, at: int, points: int, tempo: int, hurry: int) -> None:
    inputs.append((at, min(_MOST, points // 128)))
    inputs.append((at + 1, tempo // 32))
    inputs.append((at + 2, hurry // 32))


def _bottom(best: int) -> int:
    return best >> 4 & 15 if best else MAX_BIRDS


def _sign(lead: int) -> int:
    return 0 if lead > 0 else 1 if lead == 0 else 2


def _limit_class(turns: int) -> int:
    if turns < 4:
        return max(0, turns)
    return 4 if turns < 6 else 5 if turns < 9 else 6 if turns < 14 else 7
