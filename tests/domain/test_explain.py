"""Explanations of moves: reasons made of what the net is told."""

from typing import Any, Final

import pytest

from domain.bot import DENIES, RISKS, WINS, Choice, Considered
from domain.migrato.belief.observation import Observation, observe
from domain.migrato.bots.learned.net import NET
from domain.migrato.codec.move_codec import parse_move
from domain.migrato.game import MIGRATO
from domain.migrato.net.checked_in import trained
from domain.migrato.net.explain import _Moments
from domain.migrato.net.judge import WON, Judge
from domain.migrato.rules.moves import Play, PlayDanger
from domain.migrato.rules.state import State
from domain.net.reasons import MOST_EXPLAINED, REASONS
from domain.prng import Prng
from tests.domain.playing import OPTIONS
from tests.domain.remembering import games_told
from tests.domain.table import side, table


def seen_by_players(seed: int, options: dict[str, Any], moves: int = 80, every: int = 4) -> list[Observation]:
    """Observations of the seats that were to act."""
    return [
        told.seen(told.state.to_act)
        for number, told in enumerate(games_told(seed, options, moves, wild=0.2))
        if told.state.to_act is not None and number % every == 0
    ]


@pytest.mark.parametrize("options", [*OPTIONS, {"turn_limit": 30}], ids=str)
def test_the_parts_are_all_that_the_net_is_told(options: dict[str, Any]) -> None:
    """Put together they give the logit of the move, and the result where the move ends the game; unless a card is
    stolen unseen.
    """
    compared = settled = 0
    for seen in seen_by_players(3, options, 200, 1):
        judge, moments = Judge(seen, trained()), _Moments(seen, trained())
        for move in seen.moves:
            if not judge.guesses(move):
                side, theirs = moments.after(move)
                assert moments.logit(side, moments.parts(side, theirs)) == judge.logit(move)
                compared += 1
                settled += judge.logit(move) in (WON, 0, -WON)
    assert compared > 100
    assert settled


def test_the_judge_puts_first_what_the_net_plays() -> None:
    """Every legal move once, the best first, as probabilities."""
    for seen in seen_by_players(8, {}):
        judged = MIGRATO.judged(seen)
        assert judged[0].move == NET.choose(seen, Prng(1))
        assert {one.move for one in judged} == set(seen.moves)
        chances = [one.win_probability for one in judged]
        assert chances == sorted(chances, reverse=True)
        assert all(0 <= chance <= 1 for chance in chances)


def test_a_theft_of_a_hidden_card_has_a_spread() -> None:
    """No other move has one: its outcome is known."""
    weighed = [one for seen in seen_by_players(1, {}, 120, 1) for one in MIGRATO.judged(seen)]
    spread = [one for one in weighed if one.spread is not None]
    assert spread
    assert all(isinstance(one.move, PlayDanger) for one in spread)
    assert all(one.spread is not None and 0 <= one.spread <= 0.5 for one in spread)


def test_reasons_tell_what_is_won_denied_and_risked() -> None:
    """The largest first, in whole sentences; risks count against the move. An arrival is one reason, by name: what
    lands is not said to come nearer to landing, or to get further from it.
    """
    kinds, arrivals = set[str](), 0
    for seen in (seen for options in OPTIONS for seen in seen_by_players(5, options, 120, 3)):
        moments = _Moments(seen, trained())
        for at, one in enumerate(MIGRATO.explained(seen, NET.name, NET.think(seen, Prng(1)))):
            changes = [abs(reason.change) for reason in one.reasons]
            assert changes == sorted(changes, reverse=True)
            assert len(changes) <= (REASONS if at < MOST_EXPLAINED else 0)
            for reason in one.reasons:
                kinds.add(reason.kind)
                assert (reason.code in ("arrives", "lead")) == (reason.points is not None)
                assert (reason.change < 0) == (reason.kind == RISKS)
                assert (reason.code, reason.points) != ("lead", 0)
                assert reason.text.endswith(".")
            about = [why.about for why in one.reasons if why.code in ("arrives", "nearer", "further")]
            assert len(about) == len(set(about))
            side, _ = moments.after(one.move)
            if isinstance(one.move, Play) and side.landed != seen.me.landed and one.reasons:
                arrivals += any("arrive" in reason.text for reason in one.reasons)
    assert kinds == {WINS, DENIES, RISKS}
    assert arrivals > 5


def reasons_of(state: State, **document: Any) -> list[tuple[str, str, str | None, int | None]]:
    """Kind, code, whom it concerns and points of the reasons of seat 0's move."""
    return [(why.kind, why.code, why.about, why.points) for why in weighed(state, **document).reasons]


def weighed(state: State, **document: Any) -> Considered:
    """Seat 0's move as the net weighs it, with reasons."""
    seen, move = observe(state, 0), parse_move(document)
    return next(one for one in MIGRATO.explained(seen, NET.name, Choice(seen.moves[0])) if one.move == move)


def last_species(stilts: str) -> State:
    """Teals end the game: seat 0 has 5 points and may land them with 3 more."""
    return table(
        side("T3d K4d", {1: "T5d"}, {"brant_goose": "G5d G4d G4d G3d G3d", "black_kite": "K3d K3d K2d K2d"}),
        side(arrivals={"stilt": stilts, "bee_eater": "B4d B3d B3d"}),
        turn=40,
    )


def test_to_come_nearer_to_the_last_landing_is_one_reason() -> None:
    """The lead stays as it is."""
    state = last_species("S6n S6n S3n S3n")
    assert reasons_of(state, type="exchange") == [(RISKS, "further", "teal", None)]


TEALS_LAND: Final = {"type": "play", "card": "T3d", "slot": 1}


def test_the_last_landing_is_explained_by_the_result() -> None:
    """It wins or loses the game, and nothing else is said of the move."""
    won, lost = last_species("S6n S6n S3n S3n"), last_species("S6n S6n S6n S6n")
    ahead = weighed(won, **TEALS_LAND)
    assert ahead.win_probability == pytest.approx(1, abs=1e-4)
    assert reasons_of(won, **TEALS_LAND) == [(WINS, "arrives", "teal", 3)]
    assert reasons_of(lost, **TEALS_LAND) == [(RISKS, "arrives", "teal", 3)]


def test_a_second_landing_is_an_arrival_too() -> None:
    """Of a species whose Return Flight card the seat has: nobody says that its birds get further from landing."""
    state = table(side("T3d K4d G3d", {1: "T5d"}, {}, ("teal",)), return_flight=True)
    reasons = reasons_of(state, **TEALS_LAND)
    assert (WINS, "arrives", "teal", 3) in reasons
    assert [about for _, code, about, _ in reasons if code != "arrives" and about == "teal"] == []


def last_turn() -> State:
    """Seat 0 is 2 points behind, and may land teals with 3."""
    return table(
        side("T3d K4d", {1: "T5d", 2: "G5d"}),
        side("", {1: "K3d"}, {"bee_eater": "B4d B3d B2d"}),
        turn=20,
        turn_limit=20,
    )


def test_the_last_turn_is_explained_by_the_result() -> None:
    """Exactly: an arrival turns defeat into victory, and what comes nearer to landing is worth nothing any more."""
    (why,) = weighed(last_turn(), **TEALS_LAND).reasons
    assert (why.kind, why.code, why.about, why.change, why.points) == (WINS, "arrives", "teal", 1.0, 3)
    seen = observe(last_turn(), 0)
    considered = MIGRATO.explained(seen, NET.name, Choice(seen.moves[0]))
    assert [one.move for one in considered if one.reasons] == [parse_move(TEALS_LAND)]


def test_a_lead_lost_on_the_last_turn_is_a_risk() -> None:
    """By a theft that gives the opponent the points of the card below."""
    state = table(
        side("HUN K4d", arrivals={"teal": "T5d T3d"}),
        side("", arrivals={"bee_eater": "B4d B3d B2d"}),
        turn=20,
        turn_limit=20,
    )
    theft = weighed(state, type="danger", card="HUN", target={"pile": "bee_eater"})
    assert [(why.kind, why.code, why.change, why.points) for why in theft.reasons] == [
        (RISKS, "lead", -0.5, -1)
    ]


def test_a_bot_that_weighs_nothing_has_nothing_to_explain() -> None:
    seen = seen_by_players(1, {})[0]
    assert list(MIGRATO.explained(seen, "greedy", MIGRATO.think(seen, "greedy", 1))) == []
