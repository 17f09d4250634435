"""Archive files of former releases: their games are read, verified, and written again to the last byte."""

import io
from pathlib import Path

import pytest

from domain.registry import GAMES
from events.archive import file_format
from events.archive.mover import unsigned
from events.archive.record import record_of
from events.audit.findings import PASSED
from events.audit.verify import verified_origin, verify
from events.log.export import Exported, games_in

HERE = Path(__file__).parent
ARCHIVES = sorted(HERE.glob("archive-*"))
FILES = [(archive, path) for archive in ARCHIVES for path in sorted(archive.rglob("*.gz"))]


def name_in(archive: Path, path: Path) -> str:
    """The file's name in its archive."""
    return path.relative_to(archive).as_posix()


def exported(export: bytes) -> Exported:
    """The one game in an export."""
    (game,) = games_in(io.BytesIO(export))
    return game


def test_there_are_files_of_a_former_release() -> None:
    """Five games: both rule books, a set-up deck, a person who resigned, a fork."""
    assert len(FILES) == 5


def test_its_games_are_written_again_to_the_last_byte_and_pass_the_audit(subtests: pytest.Subtests) -> None:
    """They are folded and exported by the code of today; how they are compressed is the library's.

    Bots are asked again; the fork is compared with its origin, which is another of these games.
    """
    games = {
        game_id: game
        for archive, path in FILES
        for game_id, game in file_format.checked(name_in(archive, path), path.read_bytes()).items()
    }
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
