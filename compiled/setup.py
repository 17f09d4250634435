"""Compiles the modules that say so in the working directory, into the files that `compiled.libraries` names."""

import os
import sys
from pathlib import Path

from mypyc.build import mypycify
from mypyc.namegen import exported_name
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

from compiled.libraries import LIBRARY, SHIM, libraries, name_of


class Told(build_ext):  # type: ignore[misc]
    """Tells of each library that is done, with the size of its C source: `done NAME BYTES`."""

    def build_extension(self, ext: Extension) -> None:
        """Build one."""
        size = c_bytes(ext)
        super().build_extension(ext)
        if ext.name.startswith(LIBRARY):
            tell("done", ext.name.removeprefix(LIBRARY).removesuffix("__mypyc"), size)


def tell(*words: object) -> None:
    """A line for `python -m compiled`."""
    sys.stdout.write(f"{' '.join(map(str, words))}\n")
    sys.stdout.flush()


def c_bytes(extension: Extension) -> int:
    """Size of the C source of an extension."""
    return sum(Path(source).stat().st_size for source in extension.sources)


def shim(groups: dict[str, list[str]]) -> Extension:
    """The one extension that lies under the name of each module: mypyc's own, one for each, take longer to compile."""
    lines, last_names = [], set()
    for library, paths in groups.items():
        for path in paths:
            module = name_of(path)
            last_names.add(module.rpartition(".")[2])
            lines.append(f'MODULE("{module}", "{LIBRARY}{library}__mypyc", "{exported_name(module)}")\n')
    lines += [f"LAST_NAME({name})\n" for name in sorted(last_names)]
    source = Path("build", f"{SHIM}.c")
    source.write_bytes(Path(__file__).with_name(source.name).read_bytes())
    source.with_suffix(".h").write_text("".join(lines))
    return Extension(SHIM, [str(source)], extra_compile_args=["-O1", "-g0"])


def build() -> None:
    """Compile the libraries of the working directory, at the same time as far as there are cores."""
    groups = libraries(Path())
    modules = sorted(module for group in groups.values() for module in group)
    # One C file for each library: calls within it are direct. No library may be called like the last part of a
    # package's name, as `rules` is: mypyc would look for that package's modules beside it.
    # -O1: higher levels take twice as long and are no faster.
    extensions = [
        extension
        for extension in mypycify(
            ["--ignore-missing-imports", "--no-warn-unused-ignores", *modules],
            opt_level="1",
            debug_level="0",
            separate=[(group, f"{LIBRARY}{name}") for name, group in groups.items()],
        )
        if extension.name.startswith(LIBRARY)
    ]
    extensions.sort(key=c_bytes, reverse=True)  # the one that takes longest begins first
    for extension in extensions:
        # A product is rounded before it is added to, on every machine, as Python does.
        extension.extra_compile_args.append("-ffp-contract=off")
        # gcc reads the lines around each `if` again for this, which is half of its time: mypyc indents ever further.
        extension.extra_compile_args.append("-Wno-misleading-indentation")
    tell("translated", sum(map(c_bytes, extensions)))
    setup(
        name="domain",
        cmdclass={"build_ext": Told},
        packages=[],
        ext_modules=[*extensions, shim(groups)],
        script_args=[
            "--quiet",
            "build_ext",
            "--inplace",
            f"--parallel={min(len(groups), os.cpu_count() or 1)}",
        ],
    )


if __name__ == "__main__":
    build()
