"""The turns of the tutorial, as the engine plays them: `python -m tests.page.lessons > service/web/learn/lessons.js`.

The page shows them without an engine, so that a beginner needs no key, and nothing is left of a lesson.
"""

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from tests.page.prepared import Json, Prepared
from tests.service.table import deck
from tests.support.engine import FEW, Engine
from tests.support.waiting import until

VIEW: Final = ("version", "status", "turn", "to_act", "state", "result", "aborted")
EVENT: Final = ("type", "seat", "data")
HEAD: Final = """\
/** The turns of the tutorial, as the engine plays them: recorded by `python -m tests.page.lessons`. */

/**
 * What has happened, how the table is, and what each move leads to that the lesson lets somebody make, written as JSON.
 * @typedef {{events: any[], view: any, moves: Record<string, Moment>}} Moment
 * @typedef {"play" | "below" | "land" | "night" | "move" | "steal" | "exchange" | "end"} LessonId
 */

/** What every view of a lesson has. */
export const COMMON = %s;

/** @type {{id: LessonId, begin: Moment}[]} */
export const LESSONS = [
%s
];
"""


class Lesson(NamedTuple):
    """One turn: `cards` lie on top of the deck; `before` is played before the learner, who has seat 0, comes in;
    `wanted` is the one action that the lesson is about.

    `G5d>K2d` begins a column with a card and discards another, `G5d1>K2d` adds it to column 1, `x` exchanges the hand.
    """

    id: str
    first: int
    cards: str
    before: str
    wanted: Json


LESSONS: Final = (
    Lesson("play", 0, "G5d G3n S3n K3d B2d G4n", "", {"type": "play", "card": "G5d"}),
    Lesson(
        "below",
        0,
        "G5d S3n G3n S3n B4d T1d G4d K3d K2d G4n B2d",
        "G5d>G3n x",
        {"type": "play", "card": "G4d", "slot": 1},
    ),
    Lesson(
        "land",
        0,
        "T5d S3n G3n S6n G5n T1d T3d K4d K3d G4n B3d",
        "T5d>G3n x",
        {"type": "play", "card": "T3d", "slot": 1},
    ),
    Lesson(
        "night",
        0,
        "S6n K2d B3d B1d G4n K3d S6n G4n T5d T2n S6n S3n B1d S1n K3d K3d S3n K2d T1d S3n B4d",
        "S6n>B3d x S6n1>G4n x S3n1>G4n x",
        {"type": "play", "card": "S3n", "slot": 1},
    ),
    Lesson(
        "move",
        0,
        "B4d K2d B3d B1d G4n K2d B3d G4n T5d T2n S6n B2d S1n S3n K3d K2d G3n K4d T1d S6n S1n",
        "B4d>B3d x B3d1>G4n x B2d>G4n x",
        {"type": "move_cards", "from": 2, "to": 1},
    ),
    Lesson("steal", 1, "K4d HUN B3d T2n G4n G4d G3n K3d", "K4d>B3d", {"type": "danger", "card": "HUN"}),
    Lesson("exchange", 0, "HUN G4n LIG K3d HAB G4n", "", {"type": "exchange"}),
    Lesson(
        "end",
        1,
        "G5d K4d G4d K4d S1n K3d G5d B2d K4d B4d G4d S3n K3d K2d G4d K2d K3d T2n G3d T4n B4d B1d S6n S6n "
        "B3d K3d S6n K2d B3d S1n S3n G5n T5d K2d S3n G3n T3d G4n G5n G4n",
        "G5d>G4d K4d>K4d G5d1>S1n K4d1>K3d G4d1>B2d K3d1>B4d G4d1>S3n K3d1>K2d G3d1>K2d B4d>T2n S6n>T4n "
        "B3d1>B1d S6n1>S6n B3d1>K3d S3n1>K2d T5d>S1n S3n1>G5n",
        {"type": "play", "card": "T3d", "slot": 1},
    ),
)


def moves_before(lesson: Lesson) -> Iterator[Json]:
    """The moves that are played before the learner comes in."""
    for turn in lesson.before.split():
        played, _, discard = turn.partition(">")
        slot = int(played[3:]) if played[3:] else None
        is_play = bool(discard)
        yield (
            {"type": "play", "card": played[:3], "slot": slot, "discard": discard}
            if is_play
            else {"type": "exchange"}
        )


def begun(url: str, lesson: Lesson) -> Prepared:
    """A game that has come to where the lesson begins."""
    options = {"first_seat": lesson.first}
    game = Prepared(url, setup={"deck": deck(lesson.cards.split())}, options=options)
    for number, move in enumerate(moves_before(lesson), start=lesson.first):
        game.post(number % 2, move)
    return game


def after(url: str, lesson: Lesson, path: tuple[Json, ...]) -> Json:
    """The moment after these moves of the learner: events of the last one, the table, and what may follow."""
    game, events = begun(url, lesson), list[Json]()
    for move in path:
        events = game.post(0, move)["events"]
    until(lambda: game.view()["status"] == "playing" or game.view()["result"]["scored"])
    view, moves = game.view(), dict[str, Json]()
    if view["to_act"] == 0:
        legal = [move for move in game.legal(0) if path or lesson.wanted.items() <= move.items()]
        moves = {compact(move): after(url, lesson, (*path, move)) for move in legal}
    shown = {name: view[name] for name in VIEW if name in view}
    told = [{name: event[name] for name in EVENT} for event in events]
    return {"events": told, "view": shown, "moves": moves}


def compact(document: Json) -> str:
    """The value as the page's own source writes it."""
    return json.dumps(document, separators=(",", ":"))


def recorded(url: str) -> str:
    """The module of all lessons."""
    view = begun(url, LESSONS[0]).view()
    common = {name: view[name] for name in ("game", "viewer", "rated", "options")}
    common |= {"seats": [{"seat": seat["seat"], "kind": "human"} for seat in view["seats"]]}
    lines = [f'  {{ id: "{lesson.id}", begin: {compact(after(url, lesson, ()))} }},' for lesson in LESSONS]
    return HEAD % (compact(common), "\n".join(lines))


def main() -> None:
    """Record them."""
    with tempfile.TemporaryDirectory() as place:
        engine = Engine(Path(place) / "data", **FEW).start()
        try:
            sys.stdout.write(recorded(engine.url))
        finally:
            engine.end()


if __name__ == "__main__":
    main()
