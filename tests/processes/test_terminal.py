"""`migrato play` at a real terminal: a pseudo-terminal, keys pressed one after the other, on a real engine."""

import os
import pty
import re
import select
import sys
import time
from pathlib import Path

from domain.migrato.game import MIGRATO
from tests.support.engine import Engine
from tests.support.running import ROOT, as_in_the_foreground, clean_environment
from tests.support.waiting import LIMIT

PROMPT = "your move (? for help)> "


class AtTheTerminal:
    """A process whose terminal is this object."""

    def __init__(self, state: Path, *arguments: str) -> None:
        environment = clean_environment({"TERM": "dumb", "COLUMNS": "120", "XDG_STATE_HOME": str(state)})
        self.pid, self._terminal = pty.fork()
        if self.pid == 0:
            as_in_the_foreground()
            os.chdir(ROOT)
            os.execve(sys.executable, [sys.executable, "-m", "service.cli", "play", *arguments], environment)
        self.seen = ""

    def until(self, text: str, seconds: float = LIMIT) -> str:
        """All that the terminal shows up to the end of this text; the next call gets what comes later."""
        assert self._is_shown(text, seconds), f"{text!r} did not come: {self.seen[-2000:]}"
        shown, _, self.seen = self.seen.partition(text)
        return shown + text

    def _is_shown(self, text: str, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while text not in self.seen:
            ready, _, _ = select.select([self._terminal], [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                return False
            try:
                more = os.read(self._terminal, 65536)
            except OSError:  # the other end is closed
                more = b""
            assert more, f"{text!r} did not come before the end: {self.seen[-2000:]}"
            self.seen += re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", more.decode()).replace("\r\n", "\n")
        return True

    def interrupt(self, until: str) -> str:
        """Ctrl-C, until that text. Between the prompt and the read after it, Python hears it at the next line only."""
        self.type("\x03")
        if not self._is_shown(until, 15):
            self.type("\n")
        return self.until(until)

    def type(self, text: str) -> None:
        os.write(self._terminal, text.encode())

    def end(self) -> int:
        """The exit code."""
        _, status = os.waitpid(self.pid, 0)
        os.close(self._terminal)
        return os.waitstatus_to_exitcode(status)


def test_words_and_resuming(engine: Engine, tmp_path: Path) -> None:
    """Help, cards, table, rules and a hint; then leaving by Ctrl-C, going on, and giving up only when sure."""
    first = AtTheTerminal(tmp_path, "--url", engine.url, "--name", "ada")
    assert "the game starts with you" in first.until(PROMPT)
    for typed, answer in (
        ("?\n", "resign   give the game up"),
        ("c\n", "brant goose"),
        ("cards\n", "light pollution"),
        ("r\n", f"{engine.url}/guide/reference/rules-migrato"),
        ("t\n", "you: 0 points"),
        ("h\n", f"{MIGRATO.hint_bot} would choose "),
        ("hint level-1\n", " of 100 games."),
        ("h level-99\n", "There is no hint: "),
        ("nonsense\n", "There are the moves 1 to"),
        ("resign\n", "Give the game up?"),
        ("n\n", PROMPT),
    ):
        first.type(typed)
        first.until(answer)
    first.type("1\n")
    first.until("you ")
    first.until(PROMPT)
    left = first.interrupt("--token mg_")
    assert "migrato play --resume" in left
    assert first.end() == 0

    second = AtTheTerminal(tmp_path, "--resume")
    assert "you asked level-1 for a hint" in second.until(PROMPT)
    second.type("resign\n")
    second.until("Give the game up?")
    second.type("y\n")
    over = second.until("(resigned).")
    assert "you resign" in over
    assert "You lose" in over
    assert second.end() == 0

    third = AtTheTerminal(tmp_path, "--resume")
    third.until("You have left no game that goes on.")
    assert third.end() == 2
