"""The image and its composition, as far as they can be tried without a container engine."""

import json
import re
import shlex
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import requests

from domain.lifecycle import Seat
from drills.ports import free_port
from events.engine.new_game import NewGame
from events.runtime import bootstrap
from events.runtime.embedded import EmbeddedServer
from events.runtime.settings import load
from tests.project.composition import composition, interpolated
from tests.support.running import ROOT, clean_environment, ended, running
from tests.support.waiting import LIMIT, until

COMPOSE = composition()
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = ["web", "stream", "dispatcher", "worker", "thinker", "remote", "webhooks", "archiver"]
KEY = "a key for the tests"
KEY_HEADER = {"Authorization": f"Bearer {KEY}"}


def instructions() -> list[tuple[str, str]]:
    """The Dockerfile's instructions and what follows each, continued lines joined."""
    joined = re.sub(r"\\\n\s*", "", (ROOT / "Dockerfile").read_text())
    lines = [line for line in joined.splitlines() if line and not line.startswith("#")]
    return [(instruction, rest) for instruction, _, rest in (line.partition(" ") for line in lines)]


def last(instruction: str) -> str:
    """Text of the last such instruction."""
    return [rest for name, rest in instructions() if name == instruction][-1]


def image_environment() -> dict[str, str]:
    """The final stage's variables, without PATH, which names a place inside of the image."""
    pairs = (pair.partition("=") for pair in shlex.split(last("ENV")))
    return {name: value for name, _, value in pairs if name != "PATH"}


def healthcheck() -> list[str]:
    """The command of the HEALTHCHECK."""
    command: list[str] = json.loads(last("HEALTHCHECK").partition("CMD ")[2])
    return command


def test_the_build_copies_only_what_exists_and_is_not_ignored() -> None:
    allowed = re.findall(r"^!(.+)$", (ROOT / ".dockerignore").read_text(), re.MULTILINE)
    copied = [
        source.rstrip("/")
        for name, rest in instructions()
        if name == "COPY" and not rest.startswith("--from")
        for source in rest.split()[:-1]
    ]
    assert {source.split("/")[0] for source in copied} == set(allowed)
    assert {"compiled", "domain", "events", "service", "workers"} <= set(copied)
    assert [source for source in copied if not (ROOT / source).exists()] == []


def test_the_image_runs_as_nobody_special_on_one_pinned_base() -> None:
    """Both stages have the same pinned base, and the image runs as a user without rights."""
    assert int(last("USER")) > 1000
    (base,) = {rest.split()[0] for name, rest in instructions() if name == "FROM"}
    assert re.fullmatch(r"python:3\.11\.\d+-slim-\w+", base)


def test_compose_refers_to_what_exists() -> None:
    volumes = {volume.split(":")[0] for service in SERVICES.values() for volume in service.get("volumes", [])}
    assert set(SERVICES) == {*OURS, "tools", "keys", "redis", "queue"}
    assert volumes == set(COMPOSE["volumes"])
    for name in OURS:
        assert (ROOT / SERVICES[name]["build"] / "Dockerfile").is_file()
        assert set(SERVICES[name]["depends_on"]) <= set(SERVICES)


def test_composes_processes_keep_their_metrics_in_one_place() -> None:
    """In memory, and where the image's user may write."""
    options = COMPOSE["volumes"]["metrics"]["driver_opts"]
    assert (options["type"], options["o"]) == ("tmpfs", f"uid={last('USER')},mode=0700")
    for name in OURS:
        place = SERVICES[name]["environment"]["PROMETHEUS_MULTIPROC_DIR"]
        assert f"metrics:{place}" in SERVICES[name]["volumes"]


@pytest.mark.parametrize(("volume", "variable"), [("keys", "SIGNING_KEYS"), ("archive", "ARCHIVE")])
def test_composes_processes_have_one_key_and_one_archive(volume: str, variable: str) -> None:
    """Each in a volume that the image prepares for its user."""
    for service in SERVICES.values():
        place = interpolated(service.get("environment", {}).get(f"MIGRATO_{variable}", ""), {})
        mounted = [entry for entry in service.get("volumes", []) if entry.startswith(f"{volume}:")]
        assert [entry.removesuffix(":ro") for entry in mounted] == ([f"{volume}:{place}"] if place else [])
        owned = f"--owner={last('USER')} --mode=0700"
        assert not place or any(owned in rest and place in rest.split() for _, rest in instructions())


def test_composes_key_is_made_before_it_is_used() -> None:
    for name, service in SERVICES.items():
        if name != "keys" and "MIGRATO_SIGNING_KEYS" in service.get("environment", {}):
            assert service["depends_on"]["keys"] == {"condition": "service_completed_successfully"}
    assert (SERVICES["keys"]["restart"], "depends_on" in SERVICES["keys"]) == ("no", False)


def test_composes_redis_writes_every_event_to_the_disk() -> None:
    command = SERVICES["redis"]["command"]
    options = dict(zip(command[1::2], command[2::2], strict=True))
    assert (options["--appendonly"], options["--appendfsync"]) == ("yes", "always")
    assert [volume.partition(":")[2] for volume in SERVICES["redis"]["volumes"]] == ["/data"]


@pytest.fixture
def environment(tmp_path: Path) -> Iterator[dict[str, str]]:
    """Environment of a container of ours: the image's variables and compose's, with a store."""
    with EmbeddedServer(None) as store:
        yield image_environment() | {
            "MIGRATO_REDIS_URL": store.url,
            "MIGRATO_PORT": str(free_port()),
            "MIGRATO_APP_KEYS": f"test={sha256(KEY.encode()).hexdigest()}",
            "MIGRATO_SIGNING_KEYS": str(tmp_path / "keys"),
            "MIGRATO_ARCHIVE": str(tmp_path / "archive"),
            "MIGRATO_ARCHIVE_AFTER": "1",
        }


PLAYING = ("dispatcher", "worker", "archiver", "thinker", "remote", "webhooks")


@pytest.mark.nightly("a command or an option of image and composition that does not play, or a role refuses")
@pytest.mark.xdist_group("containers")
def test_the_commands_of_image_and_compose_play_a_game(environment: dict[str, str], tmp_path: Path) -> None:
    address = f"http://127.0.0.1:{environment['MIGRATO_PORT']}"

    def healthy() -> bool:
        return ended(healthcheck(), environ=environment).returncode == 0

    made = ended(SERVICES["keys"]["command"], environ=environment)
    with ExitStack() as containers:
        assert not healthy()
        web: list[str] = json.loads(last("CMD"))
        containers.enter_context(running(web, environment, tmp_path / "web", f"{address}/healthz"))
        assert healthy()
        for name in PLAYING:
            command = SERVICES[name]["command"]
            given = {variable: environment[variable] for variable in told(name) if variable in environment}
            containers.enter_context(running(command, given, tmp_path / name, f"{address}/healthz"))
        view = bots_play(address)
        assert view["result"]["reason"] == "turn_limit"
        published = requests.get(f"{address}/.well-known/migrato-keys.json", timeout=LIMIT).json()
        assert published == {"keys": [json.loads(made.stdout)]}
        until(lambda: any((tmp_path / "archive").rglob("*.gz")))
        assert (
            requests.get(f"{address}/v1/games/{view['id']}", headers=KEY_HEADER, timeout=LIMIT).json()[
                "state"
            ]
            == view["state"]
        )

    assert not healthy()


def told(name: str) -> set[str]:
    """The variables that a container of that name finds in its environment."""
    return {*image_environment(), *SERVICES[name]["environment"]}


def bots_play(address: str) -> dict[str, Any]:
    """The view of a short game of two bots, when its result is confirmed."""
    key, new = KEY_HEADER, {"seats": [{"kind": "bot", "bot": "greedy"}] * 2, "options": {"turn_limit": 4}}
    created = requests.post(f"{address}/v1/games", headers=key, json=new, timeout=LIMIT)
    game = f"{address}/v1/games/{created.json()['id']}"
    view: dict[str, Any] = {}

    def is_scored() -> bool:
        view.update(requests.get(game, headers=key, timeout=LIMIT).json())
        return view["result"] is not None and view["result"]["scored"]

    until(is_scored, otherwise=lambda: str(view))
    return view


@pytest.mark.nightly("the container of tools lacks what a backup needs")
@pytest.mark.xdist_group("containers")
def test_a_backup_by_composes_tools(environment: dict[str, str], tmp_path: Path) -> None:
    """With what that container finds, and nothing else: through standard output, and into an empty composition."""
    scratch, copy = tmp_path / "scratch", tmp_path / "copy"
    scratch.mkdir()

    def tools(*command: str, stdin: bytes = b"") -> bytes:
        given = {name: environment[name] for name in told("tools") if name in environment}
        done = subprocess.run(
            ["migrato", *command],
            env=clean_environment(given | {"TMPDIR": str(scratch)}),
            input=stdin,
            capture_output=True,
            timeout=LIMIT,
            check=False,
        )
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout

    assert SERVICES["tools"]["environment"]["TMPDIR"] in [
        volume.split(":")[1] for volume in SERVICES["tools"]["volumes"]
    ]
    application = bootstrap.application(load({"MIGRATO_REDIS_URL": environment["MIGRATO_REDIS_URL"]}))
    new = NewGame("migo", seats=(Seat("human"), Seat("human")))
    game_id = application.creation.create("club", new).snapshot.game_id
    (tmp_path / "archive").mkdir()
    tools(*SERVICES["keys"]["command"][1:])
    backup = tools("backup", "-")
    with EmbeddedServer(None) as store:
        environment |= {"MIGRATO_REDIS_URL": store.url, "MIGRATO_EPHEMERAL": "1"}
        environment |= {f"MIGRATO_{name}": str(copy / name) for name in ("ARCHIVE", "SIGNING_KEYS")}
        copy.mkdir()
        tools(*SERVICES["keys"]["command"][1:])
        assert b"1 game restored" in tools("restore", "-", stdin=backup)
        assert len(list((copy / "SIGNING_KEYS").iterdir())) > 1
        tools("fsck")
        restored = bootstrap.application(load({"MIGRATO_REDIS_URL": store.url}))
        assert restored.views.snapshot(game_id).version == application.views.snapshot(game_id).version
    assert list(scratch.iterdir()) == []


@pytest.mark.xdist_group("containers")
def test_the_image_does_not_serve_the_world_without_app_keys(environment: dict[str, str]) -> None:
    del environment["MIGRATO_APP_KEYS"]
    done = ended(json.loads(last("CMD")), environ=environment)
    assert done.returncode != 0
    assert "MIGRATO_APP_KEYS" in done.stderr
    assert "Traceback" not in done.stderr
