"""Kept things compared with the record of their game: every head, and every member that a viewer was shown.

Members that were hidden from the viewer who kept the thing are not compared, nor are those that the record of a running
game hides.
"""

from array import array
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import orjson

from domain.lifecycle import Json
from events.audit.findings import KEPT, CheckFailed, Report
from events.audit.kept.reading import EVENT, HEAD, Kept, KeptFile, Stream
from events.audit.kept.views import Views
from events.audit.stream_verifier import is_digest
from events.log import chain, leaves
from events.log.export import Exported
from events.log.signing import verify_head

_SHOWN: Final = ("type", "schema", "at", "seat")  # of every event, and what follows from all of it:
_DIGESTS: Final = ("commitment", "head")
_STARTS: Final = b'"type":"game_started"'
_OF_RESULTS: Final = ("winner", "reason", "scores")
_OF_EVENTS: Final = {EVENT: 0, HEAD: 1}  # an event's own members say more than its head does


@dataclass(frozen=True, slots=True)
class Compared:
    """The kept things that agree with a game's record: `things` in all, of `events` different ones of `of` that the
    game has, heads, looks.

    `later`: those of versions that the record, of a game that goes on, does not have yet.
    """

    things: int
    events: int
    of: int
    heads: int
    looks: int
    later: int

    @property
    def document(self) -> Json:
        """The comparison as a JSON object of the report."""
        return {
            "things": self.things,
            "events": self.events,
            "of": self.of,
            "heads": self.heads,
            "looks": self.looks,
            "later": self.later,
        }


class KeptThings:
    """All kept things of a run; each game is compared with its own."""

    def __init__(self, files: Iterable[KeptFile]) -> None:
        self.files = list(files)
        self._named = defaultdict[str, list[tuple[str, Stream]]](list)
        self._nameless = defaultdict[str, list[tuple[str, Stream]]](list)
        for file in self.files:
            for stream in file.streams:
                if stream.game_id is None:
                    for digest in stream.digests:
                        self._nameless[digest].append((file.name, stream))
                else:
                    self._named[stream.game_id].append((file.name, stream))
        self._met = set[int]()

    def compare(self, report: Report, exported: Exported) -> Compared | None:
        """The kept things of a game with which nothing is wrong; None if something is, or nothing of it was kept.

        Raises CheckFailed "kept" at the first event of which something else was shown than is recorded.
        """
        own = list(self._named.get(report.game_id, ()))
        if self._nameless and report.wrong is None:
            events = [orjson.loads(line) for line in exported.events]
            digests = [events[0]["data"].get("commitment"), *(event["head"] for event in events)]
            found = {id(one[1]): one for digest in digests for one in self._nameless.get(digest, ())}
            own += found.values()
        self._met.update(id(stream) for _, stream in own)
        if report.wrong is not None or not own:
            return None
        return _Comparison(report, exported).of(own)

    @property
    def strange(self) -> int:
        """Number of things of games that were not among those compared."""
        return sum(
            len(stream.things)
            for file in self.files
            for stream in file.streams
            if stream.game_id is not None and id(stream) not in self._met
        )

    @property
    def unknown(self) -> list[tuple[str, Stream]]:
        """Streams, with their files, that name no game and have no digest of any: not one of them was compared."""
        return [
            (file.name, stream)
            for file in self.files
            for stream in file.streams
            if stream.game_id is None and id(stream) not in self._met
        ]


class _Comparison:
    """One game, compared."""

    def __init__(self, report: Report, exported: Exported) -> None:
        self._report = report
        self._exported = exported
        self._created: Json = orjson.loads(exported.events[0])["data"]
        self._end: Json = orjson.loads(exported.end)["end"]
        self._views: Views | None = None
        self._has_started = any(_STARTS in line for line in exported.events)  # no seat is open from there on

    def of(self, streams: Iterable[tuple[str, Stream]]) -> Compared:
        things = [(file, thing) for file, stream in streams for thing in stream.things]
        things.sort(
            key=lambda one: (one[1].version or len(self._exported.events), _OF_EVENTS.get(one[1].kind, 2))
        )
        seen, heads, looks, later = array("b", bytes(len(self._exported.events))), 0, 0, 0
        for file, thing in things:
            kept = orjson.loads(thing.raw)
            if thing.version > len(seen):
                if self._report.complete:
                    raise self._wrong(file, thing, "is of an event after the end of the game", None, None)
                later += 1
            elif thing.kind == EVENT:
                self._event(file, thing, kept)
                seen[thing.version - 1] = 1
            elif thing.kind == HEAD:
                self._head(file, thing, kept)
                heads += 1
            else:
                self._look(file, thing, kept)
                looks += 1
        return Compared(len(things) - later, sum(seen), len(seen), heads, looks, later)

    def _event(self, file: str, thing: Kept, kept: Json) -> None:
        recorded: Json = orjson.loads(self._exported.events[thing.version - 1])
        for name in _SHOWN:
            self._member(file, thing, name, kept, recorded)
        hides, lacks = _names(kept["redacted"]), _names(recorded["redacted"])
        shown = kept["data"]
        for name in sorted(shown.keys() | recorded["data"].keys()):
            there = name in shown and name in recorded["data"]
            one, other = shown.get(name), recorded["data"].get(name)
            if not there or not _agree(one, other, name in hides, name in lacks):
                raise self._wrong(file, thing, f"shows another {name[:60]}", one, other)
        for name in (*_DIGESTS, *(() if kept["redacted"] or recorded["redacted"] else ("salt",)), "sealed"):
            self._member(file, thing, name, kept, recorded)
        if "sealed" in recorded:
            self._salts(file, thing, kept, recorded)

    def _salts(self, file: str, thing: Kept, kept: Json, recorded: Json) -> None:
        """Compare the salts of form 2, which say what was hidden; both events have the same digests."""
        sealed, salts = recorded["sealed"], kept.get("salts")
        if type(salts) is not dict or not salts.keys() <= sealed.keys():
            raise self._wrong(file, thing, "shows other salts", salts, recorded["salts"])
        for pointer, salt in salts.items():
            other = recorded["salts"].get(pointer, salt)  # the record may hide what was shown
            if not is_digest(salt) or salt != other:
                raise self._wrong(file, thing, f"shows another salt of {pointer[:60]}", salt, other)
        hidden = leaves.names_hidden(sealed, salts)
        if kept["redacted"] != hidden:
            raise self._wrong(file, thing, "does not say what it hides", kept["redacted"], hidden)
        try:  # both have the same commitment, which binds all that is shown, and what is hidden
            leaves.check_bound(kept)
        except leaves.Unbound as fault:
            what = f"is not what it was bound to: {fault.detail[:100]}"
            raise self._wrong(file, thing, what, fault.found, fault.expected) from None

    def _member(self, file: str, thing: Kept, name: str, kept: Json, recorded: Json) -> None:
        one, other = kept.get(name), recorded.get(name)
        if not _same(one, other):
            raise self._wrong(file, thing, f"shows another {name}", one, other)

    def _head(self, file: str, thing: Kept, kept: Json) -> None:
        recorded = orjson.loads(self._exported.events[thing.version - 1])["head"]
        key, head = kept.get("key_id"), kept["head"]
        signature: Any = kept.get("signature")
        is_signed = None  # for want of the key
        if type(key) is str and key == self._report.signer:
            report, public = self._report, orjson.loads(self._exported.header)["public_key"]
            is_signed = verify_head(public, report.game_id, thing.version, head, signature)
        if head != recorded:
            said = "signed by the key" if is_signed else "that names the key"
            signed = f", {said} {key[:60]}" if type(key) is str else ""
            raise self._wrong(file, thing, f"is another head{signed}", head, recorded)
        if signature is not None and is_signed is False:
            raise self._wrong(
                file, thing, f"has a signature that the key {key} did not make", signature, None
            )

    def _look(self, file: str, thing: Kept, kept: Json) -> None:
        """Compare the things that a game says of itself from the start, and that never change."""
        fairness = kept["fairness"]
        pairs = [
            ("commitment", fairness.get("commitment"), self._created.get("commitment")),
            ("server_seed", fairness.get("server_seed"), self._end["server_seed"]),
            ("options", kept.get("options"), self._created.get("options")),
            ("setup", kept.get("setup"), self._created.get("setup")),
        ]
        for name, one, other in pairs:
            if one is not None and other is not None and not _same(one, other):
                raise self._wrong(file, thing, f"shows another {name}", one, other)
        if type(kept.get("game")) is str and kept["game"] != self._report.game:
            raise self._wrong(file, thing, "shows another game", kept["game"], self._report.game)
        self._view(file, thing, kept)
        result: Any = kept.get("result")
        end = self._end["result"]
        for name in _OF_RESULTS if type(result) is dict and end is not None else ():
            if name in result and not _same(result[name], end[name]):
                raise self._wrong(file, thing, f"shows another {name}", result[name], end[name])
        seeds, recorded = fairness.get("client_seeds"), self._end["client_seeds"]
        given = list(enumerate(seeds)) if type(seeds) is list else []
        if type(kept.get("seat")) is int:  # the player who took the seat keeps the client seed that was given
            given.append((kept["seat"], kept.get("client_seed")))
        for seat, seed in given:
            there = recorded[seat] if 0 <= seat < len(recorded) else ""
            if seed is None or _same(seed, there) or (there is None and not self._has_started):
                continue
            raise self._wrong(file, thing, f"shows another client seed of seat {seat}", seed, recorded)

    def _view(self, file: str, thing: Kept, kept: Json) -> None:
        """Compare a view of the table with the rules' view, if the server seed is known."""
        seed, version = self._end["server_seed"], kept.get("version")
        if type(seed) is not str or "status" not in kept or type(version) is not int:
            return
        if self._views is None:
            from domain.registry import GAMES  # here: commands that only read an archive need no game

            self._views = Views(GAMES[self._report.game], self._exported, bytes.fromhex(seed))
        if (found := self._views.differing(kept)) is not None:
            name, one, other = found
            raise self._wrong(file, thing._replace(version=version), f"shows another {name}", one, other)

    def _wrong(self, file: str, thing: Kept, what: str, kept: Any, recorded: Any) -> CheckFailed:
        signer = self._report.signer
        signed = "" if signer is None else f" The record is signed by the key {signer}."
        detail = f"What was kept in {file}, line {thing.line}, {what}.{signed}"
        return CheckFailed(KEPT, thing.version or None, detail, kept, recorded)


def _names(redacted: Any) -> set[str]:
    return {name for name in redacted if type(name) is str} if type(redacted) is list else set()


def _agree(kept: Any, recorded: Any, hides: bool, lacks: bool) -> bool:
    """True if both are the same, apart from nulls for hidden values in the kept thing or in the record."""
    if not hides and not lacks:
        return _same(kept, recorded)
    if (hides and kept is None) or (lacks and recorded is None):
        return True
    if type(kept) is dict and type(recorded) is dict:
        names = kept.keys()
        return names == recorded.keys() and all(
            _agree(kept[name], recorded[name], hides, lacks) for name in names
        )
    if type(kept) is list and type(recorded) is list:
        pairs = zip(kept, recorded, strict=False)
        return len(kept) == len(recorded) and all(_agree(one, other, hides, lacks) for one, other in pairs)
    return _same(kept, recorded)


def _same(one: Any, other: Any) -> bool:
    """True if both are the same JSON (unlike in Python, true is not 1); what has no canonical form equals nothing."""
    try:
        return chain.canonical({"": one}) == chain.canonical({"": other})
    except TypeError:
        return False
