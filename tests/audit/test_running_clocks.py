"""Clocks of games that run, forged by whoever runs the engine: their events are public, so some of it shows at once."""

import pytest

from events.audit.findings import Report
from events.audit.verify import verify
from events.log import chain, leaves
from events.runtime.embedded import EmbeddedServer
from tests.audit.games import ADA, BO, Table, fault_of, parsed
from tests.audit.tamper import Forge, Parts, parts, twice, with_data, with_members, without
from tests.events.timed import Time, clocked, timed


@pytest.fixture(scope="module")
def timed_out(server: EmbeddedServer) -> dict[str, bytes]:
    """Running games in which somebody's time was up, by what came of it."""
    exports = {}
    for when_up in ("bot", "replace"):
        time = Time()
        table = Table(timed(server.url, time))
        clock = {"kind": "per-move", "seconds": 60, "when_up": when_up}
        game_id = clocked(table.application, clock, seats=(ADA, BO))
        time.passes(60)
        table.settle(game_id)
        exports[when_up] = table.export(game_id, signed=False)
    return exports


def relinked(export: Parts) -> Report:
    """As whoever runs the engine could, without showing more than before."""
    head = chain.GENESIS_OF[2]
    for version, event in enumerate(export.events, 1):
        event["version"] = version
        try:
            bare, values = leaves.opened(event["data"], event["sealed"])
        except leaves.NotThere:
            event |= {"sealed": {}, "salts": {}}
            bare, values = event["data"], {}
        for pointer, salt in event["salts"].items():
            digest = leaves.digest(bytes.fromhex(salt), pointer, values[pointer])
            event["sealed"] = event["sealed"] | {pointer: digest}
        names = ("version", "type", "schema", "at", "seat", "sealed")
        written = chain.canonical({name: event[name] for name in names} | {"data": bare})
        event["commitment"] = chain.digest_of(written).hex()
        head = chain.link(head, bytes.fromhex(event["commitment"]))
        event["head"] = head.hex()
    export.end |= {"version": len(export.events), "head": head.hex()}
    return verify(parsed(export.file))


def _cut_after(export: Parts) -> None:
    """Nobody does what follows from it."""
    del export.events[export.at("turn_timed_out") + 1 :]


def _credit(export: Parts) -> None:
    """A day for an outage of seconds, before the time was up."""
    up, data = export.at("turn_timed_out"), {"milliseconds": 86_400_000, "until": "2026-11-21T12:00:09.000Z"}
    export.events.insert(up, {**export.events[up], "type": "clock_credited", "data": data})


FORGED_CLOCKS: list[tuple[str, Forge]] = [
    ("bot", _credit),
    ("bot", with_members("clock_set", schema=1)),
    ("bot", without("clock_set")),
    ("bot", twice("clock_set")),
    ("bot", with_members("clock_set", at="2026-11-21T12:00:01.000Z")),
    ("bot", without("turn_timed_out")),
    ("bot", with_data("turn_timed_out", deadline="2027-01-01T00:00:00.000Z")),
    ("bot", with_data("turn_timed_out", when_up="replace")),
    ("bot", with_members("turn_timed_out", seat=1)),
    ("bot", with_data("move_chosen", bot="random")),
    ("bot", _cut_after),
    ("replace", without("player_replaced")),
    ("replace", with_data("player_replaced", bot="random")),
    ("replace", with_members("player_replaced", seat=1)),
]


def test_forged_clocks_of_games_that_run_are_found(
    timed_out: dict[str, bytes], subtests: pytest.Subtests
) -> None:
    for export in timed_out.values():
        assert relinked(parts(export)).verdict == "incomplete"
    for number, (game, forge) in enumerate(FORGED_CLOCKS):
        with subtests.test(game, number=number):
            forged = parts(timed_out[game])
            forge(forged)
            assert fault_of(relinked(forged)).check == "clocks"
