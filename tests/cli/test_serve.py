"""What `migrato serve` refuses before it starts anything."""

import socket
from pathlib import Path

import pytest
from click.testing import CliRunner

from events.runtime.settings import Settings
from service.cli import main
from service.cli.commands.serve import embedded_servers, keys_for_children, programs
from service.cli.exits import Refusal
from service.cli.supervision.merged_log import MergedLog
from service.http.server.bind_check import is_loopback


def refused(options: list[str], environ: dict[str, str]) -> str:
    """What it says; exit code 2, one sentence."""
    result = CliRunner().invoke(main, ["serve", *options], env=environ)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    return result.stderr


def test_a_taken_port_is_told(tmp_path: Path) -> None:
    """Whoever else listens there is left alone."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        text = refused([], {"MIGRATO_PORT": str(port), "MIGRATO_DATA_DIR": str(tmp_path)})
    assert f"Port {port} of 127.0.0.1 is in use already" in text
    assert "--port" in text


def test_an_open_door_needs_keys(tmp_path: Path) -> None:
    """Other machines may only come with keys; the message says how one is made."""
    assert "`migrato key NAME`" in refused(["--host", "0.0.0.0", "--data-dir", str(tmp_path)], {})


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("MIGRATO_PORT", "http"),
        ("MIGRATO_PORT", "70000"),
        ("MIGRATO_BOT_WORKERS", "-1"),
        ("MIGRATO_BOT_WORKERS", "0"),
        ("MIGRATO_REDIS_URL", "http://localhost"),
        ("MIGRATO_APP_KEYS", "club"),
        ("MIGRATO_LOG_LEVEL", "loud"),
        ("MIGRATO_DATA_DIR", "/dev/null/games"),
    ],
)
def test_wrong_settings_are_named(variable: str, value: str) -> None:
    """One sentence, with the variable or the value that is wrong."""
    text = refused([], {variable: value})
    assert variable in text or value in text


@pytest.mark.parametrize(("slip", "meant"), [("BOT_WORKER", "BOT_WORKERS"), ("APP_KEY", "APP_KEYS")])
def test_a_slip_in_a_name_stops_the_start(slip: str, meant: str) -> None:
    """With the name that was meant, also where a command reads the other."""
    text = refused([], {f"MIGRATO_{slip}": f"myapp={'0' * 64}"})
    assert f"MIGRATO_{slip} is no setting. Did you mean MIGRATO_{meant}?" in text


def test_options_override_settings() -> None:
    """What is on the command line counts."""
    text = refused(["--port", "0"], {"MIGRATO_PORT": "8000"})
    assert "MIGRATO_PORT" in text


def test_ephemeral_needs_no_redis() -> None:
    """It would not be, on a server of somebody else's."""
    assert "--ephemeral" in refused(["--ephemeral"], {"MIGRATO_REDIS_URL": "redis://127.0.0.1:6379"})


@pytest.mark.parametrize(
    ("host", "answer"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
    ],
)
def test_loopback(host: str, answer: bool) -> None:
    """Only what this machine alone can reach needs no keys."""
    assert is_loopback(host) is answer


def test_what_runs_beside_the_servers() -> None:
    """One web service, one dispatcher, as many bot workers as are asked for."""
    names = [program.name for program in programs(Settings(bot_workers=2), {})]
    assert names == ["web", "dispatcher", "bots-1", "bots-2", "thinker-1", "remote", "webhooks"]


@pytest.mark.parametrize(
    ("number", "names"), [(0, []), (1, ["remote"]), (3, ["remote-2", "remote-3", "remote"])]
)
def test_as_many_remote_workers_run_as_are_asked_for(number: int, names: list[str]) -> None:
    found = [program.name for program in programs(Settings(remote_workers=number), {})]
    assert [name for name in found if name.startswith("remote")] == names


@pytest.mark.parametrize(("number", "names"), [(0, []), (1, ["webhooks"]), (2, ["webhooks-2", "webhooks"])])
def test_as_many_webhook_workers_run_as_are_asked_for(number: int, names: list[str]) -> None:
    found = [program.name for program in programs(Settings(webhook_workers=number), {})]
    assert [name for name in found if name.startswith("webhooks")] == names


@pytest.mark.parametrize(
    ("settings", "ephemeral", "servers"),
    [
        (Settings(), False, {"MIGRATO_REDIS_URL": "store", "MIGRATO_QUEUE_URL": "queue"}),
        (Settings(), True, {"MIGRATO_REDIS_URL": "store"}),
        (Settings(queue_url="redis://queue"), False, {"MIGRATO_REDIS_URL": "store"}),
        (Settings(redis_url="redis://store"), False, {}),
    ],
)
def test_which_servers_are_embedded(settings: Settings, ephemeral: bool, servers: dict[str, str]) -> None:
    """None where a Redis is given; the queue beside a durable store is one of its own."""
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
