"""Play one game twice, by the engine and by the model, and compare all that can be seen after every move."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Protocol

from domain.chance import ClientSeeds
from domain.errors import DomainError
from domain.lifecycle import Create, Seat
from domain.registry import game_named
from tests.model.migrato_model import Json, Model, ModelError, normal
from tests.model.random_play import (
    MOODS,
    choose,
    choose_to_exhaust,
    exhausting_deck_list,
    last_act_with_odd_discard,
    random_deck,
    random_document,
    random_options,
)

CRASH = "crash: "
VIEWERS: tuple[int | None, ...] = (0, 1, None)


class Table(Protocol):
    """A game being played by what is under test: in process, or over HTTP."""

    def observed(self) -> Json:
        """`views` by viewer, `legal` by seat, `to_act`, `turn`, `result`, all as the contract shapes them."""

    def refuses(self, seat: int, document: Json) -> str | None:
        """The rule that would refuse the document now, without playing it; None if it would be accepted."""

    def play(self, seat: int, document: Json) -> list[list[str]] | None:
        """Play it; the orders of the decks shuffled anew, None if they are secret. May raise RefusedError."""


class RefusedError(Exception):
    """The engine did not accept a document that the model takes for legal."""


class BadTryError(Exception):
    """A document that was only tried out crashed, or is judged otherwise by a dry run."""


@dataclass
class Mismatch(Exception):
    """A difference between engine and model, with all that is needed to see it again."""

    label: str
    what: list[str]
    model: Model
    deck: Sequence[str]

    def __str__(self) -> str:
        """A story that a person can follow on a table."""
        lines = [
            f"{self.label}: after {self.moves} moves engine and model differ",
            f"options: {json.dumps(self.model.options)}",
            f"deck: {' '.join(self.deck)}",
            *self.model.story,
            "the model's table:",
            *(f"    {line}" for line in self.model.picture()),
            "differences (engine | model):",
            *(f"    {line}" for line in self.what),
        ]
        return "\n".join(lines)

    @property
    def moves(self) -> int:
        return sum(line.startswith("turn") for line in self.model.story)


class SeededShuffles:
    """Chance that the test owns, so that its games stay the same whatever the engine's own generator does."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng

    def shuffled(self, number: int, cards: Sequence[int], client_seeds: ClientSeeds) -> tuple[int, ...]:
        order = list(cards)
        self._rng.shuffle(order)
        return tuple(order)

    def first_seat(self, seats: int, client_seeds: ClientSeeds) -> int:
        return self._rng.randrange(seats)


class DomainTable:
    """The pure domain, through the protocol that every game implements."""

    def __init__(self, options: Json, deck: Sequence[str], rng: Random) -> None:
        self.game = game_named("migrato")
        self.chance = SeededShuffles(rng)
        self.state = self.game.initial()
        seats = (Seat("human", "ada"), Seat("human", "bob"))
        create = Create("differential", "0" * 64, options, seats, {"deck": deck})
        for event in self.game.decide(self.state, None, create, self.chance):
            self.state = self.game.evolve(self.state, event)

    def observed(self) -> Json:
        status = self.game.status(self.state)
        result = status.result
        return {
            "views": {viewer: self.game.view(self.state, viewer) for viewer in VIEWERS},
            "legal": {seat: self.game.legal_moves(self.state, seat) for seat in (0, 1)},
            "to_act": status.to_act,
            "turn": status.turn,
            "result": result
            and {"winner": result.winner, "reason": result.reason, "scores": list(result.scores)},
        }

    def _decided(self, seat: int, document: Json) -> Sequence[Any]:
        return self.game.decide(self.state, seat, self.game.parse_move(document), self.chance)

    def refuses(self, seat: int, document: Json) -> str | None:
        """The answer of `decide`; its dry run must say the same, and neither may crash."""
        before = self.chance._rng.getstate()
        earnest = self._verdict(lambda: self._decided(seat, document))
        self.chance._rng.setstate(before)
        dry = self._verdict(lambda: self.game.preview(self.state, seat, self.game.parse_move(document)))
        if earnest != dry or (earnest and earnest.startswith(CRASH)):
            raise BadTryError(f"in earnest {earnest or 'legal'}, dry {dry or 'legal'}")
        return earnest

    @staticmethod
    def _verdict(attempt: Callable[[], object]) -> str | None:
        try:
            attempt()
        except DomainError as error:
            return f"{error.code}: {error.detail}"
        except (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError) as crash:
            return CRASH + repr(crash)
        return None

    def play(self, seat: int, document: Json) -> list[list[str]]:
        try:
            events = self._decided(seat, document)
        except DomainError as error:
            raise RefusedError(f"{error.code}: {error.detail}") from error
        for event in events:
            self.state = self.game.evolve(self.state, event)
        wires = [self.game.encode(event) for event in events]
        return [only_list(wire.data) for wire in wires if wire.type == "deck_reshuffled"]


def only_list(data: Json) -> list[str]:
    """The order in a `deck_reshuffled` event, whatever its field is called."""
    [order] = [value for value in data.values() if isinstance(value, list)]
    return list(order)


def expected(model: Model) -> Json:
    """The model's side of `Table.observed`."""
    return {
        "views": {viewer: model.view(viewer) for viewer in VIEWERS},
        "legal": {seat: [json.loads(move) for move in model.legal_moves(seat)] for seat in (0, 1)},
        "to_act": model.to_act,
        "turn": model.turn,
        "result": model.result,
    }


def comparable(observed: Json, deck_is_ordered: bool = True) -> Json:
    """All that has no order of its own is sorted: hands, Return Flight cards, the list of legal moves.

    What says nothing is left out: the phase of a game that is over.
    """
    views = {}
    for viewer, view in observed["views"].items():
        players = [
            {
                **player,
                "hand": player["hand"] and sorted(player["hand"]),
                "return_flights": sorted(player["return_flights"]),
            }
            for player in view["players"]
        ]
        views[viewer] = {**view, "players": players}
        if observed["result"] is not None:
            del views[viewer]["phase"]
        if not deck_is_ordered and "deck_cards" in view:
            views[viewer]["deck_cards"] = sorted(view["deck_cards"])
    legal = {seat: sorted(normal(move) for move in moves) for seat, moves in observed["legal"].items()}
    return {**observed, "views": views, "legal": legal}


def differences(engine: Any, model: Any, path: str = "") -> list[str]:
    """One line for each place where the two documents differ."""
    if isinstance(engine, dict) and isinstance(model, dict):
        names = sorted({*engine, *model}, key=str)
        none = "(absent)"
        return [
            line
            for name in names
            for line in differences(engine.get(name, none), model.get(name, none), f"{path}.{name}")
        ]
    if path.startswith(".legal") and isinstance(engine, list) and isinstance(model, list):
        more, less = Counter(engine) - Counter(model), Counter(model) - Counter(engine)
        return [f"{path}: {move} | -" for move in more] + [f"{path}: - | {move}" for move in less]
    if isinstance(engine, list) and isinstance(model, list) and len(engine) == len(model):
        pairs = enumerate(zip(engine, model, strict=True))
        return [line for n, (e, m) in pairs for line in differences(e, m, f"{path}[{n}]")]
    return [] if engine == model and type(engine) is type(model) else [f"{path[1:]}: {engine} | {model}"]


@dataclass
class Match:
    """Engine and model side by side over one game."""

    label: str
    table: Table
    model: Model
    deck: Sequence[str]
    tried: Counter[str] = field(default_factory=Counter)
    played: list[tuple[int, Json]] = field(default_factory=list)

    def compare(self, observed: Json | None = None) -> None:
        """Everything that can be seen now."""
        engine = self.table.observed() if observed is None else observed
        ordered = self.model.deck_is_ordered
        found = differences(comparable(engine, ordered), comparable(expected(self.model), ordered))
        if found:
            raise Mismatch(self.label, found, self.model, self.deck)

    def try_out(self, seat: int, document: Json, kind: str = "") -> None:
        """Do both refuse, or both accept, a document that is not played?"""
        model = self.model.refusal(seat, document)
        try:
            engine = self.table.refuses(seat, document)
        except BadTryError as bad:
            what = [f"{json.dumps(document)} by seat {seat}: {bad} | {model or 'legal'}"]
            raise Mismatch(self.label, what, self.model, self.deck) from bad
        self.tried[kind + (f"refused: {model}" if model else "accepted")] += 1
        if (engine is None) != (model is None):
            what = [f"{json.dumps(document)} by seat {seat}: {engine or 'legal'} | {model or 'legal'}"]
            raise Mismatch(self.label, what, self.model, self.deck)

    def play(self, seat: int, document: Json) -> None:
        """Play the document on both sides and compare."""
        try:
            orders = self.table.play(seat, document)
        except RefusedError as refused:
            what = [f"{json.dumps(document)} by seat {seat}: {refused} | legal"]
            raise Mismatch(self.label, what, self.model, self.deck) from refused
        self.played.append((seat, document))
        observed = self.table.observed()
        hand = observed["views"][seat]["players"][seat]["hand"]

        def shuffle(pile: list[str]) -> list[str] | None:
            if orders == []:
                raise ModelError(f"the engine did not shuffle {pile} into a new deck")
            return None if orders is None else orders.pop(0)

        try:
            self.model.play(seat, document, shuffle, hand)
        except ModelError as impossible:
            raise Mismatch(self.label, [str(impossible)], self.model, self.deck) from impossible
        self.compare(observed)
        if orders:
            raise Mismatch(self.label, [f"a shuffle too many: {orders} | -"], self.model, self.deck)


def domain_match(label: str, options: Json, deck: Sequence[str], rng: Random) -> Match:
    """A new game of the domain and of the model."""
    table = DomainTable(options, deck, rng)
    return match_at(table, label, options, deck)


def match_at(table: Table, label: str, options: Json, deck: Sequence[str]) -> Match:
    """The model beside a table where a game has just begun."""
    seat = table.observed()["to_act"] if options.get("first_seat") == "random" else None
    match = Match(label, table, Model(options, deck, seat), deck)
    match.compare()
    return match


def random_game(seed: int, most_moves: int = 300) -> Match:
    """A whole random game of the domain; `Mismatch` where the two sides part."""
    rng = Random(seed)
    options = random_options(rng)
    deck = random_deck(options, rng)
    return play_randomly(domain_match(f"random game {seed}", options, deck, rng), rng, most_moves)


def exhausting_game(seed: int, most_moves: int = 150) -> Match:
    """A game on a small deck that tends to run out of cards."""
    rng = Random(seed)
    options: Json = {"rules": rng.choice(["opla", "digital"]), "deck_list": exhausting_deck_list(rng)}
    deck = random_deck(options, rng)
    match = domain_match(f"exhausting game {seed}", options, deck, rng)
    for _ in range(most_moves):
        if match.model.to_act is None:
            break
        match.play(match.model.to_act, choose_to_exhaust(match.model, rng))
    return match


def play_randomly(match: Match, rng: Random, most_moves: int) -> Match:
    """Go on until the game ends, with odd documents tried out in between."""
    moods = [rng.choice(MOODS) for _ in range(2)]
    for _ in range(most_moves):
        for _ in range(rng.choice([0, 0, 1, 3])):
            seat = match.model.to_act if rng.random() < 0.9 else rng.choice([0, 1])
            match.try_out(seat or 0, random_document(match.model, rng))
        seat = match.model.to_act
        if seat is None:
            return match
        odd = last_act_with_odd_discard(match.model, rng)
        if odd and rng.random() < 0.5:
            match.try_out(seat, odd, "an odd discard with what may be the last action ")
        match.play(seat, choose(match.model, moods[seat], rng))
    return match


def shortest(mismatches: Iterable[Mismatch]) -> str:
    """The story of the mismatch that takes the fewest moves."""
    return str(min(mismatches, key=lambda mismatch: mismatch.moves))
