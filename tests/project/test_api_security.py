"""The table of risks names tests that exist."""

import re

from tests.support.markdown import ROOT

PAGE = (ROOT / "docs/reference/api-security.md").read_text()
ROWS = [line for line in PAGE.splitlines() if line.startswith("| API")]
NAMED = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", PAGE)


def test_all_ten_risks_are_there() -> None:
    """The table has all ten risks, each with tests of its own."""
    assert [row.split()[1] for row in ROWS] == [f"API{number}" for number in range(1, 11)]
    assert all("`tests/" in row for row in ROWS)


def test_each_test_that_it_names_exists() -> None:
    """Each test that the table names exists under that name in that file."""
    for file, name in NAMED:
        pattern = rf"^ *def {name or 'test_.*'}\("
        assert re.search(pattern, (ROOT / file).read_text(), re.MULTILINE), (file, name)
