"""The pages: they work without the internet, and ask nothing of anybody else."""

import re

import pytest
from flask.testing import FlaskClient

from compiled import in_use
from service.http.problems import KINDS
from tests.service.table import code_of

PAGES = ["/", "/developers", "/docs", "/problems"]
LINK = re.compile(r"""(?:src|href)=["']([^"']+)["']""")


def test_everything_on_a_page_is_served_here(client: FlaskClient) -> None:
    """Every address on it is one of this service, and answers."""
    for page in PAGES:
        answer = client.get(page)
        assert (answer.status_code, answer.content_type) == (200, "text/html; charset=utf-8")
        for address in LINK.findall(answer.text):
            assert address.startswith(("/", "#")), address
            assert address.startswith("#") or client.get(address).status_code == 200, address


def test_nothing_else_is_allowed(client: FlaskClient) -> None:
    """The policy allows scripts, styles and connections of this service alone, and none within the page."""
    for page in PAGES:
        answer = client.get(page)
        parts = answer.headers["Content-Security-Policy"].split(";")
        policy = dict(part.strip().split(" ", 1) for part in parts)
        assert policy["default-src"] == "'none'", page
        assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
        assert policy["frame-ancestors"] == "'none'"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Cross-Origin-Opener-Policy"] == "same-origin"
        assert not re.search(r"<script(?![^>]*\ssrc=)|<style|\son\w+=|\sstyle=|javascript:", answer.text)


def test_scripts_and_styles_load_nothing(client: FlaskClient) -> None:
    """No style sheet imports another, or a font or a picture from elsewhere; the validator of Swagger UI is off."""
    for name in ("page.css", "swagger-ui.css"):
        text = client.get(f"/static/{name}").text
        assert "@import" not in text
        assert all(address.startswith("data:") for address in re.findall(r"url\([\"']?([^)]+)", text))
    script = client.get("/static/docs.js")
    assert "javascript" in script.content_type
    assert "validatorUrl: null" in script.text
    assert 'url: "/openapi.json"' in script.text


@pytest.mark.parametrize(
    "path", ["/", "/play/x", "/join/x", "/games/x", "/players/x", "/leaderboard", "/operator"]
)
def test_no_text_becomes_markup_on_the_page(client: FlaskClient, path: str) -> None:
    """The same document for every address, but for its modules, and a browser that takes no string for markup."""
    answer = client.get(path)
    assert (
        "require-trusted-types-for 'script'; trusted-types 'none'"
        in answer.headers["Content-Security-Policy"]
    )
    preload = re.compile(r'<link rel="modulepreload" href="/assets/[0-9a-f]{16}/([a-z_/]+\.js)">\n?')
    assert preload.sub("", answer.text) == preload.sub("", client.get("/").text)
    assert {"shell/main.js", "words/en.js"} <= set(preload.findall(answer.text))
    etag = answer.headers["ETag"]
    assert client.get(path, headers={"If-None-Match": etag}).status_code == 304


def test_the_page_names_what_its_screen_needs(client: FlaskClient) -> None:
    """The screen's own modules and the words of the browser's language, so that all are asked for at once."""
    text = client.get("/learn", headers={"Accept-Language": "fr-CH, de;q=0.5"}).text
    for name in ("learn/learn.js", "migrato/table.js", "words/fr.js", "words/learning/fr.js"):
        assert f'/{name}">' in text
    assert "home/home.js" not in text
    assert "words/en.js" not in text
    assert "Accept-Language" in client.get("/learn").headers["Vary"]


def test_developers_read_where_the_service_is(client: FlaskClient) -> None:
    """The command can be copied; a strange Host is not echoed as markup."""
    assert "curl -s -X POST http://localhost/v1/games" in client.get("/developers").text
    answer = client.get("/developers", headers={"Host": "<script>alert(1)</script>"})
    assert "<script>" not in answer.text


def test_every_problem_is_explained(client: FlaskClient) -> None:
    """`type` of a problem leads to its line."""
    page = client.get("/problems").text
    for code in KINDS:
        assert f'id="{code}"' in page


def test_healthz(client: FlaskClient) -> None:
    """It answers without asking anybody."""
    answer = client.get("/healthz")
    assert (answer.status_code, answer.get_json()["status"]) == (200, "ok")
    assert answer.get_json()["domain"] == in_use()


@pytest.mark.parametrize("path", ["/openapi.json", "/openapi.yaml", "/static/page.css"])
def test_a_document_that_is_not_the_one_wanted(client: FlaskClient, path: str) -> None:
    """If-Match is judged: what it does not name is answered by a problem, what it names by the document."""
    there = client.get(path)
    etag = there.headers["ETag"]
    for wanted in (etag, "*", f'"other", {etag}'):
        answer = client.get(path, headers={"If-Match": wanted})
        assert (answer.status_code, answer.data) == (200, there.data)
    assert code_of(client.get(path, headers={"If-Match": '"other"'})) == (412, "precondition-failed")
    assert code_of(client.get(path, headers={"If-Match": "other"})) == (422, "validation-error")
    assert client.get(path, headers={"If-None-Match": etag}).status_code == 304


def test_a_part_of_a_file_is_the_whole_file(client: FlaskClient) -> None:
    """Nobody needs ranges of what is so short, also ranges that it does not have."""
    for wanted in ("bytes=0-1", "bytes=99999999-", "lines=1"):
        answer = client.get("/static/page.css", headers={"Range": wanted})
        assert (answer.status_code, answer.data) == (200, client.get("/static/page.css").data)
