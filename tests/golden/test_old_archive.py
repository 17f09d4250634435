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


@pytest.mark.parametrize(("archive", "path"), FILES, ids=[path.stem[:12] for _, path in FILES])
def test_its_games_are_written_again_to_the_last_byte(archive: Path, path: Path) -> None:
    """They are folded and exported by the code of today; how they are compressed is the library's."""
    for game in file_format.checked(name_in(archive, path), path.read_bytes()).values():
        again = record_of(game.raw, GAMES, unsigned)
        assert (again.export, again.private) == (game.export, game.private)


@pytest.mark.parametrize(("archive", "path"), FILES, ids=[path.stem[:12] for _, path in FILES])
def test_its_games_pass_the_audit(archive: Path, path: Path) -> None:
    """With bots asked again; the fork is compared with its origin, which is another of these games."""
    origins = {
        game_id: game.export
        for of, other in FILES
        for game_id, game in file_format.checked(name_in(of, other), other.read_bytes()).items()
    }
    for game in file_format.checked(name_in(archive, path), path.read_bytes()).values():
        read = exported(game.export)
        forked_from = next(
            (origin for origin in origins if f'"game_id":"{origin}"' in str(read.events[0])), None
        )
        origin = verified_origin(exported(origins[forked_from])) if forked_from else None
        report = verify(read, bots=True, origin=origin)  # type: ignore[arg-type]
        assert (report.verdict, report.wrong) == (PASSED, None)
