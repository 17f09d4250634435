"""Games through openapi-python-client, of Migo a whole one: play_openapi_python_client.py URL APP_KEY.

The generated package is `migrato_client`, unedited. What names its game has a class for each game.
"""

import sys
import time
from typing import TypeVar, assert_type

from migrato_client import AuthenticatedClient
from migrato_client.api.events import game_events
from migrato_client.api.games import create_game, list_games, view_game
from migrato_client.api.moves import legal_moves, play_move
from migrato_client.models import (
    BotSeat,
    EventsPage,
    GamesPage,
    GameView,
    HumanSeat,
    LegalMoves,
    MigoCardTaken,
    MigoGameLine,
    MigoGameScored,
    MigoGameView,
    MigoNewlyCreated,
    MigoOptions,
    MigoTable,
    MigoTake,
    NewGame,
    NewlyCreated,
    Options,
    PlayedMove,
    Table,
)

T = TypeVar("T")
PATIENCE = 120.0  # seconds


def expect(shape: type[T], answer: object) -> T:
    """The answer, which must be of that shape; a refusal is a Problem."""
    assert isinstance(answer, shape), answer
    return answer


def begin_migrato(app: AuthenticatedClient, url: str) -> GameView:
    """A game of Migrato against a bot, after a move of the person's."""
    new_game = NewGame(
        seats=[HumanSeat(kind="human", player="ada"), BotSeat(kind="bot", bot="greedy")],
        options=Options(turn_limit=30, first_seat=0),
        setup=None,  # the same as leaving it out
    )
    created = expect(NewlyCreated, create_game.sync(client=app, body=new_game))
    token = created.seats[0].token
    assert isinstance(token, str)
    with AuthenticatedClient(base_url=url, token=token) as ada:
        moves = expect(LegalMoves, legal_moves.sync(created.id, client=ada)).moves
        played = expect(PlayedMove, play_move.sync(created.id, client=ada, body=moves[0]))
    return expect(GameView, played.game)


def create(app: AuthenticatedClient) -> MigoNewlyCreated:
    new_game = NewGame(
        game="migo",
        seats=[HumanSeat(kind="human", player="ada"), HumanSeat(kind="human", player="bo")],
        options=MigoOptions(first_seat="random"),
    )
    return expect(MigoNewlyCreated, create_game.sync(client=app, body=new_game))


def choose(view: MigoGameView, moves: LegalMoves) -> MigoTake:
    """The first move that drinks a bottle, if there is one, or else the first one; of a card that lies free."""
    takes = [move for move in moves.moves if isinstance(move, MigoTake)]
    take = next((take for take in takes if take.drink is True), takes[0])
    assert view.state is not None
    assert_type(view.state, MigoTable)
    (card,) = [card for card in view.state.table if card.place == take.place]
    assert card.free
    return take


def play(clients: list[AuthenticatedClient], game_id: str) -> MigoGameView:
    """Each seat in its turn, until the result is confirmed; the game as it then is."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        view = expect(MigoGameView, view_game.sync(game_id, client=clients[0]))
        if view.result is not None and view.result.scored:
            return view
        if view.to_act is not None:
            client = clients[view.to_act]
            moves = expect(LegalMoves, legal_moves.sync(game_id, client=client))
            played = expect(PlayedMove, play_move.sync(game_id, client=client, body=choose(view, moves)))
            assert expect(MigoGameView, played.game).version > view.version
        else:
            time.sleep(0.02)
    raise TimeoutError("The game has not ended.")


def check_listed(app: AuthenticatedClient, game_id: str) -> None:
    """In a listing of several games each is of its game's class."""
    listed = expect(GamesPage, list_games.sync(client=app, status="finished")).games
    (line,) = [line for line in listed if line.id == game_id]
    assert isinstance(line, MigoGameLine)
    assert line.result is not None
    assert len(line.result.flags) == 2


def table_of(view: GameView | MigoGameView) -> Table | MigoTable | None:
    """The compiler knows which by `game`."""
    if view.game == "migo":
        assert_type(view.state, MigoTable | None)
        return view.state
    assert_type(view.state, Table | None)
    return view.state


def main(url: str, app_key: str) -> None:
    app = AuthenticatedClient(base_url=url, token=app_key)
    created = create(app)
    assert created.options.layout_size == "standard"
    tokens = [seat.token for seat in created.seats if isinstance(seat.token, str)]
    clients = [AuthenticatedClient(base_url=url, token=token) for token in tokens]
    view = play(clients, created.id)
    assert isinstance(table_of(view), MigoTable)
    assert isinstance(table_of(begin_migrato(app, url)), Table)
    check_listed(app, created.id)
    events = expect(EventsPage, game_events.sync(created.id, client=clients[0], limit=1000)).events
    for client in (app, *clients):
        client.get_httpx_client().close()
    assert [event.version for event in events] == list(range(1, view.version + 1))
    last = events[-1]
    assert isinstance(last, MigoGameScored)
    assert view.result is not None
    assert last.data.places == view.result.places
    cards = [event.data.card for event in events if isinstance(event, MigoCardTaken)]
    print(f"{len(events)} events, cards {' '.join(cards)}, {view.result}")


if __name__ == "__main__":
    main(*sys.argv[1:])
