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
from events.log.seeds import move_seed
from tests.audit.games import TRUSTED
from tests.audit.migo_games import FINISHED, parsed, played
from tests.audit.tamper import Parts, parts
from tests.domain.migo.table import laid

Tamper = Callable[[Parts], Parts | bytes]
CASES: list[tuple[str, str, str, Tamper]] = []
ALL = ("2", "3", "4")


def case(check: str, what: str, *games: str) -> Callable[[Tamper], Tamper]:
    """Cases: the check that finds it, what is changed in a few words, and the games it is changed in."""

    def enter(tamper: Tamper) -> Tamper:
        CASES.extend((check, game, what, tamper) for game in games)
        return tamper

    return enter


def replaced(export: Parts, old: bytes, new: bytes) -> bytes:
    changed = export.file.replace(old, new, 1)
    assert changed != export.file
    return changed


def rounds_of(export: Parts) -> list[Json]:
    """What is told of every round that was laid out."""
    return [event["data"] for event in export.events if event["type"] == "round_started"]


def other_side(name: str) -> str:
    """The other face of a card."""
    return name[:-1] + ("b" if name[-1] == "a" else "a")


# --- the lines and the chain ------------------------------------------------------------------------------------------


@case("format", "a line that is no JSON", "2")
def case_json(export: Parts) -> bytes:
    return replaced(export, b'"redacted":[],', b'"redacted":[,')


@case("format", "a member too many", "4")
def case_member(export: Parts) -> Parts:
    export.events[4]["note"] = "harmless"
    return export


@case("canonical", "a space", "3")
def case_space(export: Parts) -> bytes:
    return replaced(export, b'"schema":1', b'"schema": 1')


@case("header", "another game than the events are of", *ALL)
def case_other_game(export: Parts) -> Parts:
    export.header["game"] = "migrato"
    return export


@case("header", "a deck, which Migo has not", "2")
def case_deck(export: Parts) -> Parts:
    export.header["deck"] = ["T1d"]
    return export


@case("header", "other options", "4")
def case_options(export: Parts) -> Parts:
    export.header["rules"]["round4_layout"] = "pyramid"
    return export


@case("header", "prepared rounds hidden when the game is over", "prepared 2")
def case_hidden(export: Parts) -> Parts:
    first = export.events[0]
    first["data"]["rounds"], first["redacted"] = None, ["rounds"]
    del first["salt"]
    return export


@case("sequence", "a take left out", *ALL)
def case_left_out(export: Parts) -> Parts:
    export.events.remove(export.first("card_taken"))
    return export


@case("sequence", "two takes in each other's place", "3")
def case_swapped(export: Parts) -> Parts:
    first, second = [at for at, event in enumerate(export.events) if event["type"] == "card_taken"][:2]
    export.events[first], export.events[second] = export.events[second], export.events[first]
    return export


@case("commitments", "another place", *ALL)
def case_place(export: Parts) -> Parts:
    export.first("card_taken")["data"]["place"] += 1
    return export


@case("commitments", "another layout", "2")
def case_layout(export: Parts) -> Parts:
    rounds_of(export)[1]["cards"].reverse()
    return export


@case("chain", "another head", "4")
def case_head(export: Parts) -> Parts:
    export.events[5]["head"] = "00" * 32
    return export


@case("end", "another client seed at the end", "4")
def case_client_seed_at_end(export: Parts) -> Parts:
    export.end["client_seeds"][0] = "what ada would rather have had"
    return export


@case("end", "a client seed for a seat that is not there", "2")
def case_client_seed_more(export: Parts) -> Parts:
    export.end["client_seeds"].append(None)
    return export


@case("signature", "changed and sealed anew, without the key", *ALL)
def case_unsigned(export: Parts) -> Parts:
    export.events[-1]["at"] = "2026-11-21T10:00:01.000Z"
    return export.reseal()


@case("redacted", "cut off, hiding a layout, which is public", "3")
def case_redacted(export: Parts) -> Parts:
    at = export.events.index(export.first("round_started"))
    del export.events[at + 1 :]
    last = export.events[-1]
    del last["salt"]
    last["data"]["boxed"], last["redacted"] = None, ["boxed"]
    export.header |= {"complete": False, "key_id": None, "public_key": None}
    export.end |= {"version": len(export.events), "head": last["head"], "server_seed": None, "result": None}
    export.end["signature"] = None
    return export


# --- chance -----------------------------------------------------------------------------------------------------------


@case("seed", "another seed than was committed to", "3")
def case_seed(export: Parts) -> Parts:
    export.end["server_seed"] = "ab" * 32
    return export.reseal().sign()


@case("seed", "another commitment", "2")
def case_commitment(export: Parts) -> Parts:
    export.events[0]["data"]["commitment"] = commitment_of(bytes(32))
    return export.reseal().sign()


@case("salts", "salts that were chosen", "4")
def case_salts(export: Parts) -> Parts:
    return export.reseal(salt=lambda version: bytes(32)).sign()


@case("shuffles", "a game begun anew until the rounds were to somebody's liking", *ALL)
def case_begun_anew(export: Parts) -> Parts:
    seed = bytes(32)
    export.events[0]["data"]["commitment"] = commitment_of(seed)
    export.end["server_seed"] = seed.hex()
    return export.reseal(seed).sign()


@case("shuffles", "another client seed than the rounds were shuffled with", *ALL)
def case_client_seed(export: Parts) -> Parts:
    export.first("seat_taken")["data"]["client_seed"] = "chosen by the operator"
    export.end["client_seeds"][-1] = "chosen by the operator"
    return export.reseal().sign()


@case("shuffles", "another seat starts than the seeds give", *ALL)
def case_first_seat(export: Parts) -> Parts:
    started = export.first("game_started")["data"]
    started["first_seat"] = (started["first_seat"] + 1) % len(export.end["client_seeds"])
    export.first("round_started")["data"]["starter"] = started["first_seat"]
    return export.reseal().sign()


def _round_cases() -> None:
    """What chance decides of a round, and what follows from it: in the first round, and in later ones."""

    def order(told: Json) -> None:
        told["cards"][0], told["cards"][1] = told["cards"][1], told["cards"][0]

    def face(told: Json) -> None:
        told["cards"][0] = other_side(told["cards"][0])

    def all_faces(told: Json) -> None:
        told["cards"] = [other_side(name) for name in told["cards"]]

    def boxed(told: Json) -> None:
        told["cards"][0], told["boxed"][0] = told["boxed"][0], told["cards"][0]

    def boxed_order(told: Json) -> None:
        told["boxed"].reverse()

    def boxed_face(told: Json) -> None:
        told["boxed"][-1] = other_side(told["boxed"][-1])

    def none_boxed(told: Json) -> None:
        told["boxed"] = []

    def not_turned(told: Json) -> None:
        """The sherpa shows, as it was shuffled."""
        card = told["turned"].pop()
        at = next(at for at, name in enumerate(told["cards"]) if name[:3] == card)
        told["cards"][at] = other_side(told["cards"][at])

    def turned_in_secret(told: Json) -> None:
        told["turned"].pop()

    def turned_too_many(told: Json) -> None:
        told["turned"].append(told["cards"][0][:3])

    def layout(told: Json) -> None:
        told["layout"] = "ropes" if told["layout"] != "ropes" else "pyramid"

    def number(told: Json) -> None:
        told["round"] += 1

    def starter(told: Json) -> None:
        told["starter"] = 1 - told["starter"] if told["starter"] < 2 else 0

    def a_card_less(told: Json) -> None:
        told["boxed"].append(told["cards"].pop())

    everywhere = (
        ("the cards in another order", order, ALL),
        ("a card with its other face", face, ALL),
        ("all cards turned over", all_faces, ALL),
        ("a sherpa that is not turned at the start", not_turned, ALL),
        ("a sherpa that is turned without a word", turned_in_secret, ALL),
        ("a card that is said to be turned", turned_too_many, ALL),
        ("another layout", layout, ALL),
        ("another number", number, ALL),
        ("another starter", starter, ALL),
        ("a card less", a_card_less, ALL),
        ("a card of the box", boxed, ("2",)),
        ("the box in another order", boxed_order, ("2",)),
        ("a card of the box with its other face", boxed_face, ("2",)),
        ("an empty box", none_boxed, ("2",)),
    )
    for at, which in ((0, "the first round"), (1, "the second round")):
        for what, bend, games in everywhere:

            def tamper(export: Parts, at: int = at, bend: Callable[[Json], None] = bend) -> Parts:
                bend(rounds_of(export)[at])
                return export.reseal().sign()

            case("shuffles", f"{which}: {what}", *games)(tamper)

    @case("shuffles", "the third round: a card of the box", *ALL)
    def third(export: Parts) -> Parts:
        boxed(rounds_of(export)[2])
        return export.reseal().sign()


_round_cases()


@case("shuffles", "another first round than was prepared", "prepared 2", "prepared 4")
def case_prepared_first(export: Parts) -> Parts:
    cards = rounds_of(export)[0]["cards"]
    cards[0], cards[1] = cards[1], cards[0]
    return export.reseal().sign()


@case("shuffles", "another second round than was prepared", "prepared 2", "prepared 4")
def case_prepared_second(export: Parts) -> Parts:
    prepared = export.events[0]["data"]["rounds"]
    prepared[1][0], prepared[1][1] = prepared[1][1], prepared[1][0]
    return export.reseal().sign()


@case("shuffles", "one prepared round more, in the place of a shuffle", "2")
def case_prepared_shuffled(export: Parts) -> Parts:
    """As if the operator had prepared what the seeds did not give."""
    export.events[0]["data"] |= {"setup": True, "rounds": [laid(seats=2)]}
    return export.reseal().sign()


@case("rules", "prepared rounds that are said to be shuffled", "prepared 2")
def case_prepared_in_secret(export: Parts) -> Parts:
    export.events[0]["data"]["setup"] = False
    return export.reseal().sign()


@case("shuffles", "prepared rounds that are not told", "prepared 2", "prepared 4")
def case_prepared_not_told(export: Parts) -> Parts:
    export.events[0]["data"] |= {"setup": False, "rounds": None}
    return export.reseal().sign()


@case("rules", "prepared rounds that no layout has", "prepared 4")
def case_prepared_too_few(export: Parts) -> Parts:
    export.events[0]["data"]["rounds"][1].pop()
    return export.reseal().sign()


@case("rules", "prepared rounds that are no rounds", "prepared 2")
def case_prepared_malformed(export: Parts) -> Parts:
    export.events[0]["data"]["rounds"] = [[1, 2], 3]
    return export.reseal().sign()


# --- rules ------------------------------------------------------------------------------------------------------------


@case("rules", "a move that nobody knows", "3")
def case_unknown(export: Parts) -> Parts:
    export.first("card_taken")["type"] = "card_eaten"
    return export.reseal().sign()


@case("rules", "a schema that nobody knows", "3")
def case_schema(export: Parts) -> Parts:
    export.first("card_taken")["schema"] = 2
    return export.reseal().sign()


@case("rules", "a place that is no number", "2", "4")
def case_no_number(export: Parts) -> Parts:
    export.first("card_taken")["data"]["place"] = float(export.first("card_taken")["data"]["place"])
    return export.reseal().sign()


@case("rules", "a seat that is not there", *ALL)
def case_no_seat(export: Parts) -> Parts:
    export.first("card_taken")["seat"] = len(export.end["client_seeds"])
    return export.reseal().sign()


@case("rules", "one seat less", "3", "4")
def case_seat_less(export: Parts) -> Parts:
    del export.events[0]["data"]["seats"][1]
    export.end["client_seeds"].pop()
    return export.reseal().sign()


@case("rules", "five seats", "4")
def case_five_seats(export: Parts) -> Parts:
    export.events[0]["data"]["seats"].append(export.events[0]["data"]["seats"][0])
    return export.reseal().sign()


@case("rules", "a drink that is not told", *ALL)
def case_drink_not_told(export: Parts) -> Parts:
    """The one who drank then seems to move when it is not her turn."""
    export.events.remove(export.first("bottle_drunk"))
    return export.reseal().sign()


@case("rules", "a token that is not given", *ALL)
def case_no_token(export: Parts) -> Parts:
    export.events.remove(export.first("bottle_gained"))
    return export.reseal().sign()


@case("rules", "a sherpa that is kept", *ALL)
def case_sherpa_kept(export: Parts) -> Parts:
    export.events.remove(export.first("sherpa_dismissed"))
    return export.reseal().sign()


@case("rules", "another side that is up after a flip", *ALL)
def case_flip(export: Parts) -> Parts:
    flipped = export.first("card_flipped")["data"]
    flipped["face"] = "a" if flipped["face"] == "b" else "b"
    return export.reseal().sign()


@case("rules", "two times in one move", *ALL)
def case_times(export: Parts) -> Parts:
    export.first("sherpa_dismissed")["at"] = "2026-11-21T10:00:01.000Z"
    return export.reseal().sign()


@case("rules", "other scores of a round", *ALL)
def case_scores(export: Parts) -> Parts:
    export.first("round_ended")["data"]["scores"][0] += 1
    return export.reseal().sign()


@case("rules", "another winner of a round", *ALL)
def case_round_winner(export: Parts) -> Parts:
    ended = export.first("round_ended")["data"]
    ended["winner"] = 0 if ended["winner"] else len(ended["scores"]) - 1
    return export.reseal().sign()


@case("rules", "a round that ends without being told", *ALL)
def case_no_end(export: Parts) -> Parts:
    export.events.remove(export.first("round_ended"))
    return export.reseal().sign()


@case("rules", "a take more after the end", *ALL)
def case_after_end(export: Parts) -> Parts:
    export.events.insert(-1, dict(export.first("card_taken")))
    return export.reseal().sign()


@case("rules", "a resigned seat's move", "3", "4")
def case_resigned_moves(export: Parts) -> Parts:
    at = export.events.index(export.first("player_resigned"))
    following = next(event for event in export.events[at:] if event["type"] == "card_taken")
    following["seat"] = 1
    return export.reseal().sign()


@case("rules", "a seat that resigns twice", "3", "4")
def case_resigns_twice(export: Parts) -> Parts:
    resigned = export.first("player_resigned")
    export.events.insert(export.events.index(resigned) + 1, dict(resigned))
    return export.reseal().sign()


@case("rules", "a resignation that is not told", "3", "4")
def case_resigned_not_told(export: Parts) -> Parts:
    export.events.remove(export.first("player_resigned"))
    return export.reseal().sign()


@case("rules", "a card table that nobody has", "2", "4")
def case_card_table(export: Parts) -> Parts:
    for options in (export.header["rules"], export.events[0]["data"]["options"]):
        options["card_table"]["E01"]["a"]["count"] = 0
    return export.reseal().sign()


@case("rules", "another card table than the scores were counted with", *ALL)
def case_other_card_table(export: Parts) -> Parts:
    for options in (export.header["rules"], export.events[0]["data"]["options"]):
        for card in options["card_table"].values():
            for shown in card.values():
                shown["count"] *= 3
    return export.reseal().sign()


@case("shuffles", "the large layouts, for two", "2")
def case_large(export: Parts) -> Parts:
    for options in (export.header["rules"], export.events[0]["data"]["options"]):
        options["layout_size"] = "large"
    return export.reseal().sign()


@case("rules", "a token for a seat that nobody has", "bots")
def case_token(export: Parts) -> Parts:
    export.first("seat_token_reissued")["seat"] = 0
    return export.reseal().sign()


# --- the result -------------------------------------------------------------------------------------------------------


def _results(export: Parts) -> list[Json]:
    return [export.last("game_ended")["data"], export.last("game_scored")["data"], export.end["result"]]


@case("result", "other places", *ALL, "limit")
def case_places(export: Parts) -> Parts:
    """Wherever they are told, and the winner with them."""
    told, confirmed, end = _results(export)
    places = [1 + place % len(told["places"]) for place in told["places"]]
    told["places"], confirmed["places"], end["winner"] = places, places, places.index(1)
    return export.reseal().sign()


@case("result", "other flags", *ALL, "limit")
def case_flags(export: Parts) -> Parts:
    export.last("game_ended")["data"]["flags"][0] += 1
    return export.reseal().sign()


@case("result", "other sums", *ALL, "limit")
def case_sums(export: Parts) -> Parts:
    for told in (_results(export)[0], export.end["result"]):
        told["scores"][-1] += 1
    return export.reseal().sign()


@case("result", "another reason", *ALL, "limit")
def case_reason(export: Parts) -> Parts:
    for told in (_results(export)[0], export.end["result"]):
        told["reason"] = "round_four" if told["reason"] != "round_four" else "two_flags"
    return export.reseal().sign()


@case("result", "another confirmation", *ALL)
def case_scored(export: Parts) -> Parts:
    export.last("game_scored")["data"]["places"].reverse()
    return export.reseal().sign()


@case("result", "another result in the last line alone", *ALL)
def case_last_line(export: Parts) -> Parts:
    export.end["result"]["scores"][0] += 1
    return export


@case("result", "another winner in the last line alone", *ALL)
def case_last_winner(export: Parts) -> Parts:
    export.end["result"]["winner"] = None
    return export


@case("rules", "a later turn limit than was played to", "limit")
def case_limit(export: Parts) -> Parts:
    for options in (export.header["rules"], export.events[0]["data"]["options"]):
        options["turn_limit"] = 12
    return export.reseal().sign()


@case("result", "an earlier turn limit than was played to", "limit")
def case_earlier_limit(export: Parts) -> Parts:
    for options in (export.header["rules"], export.events[0]["data"]["options"]):
        options["turn_limit"] = 10
    return export.reseal().sign()


# --- forks ------------------------------------------------------------------------------------------------------------


def _position(bend: Callable[[Json], None]) -> Tamper:
    def tamper(export: Parts) -> Parts:
        bend(export.first("position_set")["data"])
        return export.reseal().sign()

    return tamper


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
    case("position", f"a fork with {named}", "fork")(_position(bent))


# --- bots -------------------------------------------------------------------------------------------------------------


@case("bot-seeds", "a seed that was chosen", "bots")
def case_bot_seed(export: Parts) -> Parts:
    export.first("move_chosen")["data"]["seed"] = "0123456789abcdef"
    return export.reseal().sign()


@case("bot-seeds", "a hint with a seed that was chosen", "bots")
def case_hint_seed(export: Parts) -> Parts:
    export.last("hint_given")["data"]["seed"] = "0123456789abcdef"
    return export.reseal().sign()


@case("bot-seeds", "a bot's move without saying so", "bots")
def case_bot_unsaid(export: Parts) -> Parts:
    export.events.remove(export.first("move_chosen"))
    return export.reseal().sign()


@case("bot-seeds", "another bot than has the seat", "bots")
def case_other_bot(export: Parts) -> Parts:
    export.first("move_chosen")["data"]["bot"] = "maxn"
    return export.reseal().sign()


@case("bot-seeds", "a bot that moves for a person", "2")
def case_for_a_person(export: Parts) -> Parts:
    move = export.first("card_taken")
    chosen: Json = {"bot": "greedy", "version": "1", "budget": None, "seed": "0" * 16}
    chosen |= {"fallback": None, "replaces": None}
    export.events.insert(export.events.index(move), {**move, "type": "move_chosen", "data": chosen})
    return export.reseal().sign()


@case("bot-seeds", "a move in a remote bot's place without a known reason", "bots")
def case_bored(export: Parts) -> Parts:
    replacing = export.first("move_chosen", lambda event: event["data"]["fallback"] is not None)
    replacing["data"]["fallback"] = "bored"
    return export.reseal().sign()


@case("bots", "fewer iterations than were done", "bots")
def case_fewer(export: Parts) -> Parts:
    searched = export.first("move_chosen", lambda event: event["data"]["budget"] is not None)
    searched["data"]["budget"] = {"iterations": 0}
    return export.reseal().sign()


@case("bots", "more iterations than the bot ever does", "bots")
def case_more(export: Parts) -> Parts:
    searched = export.first("move_chosen", lambda event: event["data"]["budget"] is not None)
    searched["data"]["budget"] = {"iterations": 10**9}
    return export.reseal().sign()


@case("clocks", "time that is up in a game without a clock", *ALL)
def case_clock(export: Parts) -> Parts:
    before = export.first("card_taken")
    timed_out = {"type": "turn_timed_out", "data": {"deadline": before["at"], "when_up": "bot"}}
    export.events.insert(export.events.index(before), {**before, "schema": 1, **timed_out})
    return export.reseal().sign()


@case("clocks", "a bot that moves for time that is up, in a game without a clock", *ALL)
def case_clock_moved(export: Parts) -> Parts:
    moved = export.events.index(export.first("card_taken"))
    seed = move_seed(bytes.fromhex(export.end["server_seed"]), export.header["game_id"], moved)
    chosen = {"bot": "greedy", "version": MIGO.bot("greedy").version, "budget": None, "seed": seed}
    data = {**chosen, "fallback": "time-up", "replaces": "human"}
    export.events.insert(moved, {**export.events[moved], "type": "move_chosen", "schema": 1, "data": data})
    return export.reseal().sign()


# --- they are found ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("check", "game", "what", "tamper"), CASES, ids=[f"{c[0]}: {c[2]} ({c[1]})" for c in CASES]
)
def test_what_was_changed_is_found_by_its_check(check: str, game: str, what: str, tamper: Tamper) -> None:
    changed = tamper(parts(played(game)))
    found = verify(
        parsed(changed.file if isinstance(changed, Parts) else changed), trusted=TRUSTED, bots=check == "bots"
    )
    assert found.wrong is not None
    assert found.wrong.check == check, found.wrong.document
    assert (found.passed, found.complete) == (False, False)


@pytest.mark.parametrize("game", FINISHED)
def test_what_was_not_changed_passes(game: str) -> None:
    """With bots asked again where there are any."""
    report = verify(parsed(played(game)), trusted=TRUSTED, bots=game == "bots")
    assert report.wrong is None, report.wrong.document
    assert report.complete


def test_there_is_a_changed_file_for_every_check() -> None:
    assert {check for check, *_ in CASES} == set(CHECKS)
