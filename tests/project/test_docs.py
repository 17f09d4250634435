"""The texts are true: their links lead somewhere, their commands exist, their examples run on a real engine.

How the texts mark what they show: a `bash` block is a script that a reader may paste and is run here, all
blocks of one text in one shell; a `python` block is run, all blocks of one text in one module; a `console` block
shows commands behind `$`, which must exist.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import fields
from pathlib import Path

import pytest
from _pytest.mark.structures import ParameterSet
from click import Context

from domain.bot import Bot
from domain.migo.bots import BOTS as MIGO_BOTS
from domain.migrato.bots import BOTS
from drills.ports import free_port
from events.features.seats.seats import REISSUES
from events.fsck import findings
from events.runtime.settings import Settings
from events.store import keys
from service.cli import main
from service.http import problems
from tests.domain.kinds import KINDS, MIGO_KINDS
from tests.support.markdown import ALL_TEXTS, FENCE, ROOT, TEXTS, anchors, blocks, links, named, table
from tests.support.running import BIN, clean_environment, ended, running

KINDS_OF_PAGES = ["tutorials", "how-to", "reference", "explanation"]
SOURCES = ["*.y*ml", "*.toml", "Dockerfile", "docs/audit/*.mjs", "[a-z]*/**/*.py"]
OUTSIDE = ("http://", "https://", "mailto:")
DAILY = {"README.md", "docs/tutorials/first-game.md", "docs/reference/http-api.md"}


def with_blocks(language: str) -> list[ParameterSet]:
    """The texts with such blocks; but for those that everybody reads first, they run by night."""
    by_night = pytest.mark.nightly("an example of the documentation does not run")
    return [
        pytest.param(text, id=named(text), marks=() if named(text) in DAILY else by_night)
        for text in TEXTS
        if blocks(text, language)
    ]


Start = Callable[[Mapping[str, str]], str]
DATA_DIRS: dict[str, Path] = {}  # of the engines that were started, by their addresses


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Start]:
    """Starts real engines with settings of theirs, one for all who want the same, and gives their addresses."""
    addresses: dict[tuple[tuple[str, str], ...], str] = {}
    with ExitStack() as engines:

        def started(settings: Mapping[str, str]) -> str:
            asked = tuple(sorted(settings.items()))
            if asked not in addresses:
                addresses[asked] = engines.enter_context(engine(settings, tmp_path_factory.mktemp("engine")))
            return addresses[asked]

        yield started


@contextmanager
def engine(settings: Mapping[str, str], place: Path) -> Iterator[str]:
    """The address of a real engine, as `migrato serve` starts it."""
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    own = {"MIGRATO_PORT": str(port), "MIGRATO_DATA_DIR": str(place / "data")}
    DATA_DIRS[address] = place / "data"
    with running([str(BIN / "migrato"), "serve"], {**settings, **own}, place / "log", f"{address}/readyz"):
        yield address


def settings_of(text: Path) -> dict[str, str]:
    """The command with which the text has its reader start an engine, before the first example to run; else nothing."""
    before = re.split(r"^```(?:bash|python)$", text.read_text(), maxsplit=1, flags=re.MULTILINE)[0]
    told = re.search(r"^\$ ((?:MIGRATO_\w+=\S+ )+)make run$", before, re.MULTILINE)
    if told is None:
        return {}
    return dict(pair.split("=", 1) for pair in told[1].split())


def test_every_relative_link_leads_somewhere() -> None:
    for text, target in ((one, target) for one in ALL_TEXTS for target in links(one)):
        if target.startswith(OUTSIDE):
            continue
        path, _, anchor = target.partition("#")
        file = (text.parent / path).resolve() if path else text
        assert file.exists(), (text, target)
        assert file.is_relative_to(ROOT), (text, target)
        assert not anchor or anchor in anchors(file), (text, target)


def test_the_index_lists_every_page_once() -> None:
    """The index lists every page once, in the part of its kind, which is its folder."""
    index = ROOT / "docs/README.md"
    listed = [target for target in links(index) if "/" in target]
    pages = [path for kind in KINDS_OF_PAGES for path in (ROOT / "docs" / kind).glob("*.md")]
    assert sorted(listed) == sorted(str(page.relative_to(index.parent)) for page in pages)
    folders = [target.split("/")[0] for target in listed]
    assert folders == sorted(folders, key=KINDS_OF_PAGES.index)


def test_every_page_that_the_code_names_exists() -> None:
    """Every page exists that comments, docstrings and messages name."""
    sources = [path for name in SOURCES for path in ROOT.glob(name)]
    told = {
        (path.name, page)
        for path in sources
        for page in re.findall(r"\bdocs/[\w/-]+\.(?:md|mjs|json)\b", path.read_text())
    }
    assert told
    assert {(name, page) for name, page in told if not (ROOT / page).exists()} == set()


def test_every_module_that_a_text_names_exists() -> None:
    """Modules of the game that a reader is to add are left out, and records of former decisions and measurements."""
    told = {
        (named(text), module)
        for text in ALL_TEXTS
        if text.parent.name not in ("adr", "benchmarks")
        for module in re.findall(
            r"`((?:domain|events|service|workers|tests)/[\w/.-]+\.\w+)`", text.read_text()
        )
    }
    assert told
    gone = {(name, module) for name, module in told if not (ROOT / module).exists()}
    assert {module for _, module in gone if "/tricks/" not in module} == set()


SENT = re.compile(r"^.*/moves\" .*-d .*$|\.(?:post|move)\(.*?\)(?=[;.]|$| as )", re.MULTILINE | re.DOTALL)
SAFE = re.compile(
    r"If-Match|Idempotency-Key|\b(?:chosen_at|safely|once|at[=:]|turn_?[vV]ersion|idempotency_?[kK]ey)"
)


def test_examples_make_no_move_twice() -> None:
    """Each example that posts a move names the version at which the move was chosen, or a key of the request."""
    sent = [
        (named(text), call)
        for text in ALL_TEXTS
        for _, code in FENCE.findall(text.read_text())
        for call in SENT.findall(code)
        if re.search(r"/moves\"|\[\"moves\"\]|\.move\(", call) and "resign" not in call
    ]
    assert len(sent) > 15
    assert [one for one in sent if not SAFE.search(one[1])] == []


@pytest.mark.xdist_group("documents")
@pytest.mark.parametrize("text", with_blocks("bash"))
def test_bash_blocks_run(text: Path, start: Start, tmp_path: Path) -> None:
    """The bash blocks of a text run; only their games with a limit are made shorter."""
    script, url = "\n".join(["set -euo pipefail", *blocks(text, "bash")]), start(settings_of(text))
    script = script.replace('"turn_limit": 30', '"turn_limit": 8')
    done = ended(["bash", "-c", script], tmp_path, {"URL": url, "MIGRATO_DATA_DIR": str(DATA_DIRS[url])})
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    if text == ROOT / "README.md":
        assert '"reason":"turn_limit"' in done.stdout or '"reason":"all_arrived"' in done.stdout, done.stdout


@pytest.mark.xdist_group("documents")
@pytest.mark.parametrize("text", with_blocks("python"))
def test_python_blocks_run(text: Path, start: Start, tmp_path: Path) -> None:
    done = run_python(text, start(settings_of(text)), tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.nightly("an example of the documentation does not run")
@pytest.mark.xdist_group("documents")
def test_a_bot_that_the_engine_may_not_call_is_told_so(start: Start, tmp_path: Path) -> None:
    """By the guide's own program, where somebody has an engine without the permission: what is pulled works there."""
    done = run_python(ROOT / "docs/how-to/write-a-bot.md", start({}), tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["bot.py"]
    assert done.returncode == 1
    assert "'reason': " in done.stdout
    assert '"code":"validation-error"' in done.stderr
    assert '"seats.0.url"' in done.stderr
    assert "Traceback" not in done.stderr


def run_python(text: Path, url: str, place: Path) -> subprocess.CompletedProcess[str]:
    """All Python blocks of the text, as one program."""
    told = re.search(r"run `bot/bin/python (\w+\.py)`", text.read_text())
    script = place / (told[1] if told else f"{text.stem}.py")
    script.write_text("\n".join(blocks(text, "python")))
    return ended([sys.executable, script], place, {"URL": url, "PYTHONPATH": str(ROOT / "clients/python")})


def test_the_table_of_settings_is_complete_and_true() -> None:
    rows = re.findall(
        r"^\| `MIGRATO_(\w+)` \| (.+?) \|", (ROOT / "docs/reference/settings.md").read_text(), re.MULTILINE
    )
    told = {name: default.strip("`") for name, default in rows}
    defaults = {field.name: getattr(Settings(), field.name) for field in fields(Settings)}
    assert set(told) == {name.upper() for name in defaults} | {"COMPILED", "WHEELS"}
    for name, default in defaults.items():
        assert told[name.upper()] == str(default) or not default, name


def test_the_table_of_findings_is_complete_and_true() -> None:
    """Every code of `migrato fsck` once, and whether it is repaired."""
    rows = table(ROOT / "docs/reference/fsck.md", "finding")
    told = [(code, repaired.startswith("yes")) for codes, _, repaired in rows for code in codes.split(", ")]
    assert sorted(told) == sorted((f"`{code}`", kind.repairable) for code, kind in findings.KINDS.items())


def test_every_redis_key_is_documented() -> None:
    text = (ROOT / "docs/reference/redis-keys.md").read_text()
    for form in keys.TYPES:
        name = form.rstrip("*:").replace("{app}", "{app:<name>}")
        assert any(f"`{name.replace('{p}', f'{{p{tag}}}')}" in text for tag in ("042", "000")), form


def test_the_tables_of_events_are_complete() -> None:
    """Every type once: in the table of those that both games have, or in that of its game."""
    page = ROOT / "docs/reference/http-api.md"
    everywhere, migrato, migo = (
        [kind.strip("`") for kinds, *_ in table(page, head) for kind in kinds.split(", ")]
        for head in ("event", "event of Migrato", "event of Migo")
    )
    assert sorted(everywhere) == sorted(KINDS & MIGO_KINDS)
    assert sorted(migrato) == sorted(KINDS - MIGO_KINDS)
    assert sorted(migo) == sorted(MIGO_KINDS - KINDS)


def test_the_tables_of_bots_are_those_of_the_code() -> None:
    """Every bot once, with its iterations and its time for a move."""
    tables: list[tuple[str, Mapping[str, Bot]]] = [("bot of Migrato", BOTS), ("bot of Migo", MIGO_BOTS)]
    for head, bots in tables:
        told = {
            name.strip("`"): (iterations, stated)
            for names, _, iterations, stated, *_ in table(ROOT / "docs/reference/bots.md", head)
            for name in names.split(", ")
        }
        assert told == {
            name: (f"{bot.budget.iterations:,}" if bot.budget else "-", f"{bot.milliseconds:,}")
            for name, bot in bots.items()
        }


def test_commands_in_console_blocks_exist() -> None:
    """Their sub-commands, too, and the targets of make."""
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    shown = "\n".join(block for text in TEXTS for block in blocks(text, "console"))
    for command in sorted(set(re.findall(r"^\$ (.+)$", shown, re.MULTILINE))):
        program, *arguments = re.sub(r"^(\w+=\S+ )+", "", command).split()
        if program == "make":
            assert arguments[0] in targets, command
        elif program in ("migrato", ".venv/bin/migrato"):
            names = [word for word in arguments if re.fullmatch("[a-z]+", word)][:1]
            assert not names or names[0] in main.list_commands(Context(main)), command
        elif "/" in program:
            assert (ROOT / program).exists() or (BIN / Path(program).name).exists(), command
        else:
            assert shutil.which(program, path=f"{BIN}:{clean_environment({})['PATH']}"), command


def test_every_problem_is_documented() -> None:
    """The guide to the API has each code with its status, and no other."""
    rows = table(ROOT / "docs/reference/http-api.md", "code")
    told = [(code.strip("`"), int(status)) for code, status, _ in rows]
    assert len(told) == len(set(told))
    assert set(told) == {(code, kind.status) for code, kind in problems.KINDS.items()}


def test_the_most_tokens_of_a_seat_are_told() -> None:
    """The texts tell the highest number of new tokens of a seat."""
    for text in ("reference/http-api", "reference/rules-migrato", "adr/0015-a-request-is-its-own-record"):
        told = (ROOT / f"docs/{text}.md").read_text()
        assert re.search(rf"\b{REISSUES}\s+(new\s+tokens|for\s+a\s+seat)", told), text
