"""Rematches over HTTP: who may ask, who gets which token, and that there is one."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any
from unittest.mock import Mock

import pytest
from flask.testing import FlaskClient

from events.application import Application
from events.errors import TooManyGames
from events.features.games.create import Creation
from events.features.rematches.rematches import Rematches
from events.runtime.settings import Settings
from events.store import keys
from events.store.link import link_to
from tests.events.dump import holding
from tests.service.table import OURS, PEOPLE, THEIRS, Json, bearer, code_of, json_of, new_game, people

BOT = {"kind": "bot", "bot": "greedy"}


class Played:
    """A game of Migo that all but its last seat have resigned, and what its seats may ask for then."""

    def __init__(
        self,
        client: FlaskClient,
        seats: list[Json] | None = None,
        *,
        over: bool = True,
        by: dict[str, str] | None = None,
        **wanted: Any,
    ) -> None:
        self.client = client
        self.game = new_game(client, by, **{"game": "migo", "seats": seats or PEOPLE} | wanted)
        self.path = f"{self.game['links']['self']}/rematch"
        for seat in range(len(self.game["seats"]) - 1) if over else ():
            moves = self.game["links"]["moves"]
            self.client.post(moves, json={"type": "resign"}, headers=self.held(seat))

    def held(self, seat: int) -> dict[str, str]:
        return bearer(self.game["seats"][seat].get("token"))

    def ask(self, seat: int, method: str = "POST") -> Json:
        answer = self.client.open(self.path, method=method, headers=self.held(seat))
        assert answer.status_code == 200, answer.text
        return json_of(answer)

    def seen(self, game: Json) -> Json:
        """The rematch, as a seat that was told its token sees it."""
        return json_of(self.client.get(game["links"]["self"], headers=bearer(game["token"])))

    def names(self, game: Json) -> list[str]:
        """Those who play the rematch, by seat."""
        return [seat["player"] for seat in self.seen(game)["seats"]]


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """Settings of an operator who allows a bot of others, whether or not its name can be looked up here."""
    return replace(settings, remote_allow=("bots.example.com",))


@pytest.fixture
def played(client: FlaskClient) -> Played:
    """A private game of two that is over."""
    return Played(client, options={"layout_size": "large", "turn_limit": 90})


def test_both_agree(played: Played) -> None:
    """The second one begins it; each gets a token from its own request, for the seat beside; options stay."""
    first = played.ask(0)
    assert first == {"rematch_of": played.game["id"], "agreed": [0], "missing": [1], "match": None}
    assert played.ask(0) == first
    second = played.ask(1)
    game = second["match"]
    assert (second["agreed"], second["missing"], game["seat"]) == ([0, 1], [], 0)
    mine, theirs = played.ask(0)["match"], played.ask(1)["match"]
    assert mine["id"] == theirs["id"] == game["id"]
    assert (mine["seat"], theirs["seat"]) == (1, 0)
    assert played.ask(0, "GET")["match"] == mine
    assert game["token"] == theirs["token"] != mine["token"]
    view, other = played.seen(theirs), played.seen(mine)
    assert [view["viewer"], other["viewer"]] == [0, 1]
    old = json_of(played.client.get(played.game["links"]["self"], headers=played.held(0)))
    assert played.names(theirs) == ["bob", "ada"]
    ids = [[seat["player_id"] for seat in one["seats"]] for one in (view, old)]
    assert ids[0] == ids[1][::-1]
    assert (view["rematch_of"], view["status"]) == (played.game["id"], "playing")
    for name in ("options", "visibility", "rated", "game"):
        assert view[name] == old[name]
    assert "rematch_of" not in old
    moves, again = (f"/v1/games/{game['id']}/{what}" for what in ("moves", "rematch"))
    token = bearer(theirs["token"])
    assert played.client.post(moves, json={"type": "resign"}, headers=token).status_code == 201
    answers = [json_of(played.client.post(again, headers=bearer(one["token"]))) for one in (theirs, mine)]
    third = answers[-1]["match"]
    assert third["id"] not in (played.game["id"], game["id"])
    assert played.names(third) == ["ada", "bob"]


def test_three(client: FlaskClient) -> None:
    """All of them are asked, and each sits one seat further."""
    played = Played(client, people(3))
    assert [played.ask(seat)["missing"] for seat in (2, 0)] == [[0, 1], [1]]
    assert played.names(played.ask(1)["match"]) == ["cy", "ada", "bob"]


def test_bots_agree_by_themselves(client: FlaskClient, application: Application) -> None:
    """One request is enough; a remote bot is asked at the same place, with the same secret, for the seat beside."""
    options = {"rules": "opla", "memory_aid": True, "turn_limit": 40}
    played = Played(client, [PEOPLE[0], BOT], game="migrato", options=options)
    game = played.ask(0)["match"]
    view = played.seen(game)
    assert [seat["kind"] for seat in view["seats"]] == ["bot", "human"]
    assert (game["seat"], view["options"]) == (1, played.game["options"])
    played = Played(client, [PEOPLE[0], {"kind": "remote", "url": "https://bots.example.com/migo"}])
    game = played.ask(0)["match"]
    former, rematch = (
        application.views.snapshot(game_id).secrets.remotes for game_id in (played.game["id"], game["id"])
    )
    assert rematch == {0: former[1]}
    assert game["seat"] == 1


def test_consent_can_be_withdrawn(played: Played) -> None:
    """A seat can withdraw its consent until the game begins."""
    played.ask(0)
    assert played.client.delete(played.path, headers=played.held(0)).status_code == 204
    assert played.ask(1)["missing"] == [0]
    assert played.ask(0)["match"] is not None
    assert code_of(played.client.delete(played.path, headers=played.held(0))) == (409, "conflict")


@pytest.mark.parametrize(
    ("clock", "lasts"),
    [
        (None, 604_800),
        ({"kind": "correspondence", "days": 3}, 604_800),
        ({"kind": "bank", "seconds": 60}, 300),
        ({"kind": "per-move", "seconds": 600}, 300),
    ],
)
def test_a_request_ends(client: FlaskClient, redis_url: str, clock: Json | None, lasts: int) -> None:
    """Of a game with a fast clock soon, so that nobody begins against somebody who has gone. A repeat lasts anew."""
    played = Played(client, people(3), clock=clock)
    link, key = link_to(redis_url, 5.0), keys.rematch(played.game["id"])

    def now() -> int:
        return int(link.call("TIME")[0])

    def agrees(seat: int) -> list[int]:
        """Those who agree then; its own request lasts as long as it should, and so does the record, a day longer."""
        before, agreed = now(), played.ask(seat)["agreed"]
        assert before <= int(link.call("HGET", key, seat).split()[1]) - lasts <= now()
        assert (
            before - 1 <= int(link.call("PEXPIRETIME", key)) // 1000 - lasts - 86_400 <= now()
        )  # by two clocks of it
        return list(agreed)

    def set_end(seat: int, *at: int) -> None:
        token, *_ = link.call("HGET", key, seat).split()
        link.call("HSET", key, seat, b" ".join([token, *(b"%d" % one for one in at)]))

    assert agrees(0) == [0]
    token = link.call("HGET", key, 0).split()[0]
    soon = now() + 150
    set_end(0, soon)
    assert agrees(1) == [0, 1]
    assert int(link.call("HGET", key, 0).split()[1]) == soon
    assert agrees(0) == [0, 1]
    assert link.call("HGET", key, 0).split()[0] == token
    for at, agreed in (([now()], [1]), ([now() + lasts + 7_200], [1]), ([], [0, 1])):
        set_end(0, *at)  # over, by a clock that was two hours ahead, and as a former release wrote it
        assert played.ask(1, "GET")["agreed"] == agreed
    link.call("HDEL", key, 0)
    assert played.ask(2) == {"rematch_of": played.game["id"], "agreed": [1, 2], "missing": [0], "match": None}
    link.close()


def test_withdrawn_while_the_last_one_agrees(
    played: Played, application: Application, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Either it is withdrawn, or the game begins: once everybody has agreed, whoever comes next creates the game."""
    played.ask(0)
    with monkeypatch.context() as refusing:
        refusing.setattr(Creation, "begin_once", Mock(side_effect=TooManyGames(1)))
        assert code_of(played.client.post(played.path, headers=played.held(1))) == (429, "rate-limited")
        assert played.client.delete(played.path, headers=played.held(0)).status_code == 204
        assert played.ask(0, "GET")["agreed"] == [1]
        application.rematches._consents.begin(played.game["id"], 2, 300)  # and its creator has died
        assert played.client.delete(played.path, headers=played.held(1)).status_code == 204
        played.ask(1)
    played.ask(0)
    begun = application.rematches._consents.begin(played.game["id"], 2, 300)
    assert (begun.begun, list(begun.hashes)) == (True, [0, 1])
    for seat in (0, 1):
        assert code_of(played.client.delete(played.path, headers=played.held(seat))) == (409, "conflict")
    assert played.ask(0, "GET")["match"]["token"] is not None


def test_all_at_once(played: Played, application: Application) -> None:
    """Both ask ten times at the same moment: there is one game, and each has its token."""
    seats = played.game["seats"]
    callers = [application.callers.who_asks(seat["token"], played.game["id"]) for seat in seats]
    asked = [(callers[number % 2], seats[number % 2]["token"]) for number in range(20)]
    with ThreadPoolExecutor(8) as pool:
        told = list(pool.map(lambda one: application.rematches.ask(played.game["id"], *one), asked))
    assert len({status.game_id for status in told} - {None}) == 1
    for status, (caller, token) in zip(told, asked, strict=True):
        last = application.rematches.ask(played.game["id"], caller, token)
        assert last.token is not None
        assert status.token in (None, last.token)
    assert len(application.listing.page("anonymous").games) == 2


def test_a_death_before_the_game_begins(played: Played, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next one who asks begins it."""
    played.ask(0)
    with monkeypatch.context() as dying:
        dying.setattr(Creation, "begin_once", lambda *_: 1 / 0)
        assert played.client.post(played.path, headers=played.held(1)).status_code == 500
    assert played.ask(1, "GET")["missing"] == []
    assert played.ask(0)["match"]["seat"] == 1
    assert played.ask(1)["match"]["seat"] == 0


def test_the_app_decides(guarded: FlaskClient) -> None:
    """At once, and gets no token; each seat gets its own by asking, once and the same again."""
    played = Played(guarded, by=OURS)
    told = json_of(guarded.post(played.path, headers=OURS))
    assert told["missing"] == []
    assert (told["match"]["seat"], told["match"]["token"]) == (None, None)
    assert json_of(guarded.post(played.path, headers=OURS)) == told
    assert played.ask(0, "GET")["match"]["token"] is None
    games = [played.ask(seat)["match"] for seat in (0, 1)]
    assert [game["id"] for game in games] == [told["match"]["id"]] * 2
    assert [played.ask(seat)["match"] for seat in (0, 1)] == games
    assert [played.seen(game)["viewer"] for game in games] == [1, 0]
    played = Played(guarded, by=OURS)
    played.ask(1)
    game = json_of(guarded.post(played.path, headers=OURS))["match"]
    assert played.seen(played.ask(1, "GET")["match"])["viewer"] == 0
    answer = guarded.post(f"{game['links']['self']}/seats/1/token", headers=OURS)
    assert answer.status_code == 201
    assert played.ask(0)["match"]["token"] is None


def test_without_app_keys_everybody_is_the_app(played: Played) -> None:
    """All who know the id of a game may decide about it, as about its end."""
    game = json_of(played.client.post(played.path))["match"]
    assert game["token"] is None
    assert played.ask(0)["match"]["id"] == game["id"]


def test_strangers(guarded: FlaskClient) -> None:
    """Those who may only watch see, and may not ask; test_tenants.py has those who may not watch."""
    public = Played(guarded, by=OURS, visibility="public")
    for headers in ({}, THEIRS):
        assert code_of(guarded.post(public.path, headers=headers)) == (403, "forbidden")
        assert json_of(guarded.get(public.path, headers=headers))["agreed"] == []
    assert code_of(guarded.post(public.path, headers=Played(guarded, by=OURS).held(0))) == (403, "forbidden")
    for seat in (0, 1):
        public.ask(seat)
    told = json_of(guarded.get(public.path))["match"]
    assert (told["seat"], told["token"]) == (None, None)
    assert guarded.get(told["links"]["self"]).status_code == 200
    assert code_of(guarded.delete(public.path, headers=OURS)) == (403, "forbidden")


def test_games_without_a_rematch(client: FlaskClient) -> None:
    """One that runs, and one that was aborted; a parameter that nobody knows is refused."""
    played = Played(client, over=False)
    for code in ("game-running", "no-rematch"):
        for method in ("POST", "GET", "DELETE"):
            answer = client.open(played.path, method=method, headers=played.held(0))
            assert code_of(answer) == (409, code)
        client.post(f"{played.game['links']['self']}/abort")
    wrong = client.post(f"{played.path}?now=true", headers=played.held(0))
    assert code_of(wrong) == (422, "validation-error")


def test_nobody_plays_with_who_was_erased(guarded: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """A request of before counts no more, and the app begins no rematch either; nor does who was a moment late."""
    played = Played(guarded, by=OURS)
    played.ask(0)
    player = f"/v1/players/{played.game['seats'][0]['player_id']}"
    assert guarded.delete(player, headers=OURS).status_code == 204
    for method, headers in (("POST", played.held(1)), ("POST", OURS), ("GET", played.held(0))):
        assert code_of(guarded.open(played.path, method=method, headers=headers)) == (409, "no-rematch")
    with monkeypatch.context() as late:
        late.setattr(Rematches, "_require_players", lambda *_: None)
        assert code_of(guarded.post(played.path, headers=played.held(1))) == (409, "no-rematch")
    assert [game["id"] for game in json_of(guarded.get("/v1/games", headers=OURS))["games"]] == [
        played.game["id"]
    ]
    assert guarded.delete(played.path, headers=played.held(1)).status_code == 204


def test_the_store_knows_no_token(played: Played, redis_url: str) -> None:
    """The store holds no token of a rematch, only hashes, before the game begins and after."""
    link = link_to(redis_url, 5.0)
    played.ask(0)
    tokens = [played.ask(seat)["match"]["token"] for seat in (1, 0)]
    for token in (*tokens, *(seat["token"] for seat in played.game["seats"])):
        assert holding(link, token.partition("_")[2][24:].encode()) == []
