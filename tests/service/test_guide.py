"""The guide: the documentation as the service shows it."""

import re
from functools import cache
from urllib.parse import unquote

import pytest
from flask.testing import FlaskClient

from domain.registry import GAMES
from service.http.documentation import guide, search
from tests.service.table import Table, code_of, json_of
from tests.support.running import ROOT

TARGET = re.compile(r"""(?:src|href)=["']([^"']+)["']""")
CITED = re.compile(r"\b(?:rules?|rulings?) ([A-Z]\d+|\d+(?:\.\d+)*)|, \"([A-Z]\d+|\d+(?:\.\d+)*)\"")
ANCHOR = re.compile(r"""id=["']([^"']+)["']""")


def test_every_link_on_a_page_leads_somewhere(client: FlaskClient) -> None:
    """To a page or file that is served, at an anchor that is there; only links to other sites are not followed."""
    served = dict[str, str]()

    def text(address: str) -> str:
        if address not in served:
            answer = client.get(address)
            assert answer.status_code == 200, address
            served[address] = answer.text if answer.mimetype == "text/html" else ""
        return served[address]

    anchors = cache(lambda address: set(ANCHOR.findall(text(address))))
    for name in guide.pages():
        page = f"/guide/{name}"
        assert client.head(page).content_type == "text/html; charset=utf-8"
        for target in set(TARGET.findall(text(page))):
            address, _, anchor = target.partition("#")
            if not address.startswith("http"):
                text(address or page)
                assert not anchor or unquote(anchor) in anchors(address or page), (page, target)


def test_the_index_names_every_page(client: FlaskClient) -> None:
    """A reader who starts at /guide finds everything."""
    index = client.get("/guide").text
    pages = [name for name in guide.pages() if not name.startswith("adr/") and name != guide.INDEX]
    assert [name for name in pages if f'href="/guide/{name}"' not in index] == []


def test_every_section_that_is_found_has_its_place(client: FlaskClient) -> None:
    """The anchors of the search are those of the pages; the tree has every page."""
    for page in guide.pages():
        anchors = set(ANCHOR.findall(guide.page(page).html))
        assert {section.anchor for section in search.sections() if section.page == page} <= anchors, page
    listed = {page for branch in search.tree() for page, _ in branch.pages}
    assert listed == set(guide.pages()) - {guide.INDEX}
    assert "No section has all" in client.get("/guide?q=<b>xyzzy").text
    assert "<b>xyzzy" not in client.get("/guide?q=<b>xyzzy").text


def test_nothing_but_pages_is_served(client: FlaskClient) -> None:
    """Nothing outside of the documentation can be asked for."""
    for name in ("../pyproject.toml", "%2e%2e/pyproject.toml", "nothing", "adr", "README.md"):
        assert code_of(client.get(f"/guide/{name}")) == (404, "not-found"), name


@pytest.mark.parametrize("game", GAMES)
def test_every_rule_of_a_game_has_a_place(game: str) -> None:
    """The numbers by which its refusals and its code cite rules."""
    anchors = ANCHOR.findall(guide.page(f"reference/rules-{game}").html)
    assert len(anchors) == len(set(anchors))
    sources = [path.read_text() for path in sorted((ROOT / "domain" / game).rglob("*.py"))]
    cited = {rule for source in sources for cite in CITED.findall(source) for rule in cite if rule}
    assert len(cited) > 5
    assert cited <= set(anchors)


def test_a_game_without_a_page_of_rules_has_no_links_to_them() -> None:
    """A refusal of a game without a page of rules has no link; a game that somebody adds need not have one."""
    assert guide.rule_url("unheard-of", "1.1") is None


def test_a_refused_move_links_to_its_rule(table: Table) -> None:
    """The refusal names the rule, and the page that it links to has a place for it."""
    refused = json_of(table.move(0, {"type": "play", "card": "G5d", "slot": 2}))
    assert refused["code"] == "illegal-move"
    address, _, anchor = refused["rule_url"].partition("#")
    assert anchor == refused["rule"]
    assert anchor in ANCHOR.findall(table.client.get(address).text)
