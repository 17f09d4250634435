"""Kept things in a file: events, heads, and what a game said of itself.

Every kind of answer of the engine is accepted: exports, events as a page or as lines, server-sent events, states,
answers to moves, views, looks at a seat, signed heads; as lines or as one document, in any order, of any games. Nothing
in a file is believed: it is only ever compared. A line that cannot be read is reported, and the others are still read.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any, Final, NamedTuple

import orjson

from domain.lifecycle import Json
from events.audit.stream_verifier import is_digest
from events.log.export import FAMILY

EVENT: Final = "event"
HEAD: Final = "head"
LOOK: Final = "look"  # a game's own words on what it was made of: its commitment, seeds, options
DEEPEST: Final = 4  # documents in documents, as a view in a state in a page
_ID: Final = re.compile(r"[0-9A-Za-z_-]{1,100}")
_EVENT: Final = frozenset(
    ("version", "type", "schema", "at", "seat", "data", "redacted", "commitment", "head")
)
_FIELD: Final = re.compile(rb"(?:data|id|event|retry)?:")  # of server-sent events; a comment has no name
_MARK: Final = b"\xef\xbb\xbf"
_NOT_JSON: Final = "is not JSON in UTF-8"


class Kept(NamedTuple):
    """One thing: its line in the file, its kind, the version that it is of (0: of the whole game), itself as JSON."""

    line: int
    kind: str
    version: int
    raw: bytes


@dataclass(slots=True)
class Stream:
    """Things of one game in one file; `game_id` is None where none of them names it, as in events that begin later."""

    game_id: str | None
    things: list[Kept] = field(default_factory=list)

    @property
    def digests(self) -> set[str]:
        """Heads and commitments among them, by which their game is found where none is named."""
        documents = [(one.kind, orjson.loads(one.raw)) for one in self.things]
        found = [it["fairness"].get("commitment") if kind == LOOK else it["head"] for kind, it in documents]
        return {digest for digest in found if is_digest(digest)}


@dataclass(slots=True)
class KeptFile:
    """Content of a file: the streams in it, and its unreadable lines, with the fault of the first; `cut`: the last line
    has no end.
    """

    name: str
    streams: list[Stream] = field(default_factory=list)
    bad: int = 0
    fault: str | None = None
    cut: bool = False

    @property
    def count(self) -> int:
        """The number of things in all streams of the file."""
        return sum(len(stream.things) for stream in self.streams)


def read(name: str, content: bytes) -> KeptFile:
    """The file of that name, with that content; it never raises for what is in it."""
    return _Reader(KeptFile(name)).read(content.removeprefix(_MARK))


class _Reader:
    """A file while it is read."""

    def __init__(self, file: KeptFile) -> None:
        self._file = file
        self._named: dict[str, Stream] = {}
        self._nameless: Stream | None = None  # the stream of the last event
        self._last = 0  # its version
        self._exported: str | None = None  # the game whose export goes on

    def read(self, content: bytes) -> KeptFile:
        file = self._file
        document, fault = _parsed(content)
        if fault is None:  # one document, on however many lines
            self._take(document, 1)
        else:
            for line, raw, is_last in _texts(content):
                document, fault = _parsed(raw)
                if fault is None:
                    self._take(document, line)
                elif is_last and fault == _NOT_JSON:
                    file.cut = True
                else:
                    self._blame(line, fault)
        if not file.count and file.fault is None:
            self._blame(1, "holds nothing of a game that could be compared")
        return file

    def _blame(self, line: int, fault: str) -> None:
        self._file.bad += 1
        self._file.fault = self._file.fault or f"line {line} {fault}"

    def _take(self, document: Any, line: int) -> None:
        if type(document) is list:
            for one in document:
                self._take_one(one, line)
        else:
            self._take_one(document, line)

    def _take_one(self, document: Any, line: int) -> None:
        if type(document) is not dict:
            self._blame(line, "is no JSON object")
            return
        form = document.get("format")
        if type(form) is str and form.startswith(FAMILY):
            self._exported = _id_in(document, ("game_id",))
            return
        end = document.get("end")
        if len(document) == 1 and type(end) is dict:
            document = {**end, "fairness": {name: end.get(name) for name in ("client_seeds", "server_seed")}}
        self._things(document, line, self._exported, 0)
        if end is not None:
            self._exported = None

    def _things(self, document: Json, line: int, game_id: str | None, depth: int) -> None:
        """Whatever there is in a document: it may be several things at once, and hold others."""
        version = document.get("version")
        if type(version) is not int or version < 0:
            version = 0
        has_data = type(document.get("data")) is dict
        if "commitment" in document or (version and has_data and "type" in document):
            if version and has_data and document.keys() >= _EVENT:
                self._add(document, EVENT, version, line, game_id)
            else:
                self._blame(line, "is an event of which members are missing, or of another kind")
            return
        if type(document.get("client_seed")) is str and "fairness" not in document:
            document = {
                **document,
                "fairness": {},
            }  # a seat that was taken, and could not be looked at before
        game_id = _game_of(document) or game_id
        self._take_head(document, version, line, game_id)
        fairness = document.get("fairness")
        if type(fairness) is dict:
            self._add(document, LOOK, 0, line, game_id)
            if type(signed := fairness.get("signature")) is dict:
                number = signed.get("version")
                self._take_head(signed, number if type(number) is int else 0, line, game_id)
        if depth == DEEPEST:
            return
        for name in ("view", "game", "data", "event"):
            if type(inner := document.get(name)) is dict:
                self._things(inner, line, game_id, depth + 1)
        for name in ("events", "history", "items"):
            for inner in document[name] if type(document.get(name)) is list else ():
                if type(inner) is dict:
                    self._things(inner, line, game_id, depth + 1)
                elif name == "events":
                    self._blame(line, "has something else among its events")

    def _take_head(self, document: Json, version: int, line: int, game_id: str | None) -> None:
        head = document.get("head")
        if head is None:
            return
        if version > 0 and is_digest(head):
            self._add(document, HEAD, version, line, game_id)
        else:
            self._blame(line, "has a head that is none, or of no version")

    def _add(self, document: Json, kind: str, version: int, line: int, game_id: str | None) -> None:
        if game_id is None and document.get("type") == "game_created" and type(document["data"]) is dict:
            game_id = _id_in(document["data"], ("id",))
        try:
            thing = Kept(line, kind, version, orjson.dumps(document))
        except TypeError:
            self._blame(line, "is nested too deeply")
            return
        self._stream_of(thing, game_id).things.append(thing)

    def _stream_of(self, thing: Kept, game_id: str | None) -> Stream:
        """The stream of the thing. One that names no game continues the last stream, or begins a new one."""
        if game_id is not None:
            if game_id not in self._named:
                self._named[game_id] = Stream(game_id)
                self._file.streams.append(self._named[game_id])
            found = self._named[game_id]
        elif thing.kind == EVENT and self._nameless is not None and self._last + 1 == thing.version:
            found = self._nameless
        else:
            found = Stream(None)
            self._file.streams.append(found)
        if thing.kind == EVENT:
            self._nameless, self._last = found, thing.version
        return found


def _game_of(document: Json) -> str | None:
    """The game that a document names; a view calls it `id`, and what holds a view need not name it itself."""
    found = _id_in(document, ("game_id", "id") if "fairness" in document else ("game_id",))
    for name in ("view", "game"):
        inner = document.get(name)
        if found is None and type(inner) is dict:
            found = _id_in(inner, ("id",))
    return found


def _id_in(document: Json, names: tuple[str, ...]) -> str | None:
    for name in names:
        value = document.get(name)
        if type(value) is str and _ID.fullmatch(value):
            return value
    return None


def _texts(content: bytes) -> Iterator[tuple[int, bytes, bool]]:
    """The JSON texts of a file of lines or of server-sent events: line, text, and True for one that may be cut off."""
    data: list[bytes] = []
    began = 0
    for number, raw in enumerate(BytesIO(content), 1):  # one at a time: there may be millions
        text = raw.removesuffix(b"\n").removesuffix(b"\r")
        is_last = not raw.endswith(b"\n")
        if text.startswith(b"data:"):
            began = began if data else number
            data.append(text[5:].removeprefix(b" "))
        elif _FIELD.match(text):
            continue
        elif text.strip():
            yield number, text, is_last
        elif data and not is_last:
            yield began, b"\n".join(data), False
            data = []
    if data:
        yield began, b"\n".join(data), True


def _parsed(raw: bytes) -> tuple[Any, str | None]:
    """The document, or the fault for which it is none."""
    try:
        document = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return None, _NOT_JSON
    try:
        json.loads(raw, object_pairs_hook=_once)
    except _DoubledKey as error:
        return None, f"has the member {str(error)[:60]!r} twice in one object"
    except (ValueError, RecursionError):
        return None, "is nested too deeply, or holds too large a number"
    return document, None


class _DoubledKey(Exception):
    """A member that an object has twice: two readers may take two values for it."""


def _once(pairs: list[tuple[str, Any]]) -> None:
    names = set[str]()
    for name, _ in pairs:
        if name in names:
            raise _DoubledKey(name)
        names.add(name)
