"""The page keeps what it was shown, and finds by itself that it was shown something else than is recorded."""

import re
from pathlib import Path

from playwright.sync_api import Page, Route, expect

from tests.page.browser import USUAL, Contexts, kept
from tests.page.conftest import Sit, Visit
from tests.page.players import Hands, Program, play
from tests.page.prepared import Prepared
from tests.support.command import migrato
from tests.support.engine import Engine
from tests.support.running import ROOT

LYING = """
window.lies = [];
const lie = (answer) => {
  for (const { version, redacted, data } of answer?.events ?? []) {
    if (!redacted?.length || !("count" in data)) continue;
    if (!lies.length) lies.push(version);
    if (version === lies[0]) data.count += 1;
  }
  return answer;
};
const { parse } = JSON, { json } = Response.prototype;
JSON.parse = (text) => lie(parse(text));
Response.prototype.json = async function () { return lie(await json.call(this)); };
"""
INVENTING = """
const { parse } = JSON;
window.invented = 0;
JSON.parse = (text) => {
  const answer = parse(text);
  const last = answer?.view && answer.events?.at(-1);
  if (last && !invented++) answer.events.push({ ...last, version: 10_000 });
  return answer;
};
"""
PRIVATE = "indexedDB.open = () => { throw new DOMException('no', 'SecurityError'); };"


def expect_right(page: Page, seen: int, of: int) -> None:
    """So many events of so many were seen, the page tells at the end."""
    text = f"What you saw is what is recorded ({seen} of {of} events)."
    expect(page.locator(".kept p").first).to_have_text(text)


def expect_fault(page: Page, version: int) -> None:
    """The page says which event is wrong."""
    expect(page.get_by_role("alert")).to_have_text(re.compile(rf"^Something is wrong with event {version}: "))


def saved(page: Page) -> bytes:
    """The file that the page writes of what it kept."""
    with page.expect_download() as download:
        page.get_by_role("button", name="Save what you saw").click()
    return Path(download.value.path()).read_bytes()


def test_code_words_cannot_be_mistaken() -> None:
    """A word for each byte, in an order that nobody changes."""
    text = (ROOT / "service/web/kept/code_words.js").read_text()
    words = text.split("`")[1].split()
    assert len(words) == 256
    assert words == sorted(set(words))


def test_a_lie_to_one_player_is_found(engine: Engine, sit: Sit, tmp_path: Path) -> None:
    """A proxy changes one shown member of one event; the heads stay equal. Only that page says so, while they play."""
    game = Prepared(engine.url, people=("ada", "bo"), setup=None)
    lies: list[int] = []

    def lie(route: Route) -> None:
        answer = route.fetch()
        page = answer.json()
        for event in page["events"]:
            if not lies and event["redacted"] and "count" in event["data"]:
                event["data"]["count"] += 1
                lies.append(event["version"])
        route.fulfill(response=answer, json=page)

    ada, bo = sit(game, 0), sit(game, 1)
    bo.route(re.compile(r"/events\?after"), lie)
    while not lies:
        assert play(Program(game, 0), Hands(bo, 2), steps=1) == 1
    expect_fault(bo, lies[0])
    assert game.view()["status"] == "playing"
    game.post(0, {"type": "resign"})
    file, export = tmp_path / "seen", tmp_path / "export"
    file.write_bytes(saved(bo))
    export.write_bytes(game.export())
    of = game.view()["version"]
    expect_right(ada, of, of)
    told = migrato("verify", "--kept", file, export)
    assert told.exit_code == 1
    assert f"event {lies[0]}: What was kept in {file}, line " in told.stdout
    file.write_bytes(saved(ada))
    told = migrato("verify", "--kept", file, export)
    assert told.exit_code == 0
    assert f"what was seen is what is recorded: {of} of {of} events" in told.stdout


def test_a_lie_in_every_answer_is_found(engine: Engine, sit: Sit) -> None:
    """An event that every answer changes alike fits no commitment."""
    game = Prepared(engine.url, setup=None)
    bo = sit(game, 1, "", LYING)
    while not (lies := bo.evaluate("window.lies")):
        assert play(Program(game, 0), Hands(bo, 2), steps=1) == 1
    expect_fault(bo, lies[0])


def test_an_event_that_is_never_recorded_is_found(engine: Engine, sit: Sit) -> None:
    """It came with a state, and with no other answer: the chain does not miss it."""
    game = Prepared(engine.url, people=("ada", "bo"), setup=None)
    page = sit(game, 0, "", INVENTING)
    expect(page.locator(".kept b")).to_be_visible()
    game.play(1).post(0, {"type": "resign"})
    expect(page.get_by_role("alert")).to_have_text(re.compile("^Something is wrong with event 10000: "))


def test_the_connection_is_lost_while_its_words_are_fetched(engine: Engine, visit: Visit) -> None:
    """The page made no mistake: they come with the next event."""
    game = Prepared(engine.url, people=("ada", "bo"), setup=None)
    page = visit(kept(**game.seat()))
    page.route("**/words/en/kept.js", lambda route: route.abort(), times=1)
    with page.expect_event("requestfailed"):
        page.goto(f"{engine.url}/play/{game.id}")
    game.play(1)
    expect(page.locator(".kept b")).to_be_visible()


def test_fewer_events_are_kept_where_somebody_left(engine: Engine, contexts: Contexts, sit: Sit) -> None:
    """Events that were shown before a reload count, and those that came while the page was away do not."""
    game = Prepared(engine.url, people=("ada", "bo"), setup=None)
    page, private = sit(game, 0), sit(game, 1, "", PRIVATE)
    words = page.locator(".kept b")
    expect(words).to_have_text(re.compile(r"^[a-z]+( [a-z]+){3}$"))
    expect(private.locator(".kept b")).to_have_text(words.inner_text())
    seen = game.view()["version"]
    page.goto("about:blank")
    game.play(2).post(0, {"type": "resign"})
    game.export()
    of = game.view()["version"]
    page.goto(f"{engine.url}/play/{game.id}")
    expect_right(page, seen, of)
    expect_right(private, of, of)  # as long as the page lives, it keeps without the browser's help
    with contexts.lent(kept(**game.seat(0)), **USUAL) as (elsewhere, _):
        elsewhere.goto(f"{engine.url}/play/{game.id}")
        expect(elsewhere.locator(".kept b")).to_be_visible()
        expect(elsewhere.locator(".kept")).not_to_contain_text("What you saw is")
