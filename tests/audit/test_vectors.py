"""The published vectors are what the engine comes to, and the published JavaScript comes to them, too."""

import hmac
import json
import re
import subprocess
from pathlib import Path

import pytest
import rfc8785
from migrato_client import Altered
from migrato_client.following import Follower

from domain import annotations
from domain.lifecycle import EventRecord
from events.audit.findings import CheckFailed
from events.audit.stream_verifier import EMPTY, KeptHead, follow
from events.log.signing import verify_head
from service.http.schemas.common.events import COMMON_EVENTS
from tests.audit.games import Corpus, parsed
from tests.audit.tamper import parts
from tests.audit.test_in_the_browser import PROGRAMS
from tests.audit.vectors import PATH, WRITTEN, text, vectors
from tests.support.markdown import ROOT, blocks
from tests.support.node import NODE
from tests.support.waiting import LIMIT

PROTOCOL = ROOT / "docs/reference/fairness-protocol.md"
VERIFY = PATH.with_name("verify.mjs")


def node(*arguments: str | Path, stdin: bytes = b"") -> "subprocess.CompletedProcess[bytes]":
    command = [str(NODE), str(VERIFY), *map(str, arguments)]
    return subprocess.run(command, input=stdin, capture_output=True, timeout=LIMIT, check=False)


def test_the_published_vectors_are_up_to_date() -> None:
    """`python -m tests.audit.vectors` writes them."""
    assert PATH.read_text() == text()


def test_both_clients_refuse_the_same() -> None:
    """They follow a game from its first event on, which is right."""
    published = json.loads(PATH.read_text())
    told = []
    for refused in published["refused"]:
        tip, first = (
            refused["tip"],
            published["sealed" if "seals" in refused["tip"] else "chain"]["events"][0],
        )
        told.append([first, refused["document"]] if tip["version"] else [refused["document"]])
        with pytest.raises(Altered):
            Follower().conclude(told[-1])
    for one in (published["chain"], published["sealed"]):
        told += [one[viewer] for viewer in ("events", "redacted", "spectator") if viewer in one]
        for events in told[-2:]:
            Follower().conclude(events)
    command = [str(NODE), str(PROGRAMS / "clients.mjs")]
    lines = "\n".join(map(json.dumps, told))
    said = subprocess.run(
        command, input=lines.encode(), capture_output=True, timeout=LIMIT, check=True
    ).stdout
    refused = len(published["refused"])
    assert said.decode().split() == ["Altered"] * refused + ["Seen"] * (len(told) - refused)


def test_canonical_forms_are_those_of_another_implementation() -> None:
    for vector, written in zip(vectors()["canonical"], WRITTEN, strict=True):
        assert bytes.fromhex(vector["bytes"]) == rfc8785.dumps(json.loads(written))


def test_the_live_verifier_comes_to_them() -> None:
    published = json.loads(PATH.read_text())
    for told in (published["chain"], published["sealed"]):
        for viewer in ("events", "redacted", "spectator"):
            head = EMPTY
            for event in told.get(viewer, told["events"]):
                head = follow(head, event)
            assert {"version": head.version, "head": head.head} == told["head"]
    for refused in published["refused"]:
        with pytest.raises(CheckFailed) as found:
            follow(KeptHead(**refused["tip"]), refused["document"])
        assert found.value.check == refused["check"]
    for signed in published["signatures"]:
        valid = signed.pop("valid")
        assert verify_head(**signed) is valid


def test_the_protocol_says_what_a_hint_s_seed_skips(played: Corpus) -> None:
    """Its program finds the seeds of hints after hints, new tokens, and takebacks that were refused or granted."""
    (program,) = (block for block in blocks(PROTOCOL, "python") if '"hint_given"' in block)
    told = set(re.findall(r'"(\w+)"', program[program.index("SKIPPED") : program.index("version = 0")]))
    assert told == {
        kind for kind in COMMON_EVENTS if annotations.redact(EventRecord(kind, 1, 0, {})) is not None
    }
    for name in ("people", "reissued", "taken back"):
        export = parts(played.finished[name])
        given = {"hmac": hmac, "created": {"id": export.header["game_id"]}}
        seed = bytes.fromhex(export.end["server_seed"])
        assert any(event["type"] == "hint_given" for event in export.events)
        exec(program, {**given, "seed": seed, "events": export.events})


def test_the_javascript_comes_to_them(tmp_path: Path) -> None:
    """It also notices a wrong vector."""
    done = node(PATH)
    assert done.returncode == 0, done.stderr.decode()
    assert {line.split()[1].rstrip(",:") for line in done.stdout.decode().splitlines()} == {
        "canonical", "salt", "chain", "refused", "shuffle", "first", "signature",
    }  # fmt: skip
    changed = tmp_path / "vectors.json"
    changed.write_text(text().replace('"order": [5, 2', '"order": [2, 5'))
    assert node(changed).returncode != 0


def test_the_javascript_follows_a_stream(played: Corpus) -> None:
    """Of a game that was really played, player names with all kinds of characters included.

    Every member that is shown is checked at once, whatever is hidden.
    """
    for export in (played.running["spectator"], played.running["seat 0"], played.finished["people"]):
        events = parsed(export).events
        done = node(stdin=b"\n".join(events) + b"\n")
        assert json.loads(done.stdout)["head"] == json.loads(events[-1])["head"]
        assert (done.returncode, done.stderr.decode()) == (0, "")
    changed = b"\n".join(events).replace(b'"schema":2', b'"schema":1', 1)
    assert b"commitments: event 1" in node(stdin=changed).stderr


def test_the_javascript_goes_on_from_a_kept_tip(played: Corpus) -> None:
    """Its version and its head; another head is a history that was rewritten."""
    events = parsed(played.running["spectator"]).events
    kept = json.loads(events[8])
    rest = b"\n".join(events[9:]) + b"\n"
    done = node(str(kept["version"]), kept["head"], stdin=rest)
    assert json.loads(done.stdout)["head"] == json.loads(events[-1])["head"]
    rewritten = node(str(kept["version"]), "ab" * 32, stdin=rest)
    assert rewritten.returncode == 1
    assert b"chain: event 10" in rewritten.stderr


def test_the_javascript_compares_time_outs_with_the_deadlines_they_name(played: Corpus) -> None:
    """In a file that is sealed again, too; the right one passes."""
    events = parsed(played.finished["forfeited"]).events
    assert node(stdin=b"\n".join(events) + b"\n").returncode == 0
    early = parts(played.finished["forfeited"])
    timed_out = early.first("turn_timed_out")
    timed_out["data"]["deadline"] = timed_out["at"].replace("2026", "2027", 1)
    done = node(stdin=b"\n".join(parsed(early.reseal().sign().file).events) + b"\n")
    assert done.returncode == 1
    assert f"clocks: event {timed_out['version']}".encode() in done.stderr
