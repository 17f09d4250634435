"""Fits the weights of `domain/migrato/bots/weights.py`: plays games, takes the positions before each draw, regresses.

    .venv/bin/python -m benchmarks.fit_evaluation --games 4000 --seed 1 > weights.txt

The games are played by the evaluation itself at a glance (one iteration of `ismcts`), half of them against `heuristic`.
Who won is regressed on features that a position has for either side (logistic, with a ridge); the final lead likewise,
linearly. Both sides' features have the same weights with opposite signs. Needs numpy.
"""

import argparse
import random
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from benchmarks.playouts import SEATS, QuickChance
from domain.bot import Budget
from domain.lifecycle import Create
from domain.migrato.belief.observation import observe
from domain.migrato.bots import BOTS
from domain.migrato.bots.evaluation import HASTE, PATIENCE, Evaluation, SideFeatures, free_of, stage_of
from domain.migrato.bots.flock_worth import FlockWorth
from domain.migrato.bots.supply import supply
from domain.migrato.rules.cards import (
    ALL_SPECIES,
    BIRDS,
    DANGERS,
    FIRST_DANGER,
    GOAL,
    MAX_BIRDS,
    SPECIES,
    SPECIES_OF,
)
from domain.migrato.rules.decide import decide
from domain.migrato.rules.moves import Discard, Exchange
from domain.migrato.rules.state import INITIAL, State, fold, scores

STAGES = 10
RIDGE = 60.0
Features = dict[str, float]


@dataclass(frozen=True, slots=True)
class Position:
    """A moment before a draw, as features for the side that has just moved; then how its game ended for that side."""

    features: Features
    won: float
    lead: int


def positions(games: int, seed: int, share: float) -> Iterator[Position]:
    """Of that many games, that share of their turns."""
    for number in range(games):
        rng = random.Random(seed * 1_000_003 + number)
        yield from _game(rng, "heuristic" if number % 2 else "ismcts", number // 2 % 2, share)


def _game(rng: random.Random, opponent: str, first: int, share: float) -> Iterator[Position]:
    chance = QuickChance(rng)
    state = fold(INITIAL, decide(INITIAL, None, Create("fit", "c", {"first_seat": first}, SEATS), chance))
    bots = (BOTS["ismcts"], BOTS[opponent])
    noted: list[tuple[int, Features]] = []
    while state.to_act is not None and state.turn < 200:
        seat = state.to_act
        move = bots[seat].think(observe(state, seat), rng, Budget(iterations=1)).move
        if isinstance(move, Discard | Exchange) and rng.random() < share:
            kept = list(state.players[seat].hand) if isinstance(move, Discard) else []
            if isinstance(move, Discard):
                kept.remove(move.card)
            noted.append((seat, _features(state, seat, tuple(kept))))
        state = fold(state, decide(state, seat, move, chance))
    if state.result is None:
        return
    for seat, features in noted:
        won = 0.5 if state.result.winner is None else float(state.result.winner == seat)
        lead = state.result.scores[seat] - state.result.scores[1 - seat]
        yield Position(features, won, lead)


def _features(state: State, seat: int, kept: tuple[int, ...]) -> Features:
    """By name; those of a side count for the mover and against it for the other."""
    me, other = state.players[seat]._replace(hand=kept), state.players[1 - seat]
    seen = observe(state, seat)
    points = scores(state)
    lead = points[seat] - points[1 - seat]
    missing = ALL_SPECIES & ~(me.landed | other.landed)
    left = missing.bit_count() - 1
    features: Features = {
        f"lead {left}": lead,
        f"edge {left}": float(np.tanh(lead / 4)),
        f"draws {len(kept)}": 1.0,
    }
    evaluation = Evaluation(seen.rules, seen.turn, supply(seen))
    for sign, side, there, ahead in ((1, me, other, lead), (-1, other, me, -lead)):
        side_features = evaluation.side_features(side.hand, side.columns, side.landed)
        for name, value in _side(
            evaluation, side_features, side.hand, there.landed, stage_of(missing, ahead)
        ):
            features[name] = features.get(name, 0.0) + sign * value
    return features


def _side(
    evaluation: Evaluation, side: SideFeatures, hand: tuple[int, ...], landed_there: int, stage: int
) -> Iterator[tuple[str, float]]:
    yield "columns", side.used
    yield "junk", side.useless
    yield "spare", side.spare
    yield "dead", side.dead
    for card in hand:
        if card >= FIRST_DANGER:
            yield f"danger {card - FIRST_DANGER}", 1
    for s in range(len(SPECIES)):
        if not side.landed >> s & 1:
            held = sorted((BIRDS[card] for card in hand if SPECIES_OF[card] == s), reverse=True)
            of = free_of(stage) if landed_there >> s & 1 else stage
            yield from _species(evaluation, s, side.best[s], side.joined[s], held, of)


def _species(
    evaluation: Evaluation, s: int, best: int, joined: int, held: list[int], stage: int
) -> Iterator[tuple[str, float]]:
    length, top = best >> 8, best & 15
    bottom = best >> 4 & 15 if length else MAX_BIRDS
    fitting = sum(birds <= bottom for birds in held)
    yield f"{s} {stage} 0", 1
    prospects = ((evaluation.points, PATIENCE), (evaluation.tempo, PATIENCE), (evaluation.hurry, HASTE))
    for number, (prospect, patience) in enumerate(prospects, start=1):
        yield f"{s} {stage} {number}", _worth(prospect, patience, s, best, joined, held)
    yield f"token {s} {length} {min(2, fitting, GOAL[s] - length)}", 1
    if length:
        yield f"above {s}", sum(birds > bottom and birds >= top for birds in held)
    if joined:
        yield f"joined {s}", 1


def _worth(prospect: FlockWorth, patience: float, s: int, best: int, joined: int, held: list[int]) -> float:
    length = best >> 8
    worth = prospect.worth(s, GOAL[s] - length, best & 15, best >> 4 & 15 if length else MAX_BIRDS, held)
    if joined:
        lacking, bottom, top = GOAL[s] - (joined >> 8), joined >> 4 & 15, joined & 15
        worth = max(worth, patience * prospect.worth(s, lacking, top, bottom, held))
    return worth


def fit(found: list[Position]) -> tuple[dict[str, float], dict[str, float], float]:
    """The weights of winning and of the lead by feature, and the log loss of winning on a ninth kept out."""
    names = sorted({name for position in found for name in position.features})
    column = {name: at for at, name in enumerate(names)}
    table = np.zeros((len(found), len(names)))
    for row, position in enumerate(found):
        for name, value in position.features.items():
            table[row, column[name]] = value
    scale = np.where(table.std(0) > 0, table.std(0), 1.0)
    table /= scale
    won, lead = np.array([p.won for p in found]), np.array([float(p.lead) for p in found])
    split = len(found) // 9
    loss = _loss(table[:split] @ _logistic(table[split:], won[split:]), won[:split])
    win = _logistic(table, won) / scale
    points = np.linalg.solve(table.T @ table + RIDGE * np.eye(len(names)), table.T @ lead) / scale
    by_name = [{name: round(float(fitted[column[name]]), 4) for name in names} for fitted in (win, points)]
    return by_name[0], by_name[1], loss


def _logistic(table: np.ndarray, won: np.ndarray) -> np.ndarray:
    """Newton's method."""
    weights = np.zeros(table.shape[1])
    for _ in range(8):
        chance = 1 / (1 + np.exp(-table @ weights))
        slope = table.T @ (chance - won) + RIDGE * weights
        curve = (table * (chance * (1 - chance))[:, None]).T @ table + RIDGE * np.eye(len(weights))
        weights -= np.linalg.solve(curve, slope)
    return weights


def _loss(logit: np.ndarray, won: np.ndarray) -> float:
    return float(np.mean(np.logaddexp(0, logit) - won * logit))


def written(name: str, fitted: dict[str, float]) -> str:
    """As a value of `Weights`."""

    def of(key: str) -> float:
        return fitted.get(key, 0.0)

    kinds = range(len(SPECIES))
    values = {
        "lead": tuple(of(f"lead {left}") for left in range(5)),
        "edge": tuple(of(f"edge {left}") for left in range(5)),
        "stage": tuple(
            tuple(tuple(of(f"{s} {stage} {k}") for k in range(4)) for stage in range(STAGES)) for s in kinds
        ),
        "token": tuple(
            tuple(tuple(of(f"token {s} {length} {k}") for k in range(3)) for length in range(GOAL[s]))
            for s in kinds
        ),
        "above": tuple(of(f"above {s}") for s in kinds),
        "joined": tuple(of(f"joined {s}") for s in kinds),
        "columns": of("columns"),
        "junk": of("junk"),
        "spare": of("spare"),
        "dangers": tuple(of(f"danger {number}") for number in range(len(DANGERS))),
        "dead": of("dead"),
        "draws": tuple(of(f"draws {kept}") for kept in range(4)),
    }
    return (
        f"{name}: Final = Weights(\n"
        + "".join(f"    {key}={value},\n" for key, value in values.items())
        + ")"
    )


def main() -> None:
    """Play, fit, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--share", type=float, default=0.3, help="of each game's turns, how many are looked at"
    )
    asked = parser.parse_args()
    found = list(positions(asked.games, asked.seed, asked.share))
    win, points, loss = fit(found)
    print(f"# {len(found)} positions of {asked.games} games, log loss {loss:.4f} on a ninth of them kept out")
    print(written("WIN", win))
    print(written("POINTS", points))


if __name__ == "__main__":
    main()
