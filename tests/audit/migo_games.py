"""Games of Migo to be audited, without a store: played by whoever sits there, or bent by whoever runs the engine."""

from collections.abc import Callable
from functools import cache
from itertools import count, pairwise
from random import Random
from typing import Any

from domain.chance import commitment_of
from domain.lifecycle import (
    Create,
    Fork,
    Json,
    Origin,
    PlayBotMove,
    ReissueToken,
    Score,
    Seat,
    TakeHint,
    TakeSeat,
)
from domain.migo.game import MIGO
from domain.migo.rules.state import State
from domain.takebacks.decide import AnswerTakeback, AskTakeback
from domain.takebacks.decide import decide as ask
from domain.takebacks.takebacks import MOST_REQUESTS, MoveToTakeBack, Takebacks
from events.log.seeds import hint_seed, move_seed
from tests.audit.games import Corpus
from tests.audit.played import SEED, Recorded
from tests.audit.tamper import parts
from tests.domain.migo.table import laid

ADA = Seat("human", "ada", client_seed="mine")
NAMES = ("ada", "bo", "cy", "dee")


def bot(name: str) -> Seat:
    """A seat of one of the engine's bots."""
    return Seat("bot", bot=name)


def people(seats: int) -> tuple[Seat, ...]:
    """So many people, the first of whom threw a client seed in."""
    return (ADA, *(Seat("human", name) for name in NAMES[1:seats]))


class Played(Recorded):
    """A game of Migo, played by whoever sits there."""

    def __init__(self, game_id: str, seed: bytes = SEED) -> None:
        super().__init__(MIGO, game_id, seed)
        self.rng = Random(game_id)

    @property
    def state(self) -> State:
        """The game's state."""
        state: State = self.now.state
        return state

    def move(self) -> None:
        """By the bot of the seat, or at random for a person; a remote bot sometimes fails."""
        seat, state = self.now.status.to_act, self.state
        assert seat is not None
        sitting = self.now.status.seats[seat]
        if sitting.kind == "remote" and self.rng.random() < 0.3:
            move = MIGO.fallback_move(state, seat)
            chosen = PlayBotMove(move, "greedy", MIGO.bot("greedy").version, None, None, "timeout", "remote")
            self.do(seat, chosen)
        elif sitting.bot is None:
            self.do(seat, MIGO.parse_move(self.rng.choice(MIGO.legal_moves(state, seat))))
        else:
            seed, played = move_seed(self.seed, self.game_id, self.now.version), MIGO.bot(sitting.bot)
            choice = MIGO.think(MIGO.observe(state, seat), sitting.bot, int(seed, 16))
            did = None if played.budget is None else {"iterations": choice.iterations}
            self.do(seat, PlayBotMove(choice.move, sitting.bot, played.version, did, seed))

    def play(self, until: Callable[[State], bool] = lambda state: False) -> bool:
        """Moves until that holds of the state; whether it ever did."""
        while self.now.status.result is None:
            if until(self.state):
                return True
            self.move()
        return False

    def finish(self) -> bytes:
        """Play to the end and confirm the result; the export."""
        self.play()
        self.do(None, Score())
        return self.export()


def created(*seats: Seat, setup: Json | None = None, game_id: str = "", **options: Any) -> Played:
    """A game that has just been created."""
    game = Played(game_id or f"migo{len(seats)}")
    game.do(None, Create(game.game_id, commitment_of(SEED), options, seats, setup))
    return game


# --- the games that are audited ----------------------------------------------------------------------

EVENTFUL = {"card_flipped", "bottle_drunk", "bottle_gained", "sherpa_dismissed"}


def _eventful(seats: int) -> bytes:
    """A game of people in which everything happens: also a sherpa that was turned at the start of a round."""
    for number in count():
        game = created(*people(seats)[:-1], Seat("open"), game_id=f"all{seats}{number}", first_seat="random")
        game.do(None, TakeSeat(seats - 1, "zoe", "too"))
        if seats > 2:
            game.play(lambda state: state.takes == 25)
            game.do(1, MIGO.parse_move({"type": "resign"}))
        export = game.finish()
        kinds = {event.type for event in game.history}
        rounds = [event.data for event in game.history if event.type == "round_started"]
        if kinds >= EVENTFUL and len(rounds) > 2 and all(laid_out["turned"] for laid_out in rounds[:2]):
            return export
    raise AssertionError


def _bots() -> bytes:
    """Every kind of seat but an open one; hints are taken and a token is issued anew."""
    game = created(bot("maxn-easy"), ADA, Seat("remote"), bot("heuristic"), turn_limit=30)
    game.do(None, ReissueToken(1))
    while game.now.status.result is None:
        if game.now.status.to_act == 1:
            seed = hint_seed(SEED, game.game_id, game.now.turn_version, 1, "greedy")
            game.do(1, TakeHint("greedy", MIGO.bot("greedy").version, None, seed))
        game.move()
    return game.finish()


def _fork() -> bytes:
    """A fork from the middle of a game."""
    first = created(*people(3))
    first.play(lambda state: state.takes == 30)
    origin = Origin(first.game_id, first.now.version, first.now.stream_head.head, resampled=False, seat=None)
    fork = Played("fork")
    fork.do(None, Fork("fork", commitment_of(SEED), people(3), origin, first.state))
    return fork.finish()


def _taken_back() -> bytes:
    """Moves are taken back by consent of the others, also those by which cards were turned."""
    game, requests = created(*people(3), turn_limit=60), 0
    while game.now.status.result is None:
        seat, former, version = game.now.status.to_act, game.state, game.now.version
        assert seat is not None
        game.move()
        done = {one.type for one in game.history[version:]}
        wanted = "card_flipped" in done or game.rng.random() < 0.1
        if not wanted or not done <= EVENTFUL | {"card_taken"} or requests == MOST_REQUESTS:
            continue
        requests += 1
        last, agreed = MoveToTakeBack(seat, version, former), frozenset[int]()
        game.record(*ask(MIGO, game.state, Takebacks(last), seat, AskTakeback()))
        for other in {0, 1, 2} - {seat}:
            asked = Takebacks(last, True, agreed)
            game.record(*ask(MIGO, game.state, asked, other, AnswerTakeback(True)))
            agreed |= {other}
    assert any(
        before.type == "card_flipped" and after.type == "takeback_requested"
        for before, after in pairwise(game.history)
    )
    return game.finish()


def _prepared(seats: int) -> bytes:
    return created(
        *people(seats), setup={"rounds": [laid(seats=seats), laid("E20b E19b", seats, 2)]}
    ).finish()


FINISHED: dict[str, Callable[[], bytes]] = {
    "2": lambda: _eventful(2),
    "3": lambda: _eventful(3),
    "4": lambda: _eventful(4),
    "bots": _bots,
    "fork": _fork,
    "taken back": _taken_back,
    "prepared 2": lambda: _prepared(2),
    "prepared 4": lambda: _prepared(4),
    "limit": lambda: created(*people(3), turn_limit=11).finish(),
}


@cache
def played(name: str) -> bytes:
    """The game of that name, signed."""
    return parts(FINISHED[name]()).sign().file


def running() -> dict[str, bytes]:
    """Games that are not over, for their viewers: one hides the round that is prepared."""
    hiding = created(*people(2), setup={"rounds": [laid(), laid("E20b E19b", number=2)]})
    hiding.play(lambda state: state.takes == 5)
    bots = created(bot("greedy"), ADA, bot("heuristic"))
    bots.play(lambda state: state.takes == 12)
    waiting = created(ADA, Seat("open"), bot("random"), Seat("open"))
    return {
        "spectator": hiding.export(),
        "seat 0": hiding.export(0),
        "bots": bots.export(2),
        "waiting": waiting.export(0),
    }


def corpus() -> Corpus:
    """Every kind of game, once."""
    return Corpus({name: played(name) for name in FINISHED}, running())
