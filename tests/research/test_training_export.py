"""What is checked in can be trained on."""

from pathlib import Path

from domain.migrato.net.trained import NET
from research.training.export import floats_of, written


def test_the_net_becomes_a_file_of_the_trainers_and_the_same_net_again(tmp_path: Path) -> None:
    """Nothing is lost but what whole numbers had lost before."""
    file = tmp_path / "000000.net"
    file.write_bytes(floats_of(NET))
    assert written(file) == NET
