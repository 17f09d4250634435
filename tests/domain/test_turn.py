"""Rules 2 to 8 in words: which rule refuses a move, and which events follow one; the model tells whether it is so."""

from domain.lifecycle import Create, Json, Seat
from domain.migrato.rules.cards import SPECIES_IDS, names
from domain.migrato.rules.columns import could_have_arrived
from domain.migrato.rules.decide import decide
from domain.migrato.rules.options import resolve
from domain.migrato.rules.state import DISCARD, INITIAL, OVER, Player, State, fold, scores
from tests.domain.table import CHANCE, SEATS, cards, legal, side, table, when

ALMOST = {"brant_goose": "G5d G4d G4d G3d G3d", "stilt": "S6n S6n S6n S6n", "bee_eater": "B4d B4d B3d"}
KITES = side(arrivals={"black_kite": "K4d K4d K4d K3d"})


def test_three_cards_each_dealt_alternately_first_player_first() -> None:
    """Rules 2.1; nothing is dealt while a seat is open."""
    deck = tuple(names(resolve({}).deck))
    state = fold(
        INITIAL, decide(INITIAL, None, Create("g", "c", {"first_seat": 1}, SEATS, {"deck": deck}), CHANCE)
    )
    assert names(state.players[1].hand) == [deck[0], deck[2], deck[4]]
    assert names(state.players[0].hand) == [deck[1], deck[3], deck[5]]
    seats = (Seat("human", "ada"), Seat("open"))
    waiting = fold(INITIAL, decide(INITIAL, None, Create("g", "c", {}, seats), CHANCE))
    assert waiting.deck == ()
    when(waiting, type="exchange").fails("game-not-started")


def play(card: str, slot: int | None = None, **more: object) -> Json:
    """A bird to a column, or as a new one."""
    return {"type": "play", "card": card, "slot": slot, **more}


def move(source: int, index: int, to: int | None, **more: object) -> Json:
    """Cards to another column, or as a new one."""
    return {"type": "move_cards", "from_": source, "index": index, "to": to, **more}


def danger(card: str, **target: object) -> Json:
    """A danger on a column or a pile."""
    return {"type": "danger", "card": card, "target": target}


FULL = side("K4d HUN", {1: "B4d", 2: "S6n", 3: "G5d G4d", 4: "T1d"})
GEESE = side("HUN", {1: "G5d G4d G3d", 3: "G5d"})
ROBBED = side(columns={1: "K4d", 2: "S6n"}, arrivals={"teal": "T5d T4n", "stilt": "S6n"})
OPLA, FLYING = {"rules": "opla"}, {"return_flight": True}
REFUSED: dict[str, tuple[tuple[Player, Player, Json, tuple[Json, ...]], ...]] = {
    "3": (
        (FULL, side(), {}, (play("K4d"), move(3, 1, None))),
        (side("K4d", {1: "B4d"}), side(), {}, (play("K4d", 2), {"type": "abandon", "slot": 4})),
    ),
    "4": ((side("K4d G5n"), side(), {}, (play("K3d"), {"type": "discard", "card": "G5n"})),),
    "4.1": ((side("K2d", arrivals={"black_kite": "K4d K4d K3d K3d"}), side(), {}, (play("K2d"),)),),
    "4.2": (
        (GEESE, side(), {}, (move(1, 0, None), move(1, 3, None), move(1, 1, 1))),
        (side("HUN", {1: "G5d G4d", 2: "G3d G3d"}), side(), OPLA, (move(2, 1, 1),)),
    ),
    "4.3": (
        (side("HUN HAB LIG"), side(), {}, (danger("HUN", slot=1),)),
        (side("HUN HAB LIG"), ROBBED, {}, (danger("HUN", slot=2), danger("LIG", slot=1))),
        (side("HUN HAB LIG"), ROBBED, {}, (danger("HUN", pile="teal"), danger("LIG", pile="stilt"))),
    ),
    "5": (
        (FULL, side(), {}, (play("K4d", 2),)),
        (side("HUN", {1: "G3d", 2: "G5d"}), side(), {}, (move(2, 0, 1),)),
    ),
    "6": ((side("HUN", {1: "S6n S3n T4n T2n"}), side(), {}, (move(1, 2, None, uncover=True),)),),
    "8": (
        (side("T4n", {1: "T5d"}), side(flights=("teal",)), FLYING, (play("T4n", 1, on_arrival="return"),)),
    ),
    "R2": ((side("K4d"), side(), {}, ({"type": "pass"},)),),
    "R15": ((side(columns={1: "G5d"}), side(), {}, ({"type": "exchange"},)),),
    "R17": ((side("K4d G5n HUN"), side(), {}, (play("K4d", discard="K4d"),)),),
}


def test_a_refusal_names_its_rule() -> None:
    for rule, rows in REFUSED.items():
        for mine, other, options, documents in rows:
            for document in documents:
                when(table(mine, other, **options), **document).fails("illegal-move", rule)


def test_an_action_is_followed_by_a_discard_and_drawing() -> None:
    """Rules 4: nothing else may come between; after a play two cards are drawn, in a request of its own or the same."""
    state = table(side(hand="K4d G5n HUN"), top="S1n S3n")
    drawn = ("seat 0 discards HUN", "seat 0 draws S1n S3n")
    when(state, **play("K4d", discard="HUN")).then("seat 0 plays K4d to column 1", *drawn)
    played = when(state, **play("K4d")).happens()
    assert played.phase is DISCARD
    when(played, type="exchange").fails("illegal-move", "4")
    assert legal(played) == [{"type": "discard", "card": "G5n"}, {"type": "discard", "card": "HUN"}]
    when(played, type="discard", card="HUN").then(*drawn)


def test_other_actions_in_words() -> None:
    """Rules 4: after a move of cards or a danger one card is drawn; an exchange and an abandonment end the turn."""
    state = table(side(hand="HUN G5n B1d", columns={1: "G5d", 2: "G4d"}), side(columns={1: "K4d"}), top="S1n")
    when(state, **move(2, 0, 1), discard="HUN").then(
        "seat 0 moves column 2 from card 1 on to column 1", "seat 0 discards HUN", "seat 0 draws S1n"
    )
    when(state, **danger("HUN", slot=1), discard="K4d").then(
        "seat 0 plays HUN and takes K4d from column 1", "seat 0 discards K4d", "seat 0 draws S1n"
    )
    when(state, type="exchange").happens()
    when(state, type="abandon", slot=2).then("seat 0 abandons G4d of column 2")


def test_not_your_turn() -> None:
    """The other seat can only resign."""
    state = table(side(hand="K4d"), side(hand="K3d"))
    when(state, seat=1, **play("K3d")).fails("not-your-turn")
    when(state, seat=1, type="resign").then("seat 1 resigns", "the game ends (resigned): seat 0 wins, 0 : 0")


def test_a_discard_cannot_guess_at_a_stolen_face_down_card() -> None:
    """Rules 4: the stolen card is first seen in hand; a right guess is refused like a wrong one."""
    state = table(side(hand="LIG K4d"), side(columns={1: "S6n"}))
    right, wrong = (
        when(state, **danger("LIG", slot=1), discard=card).fails("illegal-move", "R17")
        for card in ("S6n", "S1n")
    )
    assert right.detail == wrong.detail


def test_an_uncovered_column_that_is_no_flock_goes() -> None:
    """Rules 6: a wrong card among the face-down ones sends the whole column away, and so does one that increases."""
    for column in ("G5d S1n G4n G3n", "G5d G4n G5n G4n"):
        state = table(side(hand="G3d HUN", columns={1: column}))
        when(state, **play("G3d", 1)).then(
            "seat 0 plays G3d to column 1", f"seat 0 uncovers column 1, no flock: {column} G3d"
        )


def test_other_cards_of_the_species_go_with_an_arrival() -> None:
    """Rules 6 opla: every card of it, face-down ones too; digital: those of columns in which it is visible."""
    me = side(hand="T3d HUN", columns={1: "T5d", 2: "G5n T2n S1n", 3: "T1d", 4: "T4n"})
    lands = ("seat 0 plays T3d to column 1", "seat 0 lands teal: T5d T3d")
    when(table(me), **play("T3d", 1)).then(*lands, "seat 0 loses T1d of column 3")
    when(table(me, rules="opla"), **play("T3d", 1)).then(
        *lands, "seat 0 loses T2n of column 2", "seat 0 loses T1d of column 3", "seat 0 loses T4n of column 4"
    )


def last_flock(hand: str, columns: dict[int, str]) -> State:
    """Teals alone are missing."""
    return table(side(hand, columns, ALMOST), KITES)


def test_the_game_ends_at_once_when_every_species_is_in_a_zone() -> None:
    """Rules 7: no discard and no drawing follow; a discard in the same request is ignored."""
    state = last_flock("T4n K2d HUN", {1: "T5d"})
    extras: tuple[Json, ...] = ({}, {"discard": "K2d"})
    for extra in extras:
        after = when(state, **play("T4n", 1, **extra)).then(
            "seat 0 plays T4n to column 1",
            "seat 0 lands teal: T5d T4n",
            "the game ends (all_arrived): seat 0 wins, 16 : 3",
        )
        assert (after.phase, after.to_act, len(after.players[0].hand)) == (OVER, None, 2)
    when(after, type="exchange").fails("game-over")
    when(after, type="resign").fails("game-over")


def test_a_failed_guess_at_the_end_costs_the_guess() -> None:
    """A discard that would be refused cannot tell whether face-down cards end the game."""
    uncover = move(2, 0, 1, uncover=True)
    state = last_flock("K2d HUN", {1: "T4n", 2: "T2n"})
    when(state, **uncover, discard="S1n").fails("illegal-move", "R17")
    when(state, **uncover, discard="K2d").happens()


def test_return_flight_is_offered_for_what_a_column_may_be() -> None:
    """Rules 8, R7: to settle is the default; two face-down cards may be teals, four stilts, five geese or stilts."""
    state = table(side(hand="T4n T3d HUN", columns={1: "T5d"}), return_flight=True)
    after = when(state, **play("T4n", 1, on_arrival="return", discard="HUN")).happens()
    assert (names(after.discard_pile), scores(after)) == (["T5d", "T4n", "HUN"], (1, 0))
    mine = side(columns={1: "S6n S6n", 2: "S3n S3n", 3: "G5n"})
    no_stilts = table(mine._replace(flights=1 << 2), return_flight=True)
    four = [m for m in legal(no_stilts, "move_cards") if (m["from"], m["index"], m["to"]) == (1, 0, 2)]
    assert [(m["uncover"], m.get("on_arrival")) for m in four] == [(False, None), (True, None)]


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
