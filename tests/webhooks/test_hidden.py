"""News to an app tells nothing that is hidden: two truths that nobody may tell apart give the same.

Two games differ in cards alone that the viewer has not seen: those in hands of others, and those that nobody has drawn
yet; in Migo, the rounds that come later. The app's events, what webhooks send, streams by tickets, clocks, the lobby,
invites, rematches, quick match, the limits, the leaderboard and all other answers are asked of both, and say the same;
only what is each game's own is left out (ids, times).
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any
from urllib.parse import urlsplit

import orjson
import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from events.application import Application
from events.features.webhooks.deliveries import of_message
from events.runtime.settings import Settings
from events.store.link import link_to
from service.http.app import create_app
from service.http.resources import BLUEPRINTS
from tests.events.dump import dump
from tests.service.contract import HeldClient
from tests.service.migo.table import random_rounds, round_sizes
from tests.service.table import BEGINNING, FIRST_MOVE, SECOND_MOVE, Table, deck, json_of
from tests.service.thinking import Worker
from tests.support.recording import AllThere
from tests.webhooks.conftest import KEY
from tests.webhooks.test_app_events import OURS
from workers.webhooks.relay import Relay

Json = dict[str, Any]
URL = "https://198.41.0.4/hook"  # an address, so that no name is looked up
CLOCK = {"kind": "bank", "seconds": 86_400, "when_up": "forfeit"}
OWN = frozenset(
    re.findall(
        r"\w+",
        "id game_id links created_at at timestamp commitment head salt fairness player_id signature deadline now since"
        " updated_at finished_at"
        " remaining_ms next token rematch_of request_id ticket stream expires_at invite url public_key key_id seed"
        " milliseconds delivery_id due_at request_hash",
    )
)
ID = re.compile(r"\b[0-9A-Za-z]{22}\b")


@dataclass(frozen=True, slots=True)
class Viewer:
    """A looker: a seat of the two, or a spectator, which is what the app itself is."""

    seat: int | None

    def deck(self, truth: int) -> list[str]:
        """The deck of one of two truths that this viewer cannot tell apart."""
        begun, cards = list(BEGINNING), deck()
        hidden = [3] if self.seat == 0 else [2] if self.seat == 1 else [2, 3]  # dealt, and never played below
        last = len(cards) - 1
        if truth:
            for number, place in enumerate(hidden):
                other = next(at for at in range(last - number, len(begun), -1) if cards[at] != cards[place])
                cards[place], cards[other] = cards[other], cards[place]
            cards[len(begun) :] = [*cards[len(begun) + 7 :], *cards[len(begun) : len(begun) + 7]]
        return cards


GAMES = ("migrato", "migo")
VIEWERS = [Viewer(None), Viewer(0), Viewer(1)]
Surface = Callable[["Asked"], Any]


@dataclass(frozen=True, slots=True)
class Asked:
    """A game of which something is asked by a viewer."""

    table: Table
    viewer: Viewer
    engine: Application
    game: str = "migrato"

    @property
    def headers(self) -> dict[str, str]:
        """The viewer's token: that of its seat, or the app's key."""
        return OURS if self.viewer.seat is None else self.table.bearer(self.viewer.seat)

    def get(self, path: str) -> Any:
        """The answer, with its status and its words on limits."""
        answer = self.table.client.get(path, headers=self.headers)
        return answer.status_code, limits_of(answer), answer.json


def limits_of(answer: TestResponse) -> Any:
    """The words of an answer on limits, less what is left of them: that is used up by whoever asks."""
    said = answer.headers.get("RateLimit", "")
    return answer.headers.get("RateLimit-Policy"), re.sub(r"[rt]=[0-9]+", "", said)


def bare(document: Any) -> Any:
    """The rest of a document without what is each game's own, the ids of games and players in sentences too."""
    if isinstance(document, dict):
        shown = {name: bare(value) for name, value in document.items() if name not in OWN}
        # Digests and salts are each event's own; which places have one is not.
        return shown | {name: sorted(document[name]) for name in ("sealed", "salts") if name in document}
    if isinstance(document, str):
        return ID.sub("ID", document)
    return [bare(value) for value in document] if isinstance(document, list | tuple) else document


def logged(asked: Asked) -> list[Any]:
    """All that the app's log says of the game."""
    page = asked.engine.app_logs.page("club", "0", 1000)
    return [one for one in page.messages if one.message.game_id == asked.table.id]


# --- the surfaces -----------------------------------------------------------------------------------------------------


def the_apps_events(asked: Asked) -> Any:
    """As a page of JSON; their data says nothing but what is everybody's. With views it is what a webhook gets."""
    pages = [
        json_of(asked.table.client.get(f"/v1/events{query}", headers=OURS)) for query in ("", "?views=true")
    ]
    found = [event for page in pages for event in page["events"]]
    return [event for event in found if event["data"]["game_id"] == asked.table.id]


def the_attendance(asked: Asked) -> Any:
    """A player who comes, as the app hears of it."""
    told = "/v1/events?types=seat.connected,seat.disconnected&limit=100"
    asked.table.client.get(told, headers=OURS)
    leave = asked.engine.presence.enter(asked.table.id, 0)
    asked.engine.attendance.step()
    leave()
    events = json_of(asked.table.client.get(told, headers=OURS))["events"]
    return [event for event in events if event["data"]["game_id"] == asked.table.id]


def deliveries(asked: Asked) -> Any:
    """All that a webhook is sent, tied to the viewer's seat or to none, as it is sent now: also of the past."""
    seat = asked.viewer.seat
    token = None if seat is None else asked.table.tokens[seat]
    state, _ = asked.engine.webhooks.create("club", URL, (), "", asked.table.id, token)
    payloads = asked.engine.webhooks.payloads
    told = [orjson.loads(payloads.body(state.endpoint, of_message(one))) for one in logged(asked)]
    path = f"/v1/webhooks/{state.endpoint.id}"
    shown = [asked.table.client.get(f"{path}{what}", headers=OURS).json for what in ("", "/deliveries")]
    asked.engine.webhooks.delete("club", state.endpoint.id)
    assert all(one["data"]["view"] is not None for one in told)
    return told, shown


def the_view(asked: Asked) -> Any:
    """The view of the game, with its clock."""
    status, _, document = view = asked.get(asked.table.path)
    assert status == 200
    assert document["clock"]["options" if "options" in document["clock"] else "kind"]
    return view


def the_events(asked: Asked) -> Any:
    """The events of the game, with those of the clock."""
    return asked.get(f"{asked.table.path}/events?limit=1000")


def the_past(asked: Asked) -> Any:
    """Its view at every version that there was, and its events as lines."""
    path, client = asked.table.path, asked.table.client
    last = asked.get(path)[2]["version"]
    lines = client.get(f"{path}/events", headers=asked.headers | {"Accept": "application/x-ndjson"})
    views = [asked.get(f"{path}?version={at}") for at in range(1, last + 1)]
    return views, [orjson.loads(line) for line in lines.data.splitlines()]


def the_rematch(asked: Asked) -> Any:
    """There is none while the game runs, and one like the other afterwards."""
    return asked.get(f"{asked.table.path}/rematch")


def the_players(asked: Asked) -> Any:
    """Their ratings, and the leaderboard; for the app alone."""
    listed = asked.get(f"/v1/leaderboard?game={asked.game}&time_class=live")
    shown = json_of(asked.table.client.get(asked.table.path, headers=OURS))
    ids = [seat["player_id"] for seat in shown["seats"]]
    return listed, [asked.get(f"/v1/players/{player_id}") for player_id in ids if player_id]


def the_listing(asked: Asked) -> Any:
    """Its line, as the lobby has it while the game waits."""
    asked.engine.listing.update(asked.table.id)
    games = json_of(asked.table.client.get("/v1/games?limit=100", headers=OURS))["games"]
    lobby = json_of(asked.table.client.get("/v1/lobby?joining=any", headers=OURS))["games"]
    return [[game for game in page if game["id"] == asked.table.id] for page in (games, lobby)]


def the_ticket(asked: Asked) -> Any:
    """Its document, and the frames of the streams that it opens: events, and states with legal moves."""
    client, path = asked.table.client, asked.table.path
    answer = client.post(f"{path}/tickets", headers=asked.headers)
    document = json_of(answer)
    events = len(json_of(client.get(f"{path}/events?limit=1000", headers=asked.headers))["events"])
    frames = [
        frames_of(client, f"{document['stream']}&{query}", count)
        for query, count in (
            ("after=0", events),
            ("views=true", 1),
            ("views=true&events=message", 1),
            ("views=true&after=1&languages=en,fr,de,it", 1),
        )
    ]
    assert '"state":{' in json.dumps(frames[1], separators=(",", ":"))
    assert frames[3][0][1]["events"]
    return answer.status_code, limits_of(answer), document, frames


def frames_of(client: FlaskClient, path: str, count: int, **headers: str) -> list[Any]:
    """The first frames with data of a stream: their names, and their data as documents."""
    answer = client.get(path, headers={"Accept": "text/event-stream"} | headers)
    found = list[Any]()
    for piece in answer.iter_encoded():
        for frame in piece.decode().strip().split("\n\n"):
            fields = dict(line.split(": ", 1) for line in frame.splitlines() if ": " in line)
            if "data" in fields:
                found.append([fields.get("event"), bare(orjson.loads(fields["data"]))])
        if len(found) >= count:
            break
    answer.close()
    return found[:count]


def refusals(asked: Asked) -> Any:
    """The answers to a move by the wrong seat, of one that the rules do not allow, and of a version that is over."""
    table, seat = asked.table, asked.viewer.seat or 0
    answers = [
        table.move(seat, move, query, **headers)
        for move, query, headers in (
            *((move, "?dry_run=true", {}) for move in REFUSED[asked.game]),
            (REFUSED[asked.game][0], "", {}),
            ({"type": "resign"}, "?dry_run=true", {"If_Match": '"1"'}),
        )
    ]
    return [(answer.status_code, limits_of(answer), answer.json) for answer in answers]


def the_takeback(asked: Asked) -> Any:
    """The answer to the seat that asks to take the last move back, if it can be; then it is declined."""
    table, seat = asked.table, asked.viewer.seat
    path = f"{table.path}/takeback"
    looked = asked.get(path)
    if seat is None:
        return looked
    asking = table.client.post(path, headers=table.bearer(seat))
    between = asked.get(path)
    if asking.status_code < 300:
        table.client.post(path, json={"agree": False}, headers=table.bearer(1 - seat))
    return looked, asking.status_code, asking.json, between


def the_records(asked: Asked) -> Any:
    """Its head, its audit, its export line by line, and its replay."""
    path, client = asked.table.path, asked.table.client
    exported = client.get(f"{path}/export", headers=asked.headers)
    lines = [orjson.loads(line) for line in exported.data.splitlines()]
    found = [lines, *(asked.get(f"{path}{what}") for what in ("/head", "/audit", "/replay?limit=100"))]
    return json.loads(json.dumps(found).replace(asked.table.id, "ID"))  # a notation names it


def the_moves(asked: Asked) -> Any:
    """The legal ones, the outcome of each, what bots would do, and that there is no analysis yet."""
    path, table, seat = asked.table.path, asked.table, asked.viewer.seat
    bots = ("greedy", "maxn-easy") if asked.game == "migo" else ("greedy",)
    asking = ("/legal-moves", "/analysis", *(f"/hint?bot={bot}" for bot in bots))
    found = legal, *_ = [asked.get(f"{path}{what}") for what in asking]
    moves = legal[2].get("moves", []) if seat is not None else []
    return found, [json_of(table.move(seat or 0, move, "?dry_run=true")) for move in moves]


def the_seats(asked: Asked) -> Any:
    """All there is to know of a seat before taking it, and the invites to it."""
    client, path = asked.table.client, asked.table.path
    made = client.post(f"{path}/seats/1/invites", headers=OURS)
    return asked.get(f"{path}/seats/1"), made.json, limits_of(made), asked.get(f"{path}/invites")


SURFACES: tuple[Surface, ...] = (
    the_apps_events,
    the_attendance,
    deliveries,
    the_view,
    the_events,
    the_past,
    the_rematch,
    the_players,
    the_listing,
    the_ticket,
    refusals,
    the_takeback,
    the_records,
    the_moves,
    the_seats,
)

# Every other operation that is asked for something, and why no card can be in its answer.
WITHOUT_CARDS: dict[str, str] = {
    "view_match": "test_a_quick_match_tells_nothing, below",
    "analyse_game": "none while a game runs: tests/service/test_analysis.py::test_a_running_game_is_not_analysed",
    "bot_job": "it is computed from what its asker has sent: tests/service/test_choosing.py",
    "find_player": "what view_player shows of the player",
    "signing_keys": "the installation's public keys",
    "list_bots": "the catalogue, the same for everybody",
    "list_apps": "names, scopes and ids of keys",
    "view_app": "names, scopes and ids of keys",
    "app_usage": "counts by app and day",
    "list_webhooks": "what view_webhook shows of each",
    "healthz": "of no game",
    "readyz": "of no game",
    "exposed_metrics": "numbers over all games",
}


REFUSED: dict[str, list[Json]] = {
    "migrato": [{"type": "discard", "card": "B6d"}, {"type": "abandon", "slot": 3}, FIRST_MOVE],
    "migo": [{"type": "take", "place": place} for place in (0, 24)],
}


@pytest.fixture
def client(keyed: Settings, engine: Application) -> FlaskClient:
    """A caller of a service with two apps, and a worker that thinks; every answer is held to openapi.yaml."""
    service = create_app(keyed, engine, AllThere(), Worker(keyed, engine).bot_questions)
    service.test_client_class = HeldClient
    return service.test_client()


def set_up(client: FlaskClient, engine: Application, setup: Json, **wanted: Any) -> Table:
    """A private game of the club's, with a clock, on that deck or with those rounds."""
    asked = {
        "seats": [{"kind": "human", "player": "ada"}, {"kind": "human", "player": "bob"}],
        "setup": setup,
        "clock": CLOCK,
    }
    answer = client.post("/v1/games", json=asked | wanted, headers=OURS)
    assert answer.status_code == 201, answer.text
    game = json_of(answer)
    return Table(client, engine, game["id"], tuple(seat.get("token", "") for seat in game["seats"]))


def truths_of(client: FlaskClient, engine: Application, game: str, viewer: Viewer) -> list[Table]:
    """Two games that the viewer cannot tell apart, and that are not the same."""
    if game == "migrato":
        truths = [set_up(client, engine, {"deck": viewer.deck(truth)}) for truth in (0, 1)]
        hands = [
            [player["hand"] for player in json_of(table.get(seat=seat))["state"]["players"]]
            for table in truths
            for seat in (0, 1)
        ]
        assert hands[:2] != hands[2:], "the truths differ"
        return truths
    rng, sizes = Random(7), round_sizes(2)
    first, *later = random_rounds(rng, sizes)
    others = random_rounds(rng, sizes)[1:]
    assert later != others, "the truths differ"
    rounds = [[first, *more] for more in (later, others)]
    return [set_up(client, engine, {"rounds": each}, game="migo") for each in rounds]


def next_move(table: Table, game: str, step: int) -> tuple[int, Json]:
    """The next seat to move, and its move."""
    if game == "migrato":
        return [(0, FIRST_MOVE), (1, SECOND_MOVE)][step]
    seat = json_of(table.get(seat=0))["to_act"]
    return seat, json_of(table.get("/legal-moves", seat=seat))["moves"][step]


@pytest.mark.parametrize("viewer", VIEWERS, ids=["app", "seat 0", "seat 1"])
@pytest.mark.parametrize("game", GAMES)
def test_no_surface_tells_cards(
    client: FlaskClient, engine: Application, relay: Relay, game: str, viewer: Viewer
) -> None:
    """At the start, in the middle of a turn's exchange, and after both have moved."""
    engine.app_logs.page("club", "0", 1)
    truths = truths_of(client, engine, game, viewer)
    for step in (None, 0, 1):
        if step is not None:
            seat, move = next_move(truths[0], game, step)
            assert [table.move(seat, move).status_code for table in truths] == [201, 201]
        relay.step(2)
        for surface in SURFACES:
            one, other = (bare(surface(Asked(table, viewer, engine, game))) for table in truths)
            assert one == other, surface.__name__
            assert one, surface.__name__


OF_THE_APP: tuple[Surface, ...] = (
    *(the_apps_events, the_attendance, the_players, the_listing, the_seats),
)  # asked by its key
MARK = "seen-by-nobody"
OWN_DATA: Json = {
    "external_id": MARK,
    "metadata": {MARK: MARK},
    "seats": [{"seat": seat, "metadata": {MARK: MARK}} for seat in (0, 1)],
}
STILL = (
    "",
    "/events",
    "/legal-moves",
    "/seats/0",
    "/seats/1",
    "/export",
    "/replay",
    "/head",
    "/audit",
    "/rematch",
)


@pytest.mark.parametrize("game", GAMES)
def test_own_data_is_the_apps_alone(
    client: FlaskClient, engine: Application, relay: Relay, redis_url: str, game: str
) -> None:
    """Seats, spectators, exports and what a seat's webhook is sent are the same with it and without, byte for byte; no
    key of the game is changed. The app sees it, in what its own webhook is sent, too.
    """
    engine.app_logs.page("club", "0", 1)
    link = link_to(redis_url, 5.0)
    table = truths_of(client, engine, game, Viewer(None))[0]
    still = set_up(client, engine, {"deck": deck()}, clock=None, visibility="public")
    relay.step(2)

    def told(seat: int | None) -> list[Any]:
        headers = {} if seat is None else still.bearer(seat)
        states = frames_of(client, f"{still.path}/events?views=true", 1, **headers)
        return [client.get(f"{still.path}{what}", headers=headers).data for what in STILL] + states

    def seen() -> str:
        """All that they are shown, but for who is connected: streams are opened here."""
        shown = [told(seat) for seat in (None, 0, 1)]
        of_seats = [viewer for viewer in VIEWERS if viewer.seat is not None]
        shown += [
            bare(surface(Asked(table, viewer, engine, game)))
            for viewer in of_seats
            for surface in SURFACES
            if surface not in (*OF_THE_APP, the_takeback)  # a takeback is another event each time
        ]
        return re.sub("(\"connected\":|'connected': )[TFtf][a-z]+", "", str(shown))

    def kept() -> dict[bytes, bytes]:
        return {key: value for key, value in dump(link).items() if key.startswith(b"{p")}

    before, stored = seen(), kept()
    for one in (table, still):
        wanted = OWN_DATA | {"external_id": f"{MARK}-{one.id}"}
        changed = client.patch(one.path, json=wanted, headers=OURS)
        assert (changed.status_code, MARK in changed.text) == (200, True)
    assert kept() == stored
    after = seen()
    assert after == before
    assert MARK not in after
    app = Asked(table, Viewer(None), engine, game)
    for surface in (the_apps_events, the_listing, the_view, deliveries):
        assert MARK in str(surface(app)), surface.__name__
    assert MARK not in str(the_listing(app)[1])
    assert client.patch(table.path, json={}, headers=table.bearer(0)).status_code == 403


@pytest.mark.parametrize("game", GAMES)
def test_every_answer_is_looked_at(
    client: FlaskClient, engine: Application, relay: Relay, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever can be asked for is asked for by a surface, and answered, or has a reason why no card can be in it."""
    engine.app_logs.page("club", "0", 1)
    table, *_ = truths_of(client, engine, game, Viewer(None))
    relay.step(2)
    routes, answered, opened = client.application.url_map.bind(""), set[str](), FlaskClient.open

    def noted(self: FlaskClient, *args: Any, **more: Any) -> TestResponse:
        answer = opened(self, *args, **more)
        if more.get("method") == "GET" and answer.status_code < 400:
            endpoint, _ = routes.match(urlsplit(str(args[0])).path)
            answered.add(endpoint.rpartition(".")[2])
        return answer

    monkeypatch.setattr(FlaskClient, "open", noted)
    for viewer in VIEWERS:
        for surface in SURFACES:
            surface(Asked(table, viewer, engine, game))
    to_act = json_of(table.get(seat=0))["to_act"]
    assert table.move(to_act, {"type": "resign"}).status_code == 201
    the_rematch(Asked(table, Viewer(0), engine, game))
    wanted = {o.endpoint for blueprint in BLUEPRINTS for o in blueprint.operations if o.method == "GET"}
    assert wanted - answered == set(WITHOUT_CARDS)


def test_a_quick_match_tells_nothing(client: FlaskClient) -> None:
    """Both learn the same of the match, whatever was dealt."""
    told = list[Any]()
    for _ in range(4):  # each with a deal of its own
        asked = {"game": "migrato", "clock": CLOCK, "rating": 1500}
        first, second = (
            client.post("/v1/quick-match", json=asked | {"player": player}, headers=OURS)
            for player in ("ada", "bob")
        )
        found = [
            client.get(f"/v1/quick-match/{json_of(one)['ticket']}", headers=OURS) for one in (first, second)
        ]
        assert json_of(found[0])["status"] == "matched"
        matches = [json_of(one)["match"] for one in found]
        told.append([bare(json_of(one)) for one in (first, second, *found)])
        for one, match in zip(told[-1][2:], matches, strict=True):
            assert one["match"].pop("seat") == match["seat"]  # which is drawn by lot
        told[-1][1]["match"].pop("seat")
    assert told == [told[0]] * 4


def test_a_rematch_tells_nothing_of_its_deck(client: FlaskClient, engine: Application, relay: Relay) -> None:
    """After the end, for each who agrees and for whoever looks: two rematches differ in their deals alone."""
    told = list[Any]()
    for _ in range(3):
        table = set_up(client, engine, {"deck": deck()})
        assert table.move(0, {"type": "resign"}).status_code == 201
        path = f"{table.path}/rematch"
        asked = [client.post(path, headers=table.bearer(seat)) for seat in (0, 1, 0)]
        asked += [client.get(path, headers=headers) for headers in (OURS, table.bearer(0), table.bearer(1))]
        assert [answer.status_code for answer in asked] == [200] * 6
        new = json_of(asked[-1])["match"]
        view = json_of(client.get(f"/v1/games/{new['id']}", headers=OURS))
        told.append([bare(answer.json) for answer in asked] + [limits_of(asked[0]), bare(view)])
    assert told == [told[0]] * 3


@pytest.mark.parametrize("viewer", [Viewer(None)], ids=["app"])
def test_a_game_that_waits_tells_nothing_of_its_deck(
    client: FlaskClient, engine: Application, relay: Relay, viewer: Viewer
) -> None:
    """In the lobby, the log and what webhooks send."""
    engine.app_logs.page("club", "0", 1)
    seats = [{"kind": "human", "player": "ada"}, {"kind": "open"}]
    truths = [set_up(client, engine, {"deck": viewer.deck(truth)}, seats=seats) for truth in (0, 1)]
    relay.step(1)
    for surface in (the_apps_events, deliveries, the_listing, the_seats):
        one, other = (bare(surface(Asked(table, viewer, engine))) for table in truths)
        assert one == other, surface.__name__
    assert KEY not in str(one)
