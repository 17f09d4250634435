# compiled into migo
"""Reasons for and against a take: the table after it, with a part put back to what it was before it, is judged again.

Parts are the taker's pieces of each kind, its bottle tokens, the cards that lie, and whose turn it is.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from domain.bot import Considered, Move, Reason
from domain.migo.net.judge import chances_after
from domain.migo.observation import Observation
from domain.migo.rules.cards import BOTTLE, GEAR, HAT, KINDS, CardTable
from domain.migo.rules.decide import taken
from domain.migo.rules.legal import free_places
from domain.migo.rules.moves import Take
from domain.migo.rules.scoring import scores
from domain.migo.rules.state import Player, State, fold, next_seat, setup_of
from domain.net.network import Network
from domain.net.reasons import Sentences, strongest, with_reasons

_PIECES: Final = ("ropes", "crampons", "ice axes", "carabiners", "hats")  # by kind
SENTENCES: Final = Sentences(
    {
        "most": "You then have the most {name}; it changes the lead by {points}.",
        "more": "You have more {name}; it changes the lead by {points}.",
        "fewer": "You have fewer {name}; it changes the lead by {points}.",
        "bottle": "You get a bottle, with which you can play again later.",
        "empties": "You empty a bottle; it changes the lead by {points}.",
        "again": "You play again at once.",
        "denies": "It leaves {name} worse cards to take.",
        "uncovers": "It uncovers good cards for {name}.",
        "frees": "It uncovers good cards for you.",
        "uses-up": "It leaves you worse cards to take.",
    },
    denies=("denies",),
)


def explained(
    observation: Observation, considered: Sequence[Considered], network: Network
) -> list[Considered]:
    """The considered takes again, the first of them with reasons."""
    return with_reasons(considered, _Explanation(observation, network).reasons)


class _Explanation:
    """Judgement of the net by part of the tables that takes lead to."""

    def __init__(self, observation: Observation, network: Network) -> None:
        self._seat = observation.seat
        self._before = observation.table
        self._network = network
        self._cards: CardTable = setup_of(observation.table).options.card_table
        playing = len(observation.table.players) - len(observation.table.resigned)
        self._others = "your opponent" if playing == 2 else "the others"

    def reasons(self, move: Move) -> tuple[Reason, ...]:
        """The changes that move the judgement most, each by the judgement without it."""
        assert isinstance(move, Take)
        before, seat = self._before, self._seat
        after = fold(before, taken(before, seat, move))
        chance = self._chance(after)
        found = [*self._of_kinds(after, chance), *self._of_tokens(after, chance)]
        if after.lying and after.takes != setup_of(after).options.turn_limit:
            found += [*self._of_turn(after, chance), *self._of_table(after, chance)]
        return strongest(found)

    def _of_kinds(self, after: State, chance: float) -> Iterator[Reason]:
        was, now = self._before.players[self._seat], after.players[self._seat]
        for kind in range(HAT + 1):
            more = self._count(now, kind) - self._count(was, kind)
            if not more:
                continue
            cards = [face for face in now.cards if self._cards.kinds[face] != kind]
            cards += [face for face in was.cards if self._cards.kinds[face] == kind]
            put_back = self._with(after, Player(tuple(cards), now.full, now.empty, now.flags, now.last))
            change = chance - self._chance(put_back)
            if (change > 0) == (more > 0):  # else the net errs: pieces do no harm
                has_got_most = self._has_most(after, kind) and not self._has_most(put_back, kind)
                code = "fewer" if more < 0 else "most" if has_got_most else "more"
                gain = self._gain(after, put_back)
                yield SENTENCES.reason(code, change, KINDS[kind], gain, _PIECES[kind])

    def _of_tokens(self, after: State, chance: float) -> Iterator[Reason]:
        was, now = self._before.players[self._seat], after.players[self._seat]
        if (was.full, was.empty) == (now.full, now.empty):
            return
        put_back = self._with(after, Player(now.cards, was.full, was.empty, now.flags, now.last))
        change, is_emptied = chance - self._chance(put_back), now.empty > was.empty
        if (change < 0) == is_emptied:  # else the net errs, as above
            gain = self._gain(after, put_back) if is_emptied else None
            yield SENTENCES.reason("empties" if is_emptied else "bottle", change, KINDS[BOTTLE], gain)

    def _of_turn(self, after: State, chance: float) -> Iterator[Reason]:
        if after.to_act == self._seat:
            following = next_seat(self._seat, len(after.players), after.resigned)
            yield SENTENCES.reason("again", chance - self._chance(after._replace(to_act=following)))

    def _of_table(self, after: State, chance: float) -> Iterator[Reason]:
        """The reason by the table alone: takes are left as after the move, for who takes last is another matter."""
        put_back = after._replace(lying=self._before.lying)
        change = chance - self._chance(put_back, after.left)
        uncovers = len(free_places(after)) >= len(free_places(self._before))
        if change > 0:
            code = "frees" if uncovers and after.to_act == self._seat else "denies"
        else:
            code = "uncovers" if uncovers and after.to_act != self._seat else "uses-up"
        yield SENTENCES.reason(code, change, name=self._others)

    def _with(self, after: State, player: Player) -> State:
        players = list(after.players)
        players[self._seat] = player
        return after._replace(players=tuple(players))

    def _chance(self, state: State, left: int | None = None) -> float:
        return chances_after(state, self._network, left)[self._seat]

    def _gain(self, after: State, put_back: State) -> int:
        """Points by which the lead over the best of the others has grown."""
        return self._lead(after) - self._lead(put_back)

    def _lead(self, state: State) -> int:
        points, resigned = scores(state), state.resigned
        return points[self._seat] - max(
            [points[seat] for seat in range(len(points)) if seat != self._seat and seat not in resigned]
        )

    def _count(self, player: Player, kind: int) -> int:
        return sum([self._cards.counts[face] for face in player.cards if self._cards.kinds[face] == kind])

    def _has_most(self, state: State, kind: int) -> bool:
        """True if the seat alone has the most pieces of a kind that counts for a majority."""
        if kind >= GEAR:
            return False
        own = self._count(state.players[self._seat], kind)
        return all(
            self._count(player, kind) < own
            for seat, player in enumerate(state.players)
            if seat != self._seat and seat not in state.resigned
        )
