"""Files that are made to hurt the browser that checks them: each ends, and is told where it fails; here Node runs it.

Whoever makes such a file may seal it as a whole game, since nobody asks for a signature. A check that never ended, or
that took all memory, would be ended by the time that Node is given.
"""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from domain.lifecycle import Json
from tests.audit import migo_games
from tests.audit.tamper import Parts, parts
from tests.audit.test_in_the_browser import PROGRAMS, in_node
from tests.golden.test_archive import kept
from tests.support.node import NODE
from tests.support.waiting import LIMIT

Found = tuple[str, int | None]  # the check that fails, and at which event
Forge = Callable[[Parts], Found]
POSITION: dict[str, Json] = {
    "migrato": {
        "phase": "action", "to_act": 0, "turn": 1, "shuffles": 1, "count": 0, "deck": [], "discard_pile": [],
        "hands": [], "hand_sizes": [], "columns": [], "arrivals": [], "landed": [], "return_flights": [],
    },
    "migo": {
        "to_act": 0, "turn": 1, "round": 1, "starter": 0, "prepared": None, "players": [], "table": [], "discarded": [],
        "boxed": [], "resigned": [], "rounds": [],
    },
}  # fmt: skip
BOOK = "x" * 10**6


def honest(game: str) -> Parts:
    """A finished game, without its signature: of Migrato one of a person and a bot, with a danger."""
    archived = (game.export for game in kept().values() if b'"kind":"human"' in game.export)
    whole = parts(
        migo_games.played("3")
        if game == "migo"
        else next(export for export in archived if b'"danger_played"' in export)
    )
    return whole.unsigned()


def put_in(whole: Parts, version: int, kind: str, data: Json, seat: int | None = None) -> Json:
    """One more event before that one; its place is that of the one it displaces."""
    event = whole.events[version - 1] | {"type": kind, "seat": seat, "data": data, "version": version}
    whole.events.insert(version - 1, event)
    return event


def event(whole: Parts, version: int, kind: str, data: Json, seat: int | None = None) -> Found:
    """One that the rules forbid."""
    return "rules", put_in(whole, version, kind, data, seat)["version"]


def forked(whole: Parts, **changed: Any) -> Found:
    """A fork from a position, for which no seat is open."""
    created = whole.events[0]["data"]
    created |= {"origin": {}, "setup": True}
    for taken in [event for event in whole.events if event["type"] == "seat_taken"]:
        created["seats"][taken["seat"]] |= {"kind": "human", **taken["data"]}
        whole.events.remove(taken)
    put_in(whole, 2, "position_set", POSITION[whole.header["game"]] | changed)
    return "rules", 2


def laid_out(whole: Parts) -> Json:
    """The event after which the first move comes."""
    return whole.first("game_started" if whole.header["game"] == "migrato" else "round_started")


def turned(name: str) -> str:
    """The other side of a card of Migo."""
    return name[:-1] + ("b" if name[-1] == "a" else "a")


def taken_back(whole: Parts, **changed: Any) -> Found:
    """Right after the cards were laid out, to that event."""
    since = laid_out(whole)
    lying = since["data"]
    if whole.header["game"] == "migrato":
        position = {**POSITION["migrato"], "deck": lying["deck"][6:]}
    else:
        position = {**POSITION["migo"], "table": lying["cards"], "boxed": lying["boxed"]}
        position["starter"] = lying["starter"]
    data = position | {"to_version": since["version"]} | changed
    return "rules", put_in(whole, since["version"] + 1, "moves_taken_back", data, 0)["version"]


def ruled(whole: Parts, **options: Any) -> None:
    """Options that header and first event agree on."""
    whole.header["rules"] |= options
    whole.events[0]["data"]["options"] = whole.header["rules"]


def sat_down(whole: Parts, version: int, seat: int | None = 0) -> Found:
    """Somebody takes the seat, with the seed that it has; whoever knows the server's could have chosen another one."""
    seed = None if seat is None else whole.end["client_seeds"][seat]
    return event(whole, version, "seat_taken", {"player": "x", "client_seed": seed}, seat)


def opened(whole: Parts, seat: int = 0) -> int:
    """The seat was open when the game was created; the version at which the cards are laid out."""
    whole.events[0]["data"]["seats"][seat] = {
        "kind": "open",
        "player": None,
        "bot": None,
        "client_seed": None,
    }
    return version_of(laid_out(whole))


def version_of(event: Json) -> int:
    """The version of the event."""
    version: int = event["version"]
    return version


def at(whole: Parts, kind: str) -> int:
    """The version of the first event of that type."""
    return version_of(whole.first(kind))


def of_kind(whole: Parts, kind: str) -> int:
    """A seat of that kind."""
    return next(at for at, seat in enumerate(whole.events[0]["data"]["seats"]) if seat["kind"] == kind)


def told(whole: Parts, kind: str, check: str = "rules", **data: Any) -> Found:
    """Other data in the first event of that type."""
    whole.data(kind).update(data)
    return check, at(whole, kind)


def with_seats(seats: Any) -> Forge:
    """Other seats in the first event."""
    return lambda whole: told(whole, "game_created", seats=seats)


def with_a_seats_seed(seed: Any) -> Forge:
    """Another seed of the first seat in the first event."""

    def forge(whole: Parts) -> Found:
        whole.events[0]["data"]["seats"][0]["client_seed"] = seed
        return "rules", 1

    return forge


def with_deck_list(counts: dict[str, int]) -> Forge:
    """Another deck list, by which the cards are shuffled."""

    def forge(whole: Parts) -> Found:
        ruled(whole, deck_list=counts)
        return "rules", at(whole, "game_started")

    return forge


def taken_after_the_start(whole: Parts) -> Found:
    found = opened(whole)
    sat_down(whole, found + 1)
    return "rules", found


def without_a_start(whole: Parts) -> Found:
    for one in (whole.first("seat_taken"), whole.first("game_started")):
        whole.events.remove(one)
    return "rules", 2


def a_fork_with_an_open_seat(whole: Parts) -> Found:
    forked(whole)
    opened(whole)
    return "rules", 2


def taken_once_the_game_was_aborted(whole: Parts) -> Found:
    opened(whole)
    put_in(whole, 2, "game_aborted", {"app": "x"})
    return sat_down(whole, 3)


def a_line_of_millions_of_numbers(whole: Parts) -> Found:
    whole.events[4]["data"]["more"] = [0] * 3_000_000
    return "format", 5


def a_second_position(whole: Parts) -> Found:
    forked(whole)
    return event(whole, 3, "position_set", POSITION["migrato"])


def a_start_after_a_position(whole: Parts) -> Found:
    forked(whole)
    return "rules", at(whole, "game_started") + 1


def beyond_a_card_that_was_drawn(whole: Parts) -> Found:
    drawn = at(whole, "cards_drawn")
    taken_back(whole)
    taken = whole.first("moves_taken_back")
    whole.events.remove(taken)
    whole.events.insert(drawn, taken | {"version": drawn + 1})
    return "rules", drawn + 1


def an_id_that_every_salt_takes_in(whole: Parts) -> Found:
    whole.header["game_id"] = whole.events[0]["data"]["id"] = BOOK
    return "format", None


def a_key_that_is_a_book(whole: Parts) -> Found:
    whole.sign()
    whole.header["public_key"] = whole.header["public_key"] | {"x": BOOK}
    return "signature", None


def a_signature_that_is_a_book(whole: Parts) -> Found:
    whole.sign()
    whole.end["signature"]["signature"] = BOOK
    return "signature", len(whole.events)


def a_layout_by_the_name_of_every_objects_constructor(whole: Parts) -> Found:
    ruled(whole, round4_layout="constructor")
    forked(whole, round=3)
    empty: Json = {"cards": [], "turned": [], "boxed": []}
    return event(whole, 3, "round_started", empty | {"round": 4, "layout": "constructor", "starter": 0})


ANOTHER, A_BOT = {"app": "x", "player": "x"}, {"app": "x", "bot": "greedy"}
HOSTILE: dict[str, dict[str, Forge]] = {
    "migrato": {
        "a seat that makes a list of four thousand million": lambda w: event(
            w, 2, "seat_taken", {"player": "x", "client_seed": None}, 2**32 - 2
        ),
        "a bot's seat, taken before the start": lambda w: sat_down(
            w, version_of(laid_out(w)), of_kind(w, "bot")
        ),
        "a bot's seat, taken at the end": lambda w: sat_down(w, at(w, "game_ended"), of_kind(w, "bot")),
        "a start while a seat is open": lambda w: ("rules", opened(w)),
        "an open seat, taken after the start": taken_after_the_start,
        "a seat, taken once the game was aborted": taken_once_the_game_was_aborted,
        "a bot, replaced by another": lambda w: event(w, 2, "player_replaced", A_BOT, of_kind(w, "bot")),
        "a bot's seat, handed over": lambda w: event(w, 2, "seat_handed_over", ANOTHER, of_kind(w, "bot")),
        "a deck list whose sum is small": with_deck_list({"G1d": 10**9, "G2d": -(10**9)}),
        "a deck list of the largest number": with_deck_list({"G1d": 2**53 - 1}),
        "places that are no list": lambda w: told(w, "game_ended", "result", places=5),
        "places without end": lambda w: told(w, "game_ended", "result", places=[1] * 10**6),
        "every object's prototype": lambda w: told(w, "game_scored", "result", __proto__={}),
        "a line of millions of numbers": a_line_of_millions_of_numbers,
        "a million cards": lambda w: event(w, 4, "hand_exchanged", {"cards": ["G1d"] * 10**5}, 0),
        "a second creation with another deck": lambda w: event(
            w, 2, "game_created", w.events[0]["data"] | {"deck": ["G1d"] * 54}
        ),
        "a position without a setup": lambda w: event(w, 4, "position_set", POSITION["migrato"]),
        "a second position": a_second_position,
        "a start after a position": a_start_after_a_position,
        "a move taken back to a deck in another order": lambda w: taken_back(
            w, deck=sorted(laid_out(w)["data"]["deck"][6:])
        ),
        "a move taken back beyond a card that was drawn": beyond_a_card_that_was_drawn,
        "a move taken back to a pile that never lay there": lambda w: taken_back(w, discard_pile=["G1d"]),
        "a move taken back to one shuffle more": lambda w: taken_back(w, shuffles=2),
        "a move taken back to an event that is still to come": lambda w: taken_back(w, to_version=50),
        "an id that every salt takes in": an_id_that_every_salt_takes_in,
        "a key that is a book": a_key_that_is_a_book,
        "a signature that is a book": a_signature_that_is_a_book,
        "a seat's seed that is a number": with_a_seats_seed(5),
        "a negative seat": lambda w: event(w, 2, "player_replaced", {"bot": "greedy"}, -1),
        "no seat, which is taken": lambda w: sat_down(w, version_of(laid_out(w)), None),
        "a shuffle of a number that is a long text": lambda w: (
            "position",
            forked(w, shuffles="1" * 10**6)[1],
        ),
        "a position with too many cards": lambda w: forked(w, deck=["G1d"] * 10**5),
        "a second start": lambda w: event(w, 4, "game_started", w.data("game_started")),
    },
    "migo": {
        "a person's seat, taken before the start": lambda w: sat_down(
            w, at(w, "game_started"), of_kind(w, "human")
        ),
        "a person's seat, taken before a later round": lambda w: sat_down(
            w, version_of(w.last("round_started"))
        ),
        "an open seat, taken twice": lambda w: sat_down(
            w, at(w, "game_started"), w.first("seat_taken")["seat"]
        ),
        "a round without a start, while a seat is open": without_a_start,
        "a fork with an open seat": a_fork_with_an_open_seat,
        "an open seat that gets a bot": lambda w: event(
            w, 2, "player_replaced", A_BOT, w.first("seat_taken")["seat"]
        ),
        "a hand-over after the end": lambda w: event(w, at(w, "game_scored"), "seat_handed_over", ANOTHER, 0),
        "a seat's seed that is a book": with_a_seats_seed(BOOK),
        "no seats, of which one is to start": with_seats([]),
        "ten thousand seats": lambda w: with_seats(w.events[0]["data"]["seats"] * (10**4 // 3))(w),
        "seats that only say that they are many": with_seats({"length": 3}),
        "scores of a hundred thousand": lambda w: told(w, "round_ended", scores=[0] * 10**5),
        "every object's constructor": a_layout_by_the_name_of_every_objects_constructor,
        "a move taken back to cards on their other sides": lambda w: taken_back(
            w, table=list(map(turned, laid_out(w)["data"]["cards"]))
        ),
        "a move taken back to another starter": lambda w: taken_back(
            w, starter=(laid_out(w)["data"]["starter"] + 1) % 3
        ),
        "a move taken back to prepared rounds": lambda w: taken_back(
            w, prepared=[laid_out(w)["data"]["cards"]]
        ),
        "a move taken back to cards out of the box": lambda w: taken_back(w, boxed=["E01a"]),
        "a move taken back to a later round": lambda w: taken_back(w, round=2),
        "a move taken back to when somebody had resigned": lambda w: taken_back(w, resigned=[1]),
        "a hundred thousand who resigned": lambda w: forked(w, resigned=list(range(10**5))),
        "a round of the largest number": lambda w: forked(w, round=2**53 - 1),
        "a starter that is none": lambda w: forked(w, starter=-1),
        "cards that are not there": lambda w: forked(w, table=["E99a"]),
    },
}


def test_hostile_files_fail_where_they_are_hostile(tmp_path: Path) -> None:
    files, expected = dict[str, bytes](), dict[str, Found]()
    for game, forgeries in HOSTILE.items():
        files[game] = honest(game).reseal().file
        for what, forge in forgeries.items():
            whole, name = honest(game), f"{game}: {what}"
            expected[name] = forge(whole)
            files[name] = whole.reseal().file
    for what, there in in_node(tmp_path, files).items():
        wrong = there["wrong"] and (there["wrong"]["check"], there["wrong"]["version"])
        assert wrong == expected.get(what), (what, there["wrong"])
        assert there["verdict"] == ("failed" if what in expected else "passed"), what


VALUES = {  # in place of a number, and by which check each is found
    b"1e308": "canonical",
    b"1e999": "canonical",
    b"-0": "canonical",
    b"1.0": "canonical",
    b"9007199254740993": "canonical",
    b"NaN": "format",
    b"[" * 10**6 + b"]" * 10**6: "format",
    b"[" * 900 + b"]" * 900: "canonical",
    b'{"__proto__":' * 10**5 + b"1" + b"}" * 10**5: "format",
    b'{"__proto__":[]}': "format",
}


def test_values_that_no_event_has_are_found(tmp_path: Path) -> None:
    files, (header, *lines) = dict[str, bytes](), honest("migo").file.splitlines(keepends=True)
    for number, value in enumerate(VALUES):
        changed = lines[2].replace(b'"schema":1', b'"schema":' + value)
        files[f"{number}: {value[:20].decode()}"] = b"".join([header, *lines[:2], changed, *lines[3:]])
    for (what, there), check in zip(in_node(tmp_path, files).items(), VALUES.values(), strict=True):
        assert (there["wrong"]["check"], there["wrong"]["version"]) == (check, 3), what


def test_too_much_is_told(tmp_path: Path) -> None:
    """A header that is nested without end; more lines, a longer one and more bytes than a game has."""
    _, *others = honest("migo").file.splitlines(keepends=True)
    deep = b'{"deck":%s,"format":"migrato-export/1"}\n' % (b"[" * 10**6 + b"]" * 10**6)
    files = {
        "deep": b"".join([deep, *others]),
        "more lines than a game has": b'{"format":"migrato-export/1"}' + b"\n" * 2**22,
        "its first line is not JSON": b"[" * 2**23,
        "larger than 64 MiB": b'{"format":"migrato-export/1"}\n' + b" " * 2**26,
    }
    found = in_node(tmp_path, files)
    wrong = found.pop("deep")["wrong"]
    assert (wrong["check"], wrong["detail"]) == ("format", "The header is nested too deeply.")
    for why, there in found.items():
        assert why in there["unreadable"]


def test_neither_a_strange_number_nor_an_endless_stream_is_waited_for() -> None:
    """There is no such seat to start. A stream is read no further than a file may be long, nor kept whole."""
    proof = (PROGRAMS / "../../../service/web/proof").resolve()
    program = f"""
      import {{ Chance }} from "{proof}/chance.js";
      import {{ bytesOf }} from "{proof}/lines.js";
      const chance = await Chance.of(new Uint8Array(32), "game");
      for (const seats of [0, -1, 0.5, NaN, 2 ** 33])
        await chance.firstSeat(seats, []).then(console.log, (error) => console.log(error.name));
      let sent = 0, cancelled = false;
      const endless = new ReadableStream({{
        pull: (to) => (sent++, to.enqueue(new Uint8Array(2 ** 20))),
        cancel: () => void (cancelled = true),
      }});
      await bytesOf(endless).catch((error) => console.log(error.message));
      console.log(cancelled, sent < 70);
      console.log((await bytesOf(new Blob(["abc"]).stream())).length);
    """
    command = [str(NODE), "--no-warnings", "--input-type=module", "-e", program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=True)
    assert done.stdout.splitlines() == [
        *["RangeError"] * 5,
        "The file is larger than 64 MiB: check it with `migrato verify`.",
        "true true",
        "3",
    ]


def test_cards_that_were_prepared_in_secret_are_found(tmp_path: Path) -> None:
    """The first event has the cards, and says that nothing was prepared."""
    deck, rounds = honest("migrato"), honest("migo")
    deck.header["deck"] = deck.events[0]["data"]["deck"] = laid_out(deck)["data"]["deck"]
    lying = laid_out(rounds)["data"]
    round_1 = [turned(name) if name[:-1] in lying["turned"] else name for name in lying["cards"]]
    rounds.events[0]["data"]["rounds"] = [round_1]
    for is_told in (False, True):
        for whole in (deck, rounds):
            whole.events[0]["data"]["setup"] = is_told
        files = {"a deck": deck.reseal().file, "a round": rounds.reseal().file}
        for what, found in in_node(tmp_path, files).items():
            (shuffles,) = (one for one in found["checks"] if one["check"] == "shuffles")
            if is_told:
                assert (found["wrong"], shuffles["status"]) == (None, "partly"), what
                assert "set up" in shuffles["note"]
            else:
                assert (found["wrong"]["check"], found["wrong"]["version"]) == ("rules", 1), what
