# compiled into rules
"""Worth of each move by the net, looking no further than the move itself and the discard that follows it."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from domain.migrato.belief.determinize import Determinizer
from domain.migrato.belief.observation import Observation
from domain.migrato.belief.opponent_model import OpponentModel
from domain.migrato.net.inputs import InformationSet, Moment, Theirs
from domain.migrato.net.own_side import OwnSide, after_action
from domain.migrato.net.taste import Taste
from domain.migrato.rules.cards import ALL_SPECIES, BIRDS, DOWN
from domain.migrato.rules.moves import Abandon, Discard, Exchange, Move, MoveCards, Play, PlayDanger
from domain.migrato.rules.state import score, without
from domain.net.logistic import logit_of, probability_of
from domain.net.network import LOGIT, Network
from domain.prng import Prng

WON: Final = 12 * LOGIT  # the logit of a game that is won; one that is lost has the opposite
GUESSES: Final = 8  # at the face of a card that would be stolen face down
_GUESS_SEED: Final = 1


class Verdict(NamedTuple):
    """A move, the card to discard after it (None: none, or one that is not known yet), the logit of winning then."""

    move: Move
    discard: int | None
    logit: int


class Outcome:
    """Position before the discard: the own side, the opponent's, whether a card goes, the logit if settled.

    `blind`: a card was stolen that is not in the `side` because it lies face down; `liked`: what the player likes the
    move for, in logits; `moment`: what does not depend on the card that goes, None until it is first needed.
    """

    __slots__ = ("blind", "discards", "liked", "moment", "settled", "side", "theirs")

    def __init__(
        self,
        side: OwnSide,
        theirs: Theirs,
        discards: bool,
        settled: int | None = None,
        blind: bool = False,
        liked: int = 0,
    ) -> None:
        self.side = side
        self.theirs = theirs
        self.discards = discards
        self.settled = settled
        self.blind = blind
        self.liked = liked
        self.moment: Moment | None = None


class Judge:
    """Weighs the moves of one observation."""

    def __init__(
        self,
        observation: Observation,
        network: Network,
        known: InformationSet | None = None,
        taste: Taste | None = None,
    ) -> None:
        """`known`: what the seat knew a little earlier, when that is near enough; `taste`: what it likes besides."""
        self._observation = observation
        self._taste = taste
        self._known = InformationSet(observation, network) if known is None else known
        me, other = observation.me, observation.other
        lead = score(me, observation.rules) - score(other, observation.rules)
        self.side = OwnSide(me.hand, me.columns, me.landed, me.flights, lead)
        self.theirs = self._known.theirs(other.shapes, other.landed, len(other.hand))
        self._robbed: dict[int, Theirs] = {}
        self._guesses: list[tuple[tuple[int, ...], ...]] = []

    def logit(self, move: Move) -> int:
        """The logit of winning after the move and, where one follows, the best discard; 1 / LOGIT units."""
        return max(self.logits(move))

    def logits(self, move: Move) -> list[int]:
        """The logits after the move: one for each card that may be discarded after it, or the one that there is."""
        outcome = self.outcome(move)
        if outcome.blind:
            assert isinstance(move, PlayDanger)
            return [self._blind_theft(move, outcome)]
        return [ending.logit for ending in self._endings(move, outcome)]

    def best(self, moves: Sequence[Move]) -> Verdict:
        """The first of the best moves; a card stolen face down counts as nothing."""
        best = self.discarding(moves[0])
        for move in moves[1:]:
            verdict = self.discarding(move)
            if verdict.logit > best.logit:
                best = verdict
        return best

    def discarding(self, move: Move) -> Verdict:
        """The move with the best discard after it."""
        endings = self.endings(move)
        best = endings[0]
        for ending in endings:
            if ending.logit > best.logit:
                best = ending
        return best

    def endings(self, move: Move) -> list[Verdict]:
        """All ways to end a turn with the move. The discard is None where there is none, and where it is chosen when it
        is seen what was stolen: that counts as nothing.
        """
        return self._endings(move, self.outcome(move))

    def _endings(self, move: Move, outcome: Outcome) -> list[Verdict]:
        hand = outcome.side.hand
        if outcome.settled is not None:
            return [Verdict(move, None, outcome.settled)]
        if outcome.blind or not outcome.discards or not hand:
            return [Verdict(move, None, self._judged(outcome, hand))]
        return [Verdict(move, card, self._judged(outcome, without(hand, card))) for card in _faces(hand)]

    def outcome(self, move: Move) -> Outcome:
        """Position that the move leaves."""
        side = self.side
        if isinstance(move, (Play, MoveCards)):
            after = after_action(self._observation, side, move)
            ended = after.landed | self._observation.other.landed == ALL_SPECIES
            return Outcome(after, self.theirs, True, result_of(after.lead) if ended else None)
        if isinstance(move, PlayDanger):
            return self._theft(move)
        if isinstance(move, Discard):
            side = _holding(side, without(side.hand, move.card), side.lead)
        elif isinstance(move, Exchange):
            side = _holding(side, (), side.lead)
        elif isinstance(move, Abandon):
            columns = list(side.columns)
            columns[move.slot] = ()
            side = OwnSide(side.hand, tuple(columns), side.landed, side.flights, side.lead)
        return Outcome(side, self.theirs, False)

    def _judged(self, outcome: Outcome, hand: tuple[int, ...]) -> int:
        """The logit of the moment before the draw, with that hand kept."""
        side = outcome.side
        if self._known.turns_left == 0:
            return result_of(side.lead)
        moment = outcome.moment
        if moment is None:
            landed, flights = self._observation.other.landed, self._observation.other.flights
            moment = outcome.moment = self._known.moment(
                outcome.theirs, side.columns, (side.landed, landed), (side.flights, flights), side.lead
            )
        logit = self._known.logit(moment, hand) + outcome.liked
        if self._taste is not None:
            logit += self._taste.of(side, hand)
        return unsure(logit)

    def _theft(self, move: PlayDanger) -> Outcome:
        other, side = self._observation.other, self.side
        hand, liked = without(side.hand, move.card), 0 if self._taste is None else self._taste.theft
        if move.slot is None:
            assert move.pile is not None
            pile = other.arrivals[move.pile]
            lead = side.lead + BIRDS[pile[-1]] - BIRDS[pile[-2]]
            return Outcome(_holding(side, (*hand, pile[-1]), lead), self.theirs, True, liked=liked)
        theirs = self._without_bottom(move.slot)
        card = other.shapes[move.slot][-1]
        if card == DOWN:
            return Outcome(_holding(side, hand, side.lead), theirs, True, blind=True, liked=liked)
        return Outcome(_holding(side, (*hand, card), side.lead), theirs, True, liked=liked)

    def _blind_theft(self, move: PlayDanger, outcome: Outcome) -> int:
        """The mean over guesses at the stolen card, with the best discard for each."""
        logit = logit_of(sum(self._by_guess(move, outcome)) // GUESSES)
        return logit if self._known.turns_left == 0 else unsure(logit)

    def guesses(self, move: Move) -> list[int]:
        """Probabilities of winning, one for each guess at a card stolen face down, CERTAINTY for 1.0; else none."""
        if not isinstance(move, PlayDanger):
            return []
        outcome = self.outcome(move)
        return self._by_guess(move, outcome) if outcome.blind else []

    def _by_guess(self, move: PlayDanger, outcome: Outcome) -> list[int]:
        assert move.slot is not None
        logits: dict[int, int] = {}
        probabilities: list[int] = []
        for columns in self._guessed():
            card = columns[move.slot][-1]
            if card not in logits:
                hand = (*outcome.side.hand, card)
                logits[card] = max([self._judged(outcome, without(hand, one)) for one in _faces(hand)])
            probabilities.append(probability_of(logits[card]))
        return probabilities

    def _without_bottom(self, slot: int) -> Theirs:
        """The opponent's side when the bottom card of a column is gone."""
        if slot not in self._robbed:
            other = self._observation.other
            shapes = list(other.shapes)
            shapes[slot] = shapes[slot][:-1]
            self._robbed[slot] = self._known.theirs(shapes, other.landed, len(other.hand))
        return self._robbed[slot]

    def _guessed(self) -> list[tuple[tuple[int, ...], ...]]:
        """A few guesses at the opponent's columns, the same for all moves. They need no chance from outside, so that
        the same observation always gives the same move.
        """
        if not self._guesses:
            observation = self._observation
            determinizer = Determinizer(observation, OpponentModel(observation).face_down_weights)
            rng = Prng(_GUESS_SEED + observation.turn)
            for _ in range(GUESSES):
                self._guesses.append(determinizer.sample(rng).players[1 - observation.seat].columns)
        return self._guesses


def _holding(side: OwnSide, hand: tuple[int, ...], lead: int) -> OwnSide:
    return OwnSide(hand, side.columns, side.landed, side.flights, lead)


def _faces(hand: tuple[int, ...]) -> list[int]:
    """The different faces in the hand, each once."""
    faces: list[int] = []
    for card in hand:
        if card not in faces:
            faces.append(card)
    return faces


def unsure(logit: int) -> int:
    """The logit, capped so that it is nearer to even than that of any finished game."""
    return max(1 - WON, min(WON - 1, logit))


def result_of(lead: int) -> int:
    """The logit of a game that is over, with that lead."""
    return WON if lead > 0 else -WON if lead < 0 else 0
