"""Forks over HTTP: lossless where all is known, telling nothing where it is not, and refused in plain words."""

import random
import secrets
from hashlib import sha256
from typing import Any

import pytest
from flask.testing import FlaskClient

from events.games import access
from events.redis import keys
from events.redis.connections.client import RedisClient
from events.runtime import bootstrap
from events.runtime.settings import Settings
from events.use_cases.application import Application
from tests.service.conftest import NewService
from tests.service.recording import AllThere
from tests.service.table import (
    BEGINNING,
    FIRST_MOVE,
    Json,
    Table,
    code_of,
    deck,
    json_of,
    new_game,
    set_table,
)

NAMELESS = [{"kind": "human"}, {"kind": "human"}]
PEOPLE = [{"kind": "human", "player": "eve"}, {"kind": "human", "player": "dan"}]


@pytest.fixture
def open_table(client: FlaskClient, application: Application) -> Table:
    """A public game of two people on a known deck."""
    return set_table(client, application, visibility="public")


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


def fork(table: Table, seat: int | None = None, **wanted: Any) -> Any:
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
    """What a viewer sees of the table."""
    view = json_of(table.get(query, seat))
    return {name: view[name] for name in ("turn", "to_act", "state", "status", "options", "viewer")}


class TestOfAGameThatIsOver:
    """Everything is known."""

    def test_it_is_a_new_game(self, open_table: Table) -> None:
        """Answered like a creation; unrated, with a seed of its own, and its origin in the first event."""
        play(open_table, 4)
        open_table.move(0, {"type": "resign"})
        answer = fork(open_table, version=2, seats=PEOPLE)
        game = json_of(answer)
        assert answer.status_code == 201
        assert answer.headers["Location"] == f"/v1/games/{game['id']}" == game["links"]["self"]
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.headers["ETag"] == '"2"'
        assert (game["rated"], game["setup"], game["status"]) == (False, True, "playing")
        head = open_table.log()[1][2]
        origin = {"game_id": open_table.id, "version": 2, "head": head, "resampled": False, "seat": None}
        assert game["origin"] == origin
        token = {"Authorization": f"Bearer {game['seats'][0]['token']}"}
        events = json_of(open_table.client.get(f"{game['links']['self']}/events", headers=token))["events"]
        assert [event["type"] for event in events] == ["game_created", "position_set"]
        assert events[0]["data"]["origin"] == origin
        origins = json_of(open_table.get())["fairness"]
        assert game["fairness"]["commitment"] != origins["commitment"]

    def test_nothing_is_lost(self, open_table: Table) -> None:
        """From every step of the game: the same views and legal moves; and the origin's moves lead where they led."""
        made = play(open_table, 24)
        open_table.move(0, {"type": "resign"})
        steps = [item["version"] for item in json_of(open_table.get("/replay?limit=100"))["items"]]
        last = made[-1][0]
        for version in [step for step in steps if 2 <= step <= last][::4]:
            other = forked(open_table, version=version)
            for seat in (0, 1):
                assert seen(other, "", seat) == seen(open_table, f"?version={version}&seat={seat}", None)
                legal = json_of(other.get("/legal-moves", seat))["moves"]
                assert (
                    legal == json_of(open_table.get(f"/legal-moves?version={version}&seat={seat}"))["moves"]
                )
            for at, seat, move in made:
                if at >= version:
                    answer = other.move(seat, move)
                    assert answer.status_code == 201, answer.text
                    caused = [event["type"] for event in json_of(answer)["events"]]
                    if "deck_reshuffled" in caused:
                        break
            else:
                after = json_of(open_table.get("/events"))["events"][-2]["version"] - 1
                for seat in (0, 1):
                    assert seen(other, "", seat) == seen(open_table, f"?version={after}&seat={seat}", None)

    def test_its_own_chance(self, open_table: Table) -> None:
        """The fork reveals another seed at its end."""
        open_table.move(0, {"type": "resign"})
        other = forked(open_table, version=2, visibility="public")
        assert json_of(other.get())["fairness"]["server_seed"] is None
        other.move(0, {"type": "resign"})
        fairness = json_of(other.get())["fairness"]
        assert sha256(bytes.fromhex(fairness["server_seed"])).hexdigest() == fairness["commitment"]
        assert fairness["server_seed"] != json_of(open_table.get())["fairness"]["server_seed"]

    def test_seats_have_a_default(self, open_table: Table) -> None:
        """A person where the caller sat, or at seat 0, against the cheap bot; private."""
        open_table.move(0, {"type": "resign"})
        for caller, person in ((None, 0), (0, 0), (1, 1)):
            game = json_of(fork(open_table, caller, version=2))
            assert [seat["kind"] for seat in game["seats"]] == (["human", "bot"], ["bot", "human"])[person]
            assert game["visibility"] == "private"
            assert "token" in game["seats"][person]

    def test_bots_play_on(self, open_table: Table) -> None:
        """The one whose turn it is gets it like any other."""
        open_table.move(0, {"type": "resign"})
        bots = [{"kind": "bot", "bot": "heuristic"}, {"kind": "bot", "bot": "greedy"}]
        game = json_of(fork(open_table, version=2, seats=bots, visibility="public"))
        engine, version = open_table.application, 2
        for _ in range(10):
            assert engine.bot_turns.bot_move(game["id"], version) is not None
            version = engine.views.snapshot(game["id"]).version
        assert version > 12

    def test_a_fork_of_a_fork(self, open_table: Table) -> None:
        """Its origin is the fork."""
        open_table.move(0, {"type": "resign"})
        other = forked(open_table, version=2, visibility="public")
        play(other, 3)
        other.move(1, {"type": "resign"})
        version = json_of(other.get("/replay"))["items"][2]["version"]
        third = forked(other, version=version, visibility="public")
        assert json_of(third.get("/events"))["events"][0]["data"]["origin"]["game_id"] == other.id
        for seat in (0, 1):
            assert seen(third, "", seat) == seen(other, f"?version={version}&seat={seat}", None)

    def test_drawn_anew_for_a_seat(self, open_table: Table) -> None:
        """That is possible, too, with the seat's token."""
        open_table.move(0, {"type": "resign"})
        other = forked(open_table, 1, version=2, resample=True)
        assert seen(other, "", 1) == seen(open_table, "?version=2&seat=1", None)
        assert seen(other, "", 0) != seen(open_table, "?version=2&seat=0", None)
        assert code_of(fork(open_table, version=2, resample=True)) == (403, "forbidden")


class TestOfAGameThatRuns:
    """Only for a seat, and nothing that it cannot know."""

    def test_its_cards_are_drawn_anew(self, open_table: Table) -> None:
        """What the seat sees is as it is; the rest is not, and the origin says so."""
        play(open_table, 6)
        version = json_of(open_table.get())["version"]
        for seat in (0, 1):
            other = forked(open_table, seat, version=version, resample=True)
            assert seen(other, "", seat) == seen(open_table, "", seat)
            events = json_of(other.get("/events", seat))["events"]
            origin = events[0]["data"]["origin"]
            assert (origin["resampled"], origin["seat"], origin["version"]) == (True, seat, version)

    def test_what_the_seat_cannot_know_makes_no_difference(
        self, settings: Settings, redis_url: str, monkeypatch: pytest.MonkeyPatch, new_service: NewService
    ) -> None:
        """Two running games that differ in that alone give, for the same chance, the same fork: all its events, whole.

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
            first = json_of(table.get("/replay?limit=100", 0))["items"]
            told.append(self.fork_of(table, monkeypatch, redis_url, version=first[2]["version"]))
        assert told[0] == told[1]

    @staticmethod
    def fork_of(table: Table, monkeypatch: pytest.MonkeyPatch, redis_url: str, version: int) -> list[Json]:
        """All events of a fork for seat 0 with a chance that is always the same; nothing of it is left behind."""
        with monkeypatch.context() as patched:
            patched.setattr(secrets, "token_bytes", lambda n: bytes(range(n)))
            patched.setattr(access, "new_game_id", lambda: "F" * 22)
            other = forked(table, 0, version=version, resample=True)
        other.move(0, {"type": "resign"})
        events = json_of(other.get("/events", 0))["events"]
        assert all(event["redacted"] == [] for event in events)
        events[0]["data"].pop("origin")
        link = RedisClient.to(redis_url, 5.0)
        link.call("DEL", *keys.append_keys(other.id)[:3])
        link.close()
        return [{name: event[name] for name in ("version", "type", "seat", "data")} for event in events]

    def test_knowledge_is_as_of_that_version(self, open_table: Table) -> None:
        """A former version is forked as the seat saw it then, whatever it has learnt since."""
        play(open_table, 8)
        other = forked(open_table, 0, version=2, resample=True)
        assert seen(other, "", 0) == seen(open_table, "?version=2", 0)

    def test_the_end_of_the_fork_tells_nothing(self, open_table: Table) -> None:
        """Its seed is its own, and the cards it shows are drawn: over many forks the opponent's hand is any hand."""
        hands = set()
        for _ in range(12):
            other = forked(open_table, 0, version=2, resample=True)
            other.move(0, {"type": "resign"})
            over = json_of(other.get("", 0))
            hands.add(tuple(sorted(over["state"]["players"][1]["hand"])))
            assert over["state"]["players"][0]["hand"] == ["G5d", "G4n", "HUN"]
        assert len(hands) > 8

    def test_the_opponents_seat_of_the_fork_is_told_nothing_true(self, open_table: Table) -> None:
        """Whoever forks may sit there, too."""
        true = json_of(open_table.get("", 1))["state"]["players"][1]["hand"]
        hands = [
            json_of(forked(open_table, 0, version=2, resample=True).get("", 1))["state"]["players"][1]["hand"]
            for _ in range(6)
        ]
        assert any(sorted(hand) != sorted(true) for hand in hands)

    @pytest.mark.parametrize("seat", [0, 1])
    def test_the_true_cards_are_refused(self, open_table: Table, seat: int) -> None:
        """Whatever the version; the message says why, and what is possible."""
        play(open_table, 2)
        for version in (2, 3, 99):
            answer = fork(open_table, seat, version=version)
            assert code_of(answer) == (409, "game-running")
            assert "resample: true" in json_of(answer)["detail"]

    def test_only_a_seat_may(self, open_table: Table) -> None:
        """A spectator knows nothing that is hidden."""
        for resample in (True, False):
            answer = fork(open_table, version=2, resample=resample)
            assert code_of(answer) == (403, "forbidden")
            assert "only its seats" in json_of(answer)["detail"]


class TestWhoMaySeeAFork:
    """Hidden field by field, like a deal; and what a seat has forked, nobody but who holds its tokens."""

    def test_what_a_seat_forks_is_its_own(self, open_table: Table) -> None:
        """It shows the true hand of who forks: to no stranger and no app, in no listing, also when it is over."""
        other = forked(open_table, 0, version=2, resample=True)
        for move in (FIRST_MOVE, {"type": "resign"}):
            other.move(0, move)
            other.application.listing.update(other.id)
            for what in ("", "/events", "/export", "/replay", "/head", "/audit"):
                assert code_of(other.get(what)) == (404, "not-found")
            listed = json_of(other.client.get("/v1/games"))["games"]
            assert other.id not in [line["id"] for line in listed]
        assert json_of(other.get("", 1))["status"] == "finished"

    @pytest.mark.parametrize(
        ("wanted", "field", "words"),
        [
            ({"seats": [{"kind": "bot", "bot": "greedy"}] * 2}, "seats", "needs a human seat"),
            (
                {"seats": [NAMELESS[0], {"kind": "remote", "url": "https://example.org"}]},
                "seats",
                "no remote bots",
            ),
            ({"seats": [PEOPLE[0], NAMELESS[1]]}, "seats", "no names of players"),
            ({"visibility": "public"}, "visibility", "its forks are private"),
        ],
    )
    def test_a_seat_has_no_more_power_than_that(
        self, open_table: Table, wanted: Json, field: str, words: str
    ) -> None:
        """Only an app makes games of bots alone, has remote bots called, names players, shows a game to strangers."""
        answer = fork(open_table, 0, **{"version": 2, "resample": True} | wanted)
        assert code_of(answer) == (422, "validation-error")
        assert words in json_of(answer)["errors"][field][0]

    def test_each_its_own(self, open_table: Table) -> None:
        """A seat its own hand and face-down cards, a spectator none, and nobody the deck."""
        open_table.move(0, {"type": "play", "card": "G4n", "slot": None, "discard": "HUN"})
        open_table.move(0, {"type": "resign"})
        version = json_of(open_table.get("/replay"))["items"][2]["version"]
        other = forked(open_table, version=version, visibility="public")
        for viewer in (None, 0, 1):
            position = json_of(other.get("/events", viewer))["events"][1]
            assert position["data"]["deck"] is None
            assert [hand is not None for hand in position["data"]["hands"]] == [viewer == 0, viewer == 1]
            face = position["data"]["columns"][0][0]["cards"][0]["face"]
            assert face == ("G4n" if viewer == 0 else None)
            assert "salt" not in position
            assert set(position["redacted"]) == {"deck", "hands"} | ({"columns"} if viewer != 0 else set())


class TestRefusals:
    """Each in its own words."""

    def test_a_game_that_is_not_there_for_the_caller(self, table: Table, open_table: Table) -> None:
        """Private, unknown; or a token for another game."""
        assert code_of(fork(table, version=2)) == (404, "not-found")
        unknown = table.client.post("/v1/games/none/fork", json={"version": 2})
        assert code_of(unknown) == (404, "not-found")
        other = open_table.client.post(
            f"{open_table.path}/fork", json={"version": 2}, headers=table.bearer(0)
        )
        assert code_of(other) == (403, "forbidden")

    def test_a_game_that_waits(self, client: FlaskClient, application: Application) -> None:
        """There is no position yet."""
        waiting = set_table(
            client, application, seats=[{"kind": "human"}, {"kind": "open"}], visibility="public"
        )
        answer = fork(waiting, 0, version=1, resample=True)
        assert code_of(answer) == (409, "game-not-started")
        assert "waits for players" in json_of(answer)["detail"]

    def test_versions(self, open_table: Table) -> None:
        """Before the cards were dealt, after the end, beyond it, and amid a move: told apart."""
        open_table.move(0, FIRST_MOVE)
        open_table.move(0, {"type": "resign"})
        for version, code, words in (
            (0, (404, "not-found"), "no version 0; its versions are 1 to 7"),
            (8, (404, "not-found"), "no version 8; its versions are 1 to 7"),
            (1, (409, "game-not-started"), "had not begun"),
            (7, (409, "game-over"), "the game was over"),
            (4, (422, "within-a-move"), "fork version 3, before it, or 5, after it"),
        ):
            answer = fork(open_table, version=version)
            assert code_of(answer) == code
            assert words in json_of(answer)["detail"]

    @pytest.mark.parametrize(
        ("wanted", "field"),
        [
            ({}, "version"),
            ({"version": -1}, "version"),
            ({"version": "2"}, "version"),
            ({"version": 2, "resample": "yes"}, "resample"),
            ({"version": 2, "options": {}}, "options"),
            ({"version": 2, "seats": PEOPLE[:1]}, "seats"),
            ({"version": 2, "seats": [PEOPLE[0], {"kind": "open"}]}, "seats.1.kind"),
            ({"version": 2, "seats": [{"kind": "human", "bot": "greedy"}, PEOPLE[1]]}, "seats.0.bot"),
        ],
    )
    def test_fields_are_named(self, open_table: Table, wanted: Json, field: str) -> None:
        """What is missing, malformed or unknown."""
        open_table.move(0, {"type": "resign"})
        answer = fork(open_table, **wanted)
        assert code_of(answer) == (422, "validation-error")
        assert field in json_of(answer)["errors"]

    def test_unknown_bots(self, open_table: Table) -> None:
        """As when a game is created."""
        open_table.move(0, {"type": "resign"})
        answer = fork(open_table, version=2, seats=[{"kind": "bot", "bot": "oracle"}, PEOPLE[0]])
        assert code_of(answer) == (422, "unknown-bot")


class TestWithAppKeys:
    """A fork is a game, which only apps and seats may make."""

    @pytest.fixture
    def guarded(self, settings: Settings, new_service: NewService) -> Table:
        """A finished public game of an app at a service with keys."""
        hashes = {app: sha256(app.encode()).hexdigest() for app in ("ours", "theirs")}
        known = Settings(redis_url=settings.redis_url, queue_url=settings.queue_url, app_keys=hashes)
        engine = bootstrap.application(known)
        service = new_service(known, engine, AllThere())
        client = service.test_client()
        client.environ_base["HTTP_AUTHORIZATION"] = "Bearer ours"
        game = new_game(client, seats=PEOPLE, visibility="public")
        del client.environ_base["HTTP_AUTHORIZATION"]
        table = Table(client, engine, game["id"], tuple(seat["token"] for seat in game["seats"]))
        table.move(0, {"type": "resign"})
        return table

    def test_strangers_may_not(self, guarded: Table) -> None:
        """However public the game is."""
        assert code_of(fork(guarded, version=2)) == (401, "unauthorized")

    def test_whose_it_is(self, guarded: Table) -> None:
        """The asking app's, listed and watched; or the seat's own, which no app sees."""
        for token, status in (("theirs", 200), (guarded.tokens[0], 404)):
            header = {"Authorization": f"Bearer {token}"}
            made = guarded.client.post(f"{guarded.path}/fork", json={"version": 2}, headers=header)
            game = json_of(made)["id"]
            guarded.application.listing.update(game)
            for app in ("ours", "theirs"):
                headers = {"Authorization": f"Bearer {app}"}
                listed = json_of(guarded.client.get("/v1/games", headers=headers))["games"]
                sees = status == 200 and app == "theirs"
                assert (game in [line["id"] for line in listed]) == sees
                watched = guarded.client.get(f"/v1/games/{game}", headers=headers)
                assert watched.status_code == (200 if sees else 404)
