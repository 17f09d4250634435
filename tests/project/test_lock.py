"""The lock files hold what pyproject.toml asks for, all of it with hashes, and agree with each other."""

import json
import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
EXTRAS = PYPROJECT["project"]["optional-dependencies"]
ITSELF = PYPROJECT["project"]["name"] + "["  # an extra may ask for other extras


def locked(name: str) -> dict[str, str]:
    """The versions in a lock file by canonical name."""
    text = (ROOT / "requirements" / name).read_text()
    pins = re.findall(r"^(\S+?)==(\S+)", text, re.MULTILINE)
    return {canonicalize_name(project): version for project, version in pins}


def test_all_requirements_of_pyproject_are_locked() -> None:
    wanted = [
        (PYPROJECT["build-system"]["requires"], "build.txt"),
        (PYPROJECT["project"]["dependencies"], "runtime.txt"),
        (PYPROJECT["project"]["dependencies"], "dev.txt"),
        *((extra, "dev.txt") for extra in EXTRAS.values()),
    ]
    for names, lock in wanted:
        pins = locked(lock)
        for requirement in (Requirement(name) for name in names if not name.startswith(ITSELF)):
            assert pins[canonicalize_name(requirement.name)] in requirement.specifier


@pytest.mark.parametrize("lock", ["runtime.txt", "uv.txt"])
def test_dev_holds_the_same(lock: str) -> None:
    assert locked(lock).items() <= locked("dev.txt").items()


def test_every_pin_has_hashes() -> None:
    for lock in ("uv.txt", "build.txt", "runtime.txt", "dev.txt"):
        pins = re.split(r"\n(?=[a-z])", (ROOT / "requirements" / lock).read_text())[1:]
        assert pins
        assert [pin for pin in pins if "--hash=sha256:" not in pin] == []


def test_npm_packages_are_locked_with_hashes() -> None:
    """The lock has no address of a registry, since a developer may use a mirror."""
    folder = ROOT / "requirements/npm"
    asked = json.loads((folder / "package.json").read_text())
    wanted = asked["devDependencies"] | asked["optionalDependencies"]
    packages = json.loads((folder / "package-lock.json").read_text())["packages"]
    itself = packages.pop("")
    assert itself["devDependencies"] | itself["optionalDependencies"] == wanted
    assert {name: packages[f"node_modules/{name}"]["version"] for name in wanted} == wanted
    assert [name for name, package in packages.items() if "integrity" not in package] == []
    assert [name for name, package in packages.items() if "resolved" in package] == []
