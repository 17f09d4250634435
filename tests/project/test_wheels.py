"""Wheels of the compiled code: nothing that one says of itself is believed."""

import hashlib
import io
import platform
import sys
import zipfile
from pathlib import Path

import pytest

from compiled import ROOT, place, wheel_maker, wheels
from compiled.libraries import SHIM as OF_ALL
from compiled.libraries import SUFFIX, files, libraries, taken_apart

TARGET = place()
METADATA = f"{wheels.NAME}-{wheels.version(TARGET)}.dist-info/"
MEMBERS = {f"{wheels.NAME}/{name}": b"\x7fELF" + name.encode() for name in files(ROOT)}
PYTHON = f"cp{sys.version_info.major}{sys.version_info.minor}"


def zipped(members: dict[str, bytes]) -> bytes:
    """Bytes of an archive of these files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


class Wheel:
    """A wheel for this Python in a directory of its own, and its hash beside it."""

    def __init__(self, directory: Path, data: bytes, tag: str = "manylinux_2_17") -> None:
        directory.chmod(0o755)
        platform_tag = f"{tag}_{platform.machine()}"
        self.path = directory / f"{wheels.NAME}-{wheels.version(TARGET)}-{PYTHON}-{PYTHON}-{platform_tag}.whl"
        self.path.write_bytes(data)
        self.path.chmod(0o644)
        self.sums = directory / wheels.SUMS
        self.sums.write_text(f"{hashlib.sha256(data).hexdigest()}  {self.path.name}\n")


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, bytes]]:
    """The contents that were to be installed, from wheels of the test's directory."""
    contents = list[dict[str, bytes]]()
    monkeypatch.setenv(wheels.PLACE, str(tmp_path))
    monkeypatch.setattr(wheels, "_install", lambda content, _: contents.append(content))
    return contents


def target(directory: Path) -> Path:
    """Place of the build, where nothing is yet."""
    return directory / "builds" / TARGET.name


def test_a_wheel_of_these_sources_is_taken(tmp_path: Path, installed: list[dict[str, bytes]]) -> None:
    """One for a later C library is not looked at."""
    Wheel(tmp_path, b"torn", "manylinux_2_999")
    Wheel(tmp_path, zipped(MEMBERS | {f"{wheels.NAME}/": b"", f"{METADATA}RECORD": b""}))
    assert wheels.take(target(tmp_path))
    assert installed == [{Path(name).name: data for name, data in MEMBERS.items()}]


FOREIGN = f"{wheels.NAME}-0+g0123456789abcdef.dist-info/RECORD"
SHIM = next(iter(MEMBERS))
BAD = {
    "it has other files": zipped(MEMBERS | {"../evil.py": b""}),
    "it has other files than": zipped(MEMBERS | {FOREIGN: b""}),  # it was renamed
    "it has other files than these": zipped({SHIM: b""}),
    "its files are larger": zipped(MEMBERS | {SHIM: bytes(3_000_000)}),
    "SHA256SUMS is larger": None,
    "it is torn": zipped(MEMBERS)[:-30],
    "SHA256SUMS beside it": None,
    "others may write": None,
    "Too many levels of symbolic links": None,
    "No such file": None,
}


@pytest.mark.parametrize("reason", BAD)
def test_a_wheel_is_refused(
    tmp_path: Path,
    installed: list[dict[str, bytes]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    reason: str,
) -> None:
    """A wheel that is refused is left where it is, and the reason is told."""
    monkeypatch.setattr(wheels, "MOST_BYTES", 1_000_000)
    wheel = Wheel(tmp_path, BAD[reason] or zipped(MEMBERS))
    if reason == "SHA256SUMS beside it":
        wheel.path.write_bytes(zipped(MEMBERS | {SHIM: b"evil"}))
    elif reason == "SHA256SUMS is larger":
        wheel.sums.write_text("a" * 1_000_001)
    elif reason == "others may write":
        tmp_path.chmod(0o775)
    elif reason == "No such file":
        wheel.sums.unlink()
    elif reason == "Too many levels of symbolic links":
        wheel.path.rename(tmp_path / "elsewhere")
        wheel.path.symlink_to(tmp_path / "elsewhere")
    assert not wheels.take(target(tmp_path))
    assert installed == []
    said = capsys.readouterr().err
    assert f"{wheel.path} is not used: " in said
    assert reason in said


def test_machine_code_that_cannot_be_imported_is_no_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Machine code that cannot be imported is no build, and nothing of it is left."""
    monkeypatch.setenv(wheels.PLACE, str(tmp_path))
    Wheel(tmp_path, zipped(MEMBERS))
    assert not wheels.take(target(tmp_path))
    assert "its modules cannot be imported (ImportError" in capsys.readouterr().err
    assert list(target(tmp_path).parent.iterdir()) == []


def test_a_build_of_another_python_is_taken_apart(tmp_path: Path) -> None:
    """Its files have that Python's suffix: `make wheels` runs in one Python and makes wheels for three."""
    suffix = ".cpython-399-x86_64-linux-gnu.so"
    names = {name.replace(SUFFIX, suffix) for name in files(ROOT)}
    shim = Path(next(iter(libraries(ROOT).values()))[0].removesuffix(".py") + suffix)
    for path in (tmp_path / shim, *(tmp_path / name for name in names - {f"{OF_ALL}{suffix}"})):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    found = taken_apart(tmp_path, ROOT)
    assert set(found) == names
    assert all(path.is_file() for path in found.values())


def test_a_machine_without_one_of_the_pythons(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The wheels of the others, whose hashes are listed; and a word about the one that is missing."""

    def make(python: Path, directory: Path) -> None:
        (directory / f"{python.name}.whl").touch()

    def environment(number: str) -> Path:
        if number == wheel_maker.VERSIONS[1]:
            raise SystemExit("uv failed.")
        return tmp_path / number

    monkeypatch.setattr(wheel_maker, "make", make)
    monkeypatch.setattr(wheel_maker, "environment", environment)
    with pytest.raises(SystemExit, match="1"):
        wheel_maker.main(tmp_path)
    listed = [line.split()[1] for line in (tmp_path / wheels.SUMS).read_text().splitlines()]
    assert listed == [f"{number}.whl" for number in wheel_maker.VERSIONS if number != wheel_maker.VERSIONS[1]]
    assert "There is no wheel for Python 3.12: uv failed." in capsys.readouterr().err
