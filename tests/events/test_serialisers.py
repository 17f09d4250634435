"""Documents that go out: whole for some, redacted for the others, everything when the game is over."""

import hmac
import json
from hashlib import sha256

import orjson
import pytest
import rfc8785

from domain.lifecycle import Json, Seat, Viewer
from domain.registry import GAMES
from domain.words.languages import LANGUAGES
from events.application import Application
from events.engine.new_game import NewGame
from events.log.serialisers import event_document, events_json
from events.log.snapshot import Snapshot
from tests.support.players import committed_to
from tests.support.sure import sure

HUMANS = (Seat("human", "ada", client_seed="mine"), Seat("human", "bo"))
START = bytes(31) + b"\2"  # the head before the first event
WHOLE = ("version", "type", "schema", "at", "seat", "data")


@pytest.fixture
def game_id(counter: Application) -> str:
    game_id = counter.creation.create("my-app", NewGame("counter", {"goal": 5}, HUMANS)).snapshot.game_id
    counter.moves.play(game_id, 0, {"amount": 2, "note": "psst"})
    return game_id


def events_for(application: Application, snapshot: Snapshot, viewer: Viewer) -> list[Json]:
    return [event_document(snapshot, event, viewer) for event in application.views.history(snapshot.game_id)]


def finish(application: Application, game_id: str) -> Snapshot:
    application.moves.play(game_id, 1, {"amount": 3, "note": "bye"})
    return application.views.snapshot(game_id)


def test_a_seat_can_check_what_it_alone_sees(counter: Application, game_id: str) -> None:
    """By the salt of that place and its digest; the event's commitment covers the digest."""
    event = events_for(counter, counter.views.snapshot(game_id), 0)[-1]
    assert event["data"] == {"amount": 2, "note": "psst"}
    assert event["redacted"] == []
    assert event["salts"].keys() == event["sealed"].keys() == {"/note"}
    assert committed_to(event).hex() == event["commitment"]


def test_a_redacted_event_says_its_hidden_members_and_no_more(counter: Application, game_id: str) -> None:
    """Without its salt the digest does not help to guess. Everyone can check all the rest, and the chain of heads."""
    snapshot = counter.views.snapshot(game_id)
    for viewer in (0, 1, None):
        events, head = events_for(counter, snapshot, viewer), START
        for event in events:
            head = sha256(head + bytes.fromhex(event["commitment"])).digest()
            assert event["head"] == head.hex()
        if viewer != 0:
            last = events[-1]
            assert last["data"] == {"amount": 2, "note": None}
            assert (last["redacted"], last["salts"], list(last["sealed"])) == (["note"], {}, ["/note"])
            assert set(last) == {*WHOLE, "redacted", "sealed", "salts", "commitment", "head"}
            shown = {name: last[name] for name in (*WHOLE, "sealed")}
            assert sha256(rfc8785.dumps(shown)).hexdigest() == last["commitment"]


def test_nothing_hidden_goes_out_while_the_game_runs(counter: Application, game_id: str) -> None:
    """Not the seed, not a salt of what is redacted, no command id, no token's hash."""
    snapshot = counter.views.snapshot(game_id)
    stored = counter.views.history(game_id)
    secret = [snapshot.secrets.seed.hex(), "psst", *snapshot.secrets.tokens.values()]
    seed = snapshot.secrets.seed
    secret += [leaf.salt for event in stored for leaf in event.closed(snapshot.game, game_id, seed).leaves]
    assert len(secret) > 3
    secret += [event.command or "" for event in stored[2:]]
    said = json.dumps([counter.views.game_document(snapshot, None), events_for(counter, snapshot, None)])
    assert [word for word in secret if word in said] == []


def test_everything_is_shown_when_the_game_is_over(counter: Application, game_id: str) -> None:
    """To everyone alike, with the seed that opens every commitment."""
    over = finish(counter, game_id)
    views = [events_for(counter, over, viewer) for viewer in (0, 1, None)]
    assert views[0] == views[1] == views[2]
    assert all(event["redacted"] == [] for event in views[0])
    fairness = counter.views.game_document(over, None)["fairness"]
    seed = bytes.fromhex(fairness["server_seed"])
    assert sha256(seed).hexdigest() == fairness["commitment"] == views[0][0]["data"]["commitment"]
    for event in views[0]:
        assert event["salts"].keys() == event["sealed"].keys()
        for pointer, salt in event["salts"].items():
            made = hmac.digest(seed, f"salt:{game_id}:{event['version']}:{pointer}".encode(), "sha256")
            assert salt == made.hex()
        assert committed_to(event).hex() == event["commitment"]


def test_bytes_are_those_of_the_document(counter: Application, game_id: str) -> None:
    """For everyone, while the game runs and when it is over, from this process's memory or not."""
    then = counter.views.snapshot(game_id)
    for snapshot in (then, finish(counter, game_id), counter.views.snapshot(game_id, version=3)):
        for viewer in (0, 1, None):
            said = orjson.dumps(counter.views.game_document(snapshot, viewer))
            for _ in range(2):  # the second one is what was kept
                assert counter.views.game_json(snapshot, viewer) == said
            events = counter.views.history(game_id, limit=snapshot.version)
            documents = [event_document(snapshot, event, viewer) for event in events]
            lines = counter.views.lines(snapshot, documents, ("en", "de"))
            written = orjson.dumps(documents), orjson.dumps(lines)
            assert events_json(snapshot, events, viewer, ("en", "de")) == written


def test_a_document_is_not_kept_for_long(counter: Application, game_id: str) -> None:
    """A player who was erased has no name in the next answer, a new token makes no difference."""
    snapshot = counter.views.snapshot(game_id)
    ada = sure(snapshot.status.seats[0].player)
    assert b'"ada"' in counter.views.game_json(snapshot, 1)
    counter.players.erase("my-app", ada)
    played = counter.moves.play(game_id, 1, {"amount": 1, "note": ""})
    said = counter.moves.played_json(played, 1)
    assert b'"ada"' not in said
    assert orjson.loads(said)["game"] == counter.views.game_document(played.snapshot, 1)


@pytest.mark.parametrize("name", GAMES)
def test_the_answer_to_a_move(application: Application, name: str) -> None:
    """The version, the head, the events and the game, in the bytes of the documents; of every game that there is."""
    game, views = GAMES[name], application.views
    seats = tuple([Seat("human", f'the "{number}th"') for number in range(game.seat_counts[0])])
    now = application.creation.create("my-app", NewGame(name, {}, seats)).snapshot
    for _ in range(40):
        if (seat := now.status.to_act) is None:
            break
        move = game.move_document(game.fallback_move(now.state, seat))
        played = application.moves.play(now.game_id, seat, move)
        now = played.snapshot
        for viewer in range(len(seats)):
            shown = [event_document(now, event, viewer) for event in played.events]
            document = {
                "version": now.version,
                "head": played.events[-1].head,
                "events": shown,
                "notation": views.lines(now, shown, LANGUAGES),
                "game": views.game_document(now, viewer),
            }
            assert application.moves.played_json(played, viewer, LANGUAGES) == orjson.dumps(document)
