# compiled into recording
"""Check of a game's events by a viewer, as they arrive, also of those that hide something.

Keep the head of the stream: the version of the last event that was seen, the chain's head after it, and the form of
the game's commitments (`events.log.chain`). No event up to there can be changed, left out or put in afterwards without
being noticed here, because every later head depends on it. The commitment covers an event's hidden members, too. Once
these are shown, they must fit the commitment that was there from the beginning. In form 2 every member that is shown
is checked at once; in form 1, only those of events that are seen whole.
"""

import re
from datetime import datetime
from functools import lru_cache
from typing import Any, Final, NamedTuple

from domain.lifecycle import EventRecord, Json
from events.audit.findings import CheckFailed
from events.log import chain, leaves

_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_TIME: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z")
_REDACTED: Final = frozenset(
    ("version", "type", "schema", "at", "seat", "data", "redacted", "commitment", "head")
)
_WHOLE: Final = _REDACTED | {"salt"}
_SEALED: Final = _REDACTED | {"sealed", "salts"}


class KeptHead(NamedTuple):
    """End of a stream as a viewer keeps it: the last version, the chain's head there, and the form of the commitments;
    0: not known, whatever the next event has.
    """

    version: int
    head: str
    seals: int = 0


EMPTY: Final = KeptHead(0, chain.GENESIS.hex())


class ReadEvent(EventRecord):
    """An event as a line gives it, without its digests; nothing of it is believed."""

    __match_args__ = ("version", "at", "type", "schema", "seat", "data")

    def __init__(self, version: int, at: str, type: str, schema: int, seat: int | None, data: Json) -> None:
        self.version = version
        self.at = at
        self.type = type
        self.schema = schema
        self.seat = seat
        self.data = data


def event_of(document: Json) -> ReadEvent:
    """The event of an event document with members of their types."""
    version, at, schema = document["version"], document["at"], document["schema"]
    return ReadEvent(version, at, document["type"], schema, document["seat"], document["data"])


def follow(head: KeptHead, document: Any) -> KeptHead:
    """The stream's head after one more event document, as the API gives it; `EMPTY` comes before the first event.

    Raises CheckFailed with the check "format", "sequence", "commitments" or "chain".
    """
    return step(head, document)[0]


def unchanged(kept: KeptHead, head: KeptHead) -> None:
    """Compare a kept head with the head of the same version in a stream read again; CheckFailed if they differ."""
    if kept.version == head.version and kept.head != head.head:
        raise CheckFailed(
            "chain",
            kept.version,
            "The history was rewritten since that head was noted.",
            kept.head,
            head.head,
        )


def step(head: KeptHead, document: Any) -> tuple[KeptHead, bytes | None]:
    """Follow one more event; its committed bytes, None if it is not seen whole."""
    version = head.version + 1
    _well_formed(document, version)
    if document["version"] != version:
        raise CheckFailed(
            "sequence",
            version,
            "The event's version is not the next one: an event is missing, doubled or out of its place.",
            version,
            document["version"],
        )
    seals = chain.SEALS if "sealed" in document else chain.FORMER
    if head.seals not in (0, seals):
        raise CheckFailed(
            "format", version, "The event is not of the form of the events before it.", head.seals, seals
        )
    commitment = document["commitment"]
    committed = None
    if seals == chain.SEALS:
        _bound(document, version)
    if not document["redacted"]:
        committed = canonical_event(event_of(document))
        if seals == chain.FORMER:
            made = chain.commit(bytes.fromhex(document["salt"]), committed).hex()
            if made != commitment:
                raise CheckFailed(
                    "commitments", version, "The event does not match its commitment.", made, commitment
                )
    before = chain.GENESIS_OF[seals] if version == 1 else bytes.fromhex(head.head)
    linked = chain.link(before, bytes.fromhex(commitment)).hex()
    if linked != document["head"]:
        raise CheckFailed(
            "chain",
            version,
            "The head of the event does not follow from the head before it and the event's commitment.",
            linked,
            document["head"],
        )
    if version == 1 and document["data"].get("seals", chain.FORMER) != seals:
        what = "`seals` of the first event does not name the form that the event has."
        raise CheckFailed("format", version, what, seals, document["data"].get("seals"))
    return KeptHead(version, linked, seals), committed


def _bound(document: Json, version: int) -> None:
    """CheckFailed "commitments" unless every member that is shown is what the commitment binds."""
    try:
        leaves.check_bound(document)
    except leaves.Unbound as wrong:
        raise CheckFailed("commitments", version, wrong.detail, wrong.expected, wrong.found) from None
    except TypeError:
        raise CheckFailed("format", version, "The event's data have no canonical form.") from None


def canonical_event(event: ReadEvent) -> bytes:
    """The bytes of a whole event that its commitment is of; CheckFailed "format" for a number that cannot be."""
    kind, schema, at, seat = event.type, event.schema, event.at, event.seat
    try:
        return chain.event_bytes(event.version, kind, schema, at, seat, event.data)
    except TypeError:
        raise CheckFailed("format", event.version, "The event's data have no canonical form.") from None


def _well_formed(document: Any, version: int) -> None:
    """CheckFailed "format" unless this is an event document, with any object as its data; `version`: where it stands.

    Digests that must be equal to something else are not looked at here.
    """
    if not isinstance(document, dict):
        raise CheckFailed("format", version, "The event must be an object.", "an object", document)
    redacted = document.get("redacted")
    is_sealed = "sealed" in document
    members = _SEALED if is_sealed else _WHOLE if redacted == [] else _REDACTED
    if document.keys() != members:
        raise CheckFailed(
            "format",
            version,
            "The event must have exactly the members of the format.",
            sorted(members),
            sorted(document),
        )
    if not (
        type(document["version"]) is int
        and type(document["type"]) is str
        and type(document["schema"]) is int
        and type(document["at"]) is str
        and is_time(document["at"])
        and (document["seat"] is None or type(document["seat"]) is int)
        and type(document["data"]) is dict
        and is_digest(document["salt"] if redacted == [] and not is_sealed else document["commitment"])
        and (redacted == [] or _are_hidden(redacted, document["data"]))
        and (not is_sealed or (_are_digests(document["sealed"]) and _are_digests(document["salts"])))
    ):
        raise CheckFailed("format", version, "A member of the event has the wrong type.", None, document)


def is_digest(value: Any) -> bool:
    """True if the value is a text of 64 lower-case hex digits."""
    return type(value) is str and _DIGEST.fullmatch(value) is not None


def _are_digests(value: Any) -> bool:
    """True if the value is an object whose members are digests."""
    return type(value) is dict and all(is_digest(one) for one in value.values())


@lru_cache(maxsize=256)  # the events of one move have one time
def is_time(value: str) -> bool:
    """True if it is a time as events have it, RFC 3339 in UTC with milliseconds."""
    if _TIME.fullmatch(value) is None:
        return False
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return True


def _are_hidden(redacted: Any, data: Any) -> bool:
    """True if these are sorted names of members that are null, or hold a null somewhere."""
    if type(redacted) is not list or any(type(name) is not str for name in redacted):
        return False
    if type(data) is not dict or redacted != sorted(set(redacted)):
        return False
    return all(name in data and _holds_null(data[name]) for name in redacted)


def _holds_null(value: Any) -> bool:
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if value is None:
            return True
        if type(value) is list:
            waiting += value
        elif type(value) is dict:
            waiting += value.values()
    return False
