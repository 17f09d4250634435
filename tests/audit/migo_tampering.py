"""Changed files of Migo, each found by the check that must, with two, three and four seats.

All but the first few are sealed anew and signed with the engine's own key. What does not depend on the game is bent in
`test_tampering`. What is bent while a game is played (`test_migo_forgeries`) is harder to find: there everything after
it fits as well.
"""

from collections.abc import Callable

from domain.chance import commitment_of
from domain.lifecycle import Json
from domain.migo.game import MIGO
from domain.migo.rules.layouts import LARGE, LAYOUTS, layout_of
from tests.audit.tamper import (
    Forge,
    Forgeries,
    Parts,
    add,
    begun_anew,
    bot_for_time,
    bot_instead,
    chosen_with,
    conceal,
    ruled,
    twice,
    with_data,
    with_header,
    with_members,
    without,
)
from tests.domain.migo.table import laid

CASES = Forgeries()
ALL = ("2", "3", "4")


def rounds_of(export: Parts) -> list[Json]:
    """All that is told of each round that was laid out."""
    return [event["data"] for event in export.events if event["type"] == "round_started"]


def other_side(name: str) -> str:
    """The other face of a card."""
    return name[:-1] + ("b" if name[-1] == "a" else "a")


def swapped(cards: list[str]) -> None:
    """The first two change their places."""
    cards[0], cards[1] = cards[1], cards[0]


# --- the lines and the chain ------------------------------------------------------------------------------------------


@CASES.case("header", "prepared rounds hidden when the game is over", "prepared 2", sealed=False)
def _(export: Parts) -> None:
    first = export.events[0]
    first["data"]["rounds"], first["redacted"] = None, ["rounds"]
    conceal(first)


@CASES.case("redacted", "cut off, hiding a layout, which is public", "3", sealed=False)
def _(export: Parts) -> None:
    export.former()
    at = export.at("round_started")
    del export.events[at + 1 :]
    last = export.events[-1]
    conceal(last)
    last["data"]["boxed"], last["redacted"] = None, ["boxed"]
    export.unsigned().header["complete"] = False
    export.end |= {"version": len(export.events), "head": last["head"], "server_seed": None, "result": None}


CASES.rows(
    "header",
    (ALL, "another game than the events are of", with_header(game="migrato")),
    ("2", "a deck, which Migo has not", with_header(deck=["T1d"])),
    ("4", "other options", lambda e: e.header["rules"].update(round4_layout="pyramid")),
    sealed=False,
)
CASES.rows("commitments", ("2", "another layout", lambda e: rounds_of(e)[1]["cards"].reverse()), sealed=False)
CASES.rows(
    "end",
    ("2", "a client seed for a seat that is not there", lambda e: e.end["client_seeds"].append(None)),
    sealed=False,
)
CASES.rows(
    "seed", ("2", "another commitment", with_data("game_created", commitment=commitment_of(bytes(32))))
)

# --- chance -----------------------------------------------------------------------------------------------------------


@CASES.case("shuffles", "another client seed than the rounds were shuffled with", *ALL)
def _(export: Parts) -> None:
    export.data("seat_taken")["client_seed"] = "chosen by the operator"
    export.end["client_seeds"][-1] = "chosen by the operator"


@CASES.case("shuffles", "another seat starts than the seeds give", *ALL)
def _(export: Parts) -> None:
    started = export.data("game_started")
    started["first_seat"] = (started["first_seat"] + 1) % len(export.end["client_seeds"])
    export.data("round_started")["starter"] = started["first_seat"]


def _round_cases() -> None:
    """Chance decides these things of a round, and others follow from them: in the first round, and in later ones."""

    def face(told: Json) -> None:
        told["cards"][0] = other_side(told["cards"][0])

    def boxed(told: Json) -> None:
        told["cards"][0], told["boxed"][0] = told["boxed"][0], told["cards"][0]

    def boxed_face(told: Json) -> None:
        told["boxed"][-1] = other_side(told["boxed"][-1])

    def not_turned(told: Json) -> None:
        """The sherpa shows, as it was shuffled."""
        card = told["turned"].pop()
        at = next(at for at, name in enumerate(told["cards"]) if name[:3] == card)
        told["cards"][at] = other_side(told["cards"][at])

    everywhere: list[tuple[str | tuple[str, ...], str, Callable[[Json], object]]] = [
        (ALL, "the cards in another order", lambda told: swapped(told["cards"])),
        (ALL, "a card with its other face", face),
        (ALL, "all cards turned over", lambda told: told.update(cards=[*map(other_side, told["cards"])])),
        (ALL, "a sherpa that is not turned at the start", not_turned),
        (ALL, "a sherpa that is turned without a word", lambda told: told["turned"].pop()),
        (ALL, "a card that is said to be turned", lambda told: told["turned"].append(told["cards"][0][:3])),
        (
            ALL,
            "another layout",
            lambda told: told.update(layout="ropes" if told["layout"] != "ropes" else "pyramid"),
        ),
        (ALL, "another number", lambda told: add(told, round=1)),
        (
            ALL,
            "another starter",
            lambda told: told.update(starter=1 - told["starter"] if told["starter"] < 2 else 0),
        ),
        (ALL, "a card less", lambda told: told["boxed"].append(told["cards"].pop())),
        ("2", "a card of the box", boxed),
        ("2", "the box in another order", lambda told: told["boxed"].reverse()),
        ("2", "a card of the box with its other face", boxed_face),
        ("2", "an empty box", lambda told: told.update(boxed=[])),
    ]
    for at, which in ((0, "the first round"), (1, "the second round")):
        for games, what, bend in everywhere:

            def tamper(export: Parts, at: int = at, bend: Callable[[Json], object] = bend) -> None:
                bend(rounds_of(export)[at])

            CASES.rows("shuffles", (games, f"{which}: {what}", tamper))
    CASES.rows("shuffles", (ALL, "the third round: a card of the box", lambda e: boxed(rounds_of(e)[2])))


_round_cases()


PREPARED = ("prepared 2", "prepared 4")
CASES.rows(
    "shuffles",
    (PREPARED, "another first round than was prepared", lambda e: swapped(rounds_of(e)[0]["cards"])),
    (PREPARED, "another second round than was prepared", lambda e: swapped(e.events[0]["data"]["rounds"][1])),
    (PREPARED, "prepared rounds that are not told", with_data("game_created", setup=False, rounds=None)),
    ("2", "a prepared round for a shuffle", with_data("game_created", setup=True, rounds=[laid(seats=2)])),
    (ALL, "a start that is a seat's", with_members("game_started", seat=0)),
    (ALL, "a round that is a seat's", with_members("round_started", seat=0)),
    (ALL, "a round of a schema that nobody knows", lambda e: e.last("round_started").update(schema=2)),
    (ALL, "a game begun anew until the rounds were to somebody's liking", begun_anew),
    ("2", "the large layouts, for two", lambda e: ruled(e, layout_size="large")),
)


# --- rules ------------------------------------------------------------------------------------------------------------


@CASES.case("rules", "one seat less", "3", "4")
def _(export: Parts) -> None:
    del export.events[0]["data"]["seats"][1]
    export.end["client_seeds"].pop()


@CASES.case("rules", "another side that is up after a flip", *ALL)
def _(export: Parts) -> None:
    flipped = export.data("card_flipped")
    flipped["face"] = "a" if flipped["face"] == "b" else "b"


@CASES.case("rules", "other scores of a round", *ALL)
def _(export: Parts) -> None:
    export.data("round_ended")["scores"][0] += 1


@CASES.case("rules", "another winner of a round", *ALL)
def _(export: Parts) -> None:
    ended = export.data("round_ended")
    ended["winner"] = 0 if ended["winner"] else len(ended["scores"]) - 1


@CASES.case("rules", "a resigned seat's move", "3", "4")
def _(export: Parts) -> None:
    at = export.at("player_resigned")
    next(event for event in export.events[at:] if event["type"] == "card_taken")["seat"] = 1


@CASES.case("rules", "a card table that nobody has", "2", "4")
def _(export: Parts) -> None:
    for options in (export.header["rules"], export.events[0]["data"]["options"]):
        options["card_table"]["E01"]["a"]["count"] = 0


@CASES.case("rules", "another card table than the scores were counted with", *ALL)
def _(export: Parts) -> None:
    for options in (export.header["rules"], export.events[0]["data"]["options"]):
        for card in options["card_table"].values():
            for shown in card.values():
                shown["count"] *= 3


def another_set_up(export: Parts) -> None:
    """One that was none, or none though there was one."""
    created = export.data("game_created")
    created["setup"] = not created["setup"]


def of_no_number(export: Parts) -> None:
    """The place of the first take."""
    taken = export.data("card_taken")
    taken["place"] = float(taken["place"])


CASES.rows(
    "rules",
    (ALL, "a game that never starts", without("game_started")),
    (ALL, "a round that is never laid out", without("round_started")),
    (ALL, "a card that does not lie there", with_data("card_taken", place=24)),
    (("2", "4"), "a place that is no number", of_no_number),
    (ALL, "a drink that is not told", without("bottle_drunk")),
    (ALL, "a set-up that was none", another_set_up),
    ("prepared 4", "prepared rounds that no layout has", lambda e: e.events[0]["data"]["rounds"][1].pop()),
    ("prepared 2", "prepared rounds that are said to be shuffled", with_data("game_created", setup=False)),
    ("prepared 2", "prepared rounds that are no rounds", with_data("game_created", rounds=[[1, 2], 3])),
    ("3", "a move that nobody knows", with_members("card_taken", type="card_eaten")),
    ("3", "a schema that nobody knows", with_members("card_taken", schema=2)),
    (ALL, "a seat that is not there", with_members("card_taken", seat=4)),
    ("4", "five seats", lambda e: e.events[0]["data"]["seats"].append(e.events[0]["data"]["seats"][0])),
    (ALL, "a token that is not given", without("bottle_gained")),
    (ALL, "a sherpa that is kept", without("sherpa_dismissed")),
    (ALL, "two times in one move", with_members("sherpa_dismissed", at="2026-11-21T10:00:01.000Z")),
    (ALL, "a round that ends without being told", without("round_ended")),
    (ALL, "a take more after the end", lambda e: e.events.insert(-1, dict(e.first("card_taken")))),
    (("3", "4"), "a resignation that is not told", without("player_resigned")),
    (("3", "4"), "a seat that resigns twice", twice("player_resigned")),
    ("bots", "a token for a seat that nobody has", with_members("seat_token_reissued", seat=0)),
    ("limit", "a later turn limit than was played to", lambda e: ruled(e, turn_limit=12)),
)

# --- the result -------------------------------------------------------------------------------------------------------


def _results(export: Parts) -> list[Json]:
    return [export.last("game_ended")["data"], export.last("game_scored")["data"], export.end["result"]]


@CASES.case("result", "other places", *ALL, "limit")
def _(export: Parts) -> None:
    """In every place that tells them, and the winner with them."""
    told, confirmed, end = _results(export)
    places = [1 + place % len(told["places"]) for place in told["places"]]
    told["places"], confirmed["places"], end["winner"] = places, places, places.index(1)


@CASES.case("result", "other flags", *ALL, "limit")
def _(export: Parts) -> None:
    export.last("game_ended")["data"]["flags"][0] += 1


@CASES.case("result", "other sums", *ALL, "limit")
def _(export: Parts) -> None:
    for told in (_results(export)[0], export.end["result"]):
        told["scores"][-1] += 1


@CASES.case("result", "another reason", *ALL, "limit")
def _(export: Parts) -> None:
    for told in (_results(export)[0], export.end["result"]):
        told["reason"] = "round_four" if told["reason"] != "round_four" else "two_flags"


CASES.rows(
    "result",
    (ALL, "another confirmation", lambda e: e.last("game_scored")["data"]["places"].reverse()),
    ("limit", "an earlier turn limit than was played to", lambda e: ruled(e, turn_limit=10)),
)
CASES.rows(
    "result",
    (ALL, "another result in the last line alone", lambda e: e.end["result"].update(reason="resigned")),
    (ALL, "another winner in the last line alone", lambda e: e.end["result"].update(winner=None)),
    sealed=False,
)

# --- forks ------------------------------------------------------------------------------------------------------------


def _position(bend: Callable[[Json], None]) -> Forge:
    return lambda export: bend(export.data("position_set"))


def _card_twice(told: Json) -> None:
    told["discarded"].append(next(name for name in told["table"] if name is not None))


def _floating(told: Json) -> None:
    """A card that another one lies over is gone to the discarded: rounds are dug from the end."""
    layout = layout_of(LAYOUTS[told["round"] - 1], LARGE)
    lying = [name is not None for name in told["table"]]
    covered = next(at for at, over in enumerate(layout.covers) if lying[at] and any(lying[on] for on in over))
    told["discarded"].append(told["table"][covered])
    told["table"][covered] = None
    told["turn"] += 1


POSITIONS: dict[str, Callable[[Json], None]] = {
    "a card twice": _card_twice,
    "a covered card that was taken": _floating,
    "a flag too many": lambda told: told["players"][0].update(flags=told["players"][0]["flags"] + 1),
    "a token too many": lambda told: told["players"][0].update(bottles={"full": 4, "empty": 0}),
    "a turn that was not": lambda told: told.update(turn=told["turn"] + 1),
    "a round that is not": lambda told: told.update(round=9),
    "a member too many": lambda told: told.update(more=1),
    "a seat that is not there to act": lambda told: told.update(to_act=3),
    "a round prepared that no layout has": lambda told: told.update(prepared=[["E01a"]]),
}
for named, bent in POSITIONS.items():
    CASES.case("position", f"a fork with {named}", "fork")(_position(bent))


# --- bots -------------------------------------------------------------------------------------------------------------

CASES.rows(
    "bots", ("bots", "fewer iterations than were done", chosen_with("budget", budget={"iterations": 0}))
)
CASES.rows(
    "clocks",
    (ALL, "a bot for time that is up", lambda e: bot_for_time(e, "card_taken", MIGO.bot("greedy").version)),
)
CASES.rows("bot-seeds", ("2", "a bot that moves for a person", lambda e: bot_instead(e, "card_taken")))
