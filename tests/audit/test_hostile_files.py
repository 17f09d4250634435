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
from tests.audit.test_in_the_browser import PROGRAMS, in_node, of_old_archives
from tests.node import NODE

Found = tuple[str, int | None]  # the check that fails, and at which event
Forge = Callable[[Parts], Found]
HOSTILE: dict[str, dict[str, Forge]] = {"migrato": {}, "migo": {}}
POSITION: dict[str, Json] = {
    "migrato": {
        "phase": "action",
        "to_act": 0,
        "turn": 1,
        "shuffles": 1,
        "count": 0,
        **{
            name: []
            for name in ("deck", "discard_pile", "hands", "hand_sizes", "columns", "arrivals", "landed")
        },
        "return_flights": [],
    },
    "migo": {
        "to_act": 0,
        "turn": 1,
        "round": 1,
        "starter": 0,
        "prepared": None,
        **{name: [] for name in ("players", "table", "discarded", "boxed", "resigned", "rounds")},
    },
}


def hostile(game: str, what: str) -> Callable[[Forge], Forge]:
    def entered(forge: Forge) -> Forge:
        HOSTILE[game][what] = forge
        return forge

    return entered


def honest(game: str) -> Parts:
    """A finished game, without its signature."""
    of_old = (export for export in of_old_archives().values() if b'"danger_played"' in export)
    whole = parts(migo_games.played("3") if game == "migo" else next(of_old))
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


@hostile("migrato", "a seat that makes a list of four thousand million")
def _(whole: Parts) -> Found:
    put_in(whole, 2, "seat_taken", {"player": "x", "client_seed": None}, 2**32 - 2)
    return "rules", 2


def sat_down(whole: Parts, version: int, seat: int | None = 0) -> Found:
    """Somebody takes the seat, with the seed that it has; whoever knows the server's could have chosen another one."""
    seed = None if seat is None else whole.end["client_seeds"][seat]
    put_in(whole, version, "seat_taken", {"player": "x", "client_seed": seed}, seat)
    return "rules", version


def opened(whole: Parts, seat: int) -> None:
    """The seat was open when the game was created."""
    whole.events[0]["data"]["seats"][seat] |= dict.fromkeys(("player", "bot", "client_seed")) | {
        "kind": "open"
    }


def of_kind(whole: Parts, kind: str) -> int:
    """A seat of that kind."""
    return next(at for at, seat in enumerate(whole.events[0]["data"]["seats"]) if seat["kind"] == kind)


@hostile("migrato", "a bot's seat that is taken before the start")
def _(whole: Parts) -> Found:
    return sat_down(whole, laid_out(whole)["version"], of_kind(whole, "bot"))


@hostile("migrato", "a bot's seat that is taken at the end")
def _(whole: Parts) -> Found:
    return sat_down(whole, whole.first("game_ended")["version"], of_kind(whole, "bot"))


@hostile("migo", "a person's seat that is taken before the start")
def _(whole: Parts) -> Found:
    return sat_down(whole, whole.first("game_started")["version"], of_kind(whole, "human"))


@hostile("migo", "a person's seat that is taken before a later round")
def _(whole: Parts) -> Found:
    return sat_down(whole, whole.last("round_started")["version"])


@hostile("migo", "an open seat that is taken twice")
def _(whole: Parts) -> Found:
    return sat_down(whole, whole.first("game_started")["version"], whole.first("seat_taken")["seat"])


@hostile("migrato", "a start while a seat is open")
def _(whole: Parts) -> Found:
    opened(whole, 0)
    return "rules", laid_out(whole)["version"]


@hostile("migrato", "an open seat that is taken after the start")
def _(whole: Parts) -> Found:
    opened(whole, 0)
    sat_down(whole, laid_out(whole)["version"] + 1)
    return "rules", laid_out(whole)["version"]


@hostile("migo", "a round without a start, while a seat is open")
def _(whole: Parts) -> Found:
    for event in (whole.first("seat_taken"), whole.first("game_started")):
        whole.events.remove(event)
    return "rules", 2


@hostile("migo", "a fork with an open seat")
def _(whole: Parts) -> Found:
    forked(whole)
    opened(whole, 0)
    return "rules", 2


@hostile("migrato", "a seat that is taken once the game was aborted")
def _(whole: Parts) -> Found:
    opened(whole, 0)
    put_in(whole, 2, "game_aborted", {"app": "x"})
    return sat_down(whole, 3)


@hostile("migrato", "a bot that is replaced by another one")
def _(whole: Parts) -> Found:
    put_in(whole, 2, "player_replaced", {"app": "x", "bot": "greedy"}, of_kind(whole, "bot"))
    return "rules", 2


@hostile("migo", "an open seat that gets a bot")
def _(whole: Parts) -> Found:
    put_in(whole, 2, "player_replaced", {"app": "x", "bot": "greedy"}, whole.first("seat_taken")["seat"])
    return "rules", 2


@hostile("migrato", "a bot's seat that is handed over")
def _(whole: Parts) -> Found:
    put_in(whole, 2, "seat_handed_over", {"app": "x", "player": "x"}, of_kind(whole, "bot"))
    return "rules", 2


@hostile("migo", "a seat that is handed over after the end")
def _(whole: Parts) -> Found:
    version = whole.first("game_scored")["version"]
    return "rules", put_in(whole, version, "seat_handed_over", {"app": "x", "player": "x"}, 0)["version"]


@hostile("migrato", "a deck list whose sum is small")
def _(whole: Parts) -> Found:
    ruled(whole, deck_list={"G1d": 10**9, "G2d": -(10**9)})
    return "rules", whole.first("game_started")["version"]


@hostile("migrato", "a deck list of the largest number")
def _(whole: Parts) -> Found:
    ruled(whole, deck_list={"G1d": 2**53 - 1})
    return "rules", whole.first("game_started")["version"]


@hostile("migrato", "places that are no list")
def _(whole: Parts) -> Found:
    ended = whole.first("game_ended")
    ended["data"]["places"] = 5
    return "result", ended["version"]


@hostile("migrato", "places without end")
def _(whole: Parts) -> Found:
    ended = whole.first("game_ended")
    ended["data"]["places"] = [1] * 10**6
    return "result", ended["version"]


@hostile("migrato", "a result by the name of every object's prototype")
def _(whole: Parts) -> Found:
    scored = whole.first("game_scored")
    scored["data"]["__proto__"] = {}
    return "result", scored["version"]


@hostile("migrato", "a line of millions of numbers")
def _(whole: Parts) -> Found:
    whole.events[4]["data"]["more"] = [0] * 3_000_000
    return "format", 5


@hostile("migrato", "a million cards on the discard pile")
def _(whole: Parts) -> Found:
    put_in(whole, 4, "hand_exchanged", {"cards": ["G1d"] * 10**5}, 0)
    return "rules", 4


@hostile("migrato", "a second creation with another deck")
def _(whole: Parts) -> Found:
    put_in(whole, 2, "game_created", whole.events[0]["data"] | {"deck": ["G1d"] * 54})
    return "rules", 2


@hostile("migrato", "a position that is set in a game without a setup")
def _(whole: Parts) -> Found:
    put_in(whole, 4, "position_set", POSITION["migrato"])
    return "rules", 4


@hostile("migrato", "a second position")
def _(whole: Parts) -> Found:
    forked(whole)
    put_in(whole, 3, "position_set", POSITION["migrato"])
    return "rules", 3


@hostile("migrato", "a start after a position")
def _(whole: Parts) -> Found:
    forked(whole)
    return "rules", whole.first("game_started")["version"] + 1


@hostile("migrato", "a move taken back to a deck in another order")
def _(whole: Parts) -> Found:
    return taken_back(whole, deck=sorted(laid_out(whole)["data"]["deck"][6:]))


@hostile("migrato", "a move taken back beyond a card that was drawn")
def _(whole: Parts) -> Found:
    drawn = whole.first("cards_drawn")["version"]
    taken_back(whole)
    taken = whole.first("moves_taken_back")
    whole.events.remove(taken)
    whole.events.insert(drawn, taken | {"version": drawn + 1})
    return "rules", drawn + 1


@hostile("migrato", "an id that every salt takes in")
def _(whole: Parts) -> Found:
    whole.header["game_id"] = whole.events[0]["data"]["id"] = "x" * 10**6
    return "format", None


@hostile("migrato", "a key that is a book")
def _(whole: Parts) -> Found:
    whole.sign()
    whole.header["public_key"] = whole.header["public_key"] | {"x": "A" * 10**6}
    return "signature", None


@hostile("migrato", "a signature that is a book")
def _(whole: Parts) -> Found:
    whole.sign()
    whole.end["signature"]["signature"] = "A" * 10**6
    return "signature", len(whole.events)


@hostile("migrato", "a seat's seed that is a number")
def _(whole: Parts) -> Found:
    whole.events[0]["data"]["seats"][0]["client_seed"] = 5
    return "rules", 1


@hostile("migo", "a seat's seed that is a book")
def _(whole: Parts) -> Found:
    whole.events[0]["data"]["seats"][0]["client_seed"] = "x" * 10**6
    return "rules", 1


@hostile("migo", "no seats, of which one is to start")
def _(whole: Parts) -> Found:
    whole.events[0]["data"]["seats"] = []
    return "rules", 1


@hostile("migo", "ten thousand seats")
def _(whole: Parts) -> Found:
    whole.events[0]["data"]["seats"] *= 10**4 // 3
    return "rules", 1


@hostile("migo", "seats that only say that they are many")
def _(whole: Parts) -> Found:
    whole.events[0]["data"]["seats"] = {"length": 3}
    return "rules", 1


@hostile("migo", "scores of a hundred thousand")
def _(whole: Parts) -> Found:
    ended = whole.first("round_ended")
    ended["data"]["scores"] = [0] * 10**5
    return "rules", ended["version"]


@hostile("migo", "a layout by the name of every object's constructor")
def _(whole: Parts) -> Found:
    ruled(whole, round4_layout="constructor")
    forked(whole, round=3)
    empty: Json = {"cards": [], "turned": [], "boxed": []}
    put_in(whole, 3, "round_started", empty | {"round": 4, "layout": "constructor", "starter": 0})
    return "rules", 3


@hostile("migo", "a move taken back to cards that lie on their other sides")
def _(whole: Parts) -> Found:
    return taken_back(whole, table=list(map(turned, laid_out(whole)["data"]["cards"])))


@hostile("migo", "a move taken back to another starter")
def _(whole: Parts) -> Found:
    return taken_back(whole, starter=(laid_out(whole)["data"]["starter"] + 1) % 3)


@hostile("migo", "a move taken back to rounds that are prepared")
def _(whole: Parts) -> Found:
    return taken_back(whole, prepared=[laid_out(whole)["data"]["cards"]])


HOSTILE["migrato"] |= {
    "a negative seat": lambda w: event(w, 2, "player_replaced", {"bot": "greedy"}, -1),
    "no seat, which is taken": lambda w: sat_down(w, laid_out(w)["version"], None),
    "a shuffle of a number that is a long text": lambda w: ("position", forked(w, shuffles="1" * 10**6)[1]),
    "a position with too many cards": lambda w: forked(w, deck=["G1d"] * 10**5),
    "a second start": lambda w: event(w, 4, "game_started", w.first("game_started")["data"]),
    "a move taken back to a pile that never lay there": lambda w: taken_back(w, discard_pile=["G1d"]),
    "a move taken back to one shuffle more": lambda w: taken_back(w, shuffles=2),
    "a move taken back to an event that is still to come": lambda w: taken_back(w, to_version=50),
}
HOSTILE["migo"] |= {
    "a hundred thousand who resigned": lambda w: forked(w, resigned=list(range(10**5))),
    "a round of the largest number": lambda w: forked(w, round=2**53 - 1),
    "a starter that is none": lambda w: forked(w, starter=-1),
    "cards that are not there": lambda w: forked(w, table=["E99a"]),
    "a move taken back to cards out of the box": lambda w: taken_back(w, boxed=["E01a"]),
    "a move taken back to a later round": lambda w: taken_back(w, round=2),
    "a move taken back to when somebody had resigned": lambda w: taken_back(w, resigned=[1]),
}


def test_hostile_files_fail_where_they_are_hostile(tmp_path: Path) -> None:
    files, expected = dict[str, bytes](), dict[str, Found]()
    for game, forgeries in HOSTILE.items():
        files[game] = honest(game).reseal().file
        for what, forge in forgeries.items():
            whole = honest(game)
            expected[f"{game}: {what}"] = forge(whole)
            signed = whole.end["signature"]
            files[f"{game}: {what}"] = whole.reseal().file
            assert signed == whole.end["signature"]
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
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
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
    files = {"a deck": deck.reseal().file, "a round": rounds.reseal().file}
    for what, found in in_node(tmp_path, files).items():
        assert (found["wrong"]["check"], found["wrong"]["version"]) == ("rules", 1), what
    for whole in (deck, rounds):
        whole.events[0]["data"]["setup"] = True
    files = {"a deck": deck.reseal().file, "a round": rounds.reseal().file}
    for what, found in in_node(tmp_path, files).items():
        (shuffles,) = (one for one in found["checks"] if one["check"] == "shuffles")
        assert (found["wrong"], shuffles["status"]) == (None, "partly"), what
        assert "set up" in shuffles["note"]
