"""Upcasters: events of former schemas, translated to what the games of today read.

An event's schema number is raised when the meaning of its data changes; the function that translates the former data
is entered here under the former number, one step each, and stays for as long as a stored game may hold such an event.
An event that is neither known to its game nor translated here is an error, never skipped.
"""

from collections.abc import Callable, Mapping

from domain.lifecycle import EventRecord

Upcaster = Callable[[EventRecord], EventRecord]
Upcasters = Mapping[tuple[str, str, int], Upcaster]

UPCASTERS: Upcasters = {}  # by game, type and schema; none yet: every event has its first schema


def upcast(game: str, record: EventRecord, upcasters: Upcasters = UPCASTERS) -> EventRecord:
    """The event as its game reads it today; the stored one itself where nothing changed."""
    if not upcasters:
        return record
    while (step := upcasters.get((game, record.type, record.schema))) is not None:
        record = step(record)
    return record
