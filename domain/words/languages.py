"""A sentence in each language, and what is put in the place of its names in braces."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple


class Words(NamedTuple):
    """A sentence in each language; `{name}` stands for a value. A further language is a further member here."""

    en: str
    fr: str
    de: str
    it: str


LANGUAGES: Final = Words._fields
ENGLISH: Final = "en"
NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


class Said(NamedTuple):
    """Words with the values of their names: numbers, texts, and what is said in each language itself."""

    words: Words
    values: Mapping[str, Any] = NOTHING

    def in_language(self, language: str) -> str:
        """The sentence; in English where the language is not known."""
        template: str = getattr(self.words, language if language in LANGUAGES else ENGLISH)
        return template.format_map(
            {
                name: value.in_language(language) if isinstance(value, Said) else value
                for name, value in self.values.items()
            }
        )


def joined(*parts: Words) -> Words:
    """The parts one after the other."""
    return Words(*["".join(texts) for texts in zip(*parts, strict=True)])


def same(text: str) -> Words:
    """Words that are the same in each language."""
    return Words(text, text, text, text)


EMPTY: Final = Said(same(""))
