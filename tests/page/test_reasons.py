"""Each reason that the engine can give for a move has its words on the page, in every language."""

import pytest

from domain.migo.net.explain import SENTENCES as OF_MIGO
from domain.migo.rules.cards import KINDS, SHERPA
from domain.migrato.net.explain import SENTENCES as OF_MIGRATO
from tests.page.words import LANGUAGES, words_of


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_reason_has_words_and_nothing_else_has(language: str) -> None:
    """So nobody is told in English by accident, and no two games mean different things by one code."""
    found = words_of("figures", language)
    codes = [*OF_MIGRATO.codes, *OF_MIGO.codes]
    assert sorted(key for key in found if key.startswith("why.")) == sorted(f"why.{code}" for code in codes)
    assert {key for key in found if key.startswith("pieces.")} == {
        f"pieces.{kind}" for kind in KINDS if kind != KINDS[SHERPA]
    }
