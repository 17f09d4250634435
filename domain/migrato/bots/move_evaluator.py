# compiled into rules
"""Judgement of a move without making it: the fitted evaluation of the position that it leaves before the draw."""

from math import exp
from typing import Final

from domain.migrato.bots.evaluation import PLACE, Evaluation, free_of, stage_of
from domain.migrato.rules.cards import ALL_SPECIES, BIRDS, IS_NIGHT, SPECIES_OF
from domain.migrato.rules.columns import (
    Column,
    arriving_species,
    checked_after_move,
    checked_after_play,
    shape_of,
)
from domain.migrato.rules.moves import RETURN, Abandon, Discard, Exchange, Move, MoveCards, Play, PlayDanger
from domain.migrato.rules.state import State, flights_left, score, without

BROKEN_FLOCK_COST: Final = 1.0  # in logits, what abandoning or splitting a flock is taken to cost
TO_MOVE_BONUS: Final = (
    0.19  # in logits, what being to move is worth: on average, drawing cards neither gains nor loses
)


class MoveEvaluator:
    """Judges the moves of the seat that is to act in one state: logits of winning, for that seat."""

    __slots__ = (
        "card_values", "evaluation", "flights", "lead", "logit", "me", "other", "other_side", "other_total", "own_side",
        "seat", "stage",
    )  # fmt: skip

    def __init__(self, evaluation: Evaluation, state: State) -> None:
        seat = state.to_act
        assert seat is not None
        self.evaluation = evaluation
        self.seat = seat
        me, other = state.players[seat], state.players[1 - seat]
        self.me = me
        self.other = other
        self.flights = flights_left(state)
        lead = score(me, evaluation.rules) - score(other, evaluation.rules)
        self.lead = lead
        self.other_side = evaluation.side_features(other.hand, other.columns, other.landed)
        everyone = me.landed | other.landed
        missing = ALL_SPECIES & ~everyone
        self.stage = stage_of(missing, lead)
        self.own_side = evaluation.side_features(me.hand, me.columns, me.landed)
        self.other_total = evaluation.total(self.other_side, me.landed, stage_of(missing, -lead))
        self.logit = (
            evaluation.lead(lead, everyone)
            + evaluation.total(self.own_side, other.landed, self.stage)
            - self.other_total
        )
        self.card_values: list[float] = []
        for card in me.hand:
            self.card_values.append(evaluation.loss(self.own_side, card, other.landed, self.stage))

    def win_probability(self) -> float:
        """The probability that the seat wins, before it moves."""
        return 1 / (1 + exp(-self.logit - TO_MOVE_BONUS))

    def _extension(self, card: int, slot: int | None, column: Column) -> float:
        """The worth of a play that makes a flock longer or begins one and is no arrival."""
        evaluation, own_side = self.evaluation, self.own_side
        weights = evaluation.weights
        s = SPECIES_OF[card]
        flock = evaluation.flock_of(column) & 4095
        best, held = own_side.best[s], own_side.held[s]
        if best and (slot is None or own_side.joined[s] or evaluation.flock_of(column[:-1]) & 4095 != best):
            return self._discarding(
                without(self.me.hand, card), self._with(slot, column), self.me.landed, self.lead
            )
        stage = free_of(self.stage) if self.other.landed >> s & 1 else self.stage
        left = held - PLACE[BIRDS[card]]
        new = flock
        after = evaluation.term(s, new, 0, left, stage)
        worth = self.logit - evaluation.term(s, best, 0, held, stage) + after
        if slot is None:
            worth += weights.columns
        least = 1e9
        played = False
        hand = self.me.hand
        for at in range(len(hand)):
            other = hand[at]
            if other == card and not played:
                played = True
                continue
            if SPECIES_OF[other] == s:
                loss = after - evaluation.term(s, new, 0, left - PLACE[BIRDS[other]], stage)
            else:
                loss = self.card_values[at]
            if loss < least:
                least = loss
        held_after = len(hand) - 2
        if held_after < 0:
            return worth + weights.draws[0]
        return worth - least + weights.draws[held_after]

    def _with(self, slot: int | None, column: Column) -> tuple[Column, ...]:
        columns = self.me.columns
        at = columns.index(()) if slot is None else slot
        return columns[:at] + (column,) + columns[at + 1 :]

    def worth(self, move: Move) -> float:
        """The logit after the move and, where one follows, the best discard."""
        me = self.me
        if isinstance(move, Play):
            columns = me.columns
            slot = columns.index(()) if move.slot is None else move.slot
            column = columns[slot] + (move.card,)
            hand = without(me.hand, move.card)
            if not checked_after_play(column):
                if self.evaluation.flock_of(column) >= 0:
                    return self._extension(move.card, move.slot, column)
            else:
                return self._arrival(hand, columns, slot, column, False, move.on_arrival == RETURN)
            return self._discarding(
                hand, columns[:slot] + (column,) + columns[slot + 1 :], me.landed, self.lead
            )
        if isinstance(move, Discard):
            at = me.hand.index(move.card)
            return self.logit - self.card_values[at] + self.evaluation.weights.draws[len(me.hand) - 1]
        if isinstance(move, MoveCards):
            return self._moving(move)
        if isinstance(move, PlayDanger):
            return self._robbing(move)
        if isinstance(move, Exchange):
            return self._after_action((), me.columns, me.landed, self.lead, True)
        if isinstance(move, Abandon):
            if self.evaluation.flock_of(me.columns[move.slot]) >= 0:
                return self.logit - BROKEN_FLOCK_COST
            columns = me.columns[: move.slot] + ((),) + me.columns[move.slot + 1 :]
            return self._after_action(me.hand, columns, me.landed, self.lead, True)
        return self.logit + self.evaluation.weights.draws[len(me.hand)]

    def _after_action(
        self,
        hand: tuple[int, ...],
        columns: tuple[Column, ...],
        landed: int,
        lead: int,
        kept: bool,
        robbed: bool = False,
    ) -> float:
        """The logit with that hand `kept`, or else before one of its cards is discarded."""
        evaluation, other = self.evaluation, self.other
        everyone = landed | other.landed
        missing = ALL_SPECIES & ~everyone
        if not missing:
            return evaluation.ended(lead)
        side = evaluation.side_features(hand, columns, landed)
        stage = stage_of(missing, lead)
        if kept:
            own_side = evaluation.total(side, other.landed, stage)
            held = len(hand)
        else:
            own_side = evaluation.after_discard(side, hand, other.landed, stage)
            held = max(0, len(hand) - 1)
        other_total = self.other_total
        if robbed or lead != self.lead or landed != self.me.landed:
            other_total = evaluation.total(self.other_side, landed, stage_of(missing, -lead))
        return evaluation.weights.draws[held] + evaluation.lead(lead, everyone) + own_side - other_total

    def _discarding(
        self, hand: tuple[int, ...], columns: tuple[Column, ...], landed: int, lead: int
    ) -> float:
        return self._after_action(hand, columns, landed, lead, False)

    def _arrival(
        self,
        hand: tuple[int, ...],
        columns: tuple[Column, ...],
        slot: int,
        column: Column,
        after_move: bool,
        returns: bool,
    ) -> float:
        landed, lead = self.me.landed, self.lead
        columns = columns[:slot] + ((),) + columns[slot + 1 :]
        species = arriving_species(column, landed, after_move)
        if species is not None:
            if returns and self.flights >> species & 1:
                lead += self.evaluation.rules.flight_points[species]
            else:
                landed |= 1 << species
                lead += BIRDS[column[-1]]
                columns = self._swept(columns, species)
        return self._discarding(hand, columns, landed, lead)

    def _swept(self, columns: tuple[Column, ...], species: int) -> tuple[Column, ...]:
        """The columns that stay after an arrival.

        Faster than the rule (`columns.swept`) and the same for flocks; of muddles only the first card is looked at.
        """
        every = self.evaluation.rules.sweep == "every_card"
        kept: list[Column] = []
        for column in columns:
            goes = False
            if column and SPECIES_OF[column[0]] == species:
                for card in column:
                    goes = goes or every or not IS_NIGHT[card]
            kept.append(() if goes else column)
        return tuple(kept)

    def _moving(self, move: MoveCards) -> float:
        me = self.me
        if move.target is None and self.evaluation.flock_of(me.columns[move.source]) >= 0:
            return self.logit - BROKEN_FLOCK_COST
        columns = me.columns
        source = columns[move.source]
        slot = columns.index(()) if move.target is None else move.target
        stay, column = source[: move.index], columns[slot] + source[move.index :]
        columns = columns[: move.source] + (stay,) + columns[move.source + 1 :]
        if move.target is not None and checked_after_move(shape_of(column), move.uncover):
            return self._arrival(me.hand, columns, slot, column, True, move.on_arrival == RETURN)
        return self._discarding(
            me.hand, columns[:slot] + (column,) + columns[slot + 1 :], me.landed, self.lead
        )

    def _robbing(self, move: PlayDanger) -> float:
        me, other, evaluation = self.me, self.other, self.evaluation
        before, lead = self.other_side, self.lead
        if move.slot is not None:
            column = other.columns[move.slot]
            columns = other.columns[: move.slot] + (column[:-1],) + other.columns[move.slot + 1 :]
            self.other_side = evaluation.side_features(other.hand, columns, other.landed)
            stolen = column[-1]
        else:
            pile = other.arrivals[move.pile or 0]
            stolen = pile[-1]
            lead += BIRDS[stolen] - BIRDS[pile[-2]]
        hand = without(me.hand, move.card) + (stolen,)
        worth = self._after_action(hand, me.columns, me.landed, lead, False, True)
        self.other_side = before
        return worth
