"""Rights that compose.yaml denies its containers, and its settings, without a container engine."""

import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from redis import AuthenticationError, Redis

from events.runtime.embedded import find_binary
from events.runtime.settings import Settings, load
from tests.project.composition import SECRETS, Missing, composition, interpolated, variables
from tests.support.running import ROOT, clean_environment
from tests.support.waiting import until

FILES = {name: composition(name) for name in ("compose.yaml", "compose.tls.yaml")}
SERVICES: dict[str, dict[str, Any]] = FILES["compose.yaml"]["services"]
NETWORKS: dict[str, dict[str, Any] | None] = FILES["compose.yaml"]["networks"]
PROXY: dict[str, Any] = FILES["compose.tls.yaml"]["services"]["proxy"]
CONTAINERS = SERVICES | {"proxy": PROXY}
STORES = {"redis": "STORE_PASSWORD", "queue": "QUEUE_PASSWORD"}
UNITS = {"kb": 2**10, "mb": 2**20, "gb": 2**30, "k": 2**10, "m": 2**20, "g": 2**30}

OF_SERVE = {"DATA_DIR", "FSYNC", "BOT_WORKERS", "ROLES"}  # what the file itself says: who runs, and the store
OF_THE_IMAGE = {"HOST", "PORT"}
FIXED = {"REDIS_URL", "QUEUE_URL", "SIGNING_KEYS"}  # where things are in this composition


def size(text: str) -> int:
    """A size of the file, in bytes."""
    match = re.fullmatch(r"(\d+)([a-z]+)", interpolated(text, {}))
    assert match is not None, text
    return int(match[1]) * UNITS[match[2]]


def networks(name: str) -> set[str]:
    """The networks that the container is in."""
    return set(CONTAINERS[name].get("networks", []))


def places(name: str) -> dict[str, str]:
    """The volumes that the container has, and how: "rw" or "ro"."""
    volumes = [volume.split(":") for volume in CONTAINERS[name].get("volumes", [])]
    return {volume: mode[0] if mode else "rw" for volume, _, *mode in volumes}


def server_options(name: str) -> dict[str, str]:
    """Commands to the server of that name."""
    command = interpolated(SERVICES[name]["command"], SECRETS)
    return dict(zip(command[1::2], command[2::2], strict=True))


def test_every_container_is_confined() -> None:
    """No port is published beyond this machine."""
    for name, service in CONTAINERS.items():
        assert service["read_only"] is True, name
        assert service["cap_drop"] == ["ALL"], name
        assert service.get("cap_add", []) == (["NET_BIND_SERVICE"] if name == "proxy" else [])
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert service["pids_limit"] <= 256, name
        assert 0 < size(service["mem_limit"]) <= 2 * UNITS["g"], name
        assert not {"privileged", "devices", "pid", "ipc", "userns_mode"} & set(service), name
    published = {name: service.get("ports", []) for name, service in SERVICES.items()}
    assert {name for name, ports in published.items() if ports} == {"web", "stream"}
    assert all(port.startswith("127.0.0.1:") for ports in published.values() for port in ports)


def test_each_store_has_a_password_of_its_own() -> None:
    """It has to be given: the file holds none, and says what is missing; the addresses of the stores contain it."""
    for name, password in STORES.items():
        for use in (SERVICES[name]["command"], SERVICES["remote"]["environment"]):
            with pytest.raises(Missing, match=f"{password} must be set; see the top of compose.yaml"):
                interpolated(use, SECRETS | {password: ""})
        assert server_options(name)["--requirepass"] == SECRETS[password]
        assert set(SERVICES[name]["environment"].values()) == {f"${{{password}}}"}
    given = interpolated(
        SERVICES["web"]["environment"], {**SECRETS, "STORE_PASSWORD": "a", "QUEUE_PASSWORD": "b"}
    )
    assert given["MIGRATO_REDIS_URL"] == "redis://:a@redis:6379/0"
    assert given["MIGRATO_QUEUE_URL"] == "redis://:b@queue:6379/0"


def test_full_stores_refuse_and_evict_nothing() -> None:
    """Long before their containers are killed: a rewrite of the file may take as much again."""
    for name in STORES:
        options = server_options(name)
        assert options["--maxmemory-policy"] == "noeviction"
        assert 2 * size(options["--maxmemory"]) <= size(SERVICES[name]["mem_limit"])


def test_remote_meets_nobody_but_the_stores() -> None:
    """It also meets the other service that calls strangers; both listen on no port."""
    neighbours = {name for name in CONTAINERS if networks(name) & networks("remote")}
    assert neighbours == {"redis", "queue", "remote", "webhooks"}
    assert networks("webhooks") == networks("remote")


def test_nobody_else_has_a_way_out() -> None:
    """Published ports need a network that is not internal; in that one nobody gets an address that is heard outside."""
    masquerade = "com.docker.network.bridge.enable_ip_masquerade"
    known = {name: network or {} for name, network in NETWORKS.items()}
    closed = {name for name, network in known.items() if network.get("internal")}
    closed |= {name for name, one in known.items() if one.get("driver_opts") == {masquerade: "false"}}
    assert {name for name in SERVICES if networks(name) - closed} == {"remote", "webhooks"}
    assert closed == {"front", "stores", "remote-stores"}
    assert networks("redis") == networks("queue") == {"stores", "remote-stores"}
    assert all(known[name].get("internal") for name in networks("redis"))
    assert (SERVICES["keys"]["network_mode"], networks("keys")) == ("none", set())


def test_the_signing_key_is_where_it_is_used() -> None:
    """By whoever shows heads, scores games or archives them; it is written where it is made."""
    told = {name for name in SERVICES if "MIGRATO_SIGNING_KEYS" in SERVICES[name].get("environment", {})}
    have = {name: places(name)["keys"] for name in SERVICES if "keys" in places(name)}
    assert told == set(have)
    assert have == {
        **dict.fromkeys(("web", "stream", "worker", "archiver"), "ro"),
        "tools": "rw",
        "keys": "rw",
    }


def test_the_archive_is_written_by_the_archiver_alone() -> None:
    told = {name for name in SERVICES if "MIGRATO_ARCHIVE" in SERVICES[name].get("environment", {})}
    have = {name: places(name)["archive"] for name in SERVICES if "archive" in places(name)}
    assert told == set(have)
    assert {name for name, mode in have.items() if mode == "rw"} == {"archiver", "tools"}
    assert "remote" not in have


def test_only_http_knows_the_apps() -> None:
    told = {name for name in SERVICES if "MIGRATO_APP_KEYS" in SERVICES[name].get("environment", {})}
    assert told == {"web", "stream"}


def settings_of(service: dict[str, Any]) -> dict[str, str]:
    """The values that the container is given, by the names of the settings."""
    given = service.get("environment", {}).items()
    return {name.removeprefix("MIGRATO_"): value for name, value in given if name.startswith("MIGRATO_")}


def test_every_setting_is_passed() -> None:
    """Under its own name, to the service at least; and none to anybody that is no setting."""
    wanted = {field.name.upper() for field in fields(Settings)} - OF_SERVE - OF_THE_IMAGE
    given = {name: settings_of(service) for name, service in SERVICES.items()}
    assert set(given["web"]) == set(given["stream"]) == wanted
    for settings in given.values():
        assert set(settings) <= wanted
        for setting, value in settings.items():
            assert variables(value) == {f"MIGRATO_{setting}"} or setting in FIXED, setting


def test_settings_that_are_not_passed_are_told() -> None:
    """The guide names each setting that is not passed."""
    guide = (ROOT / "docs/how-to/run-in-production.md").read_text()
    told = re.search(r"those\s+that\s+`compose.yaml`\s+sets\s+itself:\s(.+?)\.\s", guide, re.DOTALL)
    assert told is not None
    assert set(re.findall(r"`MIGRATO_(\w+)`", told[1])) == OF_SERVE | OF_THE_IMAGE | FIXED | {"COMPILED"}


def test_nothing_is_passed_to_a_service_that_would_stop_its_start() -> None:
    """A file of settings that holds secrets alone is enough."""
    for service in SERVICES.values():
        given = interpolated(service.get("environment", {}), SECRETS)
        settings = load({name: value for name, value in given.items() if name.startswith("MIGRATO_")})
        assert settings.cache_mb == Settings().cache_mb


def test_the_proxy_is_the_only_door() -> None:
    """It meets those whom it asks, and no store; what it holds back is nothing."""
    caddyfile = re.sub(r"^#.*\n", "", (ROOT / "Caddyfile").read_text(), flags=re.MULTILINE)
    asked = set(re.findall(r"reverse_proxy (?:@\w+ )?(\w+):8000", caddyfile))
    assert asked == {"web", "stream"} == {name for name in SERVICES if networks(name) & networks("proxy")}
    assert asked == set(FILES["compose.tls.yaml"]["services"]) - {"proxy"}
    assert PROXY["ports"] == ["80:80", "443:443"]
    assert not re.search(r"\b(encode|flush_interval|response_buffers)\b", caddyfile)
    assert "./Caddyfile:/etc/caddy/Caddyfile:ro" in PROXY["volumes"]


def test_env_is_kept_out_of_the_repository_and_the_image() -> None:
    """Data directories are kept out, too; the README makes a second one."""
    ignored = (ROOT / ".gitignore").read_text().splitlines()
    assert {".env", ".migrato/", ".migrato-*/"} <= set(ignored)
    assert (ROOT / ".dockerignore").read_text().splitlines()[1] == "*"


DOCKER = """#!{python}
import sys
from pathlib import Path
from tests.project.composition import composition, interpolated

match sys.argv[1:]:
    case ["build", "-t", name, "."]:
        Path("images").write_text(name)
    case ["compose", "exec", service, "migrato", "apps", "create", _]:
        assert "MIGRATO_REDIS_URL" in composition()["services"][service]["environment"]
        assert Path("up").exists()
        Path("app").touch()
    case ["compose", "up", "--detach"]:
        given = dict(line.split("=", 1) for line in Path(".env").read_text().splitlines())
        interpolated(composition()["services"], given)  # whatever it is asked to do
        assert composition()["services"]["web"]["image"] == Path("images").read_text()
        Path("up").touch()
    case other:
        sys.exit(f"docker {{other}}?")
"""


def test_the_first_steps_work_in_their_order(tmp_path: Path) -> None:
    """As they stand at the top: each has what it needs from those before it; and secrets are never others' to read."""
    head = (ROOT / "compose.yaml").read_text().split("\n\n")[0]
    steps = re.findall(r"^#   (.+)$", head, re.MULTILINE)
    docker, curl = tmp_path / "docker", tmp_path / "curl"
    docker.write_text(DOCKER.format(python=sys.executable))
    curl.write_text("#!/bin/sh\ntest -e app\n")
    for command in (docker, curl):
        command.chmod(0o700)
    environment = clean_environment({"PYTHONPATH": str(ROOT)})
    environment["PATH"] = f"{tmp_path}:{environment['PATH']}"
    for step in steps:
        subprocess.run(["bash", "-euc", f"umask 022; {step}"], cwd=tmp_path, env=environment, check=True)
        assert not (tmp_path / ".env").exists() or (tmp_path / ".env").stat().st_mode & 0o077 == 0, step
    assert (tmp_path / "app").exists()
    assert steps[-1].startswith("curl ")
    bare = [re.sub(r" +# .*", "", step) for step in steps[:-1]]
    assert "\n".join(bare) in (ROOT / "docs/how-to/run-in-production.md").read_text()


def test_the_stores_answer_nobody_without_the_password(short_path: Path) -> None:
    """Real servers with all options of compose.yaml answer nobody without the password."""
    for name in STORES:
        options, socket = server_options(name), short_path / name
        place = {"--port": "0", "--unixsocket": str(socket), "--dir": str(short_path)}
        words = [word for pair in (options | place).items() for word in pair]
        with subprocess.Popen([find_binary(), *words], stdout=subprocess.DEVNULL) as process:
            until(lambda: process.poll() is not None or socket.exists())  # noqa: B023 (at once)
            with pytest.raises(AuthenticationError), Redis(unix_socket_path=str(socket)) as stranger:
                stranger.ping()
            password = options["--requirepass"]
            with Redis(unix_socket_path=str(socket), password=password) as friend:
                assert friend.config_get("maxmemory-policy") == {"maxmemory-policy": "noeviction"}
            process.terminate()
        assert process.returncode == 0
