"""Check of the hidden parts of a running game's events: exactly those that the game's rule hides from one viewer.

The hidden values are not known here. So the check puts other values in their places and redacts the event by the game's
rule. The result must be the event in the file: no engine gives out an event that hides more, less or something else.
"""

from typing import Any, Final

from domain.errors import DomainError
from domain.game import Game, Records
from domain.interventions import ABORT, ADJUDICATION, CLAIM
from domain.lifecycle import SEALED_CREATION, EventRecord, Json, Viewer
from events.audit.findings import MALFORMED, CheckFailed
from events.audit.infer_commands import command_of, is_move, recorded_choice
from events.audit.stream_verifier import event_of
from events.log import chain, leaves
from events.log.envelope import in_form_2

CHECK: Final = "redacted"
_NO_EVENT: Final = (*MALFORMED, DomainError, CheckFailed)
# Stand-ins for the hidden members of a bot's move and of a hint.
_CHOICE: Final[dict[str, Any]] = {"budget": {"iterations": 1}, "seed": "0" * 16}
_WITH_A_CHOICE: Final = frozenset(("move_chosen", "hint_given"))


def check_shown(game: Game, header: Json, document: Json, seats: int) -> None:
    """CheckFailed "header" or "redacted" unless the event is what the header's viewer is shown while the game runs."""
    kind, viewer, version = document["type"], header["viewer"], document["version"]
    if kind in ("game_ended", "game_scored", ABORT, ADJUDICATION, CLAIM):
        raise CheckFailed(
            "header",
            version,
            "The event ends the game, but the export is of a game that is not over.",
            True,
            False,
        )
    if version > 1 and kind == "game_created":
        raise CheckFailed("header", version, "The game is created a second time.", None, kind)
    if kind == "game_started":
        check_viewer(game, document, viewer, seats)
    check_redacted(game, document, viewer, seats)


def check_redacted(game: Game, document: Json, viewer: Viewer, seats: int) -> None:
    """CheckFailed "redacted" unless the event is shown as it is to that viewer while the game runs."""
    version, seat = document["version"], document["seat"]
    if (seat is not None and not 0 <= seat < seats) or (viewer is not None and not 0 <= viewer < seats):
        raise CheckFailed(CHECK, version, "The game has no seat of this number.", list(range(seats)), seat)
    try:
        record = _whole(game, document)
        shown, hidden = game.redact(record, viewer)
        possible = _is_event(game, record, document)
    except _NO_EVENT:
        possible = False
    if not possible:
        raise CheckFailed(
            CHECK,
            version,
            "The engine records no event of this form.",
            None,
            _described(document),
        )
    if not _is_shown(shown, hidden, document):
        who = "a spectator" if viewer is None else f"seat {viewer}"
        what = f"The event shows {who} other members than the rules do."
        raise CheckFailed(CHECK, version, what, {"redacted": hidden, "data": shown}, _described(document))
    if "sealed" in document:
        check_sealed(game, record, document)


def check_sealed(game: Game, record: EventRecord, document: Json) -> None:
    """CheckFailed "redacted" unless the document of form 2 seals just what the game hides from a spectator.

    `record`: the event, with what is hidden or with stand-ins for it.
    """
    shown, hidden = game.redact(record, None)
    expected = leaves.pointers(record.data, shown, hidden)
    if expected != sorted(document["sealed"]):
        what = "The event seals other places than the rules hide from a spectator."
        raise CheckFailed(CHECK, document["version"], what, expected, sorted(document["sealed"]))


def check_viewer(game: Game, document: Json, viewer: Viewer, seats: int) -> None:
    """CheckFailed "header" if the event is shown as it is to others, but not to that viewer while the game runs.

    An event that nobody sees like that passes here: see `check_redacted`.
    """
    viewers: list[Viewer] = [None, *range(seats)]
    try:
        record = _whole(game, document)
        shown = {one: game.redact(record, one) for one in viewers}
    except _NO_EVENT:
        return
    found = [one for one, (data, hidden) in shown.items() if _is_shown(data, hidden, document)]
    if viewer in found or (not found and document["redacted"]):
        return
    # An event that nobody is shown, and that hides nothing, is one as everybody is shown it once the game is over.
    to = [one for one in found or viewers if one is not None]
    raise CheckFailed(
        "header",
        document["version"],
        "The event is redacted for another viewer than the header names.",
        viewer,
        to,
    )


def _is_shown(data: Json, hidden: list[str], document: Json) -> bool:
    return hidden == document["redacted"] and (not hidden or _same(data, document["data"]))


def _whole(game: Game, document: Json) -> EventRecord:
    """The event as it may have been recorded. Raises what malformed data lead to."""
    record = _record_of(document)
    hidden = {name: _stand_in(game, record.type, name, record.data) for name in document["redacted"]}
    return record._replace(data=record.data | hidden) if hidden else record


def _record_of(document: Json) -> EventRecord:
    return EventRecord(document["type"], document["schema"], document["seat"], document["data"])


def _stand_in(game: Records, kind: str, name: str, data: Json) -> Any:
    return _CHOICE[name] if kind in _WITH_A_CHOICE else game.stand_in(kind, name, data)


def _is_event(game: Game, record: EventRecord, document: Json) -> bool:
    """True if the game can read the event, and would write the same event again."""
    if record.type in _WITH_A_CHOICE:
        recorded_choice(event_of(document | {"data": record.data}))
    elif not is_move(record.type):
        command_of(game, None, event_of(document), [])
    again = game.encode(game.decode(record))
    if (record.type, record.schema) == SEALED_CREATION:
        again = in_form_2(again)
    same = (again.type, again.schema, again.seat) == (record.type, record.schema, record.seat)
    return same and _same(again.data, record.data)


def _same(one: Json, other: Json) -> bool:
    """True if both are the same JSON: unlike in Python, true is not 1."""
    return chain.canonical(one) == chain.canonical(other)


def _described(document: Json) -> Json:
    return {name: document[name] for name in ("type", "seat", "redacted", "data")}
