"""A bot's version names its decisions: a bot that decides otherwise has a new one, and is measured anew."""

import json

import pytest

from tests.golden.decisions import RECORDED, decisions


def test_a_bot_of_the_same_version_decides_as_it_did(subtests: pytest.Subtests) -> None:
    """Each bot, in positions throughout games of every kind, with all that it thinks of its alternatives."""
    recorded = json.loads(RECORDED.read_text())
    for name, now in decisions().items():
        with subtests.test(name):
            assert now["version"] == recorded[name]["version"], "run `python -m tests.golden.decisions`"
            assert now == recorded[name], "raise the bot's version, and measure it"
