"""The command line itself: help, refusals, exit codes."""

import errno
import hashlib
import io
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from service.cli import main
from service.cli.root import SUB_COMMANDS, LazyGroup


@pytest.fixture
def cli() -> CliRunner:
    """Runs the command in this process."""
    return CliRunner()


def test_help_is_complete_and_shows_examples(cli: CliRunner) -> None:
    """The help of `migrato` and of every sub-command is complete and shows examples."""
    result = cli.invoke(main, ["--help"])
    assert result.exit_code == 0
    assert all(name in result.output for name in SUB_COMMANDS)
    assert "Examples:" in result.output
    for name in SUB_COMMANDS:
        result = cli.invoke(main, [name, "-h"])
        assert (result.exit_code, "Example" in result.output) == (0, True), name


def test_wrong_use_is_exit_code_2(cli: CliRunner) -> None:
    """A slip of the pen is told in a sentence; so is a name that MIGRATO_APP_KEYS could not hold."""
    slips = (["sreve"], ["serve", "--prot", "1"], ["simulate", "--games", "0"])
    names = ("", "A", "a b", "-a", "a,b", "a=b")
    for arguments in (*slips, *(["key", "--", name] for name in names)):
        result = cli.invoke(main, arguments)
        assert result.exit_code == 2
        assert "Error:" in result.output
        assert "Traceback" not in result.output
        assert "key" not in arguments or "lower-case letters" in result.output


class Full(io.StringIO):
    """A stream on a disk that has no room."""

    def flush(self) -> None:
        """Find none."""
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_is_blamed_on_nothing_else(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is told as it is, with exit code 2, whichever command it is, and whoever writes last."""
    game = Path(__file__).parents[1] / "golden" / "0.jsonl"
    for arguments in (["--help"], ["key", "club"], ["openapi"], ["verify", "--json", str(game)]):
        with monkeypatch.context() as patch:
            patch.setattr("sys.stdout", Full())
            with pytest.raises(SystemExit) as left:
                main(arguments)
        told = capsys.readouterr().err
        assert (left.value.code, told) == (2, "Error: Standard output: No space left on device.\n"), arguments


def test_a_closed_stream_is_one_that_nobody_reads() -> None:
    """No file of the command takes the number of a stream that its caller has closed; children have the stream, too."""
    child = "import os; [os.fstat(number) for number in range(3)]"
    code = f"""import os, subprocess, sys
from service.cli import main
main(sys.argv[1:], standalone_mode=False)
assert os.open("/", 0) > 2
assert not subprocess.run([sys.executable, "-c", {child!r}]).returncode
"""
    for closed in (">&-", "2>&-", "<&- >&- 2>&-"):
        command = ["/bin/sh", "-c", f'exec "$@" {closed}', "sh", sys.executable, "-c", code, "key", "club"]
        assert subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode == 0, closed


def test_sigterm_interrupts_as_ctrl_c_does(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """So whatever a command has begun is tidied up; and the signal is what it was, afterwards."""
    tidied: list[bool] = []

    def interrupted(name: str) -> None:
        try:
            signal.raise_signal(signal.SIGTERM)
        finally:
            tidied.append(name == "club")

    command = click.Command("key", callback=interrupted, params=[click.Argument(["name"])])
    monkeypatch.setattr(LazyGroup, "get_command", lambda *_: command)
    with pytest.raises(SystemExit) as left:
        main(["key", "club"])
    assert (left.value.code, tidied) == (1, [True])
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_key_and_entry_belong_together(cli: CliRunner) -> None:
    """The entry for MIGRATO_APP_KEYS holds the SHA-256 of the key and not the key."""
    result = cli.invoke(main, ["key", "club"])
    assert result.exit_code == 0
    key = re.search(r"^key +(\S+)$", result.stdout, re.MULTILINE)
    entry = re.search(r"^entry +club=([0-9a-f]{64})$", result.stdout, re.MULTILINE)
    assert key is not None
    assert entry is not None
    assert hashlib.sha256(key[1].encode()).hexdigest() == entry[1]
    assert key[1] not in cli.invoke(main, ["key", "club"]).output  # and no two keys are the same
