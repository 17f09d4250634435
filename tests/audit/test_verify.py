"""Exports of games that were really played pass, and it is said what was checked."""

from types import SimpleNamespace
from typing import Any, NoReturn

import pytest

from domain.lifecycle import Seat
from domain.migrato.rules.options import OPTIONS
from domain.options import Option
from events.audit import verify as verifying
from events.audit.findings import (
    ACROSS,
    CHECKS,
    FAILED,
    INCOMPLETE,
    NOT_CHECKED,
    PARTLY,
    PASSED,
    REMARKS,
    UNSCORED,
    VERDICTS,
    Checked,
    Report,
)
from events.audit.lines import header_of
from events.audit.verify import verify
from events.log.export import Unreadable
from tests.audit.games import ADA, BO, TRUSTED, Corpus, Table, fault_of, parsed, sound
from tests.audit.tamper import parts
from tests.events.timed import Time, clocked, timed
from tests.support.markdown import ROOT

CLOCKED = ("clock", "forfeited", "out of time")
# Bots would hardly be asked for anything but whether people play as they do, which takes long: `test_lookalikes`, and
# `test_remarks` for the hints of `people`.
UNASKED = ("people", "long", "reissued", "handed over", "taken back")
REASONS = ("failed", "overran", "unreachable", "timeout", "bad-answer", "illegal-move", "suspended")
NOT_PASSED = {  # in games with bots all passes but the position, and the clocks where there is none
    "long": {"bot-seeds", "bots"},
    "setup": {"bot-seeds", "bots", "shuffles"},
    "people": {"bots"},
    "reissued": {"bots"},
    "never begun": {"bot-seeds", "bots", "shuffles"},
    "adjudicated": {"bot-seeds", "bots"},
    "claimed": {"bot-seeds", "bots"},
    "handed over": {"bot-seeds", "bots"},
    "forfeited": {"bot-seeds", "bots"},
    "taken back": {"bots"},
}


def statuses(report: Report) -> dict[str, str]:
    return {checked.name: checked.status for checked in report.checks}


def clocks_of(report: Report) -> Checked:
    return next(checked for checked in report.checks if checked.name == "clocks")


@pytest.fixture(scope="module")
def reports(played: Corpus) -> dict[str, Report]:
    """The verification of each finished game, with its bots asked again."""
    return {
        name: verify(parsed(export), trusted=TRUSTED, bots=name not in UNASKED)
        for name, export in played.finished.items()
    }


def test_finished_games_pass_every_check(reports: dict[str, Report], subtests: pytest.Subtests) -> None:
    """Every deadline follows from the times; a bot that moved for time that was up is asked again."""
    for name, report in reports.items():
        with subtests.test(name):
            assert report.wrong is None, report.wrong.document
            assert (report.complete, report.verdict) == (True, "passed")
            left = {check for check, status in statuses(report).items() if status != PASSED}
            unclocked = set() if name in CLOCKED else {"clocks"}
            assert left == {"position"} | unclocked | NOT_PASSED.get(name, set())
    for name in CLOCKED:
        assert clocks_of(reports[name]).count >= 4  # three moves and the time-out, at least
        given_back = [remark.detail for remark in reports[name].remarks if remark.about == "outages"]
        assert given_back == (["seats got time back once, 32.0 s in all"] if name == "clock" else [])


def test_every_reason_for_a_move_in_a_remote_bots_place_is_known(table: Table) -> None:
    for why in REASONS:
        game_id = table.create(Seat("remote"), BO)
        assert table.application.bot_turns.fallback_move(game_id, 2, why) is not None
        table.application.moves.play(game_id, 1, {"type": "resign"})
        report = verify(parsed(table.scored(game_id)), trusted=TRUSTED, bots=True)
        assert report.wrong is None, (why, report.wrong.document)


class Barred:
    """Finds another line at once."""

    head = None

    def __init__(self, *_: object) -> None:
        pass

    def go_on(self, _: int) -> bool:
        return False


def barred(*_: object) -> NoReturn:
    raise AssertionError("The long way was taken.")


@pytest.mark.parametrize("way", ["short", "long"])
def test_both_ways_lead_through_a_game_and_report_the_same(
    played: Corpus,
    reports: dict[str, Report],
    way: str,
    monkeypatch: pytest.MonkeyPatch,
    subtests: pytest.Subtests,
) -> None:
    """Each with the other one barred: where one fails in silence, the other must not hide it."""
    games = {name: parsed(export) for name, export in played.finished.items()}
    quick = {"bots", "search", "replaced", "setup", "adjudicated", "taken back from a bot"}
    unasked = {name: verify(games[name], trusted=TRUSTED) for name in games.keys() - quick}
    if way == "long":
        monkeypatch.setattr(verifying, "Rewriting", Barred)
    else:
        monkeypatch.setattr(verifying._Audit, "_gone_through", barred)
    for name, game in games.items():
        with subtests.test(name):
            expected = reports[name] if name in quick else unasked[name]
            assert expected.document == verify(game, trusted=TRUSTED, bots=name in quick).document


def test_an_unsigned_game_passes_without_keys_alone(played: Corpus, table: Table) -> None:
    """Of a game that is over, the seed alone would let anybody write another end; one that runs proves nothing."""
    game_id = table.create(ADA, BO, turn_limit=4)
    table.play(game_id)
    unscored, running = table.export(game_id, signed=False), played.running["seat 1"]
    for unsigned, verdict in ((unscored, UNSCORED), (running, INCOMPLETE)):
        report = verify(parsed(unsigned), trusted=TRUSTED)
        assert (report.verdict, report.passed) == (verdict, False)
        assert statuses(report)["signature"] == NOT_CHECKED
    report = sound(verify(parsed(unscored)))
    assert not report.complete
    assert statuses(report)["rules"] == PASSED
    table.application.bot_turns.score_game(game_id)
    assert fault_of(verify(parsed(table.export(game_id, signed=False)), trusted=TRUSTED)).check == "signature"


def test_a_wrong_signer_leaves_the_events_checked(played: Corpus) -> None:
    """An untrusted signer takes nothing from what the events themselves prove."""
    exported = parsed(played.finished["bots"])
    trusted = verify(exported, trusted=TRUSTED)
    stranger = verify(exported, trusted={"other": "key"})
    assert stranger.wrong is not None
    assert statuses(stranger) == statuses(trusted) | {"signature": FAILED}
    assert [told.count for told in stranger.checks[:-1]] == [told.count for told in trusted.checks[:-1]]


def test_a_wrong_end_leaves_the_events_checked(played: Corpus) -> None:
    """A fault among the events leaves them half checked."""
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


def test_running_games_are_checked_as_far_as_they_are_seen(played: Corpus, subtests: pytest.Subtests) -> None:
    """Hidden data is said to be unchecked, never to be right. Without its events a game is none."""
    for name, running in played.running.items():
        with subtests.test(name):
            report = sound(verify(parsed(running), trusted=None if name == "seat 1" else TRUSTED))
            assert not report.complete
            told = statuses(report)
            assert {told[check] for check in ("chain", "sequence", "header", "end")} == {PASSED}
            for check in ("seed", "salts", "shuffles", "rules", "bot-seeds", "bots", "result"):
                assert told[check] == NOT_CHECKED
            assert told["commitments"] == PASSED
            export = parts(running)
            export.events.clear()
            assert fault_of(verify(parsed(export.file))).check == "header"


def test_the_guide_lists_every_check_verdict_and_remark() -> None:
    """The guide lists them in the words of the command."""
    guide = (ROOT / "docs/reference/verification.md").read_text()
    for told in (CHECKS, ACROSS, VERDICTS, REMARKS):
        assert "\n".join(f"| `{name}` | {sentence} |" for name, sentence in told.items()) in guide


def test_a_clock_is_not_called_missing_while_the_game_runs(redis_url: str) -> None:
    """The deadlines that time-outs name are compared; which they are is known once all events are shown."""
    time = Time()
    table = Table(timed(redis_url, time))
    clock = {"kind": "per-move", "seconds": 60, "when_up": "bot"}
    game_id = clocked(table.application, clock, seats=(ADA, BO))
    for compared in range(2):
        for viewer in (None, 0, 1):
            report = sound(verify(parsed(table.export(game_id, viewer))))
            clocks = clocks_of(report)
            assert clocks.count == compared
            assert clocks.status == (PARTLY if compared else NOT_CHECKED)
            assert "not over" in str(clocks.note)
        time.passes(60)
        table.settle(game_id)


def test_games_that_were_recorded_before_an_option_was_added_are_read(played: Corpus) -> None:
    """Its absence means the default, if the table marks it; without the mark they would be games of 0.1.0."""
    export = parsed(played.finished["long"])
    for added in (True, False):
        table = (*OPTIONS, Option("later", "flag", default=False, added=added))
        games: dict[str, Any] = {"migrato": SimpleNamespace(option_table=table)}
        if added:
            assert header_of(export, games)["game"] == "migrato"
        else:
            with pytest.raises(Unreadable, match="lack later"):
                header_of(export, games)
