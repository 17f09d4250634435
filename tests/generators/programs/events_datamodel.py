"""Every event of a page comes out as its own class, and is written back as it was.

    events_datamodel.py GAME FILE [EXPECTED]

GAME is what the classes of the game's own begin with, nothing for Migrato. FILE holds a list of EventsPage documents;
EXPECTED what is written back, if that is something else. The generated module is `migrato_models`, unedited.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

import migrato_models as models


def class_name(game: str, kind: str) -> str:
    """What the class of that type of event is called: the game's own, or one that Migrato has too."""
    name = "".join(word.title() for word in kind.split("_"))
    return game + name if hasattr(models, game + name) else name


TIME = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?(?:Z|\+00:00)")


def to_the_second(page: dict[str, Any]) -> dict[str, Any]:
    """The page with times cut to the second: how the rest is written is each library's own."""
    cut: dict[str, Any] = json.loads(TIME.sub(r"\1", json.dumps(page)))
    return cut


def main(game: str, file: str, expected: str | None = None) -> None:
    documents, wanted = (json.loads(Path(path).read_text()) for path in (file, expected or file))
    for document, as_it_was in zip(documents, wanted, strict=True):
        page = models.EventsPage.model_validate(document)
        names = [type(event.root).__name__ for event in page.events]
        assert names == [class_name(game, event["type"]) for event in document["events"]]
        written = json.loads(page.model_dump_json(by_alias=True, exclude_unset=True))
        assert to_the_second(written) == to_the_second(as_it_was)


if __name__ == "__main__":
    main(*sys.argv[1:])
