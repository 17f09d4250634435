"""Rematches of games that are in the archive."""

from domain.lifecycle import Seat
from events.archive.reader import ArchiveReader
from events.games.new_game import NewGame
from events.use_cases.application import Application
from tests.archive.conftest import NewMover


def test_a_rematch_of_an_archived_game(
    application: Application, new_mover: NewMover, archive_reader: ArchiveReader
) -> None:
    """Begins, and keeps whose rematch it is in the archive, too; there is no second one."""
    created = application.creation.create(
        "club", NewGame("migo", seats=(Seat("human", "ada"), Seat("human", "bo")))
    )
    game_id, tokens = created.snapshot.game_id, created.tokens
    application.moves.play(game_id, 1, {"type": "resign"})
    application.bot_turns.score_game(game_id)
    assert new_mover().run().games == 1
    callers = {seat: application.callers.who_asks(token, game_id) for seat, token in tokens.items()}
    begun = [application.rematches.ask(game_id, callers[seat], tokens[seat]) for seat in (0, 1)][1]
    assert begun.game_id is not None
    application.moves.play(begun.game_id, 0, {"type": "resign"})
    application.bot_turns.score_game(begun.game_id)
    assert new_mover().run().games == 1
    assert archive_reader.find(begun.game_id, None) is not None
    archived = application.views.snapshot(begun.game_id)
    assert archived.secrets.rematch_of == game_id
    again = application.rematches.ask(game_id, callers[0], tokens[0])
    assert (again.game_id, again.seat, again.token is None) == (begun.game_id, 1, False)
