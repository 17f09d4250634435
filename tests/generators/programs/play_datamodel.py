"""A whole game through the models that datamodel-code-generator generates: play_datamodel.py URL APP_KEY.

The generated module is `migrato_models`, unedited; HTTP is plain `requests`.
"""

import sys
import time

import requests
from migrato_models import (
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
from pydantic import BaseModel

PATIENCE = 120.0  # seconds


class Caller:
    """Holder of that token; requests are about games."""

    def __init__(self, url: str, token: str) -> None:
        self._games = f"{url}/v1/games"
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


def create(app: Caller) -> NewlyCreated:
    new_game = NewGame.model_validate(
        {
            "seats": [HumanSeat(kind="human", player="ada"), BotSeat(kind="bot", bot="greedy")],
            "options": Options(turn_limit=30, first_seat="random"),
            "setup": None,  # the same as leaving it out
        }
    )
    return NewlyCreated.model_validate_json(app.post("", new_game))


def play(caller: Caller, game: str) -> GameView:
    """The first legal move each time, until the result is confirmed; the game as it then is."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        view = GameView.model_validate_json(caller.get(game))
        if view.result is not None and view.result.scored:
            return view
        if view.status != "finished" and view.to_act == view.viewer:
            moves = LegalMoves.model_validate_json(caller.get(f"{game}/legal-moves")).moves
            played = PlayedMove.model_validate_json(caller.post(f"{game}/moves", moves[0]))
            assert played.version > view.version
        else:
            time.sleep(0.02)
    raise TimeoutError("The game has not ended.")


def main(url: str, app_key: str) -> None:
    created = create(Caller(url, app_key))
    token = created.seats[0].token
    assert token is not None
    ada = Caller(url, token)
    view = play(ada, f"/{created.id}")
    page = EventsPage.model_validate_json(ada.get(f"/{created.id}/events?limit=1000"))
    events = [event.root for event in page.events]
    assert [event.version for event in events] == list(range(1, view.version + 1))
    last = events[-1]
    assert isinstance(last, GameScored)
    assert view.result is not None
    assert last.data.scores == view.result.scores
    birds = [event.data.card for event in events if isinstance(event, BirdPlayed)]
    print(f"{len(events)} events, birds {birds}, {view.result}")


if __name__ == "__main__":
    main(*sys.argv[1:])
