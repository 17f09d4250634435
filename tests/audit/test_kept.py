"""Things that were kept during a game, in every form in which an engine gives them: each lie is found at its event."""

import gzip
import json
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from domain.lifecycle import Json
from events.audit.findings import CheckFailed
from events.audit.kept.comparing import Compared, KeptThings
from events.audit.kept.reading import read
from events.audit.verify import verify
from events.engine.new_game import NewGame
from service.cli import main
from tests.audit.games import ADA, BO, SIGNER, Corpus, Table, parsed
from tests.audit.tamper import Parts, parts
from tests.audit.test_histories import cut, moves, reissued

OTHER = "0" * 64


@pytest.fixture(scope="module")
def export(played: Corpus) -> bytes:
    return played.finished["people"]


@pytest.fixture(scope="module")
def seen(export: bytes) -> Parts:
    """Everything that a spectator saw of a game, but for its end."""
    whole = parts(export)
    return cut(whole, len(whole.events) - 3)


def lines(documents: list[Json]) -> bytes:
    return b"".join(json.dumps(document).encode() + b"\n" for document in documents)


def agreeing(events: int, of: int, heads: int = 0, looks: int = 0, later: int = 0) -> Compared:
    """The sum of things none of which was kept twice."""
    return Compared(events + heads + looks, events, of, heads, looks, later)


def compared(export: bytes, *files: bytes) -> Compared | None:
    exported = parsed(export)
    kept = KeptThings(read(f"file {number}", content) for number, content in enumerate(files))
    return kept.compare(verify(exported), exported)


def fault(export: bytes, *files: bytes) -> CheckFailed:
    with pytest.raises(CheckFailed) as found:
        compared(export, *files)
    assert found.value.check == "kept"
    return found.value


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["verify", *map(str, arguments)])


def other(value: Any) -> Any:
    """Another value of the same kind; None for one that has none."""
    if isinstance(value, bool):
        return not value
    return value + 1 if isinstance(value, int) else f"{value}x" if isinstance(value, str) else None


def changes(document: Any) -> Iterator[Any]:
    """The document with each value in it changed in turn, or left out."""
    if isinstance(document, (dict, list)):
        for place in range(len(document)) if isinstance(document, list) else document:
            for change in changes(document[place]):
                changed = document.copy()
                changed[place] = change
                yield changed
            if document[place] is not None:
                left = document.copy()
                del left[place]
                yield left
    elif other(document) is not None:
        yield other(document)


def test_every_shown_member_is_compared(export: bytes, seen: Parts) -> None:
    """Also those of events that hide something, which no commitment binds while the game runs."""
    exported, report, tried = parsed(export), verify(parsed(export)), 0
    for event in seen.events:
        for name in ("data", "type", "at", "seat", "schema", "head", "commitment", "sealed", "redacted"):
            for change in changes(event[name]):
                things = KeptThings([read("file", seen_line(seen) + lines([event | {name: change}]))])
                with pytest.raises(CheckFailed) as found:
                    things.compare(report, exported)
                assert found.value.version == event["version"], (event, name, change)
                tried += 1
    assert tried > 700


def test_salts_say_what_was_hidden(export: bytes, seen: Parts) -> None:
    """Other salts are found, and an event that hides what everybody saw."""
    at = next(at for at, event in enumerate(seen.events) if event["type"] == "game_started")
    whole, hiding = parts(export).events[at], deepcopy(seen.events[at])
    assert len(whole["salts"]) == 3
    for change in changes(whole["salts"]):
        assert fault(export, seen_line(seen) + lines([whole | {"salts": change}])).version == at + 1
    own = {**seen.events[at], "redacted": ["deck", "hands"], "data": whole["data"] | {"deck": None}}
    own |= {"data": own["data"] | {"hands": [whole["data"]["hands"][0], None]}}
    own |= {"salts": {"/hands/0": whole["salts"]["/hands/0"]}}
    assert compared(export, seen_line(seen) + lines([own])) == agreeing(1, len(parts(export).events))
    hands: list[Json] = [{"hands": None}, {"hands": [None, None]}]
    for lie in ({"salts": {}}, *({"data": own["data"] | hidden} for hidden in hands)):
        assert "is not what it was bound to" in str(fault(export, seen_line(seen) + lines([own | lie])))
    hiding["data"]["first_seat"] = None
    hiding["redacted"] = sorted([*hiding["redacted"], "first_seat"])
    assert "does not say what it hides" in str(fault(export, seen_line(seen) + lines([hiding])))


def seen_line(seen: Parts) -> bytes:
    """A header, which names the game."""
    return lines([seen.header])


def test_every_form_is_read(export: bytes, seen: Parts) -> None:
    events, of, game_id = seen.events, len(parts(export).events), seen.header["game_id"]
    count = len(events)
    created = events[0]["data"]
    fairness = {"commitment": created["commitment"], "client_seeds": [None, None], "server_seed": None}
    look = {"id": game_id, "fairness": fairness, "setup": False, "options": created["options"], "version": 1}
    states = [
        {
            "type": "state",
            "version": event["version"],
            "after": event["version"] - 1,
            "events": [event],
            "view": look,
        }
        for event in events
    ]
    frames = "".join(
        f"id: {event['version']}\nevent: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events
    )
    head = {"game_id": game_id, "version": 9, "head": events[8]["head"], "key_id": None, "signature": None}
    for file, things in (
        (seen.file, agreeing(count, of, 1, 1, 0)),
        (lines(events), agreeing(count, of, 0, 0, 0)),
        (lines(events[9:]), agreeing(count - 9, of, 0, 0, 0)),
        (
            b"\xef\xbb\xbf"
            + json.dumps({"events": events[:20], "next": 20, "version": 30}, indent=2).encode(),
            agreeing(20, of, 0, 0, 0),
        ),
        (b": still here\n\n" + frames.replace("\n", "\r\n").encode(), agreeing(count, of, 0, 0, 0)),
        (lines(states), agreeing(count, of, 0, count, 0)),
        (json.dumps([look, head]).encode(), agreeing(0, of, 1, 1, 0)),
        (lines([{"version": 9, "head": events[8]["head"]}]), agreeing(0, of, 1, 0, 0)),
    ):
        assert compared(export, file) == things


def test_things_that_name_no_game_are_told_by_their_digests(export: bytes, seen: Parts) -> None:
    """Several of one game, too: a seat that was looked at names none, nor do the later events of two players."""
    events, created, of = seen.events, seen.events[0]["data"], len(parts(export).events)
    look = {
        "kind": "open",
        "fairness": {"commitment": created["commitment"], "client_seeds": []},
        "setup": False,
    }
    files = [lines(events[9:20]), lines(events[9:30]), lines([look]), lines([look | {"setup": True}])]
    assert compared(export, *files[:3]) == Compared(33, 21, of, 0, 1, 0)
    assert "setup" in str(fault(export, *files))


def test_looks_are_compared(export: bytes, seen: Parts) -> None:
    created = seen.events[0]["data"]
    game = {"id": seen.header["game_id"], "setup": False, "options": created["options"]}
    right = {"commitment": created["commitment"], "client_seeds": [created["seats"][0]["client_seed"], None]}
    for wrong in (
        game | {"fairness": right | {"commitment": OTHER}},
        game | {"fairness": right | {"client_seeds": ["another", None]}},
        game | {"fairness": right | {"client_seeds": [None, None, "a third"]}},
        game | {"fairness": right, "setup": True},
        game | {"fairness": right, "options": created["options"] | {"turn_limit": 1}},
        game | {"fairness": right, "seat": 1, "client_seed": "that was given"},
        {"id": game["id"], "seat": 1, "client_seed": "that was given"},
        game | {"fairness": right, "seat": -1, "client_seed": "that was given"},
        game | {"fairness": right, "result": parts(export).end["result"] | {"reason": "another"}},
    ):
        assert fault(export, lines([wrong])).version is None
    head = {
        "game_id": game["id"],
        "version": 9,
        "head": OTHER,
        "key_id": "0123456789abcdef",
        "signature": "x",
    }
    assert "that names the key 0123456789abcdef" in str(fault(export, lines([head])))
    end = parts(export).end
    signed = {name: end[name] for name in ("version", "head")} | end["signature"]
    view = game | {"fairness": right | {"signature": signed}}
    assert compared(export, lines([view])) == agreeing(0, len(parts(export).events), 1, 1)
    another = asdict(SIGNER.sign(game["id"], 9, OTHER))
    assert f", signed by the key {another['key_id']}" in str(fault(export, lines([head | another])))
    for change in ({"version": 9}, {"head": OTHER}, {"signature": another["signature"]}):
        wrong = view | {"fairness": right | {"signature": signed | change}}
        assert fault(export, lines([wrong])).version is not None
    assert "after the end" in str(fault(export, lines([head | {"version": 10_000}])))


def test_hidden_members_are_not_compared(export: bytes, seen: Parts) -> None:
    """Neither what was hidden from the keeper nor what the record of a running game hides; other nulls are values."""
    running = cut(parts(export), 30)
    later = len(seen.events) - 30
    assert compared(running.file, export) == agreeing(30, 30, 0, 1, len(parts(export).events) - 30 + 1)
    assert compared(running.file, lines(seen.events)) == agreeing(30, 30, 0, 0, later)
    lie = deepcopy(seen.events)
    drawn = next(event for event in lie if "count" in event["data"] and event["redacted"])
    drawn["data"]["count"] = None
    assert fault(export, lines(lie)).version == drawn["version"]


def test_a_history_that_was_written_anew_is_found(played: Corpus) -> None:
    whole = played.finished["long"]
    at = moves(whole)[20]
    forged = reissued(whole, at).file
    assert fault(forged, whole).version == at
    assert "shows another type" in str(fault(forged, whole))


def test_the_command_tells_how_much_was_compared(
    played: Corpus, seen: Parts, export: bytes, tmp_path: Path
) -> None:
    game, kept, more = tmp_path / "game", tmp_path / "kept", tmp_path / "more.gz"
    game.write_bytes(export)
    kept.write_bytes(seen.file)
    strange = parts(played.finished["long"]).events
    more.write_bytes(gzip.compress(lines(strange) + lines(seen.events)[:-9]))
    alone = run(game)
    assert alone.stdout.splitlines()[-1] == "! nothing that anybody kept was compared; --kept does so"
    done = run("--kept", kept, "--kept", more, game)
    assert done.exit_code == 0
    count, of = len(seen.events), len(parts(export).events)
    assert (
        f"kept: {2 * count + 1} things (what was seen is what is recorded: {count} of {of} events"
        in done.stdout
    )
    last = done.stdout.splitlines()[-1]
    assert f"{2 * count + 1} of {2 * count + 1 + len(strange)} kept things agree" in last
    assert f"{len(strange)} are of games that are not here; the last line of {more} is cut off" in last
    kept.write_bytes(lines(seen.events[:1]))
    last = run("--kept", kept, game).stdout.splitlines()[-1]
    assert last.endswith("1 of 1 kept thing agrees with what is recorded")
    kept.write_bytes(seen.file)

    document, summary = map(
        json.loads, run("--json", "--kept", kept, "--kept", more, game).stdout.splitlines()
    )
    assert document["kept"] == {
        "things": 2 * count + 1,
        "events": count,
        "of": of,
        "heads": 1,
        "looks": 1,
        "later": 0,
    }
    assert document["head"] == parts(export).end["head"]
    assert document["key_id"] == parts(export).header["key_id"]
    assert summary["summary"]["kept"]["of_other_games"] == len(strange)
    assert json.loads(run("--json", game).stdout)["kept"] is None

    lie = deepcopy(seen)
    lie.events[7]["data"] = {}
    kept.write_bytes(lie.file)
    for jobs in ("1", "2"):
        wrong = run("--jobs", jobs, "--kept", tmp_path / "kept", game, game)
        assert wrong.exit_code == 1
        assert wrong.stdout.count(f"event 8: What was kept in {kept}, line 9, shows another ") == 2
        assert wrong.stderr.splitlines()[-1].endswith("; 2 games NOT as kept")


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "line 1 holds nothing of a game"),
        (b"\xff\xfe{\x00}\x00\n", "line 1 is not JSON in UTF-8"),
        (b'{"version":1,"version":2}', "line 1 has the member 'version' twice in one object"),
        (
            b'{"head":"%b","version":1,"deep":%b1%b}\n' % (b"a" * 64, b"[" * 400, b"]" * 400),
            "line 1 is nested too deeply",
        ),
        (b"17\n", "line 1 is no JSON object"),
        (b'{"events":[', "line 1 holds nothing of a game"),
        (b'{"commitment":"","data":{},"type":"a","version":1.0}\n', "line 1 is an event of which members"),
        (b'{"head":"%b","version":"1"}\n' % (b"a" * 64), "line 1 has a head that is none"),
        (b'{"version":1e400}\n', "line 1 "),
        (b'{"events":[17]}\n', "line 1 has something else among its events"),
    ],
    ids=[
        "empty",
        "UTF-16",
        "doubled key",
        "deep",
        "number",
        "cut",
        "no version",
        "no head",
        "huge",
        "no event",
    ],
)
def test_nothing_in_a_file_is_believed(
    content: bytes, complaint: str, export: bytes, seen: Parts, tmp_path: Path
) -> None:
    """Whatever is no kept thing is named, and the lines around it are read all the same."""
    game, kept = tmp_path / "game", tmp_path / "kept"
    game.write_bytes(export)
    kept.write_bytes(content)
    result = run("--kept", kept, game)
    assert result.exit_code == 2
    assert f"✗ {kept}: {complaint}" in result.stderr
    if content.endswith(b"\n"):
        kept.write_bytes(content + lines(seen.events))
        assert (
            f"{len(seen.events)} of {len(seen.events)} kept things agree" in run("--kept", kept, game).stdout
        )


def test_events_of_no_game_are_told(export: bytes, seen: Parts, tmp_path: Path) -> None:
    """Events that name no game, and whose heads are no game's: they may be of a history that was written anew."""
    game, kept = tmp_path / "game", tmp_path / "kept"
    game.write_bytes(export)
    kept.write_bytes(lines([event | {"head": OTHER} for event in seen.events[9:12]]))
    result = run("--kept", kept, game)
    assert result.exit_code == 1
    assert f"✗ {kept}: line 1 to 3, versions 10 to 12, fit no game here" in result.stderr
    kept.unlink()
    assert "cannot be read" in run("--kept", kept, game).output


CLOCK = {"kind": "per-move", "seconds": 3600}
VIEWED = (
    "game",
    "status",
    "turn_version",
    "updated_at",
    "turn",
    "to_act",
    "last_move",
    "state",
    "seats",
    "clock",
)


@pytest.mark.parametrize(("game", "views"), [("migrato", 5), ("migo", 2)])
def test_views_are_what_the_rules_come_to(table: Table, game: str, views: int) -> None:
    """As a spectator and each seat saw them; of some every member that follows from events is altered in turn."""
    game_id, shown = viewed(table, game)
    exported, tried = parsed(table.scored(game_id)), 0
    report = verify(exported)
    assert KeptThings([read("file", lines(shown))]).compare(report, exported) is not None
    for view in shown[:: len(shown) // views]:
        for name, change in [(one, change) for one in VIEWED for change in changes(view[one])]:
            with pytest.raises(CheckFailed, match="shows another ") as found:
                KeptThings([read("file", lines([view | {name: change}]))]).compare(report, exported)
            assert found.value.version in (view["version"], None), (view, name, change)
            tried += 1
    assert tried > 400


def without(document: Json, *names: str) -> Json:
    return {name: value for name, value in document.items() if name not in names}


def viewed(table: Table, game: str) -> tuple[str, list[Json]]:
    """A game of two people, one of whom resigns, and how it looked after each of its moves."""
    application, shown = table.application, list[Json]()
    new = NewGame(game=game, seats=(ADA, BO), visibility="public", clock=CLOCK)
    game_id = application.creation.create("tests", new).snapshot.game_id
    table.rng.seed(game_id)
    for _ in range(11):
        now = table.now(game_id)
        for viewer in (None, 0, 1):
            view = application.views.game_document(now, viewer)
            seats = [without(seat, "player") for seat in view["seats"]]
            shown.append(view | {"seats": seats, "clock": without(view["clock"], "now", "remaining_ms")})
        seat = now.status.to_act
        assert seat is not None
        move = (
            {"type": "resign"} if len(shown) > 30 else table.rng.choice(now.game.legal_moves(now.state, seat))
        )
        application.moves.play(game_id, seat, dict(move))
    return game_id, [*shown, application.views.game_document(table.now(game_id), None)]
