"""A training run is the same by however many threads."""

import shutil
import subprocess
from pathlib import Path

import pytest

from research.training.kernel import compiled_kernel


def test_the_number_of_threads_changes_nothing(tmp_path: Path) -> None:
    """The net at the end is the same, byte by byte; it is another one with another seed."""
    if shutil.which("g++") is None:
        pytest.skip("there is no C++ compiler")
    trainer = compiled_kernel("trainer.cpp", width=16)
    nets: list[bytes] = []
    for threads, seed in ((1, 1), (3, 1), (3, 2)):
        directory = tmp_path / str(len(nets))
        directory.mkdir()
        command = [str(part) for part in (trainer, directory, 200, seed, 100)]
        subprocess.run(command, env={"THREADS": str(threads)}, check=True, stdout=subprocess.DEVNULL)
        nets.append((directory / "000200.net").read_bytes())
    assert nets[0] == nets[1]
    assert nets[1] != nets[2]
