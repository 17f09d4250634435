"""The pages: they work without the internet, and ask nothing of anybody else."""

import re

import pytest
from flask.testing import FlaskClient

from compiled import in_use
from service.http.page.assets import ROUTES
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
    """The policy allows scripts, styles and connections of this service alone, and none within the page.

    Of the styles that Scalar makes, it allows those of this answer.
    """
    for page in PAGES:
        answer = client.get(page)
        parts = answer.headers["Content-Security-Policy"].split(";")
        policy = dict(part.strip().split(" ", 1) for part in parts)
        assert policy["default-src"] == "'none'", page
        assert policy["script-src"] == policy["connect-src"] == "'self'"
        nonce = re.search(r'<meta property="csp-nonce" content="([\w-]{22})">', answer.text)
        assert policy["style-src"] == ("'self'" if nonce is None else f"'self' 'nonce-{nonce[1]}'")
        assert (nonce is not None) == (page == "/docs")
        assert nonce is None or nonce[1] not in client.get(page).text
        if page != "/":  # columns of the guide's tables are aligned by them
            assert policy["style-src-attr"] == "'unsafe-inline'"
        assert policy["frame-ancestors"] == "'none'"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Cross-Origin-Opener-Policy"] == "same-origin"
        assert not re.search(r"<script(?![^>]*\ssrc=)|<style|\son\w+=|\sstyle=|javascript:", answer.text)


def test_scripts_and_styles_load_nothing(client: FlaskClient) -> None:
    """No style sheet imports another, or a font or a picture from elsewhere; Scalar is to ask for nothing else."""
    text = client.get("/static/page.css").text
    assert "@import" not in text
    assert all(address.startswith("data:") for address in re.findall(r"url\([\"']?([^)]+)", text))
    script = client.get("/static/docs.js")
    assert "javascript" in script.content_type
    for told in ('url: "/openapi.json"', "withDefaultFonts: false", "telemetry: false", "persistAuth: false"):
        assert told in script.text


@pytest.mark.parametrize("path", [re.sub(r"<\w+>", "x", route) for route in ROUTES])
def test_no_text_becomes_markup_on_the_page(client: FlaskClient, path: str) -> None:
    """The same document for every address, but for its modules, and a browser that takes no string for markup."""
    answer = client.get(path)
    assert (
        "require-trusted-types-for 'script'; trusted-types 'none'"
        in answer.headers["Content-Security-Policy"]
    )
    preload = re.compile(r'<link rel="modulepreload" href="/assets/[0-9a-f]{16}/([a-z_/]+\.js)">\n?')
    assert preload.sub("", answer.text) == preload.sub("", client.get("/").text)
    assert {"shell/main.js", "words/en/page.js"} <= set(preload.findall(answer.text))
    etag = answer.headers["ETag"]
    assert client.get(path, headers={"If-None-Match": etag}).status_code == 304


def test_the_page_names_what_its_screen_needs(client: FlaskClient) -> None:
    """The screen's own modules and the words of the browser's language, so that all are asked for at once."""
    text = client.get("/learn", headers={"Accept-Language": "fr-CH, de;q=0.5"}).text
    for name in ("learn/learn.js", "migrato/table.js", "words/fr/page.js", "words/fr/learning.js"):
        assert f'/{name}">' in text
    for name in ("home/home.js", "words/en/page.js"):
        assert f'/{name}">' not in text
    assert "Accept-Language" in client.get("/learn").headers["Vary"]


def test_developers_read_where_the_service_is(client: FlaskClient) -> None:
    """The command can be copied; a strange Host is not echoed as markup."""
    assert "ENGINE=http://localhost\n" in client.get("/developers").text
    answer = client.get("/developers", headers={"Host": "<script>alert(1)</script>"})
    assert "<script>" not in answer.text


def test_a_browser_is_told_that_there_is_no_page(client: FlaskClient) -> None:
    """By the page itself, which has words for it; programs, and whoever asks for a part of the API, get a problem."""
    browser = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
    for path in ("/nowhere", "/guide/nowhere", "/a/b"):
        answer = client.get(path, headers=browser)
        assert (answer.status_code, answer.content_type) == (404, "text/html; charset=utf-8")
        assert "/shell/main.js" in answer.text
        assert code_of(client.get(path)) == (404, "not-found")
        assert code_of(client.post(path, headers=browser))[1] != "internal-error"
    for path in ("/v1/nowhere", "/v1/games/-", "/assets/0/x.js", "/static/x.js"):
        assert code_of(client.get(path, headers=browser)) == (404, "not-found")


def test_the_page_knows_whether_a_key_is_needed(client: FlaskClient, guarded: FlaskClient) -> None:
    """The page learns from its document whether a key is needed."""
    assert " data-for-apps " not in client.get("/").text
    assert " data-for-apps " in guarded.get("/").text
    assert " data-for-apps " in guarded.get("/nowhere", headers={"Accept": "text/html"}).text


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


def test_a_part_of_a_file_is_the_whole_file(client: FlaskClient) -> None:
    """A range of a file, even one that it does not have, is answered by the whole file, which is short."""
    for wanted in ("bytes=0-1", "bytes=99999999-", "lines=1"):
        answer = client.get("/static/page.css", headers={"Range": wanted})
        assert (answer.status_code, answer.data) == (200, client.get("/static/page.css").data)
