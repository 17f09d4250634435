"""Exports taken apart, changed, and put together again: as they are, or sealed anew by whoever knows the seed."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson

from domain.chance import commitment_of
from domain.common_events.takebacks import TAKEN_BACK
from domain.lifecycle import EventRecord, Json
from domain.migrato.game import MIGRATO
from domain.registry import GAMES
from events.log import chain, leaves
from events.log.export import FORMATS, line
from events.log.seeds import move_seed
from events.times import timestamp
from tests.audit.games import KEY, SIGNER, parsed


@dataclass(slots=True)
class Parts:
    """A whole export as documents that may be changed."""

    header: Json
    events: list[Json]
    end: Json

    @property
    def file(self) -> bytes:
        """The file that the parts make, with nothing sealed anew."""
        return b"".join(line(document) for document in (self.header, *self.events, {"end": self.end}))

    def first(self, kind: str, which: Callable[[Json], bool] = lambda event: True) -> Json:
        """The first event of that type (for which something holds)."""
        return next(event for event in self.events if event["type"] == kind and which(event))

    def last(self, kind: str) -> Json:
        """The last event of that type."""
        return next(event for event in reversed(self.events) if event["type"] == kind)

    def data(self, kind: str, which: Callable[[Json], bool] = lambda event: True) -> Json:
        """The data of that event."""
        data: Json = self.first(kind, which)["data"]
        return data

    def chosen(self, what: str) -> Json:
        """The record of the first choice of a bot that has such a member."""
        return self.data("move_chosen", lambda event: bool(event["data"][what]))

    def at(self, kind: str) -> int:
        """The place of the first event of that type."""
        return self.events.index(self.first(kind))

    def drop(self, kind: str) -> None:
        """Leave the first event of that type out."""
        self.events.remove(self.first(kind))

    def drop_all(self, kind: str) -> None:
        """Leave the events of that type out."""
        self.events = [event for event in self.events if event["type"] != kind]

    def unsigned(self) -> "Parts":
        """Take the signature away."""
        self.header |= {"key_id": None, "public_key": None}
        self.end["signature"] = None
        return self

    def reseal(self, seed: bytes | None = None, salt: Callable[[int], bytes] | None = None) -> "Parts":
        """Versions, salts, commitments, heads and the end's made to fit the events, as the operator could."""
        seed = bytes.fromhex(self.end["server_seed"]) if seed is None else seed
        salts, is_closed = chain.Salts(seed, self.header["game_id"]), self.header["format"] == FORMATS[2]
        head = chain.GENESIS_OF[2 if is_closed else 1]
        for version, event in enumerate(self.events, 1):
            event["version"] = version
            if is_closed:
                chosen = None if salt is None else salt(version)
                commitment = self._close(event, salts, chosen)
            else:
                salted = salts.of(version) if salt is None else salt(version)
                names = ("version", "type", "schema", "at", "seat", "data")
                commitment = chain.commit(salted, chain.canonical({name: event[name] for name in names}))
                event["salt"] = salted.hex()
            head = chain.link(head, commitment)
            event |= {"commitment": commitment.hex(), "head": head.hex()}
        self.end |= {"version": len(self.events), "head": head.hex()}
        return self

    def _close(self, event: Json, salts: chain.Salts, chosen: bytes | None) -> bytes:
        """Digests, salts and commitment of an event in form 2; of one that the game does not understand nothing is
        hidden. In a game that is not known here the same places are.
        """
        game, data = GAMES.get(self.header["game"]), event["data"]
        record = EventRecord(event["type"], event["schema"], event["seat"], data)
        try:
            pointers = (
                sorted(event["sealed"]) if game is None else leaves.pointers(data, *game.redact(record, None))
            )
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            pointers = []
        bare, values = leaves.opened(data, pointers)
        of = {one: salts.of_leaf(event["version"], one) if chosen is None else chosen for one in pointers}
        event["salts"] = {one: salt.hex() for one, salt in of.items()}
        event["sealed"] = {one: leaves.digest(salt, one, values[one]) for one, salt in of.items()}
        names = ("version", "type", "schema", "at", "seat", "sealed")
        return chain.digest_of(chain.canonical({name: event[name] for name in names} | {"data": bare}))

    def former(self) -> "Parts":
        """The same game in form 1 of commitments, as former releases recorded it; sealed and signed."""
        if self.header["format"] == FORMATS[1]:
            return self
        self.header["format"] = FORMATS[1]
        for event in self.events:
            for name in ("sealed", "salts"):
                event.pop(name)
        self.events[0]["schema"] = 1
        del self.events[0]["data"]["seals"]
        return self.reseal().sign()

    def sign(self) -> "Parts":
        """The last head signed again, with the operator's key."""
        signed = SIGNER.sign(self.header["game_id"], self.end["version"], self.end["head"])
        self.header |= {"key_id": KEY["kid"], "public_key": KEY}
        self.end["signature"] = {"key_id": signed.key_id, "signature": signed.signature}
        return self


def parts(export: bytes) -> Parts:
    """The export taken apart."""
    one = parsed(export)
    events: list[Any] = [orjson.loads(event) for event in one.events]
    return Parts(orjson.loads(one.header), events, orjson.loads(one.end)["end"])


def conceal(event: Json) -> None:
    """Take the salts of what its data do not show any more out of an event that was shown whole."""
    if "salt" in event:
        del event["salt"]
        return
    try:
        _, values = leaves.opened(event["data"], event["sealed"])
    except leaves.NotThere:
        values = {}
    event["salts"] = {one: salt for one, salt in event["salts"].items() if values.get(one) is not None}


def replaced(export: Parts, old: bytes, new: bytes) -> bytes:
    """The file with other bytes at one place."""
    changed = export.file.replace(old, new, 1)
    assert changed != export.file
    return changed


def add(document: Json, **more: int) -> None:
    """Add this much to each of these members."""
    document.update({name: document[name] + by for name, by in more.items()})


def ruled(export: Parts, **options: Any) -> None:
    """Options that header and first event agree on."""
    for told in (export.header["rules"], export.events[0]["data"]["options"]):
        told.update(options)


def begun_anew(export: Parts) -> Parts:
    """Give the game another seed, as an operator could who tries seeds until one suits."""
    seed = bytes(32)
    export.data("game_created")["commitment"] = commitment_of(seed)
    export.end["server_seed"] = seed.hex()
    return export.reseal(seed).sign()


def bot_instead(export: Parts, kind: str, version: str = "1", **how: Any) -> None:
    """A bot makes the first move of that kind in a person's place."""
    at = export.at(kind)
    chosen = {"bot": "greedy", "version": version, "budget": None, "seed": "0" * 16, "fallback": None}
    data = {**chosen, "replaces": None, **how}
    export.events.insert(at, {**export.events[at], "type": "move_chosen", "schema": 1, "data": data})


def bot_for_time(export: Parts, kind: str, version: str) -> None:
    """As if the person's time were up, with the seed that follows."""
    seed = move_seed(bytes.fromhex(export.end["server_seed"]), export.header["game_id"], export.at(kind))
    bot_instead(export, kind, version, seed=seed, fallback="time-up", replaces="human")


Forge = Callable[[Parts], object]  # makes the file, as parts or as bytes; or changes the parts in place


def with_members(kind: str, **members: Any) -> Forge:
    """Other members in the first event of that type."""
    return lambda export: export.first(kind).update(members)


def with_data(kind: str, **members: Any) -> Forge:
    """Other members in the data of the first event of that type."""
    return lambda export: export.data(kind).update(members)


def last_with(kind: str, **members: Any) -> Forge:
    """Other members in the data of the last event of that type."""
    return lambda export: export.last(kind)["data"].update(members)


def chosen_with(what: str, **members: Any) -> Forge:
    """Other members in the record of the first choice of a bot that has such a one."""
    return lambda export: export.chosen(what).update(members)


def without(kind: str) -> Forge:
    """The first event of that type left out."""
    return lambda export: export.drop(kind)


def twice(kind: str) -> Forge:
    """The first event of that type comes twice."""
    return lambda export: export.events.insert(export.at(kind), dict(export.first(kind)))


def with_end(**members: Any) -> Forge:
    """Other members in the last line."""
    return lambda export: export.end.update(members)


def with_header(**members: Any) -> Forge:
    """Other members in the header."""
    return lambda export: export.header.update(members)


class Forgeries:
    """Changed files, by the check that finds each, the game that is changed, and what is changed in a few words.

    Parts that are changed in place are sealed anew, and signed with the engine's own key, unless they are left as they
    are.
    """

    def __init__(self) -> None:
        self.cases: list[tuple[str, str, str, Callable[[Parts], bytes]]] = []

    def case(self, check: str, what: str, *games: str, sealed: bool = True) -> Callable[[Forge], Forge]:
        """Enter what is changed by a function."""

        def enter(forge: Forge) -> Forge:
            def made(export: Parts) -> bytes:
                file = forge(export)
                if isinstance(file, bytes):
                    return file
                if isinstance(file, Parts):
                    return file.file
                return (export.reseal().sign() if sealed else export).file

            self.cases += [(check, game, what, made) for game in games]
            return forge

        return enter

    def rows(self, check: str, *rows: tuple[str | tuple[str, ...], str, Forge], sealed: bool = True) -> None:
        """Enter many: the games, what is changed, and how."""
        for games, what, forge in rows:
            self.case(check, what, *([games] if isinstance(games, str) else games), sealed=sealed)(forge)


def as_person(export: Parts, *seats: int) -> bytes:
    """Bots' seats called people's, and nothing said of how their moves were chosen."""
    for seat in seats:
        seated = export.events[0]["data"]["seats"][seat]
        seated |= {"kind": "human", "bot": None}
        seated.pop("version", None)
    left_out = [e for e in export.events if e["type"] == "move_chosen" and e["seat"] in seats]
    export.events = [event for event in export.events if event not in left_out]
    seed, game_id = bytes.fromhex(export.end["server_seed"]), export.header["game_id"]
    for version, event in enumerate(export.events, 1):  # another bot's seeds are those of its new places
        if event["type"] == "move_chosen":
            event["data"]["seed"] = move_seed(seed, game_id, version - 1)
    return timed(export, timedelta(milliseconds=10)).reseal().sign().file


def timed(export: Parts, step: timedelta) -> Parts:
    """Each move so long after the one before; what follows from a move has its time."""
    now, before = datetime(2026, 1, 1, tzinfo=UTC), None
    for event in export.events:
        wire = EventRecord(event["type"], event["schema"], event["seat"], event["data"])
        follows = wire.type == TAKEN_BACK or (before is not None and MIGRATO.is_consequence(before, wire))
        if not follows:
            now += step
        before = wire
        event["at"] = timestamp(now)
    return export
