"""Whatever else can be asked for while a game runs tells nothing of the rounds that are prepared for later.

Three games differ in those rounds alone: one has some, one has others, one has none. Each surface of the service that
shows a game to anybody is asked of all three, and says the same.
"""

import secrets
from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from random import Random
from typing import Any

import orjson
import pytest

from events.games import access
from events.redis import keys
from events.redis.connections.client import RedisClient
from events.runtime.settings import Settings
from service.http.streaming import server_sent_events
from tests.service.migo.conftest import Seat
from tests.service.migo.table import MigoTable, people, random_rounds, round_sizes
from tests.service.migo.test_hidden import Json, plain
from tests.service.table import json_of

OWN = ("game_id", "links", "milliseconds", "key_id", "public_key", "signature", "token", "job", "seed")
Surface = Callable[[MigoTable, int], Any]  # what it says to that seat


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """With bots of other people on this machine."""
    return replace(settings, remote_allow=("127.0.0.1",))


def bare(document: Any) -> Any:
    """What is left without what is each game's own."""
    if isinstance(document, dict):
        return {name: bare(value) for name, value in plain(document).items() if name not in OWN}
    return [bare(value) for value in document] if isinstance(document, list | tuple) else plain(document)


def three(seat: Seat, sitting: Any, seed: int) -> list[MigoTable]:
    """Games with the same first round."""
    rng, sizes = Random(seed), round_sizes(sitting if isinstance(sitting, int) else len(sitting))
    first, *later = random_rounds(rng, sizes)
    others = random_rounds(rng, sizes)[1:]
    return [seat(sitting, setup={"rounds": [first, *more]}) for more in (later, others, [])]


def get(table: MigoTable, what: str, seat: int) -> Any:
    return table.client.get(f"{table.path}{what}", headers=table.bearer(seat))


# --- the surfaces -----------------------------------------------------------------------------------------------------


def views_of_the_past(table: MigoTable, seat: int) -> Any:
    """At every version that there was."""
    version = table.get()["version"]
    return [json_of(get(table, f"?version={at}", seat)) for at in range(1, version + 1, 5)]


def events_as_lines(table: MigoTable, seat: int) -> Any:
    headers = table.bearer(seat) | {"Accept": "application/x-ndjson"}
    answer = table.client.get(f"{table.path}/events", headers=headers)
    return [orjson.loads(line) for line in answer.data.splitlines()]


def a_stream(table: MigoTable, seat: int) -> Any:
    """As it comes to whoever watches from the beginning."""
    version = table.get()["version"]
    frames = islice(server_sent_events(table.application, table.id, seat, 0), 200)
    told = list[Any]()
    for frame in frames:
        data = [line[6:] for line in bytes(frame).splitlines() if line.startswith(b"data: ")]
        told += [orjson.loads(line) for line in data]
        if len(told) >= version:
            return told[:version]
    raise AssertionError


def the_export(table: MigoTable, seat: int) -> Any:
    exported = table.export(seat)
    return [orjson.loads(line) for line in (exported.header, *exported.events, exported.end)]


def the_audit(table: MigoTable, seat: int) -> Any:
    return json_of(get(table, "/audit", seat))


def the_head(table: MigoTable, seat: int) -> Any:
    answer = get(table, "/head", seat)
    return answer.status_code, json_of(answer)


def a_hint(table: MigoTable, seat: int) -> Any:
    """Of a bot that looks at this round, and of one that looks beyond it."""
    answers = [get(table, f"/hint?bot={bot}", seat) for bot in ("heuristic", "maxn-easy")]
    return [(answer.status_code, json_of(answer)) for answer in answers]


def a_choice(table: MigoTable, seat: int) -> Any:
    """What a bot chooses that is told all that the seat is told."""
    position = {"view": table.get(seat=seat), "history": table.events(seat), "seed": "0" * 16}
    answers = [table.client.post(f"/v1/bots/{bot}/choose", json=position) for bot in ("greedy", "maxn-easy")]
    return [(answer.status_code, json_of(answer)) for answer in answers]


def a_dry_run_of_anything(table: MigoTable, seat: int) -> Any:
    """Legal or not: what would come of it, or why it is refused."""
    moves: list[Json] = [
        {"type": "take", "place": place, "flip": flip, "drink": drink}
        for place in (0, 3, 24, *(card["place"] for card in table.state()["table"] if card["free"]))
        for flip, drink in ((None, False), (None, True), ("E07", False))
    ]
    answers = [table.post("/moves?dry_run=true", seat, move) for move in (*moves, {"type": "resign"})]
    return [(answer.status_code, json_of(answer)) for answer in answers]


def the_listing(table: MigoTable, seat: int) -> Any:
    table.application.listing.update(table.id)
    page = json_of(table.client.get("/v1/games?limit=100"))["games"]
    return [game for game in page if game["id"] == table.id]


def a_replay_of_pages(table: MigoTable, seat: int) -> Any:
    return json_of(get(table, "/replay?limit=3", seat))


SURFACES: tuple[Surface, ...] = (
    views_of_the_past,
    events_as_lines,
    a_stream,
    the_export,
    the_audit,
    the_head,
    a_hint,
    a_choice,
    a_dry_run_of_anything,
    the_listing,
    a_replay_of_pages,
)


@pytest.mark.parametrize(("seats", "seed"), [(2, 11), (4, 12)])
def test_no_surface_tells(seat: Seat, seats: int, seed: int) -> None:
    """At the start, in the middle of the first round, and when one card of it is left."""
    tables, rng = three(seat, seats, seed), Random(seed)
    last = len(tables[0].state()["table"]) - 1
    for taken in range(last + 1):
        to_act = tables[0].get()["to_act"]
        if taken in (0, last // 2, last):
            for surface in SURFACES:
                for viewer in (to_act, (to_act + 1) % seats):
                    one, *others = [bare(surface(table, viewer)) for table in tables]
                    assert others == [one, one], surface.__name__
        move = rng.choice(tables[0].moves(to_act))
        if taken < last:
            for table in tables:
                table.move(to_act, move)


def test_what_a_remote_bot_is_asked(seat: Seat) -> None:
    """The whole question, at every turn of a round; the last card of it too."""
    sitting: list[Json] = [{"kind": "remote", "url": "http://127.0.0.1:9/move"}, *people(2)]
    tables, rng = three(seat, sitting, 13), Random(13)
    for _ in range(25):
        view = tables[0].get(seat=1)
        version, to_act = view["version"], view["to_act"]
        questions = [table.application.remote.question(table.id, version, 5.0) for table in tables]
        assert (to_act == 0) == (questions[0] is not None)
        moves = tables[0].moves(to_act) if to_act else []
        if questions[0] is not None:
            told = [bare(question.position | {"deadline": None}) for question in questions if question]
            assert told[1:] == [told[0], told[0]]
            moves = questions[0].position["legal_moves"]
        move = rng.choice(moves)
        for table in tables:
            if to_act == 0:
                assert table.application.remote.play(table.id, version, move) is not None
            else:
                table.move(to_act, move)
    assert len({str(bare(table.state()["table"])) for table in tables}) == 3


def test_bots_do_not_know(seat: Seat) -> None:
    """A bot plays the same round in games that go on differently, up to the last card."""
    sitting: list[Json] = [
        {"kind": "bot", "bot": "maxn-easy"},
        {"kind": "bot", "bot": "heuristic"},
        *people(1),
    ]
    tables = three(seat, sitting, 14)
    for table in tables:
        table.watcher = None
    while len(tables[0].state()["table"]) > 1:
        for table in tables:
            view = table.get()
            if view["to_act"] < 2:
                assert table.application.bot_turns.bot_move(table.id, view["version"]) is not None
            else:
                table.move(2, table.moves(2)[0])
        one, *others = [bare(table.events()) for table in tables]
        assert others == [one, one]


def test_a_fork_of_a_running_game_draws_anew(
    seat: Seat, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For a seat, with the same chance: one and the same fork, all its events whole, whatever is prepared."""
    tables, rng = three(seat, 3, 15), Random(15)
    for _ in range(9):
        to_act = tables[0].get()["to_act"]
        move = rng.choice(tables[0].moves(to_act))
        for table in tables:
            table.move(to_act, move)
    told = []
    for table in tables:
        version = table.get()["version"]
        with monkeypatch.context() as patched:
            patched.setattr(secrets, "token_bytes", lambda n: bytes(range(n)))
            patched.setattr(access, "new_game_id", lambda: "F" * 22)
            answer = table.post("/fork", 0, {"version": version, "resample": True})
        assert answer.status_code == 201, answer.text
        fork = json_of(answer)
        token = next(one["token"] for one in fork["seats"] if one.get("token"))
        headers = {"Authorization": f"Bearer {token}"}
        path = f"/v1/games/{fork['id']}"
        running = json_of(table.client.get(f"{path}/events?limit=1000", headers=headers))["events"]
        history = [event.data for event in table.application.views.history(fork["id"])]
        assert history[1]["prepared"] == []
        history[0].pop("origin")
        told.append((bare(running[1:]), bare(history)))
        link = RedisClient.to(redis_url, 5.0)
        link.call("DEL", *keys.append_keys(fork["id"])[:3])
        link.close()
    assert told[1:] == [told[0], told[0]]


def test_a_fork_that_goes_on_as_it_was_hides_what_is_prepared(seat: Seat) -> None:
    """Its origin is over, so that everything is known there; the fork itself tells nothing of it while it runs."""
    (table, *_), rng = three(seat, 2, 16), Random(16)
    table.play(rng, 7)
    version = table.get()["version"]
    table.post("/moves", 0, {"type": "resign"})
    fork = json_of(table.client.post(f"{table.path}/fork", json={"version": version, "seats": people(2)}))
    path = f"/v1/games/{fork['id']}"
    for sitting in fork["seats"]:
        headers = {"Authorization": f"Bearer {sitting['token']}"}
        (_, position) = json_of(table.client.get(f"{path}/events", headers=headers))["events"]
        assert (position["data"]["prepared"], position["redacted"]) == (None, ["prepared"])
        assert "salt" not in position
    whole = table.application.views.history(fork["id"])[1].data
    assert len(whole["prepared"]) == 2
