"""Checks by name, and their results."""

from dataclasses import dataclass, fields, replace
from typing import Any, Final

import orjson

from domain.lifecycle import Json

CHECKS: Final = {
    "format": "Every line is JSON, and has the members of the format with their types, and no others.",
    "canonical": "Every line is written in the one way in which it can be written (RFC 8785).",
    "sequence": "The events' versions are 1, 2, 3 ...: none is missing, doubled or out of its place.",
    "commitments": "All that is seen of an event is what its commitment binds.",
    "chain": "Every head is SHA-256 of the head before it and the event's commitment.",
    "redacted": "Every event hides just what the rules hide from the header's viewer; of a game that is over, nothing.",
    "header": "The header tells of this game: its id, rules, deck, and whether it is over and whole.",
    "seed": "The server seed that was revealed is the one that the first event commits to.",
    "salts": "Every salt follows from the server seed, the game's id and the place that it is for.",
    "shuffles": "Who starts and every shuffle follow from the server seed and the client seeds.",
    "rules": "Every move was legal at its time, and caused exactly the events that are recorded.",
    "clocks": "No seat acted after its deadline, none ran out of time before it, by the recorded times alone.",
    "position": "The position that a fork begins with has every card of the game once, and is its origin's.",
    "bot-seeds": "Every bot's move names the bot; its seed (and a hint's) is derived from the server seed, not chosen.",
    "bots": "Every bot, asked again with the recorded seed and iterations, makes the recorded move.",
    "result": "The end, the result and the scores are what the cards on the table come to, in everybody's view.",
    "end": "The last line tells the version, the head and the client seeds that the events come to.",
    "signature": "The last head is signed, by the key that the header names; it counts for complete games only.",
}
HISTORY: Final = "history"
KEPT: Final = "kept"
ACROSS: Final = {  # checks of an export beside other files, once it passes by itself
    HISTORY: "All exports of a game tell one history: no two differ at an event, none goes on where another is "
    "complete, and a fork names a head of it.",
    KEPT: "Whatever somebody kept of the game while it was played (`--kept`) is what is recorded: every head, and "
    "every member that was shown.",
}
REMARKS: Final = {
    "cut": "A bot's search ended sooner than the bot would have ended it: cut by the clock, the engine says. Those "
    "that had less than 5 seconds are counted apart.",
    "replaced": "Another bot moved in a bot's place: that it failed is what the engine says.",
    "people": "A seat that is said to be a person's moves as a program does.",
    "remote": "A seat is said to be a remote program's: that no person played there, the engine says.",
    "decisions": "An app ended the game or put a bot in a player's place, or a seat was handed over: by whom, "
    "the engine says.",
    "tokens": "A seat got a new token, and the former one was void: who played there from then on, the engine says.",
    "bots": "A bot that plays is not known here, or searched for longer than it can have.",
    "hints": "A hint is by a bot that is not known here, or names a budget that the bot cannot have used.",
    "outages": "A seat got time back that an outage took from it: that there was one, the engine says. If the "
    "outage ended later than that was recorded, two clocks differ, or it is invented.",
    "options": "An option left no trace: with another value every other event would be the same. Or the clock "
    "is one of former releases.",
    "client-seeds": "No seat gave a client seed after the engine had committed itself to its own: it could draw until "
    "the cards suited.",
    "times": "Times run backwards, or a fork is older than what it was forked from (with `--origin`).",
    "signer": "The signature is by a key that only the file itself names: the signer is not verified.",
}
UNITS: Final = {
    "format": "lines", "canonical": "lines", "sequence": "events", "commitments": "events", "chain": "heads",
    "redacted": "events", "header": "headers", "seed": "seeds", "salts": "salts", "shuffles": "shuffles",
    "rules": "moves", "clocks": "deadlines", "position": "positions", "bot-seeds": "seeds", "bots": "moves",
    "result": "statements", "end": "lines", "signature": "signatures",
}  # fmt: skip
PASSED: Final = "passed"
FAILED: Final = "failed"
PARTLY: Final = "partly"  # of what could be checked nothing is wrong, but not all could be
NOT_CHECKED: Final = "not-checked"
NOTHING: Final = "there is nothing of the kind"
NOT_ASKED: Final = "not asked for"
# Errors of reading malformed data.
MALFORMED: Final = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
SHOWN: Final = 300  # characters of a value that a report shows

INCOMPLETE: Final = "incomplete"
UNSCORED: Final = "unscored"
VERDICTS: Final = {
    PASSED: "The game is complete, and nothing is wrong with it.",
    INCOMPLETE: "Nothing is wrong with what is there, but not all is: the file ends properly, but before the "
    "game does. Or `--bots` had to leave moves of bots out.",
    UNSCORED: "Nothing is wrong, and the game is over, but its result is not confirmed, or the file ends before that.",
    FAILED: "Something is wrong.",
}


class CheckFailed(Exception):
    """A check failed: the event (None if it is not at one), the fault, the expected and the found value."""

    def __init__(
        self, check: str, version: int | None, detail: str, expected: Any = None, found: Any = None
    ) -> None:
        assert check in CHECKS or check in ACROSS
        super().__init__(detail)
        self.check = check
        self.version = version
        self.detail = detail
        self.expected = shown(expected)
        self.found = shown(found)

    def __reduce__(self) -> tuple[Any, ...]:
        return CheckFailed, (self.check, self.version, self.detail, self.expected, self.found)

    @property
    def document(self) -> Json:
        """The failed check as a JSON object of the report."""
        return {
            "check": self.check,
            "version": self.version,
            "detail": self.detail,
            "expected": self.expected,
            "found": self.found,
        }


def shown(value: Any) -> str | None:
    """A value of any kind in a few words; None for None."""
    if value is None:
        return None
    if isinstance(value, bytes):
        text = value.decode(errors="replace")
    elif isinstance(value, str):
        text = value
    else:
        try:
            text = orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
        except TypeError:  # what was read may be nested too deeply to be written
            text = f"a {type(value).__name__}"
    return text if len(text) <= SHOWN else text[: SHOWN - 4] + " ..."


@dataclass(frozen=True, slots=True)
class Checked:
    """Result of one check: `count` is the number found right, `note` the reason for which not all was checked."""

    name: str
    status: str
    count: int
    note: str | None = None

    def __reduce__(
        self,
    ) -> tuple[Any, ...]:  # compiled, a frozen dataclass has no other way to another process
        return Checked, (self.name, self.status, self.count, self.note)

    @property
    def document(self) -> Json:
        """The check as a JSON object of the report."""
        return {"check": self.name, "status": self.status, "count": self.count, "note": self.note}


@dataclass(frozen=True, slots=True)
class Remark:
    """Remark: nothing that a check can find wrong, but a reader should know of it; `about` is one of REMARKS."""

    about: str
    detail: str

    def __reduce__(self) -> tuple[Any, ...]:
        return Remark, (self.about, self.detail)

    @property
    def document(self) -> Json:
        """The remark as a JSON object of the report."""
        return {"about": self.about, "detail": self.detail}


@dataclass(frozen=True, slots=True)
class Report:
    """Report on one game. `wrong` is the first fault; nothing after it was looked at.

    `complete`: the game is over, its result confirmed, and all of it was there to be checked; `over`: at least its seed
    was. `proof`: keys were named, so that nothing but a complete game passes. `unasked`: moves of bots that were to be
    asked for again, and could not be. `signer`: the id of the key that signed the last head, also where that does not
    count. `aborted`: the app ended the game without a result. `head`: in hex, after the last event that was seen.
    """

    game_id: str
    game: str
    version: int
    complete: bool
    checks: tuple[Checked, ...]
    wrong: CheckFailed | None
    unasked: int = 0
    over: bool = False
    proof: bool = False
    remarks: tuple[Remark, ...] = ()
    signer: str | None = None
    aborted: bool = False
    head: str = ""

    def __reduce__(self) -> tuple[Any, ...]:
        return Report, tuple([getattr(self, one.name) for one in fields(self)])

    @property
    def passed(self) -> bool:
        """True if nothing was found wrong, and the game is complete where keys were named.

        `checks` says what was not checked.
        """
        return self.wrong is None and (self.complete or not self.proof)

    def contradicted(self, wrong: CheckFailed) -> "Report":
        """The report on a game with which nothing is wrong by itself, but beside another export of it."""
        return replace(self, wrong=wrong, complete=False, remarks=())

    @property
    def verdict(self) -> str:
        """Verdict of the audit: one of VERDICTS."""
        if self.wrong is not None:
            return FAILED
        if not self.over:
            return INCOMPLETE
        return UNSCORED if not self.complete else INCOMPLETE if self.unasked else PASSED

    @property
    def document(self) -> Json:
        """The report as a JSON object, as the API and `migrato verify --json` give it."""
        return {
            "game_id": self.game_id,
            "game": self.game,
            "version": self.version,
            "complete": self.complete,
            "passed": self.passed,
            "verdict": self.verdict,
            "checks": [checked.document for checked in self.checks],
            "remarks": [remark.document for remark in self.remarks],
            "wrong": None if self.wrong is None else self.wrong.document,
        }
