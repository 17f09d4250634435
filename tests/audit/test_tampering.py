"""A changed file for every check, each found by exactly that check: `test_in_the_browser` verifies all, here and there.

The deeper checks are reached by files that whoever runs the engine could write: with the right seed, sealed anew, and
signed with the engine's own key.
"""

from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from domain.lifecycle import EventRecord, Json
from domain.migrato.bots import BOTS
from domain.migrato.game import MIGRATO
from domain.migrato.rules.cards import names
from events.audit.verify import verify
from events.log.seeds import hint_seed
from events.log.signing import Signer, jwk_of
from events.times import milliseconds_of, time_of
from tests.audit.games import TRUSTED, Corpus, fault_of, parsed
from tests.audit.tamper import (
    Forgeries,
    Parts,
    add,
    begun_anew,
    bot_for_time,
    bot_instead,
    chosen_with,
    conceal,
    last_with,
    parts,
    replaced,
    ruled,
    twice,
    with_data,
    with_end,
    with_header,
    with_members,
    without,
)

CASES = Forgeries()
EARLY: Final = "2026-01-01T00:00:00.000Z"
LONG: Final = "x" * 60_000
FOR: Final[Json] = {"app": None, "player": "pl_0123456789abcdefghij"}
A_TEAL: Final[Json] = {"card": "T5d", "slot": 1}
GOES_ON: Final = "a game that goes on after it was aborted"


def claimed_from_the_other(export: Parts) -> None:
    """The seat that is to act claims the win."""
    claimed = export.first("win_claimed")
    claimed["seat"], claimed["data"]["absent"] = claimed["data"]["absent"], claimed["seat"]


def claimed_since_the_beginning(export: Parts) -> None:
    """The seat is said to have been away while it moved."""
    moved = export.events[export.at("win_claimed") - 1]
    export.data("win_claimed")["since"] = time_of(milliseconds_of(moved["at"]) - 1)


VERDICT: Final = ("game_adjudicated", None, 1)


def nested(deep: int) -> bytes:
    """A list in lists, as what is redacted."""
    return b'"redacted":' + b"[" * deep + b"]" * deep


# --- the lines ------------------------------------------------------------------------------------------------------

CASES.rows(
    "format",
    ("bots", "a line that is no JSON", lambda e: replaced(e, b'"redacted":[],', b'"redacted":[,')),
    ("bots", "a time that is none", lambda e: e.events[4].update(at="2026-02-30T10:00:00.000Z")),
    ("bots", "NaN", lambda e: replaced(e, b'"schema":1', b'"schema":NaN')),
    ("bots", "half of a surrogate pair", lambda e: replaced(e, b'"type":"move_chosen"', b'"type":"\\ud83d"')),
    ("bots", "nested too deeply", lambda e: replaced(e, b'"redacted":[]', nested(5000))),
)
CASES.rows(
    "format",
    ("bots", "a member too many", lambda e: e.events[4].update(note="harmless")),
    ("bots", "a member of another type", lambda e: e.events[4].update(version="5")),
    ("bots", "a result without a seed", with_end(server_seed=None)),
    ("bots", "a game's id that no engine gives", with_header(game_id="x" * 101)),
    ("bots", "a game's id that ends a line", lambda e: e.header.update(game_id=e.header["game_id"] + "\n1")),
    ("bots", "no id", with_header(game_id="")),
    sealed=False,
)
CASES.rows(
    "canonical",
    ("bots", "a space", lambda e: replaced(e, b'"schema":1', b'"schema": 1')),
    ("bots", "a member twice", lambda e: replaced(e, b'"schema":1', b'"schema":2,"schema":1')),
    ("bots", "an escape that is not needed", lambda e: replaced(e, b'"move_chosen"', b'"move\\u005fchosen"')),
    ("bots", "a number too large", lambda e: replaced(e, b'"schema":1', b'"schema":9007199254740993')),
    ("bots", "carriage returns", lambda e: e.file.replace(b"\n", b"\r\n")),
    ("bots", "nested too deeply to be written", lambda e: replaced(e, b'"redacted":[]', nested(500))),
)


@CASES.case("header", "something hidden in a game that is over", "bots", sealed=False)
def _(export: Parts) -> None:
    drawn = export.first("cards_drawn")
    drawn["data"]["cards"], drawn["redacted"] = None, ["cards"]
    conceal(drawn)


@CASES.case("header", "a game that is over, as one that is not", "bots", sealed=False)
def _(export: Parts) -> None:
    export.header["complete"] = False
    export.end |= {"server_seed": None, "result": None}


@CASES.case("header", "a game that has not come to its end", "bots")
def _(export: Parts) -> None:
    del export.events[export.events.index(export.last("move_chosen")) :]


CASES.rows("header", ("aborted", "an aborted game that is called incomplete", with_header(complete=False)))
CASES.rows(
    "header",
    ("bots", "another game's id", with_header(game_id="0" * 22)),
    ("bots", "other rules", lambda e: e.header["rules"].update(return_flight=False)),
    ("setup", "another deck", lambda e: e.header["deck"].reverse()),
    ("bots", "no seed in a game that is over", with_end(server_seed=None, result=None)),
    ("bots", "a viewer where all is shown to everybody", with_header(viewer=0)),
    ("bots", "a game whose result is said to be open", with_header(complete=False)),
    ("bots", "no events", lambda e: e.events.clear()),
    sealed=False,
)
CASES.rows(
    "position", ("bots", "a game that was forked from nowhere", with_data("game_created", origin="elsewhere"))
)

# --- the chain ------------------------------------------------------------------------------------------------------


@CASES.case("sequence", "two events in each other's place", "bots", sealed=False)
def _(export: Parts) -> None:
    export.events[10], export.events[11] = export.events[11], export.events[10]


@CASES.case("commitments", "another card", "bots", sealed=False)
def _(export: Parts) -> None:
    card = export.data("card_discarded")
    card["card"] = "T1d" if card["card"] != "T1d" else "T3d"


@CASES.case("chain", "a new commitment in the old chain", "bots", sealed=False)
def _(export: Parts) -> None:
    head = [event["head"] for event in export.events]
    export.events[5]["at"] = EARLY
    export.reseal()
    for event, old in zip(export.events, head, strict=True):
        event["head"] = old


def other_seed_at_the_end(export: Parts) -> None:
    """The first seat's, as it would rather have had it."""
    export.end["client_seeds"][0] = "what ada would rather have had"


@CASES.case("signature", "changed and sealed anew, without the key", "bots")
def _(export: Parts) -> Parts:
    assert export.events[-1]["type"] == "game_scored"
    export.events[-1]["at"] = EARLY
    return export.reseal()


@CASES.case("signature", "signed with a key of somebody's own", "bots", sealed=False)
def _(export: Parts) -> None:
    own = Signer(Ed25519PrivateKey.from_private_bytes(bytes(32)))
    export.header |= {"key_id": own.key_id, "public_key": jwk_of(own.public)}
    signed = own.sign(export.header["game_id"], export.end["version"], export.end["head"])
    export.end["signature"] = {"key_id": signed.key_id, "signature": signed.signature}


@CASES.case("redacted", "cut off, and hiding what no event hides", "bots", sealed=False)
def _(export: Parts) -> None:
    """As if the game still ran, with a first move that is nobody's; in form 2 it would have to be sealed anew."""
    export.former()
    del export.events[2:]
    started = export.events[1]
    conceal(started)
    started |= {"type": "turn_passed", "seat": 0, "data": {"why": None}, "redacted": ["why"]}
    export.unsigned().header["complete"] = False
    export.end |= {"version": 2, "head": started["head"], "server_seed": None, "result": None}


CASES.rows(
    "sequence",
    ("bots", "an event left out", lambda e: e.events.pop(10)),
    ("bots", "an event twice", lambda e: e.events.insert(10, e.events[10])),
    sealed=False,
)
CASES.rows(
    "commitments",
    ("bots", "another time", lambda e: e.events[5].update(at=EARLY)),
    ("bots", "another salt", lambda e: e.first("cards_drawn")["salts"].update({"/cards": "00" * 32})),
    ("bots", "another digest", lambda e: e.first("cards_drawn")["sealed"].update({"/cards": "00" * 32})),
    ("bots", "no salts", lambda e: e.first("cards_drawn").update(salts={})),
    ("bots", "another commitment", lambda e: e.events[5].update(commitment="00" * 32)),
    sealed=False,
)
CASES.rows("chain", ("bots", "another head", lambda e: e.events[5].update(head="00" * 32)), sealed=False)
CASES.rows(
    "end",
    ("people", "another client seed at the end", other_seed_at_the_end),
    ("bots", "another version", lambda e: add(e.end, version=1)),
    ("bots", "another head at the end", with_end(head="00" * 32)),
    sealed=False,
)
CASES.rows(
    "signature",
    ("bots", "no signature where one must be", lambda e: e.unsigned()),
    ("bots", "a signature of another game", with_header(key_id="0" * 16)),
    sealed=False,
)

# --- chance ---------------------------------------------------------------------------------------------------------


@CASES.case("shuffles", "another deck than the seeds give", "search")
def _(export: Parts) -> None:
    deck = export.data("game_started")["deck"]
    other = next(at for at in range(len(deck) - 1) if deck[at] != deck[-1])
    deck[-1], deck[other] = deck[other], deck[-1]


@CASES.case("shuffles", "another seat starts than the seeds give", "search")
def _(export: Parts) -> None:
    started = export.data("game_started")
    started["first_seat"] = 1 - started["first_seat"]


@CASES.case("shuffles", "another client seed than the deck was shuffled with", "people")
def _(export: Parts) -> None:
    export.data("seat_taken")["client_seed"] = "chosen by the operator"
    export.end["client_seeds"][1] = "chosen by the operator"


@CASES.case("shuffles", "another deck than was set up", "setup")
def _(export: Parts) -> None:
    export.data("game_created")["deck"].reverse()
    export.header["deck"].reverse()


CASES.rows("seed", ("bots", "another seed than was committed to", with_end(server_seed="ab" * 32)))
CASES.rows(
    "salts", ("bots", "salts that were chosen", lambda e: e.reseal(salt=lambda version: bytes(32)).sign())
)
CASES.rows(
    "shuffles",
    ("long", "a deal of one seat's", with_members("game_started", seat=0)),
    ("long", "a reshuffle of one seat's", with_members("deck_reshuffled", seat=1)),
    ("long", "a deal of a schema that nobody knows", with_members("game_started", schema=2)),
    ("long", "a deal that says more than that", with_data("game_started", more=1)),
    ("long", "the discard pile in another order", lambda e: e.last("deck_reshuffled")["data"]["deck"].sort()),
    ("search", "a game begun anew until the deck was to somebody's liking", begun_anew),
)

# --- rules ----------------------------------------------------------------------------------------------------------


@CASES.case("rules", "a refusal that is recorded as consent", "taken back")
def _(export: Parts) -> None:
    export.data("takeback_answered", lambda event: not event["data"]["agree"])["agree"] = True


@CASES.case("rules", "another card in the hand of whoever takes back", "taken back")
def _(export: Parts) -> None:
    taken = export.first("moves_taken_back")
    hand, deck = taken["data"]["hands"][taken["seat"]], taken["data"]["deck"]
    other = next(place for place, card in enumerate(deck) if card != hand[0])
    hand[0], deck[other] = deck[other], hand[0]


@CASES.case("rules", "a request after a card was drawn", "taken back")
def _(export: Parts) -> None:
    drawn = export.first("cards_drawn")
    at = export.events.index(drawn) + 1
    asked = {**export.first("takeback_requested"), "seat": drawn["seat"], "at": drawn["at"]}
    export.events.insert(at, {**asked, "data": {"to_version": at - 2}})


@CASES.case("rules", "a move taken back that nobody has asked for", "taken back")
def _(export: Parts) -> None:
    at = export.at("moves_taken_back")
    del export.events[at - 2 : at]


@CASES.case("rules", "a move out of turn", "people")
def _(export: Parts) -> None:
    move = export.first("bird_played")
    move["seat"] = 1 - move["seat"]


@CASES.case("rules", "other cards drawn than lay on the deck", "long")
def _(export: Parts) -> None:
    drawn = export.data("cards_drawn")["cards"]
    drawn[:] = drawn[::-1] if drawn != drawn[::-1] else ["T5d", "T4n", "T1d"]


@CASES.case("rules", "cards that the other seat draws", "long")
def _(export: Parts) -> None:
    drawn = export.first("cards_drawn")
    drawn["seat"] = 1 - drawn["seat"]


@CASES.case("rules", "an arrival that was none", "people")
def _(export: Parts) -> None:
    played = export.first("bird_played", lambda event: event["data"]["slot"] == 1)
    at = export.events.index(played)
    arrived = {"slot": 1, "species": "teal", "cards": ["T5d", "T4n"]}
    export.events.insert(at + 1, {**played, "type": "birds_arrived", "data": arrived})


@CASES.case("rules", "a turn more after the end", "people")
def _(export: Parts) -> None:
    export.events.append({**export.last("cards_drawn"), "type": "turn_passed", "data": {}})


@CASES.case("rules", "options that nobody has", "long")
def _(export: Parts) -> None:
    for options in (export.header["rules"], export.data("game_created")["options"]):
        options["flight_points"]["teal"] = 100


@CASES.case("rules", "a player who gave up for the other", "setup")
def _(export: Parts) -> None:
    export.first("player_resigned")["seat"] = 5
    export.data("game_ended")["winner"] = -4


@CASES.case("rules", "time that is up in the middle of a bot's move", "clock")
def _(export: Parts) -> None:
    at = export.at("turn_timed_out")
    export.events.insert(at + 1, export.events.pop(at))


def _with(export: Parts, kind: str, seat: int | None, at: int, **data: object) -> None:
    """With one event more, after so many."""
    event = {"type": kind, "schema": 1, "seat": seat, "data": data, "redacted": []}
    export.events.insert(at, {**export.events[at - 1], **event})


def _again(export: Parts, kind: str, seat: int | None, **data: object) -> None:
    """With one event more right after the last one of that type, with its data but for what is given."""
    last = export.last(kind)
    _with(export, kind, seat, export.events.index(last) + 1, **(last["data"] | data))


def _token(export: Parts, seat: int | None, at: int, **data: object) -> None:
    """With a new token for a seat."""
    _with(export, "seat_token_reissued", seat, at, **data)


def hint_for_a_bot(export: Parts) -> None:
    """With the seed that follows."""
    since, game_id = export.at("move_chosen"), export.header["game_id"]
    seat = export.events[since]["seat"]
    seed = hint_seed(bytes.fromhex(export.end["server_seed"]), game_id, since, seat, "greedy")
    _with(export, "hint_given", seat, since, bot="greedy", version="1", budget=None, seed=seed)


def replaced_again(export: Parts) -> None:
    """By the bot that the seat has already."""
    first = export.first("player_replaced")
    _with(export, "player_replaced", first["seat"], export.at("player_replaced") + 1, **first["data"])


def seat_of(export: Parts, number: int) -> Json:
    """A seat as the game was created with it."""
    seat: Json = export.data("game_created")["seats"][number]
    return seat


CASES.rows(
    "rules",
    ("taken back", "another position taken back to", lambda e: add(e.data("moves_taken_back"), turn=1)),
    ("taken back", "nobody has agreed", lambda e: e.events.pop(e.at("moves_taken_back") - 1)),
    ("taken back", "another version asked for", lambda e: add(e.data("takeback_requested"), to_version=-1)),
    (
        "long",
        "a card that is not in the hand",
        with_members("hand_exchanged", type="bird_played", data=A_TEAL),
    ),
    ("people", "a move that nobody knows", with_members("bird_played", type="bird_flown")),
    ("people", "an event of a schema that nobody knows", with_members("bird_played", schema=2)),
    ("long", "two times in one move", with_members("cards_drawn", at=EARLY)),
    ("long", "a seat that is not there", with_members("hand_exchanged", seat=7)),
    ("long", "an exchange of a part of the hand", lambda e: e.data("hand_exchanged")["cards"].pop()),
    ("long", "more cards than were drawn", lambda e: add(e.data("cards_drawn"), count=1)),
    ("long", "true for one", with_data("cards_drawn", count=3.0)),
    ("bots", "a token for a bot's seat", lambda e: _token(e, 0, 2)),
    ("bots", "a hint for a bot's seat", hint_for_a_bot),
    ("reissued", "a token for an open seat", lambda e: _token(e, 1, 1)),
    ("people", "a token for nobody", lambda e: _token(e, None, 3)),
    ("people", "a token in a game that is over", lambda e: _token(e, 0, len(e.events) - 1)),
    ("people", "a new token that says more than that", lambda e: _token(e, 0, 3, token="mg_")),
    ("long", "a new token amid a move", lambda e: _token(e, 0, e.at("hand_exchanged") + 1)),
    ("aborted", GOES_ON, lambda e: _with(e, "player_replaced", 0, len(e.events), app="tests", bot="greedy")),
    ("aborted", "a game that a seat aborts", with_members("game_aborted", seat=0)),
    ("aborted", "an abortion by no app", with_members("game_aborted", data={})),
    ("adjudicated", "an end that nobody decided", without("game_adjudicated")),
    ("adjudicated", "a verdict that a seat gives", with_members("game_adjudicated", seat=1)),
    ("adjudicated", "a verdict with places that cannot be", with_data("game_adjudicated", places=[2, 2])),
    ("adjudicated", "a verdict amid a move", lambda e: _with(e, *VERDICT, **e.data("game_adjudicated"))),
    ("claimed", "an end that nobody claimed", without("win_claimed")),
    ("claimed", "a win that nobody claims", with_members("win_claimed", seat=None)),
    ("claimed", "a win claimed from no seat", with_data("win_claimed", absent="1")),
    ("claimed", "a win claimed from a seat that is not to act", claimed_from_the_other),
    ("claimed", "a win claimed since no time", with_data("win_claimed", since="0")),
    ("claimed", "a win claimed too early", lambda e: _later(e, e.at("win_claimed"), -0.001)),
    ("claimed", "a win claimed though something has happened since", claimed_since_the_beginning),
    ("claimed", "a win claimed in a game without the option", lambda e: ruled(e, claim_after=None)),
    ("replaced", "a bot for a seat that is a bot's already", replaced_again),
    ("replaced", "another app that decides", last_with("player_replaced", app="another")),
    ("handed over", "a seat handed over to nobody", with_data("seat_handed_over", player=None)),
    ("handed over", "a new player whose name says nothing", with_data("seat_handed_over", player="")),
    ("handed over", "a new player with such a name", with_data("seat_handed_over", player=LONG)),
    ("handed over", "no seat that is handed over", with_members("seat_handed_over", seat=None)),
    ("handed over", "a hand-over by no name", with_data("seat_handed_over", app=1)),
    ("handed over", "a seat handed over to who has it", lambda e: _again(e, "seat_handed_over", 0)),
    (
        "handed over",
        "over by another app",
        lambda e: _again(e, "seat_handed_over", 0, **(FOR | {"app": "x"})),
    ),
    ("search", "a bot's seat handed over", lambda e: _with(e, "seat_handed_over", 0, 2, **FOR)),
    ("clock", "a clock that cannot be", with_data("clock_set", seconds=0)),
    ("clock", "a clock by which nobody moves in the end", with_data("clock_set", bot=None)),
    ("clock", "a clock with a bot of such a name", with_data("clock_set", bot=LONG)),
    ("clock", "time given back by no number", with_data("clock_credited", milliseconds="1")),
    ("clock", "a deadline that is no time", with_data("turn_timed_out", deadline="0")),
    ("bots", "a bot's seat with a player", lambda e: seat_of(e, 0).update(player="pl_magnus")),
    ("people", "an open seat with a player", lambda e: seat_of(e, 1).update(player="pl_magnus")),
    ("people", "an open seat with a client seed", lambda e: seat_of(e, 1).update(client_seed="early")),
    ("remote", "a seat with a name that no engine takes", lambda e: seat_of(e, 0).update(player=LONG)),
    ("remote", "a seat with a name of controls", lambda e: seat_of(e, 0).update(player="\x07")),
    ("people", "a player with a name that no engine takes", with_data("seat_taken", player=LONG)),
    ("people", "a player without a name", with_data("seat_taken", player="")),
    ("people", "a player with a control in the name", with_data("seat_taken", player="bo\0")),
    ("people", "a player with room before the name", with_data("seat_taken", player=" bo")),
    ("people", "a client seed of nothing", with_data("seat_taken", client_seed="")),
    ("people", "a client seed that no engine takes", with_data("seat_taken", client_seed=LONG)),
    ("people", "a hint of a version that no engine has", with_data("hint_given", version=LONG)),
    ("bots", "a bot without a version", with_data("move_chosen", version="")),
    ("bots", "a bot of a version that no engine has", with_data("move_chosen", version=LONG)),
    ("aborted", "an app without a name", with_data("game_aborted", app="")),
    ("aborted", "an app with a name that no engine takes", with_data("game_aborted", app=LONG)),
    ("replaced", "a bot with such a name", last_with("player_replaced", bot=LONG)),
)


@CASES.case("result", "another winner", "setup")
def _(export: Parts) -> None:
    for result in (export.data("game_ended"), export.data("game_scored"), export.end["result"]):
        result["winner"] = 1 - result["winner"]


ABORTED: Final = {"winner": 0, "reason": "aborted", "scores": [0, 0], "scored": True}
CASES.rows(
    "result",
    ("aborted", "a result of a game that was aborted", with_end(result=ABORTED)),
    ("long", "another score", with_data("game_scored", scores=[1, 0])),
    ("adjudicated", "another winner than the app named", with_data("game_ended", winner=0)),
)
CASES.rows(
    "result",
    ("long", "another result in the last line", lambda e: e.end["result"].update(reason="all_arrived")),
    ("long", "a result that is not told to be confirmed", lambda e: e.end["result"].update(scored=False)),
    sealed=False,
)

# --- bots and clocks ------------------------------------------------------------------------------------------------


@CASES.case("bots", "fewer iterations than were done", "search")
def _(export: Parts) -> None:
    deep = export.first("move_chosen", lambda e: (e["data"]["budget"] or {}).get("iterations", 0) > 4)
    deep["data"]["budget"] = {"iterations": 0}


@CASES.case("bots", "another move than the bot's", "bots")
def _(export: Parts) -> None:
    """The last move but the last: the bot gives its turn away, and then all is recorded as it would follow."""
    events = export.events
    last, other = len(events) - 1, None
    while other is None:
        last -= 1
        if events[last]["type"] == "move_chosen" and events[last + 1]["type"] == "card_discarded":
            other = _other_discard(export, last)
    events[last + 1]["data"]["card"] = other
    del events[last + 3 :]


def _other_discard(export: Parts, at: int) -> str | None:
    """Another card, if any, of the hand that is discarded from at that place, found by playing up to there."""
    state, seat = MIGRATO.initial(), export.events[at]["seat"]
    for event in export.events[:at]:
        record = EventRecord(event["type"], event["schema"], event["seat"], event["data"])
        state = MIGRATO.evolve(state, MIGRATO.decode(record))
    hand = names(state.players[seat].hand)
    return next((card for card in hand if card != export.events[at + 1]["data"]["card"]), None)


CASES.rows(
    "bots",
    ("search", "more iterations than it ever does", chosen_with("budget", budget={"iterations": 10**9})),
)
CASES.rows(
    "bot-seeds",
    ("search", "a seed that was chosen", with_data("move_chosen", seed="0123456789abcdef")),
    ("search", "a bot's move without saying so", without("move_chosen")),
    ("bots", "all moves of bots without saying so", lambda e: e.drop_all("move_chosen")),
    ("replaced", "another bot than the app named", with_data("player_replaced", bot="random")),
    ("replaced", "a bot that plays for a person whom nobody replaced", without("player_replaced")),
    ("people", "a hint with a seed that was chosen", last_with("hint_given", seed="0" * 16)),
    ("search", "another bot than has the seat", chosen_with("budget", bot="ismcts")),
    ("people", "a bot that moves for a person", lambda e: bot_instead(e, "bird_played")),
    ("clock", "another seed of a bot's move for time that is up", chosen_with("fallback", seed="0" * 16)),
    ("remote", "another bot in the place of another", chosen_with("fallback", bot="random")),
    ("remote", "another moves without a known reason", chosen_with("fallback", fallback="bored")),
)


def _later(export: Parts, since: int, seconds: float) -> None:
    """With the events from that place on later, or earlier, by so much."""
    for one in export.events[since:]:
        one["at"] = time_of(milliseconds_of(one["at"]) + int(1000 * seconds))


@CASES.case("clocks", "another deadline", "forfeited")
def _(export: Parts) -> None:
    timed_out = export.first("turn_timed_out")
    timed_out["data"]["deadline"] = time_of(milliseconds_of(timed_out["at"]) - 1)


@CASES.case("clocks", "time that nobody gave back", "clock")
def _(export: Parts) -> None:
    export.drop("clock_credited")
    export.data("clock_set")["seconds"] = 30


@CASES.case("clocks", "a clock that a running game gets", "clock")
def _(export: Parts) -> None:
    clock = export.first("clock_set")
    export.events.remove(clock)
    moved = export.first("card_discarded")
    export.events.insert(export.events.index(moved) + 2, {**clock, "at": moved["at"]})


@CASES.case("clocks", "time given back for an outage that was over before the turn", "clock")
def _(export: Parts) -> None:
    export.data("clock_credited")["until"] = export.first("clock_set")["at"]


CASES.rows(
    "clocks",
    (
        "clock",
        "more time given back than the outage can have taken",
        with_data("clock_credited", milliseconds=10**9),
    ),
    ("clock", "less time given back than for any outage", with_data("clock_credited", milliseconds=3999)),
    ("clock", "a clock of releases before the game", with_members("clock_set", schema=1)),
    ("clock", "a move after its deadline", lambda e: _later(e, e.at("clock_set") + 1, 58)),
    ("forfeited", "time that is up before it is", lambda e: _later(e, e.at("turn_timed_out"), -0.001)),
    ("clock", "another bot than the clock's", chosen_with("fallback", bot="random")),
    ("clock", "a bot that moves though there was time", without("turn_timed_out")),
    ("clock", "times that run backwards", lambda e: _later(e, e.at("clock_credited"), -86400)),
    ("forfeited", "time that is up in a game without a clock", without("clock_set")),
    ("out of time", "nobody who plays on", without("player_replaced")),
    ("out of time", "another bot that plays on", with_data("player_replaced", bot="random")),
    (
        "long",
        "a bot for time that is up",
        lambda e: bot_for_time(e, "hand_exchanged", BOTS["greedy"].version),
    ),
    ("clock", "a second clock", twice("clock_set")),
)


def test_faults_of_time_that_is_up_are_said(played: Corpus) -> None:
    """In the middle of a bot's move; before anybody's time runs; where it began too late for any time to be its end."""

    def moved(name: str, by: int) -> Parts:
        export = parts(played.finished[name])
        at = export.at("turn_timed_out")
        export.events.insert(at + by, export.events.pop(at))
        return export

    late = parts(played.finished["forfeited"])
    for event in late.events:
        event["at"] = "9999-12-31T23:59:59.000Z"
    for export, version, detail in (
        (moved("clock", 1), 8, "A bot's choice is followed by its move, not by a turn_timed_out event."),
        (moved("out of time", -1), 3, "Time is up while nobody's time runs."),
        (late, late.at("turn_timed_out") + 1, "The event says that the seat's time was up, and it was not."),
    ):
        wrong = fault_of(verify(parsed(export.reseal().sign().file), trusted=TRUSTED))
        assert (wrong.version, wrong.detail) == (version, detail)


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
