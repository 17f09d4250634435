"""The short way: a game is written again from its moves, and nothing is wrong if it is the same to the last byte.

Moves and times are taken from the lines, all else follows: the events by the rules, salts from the seed, commitments
and heads from the events. Lines that are what comes of that pass every check there is of events, and need not even be
read where they only follow from a move. Where they differ nothing is said: the long way tells what is wrong, where.
"""

from collections.abc import Generator
from typing import Any, Final

import orjson

from domain.lifecycle import EventRecord, Json
from events.audit.findings import CheckFailed
from events.audit.replay import Replay
from events.audit.stream_verifier import is_time
from events.log import chain
from events.log.envelope import StreamHead

# What unchecked lines can lead to; the long way then names it.
_UNFIT: Final = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
    CheckFailed,
)


def rewritten(
    replay: Replay, game_id: str, seed: bytes, lines: list[bytes]
) -> Generator[None, None, StreamHead | None]:
    """The head that the lines lead to, if they are what the engine writes; None otherwise, and the replay is void.

    It comes to that a little at a time.
    """
    try:
        return (yield from _rewritten(replay, game_id, seed, lines))
    except _UNFIT:
        return None


def _rewritten(
    replay: Replay, game_id: str, seed: bytes, lines: list[bytes]
) -> Generator[None, None, StreamHead | None]:
    version, head, salts, read = 0, chain.GENESIS, chain.Salts(seed, game_id), dict[int, Any]()
    while version < len(lines):
        document = read.pop(version, None) or orjson.loads(lines[version])
        following = list[Json]()
        for at in range(
            version + 1, min(version + 1 + replay.lookahead.get(document["type"], 0), len(lines))
        ):
            if at not in read:
                read[at] = orjson.loads(lines[at])
            following.append(read[at])
        time: Any = document["at"]
        if document["version"] != version + 1 or not is_time(time):
            return None
        for event, record in replay.decided(document, following):
            line, head = _line(record, time, version + 1, head, salts.of(version + 1))
            if line != lines[version]:
                return None
            version += 1
            read.pop(version - 1, None)
            replay.happened(event, record, version)
        yield
    return StreamHead(version, head.hex())


def _line(record: EventRecord, time: str, version: int, head: bytes, salt: bytes) -> tuple[bytes, bytes]:
    """The event's line of an export, its members in their order, and the head after it.

    It does by hand what `chain.event_bytes` and `chain.sealed` do, so that the data are written once, not twice.
    """
    kind, schema, seat, data = record
    written = chain.canonical(data).decode()
    end = f'"schema":{schema},"seat":{"null" if seat is None else seat},"type":"{kind}","version":{version}}}'
    commitment = chain.commit(salt, f'{{"at":"{time}","data":{written},{end}'.encode())
    head = chain.link(head, commitment)
    line = (
        f'{{"at":"{time}","commitment":"{commitment.hex()}","data":{written},"head":"{head.hex()}",'
        f'"redacted":[],"salt":"{salt.hex()}",{end}'
    )
    return line.encode(), head
