"""Facts of one game for the report on players, small enough to be kept: counts, never moves."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, Self

from domain.game import Game
from domain.lifecycle import Json, Seat, places_of_those_who_began
from events.audit.players.agreement import Answers, Panel
from events.audit.players.choices import Choices, Chosen
from events.audit.players.likelihood import Likelihood
from events.audit.statistics.strengths import Played
from events.log.export import Exported
from events.log.player_ids import BOT

QUICK: Final = (
    500  # milliseconds; a choice that took less is quick: a person has hardly seen the table by then
)
_MOST: Final = 1_000_000  # moves in a game


class Times(NamedTuple):
    """Times of a player's choices: how many, how many of them QUICK; the sums of their logarithms and squares."""

    of: int = 0
    quick: int = 0
    logs: float = 0.0
    squares: float = 0.0

    def and_then(self, milliseconds: int) -> "Times":
        """The times with one more choice, which took so many milliseconds."""
        log = math.log(max(1, milliseconds))
        return Times(
            self.of + 1, self.quick + (milliseconds < QUICK), self.logs + log, self.squares + log * log
        )

    def together(self, other: "Times") -> "Times":
        """These times and the others, added up."""
        return Times(
            self.of + other.of,
            self.quick + other.quick,
            self.logs + other.logs,
            self.squares + other.squares,
        )


@dataclass(slots=True)
class Person:
    """A person in one game: moves, hints that were given, choices that say something, and their times."""

    moves: int = 0
    hints: int = 0
    choices: int = 0
    times: Times = field(default_factory=Times)


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts of a game: its people by name, results between all who played, and what the bots answered."""

    game_id: str
    game: str
    people: dict[str, Person]
    results: list[Played]
    answers: Answers

    @property
    def document(self) -> Json:
        """The facts as a JSON object, from which `read` makes them again."""
        return {
            "game_id": self.game_id,
            "game": self.game,
            "people": {
                name: [one.moves, one.hints, one.choices, *one.times] for name, one in self.people.items()
            },
            "results": [list(played) for played in self.results],
            "answers": list(self.answers),
        }

    @classmethod
    def read(cls, document: Json) -> Self:
        """The facts of such a document; LookupError, TypeError, ValueError or AttributeError if it is none."""
        people = {
            str(name): Person(
                _number(moves),
                _number(hints),
                _number(choices),
                Times(_number(of), _number(quick), _sum(logs), _sum(squares)),
            )
            for name, (moves, hints, choices, of, quick, logs, squares) in document["people"].items()
        }
        people_asked, bots_asked, likelihoods = document["answers"]
        answers = Answers(_counts(people_asked), _counts(bots_asked), _likelihoods(likelihoods))
        results = [
            Played(str(one), str(other), _sum(points), _number(of))
            for one, other, points, of in document["results"]
        ]
        return cls(str(document["game_id"]), str(document["game"]), people, results, answers)


def _number(found: Any) -> int:
    """A number of things in one game; ValueError for what none has."""
    if not (isinstance(found, int) and 0 <= found <= _MOST):
        raise ValueError(f"{found!r} is no number of things in a game")
    return found


def _sum(found: Any) -> float:
    if not (isinstance(found, (int, float)) and 0 <= found <= 1000 * _MOST):
        raise ValueError(f"{found!r} is no sum over the choices in a game")
    return found


def _counts(nested: Mapping[str, Any]) -> dict[str, Any]:
    return {
        outer: {
            bot: tuple((_number(hits), _number(of)) for hits, of in cells) for bot, cells in inner.items()
        }
        for outer, inner in nested.items()
    }


def _likelihoods(nested: Mapping[str, Any]) -> dict[str, dict[str, Likelihood]]:
    return {
        player: {
            bot: Likelihood(_number(of), -_sum(-bot_log), tuple([-_sum(-log) for log in logs]))
            for bot, (of, bot_log, logs) in bots.items()
        }
        for player, bots in nested.items()
    }


def facts_of(game: Game, panel: Panel, exported: Exported) -> Facts:
    """The facts of a game that is complete and has passed the verification."""
    choices = Choices(game, exported)
    chosen = list(choices.chosen())
    answers = panel.ask(choices, chosen)
    people = {name: Person(moves) for name, moves in choices.moves.items()}
    for name, hints in choices.hints.items():
        people.setdefault(name, Person()).hints = hints
    for one in chosen:
        _add(people[one.player], one)
    return Facts(choices.game_id, game.name, people, _results(choices), answers)


def _add(person: Person, one: Chosen) -> None:
    person.choices += 1
    if one.milliseconds is not None:
        person.times = person.times.and_then(one.milliseconds)


def _results(choices: Choices) -> list[Played]:
    """The result of each two that played each other, under different names; none of an aborted game."""
    status = choices.status
    if status.result is None or status.result.is_void:
        return []
    names = [_name(seat) for seat in status.seats]
    places = places_of_those_who_began(status.seats, status.result.places)
    return [
        Played(one, other, 1.0 if mine < theirs else 0.5 if mine == theirs else 0.0, 1)
        for at, (one, mine) in enumerate(zip(names, places, strict=True))
        for other, theirs in list(zip(names, places, strict=True))[at + 1 :]
        if one is not None and other is not None and one != other
    ]


def _name(seat: Seat) -> str | None:
    if seat.leaver is not None:
        return seat.leaver.player
    return f"{BOT}{seat.bot}" if seat.kind == "bot" else seat.player


def is_bot(name: str) -> bool:
    """True for the name of a bot among those who played."""
    return name.startswith(BOT)
