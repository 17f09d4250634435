"""Games that are read: live, step by step from every seat, played on from, and proven in the browser."""

import re
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import requests
from playwright.sync_api import Page, Route, expect

from tests.audit.tamper import parts
from tests.audit.test_hostile_files import taken_back
from tests.page.conftest import Sit, Visit
from tests.page.prepared import Prepared
from tests.support.engine import Engine
from tests.support.waiting import until

OPTIONS = {"turn_limit": 12, "return_flight": True}
PACE = 1400  # milliseconds of a step while a game runs by itself
GRADES = {"blunder": 0.2, "mistake": 0.1, "inaccuracy": 0.05}  # the least of the chance that they lose
KEYS = "**/.well-known/migrato-keys.json"


@cache
def over(engine: Engine, game: str = "migrato") -> Prepared:
    """A finished game that everybody may see, its result confirmed; tests do not change it."""
    options = OPTIONS if game == "migrato" else {"turn_limit": 20}
    prepared = Prepared(engine.url, game, seed=5, visibility="public", options=options).play()
    until(lambda: (prepared.view()["result"] or {}).get("scored"))
    return prepared


def export(engine: Engine, game: Prepared) -> list[bytes]:
    return requests.get(f"{engine.url}/v1/games/{game.id}/export", timeout=20).content.splitlines(
        keepends=True
    )


def forged(lines: list[bytes]) -> list[bytes]:
    """An export in which somebody has changed an event."""
    return [*lines[:9], lines[9].replace(b'"schema":1', b'"schema":2'), *lines[10:]]


def drop(page: Page, lines: list[bytes], name: str = "game.ndjson") -> None:
    file = {"name": name, "mimeType": "application/x-ndjson", "buffer": b"".join(lines)}
    page.set_input_files("input[type=file]", file)  # type: ignore[arg-type]


def test_a_game_step_by_step(engine: Engine, visit: Visit) -> None:
    """By keys, by the slider, by the list, and by itself; the address leads back to the same step."""
    page = visit(has_clock=True)
    page.goto(f"{engine.url}/games/{over(engine).id}")
    expect(page.locator(".steps li").nth(3)).to_be_visible()
    count, shown = page.locator(".steps li").count(), page.locator(".player-bar .hush")
    for key, step in (("Home", 1), ("ArrowRight", 2), ("ArrowRight", 3), ("ArrowLeft", 2), ("End", count)):
        page.keyboard.press(key)
        expect(shown).to_have_text(f"Step {step} of {count}")
    page.get_by_role("slider").fill("4")
    expect(page.locator(".steps [aria-current=step]")).to_have_count(1)
    expect(shown).to_have_text(f"Step 5 of {count}")
    said = page.locator(".said").inner_text()
    expect(page.locator("#live")).to_contain_text(said)
    page.reload()
    expect(shown).to_have_text(f"Step 5 of {count}")
    page.locator(".steps li button").nth(2).click()
    expect(shown).to_have_text(f"Step 3 of {count}")
    assert "seat 0" not in page.locator("main").inner_text()
    page.get_by_role("button", name="Let it run").click()
    for step in (4, 5):  # or a later one: the clock that is set forward goes on by itself, too
        page.clock.fast_forward(PACE)
        expect(shown).to_have_text(re.compile(rf"Step ([{step}-9]|1\d) of"))
    page.get_by_role("button", name="Stop").click()


def test_every_seat_has_its_own_view(engine: Engine, page: Page) -> None:
    """All cards are open at first; from a seat the other one's hand is hidden, as it was. It can be played on from."""
    page.goto(f"{engine.url}/games/{over(engine).id}#9999")
    fork = page.get_by_role("button", name="Play on from here")
    expect(fork).to_be_disabled()
    page.get_by_role("slider").fill("4")
    hidden = page.locator(".hand-count .card.back")
    expect(page.locator(".hand-count .card").first).to_be_visible()
    expect(hidden).to_have_count(0)
    for name in ("ada", "bo"):
        page.get_by_label("Seen by").select_option(label=name)
        expect(hidden.first).to_be_visible()
        expect(page.locator(f".side[aria-label={name}] .hand-count .card.back")).to_have_count(0)
    page.locator("h1").click()
    page.keyboard.press("v")
    expect(hidden).to_have_count(0)
    fork.click()
    page.get_by_label("You play for").select_option(label="bo")
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_url("**/play/*")
    expect(page.locator(".table")).to_be_visible()


def test_a_running_game_is_watched_live(engine: Engine, page: Page) -> None:
    """A spectator sees each move as it is made, nobody's hand, and cannot fork; whoever goes back stays there."""
    prepared = Prepared(engine.url, seed=5, visibility="public").play(4)
    page.goto(f"{engine.url}/games/{prepared.id}")
    expect(page.locator(".live-mark")).to_be_visible()
    expect(page.get_by_role("button", name="Play on from here")).to_be_disabled()
    assert page.locator(".hand-count .card:not(.back)").count() == 0
    expect(page.get_by_role("region", name="Chances of winning")).to_have_count(0)  # no empty box either
    steps = page.locator(".steps li")
    expect(steps).not_to_have_count(0)
    before = steps.count()
    prepared.post(prepared.view()["to_act"], {"type": "exchange"})
    expect(steps).to_have_count(before + 1)
    expect(page.locator(".said")).to_contain_text("exchanged")
    page.keyboard.press("Home")
    prepared.post(prepared.view()["to_act"], {"type": "exchange"})
    expect(steps).to_have_count(before + 2)
    expect(page.locator(".player-bar .hush")).to_contain_text("Step 1 of")
    prepared.post(prepared.view()["to_act"], {"type": "resign"})
    expect(page.get_by_text("The game is over").first).to_be_visible()
    expect(page.get_by_label("Seen by")).to_be_visible()


def test_a_player_tries_something_in_a_running_game(engine: Engine, sit: Sit) -> None:
    """Cards that the seat cannot know are drawn anew; the game itself goes on."""
    prepared = Prepared(engine.url, "migo", seed=5).play(4)
    page = sit(prepared, 0, f"/games/{prepared.id}")
    page.get_by_role("button", name="Play on from here").click()
    expect(page.get_by_role("dialog")).to_contain_text("drawn anew")
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_url("**/play/*")
    assert prepared.id not in page.url
    expect(page.locator(".table")).to_be_visible()


def test_a_player_reads_a_private_game(engine: Engine, sit: Sit) -> None:
    """By the token of the seat that the browser holds: hidden cards are committed to, and shown once it is over."""
    prepared = Prepared(engine.url, seed=5, options=OPTIONS).play(6)
    page = sit(prepared, 0, f"/games/{prepared.id}#proof")
    expect(page.locator(".verdict.partly")).to_contain_text("the game goes on")
    prepared.play()
    page.goto(f"{engine.url}/games/{prepared.id}#5")
    page.get_by_label("Seen by").select_option(label="bo")
    expect(page.locator(".side[aria-label=You] .hand-count .card.back").first).to_be_visible()


def test_the_proof_of_a_game(engine: Engine, page: Page) -> None:
    """The browser finds nothing wrong, names what it does not know, and the engine's own word is the engine's.

    The signer is named by the keys that the engine publishes; where it publishes others, the signer is a stranger.
    """
    prepared = over(engine)
    page.goto(f"{engine.url}/games/{prepared.id}#proof")
    expect(page.locator(".verdict.passed")).to_contain_text("All that can be checked here holds")
    assert page.locator(".proof-steps > .failed").count() == 0
    assert page.locator(".proof-steps > .passed").count() >= 4
    expect(page.locator(".proof-steps")).to_contain_text("the rules")
    page.get_by_role("button", name="Ask the engine").click()
    expect(page.get_by_text("moves were legal")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the file").click()
    assert Path(download.value.path()).read_bytes() == b"".join(export(engine, prepared))
    expect(page.get_by_text("which this engine publishes as its own")).to_be_visible()
    page.route(KEYS, lambda route: route.fulfill(json={"keys": []}))
    page.reload()
    expect(page.get_by_text("The signer is not verified")).to_be_visible()
    expect(page.locator(".verdict.partly")).to_contain_text("It agrees with itself, but that is all")


def test_a_file_that_is_dropped_onto_a_proof(engine: Engine, page: Page) -> None:
    """A forged one shows where it fails; then the game itself is checked again, and each step says what it proves."""
    prepared = over(engine)
    lines = export(engine, prepared)
    page.goto(f"{engine.url}/games/{prepared.id}#proof")
    expect(page.locator(".verdict.passed")).to_be_visible()
    held = page.evaluate_handle(
        """text => {
          const held = new DataTransfer();
          held.items.add(new File([text], "forged.ndjson"));
          return held;
        }""",
        b"".join(forged(lines)).decode(),
    )
    page.dispatch_event(".drop", "drop", {"dataTransfer": held})
    expect(page.locator(".verdict.failed")).to_contain_text("It fails at event 9")
    expect(page.locator(".fault")).to_contain_text("#9: ")
    page.get_by_role("button", name="Check this game again").click()
    expect(page.locator(".verdict.passed")).to_be_visible()
    for step in page.locator(".proof-steps > li").all():
        proves, does_not = step.locator("p").nth(0), step.locator("p").nth(1)
        assert len(proves.inner_text().split()) > 5
        expect(does_not).to_contain_text("Not proven by it: ")


def test_files_that_prove_nothing(engine: Engine, visit: Visit) -> None:
    """It is said in the reader's language: everybody can make a file without a signature or with a stranger's.

    Nor does one prove anything that was changed, or that is no game's. One that is made to hurt ends with where it
    fails; one that is too large is not read to its end; the true one passes after them.
    """
    lines = export(engine, over(engine))
    whole = parts(b"".join(lines))
    stranger, nobodys, hostile = deepcopy(whole).sign(), deepcopy(whole), whole
    nobodys.header |= {"key_id": None, "public_key": None}
    nobodys.end["signature"] = None
    page = visit(locale="de")
    page.goto(f"{engine.url}/proof")
    failed = page.locator(".verdict.failed")
    for name, file in (("nobody", nobodys), ("stranger", stranger)):
        drop(page, [file.file], name)
        expect(page.locator(".proof")).to_contain_text(name)
        expect(page.locator(".verdict.partly h2")).to_have_text(
            "Die Datei stimmt mit sich selbst überein, mehr nicht"
        )
        expect(page.locator(".verdict.passed")).to_have_count(0)
    drop(page, forged(lines))
    expect(page.locator(".fault .alert")).to_contain_text("worauf man sich festgelegt hatte")
    drop(page, [b"hello\n"])
    expect(failed).to_contain_text("Das ist keine Datei eines Spiels")
    hostile.first("game_ended")["data"]["places"] = 5
    drop(page, [hostile.reseal().file], "\u202egame")
    expect(failed).to_contain_text(f"Ereignis {hostile.first('game_ended')['version']} ")
    expect(page.get_by_text(": game", exact=False)).to_have_text("Datei: game")
    page.evaluate("""() => {
      const held = new DataTransfer();
      held.items.add(new File(Array(65).fill(new Uint8Array(2 ** 20)), "large"));
      document.querySelector(".drop").dispatchEvent(new DragEvent("drop", { dataTransfer: held, bubbles: true }));
    }""")
    expect(failed).to_contain_text("64 MiB")
    migo = parts(b"".join(export(engine, over(engine, "migo"))))
    _, at = taken_back(migo, boxed=["E01a"])  # to other cards
    assert at is not None
    migo.events[at - 1]["at"] = migo.events[at - 2]["at"]
    drop(page, [migo.reseal().file])
    expect(failed).to_contain_text(f"Ereignis {at} ")
    expect(page.locator(".fault")).to_contain_text("Die Stellung ist nicht die vor dem Zug")
    page.route(KEYS, lambda route: route.fulfill(json={"keys": 5}))
    drop(page, lines)
    expect(page.locator(".verdict.partly")).to_be_visible()
    page.unroute(KEYS)
    drop(page, lines)
    expect(page.locator(".verdict.passed")).to_be_visible()


def test_a_game_that_may_not_be_seen(engine: Engine, page: Page) -> None:
    """A private game, and one that is not there: by a sentence, in replay and proof."""
    for game in (Prepared(engine.url, seed=5).id, "0" * 22):
        page.goto(f"{engine.url}/games/{game}")
        expect(page.locator("h1")).to_have_text("There is no such game")
        page.goto(f"{engine.url}/games/{game}#proof")
        expect(page.get_by_role("alert")).to_be_visible()


def test_chances_of_winning(engine: Engine, page: Page) -> None:
    """A curve for each seat, drawn once the moves are judged; a mistake leads to its move and tells the better one."""
    prepared = Prepared(engine.url, seed=5, visibility="public", options={"turn_limit": 30}).play()
    page.goto(f"{engine.url}/games/{prepared.id}")
    section = page.get_by_role("region", name="Chances of winning")
    expect(section.get_by_role("img", name="as curves: ada, bo")).to_be_visible()
    expect(section.locator("polyline")).to_have_count(2)
    judged = requests.get(f"{engine.url}/v1/games/{prepared.id}/analysis", timeout=20).json()
    swings = section.locator(".swings > li")
    expect(swings).to_have_count(len(judged["swings"]))
    worst = max(judged["swings"], key=lambda swing: float(swing["lost"]))
    assert worst["lost"] >= GRADES["inaccuracy"]
    in_order = sorted(judged["swings"], key=lambda swing: int(swing["version"]))
    for swing, text in zip(in_order, swings.all_inner_texts(), strict=True):
        grade = next((name for name, least in GRADES.items() if swing["lost"] >= least), None)
        assert [name for name in GRADES if name in text] == [name for name in (grade,) if name]
    mistake = swings.nth(in_order.index(worst)).get_by_role("button")
    mistake.focus()
    page.keyboard.press("Enter")
    said = swings.filter(has=page.locator("[aria-expanded=true]"))
    expect(said).to_contain_text("Better:")
    assert said.locator("ul li").count() <= 3
    step = mistake.locator(".hush").inner_text()
    expect(page.locator(".player-bar .hush")).to_contain_text(f"{step} of")
    expect(page.locator("#live")).to_contain_text("Better:")
    section.get_by_role("img").click(position={"x": 1, "y": 40})
    expect(page.locator(".player-bar .hush")).to_contain_text("Step 1 of")


def test_the_moves_are_being_judged(engine: Engine, page: Page) -> None:
    """Its progress shows, also while the engine has too much to do; a failure can be tried again."""
    prepared = over(engine)
    waiting = {"id": prepared.id, "status": "waiting", "done": 9, "of": 20, "links": {"self": ""}}
    answer: dict[str, Any] = {"status": 202, "json": waiting}

    def told(route: Route) -> None:
        route.fulfill(**answer)

    page.route("**/analysis", told)
    page.goto(f"{engine.url}/games/{prepared.id}")
    section = page.get_by_role("region", name="Chances of winning")
    expect(section.get_by_role("progressbar")).to_have_attribute("value", "9")
    answer |= {"status": 503, "json": {"code": "queue-full", "status": 503}}
    with page.expect_response(lambda found: found.url.endswith("/analysis") and found.status == 503):
        pass
    expect(section.get_by_role("progressbar")).to_have_attribute("value", "9")
    answer |= {"status": 500, "json": {"code": "bot-failed", "detail": "The bot has failed."}}
    expect(section.get_by_role("alert")).to_have_text("The bot could not answer. Try again.")
    page.unroute("**/analysis")
    section.get_by_role("button", name="Try again").click()
    expect(section.get_by_role("img")).to_be_visible()


def test_chances_at_a_table_of_four(engine: Engine, visit: Visit) -> None:
    """A curve for each seat of Migo; moves are told by the cards that lay there, reasons in the reader's language."""
    people = ("ada", "bo", "cy", "dora")
    options = {"turn_limit": 40}
    prepared = Prepared(engine.url, "migo", 5, people, visibility="public", options=options).play()
    page = visit(locale="de")
    page.goto(f"{engine.url}/games/{prepared.id}")
    section = page.get_by_role("region", name="Gewinnaussichten")
    expect(section.get_by_role("img")).to_be_visible()
    expect(section.locator("polyline")).to_have_count(4)
    judged = requests.get(f"{engine.url}/v1/games/{prepared.id}/analysis", timeout=20).json()
    reasons = {point["version"]: point["reasons"] for point in judged["points"]}
    mistakes = [swing for swing in judged["swings"] if swing["lost"] >= 0.05 and reasons[swing["version"]]]
    assert mistakes
    order = sorted(swing["version"] for swing in judged["swings"])
    mistake = section.locator(".swings > li").nth(order.index(mistakes[0]["version"]))
    mistake.get_by_role("button").click()
    expect(mistake).to_contain_text("Besser: Nehmen:")
    said = mistake.locator("ul li").all_inner_texts()
    assert len(said) == len(reasons[mistakes[0]["version"]])
    assert not any(reason["text"] in "".join(said) for reason in reasons[mistakes[0]["version"]])


def test_a_lost_token_and_a_public_game(engine: Engine, sit: Sit) -> None:
    """A player who has lost the seat watches like everybody else, and is told so; the proof is there, too.

    If the game is called off, it says so, not only that it is over.
    """
    prepared = Prepared(engine.url, seed=5, visibility="public").play(4)
    prepared.lose()
    page = sit(prepared, 0, f"/games/{prepared.id}#proof")
    expect(page.locator(".verdict.partly")).to_contain_text("the game goes on")
    page.goto(f"{engine.url}/games/{prepared.id}")
    expect(page.get_by_text("Your seat in this game is not yours any more")).to_be_visible()
    expect(page.locator("h1")).to_have_text("ada against bo")
    expect(page.get_by_role("button", name="Play on from here")).to_be_disabled()
    prepared.abort()
    expect(page.locator(".reading-head")).to_contain_text("The game was called off")


def test_a_lost_token_and_a_private_game(engine: Engine, sit: Sit) -> None:
    """Not the words for a game that never was; on the proof in the reader's language."""
    prepared = Prepared(engine.url, seed=5)
    prepared.lose()
    page = sit(prepared, 0, f"/games/{prepared.id}", locale="de")
    expect(page.locator("h1")).to_have_text("Dieser Platz gehört dir nicht mehr")
    expect(page.locator("main")).to_contain_text("Der Schlüssel zu deinem Platz gilt nicht mehr")
    page.goto(f"{engine.url}/games/{prepared.id}#proof")
    expect(page.get_by_role("alert")).to_contain_text("nicht")
