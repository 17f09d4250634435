"""An app's own bots over HTTP: registered, shared, rolled back, and seen by nobody else."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from click.testing import CliRunner
from flask.testing import FlaskClient

from events.application import Application
from events.engine.access import ANONYMOUS
from events.log.seeds import drawn_version
from events.runtime.settings import Settings
from service.cli import main
from service.cli.commands import bots as command
from service.cli.http_client import Refused
from tests.service.table import bearer, code_of, errors_of, json_of, new_game
from tests.service.thinking import Worker

URL = "https://bots.example.com:8443/hidden-path"
MINE = {"kind": "bot", "bot": "my-bot"}


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """Settings of an operator who allows that host, whether or not its name can be looked up here."""
    return replace(settings, remote_allow=("bots.example.com",))


def versions_of(client: FlaskClient) -> list[Any]:
    """The versions of the app's bots."""
    return [version for bot in json_of(client.get("/v1/bots"))["own"] for version in bot["versions"]]


def register(client: FlaskClient, **members: Any) -> dict[str, Any]:
    """A version of my-bot; the answer."""
    wanted = {"name": "my-bot", "url": f"{URL}/{len(versions_of(client))}", **members}
    answer = client.post("/v1/bots", json=wanted)
    assert answer.status_code == 201, answer.text
    return json_of(answer)


def versions(bot: dict[str, Any]) -> list[str]:
    """The numbers of its versions."""
    return [version["version"] for version in bot["versions"]]


def own(client: FlaskClient) -> list[dict[str, Any]]:
    """The app's own bots."""
    bots: list[dict[str, Any]] = json_of(client.get("/v1/bots"))["own"]
    return bots


def recorded(client: FlaskClient, game: dict[str, Any]) -> list[dict[str, Any]]:
    """The seats as the game's first event has them."""
    events = json_of(client.get(f"{game['links']['self']}/events"))["events"]
    seats: list[dict[str, Any]] = events[0]["data"]["seats"]
    return seats


def test_a_version_is_fixed_when_the_game_is_created(client: FlaskClient) -> None:
    """Promoting and rolling back is for new games; a name may say its version; a secret is shown once."""
    first = register(client, strength="beats greedy")
    assert (versions(first), first["current"], first["secret"][:6]) == (["1"], "1", "whsec_")
    assert register(client, url=f"{URL}/0", strength="beats greedy") == {
        name: value for name, value in first.items() if name != "secret"
    }, "a request that is sent again"
    assert "secret" not in (second := register(client, url=f"{URL}/2"))
    assert (versions(second), second["current"]) == (["1", "2"], "1")
    before = new_game(client, seats=[MINE, {"kind": "human"}], visibility="public")
    assert before["seats"][0] == {"seat": 0, "kind": "remote", "bot": "my-bot", "bot_version": "1"}
    promoted = json_of(client.patch("/v1/bots/my-bot", json={"current": 2}))
    assert (promoted["current"], promoted["former"]) == ("2", "1")
    assert promoted == json_of(client.patch("/v1/bots/my-bot", json={"current": 2})), "twice is once"
    after = new_game(client, seats=[MINE, {"kind": "bot", "bot": "my-bot@1"}])
    assert [seat["version"] for seat in recorded(client, after)] == ["2", "1"]
    assert recorded(client, before)[0]["version"] == "1"
    assert client.patch("/v1/bots/my-bot", json={"current": 1}).status_code == 200
    assert recorded(client, new_game(client, seats=[MINE, MINE]))[1]["version"] == "1"


def test_shares_are_drawn_by_the_games_seed(client: FlaskClient, application: Application) -> None:
    """Each game draws by its own seed, and its first event says among which."""
    register(client)
    register(client, share=40)
    drawn = set()
    for _ in range(24):
        game = new_game(client, seats=[MINE, MINE])
        seats = recorded(client, game)
        assert seats[0]["shares"] == [[1, 60], [2, 40]]
        seed = application.views.snapshot(game["id"]).secrets.seed
        right = str(drawn_version(seed, game["id"], "my-bot", ((1, 60), (2, 40))))
        assert [seat["version"] for seat in seats] == [right, right]
        drawn.add(right)
    assert drawn == {"1", "2"}
    client.patch("/v1/bots/my-bot", json={"shares": {}})
    assert "shares" not in recorded(client, new_game(client, seats=[MINE, MINE]))[0]


def test_refusals_name_the_member(client: FlaskClient) -> None:
    """Refused requests register or change nothing."""
    faults: tuple[tuple[dict[str, str], str], ...] = (
        ({"name": "level-5", "url": URL}, "name"),
        ({"name": "My Bot", "url": URL}, "name"),
        ({"name": "my-bot", "url": "https://127.0.0.1/"}, "url"),
        ({"name": "my-bot", "url": URL, "secret": "whsec_short"}, "secret"),
    )
    for wanted, member in faults:
        assert list(errors_of(client.post("/v1/bots", json=wanted))) == [member]
    assert own(client) == []
    before = register(client, secret="whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    assert "secret" not in before
    again = {"name": "my-bot", "url": URL, "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}
    assert list(errors_of(client.post("/v1/bots", json=again))) == ["secret"]
    register(client)
    register(client)
    kept = own(client)
    for change, member in (
        ({"current": 4}, "current"),
        ({"shares": {"1": 10}}, "shares"),
        ({"shares": {"2": 60, "3": 60}}, "shares"),
        ({"shares": {"9": 1}}, "shares"),
        ({"retired": [1]}, "retired"),
        ({"current": 2, "retired": [2]}, "current"),
    ):
        assert list(errors_of(client.patch("/v1/bots/my-bot", json=change))) == [member], change
    assert own(client) == kept
    client.patch("/v1/bots/my-bot", json={"retired": [3]})
    for seat in ("my-bot@3", "my-bot@7", "your-bot", "level-5@1-00000000"):
        answer = client.post("/v1/games", json={"seats": [{"kind": "bot", "bot": seat}, {"kind": "human"}]})
        assert code_of(answer) == (422, "unknown-bot"), seat
    for bot in ("greedy", "my-bot"):
        searching: Any = {"kind": "bot", "bot": bot, "budget": {"iterations": 5}}
        assert list(errors_of(client.post("/v1/games", json={"seats": [searching, {"kind": "human"}]}))) == [
            "seats.0.budget"
        ]


def test_other_apps_see_nothing(client: FlaskClient, application: Application) -> None:
    """A stranger does not either, once there are apps; the same name is another app's own affair."""
    keys = [f"Bearer {application.apps.create(app).text}" for app in ("club", "pub")]
    club, pub = ({"Authorization": key} for key in keys)
    wanted = {"name": "my-bot", "url": URL}
    assert client.post("/v1/bots", json=wanted, headers=club).status_code == 201
    assert [len(json_of(client.get("/v1/bots", headers=one))["own"]) for one in (club, pub, {})] == [1, 0, 0]
    bodies: tuple[tuple[str, str, Any], ...] = (
        ("PATCH", "", {"retired": []}),
        ("POST", "/secret", {"overlap": 0}),
        ("POST", "/try", None),
    )
    for method, path, body in bodies:
        answer = client.open(f"/v1/bots/my-bot{path}", method=method, headers=pub, json=body)
        assert code_of(answer) == (404, "not-found")
    game = {"seats": [MINE, {"kind": "human"}]}
    assert code_of(client.post("/v1/games", json=game, headers=pub)) == (422, "unknown-bot")
    created = json_of(client.post("/v1/games", json=game | {"visibility": "public"}, headers=club))
    path, seat = created["links"]["self"], bearer(created["seats"][1]["token"])
    shown = [
        client.get(f"{path}{part}", headers=one).text for part in ("", "/events") for one in (club, seat, {})
    ]
    assert all("my-bot" in text and "hidden-path" not in text and "whsec_" not in text for text in shown)


def test_many_bots_are_listed_by_one_look_at_their_counts(
    client: FlaskClient, application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There may be thousands of counts, and of versions: no bot looks through them all by itself."""
    for name in ("my-bot", "other-bot", "third-bot"):
        register(client, name=name)
    application.bots.note(ANONYMOUS, "other-bot@1", "answered", 0.1)
    looks, counts = list[str](), application.bots.store.counts

    def looking(app: str, days: Sequence[int]) -> dict[str, int]:
        looks.append(app)
        return counts(app, days)

    monkeypatch.setattr(application.bots.store, "counts", looking)
    assert [bot["versions"][0]["health"]["answered"] for bot in own(client)] == [0, 1, 0]
    assert looks == [ANONYMOUS]


def test_a_removed_name_never_means_another_bot(client: FlaskClient) -> None:
    """Numbers go on, so that neither a running game nor a rating takes one version for another."""
    old = register(client)["secret"]
    assert client.patch("/v1/bots/my-bot", json={"removed": [1]}).status_code == 200
    assert own(client) == []
    again = register(client)
    assert (versions(again), again["secret"] != old) == (["2"], True)
    assert client.patch("/v1/bots/my-bot", json={"removed": [2, 2]}).status_code == 200
    assert code_of(client.patch("/v1/bots/my-bot", json={"removed": [2]})) == (404, "not-found")


def test_the_command_does_it_all(
    client: FlaskClient, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Registers, tries, shares, promotes, rolls back, retires, removes, and says in a sentence what is refused."""

    class Engine:
        """The service, as the command's HTTP client has it."""

        def __init__(self, url: str, token: str | None) -> None:
            del url, token

        def get(self, path: str) -> Any:
            return json_of(client.get(path))

        def post(self, path: str, document: Any) -> Any:
            return self._told(client.post(path, json=document))

        def patch(self, path: str, document: Any) -> Any:
            return self._told(client.patch(path, json=document))

        def _told(self, answer: Any) -> Any:
            if answer.status_code >= 400:
                raise Refused(answer.json)
            return answer.json

    monkeypatch.setattr(command, "Client", Engine)

    def run(*arguments: str, code: int = 0) -> str:
        done = CliRunner().invoke(
            main, ["bots", *arguments]
        )  # click keeps what it learns of a command entered alone
        assert done.exit_code == code, done.output
        return done.output

    assert run("list") == "There are no bots.\n"
    assert "whsec_" in run("register", "my-bot", f"{URL}/1", "--strength", "good")
    assert "my-bot@2  10 %" in run("register", "my-bot", f"{URL}/2", "--share", "10")
    assert "my-bot@2  25 %" in run("share", "my-bot", "2", "25")
    assert run("try", "my-bot@2").startswith("my-bot@2  12 ms  {")
    assert json.loads(run("try", "my-bot", "--game", "migo", "--json"))["version"] == "1"
    assert "game: Must be one of" in run("try", "my-bot", "--game", "chess", code=2)
    worker.trial = {"milliseconds": None, "move": None, "fallback": "unreachable", "wrong": ["It is gone."]}
    assert run("try", "my-bot", code=1) == "my-bot@1  unreachable\nIt is gone.\n"
    assert "my-bot@2  100 %" in run("promote", "my-bot", "2")
    assert "my-bot@1  100 %" in run("rollback", "my-bot")
    assert "my-bot@2  retired" in run("retire", "my-bot", "2")
    assert json.loads(run("remove", "my-bot", "2", "--yes", "--json"))["current"] == "1"
    assert "has no version 7" in run("promote", "my-bot", "7", code=2)
    assert "The app has no bot your-bot" in run("rollback", "your-bot", code=2)
