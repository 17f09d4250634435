"""`python -m tests.domain.checksum SHARE`: everything that the domain says in many games, as checksums, in JSON.

A share of 1 is about a minute's worth of plain Python. A test compares what two processes print, the one with the
compiled domain and the other with the plain sources.
"""

import json
import pickle
import sys
from collections.abc import Iterator
from hashlib import sha256
from typing import Any, Final

import compiled.preferred  # noqa: F401 (before anything imports the domain)
from compiled import in_use
from domain.bot import Budget
from domain.chance import SeededChance
from domain.errors import DomainError
from domain.game import Game
from domain.lifecycle import Create, Json, Score, Seat, TakeSeat
from domain.migo.game import MIGO
from domain.migo.rules.events import BottleGained, CardTaken, RoundEnded
from domain.migo.rules.moves import Take
from domain.migrato.game import MIGRATO
from domain.migrato.net.checked_in import trained
from domain.migrato.net.judge import Judge
from domain.migrato.rules.events import BirdPlayed, CardsDrawn, TurnPassed
from domain.migrato.rules.moves import Abandon, Discard, Exchange, MoveCards, Pass, Play, PlayDanger
from domain.prng import Prng
from tests.domain.playing import FAR_OPTIONS

RESIGN: Final = {"type": "resign"}
LIFECYCLE: Final = (
    Score(),
    TakeSeat(0, "eve"),
    TakeSeat(9, "eve"),
    Create("again", "c", {"rules": "chess"}, ()),
)
WRONG: Final[dict[str, tuple[Any, ...]]] = {  # most of them are legal nowhere
    "migrato": (
        Play(21, 3), Play(64, None), Play(3, None, "return"), MoveCards(0, 0, 1), MoveCards(2, 4, None),
        PlayDanger(64, 1, None), PlayDanger(66, None, 2, 5), Discard(1), Abandon(3), Exchange(), Pass(),
    ),
    "migo": (Take(0), Take(24), Take(3, 21), Take(3, 7, True), Take(5, drink=True)),
}  # fmt: skip
PLAYERS: Final[dict[str, dict[str, int]]] = {  # how many moves of each at every table
    "migrato": {
        "random": 600, "heuristic": 120, "ismcts-easy": 8, "net": 120, "level-3": 30, "thief": 20, "level-7": 6,
    },
    "migo": {"random": 400, "greedy": 100, "heuristic": 100, "maxn-easy": 40, "net": 100, "net-search": 20},
}  # fmt: skip
TABLES: Final[tuple[tuple[Game, int, Json], ...]] = (
    *(
        (MIGRATO, 2, {"rules": rules, "return_flight": flights, "memory_aid": flights, "turn_limit": 150})
        for rules in ("digital", "opla")
        for flights in (False, True)
    ),
    (MIGO, 2, {}),
    (MIGO, 2, {"layout_size": "large", "first_seat": "random"}),
    (MIGO, 3, {"round4_layout": "pyramid"}),
    (MIGO, 4, {"round4_layout": "pyramids", "turn_limit": 80}),
)


def _game(
    game: Game, seats: int, options: Json, bot: str, moves: int
) -> Iterator[tuple[Any, Any, list[Any]]]:
    """Each state in which somebody is to act, what that seat sees, and the events of the move that the bot makes.

    Of more than two seats the second one resigns after a while.
    """
    chance, dice = SeededChance(bot.encode(), "checksum"), Prng(seats + len(options))
    sitting = tuple(Seat("human", f"p{seat}") for seat in range(seats))
    start = game.decide(game.initial(), None, Create("checksum", "c", options, sitting), chance)
    state, known, caused = game.initial(), [game.initial_knowledge()] * seats, list(start)
    for number in range(moves + 1):
        for event in caused:
            before, state = state, game.evolve(state, event)
            known = [game.update_knowledge(one, seat, before, event, state) for seat, one in enumerate(known)]
        seat = game.status(state).to_act
        if seat is None:
            state, known, caused = game.initial(), [game.initial_knowledge()] * seats, list(start)
            continue
        seen = game.observe(state, seat, known[seat])
        if seats > 2 and number == 25:
            move = game.parse_move(RESIGN)
        else:
            move = game.bots[bot].think(seen, dice, Budget(iterations=20)).move
        caused = list(game.decide(state, seat, move, chance))
        yield state, seen, caused


def _refusals(game: Game, state: Any, seats: int) -> list[Any]:
    said: list[Any] = []
    for command in (*WRONG[game.name], game.parse_move(RESIGN), *LIFECYCLE):
        for seat in range(seats):
            try:
                said.append(len(game.decide(state, seat, command, SeededChance(b"", ""))))
            except DomainError as error:
                said.append([error.code, error.detail, error.rule, repr(error.data)])
    return said


def _of(game: Game, seats: int, options: Json, bot: str, moves: int) -> str:
    """The checksum of legal moves, events, states, views, refusals and judgements."""
    digest = sha256()
    for number, (state, seen, events) in enumerate(_game(game, seats, options, bot, moves)):
        said: list[Any] = [game.legal_moves(state, seen.seat), *map(repr, events)]
        said += [game.encode(event).document for event in events]
        if number % 10 == 0:
            said += [repr(state), repr(seen), game.view(state, 0), game.view(state, None)]
            said += [_refusals(game, state, seats), game.conservation_fault(state)]
        if bot == "net":
            said += [repr(one) for one in game.judged(seen)]
            if game is MIGRATO:
                judge = Judge(seen, trained())
                said += [judge.logit(move) for move in seen.moves]
        digest.update(json.dumps(said, sort_keys=True).encode())
    return digest.hexdigest()


def manners() -> list[str]:
    """The behaviour of values: equality, hashes, copies, patterns, pickles, and what they refuse."""
    drawn, taken, played = CardsDrawn(1, (3, 4)), CardTaken(1, 3, 14), BirdPlayed(0, 1, 2)
    said: list[Any] = []
    for event in (drawn, played, taken, RoundEnded(1, (3, 4), 1)):
        match event:
            case CardsDrawn(seat, cards):
                said += [seat, cards]
            case BirdPlayed(card=card):
                said.append(card)
            case CardTaken(seat, place, face):
                said += [seat, place, face]
            case RoundEnded(scores=scores):
                said.append(scores)
    said += [drawn == CardsDrawn(1, (3, 4)), drawn == CardsDrawn(0, (3, 4)), drawn == (1, (3, 4))]
    said += [taken == CardTaken(1, 3, 14), taken == CardTaken(0, 3, 14), taken == (1, 3, 14)]
    said += [BottleGained(1) == BottleGained(1), Take(3) == Take(3), Take(3) == Take(3, 4)]
    said += [Discard(1) == Abandon(1), Play(1, None) == Play(1, None)]
    said.append(len({drawn, CardsDrawn(1, (3, 4)), BirdPlayed(1, 3, 4), taken, CardTaken(1, 3, 14), Take(3)}))
    said += [repr(drawn._replace(seat=0)), repr(taken._replace(seat=0))]
    for value in (drawn, played, taken, MIGRATO.initial(), MIGO.initial()):
        said.append(pickle.loads(pickle.dumps(value)) == value)
    for fixed, name in ((TurnPassed(1), "seat"), (Take(3), "place")):
        try:
            setattr(fixed, name, 2)
        except AttributeError as error:
            said.append(type(error).__name__)
    return [repr(item) for item in said]


def everything(share: float) -> Json:
    """All that is said, by its subject."""
    said: Json = {"manners": manners()}
    for game, seats, options in TABLES:
        for bot, moves in PLAYERS[game.name].items():
            most = max(2, round(share * moves))
            said[f"{game.name} {seats} {options} {bot}"] = _of(game, seats, options, bot, most)
    for name, options in FAR_OPTIONS.items():
        for bot, moves in (("net", 20), ("level-7", 2)):
            said[f"{name} {bot}"] = _of(MIGRATO, 2, options, bot, max(2, round(share * moves)))
    return said


if __name__ == "__main__":
    sys.stdout.write(json.dumps({"domain": in_use(), "said": everything(float(sys.argv[1]))}))
