"""One log of many processes."""

import io
import json

from service.cli.supervision.merged_log import Lines, MergedLog


def test_lines_are_whole() -> None:
    """Pieces are put together; the unfinished end waits for the rest, or for the stream's end.

    Endless lines are cut, so that they do not fill the memory; bytes that are no text are shown anyway.
    """
    lines = Lines()
    for piece, whole in ((b"one\ntw", ["one"]), (b"o\nthree", ["two"]), (b"", ["three"]), (b"", [])):
        assert lines.feed(piece) == whole
    assert [len(line) for line in lines.feed(b"x" * (Lines.LONGEST + 1))] == [Lines.LONGEST + 1]
    assert Lines().feed(b"\xff\r\n") == ["\N{REPLACEMENT CHARACTER}"]


def test_each_line_names_its_process() -> None:
    """The names stand in a column of their own."""
    stream = io.StringIO()
    log = MergedLog(stream, width=6)
    log.line("web", "up")
    log.line("store", "ready")
    assert stream.getvalue() == "web    | up\nstore  | ready\n"


def test_in_json_every_line_is_an_object() -> None:
    """Every line is a JSON object, whatever a process has written."""
    server, ready = "17:M 22 Nov 2026 18:57:24.123", "Ready to accept connections unix"
    lines = [(f"{server} * {ready}", "info", ready), (f"{server} # No memory", "warning", "No memory")]
    others = (
        "Traceback (most recent call last):",
        '{"time":"cut off',
        '{"no": "line of ours"}',
        'a "b" \x1b[31m c\u2028',
    )
    for line, level, message in (*lines, *((other, "info", other) for other in others)):
        stream = io.StringIO()
        MergedLog(stream, form="json").line("store", line)
        (written,) = stream.getvalue().splitlines()
        told = json.loads(written)
        assert (told["level"], told["message"]) == (level, message)
        assert told["logger"] == told["process"] == "store"
        assert written.isascii()


def test_in_json_the_lines_of_our_processes_stay_as_they_are() -> None:
    """Lines of the engine's processes stay as they are, since they name their process themselves."""
    stream, line = io.StringIO(), '{"time":"2026-11-22T18:57:24.123Z","process":"web","message":"up"}'
    MergedLog(stream, form="json").lines("web", [line, line])
    assert stream.getvalue() == f"{line}\n{line}\n"


def test_a_reader_that_went_away_is_no_failure() -> None:
    """`migrato serve | head` goes on serving."""
    tried: list[str] = []

    class Gone(io.StringIO):
        def write(self, text: str) -> int:
            tried.append(text)
            raise BrokenPipeError

    log = MergedLog(Gone(), width=3)
    log.line("web", "one")
    log.line("web", "two")
    assert tried == ["web | one\n"]  # nor is it tried again
