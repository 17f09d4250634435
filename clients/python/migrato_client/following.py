"""A game's events followed along the chain of their heads, kept, and compared with the record when the game is over."""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Final

from migrato_client.errors import Altered

_SHOWN: Final = ("type", "schema", "at", "seat", "commitment", "head")
_COMMITTED: Final = ("version", "type", "schema", "at", "seat", "data")
_MEMBERS: Final = frozenset(("version", "data", "redacted", *_SHOWN))
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_GENESIS: Final = {1: bytes(32), 2: bytes(31) + b"\x02"}  # by the form of the commitments

Keep = str | PathLike[str] | Callable[[Any], object]


@dataclass(frozen=True, slots=True)
class Seen:
    """The events that were seen while the game went on, each as it is recorded, and all that the game has."""

    seen: int
    of: int

    def __str__(self) -> str:
        return f"what you saw is what is recorded ({self.seen} of {self.of})"


class Follower:
    """Checks events as they come, and keeps those that it is told to keep: in a file, as lines, or by a function."""

    def __init__(self, keep: Keep | None = None, look: Any = None) -> None:
        """`keep`: a file is read first, so that a program that was restarted goes on; it need not be there.

        `look`: the seat as it was before it was taken (its head binds what had happened by then), with the number of
        the `seat` and the `client_seed` that it was taken with.
        """
        self._look = look
        self._version, self._head, self._form = 0, b"", 1
        self._kept: dict[int, Any] = {}
        self._file = None if keep is None or callable(keep) else Path(keep)
        self._told = keep if callable(keep) else None
        if self._file is not None and self._file.exists():
            content = self._file.read_bytes()
            _end_line(self._file, content)
            for event in _lines(content):
                self._kept.setdefault(event["version"], event)

    def take(self, event: Any, *, is_late: bool = False) -> None:
        """One more event. Raises Altered if it is not what it was, or not what the engine is bound to.

        `is_late`: the game was over before anything was followed, so that the event is no memory of it.
        """
        if not _is_event(event):
            raise Altered(self._version + 1, "it is no event")
        version = event["version"]
        before = self._kept.get(version)
        if before is not None and differ(before, event):
            raise Altered(version, "it was shown otherwise before")
        if version != self._version + 1:
            raise Altered(version, f"it comes after event {self._version}")
        self._link(event)
        if before is None and not is_late:
            self._kept[version] = event
            if self._file is not None:
                with self._file.open("ab") as file:
                    file.write(json.dumps(event).encode() + b"\n")
            if self._told is not None:
                self._told(event)

    def conclude(self, events: Iterable[Any]) -> Seen:
        """The result of the comparison with all events of the game, now that nothing is hidden. Raises Altered."""
        self._version, version = 0, 0
        for event in events:
            self.take(event, is_late=True)
            version = event["version"]
        look = 0 if self._look is None else self._look.get("version", 0)
        beyond = [one for one in (*self._kept, look) if one > version]
        if beyond:
            raise Altered(min(beyond), "it is not recorded")
        return Seen(len(self._kept), version)

    def _link(self, event: Any) -> None:
        version, commitment = event["version"], event["commitment"]
        if version == 1:
            self._form = 2 if "sealed" in event else 1
            self._head = _GENESIS[self._form]
            if event["data"].get("seals", 1) != self._form:
                raise Altered(version, "it names another form than it has")
        made = _commitment(event, self._form)
        if made is not None and made != commitment:
            raise Altered(version, "it does not match its commitment")
        head = hashlib.sha256(self._head + bytes.fromhex(commitment)).digest()
        if head.hex() != event["head"]:
            raise Altered(version, "its head does not follow from the one before")
        if self._look is not None:
            _check_look(self._look, event)
        self._version, self._head = version, head


def _check_look(look: Any, event: Any) -> None:
    """Raise Altered for an event that is not as the seat said before it was taken, or that has another client seed."""
    version, data = event["version"], event["data"]
    if look.get("version") == version and look["head"] != event["head"]:
        raise Altered(version, "it has another head than the seat showed before it was taken")
    if version == 1 and "fairness" in look:
        shown = {
            "commitment": look["fairness"]["commitment"],
            "options": look["options"],
            "setup": look["setup"],
        }
        for name, value in shown.items():
            if data[name] != value:
                raise Altered(version, f"it has another {name} than the seat showed before it was taken")
    taken = event["type"] == "seat_taken" and event["seat"] == look.get("seat")
    if taken and data["client_seed"] != look["client_seed"]:
        raise Altered(version, "it has another client seed than the seat was taken with")


def _is_event(document: Any) -> bool:
    """True if it has the members of an event, of their types; it may have others, which nothing binds."""
    if not (isinstance(document, dict) and document.keys() >= _MEMBERS and type(document["version"]) is int):
        return False
    redacted, sealed, salts = document["redacted"], document.get("sealed", {}), document.get("salts", {})
    if ("sealed" in document) != ("salts" in document) or not isinstance(redacted, list):
        return False
    if not all(isinstance(name, str) for name in redacted):
        return False
    if (
        not all(isinstance(part, dict) for part in (document["data"], sealed, salts))
        or salts.keys() - sealed.keys()
    ):
        return False
    digests = [document["commitment"], document["head"], *sealed.values(), *salts.values()]
    if "sealed" not in document and not redacted:
        digests.append(document.get("salt"))
    return all(isinstance(digest, str) and _DIGEST.fullmatch(digest) for digest in digests)


def differ(kept: Any, recorded: Any) -> bool:
    """True if an event was shown otherwise than it is recorded, wherever neither hides anything."""
    if any(kept[name] != recorded[name] for name in _SHOWN):
        return True
    one, other = kept["data"], recorded["data"]
    return one.keys() != other.keys() or not all(
        _agree(one[name], other[name], name in kept["redacted"], name in recorded["redacted"]) for name in one
    )


def _agree(kept: Any, recorded: Any, hides: bool, lacks: bool) -> bool:
    if (hides and kept is None) or (lacks and recorded is None):
        return True
    if isinstance(kept, dict) and isinstance(recorded, dict):
        return kept.keys() == recorded.keys() and all(
            _agree(kept[name], recorded[name], hides, lacks) for name in kept
        )
    if isinstance(kept, list) and isinstance(recorded, list):
        pairs = zip(kept, recorded, strict=False)
        return len(kept) == len(recorded) and all(_agree(one, other, hides, lacks) for one, other in pairs)
    return type(kept) is type(recorded) and kept == recorded


def _canonical(document: Any) -> bytes:
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def _commitment(event: Any, form: int) -> str | None:
    """The commitment that the event must have; None if what is hidden keeps it from being known.

    Raises Altered for a member that is shown, and not as its digest says.
    """
    committed = {name: event[name] for name in _COMMITTED}
    if ("sealed" in event) != (form != 1):
        raise Altered(event["version"], "it has not the form of the first event")
    if form == 1:
        if event["redacted"]:
            return None
        return hashlib.sha256(bytes.fromhex(event["salt"]) + _canonical(committed)).hexdigest()
    bare, sealed, salts = json.loads(json.dumps(event["data"])), event["sealed"], event["salts"]
    for pointer, digest in sorted(sealed.items()):
        part: Any = bare
        try:
            *way, last = _steps(pointer)
            for step in way:
                part = part[_key(part, step)]
            key = _key(part, last)
            value, part[key] = part[key], None
        except (LookupError, TypeError):
            raise Altered(event["version"], f"{pointer} is not there") from None
        salt = salts.get(pointer)
        if (value is None) != (salt is None) or (
            salt is not None
            and hashlib.sha256(bytes.fromhex(salt) + _canonical([pointer, value])).hexdigest() != digest
        ):
            raise Altered(event["version"], f"{pointer} does not match its digest")
    hidden = {pointer.split("/")[1] for pointer in sealed.keys() - salts.keys()}
    if event["redacted"] != sorted(map(_unescaped, hidden)):
        raise Altered(event["version"], "it does not say what it hides")
    return hashlib.sha256(_canonical({**committed, "data": bare, "sealed": sealed})).hexdigest()


def _steps(pointer: str) -> list[str]:
    root, *steps = pointer.split("/")
    if root or not steps:
        raise LookupError(pointer)
    return steps


def _key(part: Any, step: str) -> str | int:
    """Name or place to which a step of a pointer leads; LookupError for another way to write it: each has one."""
    if isinstance(part, list):
        at = int(step) if step.isascii() and step.isdecimal() and len(step) < 10 else len(part)
        if str(at) == step:
            return at
    else:
        name = _unescaped(step)
        if name.replace("~", "~0").replace("/", "~1") == step:
            return name
    raise LookupError(step)


def _unescaped(step: str) -> str:
    return step.replace("~1", "/").replace("~0", "~")


def _end_line(file: Path, content: bytes) -> None:
    """Let the next line begin anew, where the program died amid the last one."""
    last = content.rpartition(b"\n")[2]
    if not last:
        return
    with file.open("ab") as opened:
        if any(_lines(last)):
            opened.write(b"\n")
        else:
            opened.truncate(len(content) - len(last))


def _lines(content: bytes) -> Iterator[Any]:
    """The events of a file; a last line that is cut off is none."""
    for line in content.splitlines():
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if _is_event(event):
            yield event
