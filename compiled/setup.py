"""Compiles the package `domain` in the working directory in place, and removes the sources of what is compiled."""

from pathlib import Path

from mypyc.build import mypycify
from setuptools import setup

# What only the service asks for, a few times a request, stays plain: it would double the time that compiling takes.
LEFT_OUT = {
    "domain/chance.py",
    "domain/decider.py",
    "domain/migrato/documents.py",
    "domain/migrato/fork.py",
    "domain/migrato/game.py",
    "domain/migrato/given.py",
    "domain/migrato/given_position.py",
    "domain/migrato/history.py",
    "domain/migrato/notation.py",
    "domain/migrato/position.py",
    "domain/migrato/position_wire.py",
    "domain/migrato/preview.py",
    "domain/migrato/view.py",
    "domain/migrato/wire.py",
    "domain/remarks.py",
}

modules = sorted({str(path) for path in Path("domain").rglob("*.py")} - LEFT_OUT)
setup(
    name="domain",
    packages=[],
    # One C file: calls within it are direct. -O1: higher levels take twice as long and are no faster.
    ext_modules=mypycify(modules, opt_level="1", debug_level="0", group_name="domain"),
    script_args=["--quiet", "build_ext", "--inplace"],
)
for module in modules:
    Path(module).unlink()
