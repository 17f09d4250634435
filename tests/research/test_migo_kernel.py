"""The trainer's kernel of Migo plays by the domain's rules and tells the net what the domain tells it, take by take."""

import random
from collections.abc import Iterator
from typing import Any, Final

import pytest

from domain.chance import SeededChance
from domain.lifecycle import Create, Seat
from domain.migo.bots.heuristic import HEURISTIC
from domain.migo.net.inputs import Table
from domain.migo.net.layout import INPUTS
from domain.migo.observation import observe
from domain.migo.rules.cards import CARD_TABLES, IDS, KINDS, SHERPA, SIDES
from domain.migo.rules.decide import decide, taken
from domain.migo.rules.legal import legal_moves
from domain.migo.rules.moves import RESIGN, Take
from domain.migo.rules.options import resolve
from domain.migo.rules.scoring import round_winner, scores
from domain.migo.rules.state import INITIAL, State, fold
from domain.prng import Prng
from research.training.migo_kernel import Kernel, table_of, take_of

SEATS: Final = tuple(Seat("human", name) for name in ("ada", "bob", "cy", "dan"))


def _other_cards(seed: int) -> dict[str, Any]:
    """A card table of one's own: more pieces, more sherpas, the same kind on both faces of a card."""
    rng = random.Random(seed)

    def face(kinds: int) -> dict[str, Any]:
        kind = rng.randrange(kinds)
        return {"kind": KINDS[kind], "count": 0 if kind == SHERPA else rng.choice((1, 1, 2, 4))}

    return {card: {"a": face(SHERPA), "b": face(SHERPA + 1)} for card in IDS}


VARIANTS: Final[dict[str, tuple[int, dict[str, Any]]]] = {
    "2": (2, {}),
    "2-large": (2, {"layout_size": "large"}),
    "2-other": (2, {"turn_limit": 31, "card_table": _other_cards(1)}),
    "3": (3, {"round4_layout": "pyramids"}),
    "3-limit": (3, {"turn_limit": 40, "first_seat": 2}),
    "4": (4, {}),
    "4-other": (4, {"card_table": _other_cards(2), "round4_layout": "pyramid"}),
}
every_variant = pytest.mark.parametrize(("seats", "options"), VARIANTS.values(), ids=VARIANTS)


def positions(seats: int, options: dict[str, Any], games: int) -> Iterator[tuple[State, Take, SeededChance]]:
    """Positions of random games, some of whose seats resign, each with a move to go on with."""
    for seed in range(games):
        rng, chance = random.Random(seed), SeededChance(seed.to_bytes(32, "big"), "test")
        state = fold(INITIAL, decide(INITIAL, None, Create("test", "c", options, SEATS[:seats]), chance))
        while state.to_act is not None:
            if seats > 2 and rng.random() < 0.01:
                state = fold(state, decide(state, rng.choice(_playing(state)), RESIGN, chance))
                continue
            move = rng.choice(legal_moves(state))
            assert isinstance(move, Take)
            yield state, move, chance
            state = fold(state, decide(state, state.to_act, move, chance))


def _playing(state: State) -> list[int]:
    return [seat for seat in range(len(state.players)) if seat not in state.resigned]


def test_nets_learn_from_card_tables_of_the_domain(kernel_of_migo: Kernel) -> None:
    """The standard one is the domain's, and the domain takes every other one that the trainer may draw."""
    assert kernel_of_migo.standard_table() == CARD_TABLES["standard"]
    for seed in range(1, 101):
        drawn = kernel_of_migo.drawn_table(seed)
        document: dict[str, dict[str, Any]] = {card: {} for card in IDS}
        for face, (kind, count) in enumerate(zip(drawn.kinds, drawn.counts, strict=True)):
            document[IDS[face >> 1]][SIDES[face & 1]] = {"kind": KINDS[kind], "count": count}
        assert resolve({"card_table": document}, 2).card_table == drawn


@every_variant
def test_the_kernel_plays_by_the_rules_and_the_net_is_told_the_same(
    kernel_of_migo: Kernel, seats: int, options: dict[str, Any]
) -> None:
    """Legal takes and where they lead, a resignation, scores, who takes a flag; inputs from every seat that plays."""
    kernel, compared, told = kernel_of_migo, 0, 0
    assert kernel.inputs == INPUTS
    for state, move, _ in positions(seats, options, 4):
        legal = [one for one in legal_moves(state) if isinstance(one, Take)]
        assert kernel.legal_takes(state) == [take_of(one) for one in legal]
        after = fold(state, taken(state, state.to_act or 0, move))
        assert kernel.after_take(state, move) == table_of(after)
        points = scores(after)
        assert kernel.standing(after) == (list(points), round_winner(after, points))
        if len(_playing(state)) > 2:
            seat = _playing(state)[-1]
            given_up = fold(state, decide(state, seat, RESIGN, SeededChance(bytes(32), "test")))
            assert kernel.after_resignation(state, seat) == table_of(given_up)
        compared += 1
        if after.lying and after.takes != options.get("turn_limit"):
            table = Table(after)
            for seat in _playing(after):
                inputs: dict[int, int] = {}
                for at, value in table.inputs(seat):
                    inputs[at] = inputs.get(at, 0) + value
                assert inputs == kernel.net_inputs(after, seat)
                told += 1
    assert compared > 100
    assert told > 200


@every_variant
def test_rounds_end_and_begin_as_in_the_domain(
    kernel_of_migo: Kernel, seats: int, options: dict[str, Any]
) -> None:
    """Flags, sums, who starts, which cards are there, no sherpa that can be taken; and who wins the game."""
    compared = 0
    for state, move, chance in positions(seats, options, 12):
        if state.left > 1:
            continue
        seat, limit = state.to_act or 0, options.get("turn_limit")
        ended = fold(state, taken(state, seat, move))
        after = fold(state, decide(state, seat, move, chance))
        table, winner = kernel_of_migo.next_round(ended, compared)
        if winner >= 0:
            assert after.result is not None
            assert after.result.places[winner] == 1
        elif after.takes != limit:
            dealt = table[4 : 4 + len(after.dealt)]
            assert {len(dealt), len({face >> 1 for face in dealt})} == {len(after.dealt)}
            expected = table_of(after)
            assert table[:4] + table[4 + len(dealt) :] == expected[:4] + expected[4 + len(dealt) :]
        compared += 1
    assert compared >= 12


@every_variant
def test_the_heuristics_take_the_same(kernel_of_migo: Kernel, seats: int, options: dict[str, Any]) -> None:
    """The kernel's, against which nets are measured, is the domain's bot."""
    compared = 0
    for state, _, _ in positions(seats, options, 2):
        if len(legal_moves(state)) > 1:
            choice = HEURISTIC.think(observe(state, state.to_act or 0), Prng(0)).move
            assert kernel_of_migo.heuristics_choice(state) == take_of(choice)
            compared += 1
    assert compared > 40
