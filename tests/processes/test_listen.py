"""`migrato listen` beside a whole engine: what a webhook would get, through the death of either end."""

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests
from migrato_client.webhooks import verify

from tests.support.engine import Engine
from tests.support.players import Player, bots_game, is_settled, logged
from tests.support.receiver import Got, Receiver, receiver
from tests.support.running import ROOT, as_a_child, clean_environment
from tests.support.waiting import LIMIT, until

VARYING = ("host", "content-length", "webhook-id", "webhook-timestamp", "webhook-signature")


class Listening:
    """The command at work, and what it says."""

    def __init__(self, log: Path, *arguments: str) -> None:
        self._log = log
        with log.open("wb") as said:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "service.cli", "listen", *arguments],
                cwd=ROOT,
                env=clean_environment({}),
                stdout=said,
                stderr=said,
                preexec_fn=as_a_child(),  # noqa: PLW1509 (system calls)
            )
        until(lambda: "Ctrl-C ends" in self.said() or self.process.poll() is not None, otherwise=self.said)

    def said(self) -> str:
        """All that the command has said so far."""
        return self._log.read_text()

    @property
    def secret(self) -> str:
        """The secret that the command has printed."""
        (found,) = re.findall(r"whsec_\S+", self.said())
        return str(found)

    def interrupt(self) -> str:
        """Ctrl-C; the event after which the next one may go on."""
        self.process.send_signal(signal.SIGINT)
        assert self.process.wait(LIMIT) == 1
        (since,) = re.findall(r"Go on with --since (\S+)", self.said())
        return str(since)


@contextmanager
def listening(log: Path, *arguments: str) -> Iterator[Listening]:
    """The command, until the block ends."""
    command = Listening(log, *arguments)
    try:
        yield command
    finally:
        command.process.kill()
        command.process.wait()


def of_game(servers: list[Receiver], game_id: str) -> list[Got]:
    """All that was accepted about the game, in order."""
    accepted = [got for server in servers for got in server.accepted]
    return [got for got in accepted if got.document["data"].get("game_id") == game_id]


@pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")
def test_a_developers_server_gets_what_a_webhook_gets(mortal: Engine, tmp_path: Path) -> None:
    """The same requests, but for the signature by a secret of its own. The receiver dies and comes back, then the
    engine does, and then the command goes on after Ctrl-C: each event comes once, in the order of its game.
    """
    watcher, games = Player(mortal.url), list[str]()
    with receiver() as webhook:
        hook = watcher.ask("POST", "/v1/webhooks", {"url": webhook.url})["id"]
        servers = [Receiver(lambda _: 204)]
        to, at = ["--forward-to", servers[0].url], ["--url", mortal.url]
        with listening(tmp_path / "first", *to, *at) as command:
            games.append(bots_game(watcher, turns=10))
            until(lambda: of_game(servers, games[0]), otherwise=command.said)
            servers[0].close()
            games.append(bots_game(watcher, turns=10))
            until(lambda: "ConnectionRefusedError" in command.said(), otherwise=command.said)
            servers.append(Receiver(lambda _: 204, servers[0].port))
            until(lambda: of_game(servers, games[1]), otherwise=command.said)

            mortal.kill_supervisor()  # and all that it has started
            until(lambda: "Asking again" in command.said(), otherwise=command.said)
            mortal.start()
            games.append(bots_game(watcher, turns=10))
            for game_id in games:
                until(lambda: is_settled(watcher.view(game_id)), otherwise=mortal.tail)  # noqa: B023 (called at once)

            def is_told() -> bool:
                return [one["type"] for one in logged(mortal.url, games)].count("game.scored") == len(games)

            until(is_told, otherwise=mortal.tail)
            wanted = logged(mortal.url, games)
            until(lambda: len([one for game in games for one in of_game(servers, game)]) >= len(wanted))
            for game_id in games:
                ids = [one["id"] for one in wanted if one["data"]["game_id"] == game_id]
                assert [got.document["id"] for got in of_game(servers, game_id)] == ids
            assert "the engine answers again" in command.said()
            secret, since = command.secret, command.interrupt()
        check_requests(servers, webhook, games[0], secret)

        games.append(bots_game(watcher, turns=10))
        until(lambda: is_settled(watcher.view(games[3])), otherwise=mortal.tail)
        with listening(tmp_path / "second", *to, *at, "--since", since, "--events", "game.finished") as again:
            until(lambda: of_game(servers, games[3]), otherwise=again.said)
            (finished,) = of_game(servers, games[3])
            assert verify(again.secret, finished.headers, finished.body)["type"] == "game.finished"
            again.interrupt()
        servers[1].close()
        requests.delete(f"{mortal.url}/v1/webhooks/{hook}", timeout=LIMIT).raise_for_status()


def check_requests(servers: list[Receiver], webhook: Receiver, game_id: str, secret: str) -> None:
    """Each request is signed, and equals the one that the engine has sent to its webhook."""
    forwarded = of_game(servers, game_id)
    until(lambda: len(webhook.of_game(game_id)) == len(forwarded))
    sent = {got.document["id"]: got for got in of_game([webhook], game_id)}
    for got in forwarded:
        assert verify(secret, got.headers, got.body) == got.document
        same = sent[got.document["id"]]
        if got.document["type"] != "game.scored":  # a process shows the signature once it has read it
            assert got.body == same.body
        assert list(got.headers) == list(same.headers)
        assert got.headers["webhook-id"] == same.headers["webhook-id"]
        assert all(got.headers[name] == same.headers[name] for name in got.headers if name not in VARYING)
