"""A backup as one file: a tar archive that ends with a manifest, which tells the size and the hash of all before it.

A file that was cut off has no manifest; a part that was changed does not fit the manifest. The hashes protect from
accidents, not from attackers: somebody who can change the file can change the manifest as well.
"""

import hashlib
import io
import json
import os
import re
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final

FORMAT: Final = 1
MANIFEST: Final = "manifest.json"
STORE: Final = "store.rdb"
ARCHIVE: Final = "archive/"
KEYS: Final = "keys/"
MANIFEST_LIMIT: Final = 256 * 1024 * 1024  # bytes
_MEMBER: Final = re.compile(
    r"store\.rdb|archive/\d{4}/\d\d/\d\d/p\d{3}-[0-9A-Za-z._-]+|keys/[0-9A-Za-z_-]+(?:\.pub)?\.pem"
)


class BadBackup(Exception):
    """The file is not a backup, or not a whole one; the message is a sentence."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """Content of a backup: `facts` for people, and size and SHA-256 of each member by its name."""

    facts: Mapping[str, Any]
    members: Mapping[str, Mapping[str, Any]]
    digest: str

    def names(self, prefix: str) -> list[str]:
        """The members whose names begin with the prefix."""
        return [name for name in self.members if name.startswith(prefix)]


class _Sequential:
    """A stream with all that a tar archive needs to be written to a pipe."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.write = stream.write

    def tell(self) -> int:
        """The place where the stream begins, 0: a tar archive asks for no other."""
        return 0


@dataclass(slots=True)
class PackageWriter:
    """Writes a backup to a stream that need not be a file."""

    tar: tarfile.TarFile
    members: dict[str, dict[str, Any]] = field(default_factory=dict)

    @classmethod
    def to(cls, stream: IO[bytes]) -> "PackageWriter":
        """A backup that is written to the stream."""
        # Not "w|": an archive of that mode writes once more when it is thrown away after a failure.
        sequential: Any = _Sequential(stream)
        return cls(tarfile.TarFile(fileobj=sequential, mode="w", format=tarfile.PAX_FORMAT))

    def add_file(self, name: str, path: Path) -> None:
        """Add a file, which does not change meanwhile."""
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            file.seek(0)
            self._add(name, file, path.stat().st_size, digest)

    def add(self, name: str, content: bytes) -> None:
        """Add a member with this content."""
        self._add(name, io.BytesIO(content), len(content), hashlib.sha256(content).hexdigest())

    def _add(self, name: str, file: IO[bytes], size: int, digest: str) -> None:
        self._write(name, file, size)
        self.members[name] = {"bytes": size, "sha256": digest}

    def _write(self, name: str, file: IO[bytes], size: int) -> None:
        about = tarfile.TarInfo(name)
        about.size, about.mode = size, 0o600
        self.tar.addfile(about, file)

    def finish(self, facts: Mapping[str, Any]) -> None:
        """Write the manifest, which makes the file a whole backup."""
        content = json.dumps({"format": FORMAT, **facts, "members": self.members}, indent=2).encode()
        self._write(MANIFEST, io.BytesIO(content), len(content))
        self.tar.close()


def unpack(stream: IO[bytes], directory: Path) -> Manifest:
    """Unpack a backup into a directory, which must be private, and check it. Raises BadBackup, OSError."""
    found: dict[str, dict[str, Any]] = {}
    manifest = None
    try:
        with tarfile.open(fileobj=stream, mode="r|") as tar:
            for member in tar:
                file = tar.extractfile(member) if member.isreg() else None
                if file is None or manifest is not None:
                    raise BadBackup(f"This is not a backup: it has a member {member.name!r} that none has.")
                if member.name == MANIFEST:
                    manifest = file.read(MANIFEST_LIMIT)
                elif _MEMBER.fullmatch(member.name) is None or member.name in found:
                    raise BadBackup(f"This is not a backup: it has a member {member.name!r} that none has.")
                else:
                    found[member.name] = _unpacked(file, directory / member.name)
    except (tarfile.TarError, EOFError) as error:
        raise BadBackup(f"The backup is damaged, cut off, or no backup at all: {error}.") from error
    if manifest is None:
        raise BadBackup("The backup is not whole: its end is missing.")
    return _checked(manifest, found)


def _unpacked(file: IO[bytes], path: Path) -> dict[str, Any]:
    digest, size = hashlib.sha256(), 0
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with open(path, "xb", opener=private) as out:
        while piece := file.read(1024 * 1024):
            digest.update(piece)
            size += len(piece)
            out.write(piece)
    return {"bytes": size, "sha256": digest.hexdigest()}


def _checked(content: bytes, found: Mapping[str, Mapping[str, Any]]) -> Manifest:
    try:
        document = json.loads(content)
        version, members = document.pop("format"), dict(document.pop("members"))
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise BadBackup("The manifest of the backup cannot be read.") from error
    if version != FORMAT:
        raise BadBackup(
            f"The backup has format {version}, which another release reads; this one reads {FORMAT}."
        )
    for name, about in members.items():
        if found.get(name) != about:
            raise BadBackup(f"The backup is damaged: {name} is not what the manifest says.")
    if STORE not in members:
        raise BadBackup("The backup has no store.")
    return Manifest(document, members, hashlib.sha256(content).hexdigest())


def private(path: str, flags: int) -> int:
    """Open a file that only its owner may read."""
    return os.open(path, flags, 0o600)
