"""A training run goes through its stages, and is the same by however many threads."""

import hashlib
import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from domain.migrato.net.layout import INPUTS
from domain.net.written import fingerprint
from research.training import __main__ as training
from research.training import match
from research.training.export import written
from research.training.kernel import compiled_program
from research.training.subjects import SUBJECTS, Stage
from research.training.trainer import Trainer
from tests.support.running import ROOT

SHARE = 0.0001
LAST = f"stage-2/{SUBJECTS['migrato'].part(SHARE).stages[-1].games:06}.net"


pytestmark = [pytest.mark.usefixtures("compiler"), pytest.mark.xdist_group("training")]


def run(directory: Path, *options: str) -> dict[str, Any]:
    """The record of a small run."""
    arguments = [str(directory), "--keep", "--share", str(SHARE), "--pairs", "4", *options]
    assert training.main(arguments) == 0
    record: dict[str, Any] = json.loads((directory / "record.json").read_text())
    return record


@pytest.fixture(scope="module")
def directory(compiler: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory in which a small run by one thread has left its nets and its record."""
    directory = tmp_path_factory.mktemp("run")
    run(directory, "--threads", "1")
    return directory


def test_the_second_stage_goes_on_from_the_net_that_was_chosen_of_the_first(directory: Path) -> None:
    """Both are in the record; the run's net is that of the last."""
    record = json.loads((directory / "record.json").read_text())
    first, second = record["stages"]
    assert [(stage["games"], stage["start_games"], stage["seed"]) for stage in (first, second)] == [
        (stage.games, stage.start_games, seed)
        for seed, stage in enumerate(SUBJECTS["migrato"].part(SHARE).stages, 1)
    ]
    assert (directory / first["chosen"]).read_bytes() == (directory / "stage-2/000000.net").read_bytes()
    assert [report["games"] for report in second["reports"]] == [0, second["games"]]
    assert second["reports"][-1]["sha256"] == hashlib.sha256((directory / LAST).read_bytes()).hexdigest()
    assert record["made_by"].keys() == {"compiler", "processor", "threads", "pairs"}
    assert record["net"] == second["net"] == fingerprint(written(directory / second["chosen"], INPUTS))
    assert fingerprint(written(directory / LAST, INPUTS)) != first["net"]
    assert (directory / "curve.svg").read_text().count("<polyline") == 2


@pytest.mark.parametrize("game", SUBJECTS)
def test_the_record_is_of_the_net_that_is_checked_in(game: str) -> None:
    """The record is of a whole run by today's stages."""
    subject = SUBJECTS[game]
    record = json.loads(subject.record.read_text())
    module = import_module(".".join(subject.checked_in.relative_to(ROOT).with_suffix("").parts))
    assert record["net"] == fingerprint(module.NET)
    assert [{name: stage[name] for name in Stage._fields} for stage in record["stages"]] == [
        stage._asdict() for stage in subject.stages
    ]
    assert all(len(report["sha256"]) == 64 for stage in record["stages"] for report in stage["reports"])


@pytest.mark.parametrize("game", SUBJECTS)
def test_the_guide_tells_the_stages(game: str) -> None:
    """The guide tells the stages of both games, each in a table."""
    guide = (ROOT / "docs/how-to/train-the-net.md").read_text()
    for number, stage in enumerate(SUBJECTS[game].stages, 1):
        before = f"{stage.start_games:,}" if stage.start_games else "none"
        cells = (number, number, f"{stage.games:,}", before, stage.rate, stage.trace, f"{stage.memory:,}")
        assert f"| {' | '.join(map(str, cells))} |" in guide


def test_the_number_of_threads_changes_nothing(directory: Path, tmp_path: Path) -> None:
    """The last net is the same, byte by byte; with another seed that of the first stage is another one already."""
    run(tmp_path, "--threads", "3")
    assert (tmp_path / LAST).read_bytes() == (directory / LAST).read_bytes()
    subject = SUBJECTS["migrato"].part(SHARE)
    trainer = Trainer(compiled_program(subject.trainer, subject.width), 3, 4)
    list(trainer.train(subject.stages[0], 2, tmp_path / "other", None))
    first = f"{subject.stages[0].games:06}.net"
    assert (tmp_path / "other" / first).read_bytes() != (directory / "stage-1" / first).read_bytes()


def test_migo_has_stages_too(tmp_path: Path) -> None:
    """The stages of Migo are trained by the same command."""
    stages = run(tmp_path, "--game", "migo")["stages"]
    assert [(stage["games"], stage["start_games"]) for stage in stages] == [
        (stage.games, stage.start_games) for stage in SUBJECTS["migo"].part(SHARE).stages
    ]
    assert [len(stage["reports"]) for stage in stages] == [2, 2]


def test_nets_of_a_run_play_each_other(directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By a command of its own, under other rules too; a net against itself wins half."""
    net = str(directory / "stage-1/000000.net")
    capsys.readouterr()
    for rules in ([], ["--rules", "opla"], ["--rules", "opla-flight"]):
        assert match.main([net, net, "--pairs", "5", *rules]) == 0
    assert match.main([net, "heuristic", "--pairs", "5"]) == 0
    *even, against_heuristic = capsys.readouterr().out.splitlines()
    assert even == ["50.0 ± 0.0 % of 10 games"] * 3
    assert against_heuristic.endswith(" % of 10 games")


def test_a_match_needs_nets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Another file is told from one, and so is a missing one."""
    (tmp_path / "no.net").write_bytes(b"12345")
    for wrong, words in (("no.net", "5 bytes are no net of"), ("missing.net", "No such file")):
        with pytest.raises(SystemExit):
            match.main([str(tmp_path / wrong), "heuristic"])
        assert words in capsys.readouterr().err
    with pytest.raises(SystemExit):
        match.main(["one.net", "heuristic", "--rules", "four"])
    assert "--rules four is not of migrato" in capsys.readouterr().err
