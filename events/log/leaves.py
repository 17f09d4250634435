# compiled into recording
"""Leaves: the hidden places of an event's data, each committed to by a digest of its own.

In a game whose first event has `seals` 2, an event is committed to as a spectator sees it while the game runs, with a
digest in the place of each value that is null there and is not null in the record. For leaf `p`, a JSON pointer (RFC
6901), with the value `x` in event `v` of a game with the secret seed `s`:

    salt(v, p)    = HMAC-SHA256(s, "salt:" + game id + ":" + v + ":" + p)
    digest(p)     = SHA-256(salt(v, p) || canonical([p, x]))
    commitment(v) = SHA-256(canonical({version, type, schema, at, seat, data: open, sealed: {p: digest(p), ...}}))

`open` are the data with null at each leaf. A viewer gets all digests, and the salts of the leaves that it sees. So
every member that anybody is shown is bound when it is shown.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Any, Final

import orjson

from domain.lifecycle import Json
from domain.value import Value
from events.log.chain import Salts, canonical_json

_sha256: Final = sha256  # compiled code needs no lookup of a Final

Path = tuple[str | int, ...]


class Leaf(Value):
    """A leaf: its pointer, the names and places that lead to it, its value, its salt and its digest in hex."""

    __match_args__ = ("pointer", "path", "value", "salt", "digest")

    def __init__(self, pointer: str, path: Path, value: Any, salt: str, digest: str) -> None:
        self.pointer = pointer
        self.path = path
        self.value = value
        self.salt = salt
        self.digest = digest


def found(salts: Salts, version: int, whole: Json, shown: Json, hidden: Sequence[str]) -> list[Leaf]:
    """The leaves of an event, sorted by their pointers: what `shown` hides of its `whole` data, in these members.

    Raises ValueError where something else than null stands for what is hidden.
    """
    leaves = list[Leaf]()
    for pointer, path, value in _places(whole, shown, hidden):
        salt = salts.of_leaf(version, pointer)
        leaves.append(Leaf(pointer, path, value, salt.hex(), digest(salt, pointer, value)))
    return leaves


class Whole:
    """A member of events' data that is hidden whole: parts of what is written of it, by its name."""

    def __init__(self, name: str) -> None:
        pointer = "/" + _escaped(name)
        written = orjson.dumps(pointer)
        self._pointer = pointer
        self._path: Path = (name,)
        self._salted = b":" + pointer.encode()
        self._listed = b"[" + written + b","
        self.before_hex = b"{" + written + b':"'

    def sealed(self, salts: Salts, number: bytes, value: bytes) -> tuple[bytes, bytes]:
        """Salt and digest of the only leaf of event `number` (decimal digits); `value`: its canonical bytes."""
        salt = salts.of_number(number + self._salted)
        return salt, _sha256(b"".join([salt, self._listed, value, b"]"])).digest()

    def leaf(self, salts: Salts, number: bytes, value: Any) -> Leaf:
        """The only leaf of that event. Raises as `digest`."""
        salt, digest = self.sealed(salts, number, canonical_json(value))
        return Leaf(self._pointer, self._path, value, salt.hex(), digest.hex())


@lru_cache(maxsize=256)  # there are a few
def hidden_whole(name: str) -> Whole:
    """The `Whole` for members of that name; made once and kept."""
    return Whole(name)


def pointers(whole: Json, shown: Json, hidden: Sequence[str]) -> list[str]:
    """The pointers of the leaves that `found` would find. Raises as `found`."""
    return [pointer for pointer, _, _ in _places(whole, shown, hidden)]


def _places(whole: Json, shown: Json, hidden: Sequence[str]) -> list[tuple[str, Path, Any]]:
    places = list[tuple[str, Path, Any]]()
    for name in hidden:
        _seek(whole[name], shown[name], "/" + _escaped(name), (name,), places)
    places.sort(key=_by_pointer)
    return places


def _by_pointer(place: tuple[str, Path, Any]) -> str:
    return place[0]


def _seek(whole: Any, shown: Any, pointer: str, path: Path, places: list[tuple[str, Path, Any]]) -> None:
    if shown is None:
        if whole is not None:
            places.append((pointer, path, whole))
    elif shown is whole:
        return
    elif type(shown) is dict and type(whole) is dict and shown.keys() == whole.keys():
        for name, value in whole.items():
            _seek(value, shown[name], f"{pointer}/{_escaped(name)}", (*path, name), places)
    elif type(shown) is list and type(whole) is list and len(shown) == len(whole):
        for at, value in enumerate(whole):
            _seek(value, shown[at], f"{pointer}/{at}", (*path, at), places)
    elif canonical_json(shown) != canonical_json(whole):
        raise ValueError(f"{pointer} is hidden by something else than null")


def digest(salt: bytes, pointer: str, value: Any) -> str:
    """The digest of a leaf, in hex. Raises TypeError for a value without a canonical form."""
    return _sha256(salt + canonical_json([pointer, value])).hexdigest()


def sealed(leaves: Iterable[Leaf]) -> dict[str, str]:
    """The digests by their pointers, as an event document has them."""
    return {leaf.pointer: leaf.digest for leaf in leaves}


def salts_shown(leaves: Iterable[Leaf], data: Json | None) -> dict[str, str]:
    """The salts, by pointer, of the leaves that `data` show whole; None: of all.

    A viewer who sees a part of a leaf gets no salt: with it the rest could be guessed.
    """
    if data is None:
        return {leaf.pointer: leaf.salt for leaf in leaves}
    return {leaf.pointer: leaf.salt for leaf in leaves if _shows(data, leaf)}


def _shows(data: Json, leaf: Leaf) -> bool:
    value = _at(data, leaf.path)
    if value is None:
        return False
    return value is leaf.value or canonical_json(value) == canonical_json(leaf.value)


def _at(data: Any, path: Path) -> Any:
    """The value there; None also where something on the way is hidden."""
    for step in path:
        if data is None:
            return None
        data = data[step]
    return data


# --- documents that others have written ------------------------------------------------------------------------------


class NotThere(Exception):
    """A pointer leads nowhere in the data, or to a part of another leaf."""


def opened(data: Json, pointers: Iterable[str]) -> tuple[Json, dict[str, Any]]:
    """The data with null at each of the leaves, and the values that were there, by pointer; nothing is believed.

    Raises NotThere.
    """
    values, bare = dict[str, Any](), dict(data)
    copied = {"": bare}  # parts of the data that are copies, by pointer
    for pointer in sorted(pointers):
        *way, last = _steps(pointer)
        part: Any = bare
        there = ""
        for step in way:
            there += "/" + step
            if there in values:
                raise NotThere(pointer)
            part = _part_of(part, step, copied, there)
        key = _key(part, last)
        values[pointer] = part[key]
        part[key] = None
    return bare, values


def _part_of(parent: Any, step: str, copied: dict[str, Any], there: str) -> Any:
    if there in copied:
        return copied[there]
    key = _key(parent, step)
    part = parent[key]
    if type(part) is dict:
        part = dict(part)
    elif type(part) is list:
        part = list(part)
    parent[key] = copied[there] = part
    return part


def _steps(pointer: str) -> list[str]:
    """The steps of a JSON pointer, still escaped: those of two pointers are equal only if the pointers are."""
    if not pointer.startswith("/"):
        raise NotThere(pointer)
    return pointer[1:].split("/")


def _key(part: Any, step: str) -> str | int:
    if type(part) is dict:
        name = unescaped(step)
        if name in part and _escaped(name) == step:
            return name
    elif type(part) is list and step.isascii() and step.isdecimal():
        at = int(step) if len(step) < 10 else len(part)
        if at < len(part) and str(at) == step:
            return at
    raise NotThere(step)


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1") if "~" in name or "/" in name else name


def unescaped(step: str) -> str:
    """The name of a member from a step of a pointer."""
    return step.replace("~1", "/").replace("~0", "~")


def names_hidden(sealed: Mapping[str, Any], salts: Mapping[str, Any]) -> list[str]:
    """The sorted names of the members that hold a leaf whose salt is not shown."""
    return sorted({unescaped(pointer[1:].partition("/")[0]) for pointer in sealed if pointer not in salts})


class Unbound(Exception):
    """A member of an event document that is not the one committed to; with a sentence, the right and the
    found value.
    """

    def __init__(self, detail: str, expected: Any = None, found: Any = None) -> None:
        super().__init__(detail)
        self.detail = detail
        self.expected = expected
        self.found = found


def check_bound(document: Json) -> Json:
    """The open data of an event document of form 2, all of whose members are what its commitment binds.

    `sealed` and `salts` must be objects of digests, and the commitment one. Raises Unbound, and TypeError for data
    without a canonical form.
    """
    digests, salts = document["sealed"], document["salts"]
    try:
        bare, values = opened(document["data"], digests)
    except NotThere:
        raise Unbound("`sealed` names a place that the data do not have.", None, sorted(digests)) from None
    made = canonical_json(
        {
            "version": document["version"],
            "type": document["type"],
            "schema": document["schema"],
            "at": document["at"],
            "seat": document["seat"],
            "data": bare,
            "sealed": digests,
        }
    )
    commitment = _sha256(made).hexdigest()
    if commitment != document["commitment"]:
        raise Unbound("The event does not match its commitment.", commitment, document["commitment"])
    for pointer, value in values.items():
        salt = salts.get(pointer)
        if salt is None and value is not None:
            raise Unbound(f"{pointer} is shown without its salt.", None, value)
        if salt is not None and (
            value is None or digest(bytes.fromhex(salt), pointer, value) != digests[pointer]
        ):
            raise Unbound(f"{pointer} does not match its digest.", digests[pointer], value)
    if not salts.keys() <= digests.keys():
        raise Unbound("There is a salt of something that is not sealed.", sorted(digests), sorted(salts))
    hidden = names_hidden(digests, salts)
    if document["redacted"] != hidden:
        raise Unbound("`redacted` does not name what is hidden.", hidden, document["redacted"])
    return bare


def json_of(by_pointer: Mapping[str, str]) -> bytes:
    """Digests or salts as JSON."""
    return orjson.dumps(by_pointer)
