"""Compiles the package `domain` in the working directory in place, and removes the sources of what is compiled."""

from pathlib import Path

from mypyc.build import mypycify
from setuptools import setup

# What only the service asks for, a few times a request, stays plain: it would double the time that compiling takes.
LEFT_OUT = {
    "domain/base/__init__.py",
    "domain/base/events.py",
    "domain/base/game.py",
    "domain/base/lifecycle.py",
    "domain/base/rules.py",
    "domain/base/table.py",
    "domain/chance.py",
    "domain/game.py",
    "domain/registry.py",
    "domain/migo/audit.py",
    "domain/migo/codec/event_codec.py",
    "domain/migo/codec/move_codec.py",
    "domain/migo/codec/position_reader.py",
    "domain/migo/drawing.py",
    "domain/migo/rules/fork.py",
    "domain/migo/rules/reachable.py",
    "domain/migo/game.py",
    "domain/migo/preview.py",
    "domain/migo/notation.py",
    "domain/migo/rules/view.py",
    "domain/migo/archive_columns.py",
    "domain/migrato/audit.py",
    "domain/migrato/archive_columns.py",
    "domain/migrato/codec/move_codec.py",
    "domain/migrato/belief/resampling.py",
    "domain/migrato/rules/fork.py",
    "domain/migrato/game.py",
    "domain/migrato/codec/readers.py",
    "domain/migrato/codec/history_reader.py",
    "domain/migrato/codec/table_reader.py",
    "domain/migrato/notation.py",
    "domain/migrato/codec/position_reader.py",
    "domain/migrato/codec/position_codec.py",
    "domain/migrato/preview.py",
    "domain/migrato/rules/view.py",
    "domain/migrato/codec/event_codec.py",
    "domain/annotations.py",
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
