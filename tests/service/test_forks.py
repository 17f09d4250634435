"""Forks over HTTP: lossless where all is known, telling nothing where it is not, and refused in plain words."""

import random
import secrets
from hashlib import sha256
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from events.application import Application
from events.runtime import adapters, bootstrap
from events.runtime.settings import Settings
from events.store import keys
from events.store.link import link_to
from tests.service.conftest import NewService
from tests.service.table import (
    BEGINNING,
    FIRST_MOVE,
    KEYS,
    OURS,
    PEOPLE,
    WITH_OPEN,
    Json,
    Table,
    bearer,
    code_of,
    deck,
    errors_of,
    json_of,
    new_game,
    parts_of,
    set_table,
)
from tests.support.recording import AllThere

NAMELESS = [{"kind": "human"}, {"kind": "human"}]


@pytest.fixture
def over(public: Table) -> Table:
    """The same, where one has resigned at version 2."""
    public.move(0, {"type": "resign"})
    return public


def play(table: Table, moves: int, seed: int = 1) -> list[tuple[int, int, Json]]:
    """Play so many legal moves: the version before each, who made it, and the move."""
    rng, made = random.Random(seed), []
    for _ in range(moves):
        view = json_of(table.get())
        seat, version = view["to_act"], view["version"]
        move = rng.choice(json_of(table.get("/legal-moves", seat))["moves"])
        assert table.move(seat, move).status_code == 201
        made.append((version, seat, move))
    return made


def fork(table: Table, seat: int | None = None, **wanted: Any) -> TestResponse:
    """Ask for a fork."""
    headers = {} if seat is None else table.bearer(seat)
    return table.client.post(f"{table.path}/fork", json=wanted, headers=headers)


def forked(table: Table, seat: int | None = None, **wanted: Any) -> Table:
    """A fork of two people."""
    answer = fork(table, seat, **{"seats": PEOPLE if seat is None else NAMELESS} | wanted)
    assert answer.status_code == 201, answer.text
    game = json_of(answer)
    return Table(table.client, table.application, game["id"], tuple(s["token"] for s in game["seats"]))


def seen(table: Table, query: str, seat: int | None) -> Json:
    """The table as a viewer sees it."""
    view = json_of(table.get(query, seat))
    return {name: view[name] for name in ("turn", "to_act", "state", "status", "options", "viewer")}


class TestOfAGameThatIsOver:
    """Everything is known."""

    def test_it_is_a_new_game(self, public: Table) -> None:
        """Answered like a creation; unrated, with a chance of its own, and its origin in the first event."""
        play(public, 4)
        public.move(0, {"type": "resign"})
        answer = fork(public, version=2, seats=PEOPLE, visibility="public")
        game = json_of(answer)
        assert answer.status_code == 201
        assert answer.headers["Location"] == f"/v1/games/{game['id']}" == game["links"]["self"]
        assert (answer.headers["Cache-Control"], answer.headers["ETag"]) == ("no-store", '"2"')
        assert (game["rated"], game["setup"], game["status"]) == (False, True, "playing")
        origin = {"game_id": public.id, "version": 2, "head": public.log()[1][2]}
        origin |= {"resampled": False, "seat": None}
        assert game["origin"] == origin
        events = json_of(public.client.get(game["links"]["events"]))["events"]
        assert [event["type"] for event in events] == ["game_created", "position_set"]
        assert events[0]["data"]["origin"] == origin
        view = json_of(public.client.get(game["links"]["self"]))
        assert view["fairness"]["server_seed"] is None
        resigning = bearer(game["seats"][0]["token"])
        public.client.post(game["links"]["moves"], json={"type": "resign"}, headers=resigning)
        fairness = json_of(public.client.get(game["links"]["self"]))["fairness"]
        assert sha256(bytes.fromhex(fairness["server_seed"])).hexdigest() == game["fairness"]["commitment"]
        assert fairness["server_seed"] != json_of(public.get())["fairness"]["server_seed"]

    def test_nothing_is_lost(self, public: Table) -> None:
        """From every step of the game: the same views and legal moves; and the origin's moves lead where they led."""
        made = play(public, 24)
        public.move(0, {"type": "resign"})
        steps = [item["version"] for item in json_of(public.get("/replay?limit=100"))["items"]]
        last = made[-1][0]
        for version in [step for step in steps if 2 <= step <= last][::8]:
            other = forked(public, version=version)
            for seat in (0, 1):
                assert seen(other, "", seat) == seen(public, f"?version={version}&seat={seat}", None)
                legal = json_of(public.get(f"/legal-moves?version={version}&seat={seat}"))["moves"]
                assert json_of(other.get("/legal-moves", seat))["moves"] == legal
            for at, seat, move in made:
                if at >= version:
                    answer = other.move(seat, move)
                    assert answer.status_code == 201, answer.text
                    if "deck_reshuffled" in [event["type"] for event in json_of(answer)["events"]]:
                        break
            else:
                after = json_of(public.get("/events"))["events"][-2]["version"] - 1
                for seat in (0, 1):
                    assert seen(other, "", seat) == seen(public, f"?version={after}&seat={seat}", None)

    def test_seats(self, over: Table) -> None:
        """By default a person where the caller sat, or at seat 0, against the cheap bot, in private; bots play on."""
        for caller, person in ((None, 0), (0, 0), (1, 1)):
            game = json_of(fork(over, caller, version=2))
            assert [seat["kind"] for seat in game["seats"]] == (["human", "bot"], ["bot", "human"])[person]
            assert game["visibility"] == "private"
            assert "token" in game["seats"][person]
        bots = [{"kind": "bot", "bot": "heuristic"}, {"kind": "bot", "bot": "greedy"}]
        game = json_of(fork(over, version=2, seats=bots, visibility="public"))
        engine, version = over.application, 2
        for _ in range(4):
            assert engine.bot_turns.bot_move(game["id"], version) is not None
            version = engine.views.snapshot(game["id"]).version
        assert version > 6

    def test_a_fork_of_a_fork(self, over: Table) -> None:
        """Its origin is the fork."""
        other = forked(over, version=2, visibility="public")
        play(other, 3)
        other.move(1, {"type": "resign"})
        version = json_of(other.get("/replay"))["items"][2]["version"]
        third = forked(other, version=version, visibility="public")
        assert json_of(third.get("/events"))["events"][0]["data"]["origin"]["game_id"] == other.id
        for seat in (0, 1):
            assert seen(third, "", seat) == seen(other, f"?version={version}&seat={seat}", None)

    def test_drawn_anew_for_a_seat(self, over: Table) -> None:
        """It is possible, too, with the seat's token."""
        other = forked(over, 1, version=2, resample=True)
        assert seen(other, "", 1) == seen(over, "?version=2&seat=1", None)
        assert seen(other, "", 0) != seen(over, "?version=2&seat=0", None)
        assert code_of(fork(over, version=2, resample=True)) == (403, "forbidden")


class TestOfAGameThatRuns:
    """Only for a seat, and nothing that it cannot know."""

    def test_its_cards_are_drawn_anew(self, public: Table) -> None:
        """The seat sees what it saw, also then, whatever it has learnt since; the rest is not, as the origin says."""
        play(public, 6)
        for version in (json_of(public.get())["version"], 2):
            for seat in (0, 1):
                other = forked(public, seat, version=version, resample=True)
                assert seen(other, "", seat) == seen(public, f"?version={version}", seat)
                origin = json_of(other.get("/events", seat))["events"][0]["data"]["origin"]
                assert (origin["resampled"], origin["seat"], origin["version"]) == (True, seat, version)

    def test_hidden_cards_make_no_difference(
        self, settings: Settings, redis_url: str, monkeypatch: pytest.MonkeyPatch, new_service: NewService
    ) -> None:
        """Two running games that differ in them alone give, for the same chance, the same fork: all its events, whole.

        Seat 1 holds other cards in them, and the deck lies in another order; seat 0 has seen the same.
        """
        told = []
        for hidden in (("S3n", "T5d", "K2d"), ("B4d", "K2d", "S6n")):
            engine = bootstrap.application(settings)
            other_client = new_service(settings, engine, AllThere()).test_client()
            beginning = [*BEGINNING[:8]]
            beginning[3], beginning[5] = hidden[0], hidden[1]
            tail = deck(beginning)[8:]
            random.Random(hidden[2]).shuffle(tail)
            table = set_table(other_client, engine, setup={"deck": [*beginning, *tail]})
            table.move(0, FIRST_MOVE)
            table.move(1, {"type": "play", "card": "K3d", "slot": None, "discard": beginning[5]})
            version = json_of(table.get("/replay?limit=100", 0))["items"][2]["version"]
            with monkeypatch.context() as patched:
                patched.setattr(secrets, "token_bytes", lambda n: bytes(range(n)))  # its id is the same, too
                other = forked(table, 0, version=version, resample=True)
            other.move(0, {"type": "resign"})
            events = json_of(other.get("/events", 0))["events"]
            assert all(event["redacted"] == [] for event in events)
            events[0]["data"].pop("origin")
            told.append([[event[name] for name in ("version", "type", "seat", "data")] for event in events])
            link = link_to(redis_url, 5.0)
            link.call("DEL", *keys.append_keys(other.id)[:3])
            link.close()
        assert told[0] == told[1]

    def test_the_end_of_the_fork_tells_nothing(self, public: Table) -> None:
        """The cards it shows are drawn: over many forks the opponent's hand is any hand, also for who sits there."""
        hands = set()
        for _ in range(12):
            other = forked(public, 0, version=2, resample=True)
            hand = json_of(other.get("", 1))["state"]["players"][1]["hand"]
            other.move(0, {"type": "resign"})
            players = json_of(other.get("", 0))["state"]["players"]
            assert [player["hand"] for player in players] == [["G5d", "G4n", "HUN"], hand]
            hands.add(tuple(sorted(hand)))
        assert len(hands) > 8

    def test_the_true_cards_are_refused(self, public: Table) -> None:
        """Of any version, to any seat; the message says why, and what is possible. A spectator knows nothing."""
        play(public, 2)
        for seat in (0, 1):
            for version in (2, 3, 99):
                answer = fork(public, seat, version=version)
                assert code_of(answer) == (409, "game-running")
                assert "resample: true" in json_of(answer)["detail"]
        for resample in (True, False):
            answer = fork(public, version=2, resample=resample)
            assert code_of(answer) == (403, "forbidden")
            assert "only its seats" in json_of(answer)["detail"]

    def test_the_fork_of_a_seat_is_its_own(self, public: Table) -> None:
        """It shows the true hand of who forks: to no stranger and no app, in no listing, also when it is over."""
        other = forked(public, 0, version=2, resample=True)
        for move in (FIRST_MOVE, {"type": "resign"}):
            other.move(0, move)
            other.application.listing.update(other.id)
            for what in ("", "/events", "/export", "/replay", "/head", "/audit"):
                assert code_of(other.get(what)) == (404, "not-found")
            listed = json_of(other.client.get("/v1/games"))["games"]
            assert other.id not in [line["id"] for line in listed]
        assert json_of(other.get("", 1))["status"] == "finished"

    def test_it_expires_and_so_does_its_rematch(self, public: Table, settings: Settings) -> None:
        """Both answers say when. The fork's request is 410 from then on, and there is no second rematch."""
        headers = public.bearer(0) | {"Idempotency-Key": "once"}
        wanted = {"version": 2, "resample": True, "seats": NAMELESS}

        def asked() -> TestResponse:
            return public.client.post(f"{public.path}/fork", json=wanted, headers=headers)

        game = json_of(asked())
        made = Table(public.client, public.application, game["id"], tuple(s["token"] for s in game["seats"]))
        assert json_of(made.get("", 0))["updated_at"] == game["updated_at"]
        made.move(0, {"type": "resign"})
        rematch = f"{made.path}/rematch"
        made.client.post(rematch, headers=made.bearer(0))
        begun = json_of(made.client.post(rematch, headers=made.bearer(1)))["match"]
        assert game["expires_at"] < begun["expires_at"]
        assert (
            json_of(made.client.get(rematch, headers=made.bearer(0)))["match"]["expires_at"]
            == (begun["expires_at"])
        )
        forks = adapters.seat_forks(settings)
        for fork in sorted(forks.listed(), key=lambda fork: fork.until, reverse=True):
            forks.end(fork)
            answer = made.client.get(rematch, headers=made.bearer(0))
            assert code_of(answer) == (
                (409, "no-rematch") if fork.game_id != game["id"] else (404, "not-found")
            )
        gone = asked()
        assert (*code_of(gone), json_of(gone)["game_id"]) == (410, "game-ended", game["id"])

    def test_a_seat_has_no_more_power_than_that(self, public: Table) -> None:
        """Only an app makes games of bots alone, has remote bots called, names players, shows a game to strangers."""
        remote = {"kind": "remote", "url": "https://example.org"}
        for wanted, words in (
            ({"seats": [{"kind": "bot", "bot": "greedy"}] * 2}, "needs a human seat"),
            ({"seats": [NAMELESS[0], remote]}, "no remote bots"),
            ({"seats": [PEOPLE[0], NAMELESS[1]]}, "no names of players"),
            ({"visibility": "public"}, "its forks are private"),
        ):
            answer = fork(public, 0, **{"version": 2, "resample": True} | wanted)
            assert errors_of(answer) == list(wanted)
            assert words in json_of(answer)["errors"][next(iter(wanted))][0]


def test_each_sees_its_own(public: Table) -> None:
    """A seat its own hand and face-down cards, a spectator none, and nobody the deck."""
    public.move(0, {"type": "play", "card": "G4n", "slot": None, "discard": "HUN"})
    public.move(0, {"type": "resign"})
    version = json_of(public.get("/replay"))["items"][2]["version"]
    other = forked(public, version=version, visibility="public")
    for viewer in (None, 0, 1):
        position = json_of(other.get("/events", viewer))["events"][1]
        assert position["data"]["deck"] is None
        assert [hand is not None for hand in position["data"]["hands"]] == [viewer == 0, viewer == 1]
        face = position["data"]["columns"][0][0]["cards"][0]["face"]
        assert face == ("G4n" if viewer == 0 else None)
        assert "salt" not in position
        assert set(position["redacted"]) == {"deck", "hands"} | ({"columns"} if viewer != 0 else set())


class TestRefusals:
    """Refusals of forks, each in its own words."""

    def test_games_that_cannot_be_forked(self, table: Table, public: Table, client: FlaskClient) -> None:
        """Private, unknown; with a token for another game; one that waits, which has no position yet."""
        assert code_of(fork(table, version=2)) == (404, "not-found")
        unknown = client.post("/v1/games/none/fork", json={"version": 2})
        assert code_of(unknown) == (404, "not-found")
        other = client.post(f"{public.path}/fork", json={"version": 2}, headers=table.bearer(0))
        assert code_of(other) == (403, "forbidden")
        waiting = set_table(client, public.application, seats=WITH_OPEN, visibility="public")
        answer = fork(waiting, 0, version=1, resample=True)
        assert code_of(answer) == (409, "game-not-started")
        assert "waits for players" in json_of(answer)["detail"]

    def test_versions(self, public: Table) -> None:
        """Before the cards were dealt, after the end, beyond it, and amid a move: told apart."""
        public.move(0, FIRST_MOVE)
        public.move(0, {"type": "resign"})
        for version, code, words in (
            (0, (404, "not-found"), "no version 0; its versions are 1 to 7"),
            (8, (404, "not-found"), "no version 8; its versions are 1 to 7"),
            (1, (409, "game-not-started"), "had not begun"),
            (7, (409, "game-over"), "the game was over"),
            (4, (422, "within-a-move"), "fork version 3, before it, or 5, after it"),
        ):
            answer = fork(public, version=version)
            assert code_of(answer) == code
            assert words in json_of(answer)["detail"]


def test_with_app_keys(guarded: FlaskClient) -> None:
    """A fork is the asking app's, listed and watched; or the seat's own, which no app sees. Strangers have none."""
    engine: Application = parts_of(guarded).use_cases
    game = new_game(guarded, OURS, seats=PEOPLE, visibility="public")
    tokens = tuple(seat["token"] for seat in game["seats"])
    table = Table(guarded, engine, game["id"], tokens)
    table.move(0, {"type": "resign"})
    assert code_of(fork(table, version=2)) == (401, "unauthorized")
    for token, is_apps in ((KEYS["theirs"], True), (tokens[0], False)):
        made = guarded.post(f"{table.path}/fork", json={"version": 2}, headers=bearer(token))
        other = json_of(made)["id"]
        engine.listing.update(other)
        for app in KEYS:
            headers, sees = bearer(KEYS[app]), is_apps and app == "theirs"
            listed = json_of(guarded.get("/v1/games", headers=headers))["games"]
            assert (other in [line["id"] for line in listed]) == sees
            watched = guarded.get(f"/v1/games/{other}", headers=headers)
            assert watched.status_code == (200 if sees else 404)
