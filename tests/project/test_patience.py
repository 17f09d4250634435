"""Tests wait for what is visible: none sleeps longer than the pause between two looks."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.support.running import ROOT
from tests.support.waiting import LONGEST_PAUSE

SLEEPS = {
    "sleep": 1.0,
    "wait_for_timeout": 1000.0,
}  # names of functions, and how many of their units a second has
IN_A_PROGRAM = re.compile(r"\b(?:time\.)?sleep\((\d[\d.]*)\)")  # that a test writes and starts


def long_sleeps(source: str) -> Iterator[int]:
    """The lines of a module that sleep longer, or for a time that nobody can read there; nightly tests may."""
    tree = ast.parse(source)
    known = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }
    for node in by_day(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if any(float(seconds) > LONGEST_PAUSE for seconds in IN_A_PROGRAM.findall(node.value)):
                yield node.lineno
        elif isinstance(node, ast.Call) and node.args:
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in SLEEPS and not seconds_of(node.args[0], known) / SLEEPS[name] <= LONGEST_PAUSE:
                yield node.lineno


def by_day(node: ast.AST) -> Iterator[ast.AST]:
    """A node and all within it, but for tests that are marked `nightly`."""
    if "nightly" not in " ".join(map(ast.unparse, getattr(node, "decorator_list", ()))):
        yield node
        for child in ast.iter_child_nodes(node):
            yield from by_day(child)


def seconds_of(node: ast.expr, known: dict[str, ast.expr]) -> float:
    """The value of a number, of a constant of the module, or of their arithmetic; else infinity."""
    match node:
        case ast.Constant(value=int() | float() as number):
            return number
        case ast.Name(id=name) if name in known:
            return seconds_of(known[name], known)
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return seconds_of(left, known) * seconds_of(right, known)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return seconds_of(left, known) + seconds_of(right, known)
        case ast.IfExp(body=one, orelse=other):
            return max(seconds_of(one, known), seconds_of(other, known))
        case ast.Call(func=ast.Name(id="min"), args=bounds):
            return min(seconds_of(bound, known) for bound in bounds)
    return float("inf")


def test_no_test_sleeps_for_long() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in sorted((ROOT / "tests").rglob("*.py"))
        if path not in (Path(__file__), ROOT / "tests/support/waiting.py")
        if any(f"{name}(" in (source := path.read_text()) for name in SLEEPS)
        for line in long_sleeps(source)
    ]
    assert found == []


def test_long_sleeps_are_found() -> None:
    source = """
LONG = 2
time.sleep(0.05)
time.sleep(LONG * 0.01)
time.sleep(LONG)
time.sleep(pause)
time.sleep(min(0.05, pause))
page.wait_for_timeout(50)
page.wait_for_timeout(51)
run("import time; time.sleep(60)")
@pytest.mark.nightly("an hour")
def test_long():
    time.sleep(3600)
"""
    assert list(long_sleeps(source)) == [5, 6, 9, 10]
