"""Games to be audited, played through the real application on a real server; all with one signing key."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from domain.lifecycle import Json, Seat, Viewer
from domain.migrato.rules.cards import STANDARD
from events.games.access import Caller
from events.games.new_game import NewGame
from events.log.export import Exported, Signature, export_lines, games_in
from events.log.signing import Signer, jwk_of
from events.runtime import bootstrap
from events.runtime.settings import Settings
from events.use_cases.application import Application

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
    table = Table(bootstrap.application(Settings(redis_url=redis_url, queue_url=redis_url)))
    return Corpus({name: play(table) for name, play in FINISHED.items()}, _running(table))


def parsed(export: bytes) -> Exported:
    """The one game of an export."""
    (one,) = games_in(BytesIO(export))
    return one


class Table:
    """Plays games at random, but sensibly enough that birds arrive."""

    def __init__(self, application: Application) -> None:
        self.application = application
        self.rng = random.Random(5)

    def create(self, *seats: Seat, deck: tuple[str, ...] | None = None, **options: Any) -> str:
        setup = None if deck is None else {"deck": deck}
        new = NewGame(options=options, seats=seats, setup=setup, visibility="public")
        return self.application.creation.create("tests", new).snapshot.game_id

    def play(self, game_id: str, moves: int = 10_000, choose: Callable[[Any], Json] | None = None) -> None:
        """Moves of whoever is to act, until the game is over."""
        for _ in range(moves):
            now = self.application.views.snapshot(game_id)
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
            left = [
                card
                for card in now.game.view(now.state, seat)["players"][seat]["hand"]
                if card != move["card"]
            ]
            move = move | {"discard": left[0]} if left else move
        return dict(move)

    def hint(self, game_id: str, bot: str) -> None:
        """What a bot would do, for whom is to act."""
        now = self.application.views.snapshot(game_id)
        assert now.status.to_act is not None
        hint = self.application.hints.wanted(game_id, now.status.to_act, bot)
        _, thought = self.application.hints.think(hint)
        self.application.hints.give(hint, thought.budget)

    def export(self, game_id: str, viewer: Viewer = None, *, signed: bool = True) -> bytes:
        now = self.application.views.snapshot(game_id)
        head = SIGNER.sign(game_id, now.version, now.stream_head.head)
        signature = Signature(head.signature, KEY) if signed else None
        return b"".join(export_lines(now, self.application.views.history(game_id), viewer, signature))

    def finish(self, game_id: str) -> bytes:
        self.play(game_id)
        self.application.bot_turns.score_game(game_id)
        return self.export(game_id)


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
    waiting = 1 - (table.application.views.snapshot(game_id).status.to_act or 0)
    table.application.moves.play(game_id, waiting, {"type": "resign"})
    return table.finish(game_id)


def _reissued(table: Table) -> bytes:
    """Tokens are issued anew: while the game waits, between an action and its discard, on a bot's turn."""
    game_id = table.create(ADA, Seat("open"), turn_limit=30)
    reissue = table.application.seats.reissue
    reissue(game_id, 0, CREATOR)
    table.application.seats.take(game_id, 1, "bo", None, CREATOR)
    while table.application.views.snapshot(game_id).state.phase.name != "DISCARD":
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
}
