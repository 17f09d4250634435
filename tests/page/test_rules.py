"""Each rule that the engine can name in a refusal has its sentence on the page, in every language."""

import ast
import re
from collections.abc import Iterator
from typing import Final

import pytest

from domain.registry import GAMES
from tests.page.words import LANGUAGES, words_of
from tests.project.running import ROOT

RULE: Final = re.compile(r"\d+(\.\d+)?|[A-Z]\d+")


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
    """Whether it is a text, with or without values in it."""
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_rule_that_forbids_has_a_sentence_and_no_other_has(language: str) -> None:
    """So nobody is told in the engine's words, and no sentence is left of a rule that has gone."""
    wanted = {f"rule.{game}.{rule}" for game in GAMES for rule in cited(game)}
    sentences = words_of("rules", language)
    assert sentences.keys() == wanted
    assert [text for text in sentences.values() if not text.endswith(".")] == []


@pytest.mark.parametrize("game", GAMES)
def test_each_rule_that_forbids_is_in_the_rule_book(game: str) -> None:
    """As a section or a ruling, where the page's link leads."""
    book = (ROOT / f"docs/reference/rules-{game}.md").read_text()
    there = set(re.findall(r"^#+ (\d+(?:\.\d+)?)\b", book, re.MULTILINE)) | set(
        re.findall(r"^\| ([A-Z]\d+) \|", book, re.MULTILINE)
    )
    assert cited(game) - there == set()
    assert len(cited(game)) > 3
