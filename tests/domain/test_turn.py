"""Rules 2 and 4: set-up, actions, discard and drawing."""

from domain.lifecycle import Create, Json, Seat
from domain.migrato.rules.cards import STANDARD, names
from domain.migrato.rules.decide import decide
from domain.migrato.rules.options import resolve
from domain.migrato.rules.state import ACTION, DISCARD, INITIAL, fold
from tests.domain.table import CHANCE, SEATS, legal, side, table, when


def test_the_box_holds_54_cards() -> None:
    """Rules 1: 49 birds and 5 dangers, in the stated numbers."""
    deck = names(resolve({}).deck)
    assert len(deck) == 54
    counts = {
        letter: sum(name[0] == letter and len(name) == 3 and name[1].isdigit() for name in deck)
        for letter in "GKSBT"
    }
    assert counts == {"G": 14, "K": 11, "S": 11, "B": 8, "T": 5}
    assert [STANDARD[code] for code in ("HUN", "HAB", "LIG")] == [2, 2, 1]


def test_three_cards_each_dealt_alternately_first_player_first() -> None:
    """Rules 2.1; nothing is dealt while a seat is open."""
    deck = tuple(names(resolve({}).deck))
    state = fold(
        INITIAL, decide(INITIAL, None, Create("g", "c", {"first_seat": 1}, SEATS, {"deck": deck}), CHANCE)
    )
    assert names(state.players[1].hand) == [deck[0], deck[2], deck[4]]
    assert names(state.players[0].hand) == [deck[1], deck[3], deck[5]]
    assert (state.to_act, len(state.deck), state.discard_pile) == (1, 48, ())
    seats = (Seat("human", "ada"), Seat("open"))
    waiting = fold(INITIAL, decide(INITIAL, None, Create("g", "c", {}, seats), CHANCE))
    assert waiting.deck == ()
    when(waiting, type="exchange").fails("game-not-started")


def test_play_starts_a_column_in_the_lowest_free_slot() -> None:
    """Rules 3."""
    state = table(side(hand="K4d G5n HUN", columns={1: "B4d", 3: "S6n"}))
    after = when(state, type="play", card="K4d", slot=None).then("seat 0 plays K4d to column 2")
    assert (after.phase, after.to_act) == (DISCARD, 0)


def test_columns_that_cannot_be_played_to() -> None:
    """Rules 3 and 4: a fifth one, one that is not there; nor can a card be played that is not held."""
    state = table(side(hand="K4d", columns={1: "B4d", 2: "S6n", 3: "G5d", 4: "T1d"}))
    when(state, type="play", card="K4d", slot=None).fails("illegal-move", "3")
    when(state, type="play", card="K4d", slot=2).fails("illegal-move", "5")
    assert legal(state, "play") == []
    state = table(side(hand="K4d", columns={1: "B4d"}))
    when(state, type="play", card="K4d", slot=2).fails("illegal-move", "3")
    when(state, type="abandon", slot=4).fails("illegal-move", "3")
    when(state, type="play", card="K3d", slot=None).fails("illegal-move", "4")


def test_a_species_in_the_own_arrival_zone_cannot_be_played() -> None:
    """Rules 4.1; the opponent's zone does not matter."""
    state = table(side(hand="K2d", arrivals={"black_kite": "K4d K4d K3d K3d"}))
    when(state, type="play", card="K2d", slot=None).fails("illegal-move", "4.1")
    other = table(side(hand="K2d"), side(arrivals={"black_kite": "K4d K4d K3d K3d"}))
    when(other, type="play", card="K2d", slot=None).happens()


def test_an_action_is_followed_by_a_discard_and_drawing() -> None:
    """Rules 4: nothing else may come between; after a play two cards are drawn, in a request of its own or the same."""
    state = table(side(hand="K4d G5n HUN"), top="S1n S3n")
    when(state, type="discard", card="HUN").fails("illegal-move", "4")
    when(state, type="play", card="K4d", slot=None, discard="K4d").fails("illegal-move", "R17")
    when(state, type="play", card="K4d", slot=None, discard="HUN").then(
        "seat 0 plays K4d to column 1", "seat 0 discards HUN", "seat 0 draws S1n S3n"
    )
    played = when(state, type="play", card="K4d", slot=None).happens()
    when(played, type="exchange").fails("illegal-move", "4")
    assert legal(played) == [{"type": "discard", "card": "G5n"}, {"type": "discard", "card": "HUN"}]
    after = when(played, type="discard", card="HUN").then("seat 0 discards HUN", "seat 0 draws S1n S3n")
    assert (after.to_act, after.phase, after.turn) == (1, ACTION, 2)


def test_after_move_cards_and_danger_one_card_is_drawn() -> None:
    """Rules 4."""
    state = table(side(hand="HUN G5n B1d", columns={1: "G5d", 2: "G4d"}), side(columns={1: "K4d"}), top="S1n")
    when(state, type="move_cards", from_=2, index=0, to=1, discard="HUN").then(
        "seat 0 moves column 2 from card 1 on to column 1", "seat 0 discards HUN", "seat 0 draws S1n"
    )
    when(state, type="danger", card="HUN", target={"slot": 1}, discard="K4d").then(
        "seat 0 plays HUN and takes K4d from column 1", "seat 0 discards K4d", "seat 0 draws S1n"
    )


def test_exchange_and_abandon_end_the_turn() -> None:
    """Rules 4: the hand is discarded and three cards drawn; or one whole own column is shown, and nothing else."""
    state = table(side(hand="K4d G5n", columns={2: "G5d S1n"}), top="S1n S3n T1d")
    after = when(state, type="exchange").then("seat 0 exchanges K4d G5n", "seat 0 draws S1n S3n T1d")
    assert after.to_act == 1
    assert names(after.discard_pile) == ["K4d", "G5n"]
    after = when(state, type="abandon", slot=2).then("seat 0 abandons G5d S1n of column 2")
    assert (after.to_act, len(after.players[0].hand)) == (1, 2)


def test_not_your_turn() -> None:
    """The other seat can only resign."""
    state = table(side(hand="K4d"), side(hand="K3d"))
    when(state, seat=1, type="play", card="K3d", slot=None).fails("not-your-turn")
    when(state, seat=1, type="resign").then("seat 1 resigns", "the game ends (resigned): seat 0 wins, 0 : 0")


# --- move_cards -----------------------------------------------------------------------------------------------------


def test_digital_moves_any_card_with_all_below_it() -> None:
    """Rules 4.2 digital: to a column that is possible then; a split leaves a card behind and needs a free slot."""
    state = table(side(hand="HUN", columns={1: "G5d G4d G3d", 3: "G5d"}))
    after = when(state, type="move_cards", from_=1, index=1, to=3).happens()
    assert [names(c) for c in after.players[0].columns] == [["G5d"], [], ["G5d", "G4d", "G3d"], []]
    after = when(state, type="move_cards", from_=1, index=2, to=None).happens()
    assert names(after.players[0].columns[1]) == ["G3d"]
    for index, to in ((0, None), (3, None), (1, 1)):
        when(state, type="move_cards", from_=1, index=index, to=to).fails("illegal-move", "4.2")
    full = table(side(hand="HUN", columns={1: "G5d G4d", 2: "S6n", 3: "S6n", 4: "K4d"}))
    when(full, type="move_cards", from_=1, index=1, to=None).fails("illegal-move", "3")
    rising = table(side(hand="HUN", columns={1: "G3d", 2: "G5d"}))
    when(rising, type="move_cards", from_=2, index=0, to=1).fails("illegal-move", "5")
    when(rising, type="move_cards", from_=1, index=0, to=2).happens()


def test_opla_joins_whole_columns_only() -> None:
    """Rules 4.2 opla: split in two at any place, or the whole of one below the other."""
    mine = side(hand="HUN", columns={1: "G5d G4d", 2: "G3d G3d"})
    state = table(mine, rules="opla")
    when(state, type="move_cards", from_=2, index=1, to=1).fails("illegal-move", "4.2")
    when(state, type="move_cards", from_=2, index=0, to=1).happens()
    when(state, type="move_cards", from_=1, index=1, to=None).happens()
    when(table(mine), type="move_cards", from_=2, index=1, to=1).happens()


def test_the_column_that_cards_leave_is_never_checked() -> None:
    """Rules 4.2: three night teals' column that shrinks to two lies as before."""
    state = table(side(hand="HUN", columns={1: "T4n T2n G3n", 2: "G5d"}))
    after = when(state, type="move_cards", from_=1, index=2, to=2).happens()
    assert [names(column) for column in after.players[0].columns[:2]] == [["T4n", "T2n"], ["G5d", "G3n"]]
    assert after.players[0].landed == 0


# --- danger ---------------------------------------------------------------------------------------------------------


def test_each_danger_takes_its_phase() -> None:
    """Rules 4.3: hunter day, light pollution night, habitat destruction either."""
    other = side(columns={1: "K4d", 2: "S6n"})
    for danger, targets in (("HUN", [1]), ("LIG", [2]), ("HAB", [1, 2])):
        state = table(side(hand=danger), other)
        assert legal(state, "danger") == [
            {"type": "danger", "card": danger, "target": {"slot": s}} for s in targets
        ]
        for slot in {1, 2} - set(targets):
            when(state, type="danger", card=danger, target={"slot": slot}).fails("illegal-move", "4.3")


def test_only_the_bottom_card_of_a_column_is_taken() -> None:
    """Rules 4.3; a column never arrives by losing a card: face-down ones of three that become two are not checked."""
    state = table(side(hand="HUN LIG"), side(columns={1: "K4d K3d", 2: "T4n T2n G3n"}))
    after = when(state, type="danger", card="HUN", target={"slot": 1}).happens()
    assert names(after.players[1].columns[0]) == ["K4d"]
    assert names(after.players[0].hand) == ["LIG", "K3d"]
    assert names(after.discard_pile) == ["HUN"]
    after = when(state, type="danger", card="LIG", target={"slot": 2}).happens()
    assert names(after.players[1].columns[1]) == ["T4n", "T2n"]


def test_only_a_pile_of_more_than_one_card_can_be_robbed_and_the_victims_score_may_rise() -> None:
    """Rules 4.3: cards in piles keep their phase although they lie face up."""
    state = table(side(hand="LIG HUN"), side(arrivals={"teal": "T5d T4n", "stilt": "S6n"}))
    when(state, type="danger", card="HUN", target={"pile": "teal"}).fails("illegal-move", "4.3")
    when(state, type="danger", card="LIG", target={"pile": "stilt"}).fails("illegal-move", "4.3")
    after = when(state, type="danger", card="LIG", target={"pile": "teal"}).happens()
    assert names(after.players[1].arrivals[4]) == ["T5d"]


def test_without_a_target_a_danger_cannot_be_played() -> None:
    """Rules 4.3."""
    state = table(side(hand="HUN HAB LIG"))
    assert legal(state, "danger") == []
    when(state, type="danger", card="HUN", target={"slot": 1}).fails("illegal-move", "4.3")


def test_a_discard_cannot_guess_at_a_stolen_face_down_card() -> None:
    """Rules 4: the stolen card is first seen in hand; a right guess is refused like a wrong one."""
    state = table(side(hand="LIG K4d"), side(columns={1: "S6n"}))
    steal: Json = {"type": "danger", "card": "LIG", "target": {"slot": 1}}
    right, wrong = (
        when(state, **steal, discard=card).fails("illegal-move", "R17") for card in ("S6n", "S1n")
    )
    assert right.detail == wrong.detail
    when(state, **steal, discard="K4d").happens()
