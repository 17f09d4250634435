"""The examples of openapi.yaml: requests that were really made and the answers that they got.

    python -m tests.service.recording

plays them again and writes service/http/documentation/examples.json; a test holds the
file to what the service answers today.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import orjson
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from events.runtime import bootstrap
from events.runtime.embedded import EmbeddedServer
from events.runtime.settings import Settings
from events.use_cases.application import Application
from service.http.app import create_app
from service.http.documentation.openapi import EXAMPLES
from tests.service.table import FIRST_MOVE, Json, deck, json_of
from tests.service.thinking import Worker

PASSING = re.compile(
    r"\b(?:[0-9a-f]{64}|pl_[0-9a-z]{20}|[0-9A-Za-z]{22}|\d{4}-\d\d-\d\dT[\d:.]+Z)\b|mg_[\w-]+"
)

TIME_TAKEN = re.compile(r'(?<="milliseconds":)\d+(?=,"seed")')


class Recorder:
    """Makes requests, and keeps them with their answers in the shape of examples.json."""

    def __init__(self, client: FlaskClient) -> None:
        self.client = client
        self.kept: Json = {"problems": {}}

    def ask(
        self, operation: str, name: str, method: str, path: str, body: Any = None, **headers: str
    ) -> TestResponse:
        """Make a request of an operation and keep it under that name."""
        answer = self.send(method, path, body, **headers)
        assert answer.status_code < 400, answer.text
        kept = self.kept.setdefault(operation, {})
        if body is not None:
            kept.setdefault("request", {})[name] = body
        media_type = answer.mimetype
        if media_type:
            shown = json_of(answer) if media_type == "application/json" else answer.text
            by_status = kept.setdefault("answers", {}).setdefault(str(answer.status_code), {})
            by_status.setdefault(media_type, {})[name] = shown
        return answer

    def refuse(self, code: str, method: str, path: str, body: Any = None, **headers: str) -> None:
        """Make a request that is refused and keep the problem."""
        answer = self.send(method, path, body, **headers)
        problem = json_of(answer)
        assert problem["code"] == code, problem
        self.kept["problems"][code] = problem

    def send(self, method: str, path: str, body: Any, **headers: str) -> TestResponse:
        """Make a request; header names with underscores for hyphens."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        data = body if isinstance(body, bytes) else None
        document = {} if body is None or data is not None else {"json": body}
        return self.client.open(path, method=method, headers=sent, data=data, **document)


def record(client: FlaskClient, worker: Worker) -> Json:
    """Play the examples; `worker` answers what bots are asked."""
    recorder = Recorder(client)
    _catalogue(recorder)
    _questions(recorder, worker)
    _game(recorder)
    _refusals(recorder)
    return recorder.kept


def _catalogue(recorder: Recorder) -> None:
    recorder.ask("list_bots", "all", "GET", "/v1/bots")
    recorder.ask("healthz", "well", "GET", "/healthz")
    recorder.ask("readyz", "ready", "GET", "/readyz")
    recorder.ask("signing_keys", "where_nothing_signs", "GET", "/.well-known/migrato-keys.json")


def _game(recorder: Recorder) -> None:
    wanted: Json = {
        "seats": [{"kind": "human", "player": "ada", "client_seed": "four geese"}, {"kind": "open"}],
        "options": {"rules": "digital", "turn_limit": 200},
        "visibility": "public",
        "setup": {"deck": deck()},
    }
    against_bot: Json = {"seats": [{"kind": "human", "player": "ada"}, {"kind": "bot", "bot": "greedy"}]}
    recorder.ask("create_game", "against_a_bot", "POST", "/v1/games", against_bot)
    game = json_of(recorder.ask("create_game", "on_a_set_up_deck", "POST", "/v1/games", wanted))
    path, ada = game["links"]["self"], f"Bearer {game['seats'][0]['token']}"
    recorder.refuse("game-not-started", "POST", f"{path}/moves", FIRST_MOVE, Authorization=ada)
    recorder.ask("view_seat", "the_open_seat", "GET", f"{path}/seats/1")
    recorder.ask("take_seat", "bob", "POST", f"{path}/seats/1", {"player": "bob", "client_seed": "two teals"})
    recorder.ask("view_game", "as_the_seat", "GET", path, Authorization=ada)
    recorder.ask("legal_moves", "first_turn", "GET", f"{path}/legal-moves", Authorization=ada)
    recorder.ask("play_move", "dry_run", "POST", f"{path}/moves?dry_run=true", FIRST_MOVE, Authorization=ada)
    recorder.ask("play_move", "a_goose", "POST", f"{path}/moves", FIRST_MOVE, Authorization=ada)
    for form in ("application/json", "application/x-ndjson"):
        recorder.ask("game_events", "to_a_spectator", "GET", f"{path}/events?after=2", Accept=form)
    recorder.ask("list_games", "all", "GET", "/v1/games")
    recorder.ask("replay_game", "two_steps", "GET", f"{path}/replay?after=2&limit=2")
    what_if = {
        "version": 6,
        "resample": True,
        "seats": [{"kind": "human"}, {"kind": "bot", "bot": "heuristic"}],
    }
    recorder.ask("fork_game", "what_if", "POST", f"{path}/fork", what_if, Authorization=ada)
    recorder.refuse("game-running", "POST", f"{path}/fork", {"version": 5}, Authorization=ada)
    recorder.refuse(
        "within-a-move", "POST", f"{path}/fork", {"version": 5, "resample": True}, Authorization=ada
    )
    recorder.ask("signed_head", "where_nothing_signs", "GET", f"{path}/head")
    recorder.ask("export_game", "of_a_running_game", "GET", f"{path}/export")
    recorder.ask("audit_game", "of_a_running_game", "GET", f"{path}/audit")
    recorder.ask("reissue_token", "a_lost_one", "POST", f"{path}/seats/1/token")
    recorder.refuse("foreign-origin", "GET", "/v1/games", Origin="https://elsewhere.example")
    player = f"/v1/players/{game['seats'][0]['player_id']}"
    recorder.ask("view_player", "ada", "GET", player)
    recorder.ask("erase_player", "ada", "DELETE", player)


def _questions(recorder: Recorder, worker: Worker) -> None:
    people = [{"kind": "human", "player": "ada"}, {"kind": "human", "player": "bob"}]
    setup: Json = {"deck": deck()}
    game = json_of(recorder.send("POST", "/v1/games", {"seats": people, "setup": setup}))
    path, ada = game["links"]["self"], f"Bearer {game['seats'][0]['token']}"
    recorder.ask("hint", "of_greedy", "GET", f"{path}/hint?bot=greedy", Authorization=ada)
    view = json_of(recorder.send("GET", path, None, Authorization=ada))
    history = json_of(recorder.send("GET", f"{path}/events", None, Authorization=ada))["events"]
    position = {"view": view, "history": history, "seed": "00000000000000a7"}
    search = position | {"budget": {"iterations": 20}}
    recorder.ask("choose", "the_first_turn", "POST", "/v1/bots/ismcts/choose", search)
    worker.busy = True
    later = recorder.ask(
        "choose", "later", "POST", "/v1/bots/greedy/choose", position, Prefer="respond-async"
    )
    job = later.headers["Location"]
    recorder.ask("bot_job", "not_yet", "GET", job)
    worker.catch_up()
    recorder.ask("bot_job", "a_move", "GET", job)
    worker.busy = False
    view["state"]["deck"] += 1
    recorder.refuse("impossible-position", "POST", "/v1/bots/greedy/choose", position)


def _refusals(recorder: Recorder) -> None:
    people = [{"kind": "human", "player": "ada"}, {"kind": "human", "player": "bob"}]
    game = json_of(recorder.send("POST", "/v1/games", {"seats": people, "setup": {"deck": deck()}}))
    moves, (ada, bob) = game["links"]["moves"], (f"Bearer {seat['token']}" for seat in game["seats"])
    stranger = json_of(recorder.send("POST", "/v1/games", {}))["links"]["moves"]
    wrong = {"type": "play", "card": "G5d", "slot": 7, "colour": "red"}
    recorder.refuse(
        "malformed-json", "POST", moves, b'{"type": ', Authorization=ada, Content_Type="application/json"
    )
    recorder.refuse("unsupported-media-type", "POST", moves, b"type=pass", Authorization=ada)
    recorder.refuse("too-large", "POST", moves, {"type": "x" * 70_000}, Authorization=ada)
    recorder.refuse("unauthorized", "POST", moves, FIRST_MOVE)
    recorder.refuse("forbidden", "POST", stranger, FIRST_MOVE, Authorization=ada)
    recorder.refuse("not-found", "GET", game["links"]["self"])
    recorder.refuse("validation-error", "POST", moves, wrong, Authorization=ada)
    recorder.refuse("not-your-turn", "POST", moves, FIRST_MOVE, Authorization=bob)
    recorder.refuse("version-mismatch", "POST", moves, FIRST_MOVE, Authorization=ada, If_Match='"1"')
    recorder.refuse(
        "illegal-move", "POST", moves, {"type": "play", "card": "G5d", "slot": 1}, Authorization=ada
    )
    recorder.send("POST", moves, FIRST_MOVE, Authorization=ada, Idempotency_Key="turn-1")
    recorder.refuse(
        "idempotency-mismatch",
        "POST",
        moves,
        {"type": "exchange"},
        Authorization=ada,
        Idempotency_Key="turn-1",
    )
    recorder.send("POST", moves, {"type": "resign"}, Authorization=ada)
    recorder.refuse("game-over", "POST", moves, FIRST_MOVE, Authorization=ada)
    recorder.refuse(
        "seat-taken", "POST", f"{game['links']['self']}/seats/1", {"player": "eve"}, Authorization=ada
    )
    recorder.refuse("unknown-game", "POST", "/v1/games", {"game": "chess"})
    bots = [{"kind": "human"}, {"kind": "bot", "bot": "oracle"}]
    recorder.refuse("unknown-bot", "POST", "/v1/games", {"seats": bots})
    recorder.refuse("bad-deck", "POST", "/v1/games", {"setup": {"deck": ["T5d", *deck()[1:]]}})


def steady(recorded: Any) -> Any:
    """The recording without what differs from one game to the next: ids, tokens, times, digests."""
    text = TIME_TAKEN.sub("0", PASSING.sub("-", orjson.dumps(recorded).decode()))
    return orjson.loads(text)


def kept(known: Any, new: Any) -> Any:
    """What is known, as long as the new recording says the same: ids need not change with every recording."""
    return known if steady(known) == steady(new) else new


class AllThere:
    """A readiness that misses nothing."""

    def checks(self) -> dict[str, bool]:
        """All is well."""
        return {"store": True, "dispatcher": True, "workers": True}


@contextmanager
def _recording_service() -> Iterator[tuple[FlaskClient, Worker]]:
    with EmbeddedServer(None) as server:
        settings = Settings(redis_url=server.url, queue_url=server.url)
        application: Application = bootstrap.application(settings)
        worker = Worker(settings, application)
        yield create_app(settings, application, AllThere(), worker.bot_queries).test_client(), worker


if __name__ == "__main__":
    with _recording_service() as (client, worker):
        recorded = record(client, worker)
    known = orjson.loads(EXAMPLES.read_bytes())
    renewed = {name: kept(known.get(name), new) for name, new in recorded.items()}
    EXAMPLES.write_bytes(orjson.dumps(renewed, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
