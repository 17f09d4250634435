"""Bots and forks know nothing of the rounds that are prepared for later; nor do answers, as tests/webhooks has it.

Three games differ in those rounds alone: one has some, one has others, one has none.
"""

import re
import secrets
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from events.runtime.settings import Settings
from events.store import keys
from events.store.link import link_to
from tests.service.migo.conftest import Seat
from tests.service.migo.table import MigoTable, random_rounds, round_sizes
from tests.service.table import Json, bearer, json_of, people

# What is each game's own, or each event's or answer's.
OWN = {"id", "created_at", "at", "commitment", "head", "salt", "fairness", "player_id", "game_id", "links"}
OWN |= {"updated_at", "milliseconds", "key_id", "public_key", "signature", "token", "job", "seed"}
NAMED = re.compile(r"game [0-9A-Za-z]{22}")  # in the notation


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """Settings that allow other people's bots on this machine."""
    return replace(settings, remote_allow=("127.0.0.1",))


def bare(document: Any) -> Any:
    """The document without what is each game's own."""
    if isinstance(document, str):
        return NAMED.sub("game ID", document)
    if isinstance(document, dict):
        shown = {name: bare(value) for name, value in document.items() if name not in OWN}
        # Digests and salts are each event's own; which places have one is not.
        return shown | {name: sorted(document[name]) for name in ("sealed", "salts") if name in document}
    return [bare(value) for value in document] if isinstance(document, list | tuple) else document


def three(seat: Seat, sitting: Any, seed: int) -> list[MigoTable]:
    """Games with the same first round."""
    rng, sizes = Random(seed), round_sizes(sitting if isinstance(sitting, int) else len(sitting))
    first, *later = random_rounds(rng, sizes)
    others = random_rounds(rng, sizes)[1:]
    return [seat(sitting, setup={"rounds": [first, *more]}) for more in (later, others, [])]


def test_a_fair_game_hides_nothing_but_its_seed(seat: Seat) -> None:
    """All that was laid out is public, and nothing is prepared."""
    table = seat(3)
    assert table.get()["fairness"]["server_seed"] is None
    hidden = {event["type"]: event["redacted"] for event in table.events() if event["redacted"]}
    assert hidden in ({}, {"game_created": ["rounds"]})
    for loser in (0, 1):
        table.move(loser, {"type": "resign"})
    assert not any(event["redacted"] for event in table.events())
    assert table.get()["fairness"]["server_seed"] is not None


def test_remote_bots_are_told_nothing(seat: Seat) -> None:
    """A remote bot gets the same whole question in all three games, at every turn of a round, the last one too."""
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
    """Bots play the same round, up to its last card, in games whose prepared later rounds differ."""
    bots: list[Json] = [{"kind": "bot", "bot": bot} for bot in ("maxn-easy", "heuristic")]
    tables = three(seat, [*bots, *people(1)], 14)
    for table in tables:
        while len(table.state()["table"]) > 1:
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
        with monkeypatch.context() as patched:
            patched.setattr(secrets, "token_bytes", lambda n: bytes(range(n)))  # its id is the same, too
            fork = table.fork(0, version=table.get()["version"], resample=True)
        history = [event.data for event in table.application.views.history(fork.id)]
        assert history[1]["prepared"] == []
        history[0].pop("origin")
        told.append((bare(fork.events()[1:]), bare(history)))
        link = link_to(redis_url, 5.0)
        link.call("DEL", *keys.append_keys(fork.id)[:3])
        link.close()
    assert told[1:] == [told[0], told[0]]


def test_a_fork_that_goes_on_as_it_was_hides_what_is_prepared(seat: Seat) -> None:
    """Its origin is over, so that everything is known there; the fork itself tells nothing of it while it runs."""
    (table, *_), rng = three(seat, 2, 16), Random(16)
    table.play(rng, 7)
    version = table.get()["version"]
    table.move(0, {"type": "resign"})
    fork = json_of(table.client.post(f"{table.path}/fork", json={"version": version, "seats": people(2)}))
    events = f"/v1/games/{fork['id']}/events"
    for sitting in fork["seats"]:
        (_, position) = json_of(table.client.get(events, headers=bearer(sitting["token"])))["events"]
        assert (position["data"]["prepared"], position["redacted"]) == (None, ["prepared"])
        assert "salt" not in position
    assert len(table.application.views.history(fork["id"])[1].data["prepared"]) == 2
