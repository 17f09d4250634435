"""Games through the models of datamodel-code-generator, of Migo a whole one: play_datamodel.py URL APP_KEY.

The generated module is `migrato_models`, unedited; HTTP is plain `requests`. What names its game has a class for each.
"""

import sys
import time
from typing import assert_type

import requests
from migrato_models import (
    BotSeat,
    EventsPage,
    GamesPage,
    GameView,
    HumanSeat,
    LegalMoves,
    MigoCardTaken,
    MigoGameScored,
    MigoGameView,
    MigoNewlyCreated,
    MigoOptions,
    MigoResult,
    MigoTable,
    MigoTake,
    NewGame,
    NewlyCreated,
    Options,
    PlayedMove,
    Table,
)
from pydantic import BaseModel

PATIENCE = 120.0  # seconds


class Caller:
    """Holder of that token; requests are about games."""

    def __init__(self, url: str, token: str) -> None:
        self.url, self._games = url, f"{url}/v1/games"
        self._session = requests.Session()
        self._session.headers.update({"Authorization": f"Bearer {token}", "Content-Type": "application/json"})

    def get(self, path: str) -> bytes:
        answer = self._session.get(self._games + path, timeout=60)
        assert answer.status_code == 200, answer.text
        return answer.content

    def post(self, path: str, document: BaseModel) -> bytes:
        body = document.model_dump_json(by_alias=True, exclude_unset=True)
        answer = self._session.post(self._games + path, data=body, timeout=60)
        assert answer.status_code == 201, answer.text
        return answer.content


def begin_migrato(app: Caller) -> GameView:
    """A game of Migrato against a bot, after a move of the person's."""
    new_game = NewGame.model_validate(
        {
            "seats": [HumanSeat(kind="human", player="ada"), BotSeat(kind="bot", bot="greedy")],
            "options": Options(turn_limit=30, first_seat=0),
            "setup": None,  # the same as leaving it out
        }
    )
    created = NewlyCreated.model_validate_json(app.post("", new_game))
    assert created.seats[0].token is not None
    ada, path = Caller(app.url, created.seats[0].token), f"/{created.id}"
    moves = LegalMoves.model_validate_json(ada.get(f"{path}/legal-moves")).moves
    played = PlayedMove.model_validate_json(ada.post(f"{path}/moves", moves[0]))
    assert isinstance(played.game, GameView)
    return played.game


def create(app: Caller) -> MigoNewlyCreated:
    new_game = NewGame.model_validate(
        {
            "game": "migo",
            "seats": [HumanSeat(kind="human", player="ada"), HumanSeat(kind="human", player="bo")],
            "options": MigoOptions(first_seat="random"),
        }
    )
    return MigoNewlyCreated.model_validate_json(app.post("", new_game))


def choose(view: MigoGameView, moves: LegalMoves) -> MigoTake:
    """The first move that drinks a bottle, if there is one, or else the first one; of a card that lies free."""
    takes = [move.root for move in moves.moves if isinstance(move.root, MigoTake)]
    take = next((take for take in takes if take.drink), takes[0])
    assert view.state is not None
    assert_type(view.state, MigoTable)
    (card,) = [card for card in view.state.table if card.place == take.place]
    assert card.free
    return take


def play(callers: list[Caller], game: str) -> MigoGameView:
    """Each seat in its turn, until the result is confirmed; the game as it then is."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        view = MigoGameView.model_validate_json(callers[0].get(game))
        if view.result is not None and view.result.scored:
            return view
        if view.to_act is not None:
            caller = callers[view.to_act]
            moves = LegalMoves.model_validate_json(caller.get(f"{game}/legal-moves"))
            played = PlayedMove.model_validate_json(caller.post(f"{game}/moves", choose(view, moves)))
            assert isinstance(played.game, MigoGameView)
            assert played.game.version > view.version
        else:
            time.sleep(0.02)
    raise TimeoutError("The game has not ended.")


def check_listed(app: Caller, game: str) -> None:
    """In a listing of several games `game` tells which it is, and isinstance that there is such a result."""
    listed = [line.root for line in GamesPage.model_validate_json(app.get("?status=finished")).games]
    (line,) = [line for line in listed if line.id == game]
    assert line.game == "migo"
    assert isinstance(line.result, MigoResult)
    assert len(line.result.flags) == 2


def table_of(view: GameView | MigoGameView) -> Table | MigoTable | None:
    """The compiler knows which by `game`."""
    if view.game == "migo":
        assert_type(view.state, MigoTable | None)
        return view.state
    assert_type(view.state, Table | None)
    return view.state


def main(url: str, app_key: str) -> None:
    app = Caller(url, app_key)
    created = create(app)
    assert created.options.layout_size == "standard"
    callers = [Caller(url, seat.token) for seat in created.seats if seat.token is not None]
    view = play(callers, f"/{created.id}")
    assert isinstance(table_of(view), MigoTable)
    assert isinstance(table_of(begin_migrato(app)), Table)
    check_listed(app, created.id)
    page = EventsPage.model_validate_json(callers[0].get(f"/{created.id}/events?limit=1000"))
    events = [event.root for event in page.events]
    assert [event.version for event in events] == list(range(1, view.version + 1))
    last = events[-1]
    assert isinstance(last, MigoGameScored)
    assert view.result is not None
    assert last.data.places == view.result.places
    cards = [event.data.card for event in events if isinstance(event, MigoCardTaken)]
    print(f"{len(events)} events, cards {' '.join(cards)}, {view.result}")


if __name__ == "__main__":
    main(*sys.argv[1:])
