"""A game as the archive keeps it: its export, for everybody, and one line with what only the service may know.

Nothing of a game is lost: every event, byte by byte, its head and its command can be made from the record again.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import orjson

from domain.game import Game
from domain.lifecycle import Json
from events.engine.pending_action import pending_action
from events.errors import CorruptStream
from events.log import chain, leaves
from events.log.envelope import RecordedEvent, check_seed
from events.log.export import Signature, export_lines, line
from events.log.snapshot import Snapshot, fold, unplayed
from events.log.stored_form import Entry, StoredGame
from events.scheduling import Steps, drained

AN_ENTRY: Final = 234  # bytes of an entry in memory beside its text, with its head

Signed = Callable[[Snapshot], Signature | None]


@dataclass(frozen=True, slots=True)
class ArchivedGame:
    """An archived game: the lines of its export and the private one, whole and checked against each other."""

    raw: StoredGame
    export: bytes
    private: bytes

    @property
    def size(self) -> int:
        """The bytes that it takes in memory, about."""
        entries = sum(len(entry.event) + AN_ENTRY for entry in self.raw.entries)
        return len(self.export) + len(self.private) + entries

    @property
    def day(self) -> str:
        """The UTC day of its last event, as in 2026/11/21; under it the game is filed."""
        return day_of(str(orjson.loads(self.raw.entries[-1].event)["at"]))

    @property
    def lacks_signature(self) -> bool:
        """True if a signature is kept of the game, but its export was written where the keys were not known."""
        end = orjson.loads(self.export.splitlines()[-1])["end"]
        return "signature" in self.raw.beside["secrets"] and end.get("signature") is None


def day_of(at: str) -> str:
    """The day of a time in RFC 3339 UTC, as the archive's directories are named."""
    return at[:10].replace("-", "/")


def folded(raw: StoredGame, events: list[RecordedEvent], games: Mapping[str, Game]) -> Snapshot:
    """The game as it stands at the end; CorruptStream where it cannot be played back."""
    secrets = raw.secrets
    if secrets.game not in games:
        raise CorruptStream(f"Game {raw.game_id} is a game of {secrets.game!r}, which is not known here.")
    try:
        return fold(unplayed(raw.game_id, games[secrets.game], secrets), events)
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        detail = f"Game {raw.game_id} cannot be played back: {type(error).__name__}: {error}."
        raise CorruptStream(detail) from error


def record_of(raw: StoredGame, games: Mapping[str, Game], signed: Signed) -> ArchivedGame:
    """The record of a game that is over; CorruptStream unless the very same game can be made from it again."""
    try:
        events = raw.events()
    except (LookupError, TypeError, ValueError) as error:
        raise CorruptStream(f"An entry of the stream of game {raw.game_id} is no event.") from error
    snapshot = folded(raw, events, games)
    if snapshot.status.result is None or pending_action(snapshot.status):
        raise CorruptStream(f"Game {raw.game_id} is not over, or its result is not confirmed.")
    export = b"".join(export_lines(snapshot, events, None, signed(snapshot)))
    private = line({"private": {"game_id": raw.game_id, **raw.beside}})
    record = read_record(export, private)
    if record.raw != raw:
        raise CorruptStream(f"Game {raw.game_id} holds something that the archive has no place for.")
    return record


def read_record(export: bytes, private: bytes) -> ArchivedGame:
    """A record as it was written; CorruptStream if it does not hold together."""
    return drained(reading(export, private))


def reading(export: bytes, private: bytes) -> Steps[ArchivedGame]:
    """Steps of `read_record`, for a caller with other work in between."""
    try:
        header, *documents, end = yield from _each(orjson.loads, export.splitlines())
        hidden = orjson.loads(private)["private"]
        game_id, ending = hidden.pop("game_id"), end["end"]
        commands = _commands(hidden["commands"], len(documents))
        entries = tuple((yield from _each(lambda document: _entry(document, commands), documents)))
        raw = StoredGame(game_id, entries, hidden)
        if header["game_id"] != game_id or (ending["version"], ending["head"]) != (raw.version, raw.head):
            raise CorruptStream(f"Parts of the record of game {game_id} are another game's.")
        seed = raw.secrets.seed
        check_seed(game_id, raw.events(0, 1), seed)
        yield from _each(_Chain(game_id, seed).follow, documents)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise CorruptStream(f"A record of the archive cannot be read: {type(error).__name__}.") from error
    return ArchivedGame(raw, export, private)


def _each(make: Callable[[Any], Any], things: Iterable[Any]) -> Steps[list[Any]]:
    made = []
    for thing in things:
        made.append(make(thing))
        yield
    return made


def span(recorded: str) -> tuple[int, int]:
    """The first and the last version that a recorded command caused; ValueError."""
    _, first, last = recorded.split(":")
    return int(first), int(last)


def _commands(recorded: Mapping[str, str], events: int) -> list[bytes]:
    """The ids of the commands that caused the events, by version; CorruptStream where one has none, or two."""
    spans = sorted((*span(record), command) for command, record in recorded.items())
    follows_on = all(before[1] + 1 == after[0] for before, after in pairwise(spans))
    if not spans or not follows_on or spans[0][0] != 1 or spans[-1][1] != events:
        raise CorruptStream("Recorded commands and events of a game do not match.")
    return [command.encode() for first, last, command in spans for _ in range(first, last + 1)]


def _entry(document: Json, commands: list[bytes]) -> Entry:
    version, kind, schema = document["version"], document["type"], document["schema"]
    event = chain.event_bytes(version, kind, schema, document["at"], document["seat"], document["data"])
    return Entry(event, str(document["head"]).encode(), commands[version - 1])


class _Chain:
    """Salts, commitments and heads of a game's documents, compared with what follows from its seed."""

    def __init__(self, game_id: str, seed: bytes) -> None:
        self._game_id = game_id
        self._salts = chain.Salts(seed, game_id)
        self._seals = chain.FORMER
        self._head = chain.GENESIS

    def follow(self, document: Json) -> None:
        """One more document, of an event that hides nothing; CorruptStream unless it is what the chain says."""
        if document["version"] == 1:
            self._seals = chain.SEALS if "sealed" in document else chain.FORMER
            self._head = chain.GENESIS_OF[self._seals]
        commitment = self._of_2(document) if self._seals == chain.SEALS else self._of_1(document)
        self._head = chain.link(self._head, commitment)
        if document["head"] != self._head.hex() or document["commitment"] != commitment.hex():
            raise self._corrupt(document)

    def _of_1(self, document: Json) -> bytes:
        version, kind, schema = document["version"], document["type"], document["schema"]
        event = chain.event_bytes(version, kind, schema, document["at"], document["seat"], document["data"])
        salt = self._salts.of(version)
        if document["salt"] != salt.hex():
            raise self._corrupt(document)
        return chain.commit(salt, event)

    def _of_2(self, document: Json) -> bytes:
        version, sealed = document["version"], document["sealed"]
        salts = {pointer: self._salts.of_leaf(version, pointer).hex() for pointer in sealed}
        if document["salts"] != salts:
            raise self._corrupt(document)
        try:
            leaves.check_bound(document)
        except leaves.Unbound:
            raise self._corrupt(document) from None
        return bytes.fromhex(document["commitment"])

    def _corrupt(self, document: Json) -> CorruptStream:
        return CorruptStream(
            f"Event {document['version']} of game {self._game_id} is not what the chain says it is."
        )
