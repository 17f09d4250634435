"""An archive as it was recorded: its games are read, verified, and written again to the last byte."""

import io
from pathlib import Path

import pytest

from domain.registry import GAMES
from events.archive import file_format
from events.archive.mover import unsigned
from events.archive.record import ArchivedGame, record_of
from events.audit.findings import PASSED
from events.audit.verify import verified_origin, verify
from events.log.export import Exported, games_in

ARCHIVE = Path(__file__).parent / "archive"


def kept() -> dict[str, ArchivedGame]:
    """The games of the archive by id."""
    return {
        game_id: game
        for path in sorted(ARCHIVE.rglob("*.gz"))
        for game_id, game in file_format.checked(
            path.relative_to(ARCHIVE).as_posix(), path.read_bytes()
        ).items()
    }


def exported(export: bytes) -> Exported:
    """The one game in an export."""
    (game,) = games_in(io.BytesIO(export))
    return game


def test_games_are_written_again_to_the_last_byte_and_pass_the_audit(subtests: pytest.Subtests) -> None:
    """They are folded and exported by the code of today; how they are compressed is the library's.

    Bots are asked again; the fork is compared with its origin, which is another of these games.
    """
    games = kept()
    assert len(games) == 5
    for game_id, game in games.items():
        with subtests.test(game_id):
            again = record_of(game.raw, GAMES, unsigned)
            assert (again.export, again.private) == (game.export, game.private)
            read = exported(game.export)
            forked_from = next(
                (origin for origin in games if f'"game_id":"{origin}"' in str(read.events[0])), None
            )
            origin = verified_origin(exported(games[forked_from].export)) if forked_from else None
            report = verify(read, bots=True, origin=origin)  # type: ignore[arg-type]
            assert (report.verdict, report.wrong) == (PASSED, None)
