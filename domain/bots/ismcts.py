"""Information-set Monte Carlo tree search (Cowling, Powley and Whitehouse 2012) with priors and a fitted evaluation."""

from dataclasses import dataclass
from math import sqrt

from domain.bots.bot import Bot, Budget, Choice, Considered, Rng, Stop
from domain.bots.evaluation import Evaluation
from domain.bots.instinct import Instinct, odds
from domain.bots.outlook import supply
from domain.migrato.decide import decide
from domain.migrato.determinize import Determinizer
from domain.migrato.legal import legal_moves
from domain.migrato.moves import PASS, Move
from domain.migrato.observation import Observation
from domain.migrato.state import DISCARD, State, evolve


@dataclass(frozen=True, slots=True)
class Settings:
    """What may be tuned."""

    exploration: float = 0.6
    sharpness: float = 6.0
    fpu: float = 0.05
    plausible: bool = True


class Node:
    """What is known of a move after the moves above it."""

    __slots__ = ("available", "children", "move", "odds", "seat", "value", "visits")

    def __init__(self, move: Move, seat: int, odds: float) -> None:
        self.move = move
        self.seat = seat
        self.odds = odds
        self.visits = 0
        self.available = 0
        self.value = 0.0
        self.children: dict[Move, Node] = {}


class Shuffler:
    """The chance of the games that the search makes up."""

    def __init__(self, rng: Rng) -> None:
        self._rng = rng

    def shuffled(self, number: int, cards: object, client_seeds: object) -> tuple[int, ...]:
        """The cards in any order."""
        assert isinstance(cards, tuple)
        order = list(cards)
        for j in range(len(order) - 1, 0, -1):
            i = int(self._rng.random() * (j + 1))
            order[i], order[j] = order[j], order[i]
        return tuple(order)

    def first_seat(self, seats: int, client_seeds: object) -> int:
        """Never asked."""
        raise AssertionError


class Search:
    """One search: a tree over what the seat sees, each iteration through another game that may be the true one."""

    def __init__(self, seen: Observation, rng: Rng, settings: Settings) -> None:
        self.seat = seen.seat
        self.rng = rng
        self.settings = settings
        self.chance = Shuffler(rng)
        self.evaluation = Evaluation(seen.rules, supply(seen))
        self.instinct = Instinct(self.evaluation)
        self.determinizer = Determinizer(seen)
        self.root = Node(PASS, 1 - seen.seat, 1.0)

    def iterate(self) -> None:
        """Sample, descend, judge, remember."""
        state = self.determinizer.sample(self.rng)
        node = self.root
        path = [node]
        while state.to_act is not None:
            moves = legal_moves(state)
            if len(moves) == 1:
                state = self.after(state, moves[0])
                continue
            node = self.select(node, state, moves)
            path.append(node)
            state = self.after(state, node.move)
            if not node.visits:
                break
        while state.phase is DISCARD:
            moves = legal_moves(state)
            worths = self.instinct.worths(state, moves)
            state = self.after(state, moves[worths.index(max(worths))])
        value = self.evaluation.win(state, self.seat)
        for node in path:
            node.visits += 1
            node.value += value

    def after(self, state: State, move: Move) -> State:
        """The state after the move."""
        for event in decide(state, state.to_act, move, self.chance):
            state = evolve(state, event)
        return state

    def select(self, node: Node, state: State, moves: list[Move]) -> Node:
        """The child to try next: PUCT over those that are legal in this game."""
        seat = state.to_act
        assert seat is not None
        children = node.children
        here: list[Node] = []
        for move in moves:
            child = children.get(move)
            if child is None:
                break
            here.append(child)
        if len(here) < len(moves):
            here.clear()
            weights = odds(self.instinct.worths(state, moves), self.settings.sharpness)
            for move, weight in zip(moves, weights, strict=True):
                child = children.get(move)
                if child is None:
                    child = children[move] = Node(move, seat, weight)
                here.append(child)
        total = 0.0
        mean = node.value / node.visits if node.visits else 0.5
        mine = seat == self.seat
        fpu = (mean if mine else 1 - mean) - self.settings.fpu
        exploration = self.settings.exploration
        for child in here:
            total += child.odds
        best = here[0]
        most = -1e9
        for child in here:
            child.available += 1
            visits = child.visits
            if visits:
                q = child.value / visits
                if not mine:
                    q = 1 - q
            else:
                q = fpu
            score = q + exploration * child.odds / total * sqrt(child.available) / (1 + visits)
            if score > most:
                most = score
                best = child
        return best

    def choice(self, iterations: int) -> Choice:
        """The most visited move."""
        nodes = sorted(self.root.children.values(), key=lambda n: -n.visits)
        considered = tuple(
            Considered(n.move, n.visits, 0.0, n.value / n.visits if n.visits else 0.0) for n in nodes
        )
        return Choice(nodes[0].move, considered, iterations)


def policy(seen: Observation, rng: Rng, budget: Budget, stop: Stop) -> Choice:
    """Think."""
    search = Search(seen, rng, Settings(sharpness=1.0))
    done = 0
    limit = 1_000_000_000 if budget.iterations is None else budget.iterations
    while done < limit:
        search.iterate()
        done += 1
        if stop():
            break
    return search.choice(done)


EASY = Bot("ismcts-easy", "0", "Searches a little.", policy, 50, Budget(iterations=100), remembers=True)
NORMAL = Bot("ismcts", "0", "Searches.", policy, 300, Budget(iterations=1000), remembers=True)
EXPERT = Bot("ismcts-expert", "0", "Searches long.", policy, 2000, Budget(iterations=5000), remembers=True)
