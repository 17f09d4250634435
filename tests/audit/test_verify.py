"""Exports of games that were really played pass, and it is said what was checked."""

from collections.abc import Callable
from functools import cache
from typing import NoReturn

import pytest

from domain.lifecycle import EventRecord, Seat
from domain.migrato.bots import BOTS
from domain.migrato.game import Migrato
from events.audit import verify as verifying
from events.audit.findings import (
    CHECKS,
    FAILED,
    INCOMPLETE,
    NOT_CHECKED,
    PARTLY,
    PASSED,
    REMARKS,
    UNSCORED,
    VERDICTS,
    Report,
)
from events.audit.verify import verify
from events.log.upcasters import UPCASTERS
from events.runtime import bootstrap
from events.runtime.settings import Settings
from tests.audit.games import ADA, BO, FINISHED, TRUSTED, Corpus, Table, parsed
from tests.audit.tamper import parts
from tests.events.timed import Time, clocked, timed
from tests.project.markdown import ROOT

RUNNING = ("spectator", "seat 0", "seat 1", "waiting")


def statuses(report: Report) -> dict[str, str]:
    return {checked.name: checked.status for checked in report.checks}


CLOCKED = ("clock", "forfeited", "out of time")


@pytest.fixture(scope="module")
def reports(played: Corpus) -> Callable[[str], Report]:
    """What the verifier says of each finished game, with its bots asked again."""
    return cache(lambda name: verify(parsed(played.finished[name]), trusted=TRUSTED, bots=True))


@pytest.mark.parametrize("name", FINISHED)
def test_a_finished_game_passes_every_check(reports: Callable[[str], Report], name: str) -> None:
    report = reports(name)
    assert report.wrong is None, report.wrong.document
    assert report.complete
    told = statuses(report)
    none = {
        "long": {"bot-seeds", "bots"},
        "setup": {"bot-seeds", "bots", "shuffles"},
        "people": {"bots"},
        "reissued": {"bots"},
        "never begun": {"bot-seeds", "bots", "shuffles"},
        "adjudicated": {"bot-seeds", "bots"},
        "handed over": {"bot-seeds", "bots"},
        "forfeited": {"bot-seeds", "bots"},
        "taken back": {"bot-seeds", "bots"},
    }
    if name not in CLOCKED:
        none.setdefault(name, set()).add("clocks")
    left = {check for check, status in told.items() if status != PASSED}
    unclocked = set() if name in ("clock", "forfeited", "out of time") else {"clocks"}
    assert left == {"position"} | unclocked | none.get(name, set())


@pytest.mark.parametrize(
    "why", ["failed", "overran", "unreachable", "timeout", "bad-answer", "illegal-move", "suspended"]
)
def test_every_reason_for_a_move_in_a_remote_bots_place_is_known(redis_url: str, why: str) -> None:
    table = Table(bootstrap.application(Settings(redis_url=redis_url, queue_url=redis_url)))
    game_id = table.create(Seat("remote"), BO)
    assert table.application.bot_turns.fallback_move(game_id, 2, why) is not None
    table.application.moves.play(game_id, 1, {"type": "resign"})
    table.application.bot_turns.score_game(game_id)
    report = verify(parsed(table.export(game_id)), trusted=TRUSTED, bots=True)
    assert report.wrong is None, report.wrong.document


@pytest.mark.parametrize("way", ["short", "long"])
@pytest.mark.parametrize("name", FINISHED)
def test_both_ways_lead_through_a_game_and_report_the_same(
    played: Corpus,
    reports: Callable[[str], Report],
    name: str,
    way: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each with the other one barred: where one fails in silence, the other must not hide it."""
    game = parsed(played.finished[name])
    expected = reports(name).document

    class Barred:
        """Finds another line at once."""

        head = None

        def __init__(self, *_: object) -> None:
            pass

        def go_on(self, _: int) -> bool:
            return False

    def barred(*_: object) -> NoReturn:
        raise AssertionError("The long way was taken.")

    if way == "long":
        monkeypatch.setattr(verifying, "Rewriting", Barred)
    else:
        monkeypatch.setattr(verifying._Audit, "_gone_through", barred)
    assert expected == verify(game, trusted=TRUSTED, bots=True).document


def test_who_names_keys_is_shown_nothing_unsigned(played: Corpus, redis_url: str) -> None:
    """Of a game that is over, the seed alone would let anybody write another end; one that runs proves nothing."""
    table = Table(bootstrap.application(Settings(redis_url=redis_url, queue_url=redis_url)))
    game_id = table.create(ADA, BO, turn_limit=4)
    table.play(game_id)
    unscored, running = table.export(game_id, signed=False), played.running["seat 1"]
    for unsigned, verdict in ((unscored, UNSCORED), (running, INCOMPLETE)):
        report = verify(parsed(unsigned), trusted=TRUSTED)
        assert (report.verdict, report.passed) == (verdict, False)
        assert statuses(report)["signature"] == NOT_CHECKED
    table.application.bot_turns.score_game(game_id)
    wrong = verify(parsed(table.export(game_id, signed=False)), trusted=TRUSTED).wrong
    assert wrong is not None
    assert wrong.check == "signature"


def test_what_was_checked_before_the_signature_was_checked(played: Corpus) -> None:
    """An untrusted signer takes nothing from what the events themselves prove."""
    exported = parsed(played.finished["bots"])
    trusted = verify(exported, trusted=TRUSTED)
    stranger = verify(exported, trusted={"other": "key"})
    assert stranger.wrong is not None
    assert statuses(stranger) == statuses(trusted) | {"signature": FAILED}
    assert [told.count for told in stranger.checks[:-1]] == [told.count for told in trusted.checks[:-1]]


def test_what_the_end_says_leaves_the_events_checked(played: Corpus) -> None:
    """And what is wrong among the events leaves them half checked."""
    export = parts(played.finished["bots"])
    export.end["head"] = "00" * 32
    told = statuses(verify(parsed(export.file)))
    assert (told["rules"], told["chain"], told["header"]) == (PASSED, PASSED, PASSED)
    assert (told["end"], told["signature"]) == (FAILED, NOT_CHECKED)
    export = parts(played.finished["bots"])
    export.events[-1]["head"] = "00" * 32
    told = statuses(verify(parsed(export.file)))
    assert (told["chain"], told["commitments"], told["result"]) == (FAILED, PARTLY, NOT_CHECKED)


def test_a_signature_counts_for_complete_games_only(played: Corpus) -> None:
    """A running game may carry one, for any head is signed for anybody; it proves nothing of what is hidden."""
    for name in ("spectator", "seat 0", "waiting"):
        report = verify(parsed(played.running[name]), trusted=TRUSTED)
        assert (report.wrong, report.verdict, report.passed) == (None, INCOMPLETE, False)
        assert statuses(report)["signature"] == NOT_CHECKED
        assert verify(parsed(played.running[name])).passed


def test_a_deck_that_was_set_up_is_not_said_to_be_shuffled(played: Corpus) -> None:
    """Checked in part: that it is the deck of the first event. A script reads the status, people the words."""
    report = verify(parsed(played.finished["setup"]), trusted=TRUSTED)
    (told,) = (checked for checked in report.checks if checked.name == "shuffles")
    assert told.status == PARTLY
    assert "set up, not shuffled" in str(told.note)
    assert {"check": "shuffles", "status": "partly"}.items() <= told.document.items()


@pytest.mark.parametrize("name", ["bots", "search"])
def test_a_game_of_bots_that_are_no_longer_there_verifies(
    played: Corpus, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All but their moves: those cannot be asked for again, and that is said."""
    gone = ("heuristic", "ismcts-easy")
    left = {name: bot for name, bot in BOTS.items() if name not in gone}
    monkeypatch.setattr(Migrato, "bots", left)
    report = verify(parsed(played.finished[name]), trusted=TRUSTED, bots=True)
    assert report.wrong is None, report.wrong.document
    assert statuses(report)["rules"] == PASSED
    assert statuses(report)["bots"] in (PARTLY, NOT_CHECKED)


def test_a_game_whose_result_is_not_confirmed_yet_is_checked_as_a_whole(redis_url: str) -> None:
    table = Table(bootstrap.application(Settings(redis_url=redis_url, queue_url=redis_url)))
    game_id = table.create(ADA, BO, turn_limit=4)
    table.play(game_id)
    report = verify(parsed(table.export(game_id, signed=False)))
    assert report.wrong is None, report.wrong.document
    assert not report.complete
    assert statuses(report)["rules"] == PASSED


@pytest.mark.parametrize("name", RUNNING)
def test_a_running_game_is_checked_as_far_as_it_is_seen(played: Corpus, name: str) -> None:
    """What is hidden is said to be unchecked, never that it is right."""
    report = verify(parsed(played.running[name]), trusted=None if name == "seat 1" else TRUSTED)
    assert report.wrong is None, report.wrong.document
    assert not report.complete
    told = statuses(report)
    assert {check for check, status in told.items() if status == PASSED} >= {
        "chain",
        "sequence",
        "header",
        "end",
    }
    for check in ("seed", "salts", "shuffles", "rules", "bot-seeds", "bots", "result"):
        assert told[check] == NOT_CHECKED
    assert told["commitments"] == (PASSED if name == "waiting" else PARTLY)


@pytest.mark.parametrize("name", RUNNING)
def test_a_running_game_without_events_is_none(played: Corpus, name: str) -> None:
    export = parts(played.running[name])
    export.events.clear()
    wrong = verify(parsed(export.file)).wrong
    assert wrong is not None
    assert wrong.check == "header"


def test_a_game_of_a_former_schema_passes_by_what_it_means(
    played: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is committed to is what was recorded then; what is decided again is what it means today."""
    export = parts(played.finished["search"])
    for event in export.events:
        if event["type"] == "card_discarded":
            event |= {"schema": 0, "data": {"face": event["data"]["card"]}}
    former = parsed(export.reseal().sign().file)
    assert not verify(former, trusted=TRUSTED).passed

    def renamed(wire: EventRecord) -> EventRecord:
        return wire._replace(schema=1, data={"card": wire.data["face"]})

    monkeypatch.setitem(UPCASTERS, ("migrato", "card_discarded", 0), renamed)
    report = verify(former, trusted=TRUSTED, bots=True)
    assert report.wrong is None, report.wrong.document

    export.first("card_discarded")["data"] = {"fac": "T5d"}
    wrong = verify(parsed(export.reseal().sign().file), trusted=TRUSTED).wrong
    assert wrong is not None
    assert wrong.check == "rules"


def test_the_same_game_is_the_same_bytes(played: Corpus) -> None:
    """What is parsed and written again is the file."""
    for export in (*played.finished.values(), *played.running.values()):
        one = parsed(export)
        assert b"\n".join([one.header, *one.events, one.end, b""]) == export


def test_the_guide_lists_every_check() -> None:
    """In the words of the command."""
    guide = (ROOT / "docs/reference/verification.md").read_text()
    rows = [f"| `{name}` | {sentence} |" for name, sentence in CHECKS.items()]
    assert "\n".join(rows) in guide


def test_the_guide_lists_every_verdict_and_every_remark() -> None:
    """In the words of the code."""
    guide = (ROOT / "docs/reference/verification.md").read_text()
    for table in (VERDICTS, REMARKS):
        assert "\n".join(f"| `{name}` | {sentence} |" for name, sentence in table.items()) in guide


@pytest.mark.parametrize("name", CLOCKED)
def test_a_game_with_a_clock(played: Corpus, name: str) -> None:
    """Every deadline follows from the times; a bot that moved for time that was up is asked again."""
    report = verify(parsed(played.finished[name]), trusted=TRUSTED, bots=True)
    assert report.verdict == "passed"
    (clocks,) = (checked for checked in report.checks if checked.name == "clocks")
    assert clocks.count >= 4  # three moves and the time-out, at least
    given_back = [remark.detail for remark in report.remarks if remark.about == "outages"]
    assert given_back == (["seats got time back once, 32.0 s in all"] if name == "clock" else [])


def test_a_clock_is_not_called_missing_while_the_game_runs(redis_url: str) -> None:
    """The deadlines that time-outs name are compared; which they are is known once all events are shown."""
    time = Time()
    table = Table(timed(redis_url, time))
    clock = {"kind": "per-move", "seconds": 60, "when_up": "bot"}
    game_id = clocked(table.application, clock, seats=(ADA, BO))
    assert table.application.timekeeping is not None
    for compared in range(2):
        for viewer in (None, 0, 1):
            report = verify(parsed(table.export(game_id, viewer)))
            assert report.wrong is None, report.wrong.document
            (clocks,) = (checked for checked in report.checks if checked.name == "clocks")
            assert clocks.count == compared
            assert clocks.status == (PARTLY if compared else NOT_CHECKED)
            assert "not over" in str(clocks.note)
        time.passes(60)
        table.application.timekeeping.settle(game_id)
