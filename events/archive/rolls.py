"""Rolls: for each day of the archive, the games of which Redis has nothing any more, with what is left of them.

The roll of a day has an entry for each game that left its app's listing: its last line there. Once a game is pruned,
its entry has what proves it: the version and the head with which it ended, and the digest of its export. A roll is a
file beside the games' files, `roll-<SHA-256 of its content>.gz`: lines of JSON, the last of which is signed. A new roll
has all that the former one had, and then replaces it. So a process that dies leaves two rolls, one of which has
everything.
"""

import re
import secrets as randomness
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from hashlib import sha256
from typing import Final

import orjson

from domain.lifecycle import Json
from events.archive.file_format import unzipped, zipped
from events.archive.storage import Storage
from events.errors import ArchiveUnavailable, CorruptStream, GamePruned
from events.log.export import line
from events.log.signing import ROLL_FORMAT, Keyring, jwk_of, verify_roll

NAME: Final = re.compile(r"(\d{4}/\d{2}/\d{2})/roll-([0-9a-f]{64})\.gz")
STAGED: Final = re.compile(r"(\d{4}/\d{2}/\d{2})/roll-[0-9a-f]{64}\.gz\.[0-9a-f]+\.tmp")
ATTEMPTS: Final = 3  # looks at the rolls of a day while other processes write them
LARGEST: Final = 2**31  # bytes of a roll
AT_HAND: Final = 4  # rolls that are kept in memory
EPOCH: Final = date(1970, 1, 1)


@dataclass(frozen=True, slots=True)
class PrunedGame:
    """The rest of a game that was pruned. `at`: the time of that; `digest`: the SHA-256 of its export, in hex.

    `visibility` and `tokens`, the hashes of its seats' tokens, decide who may know of it. `result` is its result for
    its app's ratings: leaderboard, member, subjects, places, anchors; None if it does not count.
    """

    at: str
    digest: str
    visibility: str
    tokens: tuple[str, ...]
    result: tuple[str, str, tuple[str, ...], tuple[int, ...], tuple[int | None, ...] | None] | None


@dataclass(frozen=True, slots=True)
class RollEntry:
    """A game in a roll: its end, its last line in the listing if it had one, and its rest once it was pruned."""

    game_id: str
    app: str
    version: int
    head: str
    line: Json | None = None
    pruned: PrunedGame | None = None

    def joined(self, other: "RollEntry") -> "RollEntry":
        """The entry with the data of both. CorruptStream if they are not of one history."""
        if (self.version, self.head) != (other.version, other.head):
            raise CorruptStream(f"Rolls of the archive have game {self.game_id} in two histories.")
        return replace(self, line=self.line or other.line, pruned=self.pruned or other.pruned)


@dataclass(frozen=True, slots=True)
class Roll:
    """A roll as it was read. `key`, a JWK, and `signature` are None if nobody signed it; `digest` is of its lines."""

    day: str
    entries: Mapping[str, RollEntry]
    digest: str
    key: Json | None
    signature: str | None

    @property
    def pruned(self) -> list[str]:
        """The ids of the games that were pruned."""
        return [game_id for game_id, entry in self.entries.items() if entry.pruned is not None]

    def fault(self, trusted: Mapping[str, str] | None = None) -> str | None:
        """The reason why the roll proves nothing about pruned games; None if it does, or if none was pruned.

        `trusted`: the public keys in base64url, by key id, of which one must have signed; None: any key will do.
        """
        if self.signature is None or self.key is None:
            return "It is not signed." if self.pruned else None
        key_id = str(self.key.get("kid"))
        key = self.key if trusted is None else {**self.key, "x": trusted.get(key_id)}
        if trusted is not None and key_id not in trusted:
            return f"It is signed by the key {key_id}, which is none of those that are trusted."
        if not verify_roll(key, self.day, len(self.entries), self.digest, self.signature):
            return f"Its signature is not one by the key {key_id}."
        return None


def is_staged(name: str) -> bool:
    """True if the roll had not got its name yet when it was written."""
    return STAGED.fullmatch(name) is not None


def day_of(name: str) -> str | None:
    """The day that a roll is of; None for any other file."""
    match = NAME.fullmatch(name) or STAGED.fullmatch(name)
    return None if match is None else match[1]


def day_number(day: str) -> int:
    """The days from 1970 to a day as 2026/11/21."""
    return (date.fromisoformat(day.replace("/", "-")) - EPOCH).days


def day_named(number: int) -> str:
    """The day as 2026/11/21, so many days after the first one of 1970."""
    return (EPOCH + timedelta(days=number)).isoformat().replace("-", "/")


class Rolls:
    """The rolls in the archive's storage. Every method may raise StoreUnavailable."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._read = OrderedDict[str, Roll]()

    def names(self, day: str | None = None) -> list[str]:
        """The names of all rolls, or of those of a day, in order of time."""
        return [name for name in self._storage.names("roll-*.gz", day) if NAME.fullmatch(name)]

    def days(self) -> list[str]:
        """The days that have a roll, in order."""
        return sorted({name[:10] for name in self.names()})

    def read(self, name: str) -> Roll:
        """The roll of that name; FileNotFoundError, CorruptStream."""
        known = self._read.get(name)
        if known is None:
            known = self._read[name] = unpack(name, self._storage.read(name))
            if len(self._read) > AT_HAND:
                self._read.popitem(last=False)
        return known

    def of_day(self, day: str) -> dict[str, RollEntry]:
        """The entries of a day, by game. CorruptStream."""
        return self._of_day(day)[1]

    def _of_day(self, day: str) -> tuple[list[str], dict[str, RollEntry]]:
        for _ in range(ATTEMPTS):
            names, entries = self.names(day), dict[str, RollEntry]()
            try:
                for name in names:
                    _join(entries, self.read(name).entries.values())
            except FileNotFoundError:
                continue  # a new one has all that it had
            return names, entries
        raise ArchiveUnavailable("the archive's rolls change faster than they can be read")

    def add(self, day: str, new: Iterable[RollEntry], keyring: Keyring) -> str:
        """Add these entries to the roll of the day. Returns its name. Safe to repeat, and for several processes at
        once.

        CorruptStream if the present roll cannot be read, or has another history of a game.
        """
        former, entries = self._of_day(day)
        _join(entries, new)
        content = pack(day, entries, keyring)
        name = f"{day}/roll-{sha256(content).hexdigest()}.gz"
        if name not in former:
            staged = f"{name}.{randomness.token_hex(4)}.tmp"
            self._storage.stage(staged, content)
            self._storage.publish(staged, name)
        if unpack(name, self._storage.read(name)).entries != entries:
            raise ArchiveUnavailable(f"roll {name} does not hold what was written to it")
        for other in former:
            if other != name:
                self._storage.remove(other)
        return name

    def tidy(self) -> None:
        """Remove rolls that other processes staged and left; only for a process with the right to write rolls."""
        for name in self._storage.names("roll-*.tmp"):
            if is_staged(name):
                self._storage.remove(name)

    def pruned(self, game_id: str, number: int) -> GamePruned:
        """The error that tells of a pruned game, which ended on that day since 1970."""
        day = day_named(number)
        try:
            entry = self.of_day(day).get(game_id)
        except CorruptStream:  # `migrato fsck` tells of it
            entry = None
        ended_on = day.replace("/", "-")
        if entry is None or entry.pruned is None:
            return GamePruned(game_id, ended_on)
        rest = entry.pruned
        left = {"pruned_at": rest.at, "version": entry.version, "head": entry.head, "digest": rest.digest}
        return GamePruned(game_id, ended_on, left, entry.app, rest.visibility, rest.tokens)


def _join(entries: dict[str, RollEntry], others: Iterable[RollEntry]) -> None:
    for entry in others:
        known = entries.get(entry.game_id)
        entries[entry.game_id] = entry if known is None else known.joined(entry)


def pack(day: str, entries: Mapping[str, RollEntry], keyring: Keyring) -> bytes:
    """The roll of these entries; the same bytes for the same entries and the same key."""
    content = line({"roll": {"format": ROLL_FORMAT, "day": day}})
    content += b"".join(line({"game": _document(entries[game_id])}) for game_id in sorted(entries))
    digest, signer = sha256(content).hexdigest(), keyring.signer
    end: Json = {"games": len(entries), "digest": digest, "key": None, "signature": None}
    if signer is not None:
        end |= {"key": jwk_of(signer.public), "signature": signer.sign_roll(day, len(entries), digest)}
    return zipped(content + line({"end": end}))


def unpack(name: str, content: bytes) -> Roll:
    """The roll in a file of that name. CorruptStream unless it is whole, and what its name says."""
    named = NAME.fullmatch(name)
    if named is None or sha256(content).hexdigest() != named[2]:
        raise CorruptStream(f"Archive file {name} does not hold what its name says.")
    lines = unzipped(content, LARGEST).splitlines(keepends=True)
    try:
        header, *games, end = [orjson.loads(one) for one in lines]
        entries = {entry.game_id: entry for entry in (_entry(game["game"]) for game in games)}
        about, sealed = header["roll"], end["end"]
        digest = sha256(b"".join(lines[:-1])).hexdigest()
        right = (ROLL_FORMAT, named[1], len(games), len(games), digest)
        if (about["format"], about["day"], sealed["games"], len(entries), sealed["digest"]) != right:
            raise CorruptStream(f"Archive file {name} is no whole roll of its day.")
        return Roll(named[1], entries, digest, sealed["key"], sealed["signature"])
    except (LookupError, TypeError, ValueError) as error:
        raise CorruptStream(f"Archive file {name} cannot be read as a roll.") from error


def _document(entry: RollEntry) -> Json:
    document: Json = {
        "game_id": entry.game_id,
        "app": entry.app,
        "version": entry.version,
        "head": entry.head,
    }
    if entry.line is not None:
        document["line"] = entry.line
    if entry.pruned is not None:
        rest = entry.pruned
        document["pruned"] = {"at": rest.at, "digest": rest.digest, "visibility": rest.visibility}
        document["pruned"] |= {"tokens": rest.tokens, "result": rest.result}
    return document


def _entry(document: Json) -> RollEntry:
    rest = document.get("pruned")
    return RollEntry(
        *(str(document["game_id"]), str(document["app"]), int(document["version"]), str(document["head"])),
        document.get("line"),
        None if rest is None else _rest(rest),
    )


def _rest(document: Json) -> PrunedGame:
    result = document["result"]
    if result is not None:
        leaderboard, member, subjects, places, anchors = result
        anchored = None if anchors is None else tuple(anchors)
        result = (str(leaderboard), str(member), tuple(subjects), tuple(places), anchored)
    tokens = tuple(map(str, document["tokens"]))
    return PrunedGame(
        str(document["at"]), str(document["digest"]), str(document["visibility"]), tokens, result
    )
