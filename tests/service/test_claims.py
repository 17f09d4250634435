"""Claims over HTTP: the option, what the view shows, who is refused and why, and the end."""

from collections.abc import Iterator
from contextlib import closing
from datetime import datetime, timedelta

import orjson
import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from events.application import Application
from events.engine.command_handler import utc_now
from events.features.presence.redis import RedisPresence
from events.runtime.settings import Settings
from events.store import keys
from events.store.link import link_to
from service.http.streaming import NO_STATE, Framing, SignOfLife, server_sent_events
from tests.service.table import PEOPLE, Table, code_of, json_of, set_table

MINUTE = 60


class Watched:
    """A game with the option: seat 1 is connected; seat 0, which is to act, has never been connected."""

    def __init__(self, table: Table, settings: Settings) -> None:
        self.table = table
        self._link = link_to(settings.redis_url or "", 5.0)
        self._later = timedelta()
        table.application.claims._now = self._now
        RedisPresence(self._link).tell({table.id: {1: 10.0}})

    def _now(self) -> datetime:
        return utc_now() + self._later

    def passes(self, seconds: float) -> None:
        """It is later, and seat 1 has been there all the time."""
        self._later += timedelta(seconds=seconds)
        self._link.call("ZADD", keys.presence(self.table.id), 1, -1)

    def claim(self, seat: int | None, **headers: str) -> TestResponse:
        held = {} if seat is None else self.table.bearer(seat)
        return self.table.client.post(f"{self.table.path}/claim", headers=held | headers)


@pytest.fixture
def watched(client: FlaskClient, application: Application, settings: Settings) -> Watched:
    options = {"claim_after": MINUTE}
    table = set_table(client, application, setup=None, seats=PEOPLE, options=options, visibility="public")
    return Watched(table, settings)


def test_the_win_can_be_claimed_when_the_view_says_so(watched: Watched) -> None:
    """Everybody sees it; the absent seat, a spectator and who comes too early are refused; a repeat is answered."""
    table = watched.table
    assert json_of(table.get())["options"]["claim_after"] == MINUTE
    for seat in (None, 0, 1):
        view = json_of(table.get("", seat))
        since = datetime.fromisoformat(view["updated_at"])
        wait = datetime.fromisoformat(view["claimable_at"]) - since
        assert MINUTE <= wait.total_seconds() < MINUTE + 10
    assert code_of(watched.claim(1)) == (409, "nothing-to-claim")
    watched.passes(MINUTE + 1)
    assert code_of(watched.claim(None)) == (401, "unauthorized")
    assert code_of(watched.claim(0)) == (409, "nothing-to-claim")
    before = table.log()
    key = {"Idempotency-Key": "3f0c8f5e-7d3b-4a53-9a36-4b8d1f1d6a10"}
    first, second = (watched.claim(1, **key) for _ in range(2))
    assert json_of(first) == json_of(second)
    assert [event["type"] for event in json_of(first)["events"]] == ["win_claimed", "game_ended"]
    view = json_of(table.get())
    assert (view["result"]["reason"], view["result"]["winner"]) == ("claimed", 1)
    assert "claimable_at" not in view
    assert table.log()[: len(before)] == before
    assert code_of(watched.claim(1)) == (409, "game-over")


def test_a_streamed_state_says_it_too(watched: Watched) -> None:
    """Also the one that comes because the seat has come back; the past says nothing of it."""
    table = watched.table
    framing = Framing(states=True, presence=True)
    leave = table.application.presence.enter(table.id, 1)
    frames = server_sent_events(
        table.application, table.id, None, NO_STATE, framing=framing, alive=SignOfLife(0.02)
    )
    with closing(frames):
        shown = claimable(frames)
        assert next(shown) is not None
        back = table.application.presence.enter(table.id, 0)
        assert next(shown) is None
    assert json_of(table.get())["claimable_at"] is None
    assert "claimable_at" not in json_of(table.get("?version=2"))
    back()
    leave()


def claimable(frames: Iterator[bytes]) -> Iterator[str | None]:
    """Times from which the win may be claimed, as states say them."""
    for frame in frames:
        if frame.startswith(b"id: "):
            yield orjson.loads(frame.partition(b"data: ")[2])["view"]["claimable_at"]
