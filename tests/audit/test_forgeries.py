"""Forgeries of a public game by somebody without a key: of its answers, and of heads that are signed for anybody."""

import json
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from flask.testing import FlaskClient

from domain.lifecycle import EventRecord, Json, Seat
from domain.migrato.game import MIGRATO
from domain.migrato.rules.cards import STANDARD
from events.audit.findings import CheckFailed
from events.audit.running.redacted import check_redacted, check_shown
from events.engine.new_game_form import NewGames
from events.features.games.forks import WantedFork
from events.log.chain import FORMER
from events.log.serialisers import event_document
from events.runtime import bootstrap, key_files
from events.runtime.embedded import EmbeddedServer
from events.runtime.settings import Settings
from service.cli import main
from service.http.app import create_app
from tests.audit.games import ADA, BO, CREATOR, Table
from tests.audit.tamper import Parts, conceal, parts
from tests.support.recording import AllThere


@dataclass(frozen=True, slots=True)
class Public:
    """A service that signs, what anybody gets of it, and two finished games there, recorded as by former releases."""

    client: FlaskClient
    table: Table
    games: tuple[str, str]
    keys: Path

    def get(self, path: str, game: int = 0) -> Any:
        answer = self.client.get(f"/v1/games/{self.games[game]}/{path}")
        assert answer.status_code == 200, answer.text
        return answer

    def export(self, game: int = 0) -> Parts:
        return parts(self.get("export", game).data)

    def sign(self, forged: Parts, version: int) -> Json:
        """Take over the engine's own signature of the head at that version; that head."""
        head: Json = self.get(f"head?version={version}").json
        forged.end["signature"] = {"key_id": head["key_id"], "signature": head["signature"]}
        return head

    def cut(self, version: int, *, shown: bool = False) -> Parts:
        """The game up to that version as if it went on, with the signature of the head there; `shown` to spectators."""
        forged = self.export()
        head = self.sign(forged, version)
        del forged.events[version:]
        if shown:
            _as_spectator(forged, version)
        forged.header["complete"] = False
        forged.end |= {"version": version, "head": head["head"], "server_seed": None, "result": None}
        return forged


@pytest.fixture(scope="module")
def public(server: EmbeddedServer, tmp_path_factory: pytest.TempPathFactory) -> Public:
    place = tmp_path_factory.mktemp("signing")
    key_files.ensure(place / "keys")
    settings = Settings(redis_url=server.url, queue_url=server.url, signing_keys=place / "keys")
    application = bootstrap.application(settings)
    application.creation._handler._new_games = NewGames(FORMER)  # in later games hidden events are bound, too
    table = Table(application)
    client = create_app(settings, application, AllThere()).test_client()
    games = []
    for _ in range(2):
        game_id = table.create(ADA, BO, turn_limit=30)
        table.play(game_id)
        application.bot_turns.score_game(game_id)
        games.append(game_id)
    keys = place / "migrato-keys.json"
    keys.write_bytes(client.get("/.well-known/migrato-keys.json").data)
    return Public(client, table, (games[0], games[1]), keys)


def judged(public: Public, forged: Parts, *, keys: bool = True) -> tuple[int, Json]:
    """The exit code, and what is told as JSON."""
    named = ["--keys", str(public.keys)] if keys else []
    result = _verify(forged, "--json", *named)
    return result.exit_code, json.loads(result.stdout)


def _verify(forged: Parts, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["verify", "-", *arguments], input=forged.file)


def status(told: Json, check: str) -> str:
    return str(next(one["status"] for one in told["checks"] if one["check"] == check))


def test_an_invented_past_with_a_signed_head_is_found(public: Public) -> None:
    """Everything after the first event is made up, and hides nothing that any event hides."""
    forged = public.cut(version=20)
    for event in forged.events[1:]:
        event |= {"type": "bird_played", "seat": 1, "at": "2001-01-01T00:00:00.000Z"}
        event |= {"data": {"card": "G5d", "slot": 1, "x": None}, "redacted": ["x"]}
        conceal(event)
    for keys in (True, False):
        code, told = judged(public, forged, keys=keys)
        assert (code, told["verdict"], told["wrong"]["check"]) == (1, "failed", "redacted")


def _as_hidden(event: Json) -> None:
    """The event replaced by a move that hides just what a spectator is not shown."""
    event |= {"type": "bird_played", "seat": 1, "data": {"card": None, "slot": 1}, "redacted": ["card"]}
    conceal(event)


def test_an_invented_past_that_hides_what_may_be_hidden_is_incomplete(public: Public) -> None:
    """The chain commits to it unseen: nothing is wrong as far as can be seen, and that is no proof of anything."""
    forged = public.cut(version=20)
    for event in forged.events[1:]:
        _as_hidden(event)
    code, told = judged(public, forged)
    assert (code, told["verdict"], told["passed"], told["complete"]) == (1, "incomplete", False, False)
    assert status(told, "signature") == "not-checked"
    words = _verify(forged, "--keys", str(public.keys)).stdout
    assert "incomplete: nothing wrong, as far as can be seen; no signature proves such a game" in words
    assert "19 events hide something, and are committed to unseen" in words
    code, told = judged(public, forged, keys=False)
    assert (code, told["verdict"], told["complete"]) == (0, "incomplete", False)


def test_a_game_that_is_cut_off_and_whole_until_then_is_found(public: Public) -> None:
    """While it ran nobody was shown all of it."""
    code, told = judged(public, public.cut(version=20))
    assert (code, told["verdict"], told["wrong"]["check"]) == (1, "failed", "header")
    forged = public.cut(version=20)
    _as_spectator(forged, 2)
    code, told = judged(public, forged)
    assert (code, told["wrong"]["check"]) == (1, "redacted")


def _as_spectator(forged: Parts, events: int) -> None:
    """The first events as a spectator was shown them."""
    for event in forged.events[:events]:
        wire = EventRecord(event["type"], event["schema"], event["seat"], event["data"])
        event["data"], event["redacted"] = MIGRATO.redact(wire, None)
        if event["redacted"]:
            conceal(event)


def test_a_game_that_is_cut_off_as_a_spectator_saw_it_is_incomplete(public: Public) -> None:
    """It may be honest; what came after it is not there."""
    forged = public.cut(version=20, shown=True)
    code, told = judged(public, forged)
    assert (code, told["verdict"], told["wrong"]) == (1, "incomplete", None)
    assert judged(public, forged, keys=False)[0] == 0


def test_a_game_without_its_confirmation_is_unscored(public: Public) -> None:
    """Its seed is there, so all is checked; but only the head after the last event was signed to be kept."""
    forged = public.export()
    assert forged.events[-1]["type"] == "game_scored"
    head = public.sign(forged, len(forged.events) - 1)
    del forged.events[-1]
    forged.header["complete"] = False
    forged.end |= {"version": head["version"], "head": head["head"]}
    forged.end["result"]["scored"] = False
    code, told = judged(public, forged)
    assert (code, told["verdict"], told["passed"], told["wrong"]) == (1, "unscored", False, None)
    assert status(told, "signature") == "not-checked"
    words = _verify(forged, "--keys", str(public.keys)).stdout
    assert (
        "unscored: nothing wrong, but its result is not confirmed; no signature proves such a game" in words
    )
    code, told = judged(public, forged, keys=False)
    assert (code, told["verdict"]) == (0, "unscored")


def created_twice(forged: Parts) -> None:
    """The first event comes again, where it might hide the deck."""
    first = forged.events[0]["data"] | {"setup": True}
    hiding = next(event for event in forged.events[2:] if event["redacted"])
    hiding |= {"type": "game_created", "seat": None, "data": first, "redacted": ["deck"]}


def test_other_forgeries_are_found(public: Public) -> None:
    """Signatures of another version and of another game; of a game that is cut off, what is said to be another's."""
    whole, other, cut = public.export(), public.export(), public.cut(20, shown=True)
    public.sign(whole, 12)
    other.end["signature"] = public.export(1).end["signature"]
    cut.end["signature"] = public.export().end["signature"]
    with_end, of_another, of_nobody, twice = (
        public.export(), public.cut(20, shown=True), public.cut(1), public.cut(20, shown=True)
    )  # fmt: skip
    del with_end.events[20:-1]
    of_another.header["viewer"], of_nobody.header["viewer"] = 0, 7
    created_twice(twice)
    for forged, check in (
        (whole, "signature"), (other, "signature"), (cut, "signature"), (with_end, "sequence"),
        (of_another, "header"), (of_nobody, "redacted"), (twice, "header"),
    ):  # fmt: skip
        code, told = judged(public, forged)
        assert (code, told["verdict"], told["wrong"]["check"]) == (1, "failed", check)


def _with_null(event: Json, name: str) -> None:
    """One member more is hidden."""
    event["data"] = event["data"] | {name: None}
    event["redacted"] = sorted([*event["redacted"], name])


def _public(event: Json) -> str:
    """A member that is not hidden."""
    return str(next(name for name in sorted(event["data"]) if name not in event["redacted"]))


SPOILT: dict[str, Callable[[Json], object]] = {
    "a member more": lambda event: _with_null(event, "more"),
    "a public member": lambda event: _with_null(event, _public(event)),
    "another type": lambda event: event.update(type="bird_flown"),
    "another seat": lambda event: event.update(seat=2),
    "another schema": lambda event: event.update(schema=2),
    "another value": lambda event: event.update(data=event["data"] | {_public(event): {"x": 1}}),
}


def test_an_event_that_no_viewer_is_shown_is_found(public: Public, subtests: pytest.Subtests) -> None:
    """Of every type that hides something; it need not fit its commitment, which nobody can check."""
    cut = public.cut(version=20, shown=True)
    hiding: dict[str, int] = {}  # the first place of each type
    for at, event in enumerate(cut.events):
        if event["redacted"] and event["type"] != "game_started":
            hiding.setdefault(event["type"], at)
    assert hiding
    for what, spoil in SPOILT.items():
        with subtests.test(what):
            for at in hiding.values():
                forged = deepcopy(cut)
                spoil(forged.events[at])
                code, told = judged(public, forged)
                assert (code, told["wrong"]["check"], told["wrong"]["version"]) == (1, "redacted", at + 1)


def test_every_running_game_passes_for_every_viewer_at_every_version(public: Public) -> None:
    """Of every kind, as its exports would have been at each of its versions: no honest event is called wrong."""
    table, kinds = public.table, set[str]()
    for name, game_id in _all_kinds(table, public.games[0]).items():
        history = table.application.views.history(game_id)
        for version in sorted({*range(1, len(history) + 1, 13), len(history)}):
            then = table.application.views.snapshot(game_id, version)
            if then.status.status == "finished":
                continue
            for viewer in (None, 0, 1):
                report = table.application.exports.check(then, viewer)
                assert report.wrong is None, (name, version, viewer, report.wrong.document)
                assert (report.verdict, report.passed) == ("incomplete", True)
                kinds |= {e["type"] for e in _hiding(table, then, viewer)}
    assert kinds >= {"game_created", "game_started", "bird_played", "cards_drawn"}
    assert kinds >= {"deck_reshuffled", "position_set", "move_chosen", "hint_given"}


def test_a_danger_hides_its_prey_from_spectators_alone() -> None:
    """Both seats know the card; and of a pile everybody does."""
    data: Json = {"danger": "HUN", "target": {"slot": 1}, "card": None}
    hiding: Json = {"version": 9, "type": "danger_played", "schema": 1, "seat": 0}
    in_column = hiding | {"data": data, "redacted": ["card"]}
    of_pile = hiding | {"data": data | {"target": {"pile": "teal"}}, "redacted": ["card"]}
    check_redacted(MIGRATO, in_column, None, seats=2)
    for document, viewer in ((in_column, 0), (in_column, 1), (of_pile, None), (of_pile, 0), (of_pile, 1)):
        with pytest.raises(CheckFailed, match="other members than the rules do"):
            check_redacted(MIGRATO, document, viewer, seats=2)


def test_names_in_a_game_that_runs_are_no_longer_than_an_engine_takes() -> None:
    """Nobody is shown such an event; nor one of a bot's seat that is a player's."""
    seat: Json = {"kind": "bot", "player": None, "bot": "greedy", "client_seed": None}
    created: Json = {"id": "g", "game": "migrato", "commitment": "c", "options": {}}
    created |= {"deck": None, "setup": False}
    events: list[tuple[str, int | None, Json]] = [
        ("game_created", None, created | {"seats": [seat, seat | {"player": "pl_magnus"}]}),
        ("game_created", None, created | {"seats": [seat, seat | {"bot": "x" * 65}]}),
        ("seat_taken", 0, {"player": "x" * 65, "client_seed": None}),
        ("seat_taken", 0, {"player": "ada", "client_seed": "x" * 129}),
        ("seat_taken", 0, {"player": "", "client_seed": None}),
        ("seat_taken", 0, {"player": "a\0", "client_seed": None}),
        ("seat_taken", 0, {"player": "ada", "client_seed": ""}),
        ("seat_handed_over", 0, {"player": "x" * 65, "app": None}),
        ("player_replaced", 0, {"bot": "greedy", "app": "x" * 65}),
        ("turn_timed_out", 0, {"deadline": "0", "when_up": "forfeit"}),
        ("move_chosen", 0, {"bot": "greedy", "version": "1", "replaces": "remote", "fallback": "x" * 65}),
    ]
    for kind, seated, data in events:
        whole = {"budget": None, "seed": None} | data if kind == "move_chosen" else data
        event: Json = {"version": 9, "type": kind, "schema": 1, "seat": seated, "data": whole, "redacted": []}
        event["at"] = "2026-11-21T10:00:00.000Z"
        with pytest.raises(CheckFailed, match="records no event of this form"):
            check_redacted(MIGRATO, event, None, 2)


def test_a_game_that_runs_has_no_end() -> None:
    """Not even the verdict alone, whose end comes in the same step."""
    ends: dict[str, Json] = {
        "game_aborted": {"app": "tests"},
        "game_adjudicated": {"app": "tests", "places": [1, 2]},
        "game_ended": {"winner": 0, "reason": "adjudicated", "scores": [0, 0]},
    }
    for kind, data in ends.items():
        event: Json = {"version": 9, "type": kind, "schema": 1, "seat": None, "data": data, "redacted": []}
        with pytest.raises(CheckFailed, match="The event ends the game"):
            check_shown(MIGRATO, {"viewer": None}, event, 2)


def _hiding(table: Table, then: Any, viewer: int | None) -> list[Json]:
    history = table.application.views.history(then.game_id)[: then.version]
    return [one for event in history if (one := event_document(then, event, viewer))["redacted"]]


def _all_kinds(table: Table, over: str) -> dict[str, str]:
    """Running games; one of them goes on from the middle of one that is over."""
    easy, greedy = Seat("bot", bot="ismcts-easy"), Seat("bot", bot="greedy")
    deck = tuple(name for name, count in sorted(STANDARD.items()) for _ in range(count))
    games = {
        "bots": table.create(easy, greedy, return_flight=True),
        "opla": table.create(greedy, easy, rules="opla", first_seat="random", memory_aid=True),
        "people": table.create(ADA, Seat("open"), return_flight=True),
        "set up": table.create(ADA, BO, deck=deck),
        "long": table.create(ADA, BO, turn_limit=60),
        "remote": table.create(Seat("remote"), greedy, rules="opla"),
    }
    table.application.seats.take(games["people"], 1, "bo", "a seed", CREATOR)
    table.hint(games["people"], "ismcts-easy")
    table.hint(games["people"], "greedy")
    table.play(games["long"], 55, choose=lambda now: {"type": "exchange"})
    for name in ("bots", "opla", "people", "set up", "remote"):
        table.play(games[name], 60)
    drawn = [event.version for event in table.application.views.history(over) if event.type == "cards_drawn"]
    fork, _ = table.application.forks.fork(over, CREATOR, WantedFork(drawn[15], seats=(easy, greedy)))
    games["fork"] = fork.snapshot.game_id
    table.play(games["fork"], 8)
    return games
