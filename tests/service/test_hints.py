"""Hints: for the seat alone, and in a rated game told to everybody."""

from dataclasses import replace

import pytest
from flask.testing import FlaskClient

from domain.errors import DomainError
from events.errors import VersionConflict
from events.games.access import hash_of
from events.redis.connections.client import RedisClient
from events.runtime import bootstrap
from events.runtime.settings import Settings
from events.use_cases.application import Application
from events.use_cases.bots import queries
from tests.service.conftest import NewService
from tests.service.recording import AllThere
from tests.service.table import Json, Table, code_of, json_of, set_table
from tests.service.thinking import Worker


@pytest.fixture
def rated(client: FlaskClient, application: Application) -> Table:
    """A public game of two people on a deck that nobody chose."""
    return set_table(client, application, setup=None, visibility="public")


def types(table: Table, after: int = 0) -> list[str]:
    return [event.type for event in table.application.views.history(table.id, after)]


class TestInARatedGame:
    """It is recorded before it is told."""

    def test_a_hint_is_a_move_that_can_be_made(self, rated: Table) -> None:
        """For the seat that is to act; it is still its turn afterwards."""
        given = rated.get("/hint?bot=greedy", seat=0)
        assert given.status_code == 200
        told = json_of(given)
        assert (told["bot"], told["seat"], told["recorded"], told["game_version"]) == ("greedy", 0, True, 3)
        assert told["move"] in json_of(rated.get("/legal-moves", seat=0))["moves"]
        assert given.headers["Cache-Control"] == "no-store"
        assert rated.move(0, told["move"], If_Match='"3"').status_code == 201

    def test_everybody_gets_to_know(self, rated: Table) -> None:
        """That a hint was taken and whose, but neither the move nor the seed."""
        told = json_of(rated.get("/hint?bot=greedy", seat=0))
        for viewer in (0, 1, None):
            (event,) = json_of(rated.get("/events?after=2", seat=viewer))["events"]
            assert (event["type"], event["seat"], event["redacted"]) == ("hint_given", 0, ["seed"])
            assert event["data"] == {
                "bot": "greedy",
                "version": told["version"],
                "budget": None,
                "seed": None,
            }
            assert "salt" not in event
        assert "seed" not in told

    def test_the_seed_is_shown_when_the_game_is_over(self, rated: Table) -> None:
        """So that the hint can be found again."""
        rated.get("/hint?bot=greedy", seat=0)
        rated.move(1, {"type": "resign"})
        (event,) = json_of(rated.get("/events?after=2&limit=1"))["events"]
        assert len(event["data"]["seed"]) == 16
        assert event["redacted"] == []

    def test_asked_again_it_is_the_same_and_recorded_once(self, rated: Table, settings: Settings) -> None:
        """Also when the answer has been forgotten and is thought about anew; If-None-Match is of no use here."""
        first = json_of(rated.get("/hint?bot=heuristic", seat=0))
        assert json_of(rated.get("/hint?bot=heuristic", seat=0)) == first
        link = RedisClient.to(settings.queue_url or "", 5.0)
        forgotten = link.call("KEYS", "migrato:thinking:*")
        assert link.call("DEL", *forgotten) == 1
        again = rated.get("/hint?bot=heuristic", seat=0, If_None_Match='"3"')
        assert (again.status_code, json_of(again)) == (200, first)
        assert types(rated, 2) == ["hint_given"]

    def test_however_often_it_is_asked_for(self, rated: Table) -> None:
        """One hint of a bot before a move: a new token of the seat, or of the other, makes no new situation."""
        tokens = list(rated.tokens)
        for seat in (0, 1, 0):
            for bot in ("greedy", "heuristic"):
                headers = {"Authorization": f"Bearer {tokens[0]}"}
                assert rated.client.get(f"{rated.path}/hint?bot={bot}", headers=headers).status_code == 200
            tokens[seat] = json_of(rated.client.post(f"{rated.path}/seats/{seat}/token"))["token"]
        assert types(rated, 2).count("hint_given") == 2

    def test_each_bot_and_each_decision_is_a_hint_of_its_own(self, rated: Table) -> None:
        """Two bots, and then the discard that ends the turn."""
        for bot in ("greedy", "heuristic", "greedy"):
            told = json_of(rated.get(f"/hint?bot={bot}", seat=0))
        assert types(rated, 2) == ["hint_given", "hint_given"]
        play = next(
            move
            for move in json_of(rated.get("/legal-moves", seat=0))["moves"]
            if move["type"] == "play" and move["slot"] is None
        )
        assert rated.move(0, play).status_code == 201
        told = json_of(rated.get("/hint?bot=greedy", seat=0))
        assert told["move"]["type"] == "discard"
        assert types(rated, 2) == ["hint_given", "hint_given", "bird_played", "hint_given"]
        assert told["game_version"] == 6

    def test_a_move_that_is_repeated_after_it_answers_as_at_first(self, rated: Table) -> None:
        """A hint is an event like any other."""
        moves = json_of(rated.get("/legal-moves", seat=0))["moves"]
        rated.get("/hint?bot=greedy", seat=0)
        first = rated.move(0, moves[0], Idempotency_Key="k")
        assert json_of(rated.move(0, moves[0], Idempotency_Key="k")) == json_of(first)


class TestAtTheSameTime:
    """What others do between the question and the answer."""

    def test_two_who_ask_at_once_are_one_hint(self, rated: Table, application: Application) -> None:
        """Both get it, and it is recorded once."""
        hints = application.hints
        one, two = (hints.wanted(rated.id, 0, "greedy") for _ in range(2))
        assert hints.give(one, None) == hints.give(two, None) == (3, True)
        assert types(rated, 2) == ["hint_given"]

    def test_another_hint_in_between_does_no_harm(self, rated: Table, application: Application) -> None:
        """The situation is the same; only the version is another."""
        hints = application.hints
        one, two = hints.wanted(rated.id, 0, "greedy"), hints.wanted(rated.id, 0, "heuristic")
        assert hints.give(one, None) == (3, True)
        assert hints.give(two, None) == (4, True)
        assert hints.give(one, None) == (4, True)
        assert types(rated, 2) == ["hint_given", "hint_given"]

    def test_a_game_that_moves_on_gets_no_event(self, rated: Table, application: Application) -> None:
        """The hint is not handed out either."""
        hint = application.hints.wanted(rated.id, 0, "greedy")
        moves = json_of(rated.get("/legal-moves", seat=0))["moves"]
        rated.move(0, next(move for move in moves if move["type"] == "play"))
        for act in (application.hints.think, lambda hint: application.hints.give(hint, None)):
            with pytest.raises(VersionConflict):
                act(hint)
        rated.move(0, {"type": "resign"})
        with pytest.raises(DomainError, match="over"):
            application.hints.give(hint, None)
        assert "hint_given" not in types(rated)

    def test_a_process_that_dies_before_it_records_it_has_told_nothing(
        self, rated: Table, application: Application, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Whoever asks again gets the hint, recorded."""
        give = application.hints.give
        monkeypatch.setattr(application.hints, "give", lambda *_: 1 / 0)
        died = rated.get("/hint?bot=greedy", seat=0)
        assert (died.status_code, "move" in json_of(died)) == (500, False)
        assert types(rated, 2) == []
        monkeypatch.setattr(application.hints, "give", give)
        assert json_of(rated.get("/hint?bot=greedy", seat=0))["recorded"]
        assert types(rated, 2) == ["hint_given"]

    def test_the_budget_of_the_first_time_is_kept_to(self, rated: Table, application: Application) -> None:
        """A search that the clock cut short is cut short there again: or else the same hint would be another."""
        hint = application.hints.wanted(rated.id, 0, "greedy")
        application.hints.give(hint, {"iterations": 17})
        assert application.hints.wanted(rated.id, 0, "greedy") == replace(hint, budget={"iterations": 17})


def test_in_an_unrated_game_nothing_is_recorded(table: Table) -> None:
    """There is nothing to be fair about."""
    told = json_of(table.get("/hint?bot=greedy", seat=0))
    assert (told["recorded"], told["game_version"]) == (False, 2)
    assert json_of(table.get("/hint?bot=greedy", seat=0)) == told
    assert types(table, 2) == []


class TestRefusals:
    """Who gets none."""

    def test_nobody_but_the_seat(self, table: Table, rated: Table) -> None:
        """Neither strangers nor holders of other tokens; nothing tells whether a private game exists."""
        assert code_of(table.get("/hint")) == (401, "unauthorized")
        assert code_of(rated.get("/hint")) == (401, "unauthorized")
        wrong = {"Authorization": f"Bearer {rated.tokens[0]}"}
        assert code_of(table.get("/hint", None, **wrong)) == (403, "forbidden")
        forged = {"Authorization": f"Bearer {table.tokens[0][:-4]}AAAA"}
        assert code_of(table.get("/hint", None, **forged)) == (401, "unauthorized")
        assert types(table, 2) == types(rated, 2) == []

    def test_an_app_key_is_no_seats_token(
        self, table: Table, settings: Settings, worker: Worker, new_service: NewService
    ) -> None:
        """An app never sees hidden cards of a running game, and a hint tells of them."""
        keyed = bootstrap.application(replace(settings, app_keys={"club": hash_of("key")}))
        service = new_service(settings, keyed, AllThere(), worker.bot_queries)
        headers = {"Authorization": "Bearer key"}
        assert code_of(service.test_client().get(f"{table.path}/hint", headers=headers)) == (403, "forbidden")

    def test_only_on_its_turn(self, rated: Table) -> None:
        """And only while the game runs."""
        assert code_of(rated.get("/hint", seat=1)) == (409, "not-your-turn")
        rated.move(0, {"type": "resign"})
        assert code_of(rated.get("/hint", seat=0)) == (409, "game-over")

    def test_not_before_the_game_starts(self, client: FlaskClient, application: Application) -> None:
        """While a seat is open."""
        waiting = set_table(client, application, setup=None, seats=[{"kind": "human"}, {"kind": "open"}])
        assert code_of(waiting.get("/hint", seat=0)) == (409, "game-not-started")

    @pytest.mark.parametrize(
        ("query", "code"),
        [("?bot=oracle", "unknown-bot"), ("?bot=", "validation-error"), ("?bots=1", "validation-error")],
    )
    def test_a_bot_that_is_not_there(self, rated: Table, query: str, code: str) -> None:
        """Named in the query, so 422."""
        assert code_of(rated.get(f"/hint{query}", seat=0)) == (422, code)
        assert types(rated, 2) == []

    def test_no_worker_in_time(self, rated: Table, worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
        """503 with Retry-After, nothing recorded; asked again later it is there."""
        monkeypatch.setattr(queries, "MARGIN", 0.05)
        worker.busy = True
        answer = rated.get("/hint?bot=greedy", seat=0)
        assert code_of(answer) == (503, "no-answer")
        assert answer.headers["Retry-After"].isdigit()
        assert types(rated, 2) == []
        worker.busy = False
        assert rated.get("/hint?bot=greedy", seat=0).status_code == 200

    def test_a_bot_that_fails(self, rated: Table, worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
        """The failure is no hint, and is not kept."""
        carry_out = worker.bot_queries.carry_out
        monkeypatch.setattr(worker.bot_queries, "carry_out", worker.bot_queries.give_up)
        assert code_of(rated.get("/hint?bot=greedy", seat=0)) == (500, "bot-failed")
        monkeypatch.setattr(worker.bot_queries, "carry_out", carry_out)
        assert rated.get("/hint?bot=greedy", seat=0).status_code == 200


def test_a_hint_is_no_job_that_can_be_fetched(rated: Table, settings: Settings) -> None:
    """The other seat could guess its key: who owns it is asked for."""
    rated.get("/hint?bot=greedy", seat=0)
    (key,) = RedisClient.to(settings.queue_url or "", 5.0).call("KEYS", "migrato:thinking:*")
    name: Json = key.decode().rpartition(":")[2]
    assert code_of(rated.client.get(f"/v1/bots/jobs/{name}"))[0] == 404
