"""Rematches of games that are in the archive."""

from domain.lifecycle import Seat
from events.engine.new_game import NewGame
from tests.archive.conftest import Place


def test_a_rematch_of_an_archived_game(place: Place) -> None:
    """A rematch of an archived game begins once, and still names its former game when it is itself archived."""
    created = place.application.creation.create(
        "club", NewGame("migo", seats=(Seat("human", "ada"), Seat("human", "bo")))
    )
    game_id, tokens = created.snapshot.game_id, created.tokens
    place.application.moves.play(game_id, 1, {"type": "resign"})
    place.application.bot_turns.score_game(game_id)
    assert place.move().games == 1
    callers = {seat: place.application.callers.who_asks(token, game_id) for seat, token in tokens.items()}
    begun = [place.application.rematches.ask(game_id, callers[seat], tokens[seat]) for seat in (0, 1)][1]
    assert begun.game_id is not None
    place.application.moves.play(begun.game_id, 0, {"type": "resign"})
    place.application.bot_turns.score_game(begun.game_id)
    assert place.move().games == 1
    assert place.reader.find(begun.game_id, None) is not None
    archived = place.application.views.snapshot(begun.game_id)
    assert archived.secrets.rematch_of == game_id
    again = place.application.rematches.ask(game_id, callers[0], tokens[0])
    assert (again.game_id, again.seat, again.token is None) == (begun.game_id, 1, False)
