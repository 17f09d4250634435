"""A whole game through the client that openapi-python-client generates: play_openapi_python_client.py URL APP_KEY.

The generated package is `migrato_client`, unedited.
"""

import sys
import time
from typing import TypeVar

from migrato_client import AuthenticatedClient
from migrato_client.api.events import game_events
from migrato_client.api.games import create_game, view_game
from migrato_client.api.moves import legal_moves, play_move
from migrato_client.models import (
    BirdPlayed,
    BotSeat,
    EventsPage,
    GameScored,
    GameView,
    HumanSeat,
    LegalMoves,
    NewGame,
    NewlyCreated,
    Options,
    PlayedMove,
)

T = TypeVar("T")
PATIENCE = 120.0  # seconds


def expect(shape: type[T], answer: object) -> T:
    """The answer, which must be of that shape; a refusal is a Problem."""
    assert isinstance(answer, shape), answer
    return answer


def create(url: str, app_key: str) -> NewlyCreated:
    new_game = NewGame(
        seats=[HumanSeat(kind="human", player="ada"), BotSeat(kind="bot", bot="greedy")],
        options=Options(turn_limit=30, first_seat="random"),
        setup=None,  # the same as leaving it out
    )
    with AuthenticatedClient(base_url=url, token=app_key) as app:
        return expect(NewlyCreated, create_game.sync(client=app, body=new_game))


def play(client: AuthenticatedClient, game_id: str) -> GameView:
    """The first legal move each time, until the result is confirmed; the game as it then is."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        view = expect(GameView, view_game.sync(game_id, client=client))
        if view.result is not None and view.result.scored:
            return view
        if view.status != "finished" and view.to_act == view.viewer:
            moves = expect(LegalMoves, legal_moves.sync(game_id, client=client)).moves
            played = expect(PlayedMove, play_move.sync(game_id, client=client, body=moves[0]))
            assert played.version > view.version
        else:
            time.sleep(0.02)
    raise TimeoutError("The game has not ended.")


def main(url: str, app_key: str) -> None:
    created = create(url, app_key)
    token = created.seats[0].token
    assert isinstance(token, str)
    with AuthenticatedClient(base_url=url, token=token) as ada:
        view = play(ada, created.id)
        events = expect(EventsPage, game_events.sync(created.id, client=ada, limit=1000)).events
    assert [event.version for event in events] == list(range(1, view.version + 1))
    last = events[-1]
    assert isinstance(last, GameScored)
    assert view.result is not None
    assert last.data.scores == view.result.scores
    birds = [event.data.card for event in events if isinstance(event, BirdPlayed)]
    print(f"{len(events)} events, birds {birds}, {view.result}")


if __name__ == "__main__":
    main(*sys.argv[1:])
