"""Whole games on the page: by clicks, by keys, with a bot and with a friend."""

import json
import re

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.page.browser import noted
from tests.page.conftest import Sit, Visit
from tests.page.players import Hands, play
from tests.page.prepared import Json, Prepared
from tests.page.screens import ON_A_PHONE
from tests.service.table import deck
from tests.support.engine import Engine
from tests.support.waiting import until

EVENTS = """async () => {
    const [{ game, token }] = JSON.parse(localStorage["migrato.seats"]);
    return (await fetch(`/v1/games/${game}/events`, { headers: { Authorization: `Bearer ${token}` } })).json();
}"""


def test_a_guest_plays_a_bot_within_two_clicks(engine: Engine, page: Page) -> None:
    """From the start to a table, to moves of both, to the end and to another game, by clicks alone."""
    page.goto(engine.url)
    page.locator(".level").nth(0).click()
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator(".table")).to_be_visible()
    guest, told = Hands(page), page.locator(".log li:not(.mine-line)")
    while told.count() < 2:  # the beginning, and something that the bot did
        assert play(guest, steps=1) == 1
    give_up(page)
    expect(page.locator(".ending h2")).to_be_visible()
    page.get_by_role("button", name="Rematch").click()
    expect(page.locator(".table:not(:has(.ending))")).to_be_visible()
    assert "Migrato" in page.title()


def give_up(page: Page) -> None:
    """Resign, and confirm it."""
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Give up").click()


def test_the_levels_show_how_strong_they_are(engine: Engine, page: Page) -> None:
    """As it was measured, and how long they think, from the engine's catalogue; the weakest first."""
    for game in ("migrato", "migo"):
        page.goto(f"{engine.url}/#{game}")
        expect(page.locator(".setup")).to_contain_text(game.capitalize())
        expect(page.locator(".level")).to_have_count(7)
        found = page.request.get(f"{engine.url}/v1/bots?game={game}").json()["bots"]
        catalogue = {bot["name"]: bot for bot in found}
        shown = [catalogue[level.input_value()] for level in page.locator(".level input").all()]
        assert shown == sorted(shown, key=lambda bot: bot["strength"]["elo"])
        for level, bot in zip(page.locator(".level").all(), shown, strict=True):
            expect(level).to_contain_text(f"{bot['strength']['elo']} Elo")
            seconds = (bot["milliseconds"] or 0) / 1000
            expect(level).to_contain_text("at once" if seconds < 0.1 else f"up to {seconds:.2g} s")


@pytest.mark.parametrize(("game", "before"), [("migrato", 16), ("migo", 8)])
def test_a_game_to_its_end(engine: Engine, sit: Sit, game: str, before: int) -> None:
    """Keys on a desktop against clicks on a phone, to the last move; each event is told in words."""
    prepared = Prepared(engine.url, game, seed=3, options={"turn_limit": 12}).play(before)
    desktop, phone = sit(prepared, 0), sit(prepared, 1, locale="de", **ON_A_PHONE)
    play(Hands(desktop, 0, by_keys=True), Hands(phone, 1))
    heads = []
    for page in (desktop, phone):
        expect(page.locator(".ending h2")).to_be_visible()
        heads.append(page.locator(".ending h2").inner_text())
    assert heads[0].split()[-3:] == heads[1].split()[-3:]  # the winner's points come first
    expect(desktop.locator("#live")).to_contain_text("The game is over.")
    assert re.search("You (played|took)", desktop.locator(".log ol").inner_text())
    assert prepared.view()["result"]["reason"] == "turn_limit"


def test_a_guest_begins_by_keys(engine: Engine, page: Page) -> None:
    """From the address to the table: by Tab, arrows and Enter alone."""
    page.goto(engine.url)
    levels = page.get_by_role("radio")
    tab_to(page, page.get_by_role("radio", checked=True))
    page.keyboard.press("ArrowUp")
    chosen = levels.and_(page.locator(":checked")).get_attribute("value")
    tab_to(page, page.get_by_role("button", name="Play", exact=True))
    page.keyboard.press("Enter")
    expect(page.locator(".table")).to_be_visible()
    seat = page.evaluate("JSON.parse(localStorage.getItem('migrato.seats'))")[0]
    game = page.request.get(
        f"{engine.url}/v1/games/{seat['game']}", headers={"Authorization": f"Bearer {seat['token']}"}
    )
    assert game.json()["seats"][1]["bot"] == chosen


def tab_to(page: Page, wanted: Locator) -> None:
    """Press Tab until it has the focus."""
    expect(wanted).to_be_visible()
    for _ in range(40):
        if wanted.evaluate("element => element === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(page.evaluate("document.activeElement.outerHTML"))


def test_a_refresh_and_another_tab_go_on(engine: Engine, page: Page) -> None:
    """With the same game, as it was; the seat's token is in local storage, and in no address that was asked for."""
    with noted(page, "request") as asked:
        play_in_two_tabs(engine, page)
    token = page.evaluate("JSON.parse(localStorage.getItem('migrato.seats'))[0].token")
    assert token.startswith("mg_")
    assert [request.url for request in asked if token in request.url] == []
    assert len(asked) > 20


def play_in_two_tabs(engine: Engine, page: Page) -> None:
    """A reload, and another tab."""
    page.goto(f"{engine.url}/#migo")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator(".table")).to_be_visible()
    play(Hands(page), steps=1)
    expect(page.locator(".my-turn")).to_be_visible()
    left = page.locator(".rank li:not(.gone)").count()
    page.reload()
    expect(page.locator(".my-turn")).to_be_visible()
    expect(page.locator(".rank li:not(.gone)")).to_have_count(left)
    other = page.context.new_page()
    other.goto(engine.url)
    other.locator(".unfinished a").click()
    expect(other.locator(".rank li:not(.gone)")).to_have_count(left)
    assert other.url == page.url
    cards, hands = other.locator(".rank li:not(.gone)"), Hands(other)
    while cards.count() == left:  # some cards ask what to do with them
        assert play(hands, steps=1) == 1
    expect(page.locator(".rank li:not(.gone)")).not_to_have_count(left)


def test_choices_at_the_start_hold_in_the_game(engine: Engine, page: Page) -> None:
    """Rule book, Return Flight and memory in Migrato; four seats in Migo."""
    page.goto(engine.url)
    page.get_by_text("Rules and options").click()
    page.get_by_label("Rule book").select_option(label="Printed edition")
    page.get_by_label("Return Flight").check()
    page.get_by_label("Show me my face-down cards").check()
    with page.expect_request(
        lambda request: request.method == "POST" and request.url.endswith("/v1/games")
    ) as wanted:
        page.get_by_role("button", name="Play", exact=True).click()
    chosen = json.loads(wanted.value.post_data or "")["options"]
    assert (chosen["rules"], chosen["return_flight"], chosen["memory_aid"]) == ("opla", True, True)
    expect(page.locator(".flights-left .return")).to_have_count(5)
    page.goto(f"{engine.url}/#migo")
    page.get_by_text("Rules and options").click()
    page.get_by_label("Players").select_option("4")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator(".yeti")).to_have_count(4)


def test_a_friend_comes_by_a_link(engine: Engine, visit: Visit) -> None:
    """Two browsers, one link; names as they were chosen; a rematch once both want it."""
    ada, bo = visit(), visit()
    ada.goto(engine.url)
    ada.get_by_label("Your name").fill("Ada")
    ada.get_by_role("button", name="Make a table").click()
    link = ada.get_by_label("Link for your friend").input_value()
    assert link.startswith(f"{engine.url}/join/")
    assert "#" in link

    bo.goto(link)
    bo.get_by_label("Your name").fill("Bo")
    bo.get_by_role("button", name="Sit down").click()
    for page, other in ((ada, "Bo"), (bo, "Ada")):
        expect(page.locator(".side.their h2")).to_have_text(other)
        assert "token" not in page.url
        assert "mg_" not in page.url
    expect(ada.locator(".kept b")).to_have_text(re.compile(r"^\w+ \w+ \w+ \w+$"))
    lines = [page.locator(".kept p", has=page.locator("b")) for page in (ada, bo)]
    until(lambda: len({line.inner_text() for line in lines}) == 1)  # of the same event
    events = ada.evaluate(EVENTS)["events"]
    seeds = [event["data"]["client_seed"] for event in events if event["type"] == "seat_taken"]
    assert len(set(seeds)) == 2
    assert all(re.fullmatch("[0-9a-f]{32}", seed) for seed in seeds)
    both = [Hands(ada, 1), Hands(bo, 2)]
    assert play(*both, steps=2) == 2
    give_up(bo)
    expect(ada.locator(".ending h2")).to_contain_text("You win")
    expect(ada.locator(".ending")).to_contain_text("The other side gave up.")
    expect(bo.locator(".ending")).to_contain_text("You gave up.")
    for page in (ada, bo):
        expect(page.locator(".kept")).to_contain_text("What you saw is what is recorded (")
    for page in (ada, bo):
        expect(page.locator(".points thead th").first).to_have_text("You" if page is ada else "Ada")
    former = ada.url
    ada.get_by_role("button", name="Rematch").click()
    expect(ada.get_by_role("button", name="Waiting for the other")).to_be_visible()
    bo.get_by_role("button", name="Rematch").click()
    for page in (ada, bo):
        expect(page.locator(".table:not(:has(.ending))")).to_be_visible()
    assert ada.url == bo.url != former


def test_a_step_can_be_taken_back_until_it_is_sent(engine: Engine, sit: Sit) -> None:
    """An action waits for the discard; nothing of it is sent before, and both go as one move.

    While the engine is asked, nothing is picked: a card that was picked then would mean something else a moment later.
    With a card picked that has one place: Enter on another card picks that one, and on the first one places it.
    """
    prepared = Prepared(engine.url, seed=4, options={"first_seat": 0})
    page = sit(prepared)
    expect(page.locator(".my-turn")).to_be_visible()
    first, second = (page.locator(f".hand-card.able[data-card='{number}']") for number in (0, 1))
    staged = page.locator(".placed.staged")
    first.press("Enter")
    second.press("Enter")
    expect(second).to_have_attribute("aria-pressed", "true")
    expect(staged).to_have_count(0)
    page.keyboard.press("1")
    expect(first).to_be_focused()
    page.keyboard.press("Enter")
    expect(staged).to_have_count(1)
    expect(page.locator(".hand-card")).to_have_count(2)
    assert prepared.view()["version"] == 2
    page.keyboard.press("Escape")
    expect(page.locator(".hand-card")).to_have_count(3)

    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route(re.compile("dry_run"), hold)
    page.keyboard.press("1")
    page.keyboard.press("a")
    expect(page.locator(".my-turn")).to_have_count(0)
    page.keyboard.press("2")
    expect(page.locator(".prompt")).to_have_text("One moment …")
    expect(page.locator("[aria-pressed=true], button.lit")).to_have_count(0)
    for route in held:
        route.continue_()
    page.unroute_all()
    expect(staged).to_have_count(1)
    expect(page.locator(".my-turn .prompt")).to_contain_text("choose a card to discard")
    page.keyboard.press("Escape")

    page.locator(".hand-card").first.drag_to(page.locator(".own .column").first)
    expect(staged).to_have_count(1)
    page.locator(".hand-card").first.click()
    page.get_by_role("button", name="Discard", exact=True).click()
    expect(page.locator(".prompt")).to_contain_text("thinking")
    assert prepared.view()["state"]["players"][0]["columns"]


def test_an_illegal_move_names_its_rule(engine: Engine, sit: Sit) -> None:
    """A tap on a place where the card may not go says so, with a link to the rule.

    Before that one of two equal cards is discarded: nobody is asked which of them, since they are the same.
    """
    prepared = Prepared(engine.url, setup={"deck": deck(["G5d", "B2d", "K3d", "S3n", "K3d", "T5d"])})
    page = sit(prepared)
    page.locator(".hand-card[data-face=G5d]").click()
    page.locator("button.target.lit").click()
    page.locator(".hand-card[data-face=K3d]").last.click()
    page.get_by_role("button", name="Discard", exact=True).click()
    expect(page.locator(".prompt")).to_contain_text("thinking")
    assert prepared.view()["state"]["discard_pile"] == ["K3d"]
    prepared.post(1, {"type": "exchange"})
    page.locator(".hand-card.able[data-face=K3d]").click()
    page.locator(".own .column").first.locator(".target").click(force=True)
    names_its_rule(page, "A column takes one species", "rules-migrato#5")
    page.locator(".complaint").get_by_role("button", name="Close").click()
    expect(page.locator(".complaint")).to_have_count(0)
    page.keyboard.press("a")
    names_its_rule(page, "A column takes one species", "rules-migrato#5")


def test_a_covered_card_of_migo_names_its_rule(engine: Engine, sit: Sit) -> None:
    """The refusal to take a covered card names its rule in the language of the page."""
    game = Prepared(engine.url, "migo", seed=2, options={"first_seat": 0})
    page = sit(game, locale="de")
    version = game.view()["version"]
    page.locator(".rank .covered").first.click(position={"x": 20, "y": 6})  # its edge shows
    names_its_rule(page, "Nehmen kann man nur eine Karte, die keine andere verdeckt.", "rules-migo#3")
    assert game.view()["version"] == version


def names_its_rule(page: Page, sentence: str, address: str) -> None:
    """A refusal is told in a sentence, with a link that leads to the rule itself."""
    expect(page.locator(".complaint")).to_contain_text(sentence)
    link = page.locator(".complaint a").get_attribute("href") or ""
    assert link == f"/guide/reference/{address}"
    guide = page.request.get(page.url.split("/play")[0] + link)
    assert f'id="{address.split("#")[1]}"' in guide.text()


def test_a_hint_is_given_and_followed(engine: Engine, sit: Sit) -> None:
    """It is in words, recorded, and can be done by one click."""
    prepared = Prepared(engine.url, setup=None)
    page = sit(prepared, prepared.view()["to_act"])
    page.get_by_role("button", name="Hint").click()
    expect(page.locator(".advice")).to_contain_text("Hint:")
    expect(page.locator(".advice li")).not_to_have_count(0)  # also where the engine gives no reason
    expect(page.locator(".log ol")).to_contain_text("You took a hint.")
    page.get_by_role("button", name="Do it").click()
    expect(page.locator(".advice")).to_have_count(0)


def test_a_hint_says_why(engine: Engine, sit: Sit) -> None:
    """In words, what speaks for the move most; on a phone it comes into view by itself."""
    page = sit(Prepared(engine.url, seed=11).play(46), locale="de", **ON_A_PHONE)
    hinted(
        page,
        {"type": "exchange"},
        reason("arrives", 0.19, "teal", 3),
        reason("mixes-columns", -0.1),
        reason("nearer", 0.05, "stilt"),
        reason("opens-column", 0.02),
    )
    page.get_by_role("button", name="Tipp").click()
    expect(page.locator(".advice p")).to_have_text("Tipp: Die Hand tauschen")
    expect(page.locator(".advice li")).to_have_text(
        ["Krickenten kommen an, 3 Punkte", "Bringt Stelzenläufer der Landung näher"]
    )
    expect(page.locator("#live")).to_contain_text("Krickenten kommen an")
    expect(page.get_by_role("button", name="Mach das")).to_be_in_viewport(ratio=1)


def test_a_hint_of_migo_says_why(engine: Engine, sit: Sit) -> None:
    """With the card that is turned over, and the bottle that is drunk."""
    prepared = Prepared(engine.url, "migo", seed=2).play(5)
    view = prepared.view()
    seat = view["to_act"]
    own = view["state"]["players"][seat]["cards"][0]["card"]
    place = next(card["place"] for card in view["state"]["table"] if card["free"])
    page = sit(prepared, seat, locale="fr")
    hinted(
        page,
        {"type": "take", "place": place, "flip": own, "drink": True},
        reason("most", 0.19, "rope", 6),
        reason("empties", -0.1, "bottle", -2),
        reason("again", 0.05),
    )
    page.get_by_role("button", name="Conseil").click()
    expect(page.locator(".advice p")).to_have_text(re.compile("Prendre .* · Retourner.* · Boire, et rejouer"))
    expect(page.locator(".advice li")).to_have_text(
        ["Donne le plus de cordes\N{NO-BREAK SPACE}: l’avance change de 6 points", "Rejoue aussitôt"]
    )
    expect(page.locator("#live")).to_contain_text("Rejoue aussitôt")


def hinted(page: Page, move: Json, *reasons: Json) -> None:
    """The engine's answer to whoever asks for a hint; the seat and the version of the game are not read."""
    considered = [{"move": {"type": "pass"}, "reasons": []}, {"move": move, "reasons": reasons}]
    page.route("**/hint", lambda route: route.fulfill(json={"move": move, "considered": considered}))


def reason(code: str, change: float, about: str | None = None, points: int | None = None) -> Json:
    """A reason for a move, as the engine gives it."""
    return {"kind": "wins", "code": code, "about": about, "change": change, "points": points, "text": ""}
