# compiled into rules
"""Card reading: the opponent's last turn hints at the cards that it holds or has buried.

A game that may be the true one is the likelier, the likelier a player who judges by the net would have been to make
that turn in it (Bayes). Such a player takes the better ways to end a turn (a move with its discard) more often, as
the softmax of their logits says, and now and then takes any of them.
"""

from typing import Final

from domain.migrato.belief.last_turn import LastTurn
from domain.migrato.belief.observation import Observation, observe
from domain.migrato.bots.learned.likeliness import likeliness
from domain.migrato.net.inputs import InformationSet
from domain.migrato.net.judge import Judge, Verdict
from domain.migrato.rules.cards import DOWN
from domain.migrato.rules.columns import Column
from domain.migrato.rules.moves import RETURN, Move, MoveCards, Play
from domain.migrato.rules.state import ACTION, Player, State, without
from domain.net.logistic import CERTAINTY
from domain.net.network import LOGIT, Network

TEMPERATURE: Final = LOGIT // 20  # of the opponent's choice
ERRATIC: Final = CERTAINTY // 50  # the part of turns that are ended at random


class CardReader:
    """Weighs the games that one observation may come from."""

    def __init__(self, observation: Observation, network: Network) -> None:
        self._seat = observation.seat
        self._network = network
        self._known: InformationSet | None = None  # the opponent's, in the game that was weighed before
        self._last = _legible(observation)
        self._face_down: list[tuple[int, int, int]] = [  # slot, row and turn of the opponent's cards
            (slot, row, card.turn)
            for slot, column in enumerate(observation.knowledge.face_down)
            for row, card in enumerate(column)
            if card is not None
        ]

    @property
    def reads(self) -> bool:
        """True if there is a turn to be read; otherwise all games weigh the same."""
        return self._last is not None

    def likelihood(self, game: State) -> int:
        """Likelihood of the opponent's last turn if that game is the true one: from above 0 to CERTAINTY.

        The opponent's hand ends with the cards that it may have drawn in that turn, as a Determinizer deals them.
        """
        last = self._last
        if last is None:
            return CERTAINTY
        buried = self._buried(last, game)
        seen = observe(self._began(last, game, buried), 1 - self._seat)
        endings = self._endings(seen)
        best = max([ending.logit for ending in endings])
        made, every = 0, 0
        for ending in endings:
            likely = likeliness(best - ending.logit, TEMPERATURE)
            every += likely
            if ending.discard in (None, last.discard) and _is_made(
                ending.move, last, seen.me.columns, buried
            ):
                made += likely
        return (CERTAINTY - ERRATIC) * made // every + ERRATIC // len(endings)

    def _endings(self, seen: Observation) -> list[Verdict]:
        """All ways to end the turn, as the opponent judges them by what it saw."""
        self._known = InformationSet(seen, self._network, self._known)
        judge = Judge(seen, self._network, self._known)
        endings: list[Verdict] = []
        for move in seen.moves:
            endings += judge.endings(move)
        return endings

    def _buried(self, last: LastTurn, game: State) -> dict[int, int]:
        """The cards that the opponent put face down, by turn."""
        buried: dict[int, int] = dict(last.turned_up)
        columns = game.players[1 - self._seat].columns
        for slot, row, turn in self._face_down:
            buried[turn] = columns[slot][row]
        return buried

    def _began(self, last: LastTurn, game: State, buried: dict[int, int]) -> State:
        """The game as it was before that turn."""
        columns: list[Column] = []
        for shape, put_down in zip(last.other.shapes, last.put_down, strict=True):
            column = [
                face if turn is None else buried[turn] for face, turn in zip(shape, put_down, strict=True)
            ]
            columns.append(tuple(column))
        hand = game.players[1 - self._seat].hand
        held = hand[: len(hand) - last.drawn] + last.shown
        if isinstance(last.move, Play) and last.move.card == DOWN:
            held += (buried[last.turn],)
        if last.stolen is not None:
            held = without(held, last.stolen)
        seen = last.other
        other = Player(held, tuple(columns), seen.shapes, seen.arrivals, seen.landed, seen.flights)
        both = (last.me, other) if self._seat == 0 else (other, last.me)
        deck = (DOWN,) * last.deck
        return State(game.setup, ACTION, 1 - self._seat, last.turn, deck, last.discard_pile, both, 1, None)


def _legible(observation: Observation) -> LastTurn | None:
    """The opponent's last turn, if it came just before and all cards of its columns can be told from the game."""
    last = observation.knowledge.last_turn
    if last is None or last.turn != observation.turn - 1:
        return None
    told = {turn for turn, _ in last.turned_up}
    for column in observation.knowledge.face_down:
        for card in column:
            if card is not None:
                told.add(card.turn)
    if isinstance(last.move, Play) and last.move.card == DOWN and last.turn not in told:
        return None
    for column_then in last.put_down:
        for turn in column_then:
            if turn is not None and turn not in told:
                return None
    return last


def _is_made(move: Move, last: LastTurn, columns: tuple[Column, ...], buried: dict[int, int]) -> bool:
    """True if the move is the one made in that turn; `columns`: the player's, before the move."""
    made = last.move
    if isinstance(move, Play):
        if not isinstance(made, Play):
            return False
        card = buried[last.turn] if made.card == DOWN else made.card
        slot = columns.index(()) if move.slot is None else move.slot
        return move.card == card and slot == made.slot and _arrives_so(move.on_arrival, last)
    if isinstance(move, MoveCards):
        if not isinstance(made, MoveCards):
            return False
        target = columns.index(()) if move.target is None else move.target
        going = (move.source, move.index, target, move.uncover)
        return going == (made.source, made.index, made.target, made.uncover) and _arrives_so(
            move.on_arrival, last
        )
    return move == made


def _arrives_so(on_arrival: str | None, last: LastTurn) -> bool:
    """True if the choice for an arrival agrees with what happened; without an arrival, either choice agrees."""
    return last.returned is None or (on_arrival == RETURN) == last.returned
