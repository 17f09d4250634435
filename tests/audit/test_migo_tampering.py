"""Changed files of Migo for every check, each found by exactly that check, with two, three and four seats.

All but the first few are sealed anew and signed with the engine's own key, as whoever runs the engine could. What is
bent while a game is played (`test_migo_forgeries`) is harder to find: there everything after it fits as well.
"""

from collections.abc import Callable

import pytest

from domain.chance import commitment_of
from domain.lifecycle import Json
from domain.migo.game import MIGO
from domain.migo.rules.layouts import LARGE, LAYOUTS, layout_of
from events.audit.findings import CHECKS
from events.audit.verify import verify
from tests.audit.games import TRUSTED, parsed
from tests.audit.migo_games import FINISHED, played
from tests.audit.tamper import (
    Forge,
    Forgeries,
    Parts,
    add,
    begun_anew,
    bot_for_time,
    bot_instead,
    parts,
    replaced,
    ruled,
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


# --- the lines and the chain ------------------------------------------------------------------------------------------


@CASES.case("header", "prepared rounds hidden when the game is over", "prepared 2", sealed=False)
def _(export: Parts) -> None:
    first = export.events[0]
    first["data"]["rounds"], first["redacted"] = None, ["rounds"]
    del first["salt"]


@CASES.case("sequence", "two takes in each other's place", "3", sealed=False)
def _(export: Parts) -> None:
    first, second = [at for at, event in enumerate(export.events) if event["type"] == "card_taken"][:2]
    export.events[first], export.events[second] = export.events[second], export.events[first]


@CASES.case("end", "another client seed at the end", "4", sealed=False)
def _(export: Parts) -> None:
    export.end["client_seeds"][0] = "what ada would rather have had"


@CASES.case("signature", "changed and sealed anew, without the key", *ALL)
def _(export: Parts) -> Parts:
    export.events[-1]["at"] = "2026-11-21T10:00:01.000Z"
    return export.reseal()


@CASES.case("redacted", "cut off, hiding a layout, which is public", "3", sealed=False)
def _(export: Parts) -> None:
    at = export.at("round_started")
    del export.events[at + 1 :]
    last = export.events[-1]
    del last["salt"]
    last["data"]["boxed"], last["redacted"] = None, ["boxed"]
    export.unsigned().header["complete"] = False
    export.end |= {"version": len(export.events), "head": last["head"], "server_seed": None, "result": None}


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

    def order(told: Json) -> None:
        told["cards"][0], told["cards"][1] = told["cards"][1], told["cards"][0]

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
        (ALL, "the cards in another order", order),
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


@CASES.case("shuffles", "another first round than was prepared", "prepared 2", "prepared 4")
def _(export: Parts) -> None:
    cards = rounds_of(export)[0]["cards"]
    cards[0], cards[1] = cards[1], cards[0]


@CASES.case("shuffles", "another second round than was prepared", "prepared 2", "prepared 4")
def _(export: Parts) -> None:
    prepared = export.events[0]["data"]["rounds"]
    prepared[1][0], prepared[1][1] = prepared[1][1], prepared[1][0]


CASES.rows(
    "shuffles",
    (ALL, "a start that is a seat's", lambda e: e.first("game_started").update(seat=0)),
    (ALL, "a round that is a seat's", lambda e: e.first("round_started").update(seat=0)),
    (ALL, "a round of a schema that nobody knows", lambda e: e.last("round_started").update(schema=2)),
)
CASES.rows(
    "rules",
    (ALL, "a game that never starts", lambda e: e.drop("game_started")),
    (ALL, "a round that is never laid out", lambda e: e.drop("round_started")),
    (ALL, "a card that does not lie there", lambda e: e.data("card_taken").update(place=24)),
    (
        ALL,
        "a set-up that was none",
        lambda e: e.events[0]["data"].update(setup=not e.events[0]["data"]["setup"]),
    ),
)

CASES.rows("shuffles", (ALL, "a game begun anew until the rounds were to somebody's liking", begun_anew))


@CASES.case("shuffles", "prepared rounds that are not told", "prepared 2", "prepared 4")
def _(export: Parts) -> None:
    export.events[0]["data"] |= {"setup": False, "rounds": None}


@CASES.case("shuffles", "one prepared round more, in the place of a shuffle", "2")
def _(export: Parts) -> None:
    """As if the operator had prepared what the seeds did not give."""
    export.events[0]["data"] |= {"setup": True, "rounds": [laid(seats=2)]}


# --- rules ------------------------------------------------------------------------------------------------------------


@CASES.case("rules", "a place that is no number", "2", "4")
def _(export: Parts) -> None:
    export.data("card_taken")["place"] = float(export.data("card_taken")["place"])


@CASES.case("rules", "one seat less", "3", "4")
def _(export: Parts) -> None:
    del export.events[0]["data"]["seats"][1]
    export.end["client_seeds"].pop()


@CASES.case("rules", "a drink that is not told", *ALL)
def _(export: Parts) -> None:
    """The one who drank then seems to move when it is not her turn."""
    export.drop("bottle_drunk")


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
    following = next(event for event in export.events[at:] if event["type"] == "card_taken")
    following["seat"] = 1


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


@CASES.case("result", "another result in the last line alone", *ALL, sealed=False)
def _(export: Parts) -> None:
    export.end["result"]["scores"][0] += 1


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


@CASES.case("clocks", "time that is up in a game without a clock", *ALL)
def _(export: Parts) -> None:
    before = export.first("card_taken")
    timed_out = {"type": "turn_timed_out", "data": {"deadline": before["at"], "when_up": "bot"}}
    export.events.insert(export.events.index(before), {**before, "schema": 1, **timed_out})


# --- what one line changes

CASES.rows(
    "bots",
    (
        "bots",
        "fewer iterations than were done",
        lambda e: e.chosen("budget").update(budget={"iterations": 0}),
    ),
    (
        "bots",
        "more iterations than the bot ever does",
        lambda e: e.chosen("budget").update(budget={"iterations": 10**9}),
    ),
)

CASES.rows(
    "clocks",
    (
        ALL,
        "a bot that moves for time that is up, in a game without a clock",
        lambda e: bot_for_time(e, "card_taken", MIGO.bot("greedy").version),
    ),
)

CASES.rows(
    "format", ("2", "a line that is no JSON", lambda e: replaced(e, b'"redacted":[],', b'"redacted":[,'))
)

CASES.rows("format", ("4", "a member too many", lambda e: e.events[4].update(note="harmless")), sealed=False)

CASES.rows("canonical", ("3", "a space", lambda e: replaced(e, b'"schema":1', b'"schema": 1')))

CASES.rows(
    "header",
    (ALL, "another game than the events are of", lambda e: e.header.update(game="migrato")),
    ("2", "a deck, which Migo has not", lambda e: e.header.update(deck=["T1d"])),
    ("4", "other options", lambda e: e.header["rules"].update(round4_layout="pyramid")),
    sealed=False,
)

CASES.rows("sequence", (ALL, "a take left out", lambda e: e.drop("card_taken")), sealed=False)

CASES.rows(
    "commitments",
    (ALL, "another place", lambda e: add(e.data("card_taken"), place=1)),
    ("2", "another layout", lambda e: rounds_of(e)[1]["cards"].reverse()),
    sealed=False,
)

CASES.rows("chain", ("4", "another head", lambda e: e.events[5].update(head="00" * 32)), sealed=False)

CASES.rows(
    "end",
    ("2", "a client seed for a seat that is not there", lambda e: e.end["client_seeds"].append(None)),
    sealed=False,
)

CASES.rows(
    "seed",
    ("3", "another seed than was committed to", lambda e: e.end.update(server_seed="ab" * 32)),
    ("2", "another commitment", lambda e: e.events[0]["data"].update(commitment=commitment_of(bytes(32)))),
)

CASES.rows(
    "salts", ("4", "salts that were chosen", lambda e: e.reseal(salt=lambda version: bytes(32)).sign())
)

CASES.rows(
    "rules",
    ("prepared 4", "prepared rounds that no layout has", lambda e: e.events[0]["data"]["rounds"][1].pop()),
    ("3", "a move that nobody knows", lambda e: e.first("card_taken").update(type="card_eaten")),
    ("3", "a schema that nobody knows", lambda e: e.first("card_taken").update(schema=2)),
    (
        ALL,
        "a seat that is not there",
        lambda e: e.first("card_taken").update(seat=len(e.end["client_seeds"])),
    ),
    ("4", "five seats", lambda e: e.events[0]["data"]["seats"].append(e.events[0]["data"]["seats"][0])),
    (ALL, "a token that is not given", lambda e: e.drop("bottle_gained")),
    (ALL, "a sherpa that is kept", lambda e: e.drop("sherpa_dismissed")),
    (
        ALL,
        "two times in one move",
        lambda e: e.first("sherpa_dismissed").update(at="2026-11-21T10:00:01.000Z"),
    ),
    (ALL, "a round that ends without being told", lambda e: e.drop("round_ended")),
    (ALL, "a take more after the end", lambda e: e.events.insert(-1, dict(e.first("card_taken")))),
    (("3", "4"), "a resignation that is not told", lambda e: e.drop("player_resigned")),
    ("bots", "a token for a seat that nobody has", lambda e: e.first("seat_token_reissued").update(seat=0)),
    ("limit", "a later turn limit than was played to", lambda e: ruled(e, turn_limit=12)),
    (
        "prepared 2",
        "prepared rounds that are said to be shuffled",
        lambda e: e.data("game_created").update(setup=False),
    ),
    (
        "prepared 2",
        "prepared rounds that are no rounds",
        lambda e: e.data("game_created").update(rounds=[[1, 2], 3]),
    ),
    (
        ("3", "4"),
        "a seat that resigns twice",
        lambda e: e.events.insert(e.at("player_resigned"), dict(e.first("player_resigned"))),
    ),
)

CASES.rows("shuffles", ("2", "the large layouts, for two", lambda e: ruled(e, layout_size="large")))

CASES.rows(
    "result",
    (ALL, "another confirmation", lambda e: e.last("game_scored")["data"]["places"].reverse()),
    ("limit", "an earlier turn limit than was played to", lambda e: ruled(e, turn_limit=10)),
)

CASES.rows(
    "result",
    (ALL, "another winner in the last line alone", lambda e: e.end["result"].update(winner=None)),
    sealed=False,
)

CASES.rows(
    "bot-seeds",
    ("bots", "a seed that was chosen", lambda e: e.data("move_chosen").update(seed="0123456789abcdef")),
    ("bots", "a bot's move without saying so", lambda e: e.drop("move_chosen")),
    ("bots", "another bot than has the seat", lambda e: e.data("move_chosen").update(bot="maxn")),
    ("2", "a bot that moves for a person", lambda e: bot_instead(e, "card_taken")),
    (
        "bots",
        "a move in a remote bot's place without a known reason",
        lambda e: e.chosen("fallback").update(fallback="bored"),
    ),
    (
        "bots",
        "a hint with a seed that was chosen",
        lambda e: e.last("hint_given")["data"].update(seed="0" * 16),
    ),
)


# --- they are found ---------------------------------------------------------------------------------------------------


def test_changes_are_found_by_their_checks(subtests: pytest.Subtests) -> None:
    for check, game, what, forged in CASES.cases:
        with subtests.test(f"{what} ({game})"):
            found = verify(parsed(forged(parts(played(game)))), trusted=TRUSTED, bots=check == "bots")
            assert found.wrong is not None
            assert found.wrong.check == check, found.wrong.document
            assert (found.passed, found.complete) == (False, False)
    assert {check for check, *_ in CASES.cases} == set(CHECKS)


def test_unchanged_games_pass(subtests: pytest.Subtests) -> None:
    """With bots asked again where there are any."""
    for game in FINISHED:
        with subtests.test(game):
            report = verify(parsed(played(game)), trusted=TRUSTED, bots=game == "bots")
            assert report.wrong is None, report.wrong.document
            assert report.complete
