"""The compiled domain says what the plain one says; where there is none of the very same sources, plain it is."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import compiled
from compiled import ROOT, SWITCH, __main__
from compiled.libraries import SHIM, SUFFIX, libraries

pytestmark = pytest.mark.xdist_group("compiled")  # it is made once


def python(*arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """A process of its own, in which the compiled domain may be used unless the environment says otherwise."""
    ours = {name: value for name, value in os.environ.items() if name != SWITCH}
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=ROOT, env=ours | environ, capture_output=True, text=True, check=False)


def both_say_the_same(share: float) -> None:
    """So is the switch honoured that asks for plain sources."""
    ways = {"compiled": {}, "plain": {SWITCH: "0"}}
    said: dict[str, Any] = {}
    for way, environ in ways.items():
        told = python("-m", "tests.domain.checksum", str(share), **environ)
        assert told.returncode == 0, told.stderr
        document = json.loads(told.stdout)
        assert document["domain"] == way
        said[way] = document["said"]
    assert said["compiled"] == said["plain"]


@pytest.mark.usefixtures("build")
def test_both_say_the_same() -> None:
    """Legal moves, events, states, views, refusals, judgements, bots' moves and the manners of values."""
    both_say_the_same(0.05)


@pytest.mark.nightly("a difference between plain and compiled code that shows in one of many positions")
@pytest.mark.usefixtures("build")
def test_both_say_the_same_for_long() -> None:
    both_say_the_same(1)


def test_each_module_says_which_library_it_is_compiled_into() -> None:
    """A marker that is lost, or a module of the domain about which nothing was decided, changes a count."""
    found = libraries(ROOT)
    domain = {str(path.relative_to(ROOT)) for path in (ROOT / "domain").rglob("*.py")}
    plain = domain.difference(*found.values())
    assert {name: len(modules) for name, modules in found.items()} == {
        "migo": 30,
        "recording": 34,
        "rules": 78,
        "serving": 32,
    }
    assert len(plain) == 44


def test_a_build_is_named_by_its_path_alone_too(build: Path) -> None:
    """As every command can be told: put the directory that `python -m compiled` prints in front of the path."""
    which = "import compiled; print(compiled.in_use())"
    given = {"PYTHONPATH": str(build), "PYTHONSAFEPATH": "1"}
    assert python("-c", which, **given).stdout == "compiled\n"


def test_a_build_of_other_sources_is_never_used(tmp_path: Path) -> None:
    for package in (*compiled.PACKAGES, compiled.SERVICE):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    assert compiled.place(tmp_path) == compiled.place()
    with (tmp_path / "domain" / "prng.py").open("a") as edited:
        edited.write("# edited\n")
    assert compiled.place(tmp_path) != compiled.place()


def test_without_a_compiler_it_stays_plain(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """If there is no build, none in the cache and no wheel."""
    for module in (compiled, __main__):
        monkeypatch.setattr(module, "BUILDS", tmp_path / "builds")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.delenv(SWITCH, raising=False)
    assert __main__.main([]) == 0
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("The domain runs as plain Python: there is no C compiler (")


@pytest.mark.usefixtures("build")
def test_a_failure_of_the_compiler_is_told_and_harms_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "domain").mkdir()
    (tmp_path / "domain" / "__init__.py").write_text('# compiled into rules\n"""Next to nothing."""\n')
    for module in (compiled, __main__):
        monkeypatch.setattr(module, "BUILDS", tmp_path / "builds")
    monkeypatch.setattr(__main__, "ROOT", tmp_path)
    monkeypatch.setattr(__main__, "SETUP", tmp_path / "setup.py")
    (tmp_path / "setup.py").write_text("raise SystemExit('no room on the device')")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert __main__.main([]) == 0
    told = capsys.readouterr()
    assert told.out == ""
    assert (
        "The domain runs as plain Python: mypyc or the compiler refused it\nno room on the device" in told.err
    )
    assert list((tmp_path / "builds").iterdir()) == []


def test_progress_is_told_by_library(capsys: pytest.CaptureFixture[str]) -> None:
    """Other lines are an error's."""
    said = __main__.tell_progress(["translated 400\n", "done migo 100\n", "warning\n", "done rules 300\n"])
    assert said == "warning\n"
    assert capsys.readouterr().err == "Compiled: migo (25 %).\nCompiled: migo, rules (100 %).\n"


def test_a_build_keeps_no_cache_of_the_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A build keeps no cache of the compiler, which would be as large as all the rest."""

    def compile_it(work: Path, _: object) -> tuple[int, str]:
        for name in ("build", ".mypy_cache"):
            (work / name).mkdir()
        (work / f"{SHIM}{SUFFIX}").touch()
        return 0, ""

    for module in (compiled, __main__):
        monkeypatch.setattr(module, "BUILDS", tmp_path)
    monkeypatch.setattr("compiled.__main__._run_setup", compile_it)
    monkeypatch.setattr("compiled.libraries.compileall.compile_dir", lambda *_, **__: True)
    target = tmp_path / compiled.place().name
    assert __main__.build(target) is None
    assert (target / "domain").is_dir()
    assert list(tmp_path.glob("*/.mypy_cache")) == []
    assert {path.name for path in tmp_path.iterdir()} == {target.name}
