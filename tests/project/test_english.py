"""The check of docstrings and names, which `make check` runs."""

import pytest

from tests.project.english import faults


@pytest.mark.parametrize(
    "source",
    [
        '"""What a module has."""',
        'class A:\n    """Whoever plays."""',
        'def a():\n    """Whether it is over."""',
        'async def a():\n    """How much."""',
        'def a():\n    """\n    That which is."""',
        'def a():\n    """And of a bot."""',
        "def test_what_is_there():\n    pass",
        "class B:\n    def test_where_it_is(self):\n        pass",
    ],
)
def test_a_question_word_or_a_conjunction_is_refused(source: str) -> None:
    """In every kind of docstring, and in names of tests."""
    assert len(list(faults(source))) == 1


@pytest.mark.parametrize(
    "source",
    [
        '"""Rating of a player after a game."""',
        'def a():\n    """Whatever: no such word, nor is Thatcher."""',
        "def a():\n    pass",
        'text = """What a text says is free."""',
        "def test_whole_games():\n    pass",
    ],
)
def test_others_are_not(source: str) -> None:
    """A text that is no docstring, and words that only begin alike."""
    assert list(faults(source)) == []
