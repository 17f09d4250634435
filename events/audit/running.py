"""What the export of a game that is not over shows: one viewer's view of it, and nothing else."""

from domain.game import Game
from domain.lifecycle import Json
from events.audit.findings import CheckFailed
from events.audit.redacted import check_redacted, check_viewer


def check_shown(game: Game, header: Json, document: Json, seats: int) -> None:
    """CheckFailed "header" or "redacted" unless the event is what the header's viewer is shown while the game runs."""
    kind, viewer, version = document["type"], header["viewer"], document["version"]
    if kind in ("game_ended", "game_scored"):
        raise CheckFailed("header", version, "The game is over, so all of it must be here.", True, False)
    if version > 1 and kind == "game_created":
        raise CheckFailed("header", version, "A game is created once.", None, kind)
    if kind == "game_started":
        check_viewer(game, document, viewer, seats)
    check_redacted(game, document, viewer, seats)
