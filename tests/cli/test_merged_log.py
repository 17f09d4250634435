"""One log of many processes."""

import io
import json

from service.cli.supervision.merged_log import Lines, MergedLog


def test_lines_are_whole() -> None:
    """Pieces are put together; the unfinished end waits for the rest, or for the stream's end."""
    lines = Lines()
    assert lines.feed(b"one\ntw") == ["one"]
    assert lines.feed(b"o\nthree") == ["two"]
    assert lines.feed(b"") == ["three"]
    assert lines.feed(b"") == []


def test_endless_lines_are_cut() -> None:
    """A process that writes no line ends cannot fill the memory."""
    lines = Lines()
    assert [len(line) for line in lines.feed(b"x" * (Lines.LONGEST + 1))] == [Lines.LONGEST + 1]


def test_bytes_that_are_no_text_are_shown_anyway() -> None:
    """Bytes that are not UTF-8 do not stop the log."""
    assert Lines().feed(b"\xff\r\n") == ["\N{REPLACEMENT CHARACTER}"]


def test_each_line_names_its_process() -> None:
    """The names stand in a column of their own."""
    stream = io.StringIO()
    log = MergedLog(stream, width=6)
    log.line("web", "up")
    log.line("store", "ready")
    assert stream.getvalue() == "web    | up\nstore  | ready\n"


def test_in_json_every_line_is_an_object() -> None:
    """Whatever it was that a process has written."""
    server, ready = "17:M 22 Nov 2026 18:57:24.123", "Ready to accept connections unix"
    lines = [
        (f"{server} * {ready}", "info", ready),
        (f"{server} # Out of memory", "warning", "Out of memory"),
    ]
    others = (
        "Traceback (most recent call last):",
        '{"time":"cut off',
        '{"no": "line of ours"}',
        'a "quoted" \x1b[31m line\u2028',
    )
    lines += [(other, "info", other) for other in others]
    for line, level, message in lines:
        stream = io.StringIO()
        MergedLog(stream, form="json").line("store", line)
        (written,) = stream.getvalue().splitlines()
        told = json.loads(written)
        assert [told[name] for name in ("level", "logger", "process", "message")] == [
            *(level, "store", "store", message)
        ]
        assert written.isascii()


def test_in_json_the_lines_of_our_processes_stay_as_they_are() -> None:
    """They name their process themselves."""
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
