"""Games to be audited, played through the real application on a real server; all with one signing key."""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from domain.chance import SeededChance
from domain.lifecycle import ClaimWin, Json, Seat, Viewer
from domain.migrato.rules.cards import STANDARD
from domain.takebacks.decide import AnswerTakeback
from events.application import Application
from events.audit.findings import CheckFailed, Report
from events.engine import bot_decision
from events.engine.access import Caller
from events.engine.command_handler import Request
from events.engine.new_game import NewGame
from events.features.clocks.timekeeping import Timekeeping
from events.features.interventions import Verdict
from events.log.export import Exported, Signature, export_lines, games_in
from events.log.signing import Signer, jwk_of
from events.log.snapshot import Snapshot
from events.ports import CommandId
from events.runtime import bootstrap
from events.runtime.settings import Settings
from tests.events.timed import Outages, Time, clocked, timed, turn

SIGNER = Signer(Ed25519PrivateKey.from_private_bytes(bytes(range(32))))
KEY = jwk_of(SIGNER.public)
TRUSTED = {KEY["kid"]: KEY["x"]}
CREATOR = Caller("app", app="tests")
ADA, BO = Seat("human", "ada", client_seed="what only ada can know"), Seat("human", "bo")


@dataclass(frozen=True, slots=True)
class Corpus:
    """The exports by the name of what is special in them; those of `running` games are redacted."""

    finished: dict[str, bytes]
    running: dict[str, bytes]


def corpus(redis_url: str) -> Corpus:
    """Every kind of game, once."""
    table = Table(bootstrap.application(Settings(redis_url=redis_url, queue_url=redis_url)), redis_url)
    return Corpus({name: play(table) for name, play in FINISHED.items()}, _running(table))


def parsed(export: bytes) -> Exported:
    """The one game of an export."""
    (one,) = games_in(BytesIO(export))
    return one


def fault_of(report: Report) -> CheckFailed:
    """The fault that the report names."""
    assert report.wrong is not None
    return report.wrong


def sound(report: Report) -> Report:
    """The report, by which nothing is wrong."""
    assert report.wrong is None, report.wrong.document
    return report


class Clock:
    """A clock that goes on by so many seconds whenever somebody looks at it."""

    def __init__(self, step: float) -> None:
        self._step, self._now = step, 0.0

    def monotonic(self) -> float:
        self._now += self._step
        return self._now


@contextmanager
def unhurried(step: float = 0.0) -> Iterator[None]:
    """Bots think by a clock that stands still, or goes on by steps: how slow this machine is cuts off no search."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bot_decision, "time", Clock(step))
        yield


class Table:
    """Plays games at random, but sensibly enough that birds arrive."""

    def __init__(self, application: Application, url: str = "") -> None:
        self.application = application
        self.url = url
        self.rng = random.Random(5)

    def create(self, *seats: Seat, deck: tuple[str, ...] | None = None, **options: Any) -> str:
        setup = None if deck is None else {"deck": deck}
        new = NewGame(options=options, seats=seats, setup=setup, visibility="public")
        game_id = self.application.creation.create("tests", new).snapshot.game_id
        self.rng.seed(game_id)
        return game_id

    def play(self, game_id: str, moves: int = 10_000, choose: Callable[[Any], Json] | None = None) -> None:
        """Moves of whoever is to act, until the game is over."""
        for _ in range(moves):
            now = self.now(game_id)
            seat = now.status.to_act
            if seat is None:
                return
            kind = now.status.seats[seat].kind
            if kind == "bot":
                self.application.bot_turns.bot_move(game_id, now.version)
            elif kind == "remote" and self.rng.random() < 0.3:
                self.application.bot_turns.fallback_move(
                    game_id, now.version, self.rng.choice(("timeout", "bad-answer"))
                )
            else:
                document = self._move(now, seat) if choose is None else choose(now)
                self.application.moves.play(game_id, seat, document)

    def _move(self, now: Any, seat: int) -> Json:
        """Mostly what a bot would do, with the discard in the same request where that is possible."""
        seen = now.game.observe(now.state, seat, now.game.initial_knowledge())
        thought = now.game.think(seen, "heuristic", self.rng.getrandbits(32))
        move = now.game.move_document(thought.move)
        moves = now.game.legal_moves(now.state, seat)
        if self.rng.random() < 0.2:
            move = self.rng.choice(moves)
        returning = [one for one in moves if one.get("on_arrival") == "return"]
        if returning and self.rng.random() < 0.5:
            move = self.rng.choice(returning)
        if move["type"] == "play" and len(now.state.players[seat].hand) == 3 and self.rng.random() < 0.5:
            hand = now.game.view(now.state, seat)["players"][seat]["hand"]
            left = [card for card in hand if card != move["card"]]
            move = move | {"discard": left[0]} if left else move
        return dict(move)

    @property
    def timekeeping(self) -> Timekeeping:
        """The clocks of the application."""
        assert self.application.timekeeping is not None
        return self.application.timekeeping

    def settle(self, game_id: str) -> None:
        """Act on time that is up."""
        self.timekeeping.settle(game_id)

    def unseen(self, now: Snapshot, seat: int, but: Json | None = None) -> Json | None:
        """The seat's first other move by which nobody learns anything, so that it can be taken back; None: none."""
        chance = SeededChance(now.secrets.seed, now.game_id)
        for move in now.game.legal_moves(now.state, seat):
            events = now.game.decide(now.state, seat, now.game.parse_move(move), chance)
            if move != but and all(map(now.game.reveals_nothing, events)):
                return dict(move)
        return None

    def hint(self, game_id: str, bot: str) -> None:
        """A bot's advice to the seat that is to act."""
        now = self.now(game_id)
        assert now.status.to_act is not None
        hint = self.application.hints.wanted(game_id, now.status.to_act, bot)
        _, thought = self.application.hints.think(hint)
        self.application.hints.give(hint, thought.budget)

    def export(self, game_id: str, viewer: Viewer = None, *, signed: bool = True) -> bytes:
        now = self.now(game_id)
        head = SIGNER.sign(game_id, now.version, now.stream_head.head)
        signature = Signature(head.signature, KEY) if signed else None
        return b"".join(export_lines(now, self.application.views.history(game_id), viewer, signature))

    def scored(self, game_id: str) -> bytes:
        """The export of a game that is over, its result confirmed."""
        self.application.bot_turns.score_game(game_id)
        return self.export(game_id)

    def finish(self, game_id: str) -> bytes:
        self.play(game_id)
        return self.scored(game_id)

    def now(self, game_id: str) -> Snapshot:
        """The game as it stands."""
        return self.application.views.snapshot(game_id)


def _bots(table: Table) -> bytes:
    return table.finish(
        table.create(Seat("bot", bot="heuristic"), Seat("bot", bot="random"), return_flight=True)
    )


def _search(table: Table) -> bytes:
    """Opla, with a searching bot that remembers; who starts is drawn."""
    seats = (Seat("bot", bot="ismcts-easy", client_seed="from the creator"), Seat("bot", bot="greedy"))
    return table.finish(table.create(*seats, rules="opla", first_seat="random", turn_limit=50))


def _people(table: Table) -> bytes:
    """A seat is taken with a client seed, hints are taken, discards come in the same request."""
    game_id = table.create(ADA, Seat("open"), return_flight=True, first_seat=1, turn_limit=60)
    table.application.seats.take(game_id, 1, "bo 🐦", 'a seed\u2028with \\ "everything"', CREATOR)
    table.hint(game_id, "ismcts-easy")
    table.play(game_id, 5)
    table.hint(game_id, "greedy")
    table.hint(game_id, "heuristic")
    return table.finish(game_id)


def _remote(table: Table) -> bytes:
    """A remote seat plays as people do, and sometimes another moves in its place."""
    return table.finish(table.create(Seat("remote"), Seat("bot", bot="greedy"), rules="opla", turn_limit=40))


def _long(table: Table) -> bytes:
    """Both only exchange their hands, so that the deck is shuffled again and again."""
    game_id = table.create(ADA, BO, turn_limit=60)
    table.play(game_id, choose=lambda now: {"type": "exchange"})
    return table.finish(game_id)


def _setup(table: Table) -> bytes:
    """The deck was set up, and a player gives up when it is not her turn."""
    cards = [name for name, count in STANDARD.items() for _ in range(count)]
    table.rng.shuffle(cards)
    game_id = table.create(ADA, BO, deck=tuple(cards))
    table.play(game_id, 7)
    waiting = 1 - (table.now(game_id).status.to_act or 0)
    table.application.moves.play(game_id, waiting, {"type": "resign"})
    return table.finish(game_id)


def _reissued(table: Table) -> bytes:
    """Tokens are issued anew: while the game waits, between an action and its discard, on a bot's turn."""
    game_id = table.create(ADA, Seat("open"), turn_limit=30)
    reissue = table.application.seats.reissue
    reissue(game_id, 0, CREATOR)
    table.application.seats.take(game_id, 1, "bo", None, CREATOR)
    while table.now(game_id).state.phase.name != "DISCARD":
        table.play(game_id, 1)
    reissue(game_id, 0, CREATOR)
    table.hint(game_id, "greedy")
    reissue(game_id, 1, CREATOR)
    reissue(game_id, 1, CREATOR)
    return table.finish(game_id)


def _reissued_against_a_bot(table: Table) -> bytes:
    """On the turn of a bot that remembers."""
    game_id = table.create(Seat("bot", bot="ismcts-easy"), BO, turn_limit=10)
    table.application.seats.reissue(game_id, 1, CREATOR)
    return table.finish(game_id)


def _aborted(table: Table) -> bytes:
    """The app aborts a game in its middle."""
    game_id = table.create(ADA, Seat("bot", bot="heuristic"))
    table.play(game_id, 6)
    table.application.interventions.abort(game_id, CREATOR)
    return table.export(game_id)


def _never_begun(table: Table) -> bytes:
    """A game is aborted while it waits: nobody came."""
    game_id = table.create(ADA, Seat("open"))
    table.application.interventions.abort(game_id, CREATOR)
    return table.export(game_id)


def _adjudicated(table: Table) -> bytes:
    """A seat is declared to have lost."""
    game_id = table.create(ADA, BO)
    table.play(game_id, 6)
    table.application.interventions.adjudicate(game_id, Verdict(loser=0), CREATOR)
    return table.finish(game_id)


def _replaced(table: Table) -> bytes:
    """A bot that remembers plays on for a person, on that person's turn; a bot that does not for the other one."""
    game_id = table.create(ADA, BO, turn_limit=20)
    table.play(game_id, 9)
    seat = table.now(game_id).status.to_act or 0
    table.application.interventions.replace_player(game_id, seat, "ismcts-easy", CREATOR)
    table.play(game_id, 3)
    table.application.interventions.replace_player(game_id, 1 - seat, "greedy", CREATOR)
    return table.finish(game_id)


def _handed_over(table: Table) -> bytes:
    """A seat is given away by its player, and then by the app to a third one, while the game goes on."""
    game_id = table.create(ADA, BO, turn_limit=20)
    table.play(game_id, 5)
    ada = Caller("seat", seat=0, game_id=game_id)
    table.application.seats.hand_over(game_id, 0, "zoe", ada)
    table.play(game_id, 4)
    table.application.seats.hand_over(game_id, 0, "yan", CREATOR)
    return table.finish(game_id)


def _taken_back(table: Table) -> bytes:
    """Moves are taken back once the other player agrees, who refuses at first; one request is withdrawn.

    Hints are given after refusals, and after takebacks.
    """
    while True:  # somebody may have learned something before each request that would be agreed to or refused
        export = _played_with_takebacks(table)
        if b'"type":"moves_taken_back"' in export and b'"agree":false' in export:
            return export


def _played_with_takebacks(table: Table) -> bytes:
    game_id = table.create(ADA, BO, return_flight=True, turn_limit=16)
    requests = table.application.takebacks
    for number in range(60):
        seat = table.now(game_id).status.to_act
        if seat is None:
            break
        table.play(game_id, 1)
        one, other = (Caller("seat", seat=who, game_id=game_id) for who in (seat, 1 - seat))
        if requests.look(game_id, one).may_ask:
            requests.ask(game_id, seat, one)
            if number % 4 == 0:
                requests.answer(game_id, seat, AnswerTakeback(False), one)
            else:
                requests.answer(game_id, 1 - seat, AnswerTakeback(number % 4 != 1), other)
                table.hint(game_id, "greedy")
    return table.finish(game_id)


def _taken_back_from_a_bot(table: Table) -> bytes:
    """The bot's knowledge is as if the move had not been made."""
    game_id = table.create(ADA, Seat("bot", bot="ismcts-easy"), turn_limit=14)
    ada, requests = Caller("seat", seat=0, game_id=game_id), table.application.takebacks
    while (seat := table.now(game_id).status.to_act) is not None:
        table.play(game_id, 1)
        if seat == 0 and requests.look(game_id, ada).may_ask and table.rng.random() < 0.7:
            requests.ask(game_id, 0, ada)
    return table.finish(game_id)


def _clock(table: Table) -> bytes:
    """A bot takes a turn whose time is up; an outage is given back; a move comes in the last millisecond."""
    time = Time()
    outages = Outages(time)
    timely = Table(timed(table.url, time, outages))
    clock = {"kind": "bank", "seconds": 60, "increment": 5, "when_up": "bot"}
    game_id = clocked(timely.application, clock, seats=(ADA, BO), options={"turn_limit": 12})
    time.passes(3)
    turn(timely.application, game_id)
    time.passes(60)
    timely.settle(game_id)
    time.passes(20)
    outages.passes(30)
    timely.timekeeping.give_back(game_id)
    time.passes(60 - 3 + 5 - 20 + 2 - 0.001)
    return timely.finish(game_id)


def _forfeited(table: Table) -> bytes:
    """A player's time is up, which ends the game."""
    time = Time()
    timely = Table(timed(table.url, time))
    game_id = clocked(timely.application, {"kind": "per-move", "seconds": 60}, seats=(ADA, BO))
    timely.play(game_id, 3)
    time.passes(60)
    timely.settle(game_id)
    return timely.finish(game_id)


def _out_of_time(table: Table) -> bytes:
    """A bot plays on for a person whose time is up."""
    time = Time()
    timely = Table(timed(table.url, time))
    clock = {"kind": "correspondence", "days": 1, "when_up": "replace"}
    game_id = clocked(timely.application, clock, seats=(ADA, BO), options={"turn_limit": 12})
    time.passes(86_400)
    timely.settle(game_id)
    return timely.finish(game_id)


def _claimed(table: Table) -> bytes:
    """A seat is away on its turn, and another one takes the win."""
    time = Time()
    timely = Table(timed(table.url, time))
    game_id = timely.create(ADA, BO, claim_after=60)
    timely.play(game_id, 6)
    now = timely.now(game_id)
    absent = now.status.to_act or 0
    time.passes(60)
    claim = ClaimWin(1 - absent, absent, now.updated_at, 60_000)
    timely.application.interventions._handler.attempt(now, Request(1 - absent, claim, CommandId("claim")))
    return timely.finish(game_id)


def _running(table: Table) -> dict[str, bytes]:
    game_id = table.create(ADA, Seat("bot", bot="ismcts-easy"))
    table.play(game_id, 12)
    waiting = table.create(ADA, Seat("open"))
    return {
        "spectator": table.export(game_id),
        "seat 0": table.export(game_id, 0),
        "seat 1": table.export(game_id, 1, signed=False),
        "waiting": table.export(waiting, 0),
    }


FINISHED: dict[str, Callable[[Table], bytes]] = {
    "bots": _bots,
    "search": _search,
    "people": _people,
    "remote": _remote,
    "long": _long,
    "setup": _setup,
    "reissued": _reissued,
    "reissued to a bot's opponent": _reissued_against_a_bot,
    "aborted": _aborted,
    "never begun": _never_begun,
    "adjudicated": _adjudicated,
    "claimed": _claimed,
    "replaced": _replaced,
    "handed over": _handed_over,
    "taken back": _taken_back,
    "taken back from a bot": _taken_back_from_a_bot,
    "clock": _clock,
    "forfeited": _forfeited,
    "out of time": _out_of_time,
}
