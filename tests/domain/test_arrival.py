"""Rules 6 to 8: arrival, what goes with it, the end, the score, and Return Flight."""

from domain.lifecycle import Json
from domain.migrato.rules.cards import SPECIES_IDS, names
from domain.migrato.rules.columns import could_have_arrived
from domain.migrato.rules.state import OVER, scores
from tests.domain.table import cards, legal, side, table, when


def test_a_visible_column_arrives_at_its_goal() -> None:
    """Rules 6: the cards become the species' pile, order unchanged, last card on top."""
    state = table(side(hand="B1d HUN HAB", columns={2: "B4d B3d"}))
    after = when(state, type="play", card="B1d", slot=2).then(
        "seat 0 plays B1d to column 2", "seat 0 lands bee eater: B4d B3d B1d"
    )
    assert names(after.players[0].arrivals[3]) == ["B4d", "B3d", "B1d"]
    assert scores(after) == (1, 0)
    assert legal(after, "discard"), "the turn goes on with its discard"


def test_a_column_with_a_day_card_is_turned_up_whole() -> None:
    """Rules 6: a wrong card among the face-down ones sends the whole column away, and so does one that increases."""
    for column in ("G5d S1n G4n G3n", "G5d G4n G5n G4n"):
        state = table(side(hand="G3d HUN", columns={1: column}))
        after = when(state, type="play", card="G3d", slot=1).then(
            "seat 0 plays G3d to column 1", f"seat 0 uncovers column 1, no flock: {column} G3d"
        )
        assert after.players[0].columns[0] == ()


def test_moved_cards_are_checked_where_a_day_card_is_visible() -> None:
    """Rules 6: after `move_cards` too."""
    state = table(side(hand="HUN", columns={1: "K4d K4d", 2: "K3d K2d"}))
    when(state, type="move_cards", from_=2, index=0, to=1).then(
        "seat 0 moves column 2 from card 1 on to column 1", "seat 0 lands black kite: K4d K4d K3d K2d"
    )


def test_a_split_is_never_checked() -> None:
    """Rules 6: a split adds to no column, so nothing can be uncovered by it."""
    state = table(side(hand="HUN", columns={1: "S6n S3n T4n T2n"}))
    when(state, type="move_cards", from_=1, index=2, to=None, uncover=True).fails("illegal-move", "6")
    assert all(not move["uncover"] for move in legal(state, "move_cards"))


def test_five_stilts_are_accepted_after_move_cards() -> None:
    """Rules 6."""
    state = table(side(hand="HUN", columns={1: "S6n S6n S3n", 2: "S3n S1n"}))
    after = when(state, type="move_cards", from_=2, index=0, to=1, uncover=True).then(
        "seat 0 moves column 2 from card 1 on to column 1 and uncovers it",
        "seat 0 lands stilt: S6n S6n S3n S3n S1n",
    )
    assert len(after.players[0].arrivals[2]) == 5


def test_other_cards_of_the_species_go_with_an_arrival() -> None:
    """Rules 6 digital: columns in which it is visible, as a whole; hidden ones stay. Rules 6 opla: every card of it,
    face-down ones too; an emptied column is gone, the rest stays.
    """
    me = side(hand="T3d HUN", columns={1: "T5d", 2: "G5n T2n S1n", 3: "T1d", 4: "T4n"})
    lands = ("seat 0 plays T3d to column 1", "seat 0 lands teal: T5d T3d")
    after = when(table(me), type="play", card="T3d", slot=1).then(*lands, "seat 0 loses T1d of column 3")
    assert [names(c) for c in after.players[0].columns] == [[], ["G5n", "T2n", "S1n"], [], ["T4n"]]
    after = when(table(me, rules="opla"), type="play", card="T3d", slot=1).then(
        *lands, "seat 0 loses T2n of column 2", "seat 0 loses T1d of column 3", "seat 0 loses T4n of column 4"
    )
    assert [names(c) for c in after.players[0].columns] == [[], ["G5n", "S1n"], [], []]


ALMOST = {"brant_goose": "G5d G4d G4d G3d G3d", "stilt": "S6n S6n S6n S6n", "bee_eater": "B4d B4d B3d"}


def test_the_game_ends_at_once_when_every_species_is_in_a_zone() -> None:
    """Rules 7: no discard and no drawing follow; a discard in the same request is ignored."""
    state = table(
        side(hand="T4n K2d HUN", columns={1: "T5d"}, arrivals=ALMOST),
        side(arrivals={"black_kite": "K4d K4d K4d K3d"}),
    )
    extras: tuple[Json, ...] = ({}, {"discard": "K2d"})
    for extra in extras:
        after = when(state, type="play", card="T4n", slot=1, **extra).then(
            "seat 0 plays T4n to column 1",
            "seat 0 lands teal: T5d T4n",
            "the game ends (all_arrived): seat 0 wins, 16 : 3",
        )
        assert (after.phase, after.to_act) == (OVER, None)
        assert len(after.players[0].hand) == 2
    when(after, type="exchange").fails("game-over")
    when(after, type="resign").fails("game-over")


def test_a_failed_guess_at_the_end_costs_the_guess() -> None:
    """A discard that would be refused cannot tell whether face-down cards end the game."""
    hidden = {1: "T4n", 2: "T2n"}
    state = table(
        side(hand="K2d HUN", columns=hidden, arrivals=ALMOST),
        side(arrivals={"black_kite": "K4d K4d K4d K3d"}),
    )
    uncover: Json = {"type": "move_cards", "from_": 2, "index": 0, "to": 1, "uncover": True}
    when(state, **uncover, discard="S1n").fails("illegal-move", "R17")
    when(state, **uncover, discard="K2d").happens()


# --- Return Flight --------------------------------------------------------------------------------------------------


def test_return_flight_takes_the_card_instead_of_a_pile() -> None:
    """Rules 8: the column is discarded, the points count at the end, the species may be flown again; to settle is the
    default. With the card gone, or without the extension, there is no choice.
    """
    mine = side(hand="T4n T3d HUN", columns={1: "T5d"})
    state = table(mine, return_flight=True)
    after = when(state, type="play", card="T4n", slot=1, on_arrival="return", discard="HUN").happens()
    assert names(after.discard_pile) == ["T5d", "T4n", "HUN"]
    assert scores(after) == (1, 0)
    assert after.players[0].landed == 0
    when(after._replace(to_act=0), type="play", card="T3d", slot=None).happens()
    choices: tuple[Json, ...] = ({}, {"on_arrival": "settle"})
    for choice in choices:
        after = when(state, type="play", card="T4n", slot=1, **choice).happens()
        assert names(after.players[0].arrivals[4]) == ["T5d", "T4n"]
    mine = side(hand="T4n", columns={1: "T5d"})
    here = {"type": "play", "card": "T4n", "slot": 1}
    both = [here | {"on_arrival": "settle"}, here | {"on_arrival": "return"}]
    gone = table(mine, side(flights=("teal",)), return_flight=True)
    for state, listed in ((table(mine, return_flight=True), both), (table(mine), [here]), (gone, [here])):
        assert [m for m in legal(state, "play") if m["slot"] == 1] == listed
    when(gone, type="play", card="T4n", slot=1, on_arrival="return").fails("illegal-move", "8")


def test_uncovering_lists_return_for_what_the_column_may_be() -> None:
    """Rules 8, R7: two face-down cards may be teals, four stilts, five geese or stilts."""
    mine = side(columns={1: "S6n S6n", 2: "S3n S3n", 3: "G5n"})
    joins = [m for m in legal(table(mine, return_flight=True), "move_cards") if m["to"] is not None]
    lengths = {2, 4}
    for move in joins:
        length = {1: 2, 2: 2, 3: 1}[move["to"]] + {1: 2, 2: 2, 3: 1}[move["from"]] - move["index"]
        assert (move.get("on_arrival") is not None) <= (move["uncover"] and length in lengths | {5})
    assert sum(m.get("on_arrival") == "return" for m in joins) == sum(m["uncover"] for m in joins) / 2
    no_stilts = table(mine._replace(flights=1 << 2), return_flight=True)
    four = [m for m in legal(no_stilts, "move_cards") if m["from"] == 1 and m["index"] == 0 and m["to"] == 2]
    assert [(m["uncover"], m.get("on_arrival")) for m in four] == [(False, None), (True, None)]


def test_return_flight_points_count_whatever_happens() -> None:
    """Rules 8: goose 3, kite 2, stilt 2, bee-eater 2, teal 1 (reconstructed)."""
    flown = side(flights=("brant_goose", "black_kite", "stilt", "bee_eater", "teal"))
    assert scores(table(flown, return_flight=True)) == (10, 0)


def test_cards_that_may_be_left_of_an_arrival() -> None:
    """As many as arrive together, five stilts also, or fewer; of one species, and falling."""
    may_be = {"brant_goose": ("G5d G4n G4d G3d G3n", "G3d"), "stilt": ("S6n S3n S3n S1n S1n",)}
    may_not = {
        "brant_goose": ("G3d G3d G3d G3d G3d G3d", "G3d G4d", "G5d K4d"),
        "black_kite": ("G5d",),
        "stilt": ("S6n S3n S3n S1n S1n S1n",),
        "bee_eater": ("B4d HUN", "HUN"),
        "teal": ("",),
    }
    for expected, rows in ((True, may_be), (False, may_not)):
        for species, left in [(species, left) for species, columns in rows.items() for left in columns]:
            assert could_have_arrived(SPECIES_IDS.index(species), cards(left)) == expected, left
