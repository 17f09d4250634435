"""The page's words: all that it can be asked to say, in every language, and nothing else."""

import ast
import json
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

import pytest

from domain.migo.net.explain import SENTENCES as OF_MIGO
from domain.migo.rules.cards import KINDS, SHERPA
from domain.migrato.net.explain import SENTENCES as OF_MIGRATO
from domain.registry import GAMES
from domain.words.languages import LANGUAGES
from events.log.ratings.unrated import UNRATED
from service.http.page.assets import OPTIONS
from service.http.problems import KINDS as PROBLEMS
from service.http.schemas.games.responses import UNUSUAL
from tests.support.node import NODE
from tests.support.running import ROOT

WEB: Final = ROOT / "service/web"
TRANSLATIONS: Final = [language for language in LANGUAGES if language != "en"]
FILES: Final = ("page", "people", "problems", "rules")
# What the page itself says: of no answer, and of a search for a partner that has ended.
OWN: Final = {"away", "search-over"}
# Refusals of requests that the page never makes: malformed ones, and those of apps, operators and other sites.
NEVER: Final = {
    "bad-request",
    "malformed-json",
    "foreign-origin",
    "method-not-allowed",
    "external-id-taken",
    "no-more-tokens",
    "app-exists",
    "too-many-apps",
    "too-many-keys",
    "too-many-webhooks",
    "too-many-bots",
    "game-ended",
    "events-expired",
    "precondition-failed",
    "too-large",
    "uri-too-long",
    "unsupported-media-type",
    "idempotency-mismatch",
    "bad-deck",
    "headers-too-large",
    "not-implemented",
}
RULE: Final = re.compile(r"\d+(\.\d+)?|[A-Z]\d+")
SPOKEN: Final = re.compile(r'"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\\n]|\\.)*)`')
IMPORT: Final = "(await Promise.all(given.map((path) => import(path)))).map((module) => module.default)"
TRANSLATE: Final = """await (async ([path, languages, texts]) => {
    const { translator } = await import(path);
    const translators = await Promise.all(languages.map(translator));
    return texts.map((text) => translators.map((translated) => translated(text)));
})(given)"""


def said(expression: str, *given: Any) -> Any:
    """The value of an expression in Node."""
    program = f"const given = JSON.parse(process.argv[1]); console.log(JSON.stringify({expression}))"
    command = [str(NODE), "--no-warnings", "--experimental-vm-modules", "--input-type=module"]
    command += ["-e", program, json.dumps(given)]
    return json.loads(subprocess.check_output(command, timeout=120))


@cache
def all_words() -> dict[tuple[str, str], dict[str, str]]:
    """Words by their keys, by file and language."""
    names = [(file, language) for file in FILES for language in LANGUAGES]
    paths = [str(WEB / f"words/{language}/{file}.js") for file, language in names]
    return dict(zip(names, said(IMPORT, *paths), strict=True))


def test_each_language_is_a_folder_of_the_same_files() -> None:
    folders = list((WEB / "words").iterdir())
    assert {path.name for path in folders} == set(LANGUAGES)
    assert len({frozenset(file.name for file in path.iterdir()) for path in folders}) == 1


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_words_have_the_same_values_in_every_language(language: str) -> None:
    """Nothing in braces is lost or invented by a translation, and none of its sentences was left in English."""
    english, words = all_words()["page", "en"], all_words()["page", language]
    assert words.keys() == english.keys()
    assert [key for key, text in english.items() if values(words[key]) != values(text)] == []
    assert [key for key, text in english.items() if words[key] == text and len(text.split()) > 2] == []


def values(text: str) -> set[str]:
    """The names in braces."""
    return set(re.findall(r"\{(\w+)", text))


def test_the_checks_of_a_proof_have_words_in_every_language() -> None:
    """Each sentence that stands in the proof's modules, and those that are put together of parts."""
    modules = [path for path in (WEB / "proof").glob("**/*.js") if path.name not in ("page.js", "steps.js")]
    code = "\n".join(path.read_text() for path in modules)
    code = re.sub(r"\$\{[^{}`]*\}", "X", re.sub(r"^\s*(//|/?\*).*$", "", code, flags=re.MULTILINE))
    spoken = {quoted or template for quoted, template in SPOKEN.findall(code)}
    texts = sorted(text.replace("\\`", "`") for text in spoken if re.search(r"\w \w+ \w", text))
    assert len(texts) > 50
    starts = [text if text[0].isupper() or "X" in text else f"X {text}" for text in texts]
    joined = [
        "The header is not in canonical form. Lines must be the very bytes of the export.",
        "deck of the last line is malformed.",
    ]
    count = len(texts)
    found = said(TRANSLATE, str(WEB / "proof/translation.js"), TRANSLATIONS, [*texts, *starts, *joined])
    pairs = zip(texts, starts, found[:count], found[count : 2 * count], strict=True)
    assert [text for text, start, plain, started in pairs if text in plain and start in started] == []
    for text in (text for translations in found[2 * count :] for text in translations):
        assert not set(text.split()) & {"The", "header", "line"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_refusal_has_words_and_nothing_else_has(language: str) -> None:
    """No words are left of one that has gone: neither of a problem, nor of a rule that forbids a move."""
    problems = all_words()["problems", language]
    assert problems.keys() == {f"problem.{code}" for code in PROBLEMS.keys() - NEVER | OWN}
    assert len(set(problems.values())) == len(problems)
    rules = all_words()["rules", language]
    assert rules.keys() == {f"rule.{game}.{rule}" for game in GAMES for rule in cited(game)}
    assert [text for text in rules.values() if not text.endswith(".")] == []


def test_each_option_that_the_start_offers_has_words_and_nothing_else_has() -> None:
    """It offers those that have a word; they are flags and choices."""
    words = {key for key in all_words()["page", "en"] if key.startswith("option.")}
    told = set()
    for word in (word for word in words if word.count(".") == 2):
        _, game, name = word.split(".")
        option = OPTIONS[game][name]
        parts = [".note"] if option["kind"] == "flag" else [f".{choice}" for choice in option["choices"]]
        assert parts, name
        told |= {word, *[word + part for part in parts]}
    assert told
    assert words == told


def test_each_reason_not_to_count_has_words() -> None:
    """Those of every game, and the options of each."""
    told = {key for key in all_words()["page", "en"] if key.startswith("unrated.")}
    assert told == {f"unrated.{code}" for code in [*UNRATED, *UNUSUAL]}


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_reason_for_a_move_has_words_and_nothing_else_has(language: str) -> None:
    """So nobody is told in English by accident, and no two games mean different things by one code."""
    found = all_words()["people", language]
    codes = [*OF_MIGRATO.codes, *OF_MIGO.codes]
    assert sorted(key for key in found if key.startswith("why.")) == sorted(f"why.{code}" for code in codes)
    assert {key for key in found if key.startswith("pieces.")} == {
        f"pieces.{kind}" for kind in KINDS if kind != KINDS[SHERPA]
    }


@pytest.mark.parametrize("game", GAMES)
def test_each_rule_that_forbids_is_in_the_rule_book(game: str) -> None:
    """As a section or a ruling, where the page's link leads."""
    book = (ROOT / f"docs/reference/rules-{game}.md").read_text()
    there = set(re.findall(r"^#+ (\d+(?:\.\d+)?)\b", book, re.MULTILINE)) | set(
        re.findall(r"^\| ([A-Z]\d+) \|", book, re.MULTILINE)
    )
    assert cited(game) - there == set()
    assert len(cited(game)) > 3


@cache
def cited(game: str) -> set[str]:
    """The rules that refusals of a game name: beside the reason, in `illegal_move(reason, rule)` or a pair of them."""
    modules = sorted((ROOT / "domain" / game / "rules").glob("*.py"))
    nodes = [node for path in modules for node in ast.walk(ast.parse(path.read_text()))]
    return {rule for node in nodes for rule in rules_in(node)}


def rules_in(node: ast.AST) -> Iterator[str]:
    """The rule in a pair of a reason and a rule."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "illegal_move":
        pair = node.args
    elif isinstance(node, ast.Tuple):
        pair = node.elts
    else:
        return
    if len(pair) == 2 and is_text(pair[0]) and isinstance(pair[1], ast.Constant):
        rule = pair[1].value
        if isinstance(rule, str) and RULE.fullmatch(rule):
            yield rule


def is_text(node: ast.AST) -> bool:
    """True if it is a text, with or without values in it."""
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))
