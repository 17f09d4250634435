"""Both clients as `make release` builds them, used in empty folders."""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Final

import pytest

from tests.clients.conftest import NPM, Address
from tests.support.markdown import ROOT
from tests.support.node import NODE, node_modules
from tests.support.running import clean_environment, ended, output

pytestmark = pytest.mark.nightly(
    "what is built of a commit lacks a file, does not play, or has other bytes each time"
)

NAMES: Final = (
    "clients",
    "requirements",
    "LICENSE",
    ".gitignore",
)  # of all that is read here, under whatever umask
COMMIT: Final = (
    "-c",
    "user.name=tests",
    "-c",
    "user.email=tests@localhost",
    "commit",
    "--quiet",
    "--message=all",
)
PYTHON: Final = """
import os
from migrato_client import Client
seat = Client(os.environ["URL"], os.environ["APP_KEY"]).play_against("greedy")
for turn in seat.turns():
    print(seat.move(turn.legal_moves[0])["version"] > turn.view["version"])
    break
"""
JAVASCRIPT: Final = """
import { Client } from "@migrato/client";
const seat = await new Client(process.env.URL, { appKey: process.env.APP_KEY }).playAgainst("greedy");
for await (const turn of seat.turns()) {
  console.log((await seat.move(turn.legalMoves[0])).version > turn.view.version);
  break;
}
"""


def git(*arguments: str | Path, folder: Path) -> None:
    """Run git, which must succeed, without the settings of whoever runs this."""
    output(["git", *arguments], folder, GIT_CONFIG_GLOBAL=os.devnull, GIT_CONFIG_SYSTEM=os.devnull)


def release(tree: Path, *arguments: str | Path, umask: int = 0o022) -> subprocess.CompletedProcess[str]:
    """Build in that tree."""
    command = [sys.executable, tree / "clients/release.py", *arguments]
    environ = clean_environment({})
    return subprocess.run(
        command, cwd=tree, env=environ, umask=umask, capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository whose one commit has what is here now."""
    node_modules()  # or skip: the compiler is one of them
    tree = tmp_path_factory.mktemp("one") / "tree"
    listed = output(["git", "ls-files", "--cached", "--others", "--exclude-standard", *NAMES])
    for name in filter(None, listed.splitlines()):
        if (ROOT / name).exists():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tree / name)
    git("init", "--quiet", folder=tree)
    git("add", "--all", folder=tree)
    git(*COMMIT, folder=tree)
    return tree


@pytest.fixture(scope="module")
def dist(tree: Path) -> Path:
    """The folder that it is built into."""
    done = release(tree)
    assert done.returncode == 0, done.stderr
    return tree / "dist"


def test_two_builds_of_a_commit_are_the_same(tree: Path, dist: Path, tmp_path: Path) -> None:
    """In another folder, for another user; and the statement tells their hashes, the commit and its tree."""
    git("clone", "--quiet", tree, tmp_path / "another", folder=tmp_path)
    assert release(tmp_path / "another", "--dist", tmp_path / "built", umask=0o077).returncode == 0
    built = {file.name: file.read_bytes() for file in (tmp_path / "built").iterdir()}
    assert built == {file.name: file.read_bytes() for file in dist.iterdir()}
    statement = json.loads(built.pop("provenance.json"))
    hashes = output(["sha256sum", *sorted(built)], dist).split()
    assert [subject["digest"]["sha256"] for subject in statement["subject"]] == hashes[::2]
    assert [subject["name"] for subject in statement["subject"]] == hashes[1::2]
    definition = statement["predicate"]["buildDefinition"]
    assert definition["externalParameters"] == {"dirty": False}
    told = definition["resolvedDependencies"][0]["digest"]
    heads = output(["git", "rev-parse", "HEAD", "HEAD^{tree}"], tree).split()
    assert [told["gitCommit"], told["gitTree"]] == heads


def test_nothing_is_built_of_what_no_commit_has(tree: Path, dist: Path) -> None:
    """Nothing is built of files that no commit has, unless that is asked for; then the statement says so."""
    before = {file.name: file.read_bytes() for file in dist.iterdir()}
    (tree / "clients/python/migrato_client/new.py").touch()
    try:
        refused = release(tree)
        assert refused.returncode == 1
        assert "clients/python/migrato_client/new.py" in refused.stderr
        assert before == {file.name: file.read_bytes() for file in dist.iterdir()}
        assert release(tree, "--dirty", "--dist", tree / "trial/dist").returncode == 0
    finally:
        (tree / "clients/python/migrato_client/new.py").unlink()
    statement = json.loads((tree / "trial/dist/provenance.json").read_text())
    assert statement["predicate"]["buildDefinition"]["externalParameters"] == {"dirty": True}
    [wheel] = (tree / "trial/dist").glob("migrato_client*.whl")
    assert "migrato_client/new.py" in zipfile.ZipFile(wheel).namelist()
    shutil.rmtree(tree / "trial")


def test_the_wheel_and_the_sdist(dist: Path, address: Address, tmp_path: Path) -> None:
    """Both have the types, page and licence, and a program plays with either of them."""
    [wheel], [sdist] = dist.glob("migrato_client*.whl"), dist.glob("migrato_client*.tar.gz")
    for built in (wheel, sdist):
        site = tmp_path / built.suffix
        alone = ("--no-deps", "--no-build-isolation", "--no-index", "--quiet", "--target")
        output([sys.executable, "-m", "pip", "install", *alone, site, built], tmp_path)
        assert (site / "migrato_client/py.typed").exists()
        [about] = site.glob("*.dist-info")
        assert (about / "licenses/LICENSE").read_text() == (ROOT / "LICENSE").read_text()
        page = (about / "METADATA").read_text()
        assert "License-Expression: MIT" in page
        assert "A whole game against a bot" in page
        assert "](.." not in page
        where = {"PYTHONPATH": str(site), "URL": address.url, "APP_KEY": address.app_key}
        assert output([sys.executable, "-P", "-c", PYTHON], tmp_path, **where) == "True\n"


def test_the_tarball(dist: Path, address: Address, tmp_path: Path) -> None:
    """It has types, sources and maps that find them, page and licence, needs nothing else, and plays."""
    [tarball] = dist.glob("*.tgz")
    with tarfile.open(tarball) as tar:
        names = set(tar.getnames())
        for name in (name for name in names if name.endswith(".map")):
            found = tar.extractfile(name)
            assert found is not None
            for source in json.load(found)["sources"]:
                assert os.path.normpath(Path(name).parent / source) in names, f"{name} is of {source}"
    (tmp_path / "package.json").write_text('{"private": true, "type": "module"}')
    output([*NPM, "install", tarball], tmp_path)
    package = tmp_path / "node_modules/@migrato/client"
    assert {path.name for path in package.iterdir()} == {"LICENSE", "README.md", "lib", "package.json", "src"}
    for script in package.glob("lib/*.js"):
        assert re.search(r"\n//# sourceMappingURL=(.+)$", script.read_text())[1] == f"{script.name}.map"  # type: ignore[index]
        assert script.with_suffix(".d.ts").exists()
    assert "](.." not in (package / "README.md").read_text()
    assert [path.name for path in (tmp_path / "node_modules").iterdir() if path.name[0] != "."] == [
        "@migrato"
    ]
    (tmp_path / "play.mjs").write_text(JAVASCRIPT)
    played = ended([NODE, "play.mjs"], tmp_path, {"URL": address.url, "APP_KEY": address.app_key})
    assert (played.stdout, played.returncode) == ("true\n", 0), played.stderr
