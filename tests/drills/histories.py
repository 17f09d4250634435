"""A drill's history that is tampered with: what a checker must find."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from drills.checker.check import Verdict, check
from drills.checker.told import Told, answered
from drills.checker.truth import Truth
from drills.history import DRILL, export_of, games_in, read

Json = dict[str, Any]
WITHIN = 30.0


@dataclass(frozen=True)
class Kept:
    """A history in a directory."""

    directory: Path

    def check(self, within: float = WITHIN) -> Verdict:
        """The checker's verdict."""
        return check(self.directory, within)

    def rules(self, within: float = WITHIN) -> set[str]:
        """The rules that are broken."""
        return {violation.rule for violation in self.check(within).violations}

    def games(self) -> list[str]:
        """The ids of its games."""
        return list(games_in(self.directory))

    def told(self, game_id: str) -> list[Told]:
        """All that clients were told of the game."""
        return answered(read(self.directory, game_id))

    def truth(self, game_id: str) -> Truth:
        """The game as it was exported."""
        return Truth.of(export_of(self.directory, game_id))

    def find(self, suits: Callable[[Told, Truth], Any]) -> tuple[str, Told]:
        """The first answer that suits, and its game."""
        for game_id in self.games():
            truth = self.truth(game_id)
            for one in self.told(game_id):
                if one.ok and suits(one, truth):
                    return game_id, one
        raise AssertionError("the history that was kept has no such answer")

    def change(self, game_id: str, change: Callable[[list[Json]], Any]) -> None:
        """Change the entries of a game, or of the drill."""
        entries = read(self.directory, game_id)
        change(entries)
        file = self.directory / f"{DRILL}.jsonl" if game_id == DRILL else None
        _write(file or self.directory / "games" / f"{game_id}.jsonl", entries)

    def change_export(self, game_id: str, change: Callable[[list[Json]], Any]) -> None:
        """Change the lines of an export."""
        file = export_of(self.directory, game_id)
        lines = [orjson.loads(line) for line in file.read_bytes().splitlines()]
        change(lines)
        _write(file, lines)

    def lose(self, game_id: str) -> None:
        """Remove the game's export, as if the game were gone."""
        export_of(self.directory, game_id).unlink()

    def change_answer(self, game_id: str, one: Told, change: Callable[[Json], Any]) -> None:
        """Change the document of one answer, or of one frame."""

        def apply(entries: list[Json]) -> None:
            told = [entry for entry in entries if "answer" in entry]
            wanted = (one.by, one.number, one.at)
            change(next(e["answer"] for e in told if (e["by"], e["n"], e["at"]) == wanted))

        self.change(game_id, apply)

    def replace_answer(self, game_id: str, one: Told, answer: Json) -> None:
        """Another answer in the place of one."""

        def replace(document: Json) -> None:
            document.clear()
            document.update(answer)

        self.change_answer(game_id, one, replace)

    def change_request(self, game_id: str, one: Told, body: Json) -> None:
        """Change what was asked for by the request that this is the answer to."""

        def apply(entries: list[Json]) -> None:
            for entry in entries:
                if entry["is"] == "invoke" and (entry["by"], entry["n"]) == (one.by, one.number):
                    entry["body"] = body

        self.change(game_id, apply)

    def add(self, game_id: str, what: str, **entry: Any) -> None:
        """One more entry, at the end of the drill."""
        last = max(line["at"] for line in read(self.directory, game_id))
        self.change(game_id, lambda entries: entries.append({"at": last, "is": what, **entry}))

    def add_move(
        self, game_id: str, one: Told, key: str | None, what: str, status: int, answer: Json
    ) -> None:
        """Somebody else makes the same move under a key, and is told that."""
        asked = {"do": "move", "seat": one.seat, "method": "POST", "path": "", "attempt": 1}
        self.add(game_id, "invoke", by="other", n=1, key=key, body=one.body, **asked)
        self.add(game_id, what, by="other", n=1, status=status, answer=answer)

    def add_fault(self, healed: float, until: float, loses: bool = False) -> None:
        """One more fault, which was over at that time."""
        self.change(DRILL, lambda entries: entries.append(fault(healed, until, loses)))


def fault(healed: float, until: float, loses: bool = False) -> Json:
    """A fault that was over at that time."""
    entry = {"is": "fault", "at": until, "number": 10_000, "name": "test", "detail": "", "kills": 0}
    return entry | {
        "began": healed,
        "healed": healed,
        "until": until,
        "loses": loses,
        "games": 1,
        "ready": None,
    }


def whole(one: Told, truth: Truth) -> Json | None:
    """The state of the game at that answer's version, with all that the rules conceal from its seat."""
    return truth.game.view(truth.states[one.version or 0], one.seat, whole=True)


def conceals(one: Told, truth: Truth) -> bool:
    """True if the rules conceal anything from that answer's seat."""
    return bool(truth.game.view(truth.states[one.version or 0], one.seat) != whole(one, truth))


def _write(file: Path, lines: list[Json]) -> None:
    file.write_bytes(b"".join(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE) for line in lines))
