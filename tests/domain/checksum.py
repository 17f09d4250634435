"""`python -m tests.domain.checksum`: everything that the domain says in many games, as a few checksums, in JSON.

A process of its own prints what the compiled domain says, if there is one; a test compares it with the plain one.
"""

import json
import pickle
import sys
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import compiled.preferred  # noqa: F401 (before anything imports the domain)
from compiled import in_use
from domain.bot import Budget
from domain.chance import SeededChance
from domain.errors import DomainError
from domain.lifecycle import Create, Score, Seat, TakeSeat
from domain.migo.game import MIGO
from domain.migo.rules.events import BottleGained, CardTaken, RoundEnded
from domain.migo.rules.moves import RESIGN, Take
from domain.migrato.belief.observation import observe
from domain.migrato.bots import BOTS
from domain.migrato.codec.event_codec import encode
from domain.migrato.codec.move_codec import move_document
from domain.migrato.rules.decide import decide
from domain.migrato.rules.events import BirdPlayed, CardsDrawn, TurnPassed
from domain.migrato.rules.legal import legal_moves
from domain.migrato.rules.moves import (
    Abandon,
    Discard,
    Exchange,
    Move,
    MoveCards,
    Pass,
    Play,
    PlayDanger,
    Resign,
)
from domain.migrato.rules.state import INITIAL, State, evolve, fold
from domain.migrato.rules.view import view
from domain.prng import Prng
from tests.domain.judging import judged
from tests.domain.playing import FAR_OPTIONS

VARIANTS: tuple[dict[str, Any], ...] = tuple(
    {"rules": rules, "return_flight": flights, "memory_aid": flights, "turn_limit": 150}
    for rules in ("digital", "opla")
    for flights in (False, True)
)
PLAYERS = {
    "random": 600,
    "heuristic": 120,
    "ismcts-easy": 8,
    "net": 40,
    "level-3": 30,
    "thief": 20,
    "level-7": 6,
}  # how many moves of each in every variant
WRONG: tuple[Any, ...] = (
    Play(21, 3),
    Play(64, None),
    Play(3, None, "return"),
    MoveCards(0, 0, 1),
    MoveCards(2, 4, None),
    PlayDanger(64, 1, None),
    PlayDanger(66, None, 2, 5),
    Discard(1),
    Abandon(3),
    Exchange(),
    Pass(),
    Resign(),
    Score(),
    TakeSeat(0, "eve"),
    TakeSeat(9, "eve"),
    Create("again", "c", {"rules": "chess"}, ()),
)


def _game(options: dict[str, Any], bot: str, moves: int) -> Iterator[tuple[State, list[Move], list[Any]]]:
    """Each state in which somebody is to act, its legal moves, and the events of the move that the bot makes."""
    chance, dice = SeededChance(bot.encode(), "checksum"), Prng(len(options))
    seats = (Seat("human", "ada"), Seat("human", "bob"))
    events = decide(INITIAL, None, Create("checksum", "c", options, seats), chance)
    state = fold(INITIAL, events)
    for _ in range(moves):
        if state.to_act is None:
            state = fold(INITIAL, events)
        assert state.to_act is not None
        legal, seen = legal_moves(state), observe(state, state.to_act)
        move = BOTS[bot].think(seen, dice, Budget(iterations=20)).move
        caused = decide(state, state.to_act, move, chance)
        yield state, legal, caused
        for event in caused:
            state = evolve(state, event)


def _refusals(state: State) -> list[Any]:
    """What is said to moves most of which are not legal."""
    said: list[Any] = []
    for command in WRONG:
        for seat in (0, 1):
            try:
                said.append(len(decide(state, seat, command, SeededChance(b"", ""))))
            except DomainError as error:
                said.append([error.code, error.detail, error.rule, repr(error.data)])
    return said


def of_game(options: dict[str, Any], bot: str, moves: int) -> str:
    """The checksum of legal moves, events, states, views and refusals."""
    digest = sha256()
    for number, (state, legal, events) in enumerate(_game(options, bot, moves)):
        said: list[Any] = [move_document(move) for move in legal]
        said += [encode(event).document for event in events] + [repr(event) for event in events]
        if number % 10 == 0:
            said += [repr(state), view(state, 0), view(state, None), _refusals(state)]
        digest.update(json.dumps(said, sort_keys=True).encode())
    return digest.hexdigest()


MIGO_TABLES: tuple[tuple[int, dict[str, Any]], ...] = (
    (2, {}),
    (2, {"layout_size": "large", "first_seat": "random"}),
    (3, {"round4_layout": "pyramid"}),
    (4, {"round4_layout": "pyramids", "turn_limit": 80}),
)
MIGO_PLAYERS = {"random": 400, "greedy": 100, "heuristic": 100, "maxn-easy": 40, "net": 100, "net-search": 20}
WRONG_IN_MIGO: tuple[Any, ...] = (
    Take(0),
    Take(24),
    Take(3, 21),
    Take(3, 7, True),
    Take(5, drink=True),
    RESIGN,
    Score(),
    TakeSeat(0, "eve"),
    TakeSeat(9, "eve"),
    Create("again", "c", {"layout_size": "huge"}, ()),
)


def _game_of_migo(
    seats: int, options: dict[str, Any], bot: str, moves: int
) -> Iterator[tuple[Any, list[Any], list[Any]]]:
    """As `_game`; of more than two seats the second one resigns after a while."""
    chance, dice = SeededChance(bot.encode(), "checksum"), Prng(seats)
    sitting = tuple(Seat("human", f"p{seat}") for seat in range(seats))
    start = [*MIGO.decide(MIGO.initial(), None, Create("checksum", "c", options, sitting), chance)]
    state: Any = None
    for _ in range(moves):
        if state is None or state.to_act is None:
            state = MIGO.initial()
            for event in start:
                state = MIGO.evolve(state, event)
        seat, move = state.to_act, RESIGN
        if seats == 2 or state.takes != 30 or state.resigned:
            move = MIGO.bots[bot].think(MIGO.observe(state, seat), dice, Budget(iterations=20)).move
        caused = list(MIGO.decide(state, seat, move, chance))
        yield state, MIGO.legal_moves(state, seat), caused
        for event in caused:
            state = MIGO.evolve(state, event)


def _refusals_of_migo(state: Any) -> list[Any]:
    said: list[Any] = []
    for command in WRONG_IN_MIGO:
        for seat in range(len(state.players)):
            try:
                said.append(len(MIGO.decide(state, seat, command, SeededChance(b"", ""))))
            except DomainError as error:
                said.append([error.code, error.detail, error.rule, repr(error.data)])
    return said


def of_migo(seats: int, options: dict[str, Any], bot: str, moves: int) -> str:
    """The same of Migo."""
    digest = sha256()
    for number, (state, legal, events) in enumerate(_game_of_migo(seats, options, bot, moves)):
        said: list[Any] = [*legal, *[MIGO.encode(event).document for event in events], *map(repr, events)]
        if number % 10 == 0:
            said += [repr(state), MIGO.view(state, None), _refusals_of_migo(state)]
            said += [MIGO.conservation_fault(state), repr(MIGO.observe(state, 0))]
        digest.update(json.dumps(said, sort_keys=True).encode())
    return digest.hexdigest()


def manners_of_migo() -> list[Any]:
    """How its values behave, as in `manners`."""
    taken, state = CardTaken(1, 3, 14), next(_game_of_migo(3, {}, "random", 1))[0]
    said: list[Any] = []
    for event in (taken, RoundEnded(1, (3, 4), 1)):
        match event:
            case CardTaken(seat, place, face):
                said += [seat, place, face]
            case RoundEnded(scores=scores):
                said.append(scores)
    said += [taken == CardTaken(1, 3, 14), taken == CardTaken(0, 3, 14), taken == (1, 3, 14)]
    said += [BottleGained(1) == BottleGained(1), Take(3) == Take(3), Take(3) == Take(3, 4)]
    said += [len({taken, CardTaken(1, 3, 14), Take(3), Take(3)}), repr(taken._replace(seat=0))]
    said += [pickle.loads(pickle.dumps(value)) == value for value in (taken, state.players, MIGO.initial())]
    try:
        Take(3).place = 2  # type: ignore[misc]
    except AttributeError as error:
        said.append(type(error).__name__)
    return [repr(item) for item in said]


def manners() -> list[Any]:
    """How its values behave: equality, hashes, copies, patterns, pickles, and what they refuse."""
    one: Move = Discard(1)
    other: Move = Abandon(1)
    drawn, state = CardsDrawn(1, (3, 4)), next(_game({}, "random", 1))[0]
    said: list[Any] = []
    for event in (drawn, BirdPlayed(0, 1, 2)):
        match event:
            case CardsDrawn(seat, cards):
                said += [seat, cards]
            case BirdPlayed(card=card):
                said.append(card)
    said += [drawn == CardsDrawn(1, (3, 4)), drawn == CardsDrawn(0, (3, 4)), drawn == (1, (3, 4))]
    said += [
        BirdPlayed(0, 1, 2) == BirdPlayed(0, 1, 2),
        one == other,
        Play(1, None) == Play(1, None),
    ]
    said += [len({drawn, CardsDrawn(1, (3, 4)), BirdPlayed(1, 3, 4)}), repr(drawn._replace(seat=0))]
    for value in (drawn, BirdPlayed(0, 1, 2), state.players, INITIAL):
        said.append(pickle.loads(pickle.dumps(value)) == value)
    try:
        TurnPassed(1).seat = 2  # type: ignore[misc]
    except AttributeError as error:
        said.append(type(error).__name__)
    return [repr(item) for item in said]


def everything() -> dict[str, Any]:
    """What is said, by what it is about."""
    games = {
        f"{bot} {options['rules']} {options['return_flight']}": of_game(options, bot, moves)
        for options in VARIANTS
        for bot, moves in PLAYERS.items()
    }
    games_of_migo = {
        f"migo {bot} {seats} {sorted(options)}": of_migo(seats, options, bot, moves)
        for seats, options in MIGO_TABLES
        for bot, moves in MIGO_PLAYERS.items()
    }
    judgements = {f"judged {options}": judged(2_500, options) for options in VARIANTS}
    for name, options in FAR_OPTIONS.items():
        judgements[f"judged {name}"] = judged(200, options)
        games[f"level-7 {name}"] = of_game(options, "level-7", 2)
    return {**games, **games_of_migo, **judgements, "manners": manners(), "migo's manners": manners_of_migo()}


if __name__ == "__main__":
    sys.stdout.write(json.dumps({"domain": in_use(), "said": everything()}))
