"""What can be wrong with one game, judged by all that Redis has of it at one moment."""

from collections.abc import Iterator, Mapping

from domain.game import Game
from events.archive.record import folded, span
from events.errors import CorruptStream
from events.fsck.findings import Finding
from events.fsck.results import ResultCheck
from events.games.pending_action import pending_action
from events.log.envelope import RecordedEvent, check_chain, check_seed
from events.log.stored_form import StoredGame
from events.ports import Found
from events.redis import keys


def check_game(
    found: Found, games: Mapping[str, Game], patience: float, results: ResultCheck
) -> Iterator[Finding]:
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
    if found.lost is not None:
        yield Finding("stream-gap", raw.game_id, stream, f"Entry {found.lost}, the last one, is gone.")
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
        game = folded(raw, events, games)
    except CorruptStream as error:
        yield Finding("unreadable-game", raw.game_id, stream, error.detail)
        return
    yield from _check_due(found, pending_action(game.status), patience)
    yield from _check_deadline(found, game.deadline or 0)
    results.look(game, found.now)


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
    for version, entry in enumerate(raw.entries, 1):
        first, last = spans.get(entry.command.decode(errors="replace"), (0, -1))
        if not first <= version <= last:
            detail = f"The command that caused event {version} is not recorded."
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


def _check_deadline(found: Found, deadline: int) -> Iterator[Finding]:
    """`deadline`: the game's, in milliseconds; 0 where nobody's time runs."""
    expected = str(deadline) if deadline else None
    if found.deadline != expected:
        raw = found.raw
        detail = f"It says {found.deadline or 'nothing'}, but the game's deadline is {expected or 'none'}."
        yield Finding("deadline-wrong", raw.game_id, keys.deadlines(keys.partition_of(raw.game_id)), detail)
