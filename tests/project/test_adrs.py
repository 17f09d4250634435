"""Decision records: each has a number, a title, a status and a date, and every missing number is explained."""

import re
from datetime import date

from tests.support.markdown import ROOT

FOLDER = ROOT / "docs/adr"
HEAD = re.compile(r"# (\d{4}): [A-Z].+\n\nStatus: (?:accepted|superseded), (\d{4}-\d\d-\d\d)[.;,]")


def test_every_record_has_title_status_and_date() -> None:
    """The title has the number of the file's name."""
    for path in FOLDER.glob("0*.md"):
        head = HEAD.match(path.read_text())
        assert head is not None, path.name
        assert head[1] == path.name[:4]
        assert date(2026, 11, 1) < date.fromisoformat(head[2])


def test_missing_numbers_are_explained() -> None:
    """The folder's README explains each missing number, and no others."""
    numbers = sorted(int(path.name[:4]) for path in FOLDER.glob("0*.md"))
    assert len(numbers) == len(set(numbers))
    missing = {f"{number:04}" for number in set(range(1, numbers[-1])) - set(numbers)}
    assert set(re.findall(r"\b0\d{3}\b", (FOLDER / "README.md").read_text())) == missing
