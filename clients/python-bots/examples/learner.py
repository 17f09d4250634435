"""A bot that learns, in a minute on one core, with numpy alone, to beat `greedy`.

It imitates the engine's bot `heuristic` (DAgger: S. Ross, G. Gordon, D. Bagnell, 2011). First `heuristic` plays in the
PettingZoo environment of the engine, and a small net learns which move it makes. Then the net plays, errs, and comes to
positions that `heuristic` never leads to; it learns what `heuristic` would do there. So it learns to mend its errors.

The net does not look at the position, but at what each move makes of it: the own columns and hand afterwards, the
points, the cards that are lost (`Position.after`). From the numbers of the table alone it would have to find out which
card fits which column, and would need far more games for that.

    python learner.py train               less than a minute of one core; leaves learner.npz
    python learner.py measure             200 deals against greedy in the environment, each from both seats
    python learner.py match greedy --memory-aid --games 200       the same in the arena, as a bot of the kit

It was to beat `greedy`: the lower end of the 95 % interval was to be above 50 %. It took 70.1 % (66.2 to 74.1) of the
points of 400 games.
"""

import random
import sys
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from migrato_bots import run
from numpy.typing import NDArray

from domain.migrato.codec.move_codec import parse_move
from domain.migrato.game import MIGRATO
from domain.migrato.rules.cards import (
    BIRDS,
    DOWN,
    FACE,
    FIRST_DANGER,
    GOAL,
    IS_NIGHT,
    MAX_BIRDS,
    SPECIES_IDS,
    SPECIES_OF,
)
from domain.migrato.rules.columns import arriving_species, checked_after_move, checked_after_play, shape_of
from domain.migrato.rules.moves import Abandon, Discard, Exchange, Move, MoveCards, Pass, Play, PlayDanger
from domain.migrato.rules.rule_books import HAND_SIZE, SLOTS
from research import pettingzoo as migrato_v0
from research import sight
from research.numbering import MOVES, NUMBER_OF

FILE: Final = Path(__file__).with_suffix(".npz")
TEACHER: Final = "heuristic"
OPTIONS: Final = {
    "memory_aid": True,
    "turn_limit": 1000,
}  # it has no memory, so its own cards are shown to it
HIDDEN: Final = 64
DECISIONS: Final = (8_000, 8_000, 8_000)  # of each round: in the first one the teacher plays
EPOCHS: Final = 4  # after each round, over all decisions so far
BATCH: Final = 64  # decisions
RATE: Final = 2e-3
KINDS: Final = (Play, Discard, MoveCards, PlayDanger, Exchange, Abandon, Pass)
ALL_SPECIES: Final = (1 << len(SPECIES_IDS)) - 1
FACES: Final = {
    (SPECIES_IDS[SPECIES_OF[face]], IS_NIGHT[face], BIRDS[face]): face for face in range(1, FIRST_DANGER)
}
SIZE: Final = 66  # numbers of a move

Numbers = NDArray[np.float32]
Column = tuple[int, ...]


class Position:
    """The table as the seat sees it, put together again from the numbers of the environment."""

    def __init__(self, seen: Numbers) -> None:
        parts = sight.pieces(seen)
        self.columns = [_column(parts["columns"][0, slot]) for slot in range(SLOTS)]
        self.their_columns = [_column(parts["columns"][1, slot]) for slot in range(SLOTS)]
        self.hand = [
            face + 1 for face in range(sight.FACES) for _ in range(round(parts["hand"][face] * HAND_SIZE))
        ]
        piles = parts["piles"][:, :, :, 0] * MAX_BIRDS
        heights = (piles > 0).sum(2)
        self.landed, self.their_landed = [
            sum(1 << species for species in range(len(SPECIES_IDS)) if heights[side, species])
            for side in range(2)
        ]
        self.piles = [
            [int(bird) for bird in piles[1, species, : heights[1, species]]]
            for species in range(len(SPECIES_IDS))
        ]
        scores = [
            sum(float(piles[side, s, h - 1]) for s, h in enumerate(heights[side]) if h) for side in range(2)
        ]
        self.lead = scores[0] - scores[1]
        self.rest = [float(parts["cards"][0]), float(parts["turn"][4])]
        self.theirs = [
            number for species in range(len(SPECIES_IDS)) for number in flock(species, self.their_columns)
        ]

    def after(self, move: Move) -> list[float]:
        """The own side and the points after a move, in numbers of about 1, by which the net judges it."""
        columns, hand, landed = list(self.columns), list(self.hand), self.landed
        points, lost, stolen = 0.0, 0, [0.0, 0.0, 0.0]
        checked: int | None = None
        if isinstance(move, Play):
            checked = columns.index(()) if move.slot is None else move.slot
            hand.remove(move.card)
            columns[checked] += (move.card,)
            if not checked_after_play(columns[checked]):
                checked = None
        elif isinstance(move, MoveCards):
            checked = columns.index(()) if move.target is None else move.target
            going = columns[move.source][move.index :]
            columns[move.source] = columns[move.source][: move.index]
            columns[checked] += going
            if move.target is None or not checked_after_move(shape_of(columns[checked]), move.uncover):
                checked = None
        elif isinstance(move, PlayDanger):
            hand.remove(move.card)
            if move.slot is not None:
                column = self.their_columns[move.slot]
                stolen = [1.0, len(column) / 5, BIRDS[column[-1]] / MAX_BIRDS]
                hand += [column[-1]] if column[-1] != DOWN else []
            elif move.pile is not None:
                pile = self.piles[move.pile]
                points = float(pile[-1] - pile[-2])
        elif isinstance(move, Discard):
            hand.remove(move.card)
        elif isinstance(move, Exchange):
            hand = []
        elif isinstance(move, Abandon):
            lost, columns[move.slot] = len(columns[move.slot]), ()
        if checked is not None:
            column, columns[checked] = columns[checked], ()
            is_known = DOWN not in column
            species = arriving_species(column, landed, isinstance(move, MoveCards)) if is_known else None
            if species is None:
                lost = len(column)
            else:
                points, landed = float(BIRDS[column[-1]]), landed | 1 << species
                columns = [
                    () if any(SPECIES_OF[card] == species for card in other) else other for other in columns
                ]
        return [
            *self._told(columns, hand, landed),
            points / MAX_BIRDS,
            lost / 5,
            *stolen,
            *self._standing(points, landed),
        ]

    def _told(self, columns: list[Column], hand: list[int], landed: int) -> list[float]:
        """For each species: who has landed it, the longest flock, and the cards of it in the hand."""
        told = []
        for species in range(len(SPECIES_IDS)):
            length, last = flock(species, columns)
            birds = [BIRDS[card] for card in hand if SPECIES_OF[card] == species]
            fit = [bird for bird in birds if not length or bird <= last * MAX_BIRDS]
            mine, theirs = landed >> species & 1, self.their_landed >> species & 1
            told += [
                mine,
                theirs,
                length,
                last * (length > 0),
                len(birds) / 3,
                len(fit) / 3,
                max(fit, default=0) / MAX_BIRDS,
            ]
        used = [column for column in columns if column]
        muddles = sum(not is_flock(column) for column in used)
        dangers = sum(card >= FIRST_DANGER for card in hand)
        return [*told, len(used) / SLOTS, muddles / SLOTS, dangers / 3, len(hand) / 3]

    def _standing(self, points: float, landed: int) -> list[float]:
        """The lead, the nearness of the end, and what the opponent has."""
        lead, missing = self.lead + points, ALL_SPECIES & ~(landed | self.their_landed)
        ends = 0.0 if missing else float((lead > 0) - (lead < 0))
        return [lead / 10, ends, missing.bit_count() / 5, *self.rest, *self.theirs]


def _column(places: Numbers) -> Column:
    """The faces of a column, from its numbers; DOWN for what the seat does not know."""
    faces = []
    for taken, is_down, birds, *species in places:
        if taken:
            known = [SPECIES_IDS[s] for s, one in enumerate(species) if one]
            faces.append(FACES[known[0], bool(is_down), round(birds * MAX_BIRDS)] if known else DOWN)
    return tuple(faces)


def is_flock(column: Column) -> bool:
    """True if its cards are of one species, with never more birds further down."""
    return len({SPECIES_OF[card] for card in column}) == 1 and all(
        BIRDS[upper] >= BIRDS[lower] for upper, lower in pairwise(column)
    )


def flock(species: int, columns: list[Column]) -> tuple[float, float]:
    """Of the longest flock of the species: its part of the cards that it takes, and the birds of its last card."""
    flocks = [
        column for column in columns if column and SPECIES_OF[column[0]] == species and is_flock(column)
    ]
    best = max(flocks, key=lambda column: (len(column), BIRDS[column[-1]]), default=())
    return (len(best) / GOAL[species], BIRDS[best[-1]] / MAX_BIRDS) if best else (0.0, 1.0)


def choices(seen: Numbers, moves: Sequence[Move]) -> Numbers:
    """A row of numbers for each move: its kind, and what it leads to."""
    position = Position(seen)
    rows = [[*(type(move) is kind for kind in KINDS), *position.after(move)] for move in moves]
    return np.array(rows, np.float32)


class Net:
    """One hidden layer from what a move leads to, to a score of the move."""

    def __init__(self, weights: dict[str, Numbers] | None = None, seed: int = 0) -> None:
        """`weights`: those of a trained one."""
        rng = np.random.default_rng(seed)
        self.weights = weights or {
            "hidden": rng.normal(0, 2 / SIZE**0.5, (SIZE, HIDDEN)).astype(np.float32),
            "hidden bias": np.zeros(HIDDEN, np.float32),
            "score": np.zeros(HIDDEN, np.float32),
        }
        self._steps = 0
        self._mean = {name: np.zeros_like(weight) for name, weight in self.weights.items()}
        self._square = {name: np.zeros_like(weight) for name, weight in self.weights.items()}

    def scores(self, rows: Numbers) -> Numbers:
        """The score of each move."""
        hidden = np.maximum(0, rows @ self.weights["hidden"] + self.weights["hidden bias"])
        scores: Numbers = hidden @ self.weights["score"]
        return scores

    def learn(self, rows: Numbers, begins: NDArray[np.int64], chosen: NDArray[np.int64]) -> None:
        """Make the chosen moves likelier than the others of their positions: a step of Adam on the cross-entropy.

        `begins`: the first row of each position; `chosen`: the row of its chosen move.
        """
        hidden = np.maximum(0, rows @ self.weights["hidden"] + self.weights["hidden bias"])
        scores = hidden @ self.weights["score"]
        lengths = np.diff(begins, append=len(rows))
        likely = np.exp(scores - np.repeat(np.maximum.reduceat(scores, begins), lengths))
        likely /= np.repeat(np.add.reduceat(likely, begins), lengths)
        likely[chosen] -= 1
        likely /= len(begins)
        by_hidden = np.outer(likely, self.weights["score"]) * (hidden > 0)
        self._step(
            {"hidden": rows.T @ by_hidden, "hidden bias": by_hidden.sum(0), "score": hidden.T @ likely}
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
    numbered = np.flatnonzero(legal)
    return int(numbered[net.scores(choices(seen, [MOVES[number] for number in numbered])).argmax()])


def taught(env: Any, bot: str, seed: int) -> int:
    """The number of the move that one of the engine's bots makes for the agent to act, by what its seat sees."""
    state = env.unwrapped.game
    seen = MIGRATO.observe(state, state.to_act, MIGRATO.initial_knowledge())
    return NUMBER_OF[MIGRATO.think(seen, bot, seed).move]


class Lesson(NamedTuple):
    """A position: the numbers of each legal move, and the place of the move that the teacher makes."""

    rows: NDArray[np.float16]
    chosen: int


def batch(lessons: Sequence[Lesson]) -> tuple[Numbers, NDArray[np.int64], NDArray[np.int64]]:
    """Some lessons, as the net takes them."""
    begins = np.cumsum([0, *[len(lesson.rows) for lesson in lessons[:-1]]])
    rows = np.concatenate([lesson.rows for lesson in lessons]).astype(np.float32)
    return rows, begins, begins + [lesson.chosen for lesson in lessons]


def gather(decisions: int, player: Net | None, rng: random.Random) -> list[Lesson]:
    """So many lessons from games of the net, or of the teacher. One move in ten is any legal one, for more kinds of
    positions.
    """
    env, lessons = migrato_v0.env(**OPTIONS), list[Lesson]()
    while len(lessons) < decisions:
        env.reset(seed=rng.randrange(2**31))
        for _ in env.agent_iter():
            seen, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            legal = np.flatnonzero(seen["action_mask"])
            action = int(legal[0])
            if len(legal) > 1:
                action = lesson = taught(env, TEACHER, rng.getrandbits(53))
                rows = choices(seen["observation"], [MOVES[number] for number in legal])
                lessons.append(Lesson(rows.astype(np.float16), int(np.searchsorted(legal, lesson))))
                if rng.random() < 0.1:
                    action = int(rng.choice(legal))
                elif player is not None:
                    action = int(legal[player.scores(rows).argmax()])
            env.step(action)
    return lessons


def train(decisions: tuple[int, ...] = DECISIONS, seed: int = 1) -> Net:
    """A net that has learned from so many decisions, round by round."""
    rng, net, lessons = random.Random(seed), Net(seed=seed), list[Lesson]()
    for number, count in enumerate(decisions, 1):
        lessons += gather(count, net if lessons else None, rng)
        for _ in range(EPOCHS):
            rng.shuffle(lessons)
            for at in range(0, len(lessons), BATCH):
                net.learn(*batch(lessons[at : at + BATCH]))
        sys.stderr.write(f"round {number}: {len(lessons):,} decisions\n")
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
        scores = trained().scores(choices(numbers(view), [parse_move(move) for move in moves]))
        return moves[int(scores.argmax())]


@cache
def trained() -> Net:
    """The net in the file, read once for all games. SystemExit says what to do where there is none."""
    if not FILE.exists():
        raise SystemExit(
            f"There is no {FILE.name} yet: python {Path(__file__).name} train makes it, in minutes."
        )
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
