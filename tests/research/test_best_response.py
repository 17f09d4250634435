"""A net that learns to beat one bot, and what it scores against the bot itself."""

import json
from pathlib import Path

import pytest

from domain.migrato.net.layout import INPUTS
from domain.migrato.net.trained import NET
from domain.migrato.rules.cards import STANDARD
from domain.net.written import fingerprint
from research.training.best_response import WIDTH, main, ones
from research.training.export import in_floats, written
from research.training.kernel import compiled_program


def test_a_net_that_is_checked_in_is_the_same_again(tmp_path: Path) -> None:
    """In floats, as the trainer goes on from it, and back in whole numbers."""
    path = tmp_path / "its.net"
    path.write_bytes(in_floats(NET, INPUTS))
    assert written(path, INPUTS) == NET


def test_birds_become_ones() -> None:
    """So many of 49; the size of the list and of each species and phase stay."""
    assert ones(6) == STANDARD
    for cards in (27, 31, 42):
        made = ones(cards)
        assert sum(count for name, count in made.items() if name[1] == "1") == cards
        for deck_list in (made, STANDARD):
            assert sum(count for name, count in deck_list.items() if name[0] + name[2:] == "Gn") == 7
        assert sum(made.values()) == 54


@pytest.fixture(scope="module")
def _compiled(compiler: None) -> None:
    """The compiler writes to a real stderr, so it runs before output is captured."""
    compiled_program("migrato/responder.cpp", WIDTH)


@pytest.mark.usefixtures("_compiled", "compiler")
@pytest.mark.parametrize("options", [["greedy"], ["heuristic"], ["net", "--deck-list", "ones:42"]])
def test_a_net_learns_against_a_bot_and_plays_it(
    tmp_path: Path, options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """The chosen net is left with the record; the games of a measurement are gone on from, and are the same again."""
    start = "" if "greedy" in options else "net"
    small = ["--games", "65", "--pairs", "2", "--candidates", "2", "--memory", "9", "--start", start]
    assert main(["train", str(tmp_path), "--against", *options, *small]) == 0
    record, net = json.loads((tmp_path / "record.json").read_text()), tmp_path / "response.net"
    assert [report["games"] for report in record["reports"]] == [0, 65]
    assert record["net"] == fingerprint(written(net, INPUTS))
    assert (tmp_path / "000000.net").read_bytes() != (tmp_path / "000065.net").read_bytes()
    capsys.readouterr()
    kept = ["--games-file", str(tmp_path / "games")]
    for games, more in (("4", kept), ("6", kept), ("6", [])):
        assert main(["measure", str(net), "--against", *options, "--games", games, *more]) == 0
    assert len((tmp_path / "games").read_text().split()) == 3
    _, *twice = [line for line in capsys.readouterr().out.splitlines() if " against " in line]
    assert twice[0] == twice[1]
    assert f"of 6 games against {options[0]}, version " in twice[0]
