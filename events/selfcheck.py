"""The server's own check of a game."""

from collections.abc import Sequence

from domain.chance import commitment_of
from domain.lifecycle import Json
from events import chain
from events.envelope import EMPTY, Stored
from events.state_cache import Snapshot


def audit(snapshot: Snapshot, events: Sequence[Stored]) -> Json:
    """What was checked of the game's events up to the snapshot, and what was found wrong, event by event."""
    failures: list[Json] = []

    def expect(version: int, check: str, expected: object, found: object) -> None:
        if expected != found:
            failures.append(
                {"version": version, "check": check, "expected": str(expected), "found": str(found)}
            )

    seed, head = snapshot.secrets.seed, bytes.fromhex(EMPTY.head)
    for version, event in enumerate(events, 1):
        expect(version, "order", version, event.version)
        salt = chain.salt(seed, snapshot.game_id, version)
        commitment = chain.commit(salt, event.committed)
        head = chain.link(head, commitment)
        expect(version, "commitment", commitment.hex(), event.commitment)
        expect(version, "chain", head.hex(), event.head)
    expect(snapshot.version, "length", snapshot.version, len(events))
    expect(1, "seed", commitment_of(seed), snapshot.standing.commitment)
    return {
        "game_id": snapshot.game_id,
        "version": snapshot.version,
        "complete": snapshot.is_settled,
        "ok": not failures,
        "checks": ["order", "commitment", "chain", "length", "seed"],
        "failures": failures[:100],
    }
