"""Wheels of the compiled code: nothing that one says of itself is believed."""

import hashlib
import io
import platform
import sys
import zipfile
from pathlib import Path

import pytest

from compiled import ROOT, place, wheels
from compiled.libraries import files

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
    """It is left where it is, and the reason is told."""
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
    """Nothing of it is left."""
    monkeypatch.setenv(wheels.PLACE, str(tmp_path))
    Wheel(tmp_path, zipped(MEMBERS))
    assert not wheels.take(target(tmp_path))
    assert "its modules cannot be imported (ImportError" in capsys.readouterr().err
    assert list(target(tmp_path).parent.iterdir()) == []
