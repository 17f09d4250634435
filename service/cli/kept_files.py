"""Files of things that somebody kept (`migrato verify --kept`): read in bounded memory, plain or compressed by gzip."""

import gzip
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from events.audit.kept.comparing import KeptThings
from events.audit.kept.reading import KeptFile, read
from service.cli.exits import Refusal

_GZIP: Final = b"\x1f\x8b"


def kept_things(files: Iterable[Path], largest: int) -> KeptThings:
    """The things in the files, each of at most `largest` bytes. Refusal for one that cannot be read, or is larger."""
    return KeptThings([_read(file, largest) for file in files])


def _read(file: Path, largest: int) -> KeptFile:
    try:
        with file.open("rb") as stream:
            packed = stream.read(len(_GZIP)) == _GZIP
            stream.seek(0)
            if not packed:
                return read(str(file), _whole(stream.read(largest + 1), file, largest))
            with gzip.GzipFile(fileobj=stream) as unpacked:
                return read(str(file), _whole(unpacked.read(largest + 1), file, largest))
    except EOFError:
        raise Refusal(f"--kept: {file}: the compressed file ends before its end.") from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise Refusal(f"--kept: {file}: the compressed file is damaged: {error}.") from error
    except OSError as error:
        raise Refusal(f"--kept: {file} cannot be read: {error.strerror}.") from error


def _whole(content: bytes, file: Path, largest: int) -> bytes:
    if len(content) > largest:
        raise Refusal(f"--kept: {file} has more than {largest:,} bytes; --max-mib allows more.")
    return content
