"""The verification in the browser comes to what `migrato verify` comes to, as far as it goes; here Node runs it.

It does not know the rules. So what only they forbid is not found, and the report says that it was not checked.
"""

import json
import random
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from marshmallow import fields

from domain.common_events import clocks
from domain.common_events.takebacks import TAKEN_BACK
from domain.interventions import ABORT, ADJUDICATION, SILENT, WITH_REASON
from domain.lifecycle import SEALED_CREATION, Adjudicate, EventRecord, Json, Seat
from domain.registry import GAMES
from events.audit.findings import CHECKS, CheckFailed
from events.audit.verify import verify
from events.engine.command_handler import Request
from events.log.export import Unreadable
from events.ports import CommandId
from service.http.schemas.common.events import EventSchema
from service.http.schemas.of_each_game import event_schemas
from tests.audit import fuzz, migo_games, migo_tampering, test_tampering
from tests.audit.games import ADA, KEY, TRUSTED, Corpus, Table, fault_of, parsed
from tests.audit.tamper import Forge, parts
from tests.audit.test_running_clocks import relinked
from tests.audit.vectors import PATH
from tests.golden.test_archive import kept
from tests.support.markdown import ROOT
from tests.support.node import NODE
from tests.support.waiting import LIMIT

PROGRAMS = Path(__file__).parent / "programs"
# What the browser checks in part, or leaves to `migrato verify`: of games that are over, and of those that run.
PARTLY = {"rules", "result", "clocks", "position", "bots"}
OF_RUNNING = {"redacted"}
BY_FORM = {  # what only the rules forbid, and shows without them
    "two times in one move", "a seat that is not there", "an event of a schema that nobody knows",
    "a token for a bot's seat", "a token for an open seat", "a token for nobody", "a token in a game that is over",
    "a new token that says more than that", "a hint for a bot's seat", "a game that a seat aborts",
    "an abortion by no app", "another app that decides", "a bot's seat with a player", "an open seat with a player",
    "an open seat with a client seed", "a seat with a name that no engine takes",
    "a player with a name that no engine takes", "a client seed that no engine takes",
    "a hint of a version that no engine has", "a bot of a version that no engine has",
    "an app with a name that no engine takes", "a new player with such a name", "a bot with such a name",
    "a clock with a bot of such a name", "a deadline that is no time", "a game that goes on after it was aborted",
    "a move that nobody knows", "a game that never starts", "a round that is never laid out",
    "a card that is not in the hand", "a move out of turn", "another card in the hand of whoever takes back",
    "cards that the other seat draws", "more cards than were drawn", "an exchange of a part of the hand",
    "a clock that cannot be", "a clock by which nobody moves in the end",
    "a card that does not lie there", "a set-up that was none", "a player without a name",
    "a player with a control in the name", "a player with room before the name", "a seat with a name of controls",
    "a bot without a version", "an app without a name", "a client seed of nothing",
    "a new player whose name says nothing", "a clock of releases before the game",
    "less time given back than for any outage", "more time given back than the outage can have taken",
}  # fmt: skip
# Found by who trusts another key; the report says that the signer is none of the trusted.
OF_THE_SIGNER = {"signed with a key of somebody's own", "no signature where one must be"}


def in_node(
    folder: Path, exports: Mapping[str, bytes], trusted: Mapping[str, str] = TRUSTED
) -> dict[str, Json]:
    """The reports by name; `unreadable` says why there is none."""
    folder.mkdir(exist_ok=True)
    files = []
    for number, export in enumerate(exports.values()):
        files.append(folder / f"{number}.ndjson")
        files[-1].write_bytes(export)
    found = node("verify.mjs", json.dumps(trusted), *map(str, files))
    return dict(zip(exports, map(json.loads, found.split("\n")[:-1]), strict=True))


def node(program: str, *arguments: str) -> str:
    command = [str(NODE), "--no-warnings", str(PROGRAMS / program), *arguments]
    done = subprocess.run(command, capture_output=True, timeout=LIMIT, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def test_honest_games_come_to_the_same_verdict(played: Corpus, tmp_path: Path) -> None:
    """Of both games, of every kind, over and running, and of an archive; check by check."""
    migo = migo_games.corpus()
    corpora: dict[str, Mapping[str, bytes]] = {
        "migrato": played.finished,
        "migrato that run": played.running,
        "migo": migo.finished,
        "migo that run": migo.running,
        "archived": {game_id: game.export for game_id, game in kept().items()},
    }
    assert all(corpora.values())
    games = {f"{name} ({kind})": export for kind, of in corpora.items() for name, export in of.items()}
    for name, there in in_node(tmp_path, games).items():
        own = verify(parsed(games[name])).document
        assert there["wrong"] is None, (name, there["wrong"])
        for member in ("game_id", "game", "version", "complete", "verdict"):
            assert there[member] == own[member], (name, member)
        over = own["verdict"] != "incomplete"
        for here, other in zip(own["checks"], there["checks"], strict=True):
            check = here["check"]
            assert other["check"] == check
            if check in (PARTLY if over else OF_RUNNING):
                assert other["status"] in ("passed", "partly", "not-checked"), (name, other)
                assert check not in ("rules", "result", "redacted") or other["status"] != "passed", name
            else:
                same = (other["status"], other["count"]) == (here["status"], here["count"])
                assert same, (name, here, other)


def test_a_game_that_counts_for_ratings_verifies(table: Table, tmp_path: Path) -> None:
    """The one that paired its players, the strength of the bot, and the note that somebody has left it alone."""
    game_id = table.create(ADA, Seat("bot", bot="greedy"), first_seat="random")
    now = table.now(game_id)
    command = Adjudicate("tests", (2, 1), SILENT)
    table.application.interventions._handler.attempt(now, Request(None, command, CommandId("silence")))
    export = table.finish(game_id)
    assert (b'"pairing":"bots"' in export, b'"elo":' in export, b'"reason":"silent"' in export) == (True,) * 3
    assert verify(parsed(export), trusted=TRUSTED).wrong is None
    assert in_node(tmp_path, {"it": export})["it"]["wrong"] is None


def test_changes_are_found_by_their_checks(played: Corpus, tmp_path: Path, subtests: pytest.Subtests) -> None:
    """Every forgery that the audit knows: by that check alone, and in the browser at the same event; what only the
    rules forbid is said there to be unchecked.
    """
    of_games = (
        (played.finished.__getitem__, test_tampering.CASES.cases),
        (migo_games.played, migo_tampering.CASES.cases),
    )
    cases = [(finished, *case) for finished, all_of_one in of_games for case in all_of_one]
    assert {check for _, check, *_ in cases} == set(CHECKS)
    changed, faults = list[bytes](), list[CheckFailed]()
    for finished, check, name, what, forge in cases:
        with subtests.test(f"{what} ({name})"):
            changed.append(forge(parts(finished(name))))
            report = verify(parsed(changed[-1]), trusted=TRUSTED, bots=check == "bots")
            faults.append(fault_of(report))
            assert faults[-1].check == check, faults[-1].document
            assert (report.passed, report.complete) == (False, False)
    found = in_node(tmp_path, {str(number): file for number, file in enumerate(changed)}).values()
    exact = 0
    for (_, check, name, what, _), own, there in zip(cases, faults, found, strict=True):
        wrong, status = there["wrong"], {one["check"]: one["status"] for one in there["checks"]}
        if what in OF_THE_SIGNER:
            assert there["signer"] is None or not there["signer"]["trusted"], what
        elif what in BY_FORM:
            assert wrong is not None, what
            assert wrong["check"] == check, what
        elif check in PARTLY | OF_RUNNING:
            (note,) = (one["note"] for one in there["checks"] if one["check"] == check)
            is_left = status[check] in ("partly", "not-checked") and "not checked here: " in note
            assert wrong or is_left, what
        else:
            assert wrong is not None, (what, name, own.document)
            assert wrong["check"] == own.check, (what, name, wrong, own.document)
            assert wrong["version"] == own.version, (what, name, wrong, own.document)
            assert (there["verdict"], status[check]) == ("failed", "failed")
            exact += 1
    assert exact >= 80


RUNNING: dict[str, tuple[int, Forge]] = {  # what no event looks like, by what is wrong with it, and where
    "a type that no game has": (2, lambda e: e.first("game_started").update(type="game_begun")),
    "a deal of one seat's": (2, lambda e: e.first("game_started").update(seat=0)),
    "a deal that says more than that": (2, lambda e: e.data("game_started").update(more=1)),
    "a deal of a schema that nobody knows": (2, lambda e: e.first("game_started").update(schema=2)),
}


def test_events_that_no_running_game_has_are_found(played: Corpus, tmp_path: Path) -> None:
    """At the events where the audit finds them, though most of their data is hidden."""
    files = dict[str, bytes]()
    for what, (version, forge) in RUNNING.items():
        forged = parts(played.running["spectator"]).unsigned()
        forge(forged)
        own = fault_of(relinked(forged))
        assert (own.check, own.version) == ("redacted", version)
        files[what] = forged.file
    for what, there in in_node(tmp_path, files).items():
        assert (there["wrong"]["check"], there["wrong"]["version"]) == ("redacted", RUNNING[what][0]), what


def test_mutations_are_found_where_the_audit_finds_them(played: Corpus, tmp_path: Path) -> None:
    """Bytes and lines changed at random; what is sealed again is found, or said to be for the rules."""
    rng, mutated = random.Random(7), dict[str, bytes]()
    files = [played.finished["people"], played.finished["clock"], migo_games.played("3")]
    for number in range(150):
        mutation = rng.choice(fuzz.MUTATIONS)
        export = rng.choice(files)
        if (changed := mutation(rng, export, files)) != export:
            mutated[f"{mutation.__name__} {number}"] = changed
    sealed = ("change_data", "change_header_too", "other_type", "move_events", "change_members")
    for name, there in in_node(tmp_path, mutated).items():
        try:
            own = verify(parsed(mutated[name]), trusted=TRUSTED).wrong
        except (Unreadable, ValueError):  # nothing to read, or more than one game
            assert "unreadable" in there or there["wrong"], name
            continue
        if own is None:
            continue
        if name.split()[0] in sealed:
            assert "unreadable" in there or there["wrong"] or there["signer"], name
        elif "unreadable" not in there:
            assert there["wrong"], (name, own.document)
            assert there["wrong"]["version"] == own.version, (name, there["wrong"], own.document)


def test_the_signer_is_trusted_only_if_its_key_is(played: Corpus, tmp_path: Path) -> None:
    """A key of the same id that is another one is not it."""
    export = {"bots": played.finished["bots"]}
    for trusted in (TRUSTED, {}, {KEY["kid"]: "A" * 43, "0" * 16: KEY["x"]}):
        signer = {"key_id": KEY["kid"], "trusted": trusted is TRUSTED}
        assert in_node(tmp_path, export, trusted)["bots"]["signer"] == signer


def test_files_that_are_no_export_are_named(played: Corpus, tmp_path: Path) -> None:
    files = {
        b"": "empty",
        b"\x1f\x8b\x08": "compressed",
        b"hello\n": "not JSON",
        b'{"code":"not-found"}\n': "does not name a format",
        b'{"format":"migrato-export/9"}\n': "nothing is known",
        b'{"format":"migrato-export/1"}\n': "before the game does",
        b'{"format":"migrato-export/1"}\n{"end":{}}': "before the game does",
        played.finished["setup"] + played.finished["long"]: "more than one game",
    }
    for file, there in in_node(tmp_path, {str(number): file for number, file in enumerate(files)}).items():
        assert list(files.values())[int(file)] in there["unreadable"]


def test_the_browser_comes_to_the_vectors() -> None:
    """The published ones, which hold docs/audit/verify.mjs, too; and it knows every check."""
    assert list(CHECKS) == json.loads(node("checks.mjs"))[0]
    done = node("vectors.mjs", str(PATH))
    assert {line.split()[1] for line in done.splitlines()} == {
        "canonical", "salt", "chain", "refused", "shuffle", "first", "signature",
    }  # fmt: skip


def test_the_guide_says_what_the_browser_does_not_check() -> None:
    """The guide names each check that the browser leaves out, in the browser's own words."""
    _, left = json.loads(node("checks.mjs"))
    assert left.keys() == PARTLY | OF_RUNNING
    guide = (ROOT / "docs/reference/verification.md").read_text()
    rows = re.findall(r"^\| `([a-z-]+)` \| [^|]+ \| ([^|]+) \| ([^|]*)\|$", guide, re.MULTILINE)
    told = {check: (here == "whole", f"not checked here: {rest.strip()}") for check, here, rest in rows}
    assert {check: told[check] for check in CHECKS} == {
        check: (check not in left, left.get(check, "not checked here: ")) for check in CHECKS
    }


def test_the_browser_knows_the_form_of_every_event() -> None:
    """As the schemas of the API have it: whose it is, and the members of its data with their types."""
    known = json.loads(node("forms.mjs"))
    assert list(known) == list(GAMES)
    for name, there in known.items():
        game, forms = GAMES[name], there["forms"]
        assert there["fallback"] == game.fallback_bot
        assert sorted(there["chance"]) == sorted(game.chance_events)
        expected = {kind: _form(schema) for kind, schema in event_schemas(name).items()}
        assert {kind: (form["ofSeat"], form["members"]) for kind, form in forms.items()} == expected
        records = [EventRecord(kind, 1, None, {"abandoned": False}) for kind in forms]
        following = {one.type for one in records if game.is_consequence(one._replace(type=""), one)}
        assert {kind for kind, form in forms.items() if form["follows"]} == following | {TAKEN_BACK}
        newest = {kind: form["newest"] for kind, form in forms.items() if "newest" in form}
        assert newest == {
            clocks.SET: clocks.SET_SCHEMA, ABORT: WITH_REASON, ADJUDICATION: WITH_REASON, **dict([SEALED_CREATION])
        }  # fmt: skip


TYPES: dict[type[fields.Field[Any]], str] = {
    fields.Integer: "number", fields.Boolean: "flag", fields.String: "text", fields.List: "list",
    fields.Nested: "object",
}  # fmt: skip


def _form(schema: EventSchema) -> tuple[bool, dict[str, str]]:
    members = {}
    for name, field in schema.data.fields.items():
        kind = next(name for of, name in TYPES.items() if isinstance(field, of))
        kind = {"deadline": "time", "since": "time", "until": "time", "budget": "budget"}.get(name, kind)
        also = ["null"] * field.allow_none + ["absent"] * (not field.required)
        members[field.data_key or name] = "|".join([kind, *also])
    return schema.of_a_seat, members
