"""Hints: for the seat alone, and in a rated game told to everybody."""

from dataclasses import replace

import pytest
from flask.testing import FlaskClient

from domain.errors import DomainError
from events.application import Application
from events.errors import VersionConflict
from events.features.bots import questions as asking
from events.runtime.settings import Settings
from events.store.link import link_to
from tests.service.table import WITH_OPEN, Table, bearer, code_of, json_of, set_table
from tests.service.thinking import Worker


@pytest.fixture
def rated(client: FlaskClient, application: Application) -> Table:
    """A public game of two people on a deck that nobody chose."""
    return set_table(client, application, setup=None, visibility="public")


def types(table: Table, after: int = 0) -> list[str]:
    return [event.type for event in table.application.views.history(table.id, after)]


class TestInARatedGame:
    """A hint in a rated game, which is recorded before it is told."""

    def test_a_hint_is_a_move_that_can_be_made(self, rated: Table) -> None:
        """For the seat that is to act. Everybody gets to know whose it was, but neither the move nor the seed."""
        given = rated.get("/hint?bot=greedy", seat=0)
        assert (given.status_code, given.headers["Cache-Control"]) == (200, "no-store")
        told = json_of(given)
        assert (told["bot"], told["seat"], told["recorded"], told["game_version"]) == ("greedy", 0, True, 3)
        assert told["move"] in json_of(rated.get("/legal-moves", seat=0))["moves"]
        assert "seed" not in told
        for viewer in (0, 1, None):
            (event,) = json_of(rated.get("/events?after=2", seat=viewer))["events"]
            assert (event["type"], event["seat"], event["redacted"]) == ("hint_given", 0, ["seed"])
            version = told["version"]
            assert event["data"] == {"bot": "greedy", "version": version, "budget": None, "seed": None}
            assert "salt" not in event
        first = rated.move(0, told["move"], If_Match='"3"', Idempotency_Key="k")
        assert first.status_code == 201
        assert rated.move(0, told["move"], If_Match='"3"', Idempotency_Key="k").data == first.data
        rated.move(1, {"type": "resign"})
        (event,) = json_of(rated.get("/events?after=2&limit=1"))["events"]
        assert len(event["data"]["seed"]) == 16
        assert event["redacted"] == []

    def test_asked_again_it_is_the_same_and_recorded_once(self, rated: Table, settings: Settings) -> None:
        """Also when the answer has been forgotten and is thought about anew; If-None-Match is of no use here."""
        first = json_of(rated.get("/hint?bot=heuristic", seat=0))
        assert json_of(rated.get("/hint?bot=heuristic", seat=0)) == first
        link = link_to(settings.queue_url or "", 5.0)
        forgotten = link.call("KEYS", "migrato:thinking:*")
        assert link.call("DEL", *forgotten) == 1
        again = rated.get("/hint?bot=heuristic", seat=0, If_None_Match='"3"')
        assert (again.status_code, json_of(again)) == (200, first)
        assert types(rated, 2) == ["hint_given"]
        token = rated.tokens[0]
        for seat in (0, 1, 0):
            path = f"{rated.path}/hint?bot=heuristic"
            assert rated.client.get(path, headers=bearer(token)).status_code == 200
            new = json_of(rated.client.post(f"{rated.path}/seats/{seat}/token"))["token"]
            token = new if seat == 0 else token
        assert types(rated, 2).count("hint_given") == 1

    def test_each_bot_and_each_decision_is_a_hint_of_its_own(self, rated: Table) -> None:
        """Hints of two bots are two hints, and so is one for the discard that ends the turn."""
        for bot in ("greedy", "heuristic", "greedy"):
            rated.get(f"/hint?bot={bot}", seat=0)
        assert types(rated, 2) == ["hint_given", "hint_given"]
        moves = json_of(rated.get("/legal-moves", seat=0))["moves"]
        play = next(move for move in moves if move["type"] == "play" and move["slot"] is None)
        assert rated.move(0, play).status_code == 201
        told = json_of(rated.get("/hint?bot=greedy", seat=0))
        assert (told["move"]["type"], told["game_version"]) == ("discard", 6)
        assert types(rated, 2) == ["hint_given", "hint_given", "bird_played", "hint_given"]


class TestAtTheSameTime:
    """Acts of others between the question and the answer."""

    def test_two_who_ask_at_once_are_one_hint(self, rated: Table, application: Application) -> None:
        """Both get it, and it is recorded once; another hint in between does no harm, for the situation is the same."""
        hints = application.hints
        one, two = (hints.wanted(rated.id, 0, "greedy") for _ in range(2))
        three = hints.wanted(rated.id, 0, "heuristic")
        assert hints.give(one, {"iterations": 17}) == hints.give(two, None) == (3, True)
        assert types(rated, 2) == ["hint_given"]
        assert hints.give(three, None) == (4, True)
        assert hints.give(one, None) == (4, True)
        assert types(rated, 2) == ["hint_given", "hint_given"]
        assert hints.wanted(rated.id, 0, "greedy") == replace(one, budget={"iterations": 17})

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

    def test_a_token_that_is_issued_anew_while_the_bot_thinks(
        self, rated: Table, worker: Worker, application: Application, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The hint is not handed out, and no event tells of it, whether or not one would be recorded."""
        think = worker.bot_questions.hint

        def meanwhile(*arguments: object) -> object:
            assert rated.client.post(f"{rated.path}/seats/0/token").status_code == 201
            return think(*arguments)  # type: ignore[arg-type]

        monkeypatch.setattr(worker.bot_questions, "hint", meanwhile)
        assert code_of(rated.get("/hint?bot=greedy", seat=0)) == (401, "unauthorized")
        assert types(rated, 2) == ["seat_token_reissued"]

    def test_a_process_that_dies_before_it_records_it_has_told_nothing(
        self, rated: Table, application: Application, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The next one who asks gets the hint, recorded."""
        give = application.hints.give
        monkeypatch.setattr(application.hints, "give", lambda *_: 1 / 0)
        died = rated.get("/hint?bot=greedy", seat=0)
        assert (died.status_code, "move" in json_of(died)) == (500, False)
        assert types(rated, 2) == []
        monkeypatch.setattr(application.hints, "give", give)
        assert json_of(rated.get("/hint?bot=greedy", seat=0))["recorded"]
        assert types(rated, 2) == ["hint_given"]


def test_in_an_unrated_game_nothing_is_recorded(table: Table) -> None:
    """An unrated game records no hint, because nothing in it has to be fair."""
    told = json_of(table.get("/hint?bot=greedy", seat=0))
    assert (told["recorded"], told["game_version"]) == (False, 2)
    assert json_of(table.get("/hint?bot=greedy", seat=0)) == told
    assert types(table, 2) == []


class TestRefusals:
    """Refusals of hints, which leave no event."""

    def test_only_on_its_turn(self, rated: Table, client: FlaskClient) -> None:
        """Hints need a running game, too. A bot that is not there is named in the query, so 422."""
        for query, code in (
            ("?bot=oracle", "unknown-bot"),
            ("?bot=", "validation-error"),
            ("?bots=1", "validation-error"),
        ):
            assert code_of(rated.get(f"/hint{query}", seat=0)) == (422, code)
        assert code_of(rated.get("/hint", seat=1)) == (409, "not-your-turn")
        assert types(rated, 2) == []
        rated.move(0, {"type": "resign"})
        assert code_of(rated.get("/hint", seat=0)) == (409, "game-over")
        waiting = set_table(client, rated.application, setup=None, seats=WITH_OPEN)
        assert code_of(waiting.get("/hint", seat=0)) == (409, "game-not-started")

    def test_no_worker_in_time(self, rated: Table, worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
        """503 with Retry-After, nothing recorded; asked again later it is there."""
        monkeypatch.setattr(asking, "MARGIN", 0.05)
        worker.busy = True
        answer = rated.get("/hint?bot=greedy", seat=0)
        assert code_of(answer) == (503, "no-answer")
        assert answer.headers["Retry-After"].isdigit()
        assert types(rated, 2) == []
        worker.busy = False
        assert rated.get("/hint?bot=greedy", seat=0).status_code == 200

    def test_a_bot_that_fails(self, rated: Table, worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
        """The failure is no hint, and is not kept."""
        carry_out = worker.bot_questions.for_workers.carry_out
        monkeypatch.setattr(
            worker.bot_questions.for_workers, "carry_out", worker.bot_questions.for_workers.give_up
        )
        assert code_of(rated.get("/hint?bot=greedy", seat=0)) == (500, "bot-failed")
        monkeypatch.setattr(worker.bot_questions.for_workers, "carry_out", carry_out)
        assert rated.get("/hint?bot=greedy", seat=0).status_code == 200


def test_a_hint_is_no_job_that_can_be_fetched(rated: Table, settings: Settings) -> None:
    """The other seat could guess its key: who owns it is asked for."""
    rated.get("/hint?bot=greedy", seat=0)
    (key,) = link_to(settings.queue_url or "", 5.0).call("KEYS", "migrato:thinking:*")
    name = key.decode().rpartition(":")[2]
    assert code_of(rated.client.get(f"/v1/bots/jobs/{name}")) == (404, "not-found")
