"""What can be wrong with one game, told from all that Redis has of it at one moment."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from domain.game import Game
from events.archive.record import folded, span
from events.errors import CorruptStream
from events.games.pending_action import due_of
from events.log.envelope import RecordedEvent, check_chain, check_seed
from events.log.stored_form import StoredGame
from events.ports import Found
from events.redis import keys

_BACKUP: Final = "Bring the game back from a backup of Redis; do not write to it."
_LOST: Final = "Unless its file is damaged, which is told, a whole game is lost. " + _BACKUP

# What is to be done about each finding, by its code.
REMEDIES: Final[Mapping[str, str]] = {
    "stream-gap": _BACKUP,
    "bad-entry": "Something else has written to this stream. " + _BACKUP,
    "bad-chain": "The event or its seal was changed. " + _BACKUP,
    "bad-commitment": "The seed was changed. " + _BACKUP,
    "unreadable-game": "Run the release that wrote it, or a newer one.",
    "no-secrets": "Nobody can play on or be let in. " + _BACKUP,
    "no-stream": "The events are lost: bring them back from a backup, or delete the key.",
    "command-beyond-end": "Events are lost. " + _BACKUP,
    "command-missing": "Repeats of a request may be done twice. " + _BACKUP,
    "due-wrong": "--repair writes what the game waits for, unless something else is wrong with the game.",
    "due-orphan": "--repair removes it, unless something else is wrong with the game.",
    "restored-orphan": "--repair removes it.",
    "bad-mark": "Remove this field of the hash; archivers pass over it.",
    "bad-reference": "Something else has written to the feed, which passes over it. Delete the entry.",
    "orphaned-key": "--repair deletes it.",
    "wrong-type": "Something else has written this key. Bring it back from a backup of Redis.",
    "misplaced-key": "No release has written this: look where it comes from.",
    "unknown-key": "No release has written this: look where it comes from.",
    "stuck-game": "See that dispatcher and workers run; their logs name the game.",
    "feed-behind": "See that a dispatcher runs (`migrato worker dispatch`).",
    "feed-beyond-end": "Events are lost. " + _BACKUP,
    "feed-to-nothing": _LOST,
    "feed-missing": "Something else has written to this stream. " + _BACKUP,
    "listing-orphan": _LOST,
    "player-without-key": "Nobody can read the name. Bring the key back from a backup, or delete the record.",
    "key-without-player": "Bring the record back from a backup, or delete the key.",
    "name-without-player": "Nobody of this name can be seated. Bring the player back from a backup, or delete the key.",
    "file-damaged": "Bring the file back from a copy of the archive.",
    "unknown-file": "No release has written this: look where it comes from.",
    "half-moved": "--repair ends the move, which died half-way.",
    "archive-differs": "Find out which of them is right (by a head that somebody kept); then remove the other.",
    "leftover": "--repair removes it.",
    "two-files": "--repair makes one file of them.",
}
REPAIRABLE: Final = frozenset(
    ("due-wrong", "due-orphan", "restored-orphan", "orphaned-key", "half-moved", "leftover", "two-files")
)
# What says that something of a game is lost or was changed: such a game is evidence, and must not go on.
BROKEN: Final = frozenset(
    ("stream-gap", "bad-entry", "bad-chain", "bad-commitment", "unreadable-game", "no-secrets", "no-stream")
    + ("command-beyond-end", "command-missing", "feed-beyond-end", "feed-to-nothing", "feed-missing")
    + ("listing-orphan", "misplaced-key", "wrong-type", "archive-differs", "file-damaged")
)


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is not as it should be. `where` is a key of Redis or a file of the archive."""

    code: str
    game_id: str | None
    where: str
    detail: str
    repaired: bool = False

    @property
    def remedy(self) -> str:
        """What to do about it."""
        return REMEDIES[self.code]

    def done(self) -> "Finding":
        """The same, repaired."""
        return replace(self, repaired=True)


def check_game(found: Found, games: Mapping[str, Game], patience: float) -> Iterator[Finding]:
    """What is wrong with a game that has a stream; `patience`: seconds that it may wait for the engine."""
    raw = found.raw
    stream = keys.stream(raw.game_id)
    yield from _check_commands(raw)
    if found.restored is not None and not found.restored.isdecimal():
        where, detail = keys.restored(keys.partition_of(raw.game_id)), "It is no time, but should be one."
        yield Finding("bad-mark", raw.game_id, where, detail)
    if found.gaps:
        where = f"Entry {found.gaps[0]} does not follow on the one before."
        yield Finding("stream-gap", raw.game_id, stream, where)
        return
    try:
        events = raw.events()
    except (CorruptStream, LookupError, TypeError, ValueError) as error:
        yield Finding("bad-entry", raw.game_id, stream, f"An entry is no event: {error}")
        return
    chained = _check_chain(raw, events)
    if chained is not None:
        yield chained
        return
    try:
        status = folded(raw, events, games).status
    except CorruptStream as error:
        yield Finding("unreadable-game", raw.game_id, stream, error.detail)
        return
    yield from _check_due(found, due_of(status), patience)


def due_value(found: Found, what: str) -> str | None:
    """What the index of due games should have of a game that waits for `what` since now; None for nothing."""
    return f"{what}:{found.raw.version}:{int(found.now * 1000)}" if what else None


def _check_chain(raw: StoredGame, events: list[RecordedEvent]) -> Finding | None:
    stream, secrets = keys.stream(raw.game_id), keys.secrets(raw.game_id)
    try:
        seed = raw.secrets.seed
    except (CorruptStream, ValueError) as error:
        return Finding("no-secrets", raw.game_id, secrets, str(error))
    try:
        check_seed(raw.game_id, events, seed)
    except CorruptStream as error:
        return Finding("bad-commitment", raw.game_id, secrets, error.detail)
    try:
        check_chain(raw.game_id, events, seed)
    except CorruptStream as error:
        return Finding("bad-chain", raw.game_id, stream, error.detail)
    return None


def _check_commands(raw: StoredGame) -> Iterator[Finding]:
    where, spans = keys.commands(raw.game_id), dict[str, tuple[int, int]]()
    for command, recorded in raw.beside["commands"].items():
        try:
            spans[command] = span(recorded)
        except ValueError:
            yield Finding("bad-entry", raw.game_id, where, f"The record of command {command} cannot be read.")
            return
        if spans[command][1] > raw.version:
            detail = f"Command {command} caused event {spans[command][1]}, but there are {raw.version}."
            yield Finding("command-beyond-end", raw.game_id, where, detail)
            return
    for version, (_, _, command_id) in enumerate(raw.entries, 1):
        first, last = spans.get(command_id.decode(errors="replace"), (0, -1))
        if not first <= version <= last:
            detail = f"The command that caused event {version} is not recorded."
            yield Finding("command-missing", raw.game_id, where, detail)
            return


def _check_due(found: Found, what: str, patience: float) -> Iterator[Finding]:
    raw, partition = found.raw, keys.partition_of(found.raw.game_id)
    told, _, since = (found.due or "").rpartition(":")
    expected = f"{what}:{raw.version}" if what else ""
    right = told == expected and since.isdecimal() if expected else found.due is None
    if not right:
        detail = (
            f"It says {told or found.due or 'nothing'!r}, but the game waits for {expected or 'nothing'!r}."
        )
        yield Finding("due-wrong", raw.game_id, keys.due(partition), detail)
    elif expected and found.now - int(since) / 1000 > patience:
        detail = f"It has waited for its {what} for {found.now - int(since) / 1000:,.0f} seconds."
        yield Finding("stuck-game", raw.game_id, keys.stream(raw.game_id), detail)
