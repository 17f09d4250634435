"""A walk through every operation: requests, the answers that they get, and every problem that a caller can provoke."""

from datetime import timedelta
from typing import Any

import orjson
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from events.application import Application
from events.engine.command_handler import utc_now
from events.features.presence.port import WATCHED
from events.runtime import bootstrap
from events.store.servers.durability import Fault
from service.http.documentation.openapi import EXAMPLES
from tests.service.table import FIRST_MOVE, PEOPLE, SECOND_MOVE, WITH_OPEN, Json, deck, json_of, parts_of
from tests.service.thinking import Worker
from workers.webhooks.relay import Relay

EMBEDDER = "https://game.example"  # whose pages may show tables in frames


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
        sent["X-Request-Id"] = "3f0c9a6d2b8e4715"
        data = body if isinstance(body, bytes) else None
        document = {} if body is None or data is not None else {"json": body}
        return self.client.open(path, method=method, headers=sent, data=data, **document)


def documented() -> Json:
    """Requests, answers and problems that the description of the API shows, by operation."""
    shown: Json = orjson.loads(EXAMPLES.read_bytes())
    return shown


def record(client: FlaskClient, worker: Worker) -> Json:
    """Play the examples; `worker` answers what bots are asked."""
    recorder = Recorder(client)
    _catalogue(recorder)
    _questions(recorder, worker)
    _game(recorder)
    _app_events(recorder, worker)
    _registered_bots(recorder)
    _webhooks(recorder, worker)
    _refusals(recorder)
    _finished(recorder, worker.application)
    _analysed(recorder, worker)
    _taken_back(recorder)
    _claimed(recorder, worker.application)
    _apps(recorder)
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
    timed: Json = {"seats": [{"kind": "human"}, {"kind": "open"}]}
    timed |= {"clock": {"kind": "bank", "seconds": 300, "increment": 5, "when_up": "bot"}}
    recorder.ask("create_game", "with_a_clock", "POST", "/v1/games", timed)
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
    tickets = f"{path}/tickets"
    recorder.ask("issue_ticket", "of_the_seat", "POST", tickets, {"expires_in": 600}, Authorization=ada)
    recorder.ask("issue_ticket", "of_a_spectator", "POST", tickets)
    recorder.ask("revoke_tickets", "of_the_seat", "DELETE", tickets, Authorization=ada)
    embedding, parent = f"{path}/embed-tickets", {"parent": EMBEDDER}
    frame = recorder.ask("issue_embed_ticket", "of_the_seat", "POST", embedding, parent, Authorization=ada)
    ticket = f"Bearer {json_of(frame)['frame'].split('ticket=')[1]}"
    recorder.ask("redeem_embed_ticket", "first", "POST", f"{embedding}/redeem", Authorization=ticket)
    by_invite = {"seats": WITH_OPEN, "joining": "invite"}
    joined = json_of(recorder.ask("create_game", "by_invite", "POST", "/v1/games", by_invite))
    path_of_joined, ada_there = joined["links"]["self"], f"Bearer {joined['seats'][0]['token']}"
    invites = f"{path_of_joined}/seats/1/invites"
    hour = {"expires_in": 3600}
    invite = recorder.ask("create_invite", "for_an_hour", "POST", invites, hour, Authorization=ada_there)
    listed = f"{path_of_joined}/invites"
    recorder.ask("list_invites", "one", "GET", listed, Authorization=ada_there)
    short = recorder.ask("create_invite", "short", "POST", invites, {"short": True}, Authorization=ada_there)
    code = {"code": json_of(short)["join_code"]}
    recorder.ask("find_invite", "typed", "POST", "/v1/invites/lookup", code)
    revoked = f"{listed}/{json_of(invite)['id']}"
    recorder.ask("revoke_invite", "the_only_one", "DELETE", revoked, Authorization=ada_there)
    recorder.ask("view_lobby", "by_invite", "GET", "/v1/lobby?joining=invite")
    own: Json = {"external_id": "order-1234", "metadata": {"plan": "gold", "coupon": None}}
    recorder.ask("change_game", "an_order", "PATCH", path_of_joined, own)
    recorder.refuse("external-id-taken", "PATCH", path, {"external_id": "order-1234"})
    recorder.ask("list_games", "all", "GET", "/v1/games")
    recorder.ask("replay_game", "two_steps", "GET", f"{path}/replay?after=2&limit=2")
    against = [{"kind": "human"}, {"kind": "bot", "bot": "heuristic"}]
    what_if = {"version": 6, "resample": True, "seats": against}
    recorder.ask("fork_game", "what_if", "POST", f"{path}/fork", what_if, Authorization=ada)
    recorder.refuse("game-running", "POST", f"{path}/fork", {"version": 5}, Authorization=ada)
    amid = {"version": 5, "resample": True}
    recorder.refuse("within-a-move", "POST", f"{path}/fork", amid, Authorization=ada)
    recorder.ask("signed_head", "where_nothing_signs", "GET", f"{path}/head")
    recorder.ask("export_game", "of_a_running_game", "GET", f"{path}/export")
    recorder.ask("audit_game", "of_a_running_game", "GET", f"{path}/audit")
    recorder.ask("reissue_token", "a_lost_one", "POST", f"{path}/seats/1/token")
    recorder.ask("hand_over_seat", "to_zoe", "POST", f"{path}/seats/1/hand-over", {"player": "zoe"})
    people: Json = {"seats": PEOPLE, "setup": {"deck": deck()}}
    left, unwanted = (json_of(recorder.send("POST", "/v1/games", people))["links"]["self"] for _ in range(2))
    recorder.ask("replace_player", "bob_has_left", "POST", f"{left}/seats/1/bot", {"bot": "greedy"})
    recorder.ask("adjudicate_game", "ada_wins", "POST", f"{left}/adjudication", {"winner": 0})
    recorder.ask("abort_game", "in_the_middle", "POST", f"{unwanted}/abort")
    seeking: Json = {"player": "ada", "rating": 1480, "range": 200, "bot": "greedy", "bot_after": 20}
    waiting = json_of(recorder.ask("join_quick_match", "nobody_yet", "POST", "/v1/quick-match", seeking))
    other = {"player": "bob", "rating": 1555, "range": 100}
    recorder.ask("join_quick_match", "a_partner", "POST", "/v1/quick-match", other)
    recorder.ask("view_match", "a_partner", "GET", f"/v1/quick-match/{waiting['ticket']}")
    recorder.refuse("already-matched", "DELETE", f"/v1/quick-match/{waiting['ticket']}")
    alone = json_of(recorder.send("POST", "/v1/quick-match", {"player": "cleo"}))
    recorder.refuse("already-waiting", "POST", "/v1/quick-match", {"player": "cleo"})
    recorder.ask("cancel_match", "nobody_came", "DELETE", f"/v1/quick-match/{alone['ticket']}")
    recorder.refuse("foreign-origin", "GET", "/v1/games", Origin="https://elsewhere.example")
    player = f"/v1/players/{game['seats'][0]['player_id']}"
    recorder.ask("view_player", "ada", "GET", player)
    recorder.ask("find_player", "ada", "GET", "/v1/players?player=ada")
    recorder.ask("change_player", "ada", "PATCH", player, {"display_name": "Ada Lovelace"})
    recorder.ask("erase_player", "ada", "DELETE", player)


def _finished(recorder: Recorder, application: Application) -> None:
    seats = [{"kind": "human", "player": "cy"}, {"kind": "human", "player": "dee"}]
    tickets = [
        json_of(recorder.send("POST", "/v1/quick-match", {"game": "migo", "player": seat["player"]}))[
            "ticket"
        ]
        for seat in seats
    ]
    first, game = (
        json_of(recorder.send("GET", f"/v1/quick-match/{ticket}", None))["match"] for ticket in tickets
    )
    path, (cy, dee) = game["links"]["self"], (f"Bearer {one['token']}" for one in (first, game))
    seen = json_of(recorder.send("GET", path, None, Authorization=cy))
    player = seen["seats"][first["seat"]]["player_id"]
    recorder.refuse("rated-game", "POST", f"{path}/takeback", Authorization=cy)
    recorder.send("POST", f"{path}/moves", {"type": "resign"}, Authorization=dee)
    application.bot_turns.score_game(game["id"])
    application.listing.update(game["id"])
    leaderboard = application.leaderboards.enter(game["id"])
    assert leaderboard is not None
    application.leaderboards.fold(*leaderboard)
    recorder.ask("view_leaderboard", "after_one_game", "GET", "/v1/leaderboard?game=migo")
    recorder.ask("view_player", "with_a_rating", "GET", f"/v1/players/{player}")
    rematch = f"{path}/rematch"
    recorder.ask("ask_for_rematch", "the_first_agrees", "POST", rematch, Authorization=cy)
    recorder.ask("view_rematch", "one_is_missing", "GET", rematch, Authorization=dee)
    recorder.ask("withdraw_rematch", "not_any_more", "DELETE", rematch, Authorization=cy)
    recorder.send("POST", rematch, None, Authorization=cy)
    recorder.ask("ask_for_rematch", "the_last_agrees", "POST", rematch, Authorization=dee)
    recorder.ask("view_rematch", "of_a_seat", "GET", rematch, Authorization=cy)
    unwanted = json_of(recorder.send("POST", "/v1/games", {"seats": seats}))
    recorder.send("POST", f"{unwanted['links']['self']}/abort", None)
    token = f"Bearer {unwanted['seats'][0]['token']}"
    recorder.refuse("no-rematch", "POST", f"{unwanted['links']['self']}/rematch", Authorization=token)


def _analysed(recorder: Recorder, worker: Worker) -> None:
    wanted: Json = {"seats": PEOPLE, "setup": {"deck": deck()}, "options": {"turn_limit": 2}}
    game = json_of(recorder.send("POST", "/v1/games", wanted))
    path, tokens = game["links"]["self"], [f"Bearer {seat['token']}" for seat in game["seats"]]
    recorder.send("POST", f"{path}/moves", FIRST_MOVE, Authorization=tokens[0])
    recorder.send("POST", f"{path}/moves", SECOND_MOVE, Authorization=tokens[1])
    worker.busy = True
    recorder.ask("analyse_game", "not_yet", "GET", f"{path}/analysis", Authorization=tokens[0])
    worker.catch_up()
    worker.busy = False
    recorder.ask("analyse_game", "of_two_turns", "GET", f"{path}/analysis", Authorization=tokens[0])


def _taken_back(recorder: Recorder) -> None:
    setup: Json = {"rounds": [[f"E{card:02}a" for card in range(1, 19)]]}
    wanted: Json = {"game": "migo", "seats": PEOPLE, "setup": setup, "options": {"first_seat": 0}}
    game = json_of(recorder.send("POST", "/v1/games", wanted))
    path, (ada, bob) = game["links"]["self"], (f"Bearer {seat['token']}" for seat in game["seats"])
    takeback = f"{path}/takeback"
    recorder.refuse("nothing-to-take-back", "POST", takeback, Authorization=ada)
    moves = json_of(recorder.send("GET", f"{path}/legal-moves", None, Authorization=ada))["moves"]
    recorder.send("POST", f"{path}/moves", moves[0], Authorization=ada)
    recorder.ask("say_of_takeback", "one_asks", "POST", takeback, Authorization=ada)
    recorder.ask("view_takeback", "the_other_is_asked", "GET", takeback, Authorization=bob)
    recorder.ask("say_of_takeback", "the_other_agrees", "POST", takeback, {"agree": True}, Authorization=bob)


def _claimed(recorder: Recorder, application: Application) -> None:
    options: Json = {"claim_after": 10}
    game = json_of(recorder.send("POST", "/v1/games", {"seats": PEOPLE, "options": options}))
    path, bob = f"{game['links']['self']}/claim", f"Bearer {game['seats'][1]['token']}"
    recorder.refuse("nothing-to-claim", "POST", path, Authorization=bob)
    application.claims._now = lambda: utc_now() + timedelta(minutes=1)
    application.claims._presence = _Away()  # type: ignore[assignment]
    recorder.ask("claim_win", "from_seat_0", "POST", path, Authorization=bob)


class _Away:
    """Presence of seat 1 alone, for a long time."""

    def heard(self, _: str) -> dict[int, float]:
        return {1: 1.0, WATCHED: -1e6}


def _questions(recorder: Recorder, worker: Worker) -> None:
    setup: Json = {"deck": deck()}
    game = json_of(recorder.send("POST", "/v1/games", {"seats": PEOPLE, "setup": setup}))
    path, ada = game["links"]["self"], f"Bearer {game['seats'][0]['token']}"
    recorder.ask("hint", "of_greedy", "GET", f"{path}/hint?bot=greedy", Authorization=ada)
    view = json_of(recorder.send("GET", path, None, Authorization=ada))
    history = json_of(recorder.send("GET", f"{path}/events", None, Authorization=ada))["events"]
    position = {"view": view, "history": history, "seed": "00000000000000a7"}
    described = documented()["choose"]["request"]["the_first_turn"]
    recorder.ask("choose", "the_first_turn", "POST", "/v1/bots/ismcts/choose", described)
    worker.busy = True
    greedy = "/v1/bots/greedy/choose"
    later = recorder.ask("choose", "later", "POST", greedy, position, Prefer="respond-async")
    job = later.headers["Location"]
    recorder.ask("bot_job", "not_yet", "GET", job)
    worker.catch_up()
    recorder.ask("bot_job", "a_move", "GET", job)
    worker.busy = False
    view["state"]["deck"] += 1
    recorder.refuse("impossible-position", "POST", "/v1/bots/greedy/choose", position)


def _app_events(recorder: Recorder, worker: Worker) -> None:
    start = json_of(recorder.send("GET", "/v1/events?after=now", None))["next"]
    recorder.send("POST", "/v1/games", {"visibility": "public"})
    parts = bootstrap.webhook_parts(worker.settings, worker.application)
    Relay(parts.feed, worker.application.app_logs).step(1)
    recorder.ask("list_app_events", "of_a_new_game", "GET", f"/v1/events?after={start}&limit=3")
    recorder.refuse("events-expired", "GET", "/v1/events?after=1-0")


def _registered_bots(recorder: Recorder) -> None:
    wanted: Json = {"name": "my-bot", "url": "https://198.41.0.4/migrato", "strength": "beats greedy"}
    recorder.ask("register_bot", "first", "POST", "/v1/bots", wanted)
    recorder.send("POST", "/v1/bots", {**wanted, "strength": ""})
    rolled_back = {"current": 1, "shares": {"2": 10}}
    recorder.ask("change_bot", "rolled_back", "PATCH", "/v1/bots/my-bot", rolled_back)
    recorder.ask("rotate_bot_secret", "within_an_hour", "POST", "/v1/bots/my-bot/secret", {"overlap": 3600})
    recorder.ask("try_bot", "fresh", "POST", "/v1/bots/my-bot/try", {})
    for number in range(98):
        recorder.send("POST", "/v1/bots", {**wanted, "strength": str(number)})
    recorder.refuse("too-many-bots", "POST", "/v1/bots", wanted)


def _webhooks(recorder: Recorder, worker: Worker) -> None:
    # An address, so that no name is looked up.
    wanted: Json = {"url": "https://198.41.0.4/migrato", "types": ["turn.changed", "game.finished"]}
    created = json_of(recorder.ask("create_webhook", "for_turns", "POST", "/v1/webhooks", wanted))
    path = f"/v1/webhooks/{created['id']}"
    recorder.ask("list_webhooks", "one", "GET", "/v1/webhooks")
    recorder.ask("view_webhook", "for_turns", "GET", path)
    recorder.ask("change_webhook", "all_types", "PATCH", path, {"types": [], "description": "our lobby"})
    recorder.ask("rotate_webhook_secret", "within_an_hour", "POST", f"{path}/secret", {"overlap": 3600})
    sent = json_of(recorder.ask("ping_webhook", "once", "POST", f"{path}/ping"))["delivery_id"]
    webhooks = worker.application.webhooks
    (waiting,), _ = webhooks.deliveries("anonymous", created["id"], dead=False, after=None, limit=1)
    endpoint = webhooks.get("anonymous", created["id"]).endpoint
    webhooks.store.give_up(endpoint, waiting.failed(500, "status 500", 0.0, 0.0), 1)
    recorder.ask("list_deliveries", "a_ping", "GET", f"{path}/deliveries?status=dead")
    recorder.ask("resend_delivery", "a_ping", "POST", f"{path}/deliveries/{sent}/resend")
    for _ in range(19):
        recorder.send("POST", "/v1/webhooks", wanted)
    recorder.refuse("too-many-webhooks", "POST", "/v1/webhooks", wanted)
    recorder.ask("delete_webhook", "for_turns", "DELETE", path)


def _refusals(recorder: Recorder) -> None:
    game = json_of(recorder.send("POST", "/v1/games", {"seats": PEOPLE, "setup": {"deck": deck()}}))
    moves, (ada, bob) = game["links"]["moves"], (f"Bearer {seat['token']}" for seat in game["seats"])
    stranger = json_of(recorder.send("POST", "/v1/games", {}))["links"]["moves"]
    typed = {"Authorization": ada, "Content-Type": "application/json"}
    by_ada, by_bob, keyed = {"Authorization": ada}, {"Authorization": bob}, {"Idempotency-Key": "turn-1"}
    wrong = {"type": "play", "card": "G5d", "slot": 7, "colour": "red"}
    for code, path, body, headers in (
        ("malformed-json", moves, b'{"type": ', typed),
        ("unsupported-media-type", moves, b"type=pass", by_ada),
        ("too-large", moves, {"type": "x" * 70_000}, by_ada),
        ("unauthorized", moves, FIRST_MOVE, {}),
        ("forbidden", stranger, FIRST_MOVE, by_ada),
        ("validation-error", moves, wrong, by_ada),
        ("not-your-turn", moves, FIRST_MOVE, by_bob),
        ("version-mismatch", moves, FIRST_MOVE, by_ada | {"If-Match": '"1"'}),
        ("illegal-move", moves, {"type": "play", "card": "G5d", "slot": 1}, by_ada),
    ):
        recorder.refuse(code, "POST", path, body, **headers)
    at = game["links"]["self"]
    recorder.refuse("not-found", "GET", at)
    recorder.send("POST", moves, FIRST_MOVE, **by_ada, **keyed)
    recorder.refuse("idempotency-mismatch", "POST", moves, {"type": "exchange"}, **by_ada, **keyed)
    recorder.send("POST", moves, {"type": "resign"}, **by_ada)
    recorder.refuse("game-over", "POST", moves, FIRST_MOVE, **by_ada)
    recorder.refuse("seat-taken", "POST", f"{at}/seats/1", {"player": "eve"}, **by_ada)
    oracle = {"kind": "bot", "bot": "oracle"}
    for code, body in (
        ("unknown-game", {"game": "chess"}),
        ("unknown-bot", {"seats": [{"kind": "human"}, oracle]}),
        ("bad-deck", {"setup": {"deck": ["T5d", *deck()[1:]]}}),
    ):
        recorder.refuse(code, "POST", "/v1/games", body)


def _apps(recorder: Recorder) -> None:
    """The first administrator is made on the command line; from then on everybody needs a key."""
    administered = parts_of(recorder.client).use_cases.apps
    ops = f"Bearer {administered.create('ops', ['admin']).text}"
    wanted: Json = {"name": "chess-club", "scopes": ["games:read", "games:write"], "expires_in": 7_776_000}
    recorder.ask("create_app", "of_a_club", "POST", "/v1/apps", wanted, Authorization=ops)
    recorder.refuse("app-exists", "POST", "/v1/apps", {"name": "chess-club"}, Authorization=ops)
    recorder.ask("list_apps", "all", "GET", "/v1/apps", Authorization=ops)
    path = "/v1/apps/chess-club"
    rotated = recorder.ask("rotate_key", "for_a_day", "POST", f"{path}/keys", {}, Authorization=ops)
    recorder.refuse("too-many-keys", "POST", f"{path}/keys", Authorization=ops)
    owner = {"metadata": {"owner": "kim"}, "quotas": {"games": {"day": 1000}}}
    recorder.ask("change_app", "of_a_club", "PATCH", path, owner, Authorization=ops)
    recorder.ask("view_app", "with_two_keys", "GET", path, Authorization=ops)
    month = f"{path}/usage?from=2026-11-01&to=2026-11-30"
    recorder.ask("app_usage", "of_a_month", "GET", month, Authorization=ops)
    former = json_of(rotated)["app"]["keys"][0]["id"]
    recorder.ask("revoke_key", "the_former_one", "DELETE", f"{path}/keys/{former}", Authorization=ops)
    recorder.ask("revoke_app", "of_a_club", "DELETE", path, Authorization=ops)


class AllThere:
    """A check of readiness that finds everything there."""

    def checks(self) -> dict[str, bool]:
        """All is well."""
        return {"store": True, "dispatcher": True, "workers": True}

    def faults(self) -> list[Fault]:
        """Nothing is at risk."""
        return []
