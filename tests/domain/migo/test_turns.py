"""Rules 2 and 3: what is refused by which rule, and how games begin. The model tells whether turns are right."""

from domain.lifecycle import Create, Seat, TakeSeat
from domain.migo.game import MIGO
from domain.migo.rules.cards import names
from tests.domain.migo.table import (
    CHANCE,
    finish_round,
    game,
    laid,
    resign,
    ropes,
    side,
    table,
    take,
)
from tests.domain.table import refusal


def test_a_sherpa_is_discarded_and_turns_an_own_card_over() -> None:
    state = table(side("E12a E22a E20a"), side(), lying="E01a E02a E03a E04a E05a E23b")
    flips = [move["flip"] for move in MIGO.legal_moves(state, 0)]
    assert flips == [None, "E12", "E20"]  # the other face of E22 is a sherpa
    dismissed = ("seat 0 takes E23b from place 5", "seat 0 dismisses the sherpa of E23")
    take(state, 5).then(*dismissed)
    take(state, 5, flip=None).then(*dismissed)
    after = take(state, 5, flip="E12").then(*dismissed, "seat 0 turns E12 to E12b")
    assert names(after.players[0].cards) == ["E12b", "E22a", "E20a"]
    assert names(after.discarded)[-1] == "E23b"
    take(state, 5, flip="E20").then(*dismissed, "seat 0 turns E20 to E20b", "seat 0 gets a full bottle")
    take(state, 5, flip="E22").fails("illegal-move", "3")
    take(state, 5, flip="E23").fails("illegal-move", "3")
    take(state, 5, flip="E07").fails("illegal-move", "3")


def test_bad_moves_name_the_rule() -> None:
    state = game(rounds=[ropes("E01a")])
    take(state, 99).fails("illegal-move", "6")
    take(state, 4).fails("illegal-move", "3")
    take(table(side("E12a"), side(), lying="E01a"), 0, flip="E12").fails("illegal-move", "3")
    take(take(state, 5).happens(), 5).fails("illegal-move", "3")
    take(state, 5, drink=True).fails("illegal-move", "M12")
    take(state, 5, seat=1).fails("not-your-turn")


def test_refusals_say_what_is_wrong() -> None:
    """They name the layout; a token that a take brings, by itself or by a flip, is too new to be drunk."""
    state = table(side("E20a"), side(), lying="E01a E22b E19a")
    beyond = take(state, 18).fails("illegal-move", "6")
    assert beyond.detail == "The layout ropes has 18 places, 0 to 17."
    new, none = "brings can be drunk from the next turn on", "no full token from an earlier turn"
    ends = table(side("E20a"), side(), lying="E01a E02a E03a E04a E05a E22b")
    bottle = table(side("E20a"), side(), lying="E01a E02a E03a E04a E05a E19a")
    for now, more, words in (
        (ends, {"flip": "E20"}, new),
        (ends, {"flip": None}, none),
        (bottle, {}, new),
        (bottle._replace(players=(side("E20a"), side(empty=3))), {}, none),
    ):
        assert words in take(now, 5, drink=True, **more).fails("illegal-move", "M12").detail


def test_malformed_moves() -> None:
    wrong: tuple[tuple[dict[str, object], str], ...] = (
        ({"type": "play", "card": "G5d"}, "type"),
        ({"type": "take"}, "place"),
        ({"type": "take", "place": -1}, "place"),
        ({"type": "take", "place": True}, "place"),
        ({"type": "take", "place": 5, "flip": "E26"}, "flip"),
        ({"type": "take", "place": 5, "flip": ["E01"]}, "flip"),
        ({"type": "take", "place": 5, "drink": None}, "drink"),
        ({"type": "take", "place": 5, "card": "E01"}, "card"),
        ({"type": "resign", "place": 5}, "place"),
    )
    for document, field in wrong:
        why = refusal(MIGO.parse_move, document)
        assert (why.code, list(why.data["errors"])) == ("validation-error", [field])


def test_documents_come_back_as_they_were() -> None:
    state = table(side("E12a", full=1), side(), lying="E01a E02a E03a E04a E05a E23b")
    moves = MIGO.legal_moves(state, 0)
    assert [MIGO.move_document(MIGO.parse_move(move)) for move in moves] == moves
    assert MIGO.move_document(MIGO.parse_move({"type": "resign"})) == {"type": "resign"}


def test_games_that_cannot_begin() -> None:
    """Of a wrong number of seats; with rounds of more or fewer cards than the layout has, or with one of them twice."""
    for seats in (1, 5):
        told = {"seats": [f"Migo has 2, 3 or 4 seats, not {seats}."]}
        assert refusal(game, seats).data["errors"] == told
    wrong: tuple[tuple[list[list[str]], str], ...] = (
        ([], "setup.rounds"),
        ([laid()] * 4, "setup.rounds"),
        ([laid()[1:]], "setup.rounds.0"),
        ([laid(), [*laid(), "E25a"]], "setup.rounds.1"),
        ([["E01b", *laid()[:-1]]], "setup.rounds.0.1"),
        ([["E01", *laid()[1:]]], "setup.rounds.0.0"),
    )
    for rounds, field in wrong:
        why = refusal(game, 2, rounds)
        assert (why.code, list(why.data["errors"])) == ("validation-error", [field])


def test_prepared_rounds_come_in_their_turn() -> None:
    """Those that are not given are shuffled; such a game is not rated, and says so."""
    second = laid("E20a E19a", number=2)
    state = game(rounds=[laid(), second])
    assert (MIGO.status(state).rated, MIGO.status(state).setup) == (False, True)
    assert names(finish_round(state).table) == second
    third = finish_round(finish_round(state, 5), 4)
    assert third.number == 3 or third.result is not None


def test_nobody_moves_before_the_start_or_after_the_end() -> None:
    waiting = MIGO.initial()
    seats = (Seat("human", "a"), Seat("open"))
    for event in MIGO.decide(waiting, None, Create("t", "c", {}, seats), CHANCE):
        waiting = MIGO.evolve(waiting, event)
    status = MIGO.status(waiting)
    assert (MIGO.view(waiting, 0), status.status, status.turn) == (None, "waiting", 0)
    take(waiting, 5, seat=0).fails("game-not-started")
    resign(waiting, 0).fails("game-not-started")
    events = MIGO.decide(waiting, None, TakeSeat(1, "b"), CHANCE)
    assert [MIGO.encode(event).type for event in events] == ["seat_taken", "game_started", "round_started"]
    over = resign(game(), 0).happens()
    take(over, 5, seat=1).fails("game-over")
    resign(over, 1).fails("game-over")
