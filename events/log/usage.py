# compiled into recording
"""Usage of an app: counts by the day (UTC) of the events that they are about, and the text in which an append tells of
them.

A count is a word, for some of them with the bot that it is about: `people` or `moves:level-5@2-5229c095`. `created`,
`finished` and `aborted` count games, `people` the moves of people; of a bot, `moves` and of these the `fallbacks`, made
in place of a move that did not arrive; `hints`, `questions`, and `ms`, the milliseconds that it has thought; `streams`
were opened for so many `stream-seconds`; `deliveries` of webhooks have arrived, after so many `attempts`.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Final, NamedTuple

from domain.annotations import BEFORE_A_MOVE
from domain.bot import with_version
from domain.interventions import ABORT
from events.log.envelope import RecordedEvent
from events.log.snapshot import SCORED, Snapshot

USED: Final = "used "  # the text begins so in the feed
OTHER: Final = "other"  # bots whose names cannot be counted
NAMEABLE: Final = re.compile(r"[0-9A-Za-z][0-9A-Za-z_.@+-]{0,99}")
TEXT: Final = re.compile(
    r"([a-z0-9][a-z0-9_-]{0,63}) ([0-9]{4}-[0-9]{2}-[0-9]{2})"
    r"((?: [a-z-]{1,20}(?::[0-9A-Za-z][0-9A-Za-z_.@+-]{0,99})?=[0-9]{1,12})+)"
)
FIRST: Final = date(2020, 1, 1)
LAST: Final = date(9000, 1, 1)
CREATED: Final = "game_created"
GAMES_CREATED: Final = "created"  # the count of these events
HINTED: Final = "hint_given"


class Used(NamedTuple):
    """Counts of an app on a day, a date as in 2026-11-29."""

    app: str
    day: str
    counts: Mapping[str, int]


class Thought:
    """Milliseconds that a bot has thought about the moves of an append."""

    def __init__(self) -> None:
        self.milliseconds = 0


def bot_named(name: str, version: str | None) -> str:
    """A bot in counts: its name, and its version if it has one."""
    named = name if version is None else with_version(name, version)
    return named if NAMEABLE.fullmatch(named) else OTHER


def text_of(app: str, day: str, counts: Mapping[str, int]) -> str:
    """The counts as a text of one line, which `read` reads."""
    return f"{app} {day} " + " ".join([f"{name}={number}" for name, number in counts.items()])


def read(text: str) -> Used | None:
    """Counts of such a text; None for any other text."""
    found = TEXT.fullmatch(text)
    if found is None:
        return None
    try:
        if not FIRST < date.fromisoformat(found[2]) < LAST:
            return None
    except ValueError:
        return None
    pairs = [pair.split("=") for pair in found[3].split()]
    return Used(found[1], found[2], {name: int(number) for name, number in pairs})


def used_by(
    before: Snapshot,
    seat: int | None,
    command: str,
    events: Sequence[RecordedEvent],
    thought: Thought | None = None,
) -> str:
    """The text of what events add to the usage of the game's app; "" for nothing.

    `seat` and `command`, its id: who has caused them, and by what.
    """
    app = before.secrets.app
    if not app:
        return ""
    day = events[-1].at[:10]
    if "0" <= command[0] <= "9":  # a posted move of a seat
        return f"{app} {day} people=1"
    counts: dict[str, int] = {}
    bot = ""
    for event in events:
        kind = event.type
        if kind == BEFORE_A_MOVE:
            bot = bot_named(event.data["bot"], event.data["version"])
            _add(counts, f"moves:{bot}", 1)
            if event.data["fallback"] is not None:
                _add(counts, f"fallbacks:{bot}", 1)
        elif kind == HINTED:
            _add(counts, f"hints:{bot_named(event.data['bot'], event.data['version'])}", 1)
        elif kind == CREATED:
            _add(counts, GAMES_CREATED, 1)
        elif kind == SCORED:
            _add(counts, "finished", 1)
        elif kind == ABORT:
            _add(counts, "aborted", 1)
    if (
        not bot and seat is not None and command.startswith("bot:")
    ):  # of a remote bot, which tells nothing of itself
        remote = before.status.seats[seat]
        _add(counts, f"moves:{bot_named(remote.bot or remote.kind, remote.version)}", 1)
    elif bot and thought is not None and thought.milliseconds:
        _add(counts, f"ms:{bot}", thought.milliseconds)
    return text_of(app, day, counts) if counts else ""


def _add(counts: dict[str, int], name: str, number: int) -> None:
    counts[name] = counts.get(name, 0) + number
