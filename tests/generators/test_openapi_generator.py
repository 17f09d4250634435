"""Clients in Go and Java that openapi-generator makes from openapi.yaml, compiled with what Debian has."""

import re
import shutil
from pathlib import Path
from typing import Final

import openapi_generator_cli
import pytest

from tests.generators.clients import GUIDE, generate
from tests.generators.conftest import Address
from tests.support.markdown import blocks
from tests.support.programs import library, program
from tests.support.running import BIN, output

TOOL: Final = "openapi-generator-cli"
JAR: Final = Path(openapi_generator_cli.__file__).with_name("openapi-generator.jar")
# An annotation of javax.annotation-api, a package of Maven. The generator's jar has everything else that clients need.
GENERATED: Final = """\
package javax.annotation;
public @interface Generated { String[] value(); String date(); String comments(); }
"""
VALIDATOR: Final = Path(
    "/usr/share/gocode/src/gopkg.in/validator.v2"
)  # the one module that the client in Go needs
PLAYED: Final = r"(\d+) events, birds( \w{3})+, scores \[\d+,? \d+\]\n404\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the configurations that the guide shows."""
    program("java", "default-jdk-headless")
    for language in ("go", "java"):
        name = f"openapi-generator-{language}.yaml"
        [configuration] = [block for block in blocks(GUIDE, "yaml") if f"# {name}" in block]
        (tmp_path / name).write_text(configuration)
    return tmp_path


def test_a_whole_game_in_go(folder: Path, address: Address) -> None:
    go = program("go", "golang-go")
    validator = library(VALIDATOR, "golang-gopkg-validator.v2-dev")
    client = generate(folder, TOOL, [BIN / TOOL], "play.go", language="go")
    module = client.folder / "migrato"
    shutil.copytree(validator, module / "validator", ignore=shutil.ignore_patterns("*_test.go"))
    (module / "validator/go.mod").write_text("module gopkg.in/validator.v2\n")
    (module / "play").mkdir()
    (client.folder / "play.go").rename(module / "play/main.go")
    offline = {"GOPROXY": "off", "GOFLAGS": "-mod=mod", "GOCACHE": str(folder / "cache")}
    output([go, "mod", "edit", "-replace", "gopkg.in/validator.v2=./validator"], module, **offline)
    output([go, "build", "-o", folder / "played", "./play"], module, **offline)
    assert re.fullmatch(PLAYED, output([folder / "played", *address], folder))


def test_a_whole_game_in_java(folder: Path, address: Address) -> None:
    java, javac = (program(name, "default-jdk-headless") for name in ("java", "javac"))
    client = generate(folder, TOOL, [BIN / TOOL], "Play.java", language="java")
    (folder / "Generated.java").write_text(GENERATED)
    (folder / "classes").mkdir()
    sources = sorted((client.folder / "migrato/src/main").rglob("*.java"))
    with (folder / "sources").open("w") as file:
        file.writelines(f"{path}\n" for path in [*sources, folder / "Generated.java", folder / "Play.java"])
    output([javac, "-proc:none", "-cp", JAR, "-d", "classes", "@sources"], folder)
    assert re.fullmatch(PLAYED, output([java, "-cp", f"classes:{JAR}", "Play", *address], folder))
