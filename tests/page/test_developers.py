"""The front door for developers: its programs work against the engine that shows them."""

import html
import re
import subprocess
import sys
from pathlib import Path

import pytest
import requests
from playwright.sync_api import Page, expect

from tests.page.browser import noted
from tests.support.engine import Engine
from tests.support.node import NODE
from tests.support.running import clean_environment

PROGRAM = r'data-language="%s">.*?<pre[^>]*><code>(.*?)</code>'
RUN = {
    "python": (sys.executable, "first.py"),
    "typescript": (str(NODE), "first.ts"),
    "curl": ("bash", "first.sh"),
}


@pytest.mark.parametrize("language", RUN)
def test_the_first_program_plays(engine: Engine, tmp_path: Path, language: str) -> None:
    """As it stands there: it makes a move of its own, and the whole games come to their end."""
    text = requests.get(f"{engine.url}/developers", timeout=20).text
    found = re.search(PROGRAM % language, text, re.DOTALL)
    assert found is not None
    program, name = RUN[language]
    (tmp_path / name).write_text(html.unescape(found[1]))
    said = subprocess.run(
        [program, name],
        check=False,
        cwd=tmp_path,
        env=clean_environment({}),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert said.returncode == 0, said.stderr
    assert re.search(r"bird_played|cards_moved|danger_played", said.stdout)
    assert language == "curl" or "turn_limit" in said.stdout


def test_a_language_is_chosen(engine: Engine, page: Page) -> None:
    """A reader chooses a language by mouse and by keys, and without a script, too."""
    page.goto(f"{engine.url}/developers")
    expect(page.locator(".program:visible pre")).to_contain_text("import json")
    page.get_by_text("curl", exact=True).click()
    expect(page.locator(".program:visible pre")).to_contain_text("jq -r")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".program:visible pre")).to_contain_text("await fetch")
    page.locator(".program:visible").get_by_role("button").click()
    expect(page.locator(".program:visible").get_by_role("button")).to_have_text(re.compile("Copied|Selected"))
    assert "await fetch" in page.evaluate("String(getSelection())")


def test_the_guide_is_searched(engine: Engine, page: Page) -> None:
    """From any page of it, whose place in the tree is marked; what was found leads to its section."""
    page.goto(f"{engine.url}/guide/how-to/receive-webhooks")
    expect(page.locator(".tree [aria-current=page]")).to_have_text("Receive webhooks")
    page.get_by_label("Search the guide").fill("If-Match version-mismatch")
    page.keyboard.press("Enter")
    first = page.locator("article a").first
    heading = first.inner_text()
    first.click()
    anchor = page.url.split("#")[1]
    expect(page.locator(f"[id='{anchor}']")).to_have_text(heading)
    page.goto(f"{engine.url}/guide?q=%3Cb%3Exyzzy")
    expect(page.locator("main")).to_contain_text("No section has all of these words")


@pytest.mark.nightly(
    "`/docs` shows or finds nothing, asks somebody else, or its requests do not reach the engine"
)
def test_the_api_is_read_searched_and_tried(engine: Engine, page: Page) -> None:
    """At `/docs`, without a request to anybody else; no style or script is refused by the page's policy.

    It is searched by words; a request is made as it stands there.
    """
    with noted(page, "request") as asked:
        page.goto(f"{engine.url}/docs#tag/games/POST/v1/games")
        expect(page.get_by_role("heading", name="Create a game")).to_be_visible()
    assert {one.url for one in asked if not one.url.startswith((engine.url, "data:"))} == set()
    page.get_by_role("button", name=re.compile("Search")).first.click()
    page.keyboard.insert_text("hand over")
    page.get_by_role("option", name=re.compile("Hand a seat over")).first.click()
    expect(page.get_by_role("heading", name="Hand a seat over")).to_be_visible()
    page.get_by_role("link", name="Create a game").click()
    created = page.get_by_role("region", name="Create a game")
    created.get_by_role("button", name=re.compile("Test Request")).click()
    page.get_by_role("button", name=re.compile("Send Request")).click()
    expect(page.get_by_text("201 Created")).to_be_visible()
