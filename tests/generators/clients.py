"""Clients as the guide tells to generate them, in folders outside the repository, whose settings do not reach there."""

import shlex
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.support.markdown import ROOT, blocks
from tests.support.running import output

GUIDE = ROOT / "docs/how-to/generate-a-client.md"
PROGRAMS = Path(__file__).parent / "programs"


@dataclass(frozen=True, slots=True)
class Client:
    """A generated client. `said`: what the generator printed."""

    folder: Path
    said: str


def generate(
    folder: Path, tool: str, run_as: Sequence[str | Path], programs: str, *, language: str = ""
) -> Client:
    """Generate a client of the committed openapi.yaml by the guide's command of that tool, and lay programs beside it.

    `run_as`: what the tool's name stands for here; `programs`: a pattern of their file names; `language`: a word of
    the command, where the guide has several of that tool.
    """
    shutil.copy(ROOT / "openapi.yaml", folder)
    said = output([*run_as, *_arguments(tool, language)], folder)
    for program in PROGRAMS.glob(programs):
        shutil.copy(program, folder)
    return Client(folder, said)


def _arguments(tool: str, language: str) -> list[str]:
    """The arguments with which the guide calls the tool."""
    for block in blocks(GUIDE, "sh"):
        words = shlex.split(block.replace("\\\n", " "))
        if tool in words and language in [*words, ""]:
            return words[words.index(tool) + 1 :]
    raise LookupError(f"{GUIDE} does not call {tool}")


def python(client: Client, program: str, *arguments: str | Path) -> str:
    """The output of a program beside the client; a warning ends it."""
    return output([sys.executable, "-W", "error", program, *arguments], client.folder)
