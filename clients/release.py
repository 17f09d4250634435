"""Builds both clients and the kit for bots for publication: `python clients/release.py [--dirty]`, into dist/.

The files of one commit have the same bytes wherever they are built: they are made of what the commit holds, under its
date, in the order that flit and npm give to all files. `provenance.json` says what they were made of.
"""

import argparse
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import Any, Final

from generate import NODE, PACKAGES, ROOT

DIST: Final = ROOT / "dist"
NPM: Final[list[str | Path]] = [
    NODE,
    NODE.parents[1] / "lib/node_modules/npm/bin/npm-cli.js",
    "--offline",
    "--no-audit",
    "--no-fund",
]
TSC: Final[list[str | Path]] = [NODE, PACKAGES / "typescript/bin/tsc"]
MAPS: Final = ["--sourceMap", "--declarationMap"]
OURS: Final = ("migrato-client-*.tgz", "migrato_client-*", "migrato_bots-*", "provenance.json")
LOCKS: Final = ("requirements/dev.txt", "requirements/npm/package-lock.json")
LINK: Final = re.compile(r"\[([^\]]+)\]\(\.\./[^)]*\)")  # to another page of this repository
# The backend by itself: pip builds no sdist, and another frontend would want to fetch what is here already.
BUILD: Final = (
    "import sys; from flit_core import buildapi as b; b.build_sdist(sys.argv[1]); b.build_wheel(sys.argv[1])"
)

Json = dict[str, Any]


class Refused(Exception):
    """Nothing is built, for a reason that the caller can mend."""


def main(*arguments: str) -> int:
    """Build, try and keep them; the exit code."""
    parser = argparse.ArgumentParser(
        prog="make release", description="Build both clients and the kit for bots as they would be published."
    )
    parser.add_argument("--dirty", action="store_true", help="build files that no commit has, for a trial")
    parser.add_argument("--dist", type=Path, default=DIST, help="the folder to build into")
    wanted = parser.parse_args(arguments)
    os.umask(0o022)  # npm gives files the modes that they have here
    try:
        with tempfile.TemporaryDirectory() as folder:
            built = build(Path(folder), dirty=wanted.dirty)
            attempt(built, Path(folder) / "empty")
            keep(built, wanted.dist)
    except Refused as refused:
        sys.stderr.write(f"{refused}\n")
        return 1
    sys.stdout.write(f"{wanted.dist} has the packages, and provenance.json says what they were built from.\n")
    return 0


def build(folder: Path, *, dirty: bool) -> Path:
    """The folder with the packages and their provenance, built in a folder of their own."""
    if not (PACKAGES.parent / "installed").exists():
        raise Refused(
            "The TypeScript compiler is missing: npm's registry could not be reached when make installed it."
        )
    changed = git("status", "--short").splitlines()
    if changed and not dirty:
        raise Refused(
            "These files are not as committed:\n"
            + "\n".join(changed)
            + '\nCommit them, or: make release ARGS="--dirty"'
        )
    source, built = folder / "source", folder / "built"
    lay_out(source, dirty=dirty)
    built.mkdir()
    for client in ("python", "python-bots", "typescript"):
        page = source / "clients" / client / "README.md"
        page.write_text(LINK.sub(r"\1", page.read_text()))
    date = git("log", "-1", "--format=%ct")
    for package in ("python", "python-bots"):
        run([sys.executable, "-c", BUILD, built], source / "clients" / package, SOURCE_DATE_EPOCH=date)
    typescript = source / "clients/typescript"
    run([*TSC, "--project", typescript / "tsconfig.json", *MAPS], typescript)
    (typescript / "tsconfig.json").unlink()
    run([*NPM, "pack", "--ignore-scripts", "--pack-destination", built], typescript)
    statement = provenance(sorted(built.iterdir()), dirty=bool(changed))
    (built / "provenance.json").write_text(json.dumps(statement, indent=1) + "\n")
    return built


def lay_out(source: Path, *, dirty: bool) -> None:
    """Lay out the clients as the commit has them, or as they are here."""
    if not dirty:
        archive = subprocess.run(
            ["git", "archive", "HEAD", "clients"], cwd=ROOT, capture_output=True, check=True
        )
        with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as tar:
            tar.extractall(source, filter="data")
        return
    for name in git("ls-files", "--cached", "--others", "--exclude-standard", "clients").splitlines():
        if (ROOT / name).exists():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, source / name)


def provenance(files: Sequence[Path], *, dirty: bool) -> Json:
    """The statement in the form of in-toto and SLSA; it names no time and no place."""
    node = run([NODE, "--version"], ROOT).strip().removeprefix("v")
    tools = {
        "python": ".".join(map(str, sys.version_info[:3])),
        "flit-core": installed_version("flit-core"),
        "node": node,
        "npm": run([*NPM, "--version"], ROOT).strip(),
        "typescript": run([*TSC, "--version"], ROOT).split()[-1],
    }
    source = {"gitCommit": git("rev-parse", "HEAD"), "gitTree": git("rev-parse", "HEAD^{tree}")}
    return {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": file.name, "digest": {"sha256": digest(file)}} for file in files],
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": "urn:migrato-engine:make-release:1",
                "externalParameters": {"dirty": dirty},
                "resolvedDependencies": [
                    {"name": "source", "digest": source},
                    *({"name": name, "digest": {"sha256": digest(ROOT / name)}} for name in LOCKS),
                ],
            },
            "runDetails": {"builder": {"id": "urn:migrato-engine:make", "version": tools}},
        },
    }


def attempt(built: Path, folder: Path) -> None:
    """Install both in an empty folder and import them there."""
    folder.mkdir()
    wheels, [tarball] = sorted(built.glob("*.whl")), built.glob("*.tgz")
    site = folder / "site"
    alone = ["--no-deps", "--no-index", "--quiet", "--disable-pip-version-check"]
    run([sys.executable, "-m", "pip", "install", *alone, "--target", site, *wheels], folder)
    run(
        [sys.executable, "-P", "-c", "import migrato_client as m, migrato_bots as b; m.Client, b.run"],
        folder,
        PYTHONPATH=str(site),
    )
    (folder / "package.json").write_text('{"private": true, "type": "module"}')
    run([*NPM, "install", tarball], folder)
    run([NODE, "--eval", "import { Client } from '@migrato/client'; Client.name"], folder)


def keep(built: Path, dist: Path) -> None:
    """Put the files in place of those of an earlier release."""
    dist.mkdir(parents=True, exist_ok=True)
    for pattern in OURS:
        for old in dist.glob(pattern):
            old.unlink()
    for file in built.iterdir():
        shutil.copyfile(file, dist / file.name)


def digest(file: Path) -> str:
    """The hash of a file."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def git(*arguments: str) -> str:
    """The output of git in this repository."""
    return run(["git", *arguments], ROOT).rstrip()


def run(command: Sequence[str | Path], folder: Path, **environ: str) -> str:
    """The output of a command that must succeed."""
    done = subprocess.run(
        command, cwd=folder, env=os.environ | environ, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise Refused(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
