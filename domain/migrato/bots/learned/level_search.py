# compiled into rules
"""The search of the strongest level: moves that the net finds good, tried in games that may be the true one.

All candidates are tried in the same deals, so that the luck of a deal counts for none of them (common random numbers),
and the worse half goes after each round (sequential halving: Karnin, Koren and Somekh, "Almost optimal exploration in
multi-armed bandits", 2013). An iteration is one deal for every candidate that is left.
"""

from collections.abc import Sequence
from math import sqrt
from typing import Final

from domain.bot import Budget, Choice, Considered, Policy, Rng, Stop
from domain.migrato.belief.observation import Observation
from domain.migrato.bots.learned.imagined_turns import ImaginedTurns
from domain.migrato.net.checked_in import trained
from domain.migrato.net.judge import WON, Judge, Verdict
from domain.migrato.rules.state import score
from domain.net.logistic import CERTAINTY, probability_of
from domain.net.network import Network

CANDIDATES: Final = 6
MARGIN: Final = CERTAINTY * 6 // 100  # of probability, by which a candidate may seem worse than the best
FIRST_ROUND: Final = 8  # deals; each round has twice as many as the one before
DEALS: Final = FIRST_ROUND * 7  # of the three rounds that six candidates take


class Candidate:
    """A move, the net's judgement of it, and the sums of its outcomes; `lead`: in points, before the move."""

    def __init__(self, verdict: Verdict, lead: int) -> None:
        self.verdict = verdict
        self.judged: int = probability_of(verdict.logit)
        self.tried = 0
        self.total = 0
        self._squares = 0
        self._lead = lead
        self._leads = 0

    def add(self, probability: int, lead: int) -> None:
        """Add the outcome of one more deal."""
        self.tried += 1
        self.total += probability
        self._squares += probability * probability
        self._leads += lead

    def lead(self) -> float:
        """The lead in points: after the reply, or as the table lies where there were no deals."""
        return self._leads / self.tried if self.tried else float(self._lead)

    def probability(self) -> float:
        """The probability of winning: by the deals, or by the net where there were none."""
        return (self.total / self.tried if self.tried else self.judged) / CERTAINTY

    def spread(self) -> float | None:
        """The standard deviation of the probability of winning over the deals; None where there were none."""
        if not self.tried:
            return None
        return sqrt(self.tried * self._squares - self.total * self.total) / (self.tried * CERTAINTY)


def searching(weights: str) -> Policy:
    """The policy that searches by the net of that name; a budget counts deals."""

    def policy(observation: Observation, rng: Rng, budget: Budget, stop: Stop) -> Choice:
        return _search(observation, rng, budget, stop, trained(weights))

    return policy


def _search(observation: Observation, rng: Rng, budget: Budget, stop: Stop, network: Network) -> Choice:
    """The best of the observation's moves."""
    judge = Judge(observation, network)
    everyone = _by_the_net(judge, observation)
    left = _worth_trying(everyone)
    done = 1  # the net's look
    if len(left) > 1:
        done = _halved(left, ImaginedTurns(observation, network), rng, budget, stop)
    return _choice(left[0], everyone, done)


def _by_the_net(judge: Judge, observation: Observation) -> list[Candidate]:
    """All moves, the best first."""
    me, other, rules = observation.me, observation.other, observation.rules
    lead = score(me, rules) - score(other, rules)
    everyone = []
    for move in observation.moves:
        verdict = judge.discarding(move)
        if verdict.discard is None:
            verdict = verdict._replace(logit=judge.logit(move))
        everyone.append(Candidate(verdict, lead))
    everyone.sort(key=_seeming)
    return everyone


def _worth_trying(everyone: Sequence[Candidate]) -> list[Candidate]:
    best = everyone[0]
    if best.verdict.logit >= WON:
        return [best]
    return [one for one in everyone[:CANDIDATES] if one.judged >= best.judged - MARGIN]


def _halved(left: list[Candidate], turns: ImaginedTurns, rng: Rng, budget: Budget, stop: Stop) -> int:
    """Try the candidates until one is left or time is up, the best first in `left`; return the number of deals."""
    limit = DEALS if budget.iterations is None else budget.iterations
    turns.read(rng)  # for any budget, so that a search which was cut off can be reproduced
    done, deals = 0, FIRST_ROUND
    while len(left) > 1:
        for _ in range(deals):
            deal = turns.deal(rng)
            for one in left:
                one.add(*turns.end(deal, one.verdict))
            done += 1
            if done >= limit or stop():
                left.sort(key=_found)
                return done
        left.sort(key=_found)
        del left[(len(left) + 1) // 2 :]
        deals *= 2
    return done


def _choice(best: Candidate, everyone: Sequence[Candidate], done: int) -> Choice:
    """The choice of `best`; the considered moves are ordered: the most tried first, then the most promising."""
    ranked = sorted(everyone, key=_weighed)
    considered = tuple(
        [
            Considered(one.verdict.move, one.tried, one.lead(), one.probability(), one.spread())
            for one in ranked
        ]
    )
    return Choice(best.verdict.move, considered, done)


def _seeming(one: Candidate) -> int:
    return -one.verdict.logit


def _found(one: Candidate) -> int:
    """Sort key of the candidates that are left, the best first; all were tried equally often, so that sums suffice."""
    return -one.total


def _weighed(one: Candidate) -> tuple[int, float]:
    return -one.tried, -one.probability()
