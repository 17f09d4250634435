"""Both generated Python clients, which lie beside this unedited, are tried.

    both.py play URL APP_KEY: games of both kinds by each client, of Migo a whole one
    both.py CLIENT GAME FILE EXPECTED ...: every event of a page comes out as its own class, and is written back

CLIENT is `migrato_models` or `migrato_client`. GAME is what the classes of the game's own begin with, nothing for
Migrato. FILE holds a list of EventsPage documents; EXPECTED what is written back, or after a `!` what the refusal says.
"""

import json
import re
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

Json = dict[str, Any]
Parsed = tuple[list[str], Json]  # the names of the events' classes, and what is written back
TIME = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?(?:Z|\+00:00)")


def by_models(document: Json) -> Parsed:
    from migrato_models import EventsPage

    page = EventsPage.model_validate(document)
    written: Json = json.loads(page.model_dump_json(by_alias=True, exclude_unset=True))
    return [type(event.root).__name__ for event in page.events], written


def by_client(document: Json) -> Parsed:
    from migrato_client.models import EventsPage

    page = EventsPage.from_dict(document)
    return [type(event).__name__ for event in page.events], page.to_dict()


CLIENTS: dict[str, tuple[str, Callable[[Json], Parsed]]] = {
    "migrato_models": ("migrato_models", by_models),
    "migrato_client": ("migrato_client.models", by_client),
}


def to_the_second(page: Json) -> Json:
    """The page with times cut to the second: how the rest is written is each library's own."""
    cut: Json = json.loads(TIME.sub(r"\1", json.dumps(page)))
    return cut


def check(client: str, game: str, file: str, expected: str) -> None:
    module, parse = CLIENTS[client]
    models, documents = import_module(module), json.loads(Path(file).read_text())

    def class_name(kind: str) -> str:
        """The name of the class of that type of event: the game's own, or one that Migrato has too."""
        name = "".join(word.title() for word in kind.split("_"))
        return game + name if hasattr(models, game + name) else name

    for document, wanted in zip(documents, json.loads(Path(expected).read_text()), strict=True):
        names, written = parse(document)
        assert names == [class_name(event["type"]) for event in document["events"]]
        assert to_the_second(written) == to_the_second(wanted)


def check_refusal(client: str, file: str, reason: str) -> None:
    (document,) = json.loads(Path(file).read_text())
    with pytest.raises(Exception, match=re.escape(reason)):
        CLIENTS[client][1](document)


def main(what: str, *arguments: str) -> None:
    if what == "play":
        for client in ("datamodel", "openapi_python_client"):
            import_module(f"play_{client}").main(*arguments)
        return
    for game, file, expected in zip(arguments[::3], arguments[1::3], arguments[2::3], strict=True):
        if expected.startswith("!"):
            check_refusal(what, file, expected[1:])
        else:
            check(what, game, file, expected)


if __name__ == "__main__":
    main(*sys.argv[1:])
