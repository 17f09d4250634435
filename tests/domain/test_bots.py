"""Every bot of Migrato: legal, repeatable, blind to what is hidden, sensible."""

import random
from collections.abc import Iterator
from itertools import product

import pytest

from domain.bot import Bot, Budget, Choice
from domain.migrato.belief.observation import Observation, observe
from domain.migrato.bots import BOTS
from domain.migrato.rules.state import State
from domain.prng import Prng
from tests.domain.noninterference import VARIANTS, compare
from tests.domain.playing import OPTIONS, chance_of
from tests.domain.remembering import Told, games_told
from tests.domain.sampling import determinize
from tests.domain.table import side, table

FEW = Budget(iterations=12)
SMALL_DECK = {
    "deck_list": {
        "G9n": 6, "G2d": 6, "K9d": 5, "K1d": 5, "S8n": 5, "S2n": 5, "B7d": 4, "B1d": 3, "T9d": 3, "T1n": 3,
        "HUN": 3, "HAB": 3, "LIG": 3,
    }
}  # fmt: skip


def _moments(options: dict[str, object]) -> Iterator[tuple[Told, int]]:
    """Some decisions of a game, with the seat to act."""
    for number, told in enumerate(games_told(7, options, 120, wild=0.1)):
        if number % 17 == 5 and told.state.to_act is not None:
            yield told, told.state.to_act


@pytest.mark.parametrize("options", [*OPTIONS, {"turn_limit": 12}, SMALL_DECK], ids=str)
def test_moves_are_legal_and_depend_on_nothing_that_is_hidden(options: dict[str, object]) -> None:
    """Same chance and iterations: the same choice, with all that was considered, whatever the hidden cards are."""
    decks = set()
    for told, seat in _moments(options):
        seen, memory = told.seen(seat), told.memories[seat]
        others = [determinize(seen, random.Random(seed))._replace(setup=told.state.setup) for seed in (1, 2)]
        decks |= {other.deck for other in others}
        for bot in BOTS.values():
            choice = bot.think(seen, random.Random(3), FEW)
            assert choice.move in seen.moves
            for other in others:
                assert bot.think(observe(other, seat, memory), random.Random(3), FEW) == choice
    assert len(decks) > 1


def test_learned_bots_and_reasons_depend_on_nothing_that_is_hidden() -> None:
    """Deck lists far from the standard one are among the games."""
    compared = compare(5 * len(VARIANTS), longest=60, apart=12)
    assert compared.games == len(VARIANTS)
    assert compared.different > 0.9 * compared.positions
    assert compared.betrayed == dict.fromkeys(compared.betrayed, 0)


def test_the_only_legal_move_needs_no_thought() -> None:
    """A bot spends no iteration on the only legal move."""
    seen = observe(table(side("G5d"), deck="K4d K4d K4d K3d"), 0)
    only = Observation(
        **{name: getattr(seen, name) for name in seen.__match_args__} | {"moves": seen.moves[:1]}
    )
    for bot in BOTS.values():
        assert bot.think(only, random.Random(1)) == Choice(seen.moves[0])


def _play(seed: int, bots: tuple[Bot, Bot], options: dict[str, object], longest: int = 10_000) -> State:
    """The end of a game, or the state after its longest turn; searches have a small budget."""
    told, chance, dice = Told.dealt(seed, options), chance_of(seed), Prng(seed)
    while (seat := told.state.to_act) is not None and told.state.turn <= longest:
        bot = bots[seat]
        seen = told.seen(seat) if bot.remembers else observe(told.state, seat)
        told.plays(bot.think(seen, dice, Budget(iterations=2) if bot.budget else None).move, chance)
    return told.state


def test_sensible_bots_finish_within_150_turns() -> None:
    """Nearly all games; the random bot finishes too, however long it takes."""
    turns = sorted(
        _play(seed, (BOTS[bot], BOTS[bot]), options).turn
        for bot, options, seed in product(("greedy", "heuristic"), OPTIONS, range(2))
    )
    assert turns[-2] <= 150
    assert _play(1, (BOTS["random"], BOTS["random"]), {}).result is not None


def test_heuristic_beats_greedy() -> None:
    """About four of five decided games, seats changed; asserted is less."""
    lead = 0
    for seed in range(40):
        bots = ("heuristic", "greedy") if seed % 2 else ("greedy", "heuristic")
        result = _play(seed, (BOTS[bots[0]], BOTS[bots[1]]), {"first_seat": seed // 2 % 2}).result
        assert result is not None
        if result.winner is not None:
            lead += 1 if bots[result.winner] == "heuristic" else -1
    assert lead >= 14


PAIRS = (
    *((name, name) for name in ("net", "level-1", "level-2", "level-3", "level-4", "level-5", "level-6")),
    *(("careful", "careful"), ("thief", "thief"), ("racer", "racer"), ("careful", "thief")),
    *(("level-7", "level-1"), ("level-7", "level-7")),
)


def _ended_soon(pair: tuple[str, str], seeds: range) -> int:
    """The number of games of the two that have ended after 100 turns; most take 40 to 80."""
    games = [_play(seed, (BOTS[pair[0]], BOTS[pair[1]]), {}, longest=100) for seed in seeds]
    return sum(state.to_act is None for state in games)


def test_games_of_levels_end() -> None:
    """Most do, sooner than a turn limit would end them: now and then both wait for what does not come."""
    assert sum(_ended_soon(pair, range(1)) for pair in PAIRS[:-1]) > len(PAIRS) / 2


@pytest.mark.nightly("a level or a style of which a good part of the games, but not most, go on for ever")
@pytest.mark.parametrize("pair", PAIRS, ids=" - ".join)
def test_most_games_of_levels_end_soon(pair: tuple[str, str]) -> None:
    assert _ended_soon(pair, range(5)) >= 3
