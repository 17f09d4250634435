"""The image, built for real by buildah on a base of Debian packages, and a game in it."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import ExitStack
from hashlib import sha256
from pathlib import Path
from typing import Final

import pytest

from drills.ports import free_port
from events.runtime.embedded import find_binary
from tests.project.test_container import KEY, SERVICES, bots_play, last
from tests.support.running import ROOT, running

BASE: Final = "docker.io/library/python:3.11.14-slim-bookworm"
IMAGE: Final = "localhost/migrato-engine"
MOST_MB: Final = 91  # over its base
PROGRAMS: Final = ("buildah", "debootstrap")
PACKAGES: Final = (
    "ca-certificates,netbase,libssl3,libffi8,libsqlite3-0,libbz2-1.0,liblzma5,"
    "libreadline8,libuuid1,libexpat1,zlib1g,libncursesw6"
)
LEFT_OUT: Final = shutil.ignore_patterns(
    "site-packages", "__pycache__", "test", "config-3*", "tkinter", "idlelib"
)


def run(*command: str | Path) -> str:
    """Output of a program that succeeds."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout.strip()


class Builder:
    """buildah with a store of its own."""

    def __init__(self, directory: Path) -> None:
        self._layers = directory / "store/vfs-layers/layers.json"
        self._options = (f"--root={directory}/store", f"--runroot={directory}/run", "--storage-driver=vfs")

    def command(self, name: str, *arguments: str | Path) -> list[str]:
        """Arguments of a process that does something."""
        return ["buildah", *self._options, name, *map(str, arguments)]

    def __call__(self, name: str, *arguments: str | Path) -> str:
        return run(*self.command(name, *arguments))

    def added(self) -> int:
        """Bytes of all layers over the base; what `buildah images` says is rounded to a million."""
        layers = json.loads(self._layers.read_text())
        return sum(layer["diff-size"] for layer in layers if "parent" in layer)


def base(builder: Builder, rootfs: Path) -> None:
    """An image under the name of the base: Debian, and the Python that runs this."""
    run("debootstrap", "--variant=minbase", f"--include={PACKAGES}", "bookworm", rootfs)
    local, python = rootfs / "usr/local", f"python3.{sys.version_info.minor}"
    shutil.copytree(sysconfig.get_path("stdlib"), local / "lib" / python, ignore=LEFT_OUT, symlinks=True)
    shutil.copytree(sysconfig.get_path("include"), local / "include" / python)
    shutil.copy(Path(sys.base_prefix, "bin", python), local / "bin" / python)
    for library in Path(sys.base_prefix, "lib").glob("libpython3*.so*"):
        shutil.copy(library, local / "lib")
    for name in ("python", "python3"):
        (local / "bin" / name).symlink_to(python)
    for name in (
        "/etc/pip.conf",
        "/etc/resolv.conf",
        "/etc/ssl/certs/ca-certificates.crt",
    ):  # as the host reaches PyPI
        if Path(name).is_file():
            shutil.copy(name, f"{rootfs}{name}")
    run("chroot", rootfs, "ldconfig")
    run("chroot", rootfs, "python", "-m", "ensurepip")
    (local / "bin" / "pip").symlink_to("pip3")
    container = builder("from", "scratch")
    builder("add", "--quiet", container, rootfs, "/")
    builder("commit", "--quiet", "--rm", container, BASE)


@pytest.fixture
def builder(tmp_path: Path) -> Iterator[Builder]:
    """buildah with the image, which is built from the working tree."""
    missing = [program for program in PROGRAMS if shutil.which(program) is None]
    if missing or os.geteuid() != 0 or sys.version_info[:2] != (3, 11):
        pytest.skip(f"needs root, Python 3.11, and {', '.join(PROGRAMS)}")
    builder = Builder(tmp_path)
    base(builder, tmp_path / "rootfs")
    builder("bud", "--isolation=chroot", "--pull-never", "--layers=false", f"--tag={IMAGE}", ".")
    yield builder
    builder("rm", "--all")


@pytest.mark.nightly("the Dockerfile does not build, or the image lacks what a game needs")
@pytest.mark.xdist_group("containers")
def test_a_game_in_the_image(builder: Builder, tmp_path: Path) -> None:
    """It is small enough, compiled, has no pip, and its processes run as its user."""
    assert 80_000_000 < builder.added() < MOST_MB * 1_000_000
    plays(builder, tmp_path)


def plays(builder: Builder, directory: Path) -> None:
    """Web, dispatcher and worker in containers of the image beside a store, and a game to its end."""
    container = builder("from", "--pull-never", IMAGE)
    port, at = free_port(), free_port()
    options = (f"--env={name}={value}" for name, value in environment(at, port).items())
    in_container = builder.command("run", "--isolation=chroot", *options, container, "--")
    done = subprocess.run([*in_container, "sh", "-c", CHECKS], capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["10001", "compiled", "clean"], done.stderr
    run(*in_container, *SERVICES["keys"]["command"])
    address = f"http://127.0.0.1:{port}"
    commands: dict[str, list[str]] = {"web": json.loads(last("CMD"))}
    commands |= {name: SERVICES[name]["command"] for name in ("dispatcher", "worker")}
    store = [str(find_binary()), "--port", str(at), "--bind", "127.0.0.1", "--save", "", *APPEND_ONLY]
    with ExitStack() as processes:
        processes.enter_context(running([*store, "--dir", str(directory)], {}, directory / "store.log", None))
        for name, command in commands.items():
            ready = f"{address}/healthz"
            processes.enter_context(running([*in_container, *command], {}, directory / f"{name}.log", ready))
        assert bots_play(address)["result"]["reason"] == "turn_limit"


APPEND_ONLY: Final = ("--appendonly", "yes", "--appendfsync", "always", "--maxmemory-policy", "noeviction")
CHECKS: Final = (
    "id -u; python -c 'import compiled.preferred, compiled; print(compiled.in_use())';"
    " python -c 'from events.runtime.embedded import find_binary; find_binary()' && migrato --help > /dev/null &&"
    " test -s licences.txt && test -s sbom.cdx.json && ! python -m pip --version && ! python -c 'import setuptools'"
    " && ! touch /app/x && ! ls -d requirements .mypy_cache && echo clean"
)


def environment(store: int, port: int) -> dict[str, str]:
    """Variables of the containers, with the ports of store and web."""
    return {
        "MIGRATO_REDIS_URL": f"redis://127.0.0.1:{store}/0",
        "MIGRATO_HOST": "127.0.0.1",
        "MIGRATO_PORT": str(port),
        "MIGRATO_APP_KEYS": f"test={sha256(KEY.encode()).hexdigest()}",
        "MIGRATO_SIGNING_KEYS": "/var/lib/migrato/keys",
        "MIGRATO_ARCHIVE": "",
    }
