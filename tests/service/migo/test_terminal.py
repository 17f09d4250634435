"""`migrato play --game migo`: a person at the terminal against bots, here against a service in this process."""

import pytest
from click.testing import CliRunner
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from events.application import Application
from service.cli import main
from service.cli.commands import play as command
from service.cli.http_client import Refused
from tests.service.table import Json, bearer, json_of


class Service:
    """Stands for the service that the terminal asks; bots have moved whenever it looks."""

    url = "http://127.0.0.1:8000"

    def __init__(self, client: FlaskClient, application: Application, token: str | None) -> None:
        self.client, self.application = client, application
        self.headers = bearer(token)

    def get(self, path: str) -> Json:
        """A document, once the bots have moved."""
        game_id = path.split("/")[3].partition("?")[0]
        while True:
            view = json_of(self.client.get(f"/v1/games/{game_id}", headers=self.headers))
            if view["to_act"] is None or view["seats"][view["to_act"]]["kind"] != "bot":
                break
            self.application.bot_turns.bot_move(game_id, view["version"])
        return self._document(self.client.get(path.replace("wait=20&", ""), headers=self.headers))

    def post(self, path: str, document: Json) -> Json:
        """An answer."""
        return self._document(self.client.post(path, json=document, headers=self.headers))

    def _document(self, answer: TestResponse) -> Json:
        document = json_of(answer)
        if answer.status_code >= 400:
            raise Refused(document)
        return document


@pytest.fixture
def asked(client: FlaskClient, application: Application, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The command, which asks that service."""
    monkeypatch.setattr(command, "Client", lambda _, token: Service(client, application, token))
    return ["play", "--game", "migo", "--url", Service.url]


def test_the_first_move_leads_through_a_game(asked: list[str]) -> None:
    """Told event by event, with the table drawn before each move."""
    more = ["--bot", "random,random", "--layout-size", "large"]
    done = CliRunner().invoke(main, asked + more, input="1\n" * 999)
    assert done.exit_code == 0, done.output
    lines = done.output.rstrip().splitlines()
    assert any("the game starts with you" in line for line in lines)
    assert any("round 2 (pyramid)" in line for line in lines)
    assert lines[-1].startswith(("You win", "You lose", "A draw", "You have place", "You share place"))
    assert lines[-1].endswith(("(two flags).", "(round four)."))
    assert ", flags " in lines[-1]
    assert ", scores " in lines[-1]


def test_a_wrong_number_of_bots(asked: list[str]) -> None:
    """The refusal says how many the game has."""
    done = CliRunner().invoke(main, [*asked, "--bot", "random,random,random,random"])
    assert done.exit_code == 1
    assert "seats: The game migo has 2, 3 or 4 seats, not 5." in done.output
