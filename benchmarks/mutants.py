"""`python -m benchmarks.mutants --seed N [--out FILE]`: change the code in one place at a time; see which tests notice.

Each mutant is one small change (an operator, a constant, a condition, a statement that is left out) at a place that the
seed chooses in the packages, in the Lua scripts and in the page. It is tried in this checkout, which must be a clean
clone of its own: `git status` has to be empty. Tests run on the sources, for a mutant is compiled nowhere.

First those files of tests run that are likely to notice: they name the module, or have a word of its path in their own.
With `--likely` these are all, and `--again FILE` tries what survived them by all others: by the tests that reach the
line (of Lua: the module) if `--lines FILE` gives a `.coverage` with test contexts, else by those of the folders that
`FOLDERS` names for its part. The first test that fails kills the mutant.
"""

import argparse
import ast
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Final

import pytest
from coverage import CoverageData

ROOT: Final = Path(__file__).parents[1]
COUNTS: Final = {"domain": 40, "events": 40, "service": 40, "workers": 30, "lua": 15, "page": 15}
FOLDERS: Final = {
    "domain": ("domain", "any_game", "model", "golden", "audit", "research", "events", "service", "cli"),
    "events": ("events", "archive", "audit", "workers", "webhooks", "service", "cli", "cluster", "processes"),
    "service": ("service", "cli", "webhooks", "project", "processes", "clients", "page"),
    "workers": ("workers", "webhooks", "archive", "processes", "drills", "cluster"),
    "lua": ("events", "service", "workers", "webhooks", "archive", "cluster"),
    "page": ("page", "audit"),
}
LONGEST: Final = 900  # seconds for the tests of one folder: what takes longer hangs
QUICK: Final = 60  # tests in the first run
SLOW: Final = (
    "browsers",
    "clients",
    "cluster",
    "drills",
    "generators",
    "processes",
)  # not among the likely ones
LIKELY: Final = 12  # files of tests that are likely to notice
DECISIONS: Final = "tests/golden/test_decisions.py"  # which notices a change of any bot
BOTS: Final = {"belief", "bots", "net", "search"}
LIBRARIES: Final = (
    "flask",
    "gevent",
    "hypothesis.strategies",
    "marshmallow",
    "redis",
    "requests",
    "rq",
    "schemathesis",
)  # fmt: skip
COMPARISONS: Final = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.In: "not in",
    ast.NotIn: "in",
    ast.Is: "is not",
    ast.IsNot: "is",
}
ARITHMETIC: Final = {ast.Add: "-", ast.Sub: "+", ast.Mult: "+", ast.FloorDiv: "*", ast.Mod: "+", ast.Div: "*"}
TEXTUAL: Final = {  # of Lua and JavaScript: what is found, and what takes its place
    "lua": (
        (r" == ", " ~= "), (r" ~= ", " == "), (r" < ", " <= "), (r" > ", " >= "), (r" <= ", " < "), (r" >= ", " > "),
        (r" and ", " or "), (r" or ", " and "), (r"\bnot ", ""), (r" \+ ", " - "), (r" - ", " + "),
        (r"^(\s*)redis\.call", r"\1local _ = #"), (r"\b1\b", "2"), (r"\b0\b", "1"),
    ),
    "page": (
        (r" === ", " !== "), (r" !== ", " === "), (r" < ", " <= "), (r" > ", " >= "), (r" <= ", " < "),
        (r" >= ", " > "), (r" && ", " || "), (r" \|\| ", " && "), (r"\btrue\b", "false"), (r"\bfalse\b", "true"),
        (r" \+ ", " - "),
        (r" - ", " + "), (r"if \(!", "if ("), (r"\b1\b", "2"), (r"\b0\b", "1"), (r" \?\? ", " && "),
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change: in a file, from one place to another (offsets of UTF-8 bytes), a new text in place of the old."""

    part: str
    path: str
    line: int
    start: int
    end: int
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of a mutant: the test that killed it, or None, and the seconds that this took."""

    mutant: Mutant
    killed_by: str | None
    seconds: float


def main(arguments: Sequence[str]) -> int:
    """Try the mutants of a seed one after the other; a line of JSON for each, from which a further call goes on."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutants", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="which places are chosen")
    parser.add_argument(
        "--out", type=Path, help="where a line for each is added (default: mutants-SEED.jsonl)"
    )
    parser.add_argument("--lines", type=Path, help="a .coverage with the context of each test")
    parser.add_argument("--share", default="1/1", help="K/N: every N-th mutant, from the K-th")
    parser.add_argument("--again", type=Path, help="only what survived by such a file")
    parser.add_argument("--likely", action="store_true", help="only the files that are likely to notice")
    parser.add_argument("--list", action="store_true", help="name them, and try none")
    options = parser.parse_args(arguments)
    mutants = chosen(options.seed)
    if options.again:
        alive = {json.dumps(one["mutant"]) for one in _read(options.again) if one["killed_by"] is None}
        mutants = [mutant for mutant in mutants if json.dumps(asdict(mutant)) in alive]
    first, step = map(int, options.share.split("/"))
    mutants = mutants[first - 1 :: step]
    if options.list:
        sys.stdout.writelines(f"{said(mutant)}\n" for mutant in mutants)
        return 0
    if subprocess.run(["git", "diff", "--quiet"], cwd=ROOT, check=False).returncode:
        sys.stderr.write("This checkout has changes of its own: use a clean clone.\n")
        return 2
    out = options.out or Path(f"mutants-{options.seed}.jsonl")
    known = {json.dumps(one["mutant"]) for one in _read(out)} if out.exists() else set()
    for mutant in mutants:
        if json.dumps(asdict(mutant)) in known:
            continue
        runs = _likely(mutant) if options.likely else _runs(mutant, options.lines)
        outcome = tried(mutant, runs)
        with out.open("a") as file:
            file.write(json.dumps(asdict(outcome)) + "\n")
        verdict = f"killed by {outcome.killed_by}" if outcome.killed_by else "SURVIVED"
        sys.stdout.write(f"{outcome.seconds:6.1f} s  {said(mutant)}  {verdict}\n")
        sys.stdout.flush()
    return 0


def _read(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def said(mutant: Mutant) -> str:
    """A mutant in a line."""
    return f"{mutant.path}:{mutant.line}: {mutant.old.strip()[:60]!r} -> {mutant.new.strip()[:60]!r}"


def chosen(seed: int) -> list[Mutant]:
    """The mutants of a seed: at most one in a line, spread over the files of each part."""
    rng, found = random.Random(seed), list[Mutant]()
    for part, count in COUNTS.items():
        candidates = list(_candidates(part))
        rng.shuffle(candidates)
        lines = set[tuple[str, int]]()
        for mutant in candidates:
            if (mutant.path, mutant.line) not in lines:
                lines.add((mutant.path, mutant.line))
                found.append(mutant)
            if len(lines) == count:
                break
    return found


def _candidates(part: str) -> Iterator[Mutant]:
    if part == "page":
        for path in sorted((ROOT / "service/web").rglob("*.js")):
            if "vendor" not in path.parts and "words" not in path.parts:
                yield from _textual(part, path, path.read_text(), 0)
        return
    for path in sorted((ROOT / ("events" if part == "lua" else part)).rglob("*.py")):
        text = path.read_text()
        if path.name.startswith("trained"):  # the weights of a net
            continue
        tree = ast.parse(text)
        if part == "lua":
            for node in ast.walk(tree):
                if (
                    isinstance(node, ast.Constant)
                    and isinstance(node.value, str)
                    and "redis.call" in node.value
                ):
                    yield from _textual(part, path, node.value, _Places(text).of(node)[0])
        else:
            yield from _of_python(part, path, text, tree)


def _textual(part: str, path: Path, text: str, offset: int) -> Iterator[Mutant]:
    """Changes of Lua and JavaScript, line by line, comments apart."""
    whole = path.read_bytes()
    begin = whole.find(text.encode(), offset)
    if begin < 0:  # it has escapes, or is joined from parts
        return
    for line in text.splitlines(keepends=True):
        bare = line.strip()
        if not bare.startswith(("//", "*", "/*", "--", "import ", "@")):
            for pattern, new in TEXTUAL[part]:
                for match in re.finditer(pattern, line):
                    start = begin + len(line[: match.start()].encode())
                    end = begin + len(line[: match.end()].encode())
                    number = whole.count(b"\n", 0, start) + 1
                    yield Mutant(part, _name(path), number, start, end, match[0], match.expand(new))
        begin += len(line.encode())


class _Places:
    """Offsets of the nodes of a text."""

    def __init__(self, text: str) -> None:
        self._starts = [0]
        for line in text.encode().splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    def of(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return (
            self._starts[node.lineno - 1] + node.col_offset,
            self._starts[node.end_lineno - 1] + node.end_col_offset,
        )


def _of_python(part: str, path: Path, text: str, tree: ast.Module) -> Iterator[Mutant]:
    places, data = _Places(text), text.encode()
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        for statement in function.body:
            for node in _executed(statement):
                for start, end, new in _changes(node, places, data):
                    old = data[start:end].decode()
                    number = data.count(b"\n", 0, start) + 1
                    yield Mutant(part, _name(path), number, start, end, old, new)


def _executed(node: ast.AST) -> Iterator[ast.AST]:
    """A statement and all within it, but for annotations, messages of errors, and functions within functions."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Assert | ast.JoinedStr):
        return
    yield node
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "type_comment") or isinstance(node, ast.Raise):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _executed(child)


def _changes(node: ast.AST, places: _Places, data: bytes) -> Iterator[tuple[int, int, str]]:
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        start, end = places.of(node.left)[1], places.of(node.comparators[0])[0]
        if new := COMPARISONS.get(type(node.ops[0])):
            yield start, end, _kept(data[start:end].decode(), new)
    elif isinstance(node, ast.BoolOp):
        start, end = places.of(node.values[0])[1], places.of(node.values[1])[0]
        yield start, end, _kept(data[start:end].decode(), "or" if isinstance(node.op, ast.And) else "and")
    elif isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
        start, end = places.of(node.left)[1], places.of(node.right)[0]
        yield start, end, _kept(data[start:end].decode(), ARITHMETIC[type(node.op)])
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield places.of(node)[0], places.of(node.operand)[0], ""
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield *places.of(node), str(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        yield *places.of(node), str(node.value + 1)
    elif isinstance(node, ast.If | ast.While | ast.IfExp):
        yield *places.of(node.test), "False"
        if not isinstance(node, ast.While):
            yield *places.of(node.test), "True"
    elif isinstance(node, ast.Return) and node.value is not None:
        yield *places.of(node.value), "None"
    elif isinstance(node, ast.Continue | ast.Break):
        yield *places.of(node), "break" if isinstance(node, ast.Continue) else "continue"
    elif isinstance(node, ast.AugAssign) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Call | ast.Await)
    ):
        yield *places.of(node), "pass"


def _kept(between: str, new: str) -> str:
    """An operator in place of the one that stands between two operands; brackets around these stay."""
    stripped = re.sub(r"#.*", "", between)
    return re.sub(r"[^()\s][^()]*[^()\s]|[^()\s]", new, stripped, count=1)


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def tried(mutant: Mutant, runs: Iterator[list[str]]) -> Outcome:
    """Make the change, run tests until one fails, and take the change back."""
    path, started = ROOT / mutant.path, time.monotonic()
    before = path.read_bytes()
    path.write_bytes(before[: mutant.start] + mutant.new.encode() + before[mutant.end :])
    try:
        killer = next(filter(None, (_failing(tests) for tests in runs)), None)
    finally:
        path.write_bytes(before)
    return Outcome(mutant, killer, round(time.monotonic() - started, 1))


def _likely(mutant: Mutant) -> Iterator[list[str]]:
    """The files of tests that are likely to notice, by what they and their paths have of the module's."""
    path = Path(mutant.path).with_suffix("")
    module, parts = ".".join(path.parts), [part.split("_") for part in path.parts[1:]]
    words = {word: place for place, part in enumerate(parts, 1) for word in part if len(word) > 2}
    scores = Counter[str]()
    for test in (ROOT / "tests").rglob("test_*.py"):
        if (mutant.part == "page") != (test.parent.name == "page") or test.parent.name in SLOW:
            continue
        own = {word for part in test.relative_to(ROOT).with_suffix("").parts for word in part.split("_")}
        own |= {word.removesuffix("s") for word in own}
        text = test.read_text()
        scores[_name(test)] = 30 * min(3, text.count(module)) + 10 * text.count(f"{path.name} import")
        scores[_name(test)] += sum(
            4 * place for word, place in words.items() if {word, word.removesuffix("s")} & own
        )
        if test.parent.name in FOLDERS[mutant.part]:
            scores[_name(test)] += 2 * (path.parts[0] == test.parent.name) + 1
    if BOTS & set(path.parts):
        scores[DECISIONS] = 0
        yield [DECISIONS]
    yield [test for test, _ in scores.most_common(LIKELY)]


def _runs(mutant: Mutant, lines: Path | None) -> Iterator[list[str]]:
    reaching = _reaching(mutant, lines) if lines else []
    if reaching:
        yield reaching[:QUICK]
        if len(reaching) > QUICK:
            yield reaching[QUICK:]
        return
    for folder in FOLDERS[mutant.part]:
        yield [f"tests/{folder}"]


def _reaching(mutant: Mutant, lines: Path) -> list[str]:
    """The tests that reach the line, those that reach the fewest lines of the file first; of Lua, the file's."""
    contexts = _contexts(lines, mutant.path)
    many = Counter(context for line in contexts.values() for context in line)
    found = many if mutant.part == "lua" else contexts.get(mutant.line, ())
    tests = {context.partition("|")[0]: many[context] for context in found if context}
    return sorted((test for test in tests if " (" not in test), key=lambda test: tests[test])


@cache
def _contexts(lines: Path, path: str) -> dict[int, list[str]]:
    found = CoverageData(basename=str(lines))
    found.read()
    return found.contexts_by_lineno(path)


def _failing(tests: Sequence[str]) -> str | None:
    """The first test that fails; "(it hangs)" where none ends.

    The tests run in a fork of this process, which has read all libraries, and nothing of the project but this module.
    """
    for library in LIBRARIES:
        import_module(library)
    with tempfile.TemporaryFile("w+") as output:
        child = os.fork()
        if not child:
            _run_and_leave(tests, output.fileno())
        deadline = time.monotonic() + LONGEST
        while not (ended := os.waitpid(child, os.WNOHANG))[0]:
            if time.monotonic() > deadline:
                os.killpg(child, signal.SIGKILL)
                os.waitpid(child, 0)
                return "(it hangs)"
            time.sleep(0.05)
        if os.waitstatus_to_exitcode(ended[1]) in (0, 5):  # 5: no test was chosen
            return None
        output.seek(0)
        said_by_pytest = output.read()
    failed = re.search(r"^(?:FAILED|ERROR) (\S+)", said_by_pytest, re.MULTILINE)
    return failed[1] if failed else f"(pytest: {said_by_pytest.strip().splitlines()[-1:]})"


def _run_and_leave(tests: Sequence[str], output: int) -> None:
    status = 70
    try:
        os.setsid()
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.environ |= {"MIGRATO_COMPILED": "0"}
        sys.dont_write_bytecode = True
        options = ["-q", "-x", "-p", "no:cacheprovider", "--no-header", "--tb=no", "-m", "not nightly"]
        status = int(pytest.main([*options, *tests]))
        sys.stdout.flush()
    finally:
        os._exit(status)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
