"""Findings of the check, each with its remedy."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from events.store.servers.durability import (
    EVICTS,
    FORGETS,
    FULL,
    QUEUE_EVICTS,
    QUEUE_FULL,
    QUEUE_UNKNOWN,
    READ_ONLY,
    UNKNOWN,
)

_BACKUP: Final = "Bring the game back from a backup of Redis; do not write to it."
_LOST: Final = "Unless its file is damaged, which is told, a whole game is lost. " + _BACKUP


@dataclass(frozen=True, slots=True)
class FindingKind:
    """Remedy of a finding, and whether `--repair` applies it.

    `is_evidence`: something of a game is lost or was changed, so the game must not go on.
    """

    remedy: str
    repairable: bool = False
    is_evidence: bool = False


# Every kind of finding, by its code.
KINDS: Final[Mapping[str, FindingKind]] = {
    EVICTS: FindingKind("Games that are missing may have been evicted. " + _BACKUP),
    FORGETS: FindingKind("If nothing is to be kept, set MIGRATO_EPHEMERAL=1."),
    UNKNOWN: FindingKind("With an ACL: `ACL SETUSER name +info`."),
    FULL: FindingKind("Finished games leave it sooner by MIGRATO_ARCHIVE_AFTER."),
    READ_ONLY: FindingKind(
        "Set MIGRATO_REDIS_URL to the master, or make this server one: `REPLICAOF NO ONE`."
    ),
    QUEUE_FULL: FindingKind("The engine makes lost jobs anew once there is room."),
    QUEUE_EVICTS: FindingKind(
        "The engine makes lost jobs anew, but not what callers have used of their limits."
    ),
    QUEUE_UNKNOWN: FindingKind("With an ACL: `ACL SETUSER name +info`."),
    "stream-gap": FindingKind(_BACKUP, is_evidence=True),
    "bad-entry": FindingKind("Something else has written to this stream. " + _BACKUP, is_evidence=True),
    "bad-chain": FindingKind("The event or its head was changed. " + _BACKUP, is_evidence=True),
    "bad-commitment": FindingKind("The seed was changed. " + _BACKUP, is_evidence=True),
    "unreadable-game": FindingKind("Run the release that wrote it, or a newer one.", is_evidence=True),
    "no-secrets": FindingKind("Nobody can play on or be let in. " + _BACKUP, is_evidence=True),
    "secrets-wrong": FindingKind("It was changed. " + _BACKUP, is_evidence=True),
    "no-stream": FindingKind(
        "The events are lost: bring them back from a backup, or delete the key.", is_evidence=True
    ),
    "command-beyond-end": FindingKind("Events are lost. " + _BACKUP, is_evidence=True),
    "command-missing": FindingKind("Repeats of a request may be done twice. " + _BACKUP, is_evidence=True),
    "due-wrong": FindingKind(
        "--repair writes what the game waits for, unless something else is wrong with the game.",
        repairable=True,
    ),
    "due-orphan": FindingKind(
        "--repair removes it, unless something else is wrong with the game.", repairable=True
    ),
    "deadline-wrong": FindingKind(
        "--repair writes the deadline that the game has, unless something else is wrong with the game.",
        repairable=True,
    ),
    "deadline-orphan": FindingKind(
        "--repair removes it, unless something else is wrong with the game.", repairable=True
    ),
    "restored-orphan": FindingKind("--repair removes it.", repairable=True),
    "bad-mark": FindingKind("Remove this field of the hash; archivers pass over it."),
    "bad-reference": FindingKind(
        "Something else has written to the feed, which passes over it. Delete the entry."
    ),
    "fork-unlisted": FindingKind("--repair lists it, so that it expires.", repairable=True),
    "orphaned-key": FindingKind("--repair deletes it.", repairable=True),
    "wrong-type": FindingKind(
        "Something else has written this key. Bring it back from a backup of Redis.", is_evidence=True
    ),
    "misplaced-key": FindingKind("No release has written this: look where it comes from.", is_evidence=True),
    "unknown-key": FindingKind("No release has written this: look where it comes from."),
    "stuck-game": FindingKind("See that dispatcher and workers run; their logs name the game."),
    "feed-behind": FindingKind("See that a dispatcher runs (`migrato worker dispatch`)."),
    "feed-beyond-end": FindingKind("Events are lost. " + _BACKUP, is_evidence=True),
    "feed-to-nothing": FindingKind(_LOST, is_evidence=True),
    "feed-missing": FindingKind("Something else has written to this stream. " + _BACKUP, is_evidence=True),
    "listing-orphan": FindingKind(_LOST, is_evidence=True),
    "listing-wrong": FindingKind("Run `migrato projections rebuild`."),
    "own-data-bad": FindingKind("The app writes it anew (PATCH /v1/games/{game_id}); what it was is lost."),
    "own-data-orphan": FindingKind("--repair removes it.", repairable=True),
    "own-data-unlisted": FindingKind("--repair lists the game by its data.", repairable=True),
    "own-data-listed": FindingKind("--repair removes the entry.", repairable=True),
    "standing-wrong": FindingKind("Run `migrato projections rebuild`."),
    "rating-orphan": FindingKind(_LOST, is_evidence=True),
    "rating-wrong": FindingKind("Run `migrato projections rebuild`."),
    "result-missing": FindingKind("Run `migrato projections rebuild`."),
    "result-wrong": FindingKind("Run `migrato projections rebuild`."),
    "bad-app": FindingKind(
        "Nobody knows its keys. Bring the record back from a backup, or create an app of another name."
    ),
    "app-index-wrong": FindingKind("--repair makes it anew from the records.", repairable=True),
    "player-without-key": FindingKind(
        "Nobody can read the name. Bring the key back from a backup, or delete the record."
    ),
    "key-without-player": FindingKind("Bring the record back from a backup, or delete the key."),
    "name-without-player": FindingKind(
        "Nobody of this name can be seated. Bring the player back from a backup, or delete the key."
    ),
    "file-damaged": FindingKind("Bring the file back from a copy of the archive.", is_evidence=True),
    "unknown-file": FindingKind("No release has written this: look where it comes from."),
    "half-moved": FindingKind("--repair ends the move, which died half-way.", repairable=True),
    "archive-differs": FindingKind(
        "Find out which of them is right (by a head that somebody kept); then remove the other.",
        is_evidence=True,
    ),
    "roll-wrong": FindingKind("Bring the roll back from a copy of the archive.", is_evidence=True),
    "game-dropped": FindingKind(
        "Somebody has removed its file without pruning it. Bring the file back from a copy of the archive.",
        is_evidence=True,
    ),
    "pruned-unknown": FindingKind("--repair notes it.", repairable=True),
    "pruned-orphan": FindingKind(
        "Bring the roll of that day back from a copy of the archive.", is_evidence=True
    ),
    "leftover": FindingKind("--repair removes it.", repairable=True),
    "two-files": FindingKind("--repair makes one file of them.", repairable=True),
}


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is not as it should be. `where` is a key of Redis or a file of the archive."""

    code: str
    game_id: str | None
    where: str
    detail: str
    repaired: bool = False

    @property
    def kind(self) -> FindingKind:
        """The remedy."""
        return KINDS[self.code]

    def done(self) -> "Finding":
        """The same finding, repaired."""
        return replace(self, repaired=True)
