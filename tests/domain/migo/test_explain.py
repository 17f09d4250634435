"""Explanations of takes: reasons made of what the net is told of the table."""

from collections.abc import Iterator

from domain.bot import DENIES, RISKS, WINS, Choice, Considered
from domain.lifecycle import Json
from domain.migo.game import MIGO
from domain.migo.net.explain import SENTENCES
from domain.migo.observation import Observation
from domain.migo.rules.decide import taken
from domain.migo.rules.scoring import scores
from domain.migo.rules.state import State, fold
from domain.net.reasons import LEAST_CHANGE, MOST_EXPLAINED, REASONS
from tests.domain.migo.table import side, table
from tests.domain.migo.test_net import TABLES, positions

KIND_OF = {
    "most": WINS, "more": WINS, "bottle": WINS, "frees": WINS, "denies": DENIES, "fewer": RISKS, "empties": RISKS,
    "uncovers": RISKS, "uses-up": RISKS,
}  # fmt: skip


def weighed(state: State) -> list[Considered]:
    """Every take as the net weighs it, with reasons."""
    seen = MIGO.observe(state, state.to_act or 0)
    return list(MIGO.explained(seen, "net", Choice(seen.moves[0])))


def explained(seats: int, options: Json) -> Iterator[tuple[Observation, list[Considered]]]:
    """Observations of the seats that were to act, and every take with its reasons."""
    for number, (state, _) in enumerate(positions(seats, options, 3)):
        if number % 3 == 0:
            yield MIGO.observe(state, state.to_act or 0), weighed(state)


def test_reasons_tell_what_is_won_denied_and_risked() -> None:
    """The largest first, in whole sentences; each says what its sign says.

    The points of a plain take are by the rules what the lead over the best of the others grows by.
    """
    codes, compared = set[str](), 0
    for seats, options in TABLES:
        for seen, considered in explained(seats, options):
            playing = seats - len(seen.table.resigned)
            for at, one in enumerate(considered):
                changes = [abs(why.change) for why in one.reasons]
                assert changes == sorted(changes, reverse=True)
                after = fold(seen.table, taken(seen.table, seen.seat, one.move))
                gained = _lead(after, seen.seat) - _lead(seen.table, seen.seat)
                assert len(changes) <= (REASONS if at < MOST_EXPLAINED else 0)
                for why in one.reasons:
                    assert abs(why.change) >= LEAST_CHANGE
                    assert (why.change < 0) == (why.kind == RISKS)
                    assert why.kind == KIND_OF.get(why.code, why.kind)  # to play again may be either
                    assert (why.points is None) == (why.code not in ("most", "more", "fewer", "empties"))
                    if why.points is not None and not one.move.drink and one.move.flip < 0:
                        assert why.points == gained
                        compared += 1
                    assert why.text.endswith(".")
                    assert ("the others" if playing == 2 else "your opponent") not in why.text
                    codes.add(why.code)
    assert codes == {*KIND_OF, "again"} == set(SENTENCES.codes)
    assert compared > 200


def _lead(state: State, seat: int) -> int:
    points = scores(state)
    others = [score for other, score in enumerate(points) if other != seat and other not in state.resigned]
    return points[seat] - max(others)


def test_a_majority_is_named() -> None:
    """A reason names the majority, and the points that come with it."""
    state = table(side("E01a E24a"), side("E04a E23a", last=10), lying="E06a E12a E03a E13a")
    (one,) = weighed(state)
    (most,) = [why for why in one.reasons if why.code == "most"]
    assert (most.kind, most.about, most.points) == (WINS, "rope", 1 + 4)
    assert most.text == "You then have the most ropes; it changes the lead by 5 points."


def test_one_opponent_who_is_left_is_no_others() -> None:
    """Reasons at a table of three speak of the others, and of one opponent once a seat has resigned."""
    sides = [side("E14a"), side("E04a", last=10), side()]
    tables = ("E02a E05a E01a", "E06a E12a E03a E13a", "E23a E05a E11a E08a", "E07a E24a E03a E09a E16a")
    for resigned, name in (((2,), "your opponent"), ((), "the others")):
        said = [
            why.text
            for lying in tables
            for one in weighed(table(*sides, lying=lying, resigned=resigned))
            for why in one.reasons
            if why.code in ("denies", "uncovers")
        ]
        assert said
        assert all(name in text for text in said)


def test_the_end_of_a_round_is_explained_by_its_result() -> None:
    """Exactly: the last card decides the flag, and there is nothing left to take."""
    state = table(side("E14a", flags=1), side("E23a", last=10), lying="E02a")
    (one,) = weighed(state)
    assert one.win_probability == 1.0
    assert [(why.code, why.about, why.change, why.points) for why in one.reasons] == [
        ("most", "rope", 0.5, 6)
    ]


def test_the_judge_puts_first_what_the_net_plays() -> None:
    """Its version names the weights, so that a new net makes new analyses."""
    net = MIGO.bot("net")
    assert MIGO.judge == f"{net.name} {net.version}"
    for state, _ in positions(3, {}, 1):
        seen = MIGO.observe(state, state.to_act or 0)
        assert MIGO.judged(seen)[0].move == MIGO.think(seen, "net", 0).move


def test_a_bot_that_weighs_nothing_has_nothing_to_explain() -> None:
    seen = MIGO.observe(table(side(), side(), lying="E01a E02a"), 0)
    assert list(MIGO.explained(seen, "greedy", MIGO.think(seen, "greedy", 1))) == []
