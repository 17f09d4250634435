"""`python -m tests.project.english`: docstrings begin with their subject, and so do the names of tests.

"Rating of a player after a game." tells at its first word what it is about; "What a game does to a player." does not.
Nor does "And of a bot.", which goes on with the sentence of a name.
"""

import ast
import re
import sys
from collections.abc import Iterator
from typing import Final

from compiled import ROOT

FIRST_WORDS: Final = (
    "What|Who|Whoever|Whose|Whom|Which|Whichever|Whether|How|However|Why|Where|Wherever|When|That"
)
CONTINUATIONS: Final = "And|But|Or|Nor|Though"
DOCSTRING: Final = re.compile(rf"\s*({FIRST_WORDS}|{CONTINUATIONS})\b")
TEST: Final = re.compile(rf"test_({FIRST_WORDS.lower()})_")
FOLDERS: Final = (
    "service",
    "domain",
    "events",
    "workers",
    "compiled",
    "research",
    "tests",
    "benchmarks",
    "clients",
    "drills",
    "requirements",
)
Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def faults(source: str) -> Iterator[tuple[int, str]]:
    """Faults of a module: each its line, and a sentence."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, Documented):
            continue
        line = 1 if isinstance(node, ast.Module) else node.lineno
        if found := DOCSTRING.match(ast.get_docstring(node) or ""):
            yield line, f'a docstring begins with "{found[1]}"; begin with the thing that it describes'
        if not isinstance(node, ast.Module) and (found := TEST.match(node.name)):
            yield line, f'{node.name} begins with "{found[1]}"; name the thing that it tests'


def main() -> int:
    """Print the faults of all modules; the exit status is 1 if there are some."""
    modules = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
    found = [
        f"{path.relative_to(ROOT)}:{line}: {fault}\n"
        for path in modules
        for line, fault in faults(path.read_text())
    ]
    sys.stderr.writelines(found)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
