"""Whatever the engine refuses has words of the page's own, in every language."""

import json
import subprocess
from pathlib import Path
from typing import Final

import pytest
import requests
from playwright.sync_api import expect

from service.http.problems import KINDS
from tests.node import NODE
from tests.page.browser import seat_kept
from tests.page.conftest import Visit
from tests.page.prepared import Prepared
from tests.processes.engine import Engine
from tests.project.running import ROOT
from tests.waiting import until

WORDS: Final = ROOT / "service/web/words/problems"
PRINT: Final = "import(process.argv[1]).then((module) => console.log(JSON.stringify(module.default)))"
# What the page itself says: of no answer, and of a search for a partner that has ended.
OWN: Final = {"away", "search-over"}
# Refusals of requests that the page never makes: malformed ones, and those of apps, operators and other sites.
NEVER: Final = {
    "bad-request",
    "malformed-json",
    "foreign-origin",
    "method-not-allowed",
    "no-more-tokens",
    "app-exists",
    "too-many-apps",
    "too-many-keys",
    "too-many-webhooks",
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


@pytest.mark.parametrize("language", ["en", "fr", "de"])
def test_each_problem_has_its_words(language: str) -> None:
    """And no words are left of one that has gone."""
    command = [str(NODE), "-e", PRINT, str(WORDS / f"{language}.js")]
    words: dict[str, str] = json.loads(subprocess.check_output(command))
    assert words.keys() == {f"problem.{code}" for code in KINDS.keys() - NEVER | OWN}
    assert len(set(words.values())) == len(words)


def test_a_search_that_has_ended(engine: Engine, visit: Visit) -> None:
    """Its ticket is not there any more: the page says that, and somebody can look again."""
    page = visit().new_page()
    page.goto(engine.url)
    gone = {"code": "not-found", "title": "Not found", "status": 404}
    page.route("**/v1/quick-match/*", lambda route: route.fulfill(status=404, json=gone))
    page.get_by_role("button", name="Find a partner").click()
    expect(page.get_by_role("alert")).to_have_text("The search has ended. Look once more.")
    expect(page.get_by_role("button", name="Find a partner")).to_be_enabled()


def test_an_invitation_that_has_expired(engine: Engine, visit: Visit) -> None:
    """By its link and by its code: each says that it is not good any more."""
    body = {"game": "migo", "seats": [{"kind": "human"}, {"kind": "open"}], "joining": "invite"}
    game = requests.post(f"{engine.url}/v1/games", json=body, timeout=20).json()
    token = {"Authorization": f"Bearer {game['seats'][0]['token']}"}
    path = f"{engine.url}/v1/games/{game['id']}/seats/1/invites"
    made = requests.post(path, json={"expires_in": 1, "short": True}, headers=token, timeout=20).json()
    page = visit().new_page()

    def is_gone() -> bool:
        code = {"code": made["join_code"]}
        return requests.post(f"{engine.url}/v1/invites/lookup", json=code, timeout=20).status_code == 404

    until(is_gone, 20, lambda: "the invite is still good")
    page.goto(f"{engine.url}/join/{game['id']}#1.{made['invite']}")
    page.get_by_role("button", name="Sit down").click()
    expect(page.get_by_role("alert")).to_have_text("This invitation is not good, or not any more.")
    page.goto(engine.url)
    page.get_by_label("Invitation link or code").fill(made["join_code"])
    page.get_by_role("button", name="Open", exact=True).click()
    expect(page.locator(".lobby .alert")).to_have_text("This code is not good, or not any more.")


def test_a_game_that_went_to_the_archive(visit: Visit, tmp_path: Path) -> None:
    """It is there as before: to its player at the table, and to whoever reads it; nobody can tell where it is kept."""
    engine = Engine(tmp_path / "data", MIGRATO_ARCHIVE_AFTER="1").start()
    try:
        prepared = Prepared(engine.url, "migo", seed=3, visibility="public", options={"first_seat": 0})
        prepared.post(0, prepared.legal(0)[0])
        prepared.post(1, {"type": "resign"})
        files = tmp_path / "data" / "archive"
        until(lambda: any(path.is_file() for path in files.rglob("*")), 60, engine.tail)
        context = visit()
        seat_kept(context, **prepared.seat())
        page = context.new_page()
        page.goto(f"{engine.url}/play/{prepared.id}")
        expect(page.locator(".ending h2")).to_contain_text("You win")
        page.get_by_role("link", name="Replay").click()
        expect(page.locator(".steps li")).to_have_count(4)
        page.get_by_role("button", name="Proof").click()
        expect(page.locator(".proof h2").first).to_be_visible()
    finally:
        engine.end()
