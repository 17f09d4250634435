"""`--state` of `migrato verify`: an interrupted run goes on where it stopped, and believes nothing but contents."""

import fcntl
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from events.audit.findings import Report
from events.audit.verify import verify as check
from events.log.export import Exported
from service.cli import main
from service.cli.commands import verify as command
from service.cli.progress import TimeLeft
from tests.audit.games import KEY, Corpus


def verify(*arguments: str | Path) -> Result:
    """The command, in this process."""
    return CliRunner().invoke(main, ["verify", *map(str, arguments)])


@pytest.fixture
def games(played: Corpus, tmp_path: Path) -> Path:
    """A directory with three games, one of them not over, and an altered one."""
    place = tmp_path / "games"
    place.mkdir()
    exports = [played.finished["people"], played.finished["bots"], next(iter(played.running.values()))]
    for number, export in enumerate(exports):
        (place / f"{number}.ndjson").write_bytes(export)
    (place / "3.ndjson").write_bytes(exports[0].replace(b'"schema":2', b'"schema":1', 1))
    return place


class Checked(list[str]):
    """The games that were verified, by their headers; before the one of number `interrupt_at` somebody interrupts."""

    interrupt_at: int | None = None


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> Checked:
    seen = Checked()

    def counting(exported: Exported, **options: Any) -> Report:
        if len(seen) == seen.interrupt_at:
            seen.interrupt_at = None
            raise KeyboardInterrupt
        seen.append(exported.header.decode())
        return check(exported, **options)

    monkeypatch.setattr(command, "check", counting)
    return seen


def _untimed(result: Result) -> list[Any]:
    """Lines of JSON without how long it took."""
    documents = [json.loads(line) for line in result.stdout.splitlines()]
    documents[-1]["summary"]["seconds"] = 0
    return documents


def test_an_interrupted_run_goes_on_and_reports_all(games: Path, tmp_path: Path, checked: Checked) -> None:
    whole = verify("--json", games)
    assert len(checked) == 4
    checked.clear()
    checked.interrupt_at = 2
    state = tmp_path / "state"
    stopped = verify("--json", "--state", state, games)
    assert (stopped.exit_code, len(checked)) == (1, 2)
    assert json.loads(stopped.stdout.splitlines()[-1])["summary"]["stopped"] == "Interrupted."
    state.write_bytes(state.read_bytes() + b'{"game":"torn')
    checked.clear()
    resumed = verify("--json", "--state", state, games)
    assert (len(checked), _untimed(resumed)) == (2, _untimed(whole))
    checked.clear()
    again = verify("--json", "--state", state, games)
    assert (checked, _untimed(again), again.exit_code) == ([], _untimed(whole), whole.exit_code)
    assert state.stat().st_mode & 0o777 == 0o600


def test_a_file_that_changed_is_looked_at_again(games: Path, tmp_path: Path, checked: Checked) -> None:
    """Name, size and time are the same: of these nothing is believed. A file under another name is known."""
    state, file = tmp_path / "state", games / "0.ndjson"
    assert verify("--state", state, file).exit_code == 0
    at = file.stat()
    file.write_bytes(file.read_bytes().replace(b'"turn_limit":60', b'"turn_limit":61', 1))
    os.utime(file, ns=(at.st_atime_ns, at.st_mtime_ns))
    changed = file.stat()
    assert (changed.st_size, changed.st_mtime_ns) == (at.st_size, at.st_mtime_ns)
    assert verify("--state", state, file).exit_code == 1
    checked.clear()
    assert verify("--state", state, games / "3.ndjson", games / "1.ndjson").exit_code == 1
    assert len(checked) == 2


def _json(state: Path) -> None:
    state.write_text('{"games": 3}\n')


def _nothing_whole(state: Path) -> None:
    state.write_text("a file of something else, without a line feed")


def _bad_result(state: Path) -> None:
    state.write_bytes(state.read_bytes() + b"[]\n")


def _no_run(state: Path) -> None:
    state.write_text('{"run": 5}\n')


@pytest.mark.parametrize("spoil", [_json, _nothing_whole, _bad_result, _no_run])
def test_a_file_that_is_no_state_is_left_as_it_is(
    games: Path, tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    state = tmp_path / "state"
    verify("--state", state, games / "1.ndjson")
    spoil(state)
    before = state.read_bytes()
    result = verify("--state", state, games / "1.ndjson")
    assert (result.exit_code, state.read_bytes()) == (2, before)
    assert "is no state of a run, in line" in result.stderr


def test_a_state_of_another_run_is_refused(games: Path, tmp_path: Path) -> None:
    """A state of another run is refused, as other keys or another command may give other results."""
    state, keys = tmp_path / "state", tmp_path / "keys.json"
    keys.write_text(json.dumps({"keys": [KEY]}))
    verify("--state", state, games / "1.ndjson")
    for options in (["--bots"], ["--keys", keys]):
        result = verify("--state", state, *options, games / "1.ndjson")
        assert (result.exit_code, "is of another run (options)" in result.stderr) == (2, True)
    state.write_bytes(state.read_bytes().replace(b'"program":"', b'"program":"0', 1))
    result = verify("--state", state, games / "1.ndjson")
    assert (result.exit_code, "is of another release" in result.stderr) == (2, True)


@pytest.mark.parametrize("result", ["x", [1], {}, {"left_out": "\x1b[31m"}, {"people": {"a": [2**62] * 7}}])
@pytest.mark.parametrize("command", [["verify"], ["audit", "players"]])
def test_a_forged_result_is_refused(games: Path, tmp_path: Path, result: object, command: list[str]) -> None:
    """Nothing that somebody else put there is counted, or commands the terminal."""
    state = tmp_path / "state"
    run = [*command, "--state", str(state), str(games / "3.ndjson")]
    CliRunner().invoke(main, run)
    head, game = map(json.loads, state.read_text().splitlines())
    state.write_text("".join(f"{json.dumps(line)}\n" for line in (head, game | {"result": result})))
    refused = CliRunner().invoke(main, run)
    assert (refused.exit_code, "has no result of the game" in refused.stderr) == (2, True)
    state.write_text(json.dumps({"run": head["run"] | {"\x1b[31m": 1}}) + "\n")
    refused = CliRunner().invoke(main, run)
    assert ("is of another run" in refused.stderr, "\x1b" in refused.stderr) == (True, False)


def test_two_runs_do_not_share_a_state(games: Path, tmp_path: Path) -> None:
    state = tmp_path / "state"
    with state.open("wb") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        result = verify("--state", state, games / "1.ndjson")
    assert (result.exit_code, "another run is using" in result.stderr) == (2, True)


def test_time_left_rests_on_work_alone() -> None:
    """Games that were known from a former run took no time: they say nothing about the rest."""
    now = [0.0]
    left = TimeLeft(1_000_000, lambda: now[0])
    left.advance(500_000, known=True)
    assert str(left) == "time left unknown"
    for _ in range(4):
        now[0] += 1.0
        left.advance(10_000, known=False)
    assert left.seconds == pytest.approx(46.0)
    assert str(left) == "about 46 s left"
    now[0] += 0.001
    left.advance(100_000, known=True)
    assert left.seconds == pytest.approx(36.0)
    now[0] += 100.0
    left.advance(10_000, known=False)
    assert str(left) == "about 13 min left"
    left.advance(1_000_000, known=True)
    assert left.seconds == 0
