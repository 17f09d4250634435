# compiled into rules
"""Plans every flock to its last card, its own and the opponent's, and heeds who would win if the game ended.

A plan's worth is what its last card will score, less for every turn that it is likely to take. The weights were set by
play against the greedy bot (`migrato simulate --bots heuristic,greedy`).
"""

from typing import Final

from domain.adding import added
from domain.bot import Bot, Budget, Choice, Rng, Stop
from domain.migrato.belief.observation import Observation
from domain.migrato.bots.side_after import flock, side_after
from domain.migrato.bots.supply import Supply, most_points, supply
from domain.migrato.rules.cards import (
    ALL_SPECIES,
    BIRDS,
    DOWN,
    FACE,
    FIRST_DANGER,
    GOAL,
    MAX_BIRDS,
    SPECIES_OF,
    STILT,
)
from domain.migrato.rules.columns import Column
from domain.migrato.rules.moves import Abandon, Discard, Exchange, Move, MoveCards, Play, PlayDanger
from domain.migrato.rules.state import score, without

PATIENCE = 0.88  # the part of a plan's worth that remains if it takes one turn more
LANDING = 2.0  # what landing a species is worth beside its points
VICTORY = 8.0  # what the landing that wins the game is worth beside that, while it is only planned
THREAT = 0.8  # how much the opponent's plans count of one's own
SPARE = 0.05  # how much a second flock of a species counts of the first
CROWDED = 0.4  # how much a flock not yet begun counts when no slot is free for it
SLOT = 0.2  # what a free slot is worth beyond that
DANGER_CARD = 0.25  # what holding a danger card is worth
NEW_CARD = 0.2  # what drawing one card more is worth
DRAWS = 2.5  # how many new cards a turn is taken to bring (2 after a bird, 3 after an exchange)
DECISIVE = 1000.0  # more than anything that does not end the game

GOOSE: Final = SPECIES_OF[FACE["G5n"]]
HIDDEN: Final = {STILT: 6, GOOSE: 4}  # what face-down columns are feared to be, and their bottom cards


class Plans:
    """The worth of flocks for one side: of species `s`, `lacking` so many cards, with so many birds at the `bottom`.

    `last` is the species whose landing ends the game, if there is only one left; `lead` is the side's.
    """

    def __init__(self, cards: Supply, last: int | None, lead: int) -> None:
        self._cards, self._last, self._lead = cards, last, lead
        self._waiting: dict[tuple[int, int, int, int], float] = {}

    def worth(self, s: int, lacking: int, bottom: int, held: tuple[int, ...] = ()) -> float:
        """Worth of playing some of the `held` cards, most birds first, and drawing the others."""
        best = self._wait(s, lacking, bottom, 0)
        for at, birds in enumerate(held if lacking else ()):
            if birds <= bottom:
                best = max(best, PATIENCE * self.worth(s, lacking - 1, birds, held[at + 1 :]))
        return best

    def _wait(self, s: int, lacking: int, bottom: int, drawn: int) -> float:
        """Worth when every card has yet to be drawn; `drawn` cards of the bottom's own face count as used up."""
        if not lacking:
            return self._landing(s, bottom)
        key = s, lacking, bottom, drawn
        if key not in self._waiting:
            offers: list[tuple[float, float]] = []
            for birds, cards, chance in self._cards[s]:
                used = drawn if birds == bottom else 0
                if birds <= bottom and cards > used:
                    offers.append(
                        (self._wait(s, lacking - 1, birds, used + 1), DRAWS * chance * (cards - used) / cards)
                    )
            self._waiting[key] = _patient(offers)
        return self._waiting[key]

    def _landing(self, s: int, birds: int) -> float:
        """Worth of a landing; landing the last species is worth much if the side wins by it, nothing if it loses."""
        if s != self._last:
            return birds + LANDING
        lead = self._lead + birds
        return birds + LANDING + VICTORY if lead > 0 else float(birds) if lead == 0 else 0.0


def _patient(offers: list[tuple[float, float]]) -> float:
    """The worth of waiting for offers (worth, chance in a turn), when the side refuses those that it pays to refuse."""
    best = gain = chance = 0.0
    for worth, of_one in sorted(offers, reverse=True):
        fresh = min(of_one, 1 - chance)
        chance += fresh
        gain += fresh * worth
        best = max(best, PATIENCE * gain / (1 - PATIENCE * (1 - chance)))
    return best


class _Judge:
    """Weighs the table after each move."""

    def __init__(self, observation: Observation) -> None:
        self.observation = observation
        self.lead = score(observation.me, observation.rules) - score(observation.other, observation.rules)
        missing = ALL_SPECIES & ~(observation.me.landed | observation.other.landed)
        last = missing.bit_length() - 1 if missing.bit_count() == 1 else None
        cards, self.lost = supply(observation), last is not None and _lost(observation, last, self.lead)
        returns = (
            last is not None and self.lead < 0 and observation.flights_left >> last & 1
        )  # it need not end the game
        self.own_plans = Plans(cards, None if self.lost or returns else last, self.lead)
        self.opposing_plans = Plans(cards, last, -self.lead)
        self.threat = self._threat(observation.other.columns)

    def worth(self, move: Move) -> float:
        """The lead and both sides' plans after the move; ending the game is decisive, for better or worse."""
        me = self.observation.me
        match move:
            case Play() | MoveCards():
                after = side_after(self.observation, move)
                lead = self.lead + after.points
                if after.landed | self.observation.other.landed == ALL_SPECIES:
                    return DECISIVE if lead > 0 or self.lost else -DECISIVE if lead < 0 else 0.0
                hand = without(me.hand, move.card) if isinstance(move, Play) else me.hand
                cost = 0.0 if isinstance(move, Play) else NEW_CARD
                return lead + self._best_rest(after.columns, after.landed, hand) - self.threat - cost
            case PlayDanger():
                return self._theft(move)
            case Discard(card):
                return self._side(me.columns, me.landed, without(me.hand, card))
            case Exchange():
                return self.lead + self._side(me.columns, me.landed, ()) - self.threat + NEW_CARD
            case Abandon():
                after = side_after(self.observation, move)
                side = self._side(after.columns, after.landed, me.hand)
                return self.lead + side - self.threat - 2 * NEW_CARD
            case _:
                return -DECISIVE

    def _theft(self, move: PlayDanger) -> float:
        """Worth of a theft: from a column, it sets the opponent back; from a pile, it bares as many birds or more."""
        me, other = self.observation.me, self.observation.other
        hand, lead, threat = without(me.hand, move.card), self.lead, self.threat
        if move.slot is not None:
            *rest, stolen = other.columns[move.slot]
            threat = self._threat((*other.columns[: move.slot], tuple(rest), *other.columns[move.slot + 1 :]))
        else:
            assert move.pile is not None
            *_, below, stolen = other.arrivals[move.pile]
            lead += BIRDS[stolen] - BIRDS[below]
        if stolen == DOWN:
            side = self._side(me.columns, me.landed, hand)
        else:
            side = self._best_rest(me.columns, me.landed, (*hand, stolen))
        return lead + side - threat - NEW_CARD

    def _best_rest(self, columns: tuple[Column, ...], landed: int, hand: tuple[int, ...]) -> float:
        """Worth of the own side after the best discard."""
        rests = [without(hand, card) for card in dict.fromkeys(hand)] or [()]
        return max(self._side(columns, landed, rest) for rest in rests)

    def _side(self, columns: tuple[Column, ...], landed: int, hand: tuple[int, ...]) -> float:
        """Worth of the own side: landed species, each species' best flock, the free slots, the dangers in hand."""
        free = columns.count(())
        flocks: list[list[Column]] = [[] for _ in GOAL]
        for column in columns:
            species = flock(column) if column else None
            if species is not None:
                flocks[species].append(column)
        total = LANDING * landed.bit_count() + SLOT * min(free, 3)
        total += DANGER_CARD * sum(card >= FIRST_DANGER for card in hand)
        for s, own in enumerate(flocks):
            if landed >> s & 1:
                continue
            held = tuple(sorted((BIRDS[card] for card in hand if SPECIES_OF[card] == s), reverse=True))
            if own:
                total += self._flocks(s, own, held)
            else:
                total += self.own_plans.worth(s, GOAL[s], MAX_BIRDS, held) * (1.0 if free else CROWDED)
        return total

    def _flocks(self, s: int, own: list[Column], held: tuple[int, ...]) -> float:
        """Worth of a species' best flock, alone or with another below it, and a little for the other flocks."""
        worths = []
        for upper in own:
            lacking = GOAL[s] - len(upper)
            alone = self.own_plans.worth(s, max(lacking, 0), BIRDS[upper[-1]], held)
            worths.append(alone if lacking > 0 else PATIENCE**2 * alone)  # to be split and joined again
            worths += [
                PATIENCE * self.own_plans.worth(s, lacking - len(lower), BIRDS[lower[-1]], held)
                for lower in own
                if lower is not upper and BIRDS[upper[-1]] >= BIRDS[lower[0]] and len(lower) <= lacking
            ]
        best = max(worths)
        return best + SPARE * (added(worths) - best)

    def _threat(self, columns: tuple[Column, ...]) -> float:
        """Worth of the opponent's columns to the opponent, as far as can be seen."""
        total = 0.0
        for column in columns:
            known = [card for card in column if card != DOWN]
            if known:
                s, bottom = SPECIES_OF[known[0]], BIRDS[known[-1]]
            else:
                s = GOOSE if self.observation.other.landed >> STILT & 1 else STILT
                bottom = HIDDEN[s]
            if column and not self.observation.other.landed >> s & 1 and len(column) <= GOAL[s]:
                total += self.opposing_plans.worth(s, max(1, GOAL[s] - len(column)), bottom)
        return THREAT * total


def _lost(observation: Observation, last: int, lead: int) -> bool:
    """True if the player can only land the last species and loses even so: then the game may as well end."""
    only = observation.me.landed | 1 << last == ALL_SPECIES and not observation.flights_left >> last & 1
    return only and lead + most_points(observation.rules, last) < 0


def _policy(observation: Observation, _rng: Rng, _budget: Budget, _stop: Stop) -> Choice:
    return Choice(max(observation.moves, key=_Judge(observation).worth))


HEURISTIC: Final = Bot(
    "heuristic", "2", "Plans the flocks of both sides to their last card.", _policy, milliseconds=2
)
