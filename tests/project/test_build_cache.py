"""Builds that outlive an environment."""

import os
import threading
from pathlib import Path

import pytest

from compiled import cache
from compiled.cache import Cache


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """Directory of the cache."""
    return tmp_path / "cache"


def new_build(place: Path, text: str = "a") -> Path:
    """Directory that passes for a build."""
    (place / "domain").mkdir(parents=True)
    (place / "domain" / "prng.so").write_text(text)
    (place / "domain" / "state.so").hardlink_to(place / "domain" / "prng.so")
    return place


def test_a_second_environment_gets_the_same_build(directory: Path, tmp_path: Path) -> None:
    """A build of another name is not there. A file under many names, as the shim is, takes its room once."""
    build = new_build(tmp_path / "first" / "0123")
    Cache(directory).keep(build)
    target = tmp_path / "second" / "0123"
    assert Cache(directory).take(target)
    assert sorted(path.name for path in target.rglob("*.*")) == ["prng.so", "state.so"]
    assert (target / "domain/prng.so").samefile(target / "domain/state.so")
    assert (target / "domain/prng.so").read_text() == "a"
    assert target.stat().st_mode & 0o777 == 0o755  # for another user who runs the environment
    assert not Cache(directory).take(target.with_name("4567"))


@pytest.mark.parametrize("change", ["content", "further", "removed", "no list"])
def test_a_build_that_has_changed_is_not_taken(directory: Path, tmp_path: Path, change: str) -> None:
    """It is thrown away instead, so that the next build takes its place."""
    build = new_build(tmp_path / "first" / "0123")
    Cache(directory).keep(build)
    (kept,) = directory.rglob("prng.so")
    if change == "content":
        kept.write_text("b")
    elif change == "further":
        kept.with_name("evil.so").write_text("b")
    elif change == "removed":
        kept.unlink()
    else:
        (kept.parents[1] / cache.HASHES).unlink()
    target = tmp_path / "second" / "0123"
    assert not Cache(directory).take(target)
    assert not target.exists()
    Cache(directory).keep(build)
    assert Cache(directory).take(target)


@pytest.mark.parametrize("mode", [0o770, 0o702])
def test_a_directory_that_others_may_write_to_is_not_used(directory: Path, tmp_path: Path, mode: int) -> None:
    """A directory that others may write to is not used: they could put code there for this user to run."""
    build = new_build(tmp_path / "first" / "0123")
    Cache(directory).keep(build)
    directory.chmod(mode)
    assert not Cache(directory).take(tmp_path / "second" / "0123")


def test_the_oldest_builds_go(directory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All builds together keep below a size; one that was taken lately stays."""
    monkeypatch.setattr(cache, "MOST_BYTES", 35_000)
    for number in range(3):
        Cache(directory).keep(new_build(tmp_path / "first" / f"{number}", "a" * 9_000))
        (entry,) = directory.glob(f"{number}-*")
        os.utime(entry, (1000 + number, 1000 + number))
    (directory / ".keeping-killed").mkdir()
    os.utime(directory / ".keeping-killed", (1000, 1000))
    monkeypatch.setattr(cache, "MOST_BYTES", 20_000)
    assert Cache(directory).take(tmp_path / "second" / "0")
    Cache(directory).keep(new_build(tmp_path / "first" / "3", "a"))
    assert sorted(path.name.partition("-")[0] for path in directory.glob("[!.]*")) == ["0", "2", "3"]
    assert not (directory / ".keeping-killed").exists()


def test_two_do_not_compile_the_same(directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The second one waits, and says so; another build may be made meanwhile."""
    order = list[str]()

    def second() -> None:
        with Cache(directory).locked("0123"):
            order.append("second")

    with Cache(directory).locked("0123"):
        waiting = threading.Thread(target=second)
        waiting.start()
        with Cache(directory).locked("4567"):
            order.append("other")
        order.append("first")
    waiting.join()
    assert order == ["other", "first", "second"]
    assert capsys.readouterr().err.count("waiting for it") <= 1
