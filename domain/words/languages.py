"""A sentence in each language, and what is put in the place of its names in braces."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Final, NamedTuple, get_type_hints


class Words(NamedTuple):
    """A sentence in each language; `{name}` stands for a value.

    These members are the list of languages, each with its own name for itself: API and page take it from here.
    """

    en: Annotated[str, "English"]
    fr: Annotated[str, "Français"]
    de: Annotated[str, "Deutsch"]
    it: Annotated[str, "Italiano"]


LANGUAGES: Final = Words._fields
LANGUAGE_NAMES: Final[Mapping[str, str]] = {
    code: hint.__metadata__[0] for code, hint in get_type_hints(Words, include_extras=True).items()
}
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
    return Words(*[text for _ in LANGUAGES])


EMPTY: Final = Said(same(""))
