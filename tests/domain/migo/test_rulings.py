"""The rulings M1 to M16 and the scores of a round, each by its name."""

from domain.chance import SeededChance
from domain.migo.game import MIGO
from domain.migo.rules.cards import SHERPA, names
from domain.migo.rules.scoring import champion, next_starter, places, round_winner, scores, total_scores
from domain.migo.rules.state import RoundResult, State
from tests.domain.migo.table import finish_round, game, resign, side, table, take, view

# E01a rope 1, E02a rope 2, E03a rope 1, E01b crampons 1, E06a crampons 2, E12a hat 1, E19a bottle 1, E10a ice axe 2.


def ended(state: State, *results: tuple[tuple[int, ...], int]) -> State:
    """With these rounds behind it: scores and winner."""
    rounds = tuple(RoundResult(points, winner) for points, winner in results)
    players = tuple(
        player._replace(flags=sum(one.winner == seat for one in rounds))
        for seat, player in enumerate(state.players)
    )
    return state._replace(rounds=rounds, players=players)


def test_the_scores_of_a_round() -> None:
    """A point a piece, 4 for the most of a kind, 2 a hat, nothing for a bottle and -2 for an empty token."""
    state = table(side("E02a E06a E12a", empty=1), side("E01a E10a E19a", full=1), lying="E03a")
    assert scores(state) == (2 + 4 + 2 + 4 + 2 - 2, 1 + 2 + 4)


def test_a_tied_round_goes_to_who_played_last() -> None:
    state = table(side("E02a", last=18), side("E06a", last=17), lying="E03a")
    assert round_winner(state, (6, 6)) == 0
    assert round_winner(table(side(last=17), side(last=18)), (6, 6)) == 1
    assert round_winner(table(side(last=9), side(last=3), side(last=8)), (5, 7, 7)) == 2


def test_m1_the_lowest_score_starts_and_of_several_the_first_after_the_starter() -> None:
    state = table(side(), side(), side(), starter=1)
    assert next_starter(state, (5, 3, 9)) == 1
    assert next_starter(state, (5, 3, 3)) == 2
    assert next_starter(state, (3, 3, 9)) == 0
    state = finish_round(game())
    low = min((0, 1), key=lambda seat: (state.rounds[0].scores[seat], seat == 0))
    assert state.starter == state.to_act == low


def test_m2_the_layout_of_round_4_is_an_option() -> None:
    for layout in ("ropes", "pyramid", "pyramids"):
        for seed in range(200):
            state = game(4, round4_layout=layout)
            while state.number < 4 and state.to_act is not None:
                state = finish_round(state, seed)
            if state.to_act is not None:
                break
        assert (state.number, view(state)["layout"]) == (4, layout)


def test_m3_the_flag_of_round_4_decides() -> None:
    state = table(side("E02a"), side(), side(), side(), lying="E03a", number=4)
    before = ((9, 1, 1, 1), 1), ((9, 1, 1, 1), 2), ((9, 1, 1, 1), 3)
    state = take(ended(state, *before), 0).happens()
    result = MIGO.status(state).result
    assert result is not None
    assert (result.reason, result.winner) == ("round_four", 0)
    assert result.places == (1, 2, 2, 2)


def test_m4_the_halves_and_the_shuffles_are_those_of_the_documented_numbers() -> None:
    """Recomputed by hand from the seed: 10 for all faces, then 10 r + 1 for what is turned over, 10 r for the order."""
    chance, seeds = SeededChance(bytes(32), "test"), (None, None)
    state = game()
    faces = chance.shuffled(10, tuple(range(50)), seeds)
    order = [face for at, face in enumerate(faces) if face ^ 1 not in faces[:at]]
    assert state.table == _without_sherpas(order[:18], state)
    assert state.boxed == tuple(order[18:])
    flipped = finish_round(state)
    before = state
    while before.left > 1:
        before = take(before, MIGO.legal_moves(before, before.to_act or 0)[0]["place"]).happens()
    last = take(before, MIGO.legal_moves(before, before.to_act or 0)[0]["place"]).happens()
    used = {face >> 1: face for player in before.players for face in player.cards}
    used |= {face >> 1: face for face in (*before.discarded, *before.table) if face >= 0}
    up = used | {face >> 1: face for face in before.boxed}
    for card in chance.shuffled(21, tuple(sorted(used)), seeds)[:9]:
        up[card] ^= 1
    again = chance.shuffled(20, tuple(range(25)), seeds)
    assert last.table == _without_sherpas([up[card] for card in again[:18]], last)
    assert flipped.number == last.number == 2


def _without_sherpas(faces: list[int], state: State) -> tuple[int, ...]:
    assert state.layout is not None
    assert state.setup is not None
    kinds = state.setup.options.card_table.kinds
    free = state.layout.start
    return tuple(face ^ 1 if at in free and kinds[face] == SHERPA else face for at, face in enumerate(faces))


def test_m5_turning_a_bottle_away_returns_no_token() -> None:
    state = table(side("E19a", full=1), side(), lying="E01a E02a E03a E04a E05a E23b")
    after = take(state, 5, flip="E19").happens()
    assert (names(after.players[0].cards), after.players[0].full, view(after)["bottles"]) == (["E19b"], 1, 2)


def test_m6_drinking_is_declared_with_the_taking_move_and_the_extra_turn_is_a_turn() -> None:
    """One token a turn, also in the extra turn, in which a token got before it may be drunk."""
    state = table(side(full=1), side(), lying="E01a E02a E03a E04a E05a E19a")
    first = take(state, 5, drink=True).then(
        "seat 0 takes E19a from place 5",
        "seat 0 gets a full bottle",
        "seat 0 drinks a bottle and plays again",
    )
    assert MIGO.status(first).turn == MIGO.status(state).turn + 1
    second = take(first, 4, drink=True).happens()
    assert (second.to_act, second.players[0].empty) == (0, 2)


def test_m7_ties_for_the_most() -> None:
    """Two who tie share in a game of three or four; in a game of two, or three who tie, get nothing."""
    assert scores(table(side("E01a"), side("E03a"))) == (1, 1)
    assert scores(table(side("E01a"), side("E03a"), side())) == (3, 3, 0)
    assert scores(table(side("E01a"), side("E03a"), side("E04a"))) == (1, 1, 1)
    assert scores(table(side("E01a"), side("E03a"), side("E04a"), side("E22a"))) == (1, 1, 1, 1)


def test_m8_resigning_with_two_seats() -> None:
    """The other wins, whoever's turn it is."""
    for seat in (0, 1):
        state = resign(game(), seat).then(
            f"seat {seat} resigns",
            f"the game ends (resigned): seat {1 - seat} wins, flags 0 : 0, points 0 : 0",
        )
        assert MIGO.status(state).status == "finished"


def test_m8_resigning_with_more_seats() -> None:
    """The others play on: cards are discarded, flags no longer count, turns are skipped; the last seat wins."""
    state = table(side("E01a E12a"), side("E02a"), side("E03a"), lying="E04a E05a E06a E07a E08a E09a")
    after = resign(state, 0).then("seat 0 resigns")
    assert (after.to_act, after.players[0].cards, names(after.discarded)[-2:]) == (1, (), ["E01a", "E12a"])
    assert view(after)["players"][0]["resigned"]
    after = take(take(after, 5).happens(), 4).happens()
    assert after.to_act == 1
    resign(after, 0).fails("illegal-move", "M8")
    over = resign(after, 2).happens()
    result = MIGO.status(over).result
    assert result is not None
    assert (result.reason, result.places) == ("resigned", (3, 1, 2))
    flagged = ended(table(side(), side(), side(), lying="E01a", number=3), ((1, 2, 3), 2), ((1, 2, 3), 1))
    gone = flagged._replace(resigned=(2,), players=(*flagged.players[:2], side(flags=1)))
    assert champion(gone) is None


def test_m9_a_turn_limit_ends_the_game() -> None:
    """Most flags, then the higher sum with the running round; who still ties shares the place."""
    state = take(take(game(turn_limit=2), 5).happens(), 10).happens()
    result = MIGO.status(state).result
    assert result is not None
    assert result.reason == "turn_limit"
    assert result.scores == scores(state)
    level = ended(table(side("E01a"), side("E03a"), lying="E04a", number=3), ((10, 9), 0), ((9, 10), 1))
    assert (places(level, None), total_scores(level)) == ((1, 1), (20, 20))
    assert places(ended(table(side(), side(), lying="E04a", number=2), ((9, 10), 0)), None) == (1, 2)
    assert places(table(side("E02a"), side(), side("E06a"), lying="E01a"), None) == (1, 3, 1)


def test_m9_a_round_that_ends_with_the_last_take_counts() -> None:
    state = game(turn_limit=18)
    while state.to_act is not None:
        state = take(state, MIGO.legal_moves(state, state.to_act)[0]["place"]).happens()
    result = MIGO.status(state).result
    assert result is not None
    assert (result.reason, len(state.rounds), state.number) == ("turn_limit", 1, 1)
    assert result.winner == state.rounds[0].winner


def test_m10_who_resigned_does_not_start() -> None:
    state = table(side(), side(), side(), starter=1, resigned=(2,))
    assert next_starter(state, (5, 3, 0)) == 1
    assert next_starter(state, (3, 3, 0)) == 0


def test_m11_places() -> None:
    """By flags, then sums, the winner first; who resigned comes last, later resignations before earlier ones."""
    state = ended(
        table(side(), side(), side(), side(), lying="E01a", number=3), ((1, 2, 3, 4), 3), ((5, 0, 0, 0), 0)
    )
    assert places(state, None) == (1, 4, 3, 2)
    assert places(state, 3) == (2, 4, 3, 1)
    assert places(state._replace(resigned=(0, 3)), 1) == (4, 1, 2, 3)


def test_m13_everything_goes_back_at_the_end_of_a_round() -> None:
    state = table(side("E19a", full=1, empty=1), side("E02a", full=1), lying="E03a")
    after = take(state, 0).happens()
    assert view(after)["bottles"] == 3
    assert all(not player.cards for player in after.players)
    assert after.discarded == ()
    assert sorted(face >> 1 for face in (*after.table, *after.boxed)) == list(range(25))


def test_m14_no_drinking_with_the_last_card() -> None:
    state = table(side(full=1), side(), lying="E01a")
    assert MIGO.legal_moves(state, 0) == [{"type": "take", "place": 0}]
    take(state, 0, drink=True).fails("illegal-move", "M14")


def test_m15_resigned_seats_count_for_the_game_but_not_for_majorities() -> None:
    """Two who are left of three still share; only they can have majorities and flags."""
    state = table(side("E01a"), side("E03a"), side(), resigned=(2,))
    assert scores(state) == (3, 3, 0)
    two = resign(table(side("E02a"), side("E03a"), lying="E04a"), 0).happens()
    assert scores(two) == (2, 5)
    assert round_winner(state, (1, 2, 9)) == 1


def test_m16_nobody_with_two_flags_after_the_last_round() -> None:
    """The winner of the last round wins, also of three where one with a flag has resigned."""
    state = table(side("E02a"), side(), side(), lying="E03a", number=4, resigned=(2,))
    before = ((1, 9, 9), 1), ((1, 9, 9), 2), ((1, 9, 9), 2)
    state = take(ended(state, *before), 0).happens()
    result = MIGO.status(state).result
    assert result is not None
    assert (result.reason, result.places) == ("round_four", (1, 2, 3))
    third = ended(table(side(), side(), number=3), ((1, 2), 0), ((1, 2), 1), ((1, 2), 1))
    assert champion(third) == (1, "two_flags")
