"""The games whose nets are trained, and by which stages."""

from pathlib import Path
from typing import Final, NamedTuple, Self

from domain.migo.net.layout import INPUTS as INPUTS_OF_MIGO
from domain.migrato.net.layout import INPUTS


class Stage(NamedTuple):
    """Games that a net plays against itself, and how it learns from them; the next stage goes on from the net that was
    chosen of this one.
    """

    games: int
    start_games: int  # of `heuristic`, from which it learns before its own
    rate: float  # of learning, at its highest
    trace: float  # lambda of the temporal differences, before it falls to 0.75
    memory: int  # positions that it remembers before it learns from its own games

    def part(self, share: float) -> Self:
        """A smaller stage: this share of its games, and of the positions that it remembers first."""
        games, start_games, memory = (
            round(number * share) for number in (self.games, self.start_games, self.memory)
        )
        return self._replace(games=max(1, games), start_games=start_games, memory=memory)


class Subject(NamedTuple):
    """A game whose net is trained: the kernel's source, how many inputs the net has, how wide its first layer is, the
    module that it is checked in as, the record of its run, the stages, and the rules of matches beside the usual ones.
    """

    trainer: str
    inputs: int
    width: int
    checked_in: Path
    record: Path
    stages: tuple[Stage, ...]
    rules: dict[str, str]

    def part(self, share: float) -> Self:
        """The same with such a part of every stage."""
        return self._replace(stages=tuple(stage.part(share) for stage in self.stages))


_DOMAIN: Final = Path(__file__).resolve().parents[2] / "domain"
_RECORDS: Final = Path(__file__).with_name("records")
SUBJECTS: Final = {
    "migrato": Subject(
        trainer="migrato/trainer.cpp",
        inputs=INPUTS,
        width=128,
        checked_in=_DOMAIN / "migrato/net/trained.py",
        record=_RECORDS / "migrato.json",
        stages=(
            Stage(games=1_200_000, start_games=8_000, rate=1e-3, trace=0.9, memory=2_000),
            Stage(games=1_300_000, start_games=0, rate=6e-4, trace=0.8, memory=150_000),
        ),
        rules={"opla": "o", "flight": "f", "opla-flight": "of"},
    ),
    "migo": Subject(
        trainer="migo/trainer.cpp",
        inputs=INPUTS_OF_MIGO,
        width=128,
        checked_in=_DOMAIN / "migo/net/trained.py",
        record=_RECORDS / "migo.json",
        stages=(
            Stage(games=400_000, start_games=2_000, rate=1e-3, trace=0.9, memory=2_000),
            Stage(games=400_000, start_games=0, rate=6e-4, trace=0.8, memory=150_000),
        ),
        rules={"three": "3", "four": "4"},
    ),
}
