"""A changed file for every check, each found by exactly that check.

The deeper checks are reached by files that whoever runs the engine could write: with the right seed, sealed anew, and
signed with the engine's own key.
"""

from collections.abc import Callable

import pytest

from domain.chance import commitment_of
from domain.lifecycle import Json
from domain.migrato.bots import BOTS
from events.audit.findings import CHECKS
from events.audit.verify import verify
from events.log.export import Exported
from events.log.seeds import move_seed
from events.log.signing import Signer, jwk_of
from events.times import milliseconds_of, time_of
from tests.audit.games import TRUSTED, Corpus, parsed
from tests.audit.tamper import Parts, parts

Tamper = Callable[[Parts], Parts | bytes]
CASES: list[tuple[str, str, str, Tamper]] = []


def case(check: str, game: str, what: str) -> Callable[[Tamper], Tamper]:
    """A case: the check that finds it, the game that is changed, and what is changed in a few words."""

    def enter(tamper: Tamper) -> Tamper:
        CASES.append((check, game, what, tamper))
        return tamper

    return enter


def replaced(export: Parts, old: bytes, new: bytes) -> bytes:
    changed = export.file.replace(old, new, 1)
    assert changed != export.file
    return changed


# --- the lines ------------------------------------------------------------------------------------------------------


@case("format", "bots", "a line that is no JSON")
def case_1(export: Parts) -> bytes:
    return replaced(export, b'"redacted":[],', b'"redacted":[,')


@case("format", "bots", "a member too many")
def case_2(export: Parts) -> Parts:
    export.events[4]["note"] = "harmless"
    return export


@case("format", "bots", "a member of another type")
def case_3(export: Parts) -> Parts:
    export.events[4]["version"] = "5"
    return export


@case("format", "bots", "a time that is none")
def case_4(export: Parts) -> Parts:
    export.events[4]["at"] = "2026-02-30T10:00:00.000Z"
    return export.reseal().sign()


@case("format", "bots", "a result without a seed")
def case_5(export: Parts) -> Parts:
    export.end["server_seed"] = None
    return export


@case("format", "bots", "NaN")
def case_6(export: Parts) -> bytes:
    return replaced(export, b'"schema":1', b'"schema":NaN')


@case("format", "bots", "half of a surrogate pair")
def case_7(export: Parts) -> bytes:
    return replaced(export, b'"type":"move_chosen"', b'"type":"\\ud83d"')


@case("format", "bots", "nested too deeply")
def case_8(export: Parts) -> bytes:
    return replaced(export, b'"redacted":[]', b'"redacted":' + b"[" * 5000 + b"]" * 5000)


@case("canonical", "bots", "nested too deeply to be written")
def case_9(export: Parts) -> bytes:
    return replaced(export, b'"redacted":[]', b'"redacted":' + b"[" * 500 + b"]" * 500)


@case("canonical", "bots", "a space")
def case_10(export: Parts) -> bytes:
    return replaced(export, b'"schema":1', b'"schema": 1')


@case("canonical", "bots", "a member twice")
def case_11(export: Parts) -> bytes:
    return replaced(export, b'"schema":1', b'"schema":2,"schema":1')


@case("canonical", "bots", "an escape that is not needed")
def case_12(export: Parts) -> bytes:
    return replaced(export, b'"move_chosen"', b'"move\\u005fchosen"')


@case("canonical", "bots", "a number too large")
def case_13(export: Parts) -> bytes:
    return replaced(export, b'"schema":1', b'"schema":9007199254740993')


@case("canonical", "bots", "carriage returns")
def case_14(export: Parts) -> bytes:
    return export.file.replace(b"\n", b"\r\n")


@case("header", "bots", "another game's id")
def case_15(export: Parts) -> Parts:
    export.header["game_id"] = "0" * 22
    return export


@case("header", "bots", "other rules")
def case_16(export: Parts) -> Parts:
    export.header["rules"]["return_flight"] = False
    return export


@case("header", "setup", "another deck")
def case_17(export: Parts) -> Parts:
    export.header["deck"].reverse()
    return export


@case("header", "bots", "something hidden in a game that is over")
def case_18(export: Parts) -> Parts:
    drawn = export.first("cards_drawn")
    drawn["data"]["cards"], drawn["redacted"] = None, ["cards"]
    del drawn["salt"]
    return export


@case("header", "bots", "no seed in a game that is over")
def case_no_seed(export: Parts) -> Parts:
    export.end |= {"server_seed": None, "result": None}
    return export


@case("header", "bots", "a viewer where all is shown to everybody")
def case_viewer(export: Parts) -> Parts:
    export.header["viewer"] = 0
    return export


@case("header", "bots", "a game whose result is said to be open")
def case_open(export: Parts) -> Parts:
    export.header["complete"] = False
    return export


@case("header", "bots", "a game that is over, as one that is not")
def case_19(export: Parts) -> Parts:
    export.header["complete"] = False
    export.end |= {"server_seed": None, "result": None}
    return export


@case("header", "bots", "a game that has not come to its end")
def case_20(export: Parts) -> Parts:
    del export.events[export.events.index(export.last("move_chosen")) :]
    return export.reseal().sign()


@case("header", "bots", "no events")
def case_no_events(export: Parts) -> Parts:
    export.events.clear()
    return export


# --- the chain ------------------------------------------------------------------------------------------------------


@case("sequence", "bots", "an event left out")
def case_21(export: Parts) -> Parts:
    del export.events[10]
    return export


@case("sequence", "bots", "an event twice")
def case_22(export: Parts) -> Parts:
    export.events.insert(10, export.events[10])
    return export


@case("sequence", "bots", "two events in each other's place")
def case_23(export: Parts) -> Parts:
    export.events[10], export.events[11] = export.events[11], export.events[10]
    return export


@case("commitments", "bots", "another card")
def case_24(export: Parts) -> Parts:
    card = export.first("card_discarded")["data"]
    card["card"] = "T1d" if card["card"] != "T1d" else "T3d"
    return export


@case("commitments", "bots", "another time")
def case_25(export: Parts) -> Parts:
    export.events[5]["at"] = "2026-01-01T00:00:00.000Z"
    return export


@case("commitments", "bots", "another salt")
def case_26(export: Parts) -> Parts:
    export.events[5]["salt"] = "00" * 32
    return export


@case("commitments", "bots", "another commitment")
def case_27(export: Parts) -> Parts:
    export.events[5]["commitment"] = "00" * 32
    return export


@case("chain", "bots", "another head")
def case_28(export: Parts) -> Parts:
    export.events[5]["head"] = "00" * 32
    return export


@case("chain", "bots", "a new commitment in the old chain")
def case_29(export: Parts) -> Parts:
    head = [event["head"] for event in export.events]
    export.events[5]["at"] = "2026-01-01T00:00:00.000Z"
    export.reseal()
    for event, old in zip(export.events, head, strict=True):
        event["head"] = old
    return export


@case("end", "bots", "another version")
def case_30(export: Parts) -> Parts:
    export.end["version"] += 1
    return export


@case("end", "bots", "another head at the end")
def case_31(export: Parts) -> Parts:
    export.end["head"] = "00" * 32
    return export


@case("end", "people", "another client seed at the end")
def case_32(export: Parts) -> Parts:
    export.end["client_seeds"][0] = "what ada would rather have had"
    return export


@case("signature", "bots", "changed and sealed anew, without the key")
def case_33(export: Parts) -> Parts:
    assert export.events[-1]["type"] == "game_scored"
    export.events[-1]["at"] = "2026-01-01T00:00:00.000Z"
    return export.reseal()


@case("signature", "bots", "signed with a key of somebody's own")
def case_34(export: Parts) -> Parts:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    own = Signer(Ed25519PrivateKey.from_private_bytes(bytes(32)))
    export.header |= {"key_id": own.key_id, "public_key": jwk_of(own.public)}
    signed = own.sign(export.header["game_id"], export.end["version"], export.end["head"])
    export.end["signature"] = {"key_id": signed.key_id, "signature": signed.signature}
    return export


@case("signature", "bots", "no signature where one must be")
def case_35(export: Parts) -> Parts:
    export.header |= {"key_id": None, "public_key": None}
    export.end["signature"] = None
    return export


@case("signature", "bots", "a signature of another game")
def case_36(export: Parts) -> Parts:
    export.header["key_id"] = "0" * 16
    return export


@case("redacted", "bots", "cut off, and hiding what no event hides")
def case_redacted(export: Parts) -> Parts:
    """As if the game still ran, with a first move that is nobody's."""
    del export.events[2:]
    started = export.events[1]
    del started["salt"]
    started |= {"type": "turn_passed", "seat": 0, "data": {"why": None}, "redacted": ["why"]}
    export.header |= {"complete": False, "key_id": None, "public_key": None}
    export.end |= {"version": 2, "head": started["head"], "server_seed": None, "result": None}
    export.end["signature"] = None
    return export


# --- chance ---------------------------------------------------------------------------------------------------------


@case("seed", "bots", "another seed than was committed to")
def case_37(export: Parts) -> Parts:
    export.end["server_seed"] = "ab" * 32
    return export.reseal().sign()


@case("salts", "bots", "salts that were chosen")
def case_38(export: Parts) -> Parts:
    return export.reseal(salt=lambda version: bytes(32)).sign()


@case("shuffles", "search", "another deck than the seeds give")
def case_39(export: Parts) -> Parts:
    deck = export.first("game_started")["data"]["deck"]
    deck[-1], deck[-2] = deck[-2], deck[-1]
    if deck[-1] == deck[-2]:
        deck[-1], deck[-3] = deck[-3], deck[-1]
    return export.reseal().sign()


@case("shuffles", "search", "another seat starts than the seeds give")
def case_40(export: Parts) -> Parts:
    started = export.first("game_started")["data"]
    started["first_seat"] = 1 - started["first_seat"]
    return export.reseal().sign()


@case("shuffles", "long", "the discard pile in another order")
def case_41(export: Parts) -> Parts:
    export.last("deck_reshuffled")["data"]["deck"].sort()
    return export.reseal().sign()


@case("shuffles", "people", "another client seed than the deck was shuffled with")
def case_42(export: Parts) -> Parts:
    export.first("seat_taken")["data"]["client_seed"] = "chosen by the operator"
    export.end["client_seeds"][1] = "chosen by the operator"
    return export.reseal().sign()


@case("shuffles", "setup", "another deck than was set up")
def case_43(export: Parts) -> Parts:
    export.first("game_created")["data"]["deck"].reverse()
    export.header["deck"].reverse()
    return export.reseal().sign()


@case("shuffles", "search", "a game begun anew until the deck was to somebody's liking")
def case_44(export: Parts) -> Parts:
    seed = bytes(32)
    export.first("game_created")["data"]["commitment"] = commitment_of(seed)
    export.end["server_seed"] = seed.hex()
    return export.reseal(seed).sign()


# --- rules ----------------------------------------------------------------------------------------------------------


@case("rules", "taken back", "a move taken back that nobody has agreed to")
def case_takeback_1(export: Parts) -> Parts:
    at = export.events.index(export.first("moves_taken_back"))
    del export.events[at - 1]
    return export.reseal().sign()


@case("rules", "taken back", "a refusal that is recorded as consent")
def case_takeback_2(export: Parts) -> Parts:
    export.first("takeback_answered", lambda event: not event["data"]["agree"])["data"]["agree"] = True
    return export.reseal().sign()


@case("rules", "taken back", "a move taken back to another position")
def case_takeback_3(export: Parts) -> Parts:
    export.first("moves_taken_back")["data"]["turn"] += 1
    return export.reseal().sign()


@case("rules", "taken back", "another card in the hand of whoever takes back")
def case_takeback_4(export: Parts) -> Parts:
    taken = export.first("moves_taken_back")
    hand, deck = taken["data"]["hands"][taken["seat"]], taken["data"]["deck"]
    other = next(place for place, card in enumerate(deck) if card != hand[0])
    hand[0], deck[other] = deck[other], hand[0]
    return export.reseal().sign()


@case("rules", "taken back", "a request for another version")
def case_takeback_5(export: Parts) -> Parts:
    export.first("takeback_requested")["data"]["to_version"] -= 1
    return export.reseal().sign()


@case("rules", "taken back", "a request after a card was drawn")
def case_takeback_6(export: Parts) -> Parts:
    drawn = export.first("cards_drawn")
    at = export.events.index(drawn) + 1
    asked = {**export.first("takeback_requested"), "seat": drawn["seat"], "at": drawn["at"]}
    export.events.insert(at, {**asked, "data": {"to_version": at - 2}})
    return export.reseal().sign()


@case("rules", "taken back", "a move taken back that nobody has asked for")
def case_takeback_7(export: Parts) -> Parts:
    at = export.events.index(export.first("moves_taken_back"))
    del export.events[at - 2 : at]
    return export.reseal().sign()


@case("rules", "long", "a card that is not in the hand")
def case_45(export: Parts) -> Parts:
    first = export.first("hand_exchanged")
    first["type"], first["data"] = "bird_played", {"card": "T5d", "slot": 1}
    return export.reseal().sign()


@case("rules", "people", "a move out of turn")
def case_46(export: Parts) -> Parts:
    move = next(e for e in export.events if e["type"] == "bird_played")
    move["seat"] = 1 - move["seat"]
    return export.reseal().sign()


@case("rules", "long", "other cards drawn than lay on the deck")
def case_47(export: Parts) -> Parts:
    drawn = export.first("cards_drawn")["data"]["cards"]
    drawn[:] = drawn[::-1] if drawn != drawn[::-1] else ["T5d", "T4n", "T1d"]
    return export.reseal().sign()


@case("rules", "people", "an arrival that was none")
def case_48(export: Parts) -> Parts:
    played = export.first("bird_played", lambda event: event["data"]["slot"] == 1)
    at = export.events.index(played)
    arrived = {"slot": 1, "species": "teal", "cards": ["T5d", "T4n"]}
    export.events.insert(at + 1, {**played, "type": "birds_arrived", "data": arrived})
    return export.reseal().sign()


@case("rules", "people", "a move that nobody knows")
def case_49(export: Parts) -> Parts:
    export.first("bird_played")["type"] = "bird_flown"
    return export.reseal().sign()


@case("rules", "people", "an event of a schema that nobody knows")
def case_50(export: Parts) -> Parts:
    export.first("bird_played")["schema"] = 2
    return export.reseal().sign()


@case("rules", "people", "a turn more after the end")
def case_51(export: Parts) -> Parts:
    export.events.append({**export.last("cards_drawn"), "type": "turn_passed", "data": {}})
    return export.reseal().sign()


@case("rules", "long", "two times in one move")
def case_52(export: Parts) -> Parts:
    export.first("cards_drawn")["at"] = "2026-01-01T00:00:00.000Z"
    return export.reseal().sign()


@case("rules", "long", "a seat that is not there")
def case_53(export: Parts) -> Parts:
    export.first("hand_exchanged")["seat"] = 7
    return export.reseal().sign()


@case("rules", "long", "options that nobody has")
def case_54(export: Parts) -> Parts:
    for options in (export.header["rules"], export.first("game_created")["data"]["options"]):
        options["flight_points"]["teal"] = 100
    return export.reseal().sign()


@case("rules", "long", "true for one")
def case_55(export: Parts) -> Parts:
    export.first("cards_drawn", lambda event: event["data"]["count"] == 3)["data"]["count"] = 3.0
    return export.reseal().sign()


@case("rules", "setup", "a player who gave up for the other")
def case_56(export: Parts) -> Parts:
    resigned = export.first("player_resigned")
    resigned["seat"] = 5
    export.first("game_ended")["data"]["winner"] = -4
    return export.reseal().sign()


@case("result", "setup", "another winner")
def case_57(export: Parts) -> Parts:
    for result in (
        export.first("game_ended")["data"],
        export.first("game_scored")["data"],
        export.end["result"],
    ):
        result["winner"] = 1 - result["winner"]
    return export.reseal().sign()


@case("result", "long", "another score")
def case_58(export: Parts) -> Parts:
    export.first("game_scored")["data"]["scores"] = [1, 0]
    return export.reseal().sign()


@case("result", "long", "another result in the last line")
def case_59(export: Parts) -> Parts:
    export.end["result"]["reason"] = "all_arrived"
    return export


@case("result", "long", "a result that is not told to be confirmed")
def case_60(export: Parts) -> Parts:
    export.end["result"]["scored"] = False
    return export


@case("position", "bots", "a game that was forked from nowhere")
def case_fork(export: Parts) -> Parts:
    export.first("game_created")["data"]["origin"] = "elsewhere"
    return export.reseal().sign()


# --- bots -----------------------------------------------------------------------------------------------------------


@case("bot-seeds", "search", "a seed that was chosen")
def case_61(export: Parts) -> Parts:
    export.first("move_chosen")["data"]["seed"] = "0123456789abcdef"
    return export.reseal().sign()


@case("bot-seeds", "people", "a hint with a seed that was chosen")
def case_62(export: Parts) -> Parts:
    export.last("hint_given")["data"]["seed"] = "0123456789abcdef"
    return export.reseal().sign()


@case("bot-seeds", "search", "a bot's move without saying so")
def case_63(export: Parts) -> Parts:
    export.events.remove(export.first("move_chosen"))
    return export.reseal().sign()


@case("bot-seeds", "search", "another bot than has the seat")
def case_64(export: Parts) -> Parts:
    export.first("move_chosen", lambda event: event["data"]["bot"] == "ismcts-easy")["data"]["bot"] = "ismcts"
    return export.reseal().sign()


@case("bot-seeds", "people", "a bot that moves for a person")
def case_65(export: Parts) -> Parts:
    move = export.first("bird_played")
    chosen = {
        "bot": "greedy",
        "version": "1",
        "budget": None,
        "seed": "0" * 16,
        "fallback": None,
        "replaces": None,
    }
    export.events.insert(export.events.index(move), {**move, "type": "move_chosen", "data": chosen})
    return export.reseal().sign()


@case("bot-seeds", "remote", "a move in the place of another without a reason that is known")
def case_66(export: Parts) -> Parts:
    export.first("move_chosen", lambda event: event["data"]["fallback"] is not None)["data"]["fallback"] = (
        "bored"
    )
    return export.reseal().sign()


def _reissued(export: Parts, seat: int | None, at: int, **data: object) -> Parts:
    """With a new token for a seat, after so many events."""
    like = export.events[at - 1]
    event = {"type": "seat_token_reissued", "schema": 1, "seat": seat, "data": data, "redacted": []}
    export.events.insert(at, {**like, **event})
    return export.reseal().sign()


@case("rules", "bots", "a token for a bot's seat")
def case_token_1(export: Parts) -> Parts:
    return _reissued(export, 0, 2)


@case("rules", "reissued", "a token for an open seat")
def case_token_2(export: Parts) -> Parts:
    return _reissued(export, 1, 1)


@case("rules", "people", "a token for nobody")
def case_token_3(export: Parts) -> Parts:
    return _reissued(export, None, 3)


@case("rules", "people", "a token in a game that is over")
def case_token_4(export: Parts) -> Parts:
    return _reissued(export, 0, len(export.events) - 1)


@case("rules", "people", "a new token that says more than that")
def case_token_5(export: Parts) -> Parts:
    return _reissued(export, 0, 3, token="mg_")


@case("rules", "long", "a new token in the middle of what follows from a move")
def case_token_6(export: Parts) -> Parts:
    return _reissued(export, 0, export.events.index(export.first("hand_exchanged")) + 1)


def _decided(export: Parts, at: int, kind: str, seat: int | None, **data: object) -> Parts:
    """With something more that an app decided, after so many events."""
    event = {"type": kind, "schema": 1, "seat": seat, "data": data, "redacted": []}
    export.events.insert(at, {**export.events[at - 1], **event})
    return export.reseal().sign()


@case("rules", "aborted", "a game that goes on after it was aborted")
def case_app_1(export: Parts) -> Parts:
    return _decided(export, len(export.events), "player_replaced", 0, app="tests", bot="greedy")


@case("rules", "aborted", "a game that a seat aborts")
def case_app_2(export: Parts) -> Parts:
    export.first("game_aborted")["seat"] = 0
    return export.reseal().sign()


@case("result", "aborted", "a result of a game that was aborted")
def case_app_3(export: Parts) -> Parts:
    export.end["result"] = {"winner": 0, "reason": "aborted", "scores": [0, 0], "scored": True}
    return export.sign()


@case("header", "aborted", "an aborted game that is called incomplete")
def case_app_4(export: Parts) -> Parts:
    export.header["complete"] = False
    return export.sign()


@case("rules", "aborted", "an abortion by no app")
def case_app_5(export: Parts) -> Parts:
    export.first("game_aborted")["data"] = {}
    return export.reseal().sign()


@case("rules", "adjudicated", "an end that nobody decided")
def case_app_6(export: Parts) -> Parts:
    export.events.remove(export.first("game_adjudicated"))
    return export.reseal().sign()


@case("result", "adjudicated", "another winner than the app named")
def case_app_7(export: Parts) -> Parts:
    export.first("game_ended")["data"]["winner"] = 0
    return export.reseal().sign()


@case("rules", "adjudicated", "a verdict that a seat gives")
def case_app_8(export: Parts) -> Parts:
    export.first("game_adjudicated")["seat"] = 1
    return export.reseal().sign()


@case("rules", "adjudicated", "a verdict with places that cannot be")
def case_app_9(export: Parts) -> Parts:
    export.first("game_adjudicated")["data"]["places"] = [2, 2]
    return export.reseal().sign()


@case("rules", "adjudicated", "a verdict in the middle of what follows from a move")
def case_app_10(export: Parts) -> Parts:
    verdict = export.first("game_adjudicated")["data"]
    return _decided(export, 1, "game_adjudicated", None, **verdict)


@case("rules", "replaced", "a bot for a seat that is a bot's already")
def case_app_11(export: Parts) -> Parts:
    first = export.first("player_replaced")
    return _decided(export, export.events.index(first) + 1, "player_replaced", first["seat"], **first["data"])


@case("rules", "replaced", "another app that decides")
def case_app_12(export: Parts) -> Parts:
    export.last("player_replaced")["data"]["app"] = "another"
    return export.reseal().sign()


@case("bot-seeds", "replaced", "another bot than the app named")
def case_app_13(export: Parts) -> Parts:
    export.first("player_replaced")["data"]["bot"] = "random"
    return export.reseal().sign()


@case("bot-seeds", "replaced", "a bot that plays for a person whom nobody replaced")
def case_app_14(export: Parts) -> Parts:
    export.events.remove(export.first("player_replaced"))
    return export.reseal().sign()


@case("rules", "handed over", "a seat handed over to who has it")
def case_hand_over_1(export: Parts) -> Parts:
    first = export.first("seat_handed_over")
    return _decided(export, export.events.index(first) + 1, "seat_handed_over", 0, **first["data"])


@case("rules", "handed over", "a seat handed over by another app")
def case_hand_over_2(export: Parts) -> Parts:
    last = export.last("seat_handed_over")
    data = {"app": "another", "player": "pl_0123456789abcdefghij"}
    return _decided(export, export.events.index(last) + 1, "seat_handed_over", 0, **data)


@case("rules", "handed over", "a seat handed over to nobody")
def case_hand_over_3(export: Parts) -> Parts:
    export.first("seat_handed_over")["data"]["player"] = None
    return export.reseal().sign()


@case("rules", "handed over", "no seat that is handed over")
def case_hand_over_4(export: Parts) -> Parts:
    export.first("seat_handed_over")["seat"] = None
    return export.reseal().sign()


@case("rules", "handed over", "a hand-over by no name")
def case_hand_over_5(export: Parts) -> Parts:
    export.first("seat_handed_over")["data"]["app"] = 1
    return export.reseal().sign()


@case("rules", "search", "a bot's seat handed over")
def case_hand_over_6(export: Parts) -> Parts:
    return _decided(export, 2, "seat_handed_over", 0, app=None, player="pl_0123456789abcdefghij")


def _later(export: Parts, event: Json, seconds: float) -> Parts:
    """With the events from that one on later, or earlier, by so much."""
    since = export.events.index(event)
    for one in export.events[since:]:
        one["at"] = time_of(milliseconds_of(one["at"]) + int(1000 * seconds))
    return export.reseal().sign()


@case("clocks", "forfeited", "time that is up before it is")
def case_clock_1(export: Parts) -> Parts:
    return _later(export, export.first("turn_timed_out"), -0.001)


@case("clocks", "forfeited", "another deadline")
def case_clock_2(export: Parts) -> Parts:
    timed_out = export.first("turn_timed_out")
    timed_out["data"]["deadline"] = time_of(milliseconds_of(timed_out["at"]) - 1)
    return export.reseal().sign()


@case("clocks", "clock", "a move after its deadline")
def case_clock_3(export: Parts) -> Parts:
    moved = export.first("clock_set")
    return _later(export, export.events[export.events.index(moved) + 1], 58)


@case("clocks", "clock", "time that nobody gave back")
def case_clock_4(export: Parts) -> Parts:
    export.events.remove(export.first("clock_credited"))
    export.first("clock_set")["data"]["seconds"] = 30
    return export.reseal().sign()


@case("clocks", "clock", "another bot than the clock's")
def case_clock_5(export: Parts) -> Parts:
    export.first("move_chosen", lambda event: event["data"]["fallback"] == "time-up")["data"]["bot"] = (
        "random"
    )
    return export.reseal().sign()


@case("clocks", "clock", "a bot that moves though there was time")
def case_clock_6(export: Parts) -> Parts:
    export.events.remove(export.first("turn_timed_out"))
    return export.reseal().sign()


@case("clocks", "clock", "times that run backwards")
def case_clock_7(export: Parts) -> Parts:
    return _later(export, export.first("clock_credited"), -86_400)


@case("clocks", "clock", "a clock that a running game gets")
def case_clock_8(export: Parts) -> Parts:
    clock = export.first("clock_set")
    export.events.remove(clock)
    moved = export.first("card_discarded")
    export.events.insert(export.events.index(moved) + 2, {**clock, "at": moved["at"]})
    return export.reseal().sign()


@case("clocks", "clock", "a second clock")
def case_clock_9(export: Parts) -> Parts:
    clock = export.first("clock_set")
    export.events.insert(export.events.index(clock), dict(clock))
    return export.reseal().sign()


@case("rules", "clock", "a clock that cannot be")
def case_clock_10(export: Parts) -> Parts:
    export.first("clock_set")["data"]["seconds"] = 0
    return export.reseal().sign()


@case("clocks", "forfeited", "time that is up in a game without a clock")
def case_clock_11(export: Parts) -> Parts:
    export.events.remove(export.first("clock_set"))
    return export.reseal().sign()


@case("clocks", "out of time", "nobody who plays on")
def case_clock_12(export: Parts) -> Parts:
    export.events.remove(export.first("player_replaced"))
    return export.reseal().sign()


@case("clocks", "out of time", "another bot that plays on")
def case_clock_13(export: Parts) -> Parts:
    export.first("player_replaced")["data"]["bot"] = "random"
    return export.reseal().sign()


@case("bot-seeds", "clock", "another seed of a bot's move for time that is up")
def case_clock_14(export: Parts) -> Parts:
    chosen = export.first("move_chosen", lambda event: event["data"]["fallback"] == "time-up")
    chosen["data"]["seed"] = "0" * 16
    return export.reseal().sign()


@case("rules", "clock", "time given back by no number")
def case_clock_15(export: Parts) -> Parts:
    export.first("clock_credited")["data"]["milliseconds"] = "1"
    return export.reseal().sign()


@case("clocks", "long", "a bot that moves for time that is up, in a game without a clock")
def case_clock_16(export: Parts) -> Parts:
    moved = export.events.index(export.first("hand_exchanged"))
    seed = move_seed(bytes.fromhex(export.end["server_seed"]), export.header["game_id"], moved)
    chosen = {"bot": "greedy", "version": BOTS["greedy"].version, "budget": None, "seed": seed}
    data = {**chosen, "fallback": "time-up", "replaces": "human"}
    export.events.insert(moved, {**export.events[moved], "type": "move_chosen", "schema": 1, "data": data})
    return export.reseal().sign()


@case("clocks", "clock", "time given back for an outage that was over before the turn")
def case_clock_17(export: Parts) -> Parts:
    export.first("clock_credited")["data"]["until"] = export.first("clock_set")["at"]
    return export.reseal().sign()


@case("bots", "search", "fewer iterations than were done")
def case_67(export: Parts) -> Parts:
    export.first("move_chosen", lambda event: (event["data"]["budget"] or {}).get("iterations", 0) > 4)[
        "data"
    ]["budget"] = {"iterations": 0}
    return export.reseal().sign()


@case("bots", "search", "more iterations than the bot ever does")
def case_more(export: Parts) -> Parts:
    export.first("move_chosen", lambda event: event["data"]["budget"] is not None)["data"]["budget"] = {
        "iterations": 10**9
    }
    return export.reseal().sign()


@case("bots", "bots", "another move than the bot's")
def case_68(export: Parts) -> Parts:
    """The last move but the last: the bot gives its turn away, and then all is recorded as it would follow."""
    events = export.events
    last, other = len(events) - 1, None
    while other is None:
        last -= 1
        if events[last]["type"] == "move_chosen" and events[last + 1]["type"] == "card_discarded":
            other = _other_discard(export, last)
    discarded = events[last + 1]
    assert other != discarded["data"]["card"]
    discarded["data"]["card"] = other
    del export.events[last + 3 :]
    return export.reseal().sign()


def _other_discard(export: Parts, at: int) -> str | None:
    """Another card, if any, of the hand that is discarded from at that place, found by playing up to there."""
    from domain.lifecycle import EventRecord
    from domain.registry import GAMES

    game = GAMES["migrato"]
    state = game.initial()
    for event in export.events[:at]:
        state = game.evolve(
            state, game.decode(EventRecord(event["type"], event["schema"], event["seat"], event["data"]))
        )
    hand = game.view(state, export.events[at]["seat"])["players"][export.events[at]["seat"]]["hand"]  # type: ignore[index]
    return next((str(card) for card in hand if card != export.events[at + 1]["data"]["card"]), None)


@pytest.mark.parametrize(("check", "game", "what", "tamper"), CASES, ids=[f"{c[0]}: {c[2]}" for c in CASES])
def test_what_was_changed_is_found_by_its_check(
    played: Corpus, check: str, game: str, what: str, tamper: Tamper
) -> None:
    whole = played.finished[game]
    assert verify(parsed(whole), trusted=TRUSTED).passed

    changed = tamper(parts(whole))

    found = verify(_read(changed), trusted=TRUSTED, bots=check == "bots")
    assert found.wrong is not None
    assert found.wrong.check == check, found.wrong.document
    assert not found.complete


def _read(changed: Parts | bytes) -> Exported:
    return parsed(changed.file if isinstance(changed, Parts) else changed)


def test_there_is_a_changed_file_for_every_check() -> None:
    assert {check for check, *_ in CASES} == set(CHECKS)


def test_a_bot_of_another_version_is_said_to_be_left_out(played: Corpus) -> None:
    export = parts(played.finished["search"])
    for event in export.events:
        if event["type"] == "move_chosen" and event["data"]["bot"] == "greedy":
            event["data"]["version"] = "0"
    report = verify(parsed(export.reseal().sign().file), trusted=TRUSTED, bots=True)
    assert report.passed
    (told,) = (checked for checked in report.checks if checked.name == "bots")
    assert told.status == "partly"
    assert told.note is not None
    assert "of greedy 0" in told.note
    assert BOTS["greedy"].version != "0"
