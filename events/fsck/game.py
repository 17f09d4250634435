"""Faults of one game, judged by all that Redis has of it at one moment."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import orjson

from domain.game import Game
from events.archive.record import folded, span
from events.engine.pending_action import pending_action
from events.errors import CorruptStream
from events.fsck.findings import Finding
from events.log.envelope import RecordedEvent, check_chain, check_seed
from events.log.serialisers import standing_json
from events.log.signing import Keyring, verify_head
from events.log.snapshot import Snapshot
from events.log.stored_form import StoredGame
from events.ports import Found
from events.store import keys
from events.times import milliseconds_of, time_of

VISIBILITIES: Final = ("private", "public")


def check_game(
    found: Found,
    games: Mapping[str, Game],
    patience: float,
    look: Callable[[Snapshot, float], None],
    keyring: Keyring | None = None,
) -> Iterator[Finding]:
    """Faults of a game that has a stream; `patience`: seconds that it may wait for the engine.

    `look` gets the present game, to compare it with its line and its result. `keyring`: the keys by which signatures
    are checked, as far as they are there.
    """
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
    if found.lost is not None:
        yield Finding("stream-gap", raw.game_id, stream, f"Entry {found.lost}, the last one, is gone.")
    try:
        events = raw.events()
    except (CorruptStream, LookupError, TypeError, ValueError) as error:
        yield Finding("bad-entry", raw.game_id, stream, f"An entry is no event: {error}")
        return
    chained = _check_chain(raw, events, games)
    if chained is not None:
        yield chained
        return
    yield from _check_secrets(raw, keyring or Keyring())
    try:
        game = folded(raw, events, games)
    except CorruptStream as error:
        yield Finding("unreadable-game", raw.game_id, stream, error.detail)
        return
    yield from _check_due(found, pending_action(game.status), patience)
    yield from _check_deadline(found, game.deadline or 0)
    yield from _check_standing(found, standing_json(game))
    look(game, found.now)


def due_value(found: Found, what: str) -> str | None:
    """The right entry of the index of due games if the game waits for `what` since now; None if `what` is empty."""
    return f"{what}:{found.raw.version}:{int(found.now * 1000)}" if what else None


def _check_chain(raw: StoredGame, events: list[RecordedEvent], games: Mapping[str, Game]) -> Finding | None:
    """The fault of the chain; None also if the game is not known here, which is a finding of its own."""
    stream, secrets = keys.stream(raw.game_id), keys.secrets(raw.game_id)
    try:
        kept = raw.secrets
        seed = kept.seed
    except (CorruptStream, ValueError) as error:
        return Finding("no-secrets", raw.game_id, secrets, str(error))
    try:
        check_seed(raw.game_id, events, seed)
    except CorruptStream as error:
        return Finding("bad-commitment", raw.game_id, secrets, error.detail)
    try:
        if kept.game in games:
            check_chain(games[kept.game], raw.game_id, events, seed)
    except CorruptStream as error:
        return Finding("bad-chain", raw.game_id, stream, error.detail)
    return None


def _check_secrets(raw: StoredGame, keyring: Keyring) -> Iterator[Finding]:
    """Faults of things that no chain holds together: those beside the seed, and the signature of the final head."""
    secrets, where = raw.secrets, keys.secrets(raw.game_id)
    if secrets.visibility not in VISIBILITIES:
        yield Finding("secrets-wrong", raw.game_id, where, "Its visibility is none that there is.")
    if not _is_time(secrets.created_at):
        yield Finding("secrets-wrong", raw.game_id, where, "The time of its creation is none.")
    signed = secrets.signature
    if signed is None:
        return
    jwk = keyring.jwk(signed.key_id)
    if (signed.version, signed.head) != (raw.version, raw.head):
        yield Finding(
            "secrets-wrong", raw.game_id, where, "Its signature is of another head than the game's."
        )
    elif jwk is not None and not verify_head(jwk, raw.game_id, raw.version, raw.head, signed.signature):
        yield Finding(
            "secrets-wrong", raw.game_id, where, f"Its signature is not one by the key {signed.key_id}."
        )


def _is_time(text: str) -> bool:
    try:
        return time_of(milliseconds_of(text)) == text
    except ValueError:
        return False


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
    caused = dict[str, list[int]]()
    for version, entry in enumerate(raw.entries, 1):
        caused.setdefault(entry.command.decode(errors="replace"), []).append(version)
        first, last = spans.get(entry.command.decode(errors="replace"), (0, -1))
        if not first <= version <= last:
            detail = f"The command that caused event {version} is not recorded."
            yield Finding("command-missing", raw.game_id, where, detail)
            return
    for command, versions in caused.items():
        if spans[command] != (versions[0], versions[-1]):
            first, last = spans[command]
            detail = (
                f"Command {command} caused events {versions[0]} to {versions[-1]}, and not {first} to {last}."
            )
            yield Finding("command-missing", raw.game_id, where, detail)
            return


def _check_due(found: Found, what: str, patience: float) -> Iterator[Finding]:
    raw, partition = found.raw, keys.partition_of(found.raw.game_id)
    recorded, _, since = (found.due or "").rpartition(":")
    expected = f"{what}:{raw.version}" if what else ""
    right = recorded == expected and since.isdecimal() if expected else found.due is None
    if not right:
        detail = f"It says {recorded or found.due or 'nothing'!r}, but the game waits for {expected or 'nothing'!r}."
        yield Finding("due-wrong", raw.game_id, keys.due(partition), detail)
    elif expected and found.now - int(since) / 1000 > patience:
        detail = f"It has waited for its {what} for {found.now - int(since) / 1000:,.0f} seconds."
        yield Finding("stuck-game", raw.game_id, keys.stream(raw.game_id), detail)


def _document(text: bytes) -> Any:
    """The JSON document, or the bytes themselves where they are none."""
    try:
        return orjson.loads(text)
    except ValueError:
        return text


def _check_standing(found: Found, expected: bytes) -> Iterator[Finding]:
    """The fault of a kept standing, whose members may have any order; a store of a former release has none."""
    raw = found.raw
    if found.standing not in (None, expected) and _document(found.standing) != _document(expected):
        detail = f"It is not how the game stands at version {raw.version}."
        yield Finding("standing-wrong", raw.game_id, keys.standings(keys.partition_of(raw.game_id)), detail)


def _check_deadline(found: Found, deadline: int) -> Iterator[Finding]:
    """The fault of the index of deadlines; `deadline`: the game's, in milliseconds, 0 while nobody's time runs."""
    expected = str(deadline) if deadline else None
    if found.deadline != expected:
        raw = found.raw
        detail = f"It says {found.deadline or 'nothing'}, but the game's deadline is {expected or 'none'}."
        yield Finding("deadline-wrong", raw.game_id, keys.deadlines(keys.partition_of(raw.game_id)), detail)
