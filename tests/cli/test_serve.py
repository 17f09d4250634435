"""Refusals of `migrato serve` before it starts anything."""

import socket
from pathlib import Path

import pytest

from events.runtime.settings import APART, Settings
from service.cli.commands.serve import embedded_servers, keys_for_children, programs
from service.cli.exits import Refusal
from service.cli.supervision.merged_log import MergedLog
from service.http.server.bind_check import is_loopback
from tests.support.command import migrato


def refused(*options: str, **environ: str) -> str:
    """The sentence of a refusal with exit code 2. Settings are given without their prefix."""
    result = migrato("serve", *options, **{f"MIGRATO_{name}": value for name, value in environ.items()})
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    return result.stderr


def test_a_taken_port_is_told(tmp_path: Path) -> None:
    """Another program that listens there is left alone."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        text = refused(PORT=str(port), DATA_DIR=str(tmp_path))
    assert f"Port {port} of 127.0.0.1 is in use already" in text
    assert "--port" in text


def test_an_open_door_needs_keys(tmp_path: Path) -> None:
    """Other machines may only come with keys; the message says how one is made."""
    assert "`migrato key NAME`" in refused("--host", "0.0.0.0", "--data-dir", str(tmp_path))


def test_wrong_settings_are_named() -> None:
    """One sentence, with the variable or the value that is wrong, or the name that was meant, whoever reads it."""
    for variable, value in (
        ("PORT", "http"),
        ("PORT", "70000"),
        ("BOT_WORKERS", "-1"),
        ("BOT_WORKERS", "0"),
        ("REDIS_URL", "http://localhost"),
        ("APP_KEYS", "club"),
        ("LOG_LEVEL", "loud"),
        ("DATA_DIR", "/dev/null/games"),
    ):
        text = refused(**{variable: value})
        assert f"MIGRATO_{variable}" in text or value in text
    for slip, meant in (("BOT_WORKER", "BOT_WORKERS"), ("APP_KEY", "APP_KEYS")):
        text = refused(**{slip: f"myapp={'0' * 64}"})
        assert f"MIGRATO_{slip} is no setting. Did you mean MIGRATO_{meant}?" in text


def test_options_override_settings() -> None:
    """An ephemeral engine uses no server that the settings name."""
    assert "MIGRATO_PORT" in refused("--port", "0", PORT="8000")
    assert "--ephemeral" in refused("--ephemeral", REDIS_URL="redis://127.0.0.1:6379")


def test_a_store_that_evicts_is_refused(evicting_url: str) -> None:
    """Before anything is started; what is allowed goes on to what comes next."""
    assert "The event store evicts" in refused(REDIS_URL=evicting_url)
    allowed = refused(REDIS_URL=evicting_url, ALLOW_EVICTION="1", SIGNING_KEYS="/dev/null")
    assert "No signing key can be made" in allowed


def test_loopback() -> None:
    """Only what this machine alone can reach needs no keys."""
    hosts = ("127.0.0.1", "127.9.9.9", "::1", "localhost", "0.0.0.0", "::")
    assert [is_loopback(host) for host in hosts] == [True] * 4 + [False] * 2


def test_as_many_workers_run_beside_the_servers_as_are_asked_for() -> None:
    """One web service, one dispatcher, and those; unless they are apart, one of each that waits shares a process."""

    def names(start: str = "", **settings: int) -> list[str]:
        found = [program.name for program in programs(Settings(roles=APART, **settings), {})]  # type: ignore[arg-type]
        return [name for name in found if name.startswith(start)]

    found = names(bot_workers=2)
    assert found == ["web", "dispatcher", "bots-1", "bots-2", "thinker-1", "remote", "webhooks"]
    remote = [names("remote", remote_workers=number) for number in (0, 1, 3)]
    assert remote == [[], ["remote"], ["remote-2", "remote-3", "remote"]]
    webhooks = [names("webhooks", webhook_workers=number) for number in (0, 1, 2)]
    assert webhooks == [[], ["webhooks"], ["webhooks-2", "webhooks"]]
    shared = programs(Settings(remote_workers=2, archive="x"), {})
    together = {program.name: program.command for program in shared}
    assert [*together] == ["web", "bots-1", "thinker-1", "remote-2", "background"]
    assert together["background"][-4:] == ("dispatch", "remote", "webhooks", "archive")
    alone = [program.name for program in programs(Settings(remote_workers=0, webhook_workers=0), {})]
    assert alone == ["web", "dispatcher", "bots-1", "thinker-1"]


def test_servers_are_embedded_where_no_redis_is_given() -> None:
    """The queue beside a durable store is one of its own."""
    store, queue = {"MIGRATO_REDIS_URL": "store"}, {"MIGRATO_QUEUE_URL": "queue"}
    for settings, ephemeral, servers in (
        (Settings(), False, store | queue),
        (Settings(), True, store),
        (Settings(queue_url="redis://queue"), False, store),
        (Settings(redis_url="redis://store"), False, {}),
    ):
        made = embedded_servers(settings, MergedLog(), ephemeral=ephemeral)
        assert {variable: server.name for variable, server in made.items()} == servers
        for server in made.values():
            server.close()


def test_keys_that_cannot_be_kept_are_told(tmp_path: Path) -> None:
    """Refused where they are wanted; beside a Redis of one's own, where nothing else is kept either, only told."""
    place = tmp_path / "file"
    place.write_text("")
    beside = Settings(redis_url="redis://store", data_dir=place)
    assert keys_for_children(beside, MergedLog(), needed=False) == {}
    for settings in (Settings(data_dir=place), Settings(signing_keys=place / "keys")):
        with pytest.raises(Refusal, match="No signing key can be made"):
            keys_for_children(settings, MergedLog(), needed=settings.signing_keys is None)
    kept = keys_for_children(Settings(data_dir=tmp_path), MergedLog(), needed=True)
    assert kept == {"MIGRATO_SIGNING_KEYS": str(tmp_path / "keys")}
