"""A bot that learns, in minutes on one core, with numpy alone, until it is as strong as `greedy`.

It imitates the engine's bot `heuristic` (DAgger: S. Ross, G. Gordon, D. Bagnell, 2011). First `heuristic` plays in the
PettingZoo environment of the engine, and a small net learns which move it makes. Then the net plays, errs, and comes to
positions that `heuristic` never leads to; it learns what `heuristic` would do there. So it learns to mend its errors.

    python learner.py train               five minutes of one core; leaves learner.npz
    python learner.py measure             200 deals against greedy in the environment, each from both seats
    python learner.py match greedy --memory-aid --games 200       the same in the arena, as a bot of the kit

It was to beat `greedy`: before anything was measured, the lower end of the 95 % interval was to be above 50 %. It does
not: 51.5 % (46.8 to 56.2) of 400 games, after five minutes. From the numbers of the table alone, such a small net does
not see well which card fits which column. Features of a move in its position are the next step.
"""

import random
import sys
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from migrato_bots import run
from numpy.typing import NDArray

from domain.migrato.codec.move_codec import parse_move
from domain.migrato.game import MIGRATO
from domain.migrato.rules.cards import BIRDS, DOWN, FACE, IS_NIGHT, MAX_BIRDS, SPECIES_IDS, SPECIES_OF
from domain.migrato.rules.rule_books import HAND_SIZE
from research import pettingzoo as migrato_v0
from research import sight
from research.numbering import MOVES, NUMBER_OF, described

FILE: Final = Path(__file__).with_suffix(".npz")
TEACHER: Final = "heuristic"
OPTIONS: Final = {
    "memory_aid": True,
    "turn_limit": 1000,
}  # it has no memory, so its own cards are shown to it
HIDDEN: Final = 128
DECISIONS: Final = (60_000, 60_000, 60_000, 60_000)  # of each round: in the first one the teacher plays
EPOCHS: Final = 3  # after each round, over all decisions so far
BATCH: Final = 256
RATE: Final = 2e-3
NEVER: Final = -1e9

Numbers = NDArray[np.float32]


def factors() -> Numbers:
    """The parts of each move, such as its kind, its card, its slot: a row of zeros and ones for each number of a move.

    So what is learned about a card in one slot is known in all slots.
    """
    parts = []
    for number in range(len(MOVES)):
        kind, *details = described(number).split()
        ones = [kind, described(number), *details, *[f"{kind} {detail}" for detail in details]]
        parts.append([*ones, " ".join([kind, *details[:2]]), " ".join(details[1:])])
    places = {part: place for place, part in enumerate(sorted({part for of in parts for part in of}))}
    rows = np.zeros((len(MOVES), len(places)), np.float32)
    for number, of in enumerate(parts):
        rows[number, [places[part] for part in of]] = 1
    return rows


class Net:
    """One hidden layer from what the seat sees to a score of each part of a move; a move's score is the sum."""

    def __init__(self, weights: dict[str, Numbers] | None = None, seed: int = 0) -> None:
        """`weights`: those of a trained one."""
        self._factors = factors()
        parts, rng = self._factors.shape[1], np.random.default_rng(seed)
        self.weights = weights or {
            "hidden": rng.normal(0, 2 / sight.SIZE**0.5, (sight.SIZE, HIDDEN)).astype(np.float32),
            "hidden bias": np.zeros(HIDDEN, np.float32),
            "parts": np.zeros((HIDDEN, parts), np.float32),
            "parts bias": np.zeros(parts, np.float32),
        }
        self._steps = 0
        self._mean = {name: np.zeros_like(weight) for name, weight in self.weights.items()}
        self._square = {name: np.zeros_like(weight) for name, weight in self.weights.items()}
        self.settle()

    def settle(self) -> None:
        """Add up the weights of each move, so that it takes no time to choose one."""
        self._moves = self.weights["parts"] @ self._factors.T
        self._bias = self.weights["parts bias"] @ self._factors.T

    def scores(self, seen: Numbers) -> Numbers:
        """The score of every move in a position."""
        hidden = np.maximum(0, seen @ self.weights["hidden"] + self.weights["hidden bias"])
        scores: Numbers = hidden @ self._moves + self._bias
        return scores

    def learn(self, seen: Numbers, legal: NDArray[np.bool_], chosen: NDArray[np.int64]) -> None:
        """Make the chosen moves more likely than the other legal ones: a step of Adam on the cross-entropy."""
        weights = self.weights
        hidden = np.maximum(0, seen @ weights["hidden"] + weights["hidden bias"])
        scores = (hidden @ weights["parts"] + weights["parts bias"]) @ self._factors.T
        scores[~legal] = NEVER
        likely = np.exp(scores - scores.max(1, keepdims=True))
        likely /= likely.sum(1, keepdims=True)
        likely[np.arange(len(chosen)), chosen] -= 1
        by_part = likely @ self._factors / len(chosen)
        by_hidden = by_part @ weights["parts"].T
        by_hidden[hidden <= 0] = 0
        self._step(
            {
                "hidden": seen.T @ by_hidden,
                "hidden bias": by_hidden.sum(0),
                "parts": hidden.T @ by_part,
                "parts bias": by_part.sum(0),
            }
        )

    def _step(self, slopes: dict[str, Numbers]) -> None:
        self._steps += 1
        for name, slope in slopes.items():
            mean, square = self._mean[name], self._square[name]
            mean += 0.1 * (slope - mean)
            square += 0.001 * (slope**2 - square)
            move = mean / (1 - 0.9**self._steps)
            self.weights[name] -= RATE * move / (np.sqrt(square / (1 - 0.999**self._steps)) + 1e-8)


def best(net: Net, seen: Numbers, legal: NDArray[Any]) -> int:
    """The number of the legal move with the best score."""
    scores = net.scores(seen)
    scores[legal == 0] = NEVER
    return int(scores.argmax())


def taught(env: Any, bot: str, seed: int) -> int:
    """The number of the move that one of the engine's bots makes for the agent to act, by what its seat sees."""
    state = env.unwrapped.game
    seen = MIGRATO.observe(state, state.to_act, MIGRATO.initial_knowledge())
    return NUMBER_OF[MIGRATO.think(seen, bot, seed).move]


class Lessons(NamedTuple):
    """Positions, each with its legal moves (a bit each) and the teacher's move."""

    seen: NDArray[np.float16]
    legal: NDArray[np.uint8]
    chosen: NDArray[np.int64]

    def batch(self, which: NDArray[np.int64]) -> tuple[Numbers, NDArray[np.bool_], NDArray[np.int64]]:
        """Some of them, as the net takes them."""
        legal = np.unpackbits(self.legal[which], axis=1, count=len(MOVES)).astype(bool)
        return self.seen[which].astype(np.float32), legal, self.chosen[which]

    def and_more(self, more: "Lessons") -> "Lessons":
        """These and those."""
        return Lessons(
            np.concatenate((self.seen, more.seen)),
            np.concatenate((self.legal, more.legal)),
            np.concatenate((self.chosen, more.chosen)),
        )


def gather(decisions: int, player: Net | None, rng: random.Random) -> Lessons:
    """So many positions, each with its legal moves and the teacher's move, from games of the net, or of the teacher.

    One move in ten is any legal one, for more kinds of positions.
    """
    env, found = migrato_v0.env(**OPTIONS), list[tuple[Any, Any, int]]()
    while len(found) < decisions:
        env.reset(seed=rng.randrange(2**31))
        for _ in env.agent_iter():
            seen, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            numbers, legal = seen["observation"], seen["action_mask"]
            action = lesson = taught(env, TEACHER, rng.getrandbits(53))
            if legal.sum() > 1:
                found.append((numbers.astype(np.float16), np.packbits(legal.astype(bool)), lesson))
            if rng.random() < 0.1:
                action = int(rng.choice(np.flatnonzero(legal)))
            elif player is not None:
                action = best(player, numbers, legal)
            env.step(action)
    seen, legal_bits, chosen = zip(*found, strict=True)
    return Lessons(np.array(seen), np.array(legal_bits), np.array(chosen))


def train(decisions: tuple[int, ...] = DECISIONS, seed: int = 1) -> Net:
    """A net that has learned from so many decisions, round by round."""
    rng, net, order = random.Random(seed), Net(seed=seed), np.random.default_rng(seed)
    lessons: Lessons | None = None
    for number, count in enumerate(decisions, 1):
        more = gather(count, net if lessons else None, rng)
        lessons = lessons.and_more(more) if lessons else more
        for _ in range(EPOCHS):
            shuffled = order.permutation(len(lessons.chosen))
            for at in range(0, len(shuffled), BATCH):
                net.learn(*lessons.batch(shuffled[at : at + BATCH]))
        net.settle()
        sys.stderr.write(f"round {number}: {len(lessons.chosen):,} decisions\n")
    return net


def measure(
    net: Net, deals: int = 200, opponent: str = "greedy", seed: int = 2
) -> tuple[float, float, float]:
    """The net's share of the points against a bot of the engine, and its 95 % interval; a draw is half a win.

    Each deal is played from both seats, so that the luck of the deal is nobody's. The deal is the unit of the interval.
    """
    rng = random.Random(seed)
    shares = np.array(
        [
            np.mean([won(net, agent, opponent, deal, rng) for agent in migrato_v0.AGENTS])
            for deal in range(deals)
        ]
    )
    half = 1.96 * shares.std(ddof=1) / deals**0.5
    return float(shares.mean()), float(shares.mean() - half), float(shares.mean() + half)


def won(net: Net, own: str, opponent: str, deal: int, rng: random.Random) -> float:
    """Play a deal as that agent: 1 for a win, 0.5 for a draw, 0."""
    env = migrato_v0.env(**OPTIONS)
    env.reset(seed=deal)
    points = 0.0
    for agent in env.agent_iter():
        seen, reward, terminated, truncated, _ = env.last()
        if terminated or truncated:
            points = (reward + 1) / 2 if agent == own else points
            env.step(None)
        elif agent == own:
            env.step(best(net, seen["observation"], seen["action_mask"]))
        else:
            env.step(taught(env, opponent, rng.getrandbits(53)))
    return points


class Learner:
    """The bot of the kit. It sees its own cards that lie face down only in games with the option `memory_aid`."""

    def choose(self, view: Any, moves: Any) -> Any:
        """The move with the best score."""
        scores = trained().scores(numbers(view))
        return max(moves, key=lambda move: scores[NUMBER_OF[parse_move(move)]])


@cache
def trained() -> Net:
    """The net in the file, read once for all games."""
    with np.load(FILE) as weights:
        return Net(dict(weights))


def numbers(view: Any) -> Numbers:
    """The numbers that the environment shows, from a view of the API."""
    flat = np.zeros(sight.SIZE, np.float32)
    parts, state, me = sight.pieces(flat), view["state"], view["viewer"]
    limit, cards = view["options"]["turn_limit"], view["options"]["deck_list"]
    parts["turn"][me] = 1
    parts["turn"][2] = view["to_act"] == me
    parts["turn"][3] = state["phase"] == "discard"
    parts["turn"][4] = min(1.0, view["turn"] / limit) if limit else 0.0
    sides = [state["players"][me], state["players"][1 - me]]
    parts["cards"][:] = [
        state["deck"] / sum(cards.values()),
        *[side["hand_size"] / HAND_SIZE for side in sides],
    ]
    for card in sides[0]["hand"]:
        parts["hand"][FACE[card] - 1] += 1 / HAND_SIZE
    for card in state["discard_pile"]:
        parts["discard_pile"][FACE[card] - 1] += 1 / cards[card]
    for number, side in enumerate(sides):
        for column in side["columns"]:
            for place, card in enumerate(column["cards"]):
                face = DOWN if card.get("face") is None else FACE[card["face"]]
                parts["columns"][number, column["slot"] - 1, place, :3] = (
                    1,
                    card["down"],
                    BIRDS[face] / MAX_BIRDS,
                )
                if face != DOWN:
                    parts["columns"][number, column["slot"] - 1, place, 3 + SPECIES_OF[face]] = 1
        for species, pile in side["arrivals"].items():
            for place, card in enumerate(pile):
                shown = (BIRDS[FACE[card]] / MAX_BIRDS, IS_NIGHT[FACE[card]])
                parts["piles"][number, SPECIES_IDS.index(species), place] = shown
        for species in side["return_flights"]:
            parts["flights"][number, SPECIES_IDS.index(species)] = 1
    return flat


def main() -> None:
    """The command line: train, measure, or what the kit offers."""
    match sys.argv[1:]:
        case ["train"]:
            np.savez(FILE, allow_pickle=False, **train().weights)
        case ["measure"]:
            share, low, high = measure(trained())
            sys.stdout.write(f"{share:.1%} ({low:.1%} to {high:.1%}) against greedy\n")
        case _:
            run(Learner)


if __name__ == "__main__":
    main()
