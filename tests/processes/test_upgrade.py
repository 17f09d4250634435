"""Two releases on one store while clients play: the first one is a copy of the sources whose store format is older."""

import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from random import Random
from uuid import uuid4

import pytest
import requests

from drills.engine import Engine, EngineFailed
from events.runtime.embedded import EmbeddedServer
from events.store import keys
from events.store.connections.client import RedisClient
from events.store.formats import OURS
from events.store.link import link_to
from tests.support.running import ROOT
from tests.support.waiting import until

FORMATS = "events/store/formats.py"
QUICK = {  # so that nobody waits for long until a process counts as gone
    "TTL_MS: Final = 30_000": "TTL_MS: Final = 3_000",
    "RENEWED: Final = 10.0": "RENEWED: Final = 0.5",
}
FORMER = {
    f"reads: tuple[int, int] = {OURS.reads}": "reads: tuple[int, int] = (1, 1)",
    f"writes: tuple[int, int] = {OURS.writes}": "writes: tuple[int, int] = (1, 1)",
}
NEWEST = OURS.writes[1]


def release(place: Path, changes: dict[str, str]) -> Path:
    """A copy of the sources with these changes of the store's formats."""
    for name in ("compiled", "docs", "domain", "events", "service", "workers"):
        shutil.copytree(ROOT / name, place / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("openapi.yaml", "CHANGELOG.md"):
        shutil.copy(ROOT / name, place / name)
    text = (place / FORMATS).read_text()
    for before, after in changes.items():
        assert before in text
        text = text.replace(before, after)
    (place / FORMATS).write_text(text)
    return place


class Play:
    """Two people who play one game after the other at several addresses, and repeat a request until it is answered."""

    def __init__(self, *urls: str) -> None:
        self.urls = list(urls)
        self.moves = 0
        self.answered: dict[str, int] = {}
        self._rng = Random(7)
        self._session = requests.Session()
        self._session.trust_env = False  # which pytest changes meanwhile
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._play, daemon=True)
        self._thread.start()

    def _send(
        self, method: str, path: str, token: str | None = None, body: object = None
    ) -> requests.Response:
        headers = {"Idempotency-Key": str(uuid4())} | ({"Authorization": f"Bearer {token}"} if token else {})
        while True:
            url = self._rng.choice(self.urls)
            try:
                answer = self._session.request(method, url + path, headers=headers, json=body, timeout=10)
            except requests.RequestException:
                continue
            if answer.status_code not in (429, 503):
                return answer

    def _play(self) -> None:
        while not self._over.is_set():
            seats = [{"kind": "human", "player": name} for name in ("ada", "bo")]
            game = self._send(
                "POST", "/v1/games", body={"game": "migo", "seats": seats, "visibility": "public"}
            ).json()
            path, tokens = f"/v1/games/{game['id']}", [seat["token"] for seat in game["seats"]]
            game = self._send("GET", path, tokens[0]).json()
            while game["status"] == "playing" and not self._over.is_set():
                token = tokens[game["to_act"]]
                moves = self._send("GET", f"{path}/legal-moves", token).json()["moves"]
                answer = self._send("POST", f"{path}/moves", token, self._rng.choice(moves))
                assert answer.status_code == 201, answer.text
                self.answered[game["id"]] = answer.json()["version"]
                self.moves += 1
                game = self._send("GET", path, token).json()

    def on(self, moves: int = 20) -> None:
        """Wait until so many more moves were answered."""
        wanted = self.moves + moves
        until(lambda: self.moves >= wanted or not self._thread.is_alive(), seconds=120)
        assert self.moves >= wanted

    def end(self) -> None:
        """Play no more."""
        self._over.set()
        self._thread.join(60)


@pytest.fixture
def link(tmp_path: Path) -> Iterator[RedisClient]:
    """A store of its own."""
    with EmbeddedServer(tmp_path / "store", fsync="always") as server:
        yield link_to(server.url, 10.0)


@pytest.mark.nightly("moves that are lost, or a store that some process cannot read, while releases change")
def test_releases_change_under_play(link: RedisClient, tmp_path: Path) -> None:
    """Both play on one store; the former one comes back in time; what it could not read is written after it has gone,
    and then it does not start any more. No answered move is lost.
    """
    url = EmbeddedServer(tmp_path / "store", fsync="always").url
    settings = {"MIGRATO_REDIS_URL": url, "MIGRATO_COMPILED": "0", "MIGRATO_LIMITS": "off"}
    settings |= {"MIGRATO_WEB_WORKERS": "1", "MIGRATO_ARCHIVE": "off"}
    made = {"old": release(tmp_path / "old", QUICK | FORMER), "new": release(tmp_path / "new", QUICK)}
    old, new = [
        Engine(tmp_path / f"{name}-data", tmp_path / f"{name}.log", settings, sources)
        for name, sources in made.items()
    ]

    def written() -> bytes:
        return bytes(link.call("HGET", keys.FORMAT, "written"))

    try:
        old.start()
        play = Play(old.url)
        play.on()
        new.start()
        play.urls = [old.url, new.url]
        play.on(60)
        play.urls = [new.url]
        old.stop()
        play.on()
        old.start()  # the way back
        play.urls = [old.url]
        new.stop()
        play.on()
        assert written() == b"1"
        new.start()
        play.urls = [new.url]
        old.stop()
        until(lambda: link.call("HGET", keys.FORMAT, "wanted") is not None, seconds=30)
        link.call("HSET", keys.FORMAT, "wanted", f"{NEWEST}:0")  # all have read it for long
        until(lambda: written() == b"%d" % NEWEST, seconds=30)
        play.on()
        with pytest.raises(
            EngineFailed, match=f"written in format {NEWEST}, and this release reads format 1"
        ):
            old.start()
        play.end()
        for game_id, version in play.answered.items():
            events = requests.get(f"{new.url}/v1/games/{game_id}/events?limit=1000", timeout=10).json()[
                "events"
            ]
            assert len(events) >= version
        checked = new.command("fsck")
        assert checked.returncode == 0, checked.stdout
    finally:
        old.end()
        new.end()
