"""The page in figures, as Markdown: `make figures`.

Bytes of each file of a first visit; how soon the start works, with a processor four times as slow; how soon `/docs` can
be read; how soon a move is shown after its answer. With `lighthouse` as an argument, Lighthouse's scores too: npx
fetches it. With `path`, how long somebody takes who plays a whole game, clicking what is lit as fast as
the page allows.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any, Final

from playwright.sync_api import BrowserContext, Page, Response, sync_playwright

from drills.ports import free_port
from tests.browsers.chromium import FLAGS, executable
from tests.page.browser import kept
from tests.page.players import Hands, play
from tests.page.prepared import Prepared
from tests.support.engine import Engine

SLOW: Final = 4  # as a slow phone's processor is to this one
ROUNDS: Final = 15
OPERATION: Final = "Get the view of a game"
BEGIN: Final = ".panel > .primary:not(:disabled)"
LIGHTHOUSE: Final = "lighthouse@12.8.2"
ASKED: Final = ("performance", "accessibility", "best-practices")
WATCH: Final = """
    () => { window.shown = new Promise((done) => {
        new MutationObserver(() => requestAnimationFrame(() => done(performance.now())))
            .observe(document.querySelector('.hand'), {childList: true});
    }); }
"""
LATE: Final = """
    async () => {
        const answered = () => performance.getEntriesByType('resource').filter(({name}) => /moves$/.test(name)).at(-1);
        const shown = await window.shown;
        while (!answered()?.responseEnd) await new Promise(requestAnimationFrame);
        return shown - answered().responseEnd;
    }
"""


def bytes_of_a_first_visit(page: Page, url: str) -> Iterator[str]:
    """Bytes that the start and a table load, as they are sent."""
    loaded: dict[str, int] = {}

    def note(answer: Response) -> None:
        path = answer.url.removeprefix(url)
        name = "/".join(path.split("/")[3:]) if path.startswith("/assets/") else path.split("?")[0]
        name = name if path.startswith("/assets/") or path == "/" else "answers of the engine"
        loaded[name] = loaded.get(name, 0) + int(answer.headers.get("content-length", 0))

    page.on("response", note)
    page.goto(url)
    page.locator(".panel > .primary").click()
    page.wait_for_selector(".table")
    yield from ("| file | bytes, compressed |", "|---|---|")
    yield from (f"| `{name}` | {size:,} |" for name, size in sorted(loaded.items(), key=lambda one: -one[1]))
    yield f"| all {len(loaded)} | {sum(loaded.values()):,} |"


def start(page: Page, url: str) -> tuple[float, float]:
    """Milliseconds until the button that begins a game works, and those of the main thread's processor time before."""
    session = page.context.new_cdp_session(page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": SLOW})
    page.goto(url, wait_until="commit")
    page.wait_for_selector(BEGIN)
    elapsed = float(page.evaluate("performance.now()"))
    session.send("Emulation.setCPUThrottlingRate", {"rate": 1})
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.reload()
    page.wait_for_selector(BEGIN)
    metrics = session.send("Performance.getMetrics")["metrics"]
    (busy,) = [metric["value"] for metric in metrics if metric["name"] == "TaskDuration"]
    return elapsed, 1000 * busy


def move(page: Page, game: Prepared) -> float:
    """Milliseconds from the answer to a move until the screen shows it; 0 if the stream was sooner."""
    page.wait_for_selector(".my-turn")
    page.evaluate(WATCH)
    page.evaluate("performance.clearResourceTimings()")
    page.locator(".actions button").first.click()
    shown = page.evaluate(LATE)
    game.post(1, {"type": "exchange"})
    return max(0.0, float(shown))


def reference(page: Page, url: str) -> tuple[float, float]:
    """Milliseconds until the API's reference lists operations, and from a click on one until it can be read."""
    page.goto(f"{url}/docs", wait_until="commit")
    listed = page.get_by_role("link", name=OPERATION)
    listed.wait_for()
    elapsed = float(page.evaluate("performance.now()"))
    listed.click()
    page.get_by_role("heading", name=OPERATION).wait_for()
    return elapsed, float(page.evaluate("performance.now()")) - elapsed


def path(page: Page, url: str, game: str) -> str:
    """From the start to a finished game against the strongest bot but one, and to its proof; a row of a table."""
    begun = time.monotonic()
    page.goto(f"{url}/#{game}")
    page.locator(".level").nth(-2).click()
    page.click(BEGIN)
    page.wait_for_selector(".table")
    at_table = time.monotonic()
    steps = play(Hands(page))
    over = time.monotonic()
    page.locator(".ending a[href$='#proof']").click()
    page.wait_for_selector(".verdict.passed")
    proved = time.monotonic()
    legs = (at_table - begun, over - at_table, proved - over)
    return f"| {game} | {' | '.join(f'{leg:.1f}' for leg in legs)} | {steps} |"


def lighthouse(url: str, addresses: dict[str, str], port: int) -> Iterator[str]:
    """Lighthouse's scores, from 0 to 1."""
    yield from (
        f"| screen | {' | '.join(ASKED)} | interactive | layout shift |",
        f"|---|{'---|' * (len(ASKED) + 2)}",
    )
    npx = [shutil.which("npx") or "npx", "--yes", LIGHTHOUSE]
    options = [f"--port={port}", "--disable-storage-reset", "--quiet", "--output=json"]
    options += [f"--only-categories={','.join(ASKED)}"]
    for name, address in addresses.items():
        report: dict[str, Any] = json.loads(subprocess.check_output([*npx, url + address, *options]))
        scores = [f"{report['categories'][asked]['score']:.2f}" for asked in ASKED]
        shown = [report["audits"][one]["displayValue"] for one in ("interactive", "cumulative-layout-shift")]
        yield f"| {name} | {' | '.join([*scores, *shown])} |"


def screens(url: str, browser: BrowserContext) -> dict[str, str]:
    """Those that Lighthouse looks at; the browser holds the seat of a table."""
    ended = Prepared(url, seed=8, visibility="public", options={"turn_limit": 40}).play(300)
    running = Prepared(url, seed=11).play(20)
    browser.add_init_script(kept(**running.seat()))
    page = browser.new_page()
    page.goto(url)
    page.close()
    read = f"/games/{ended.id}"
    table = f"/play/{running.id}"
    return {"start": "/", "table": table, "replay": f"{read}#40", "proof": f"{read}#proof", "learn": "/learn"}


def figures(url: str, folder: Path, *wanted: str) -> Iterator[str]:
    """All figures, as lines of Markdown."""
    port = free_port()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable(), args=FLAGS)
        yield from bytes_of_a_first_visit(browser.new_page(), url)
        starts = [start(browser.new_page(), url) for _ in range(ROUNDS)]
        readings = [reference(browser.new_page(), url) for _ in range(ROUNDS)]
        game = Prepared(url, seed=3)
        context = browser.new_context(reduced_motion="reduce")
        context.add_init_script(kept(**game.seat()))
        page = context.new_page()
        page.goto(f"{url}/play/{game.id}")
        moves = [move(page, game) for _ in range(ROUNDS)]
        yield from ("", f"| milliseconds, of {ROUNDS} | median | most |", "|---|---|---|")
        elapsed, busy = zip(*starts, strict=True)
        yield f"| the start works, processor {SLOW} times as slow | {median(elapsed):.0f} | {max(elapsed):.0f} |"
        yield f"| processor time of its main thread, unslowed | {median(busy):.0f} | {max(busy):.0f} |"
        listed, opened = zip(*readings, strict=True)
        yield f"| `/docs` lists the operations | {median(listed):.0f} | {max(listed):.0f} |"
        yield f"| `/docs` shows an operation, after a click | {median(opened):.0f} | {max(opened):.0f} |"
        yield f"| a move is shown, after its answer | {median(moves):.0f} | {max(moves):.0f} |"
        if "path" in wanted:
            yield from (
                "",
                "| seconds | to the table | to the end | to the proof | steps |",
                "|---|---|---|---|---|",
            )
            yield from (path(browser.new_page(), url, game) for game in ("migrato", "migo"))
        browser.close()
        if "lighthouse" in wanted:
            flags = [*FLAGS, f"--remote-debugging-port={port}"]
            profile = playwright.chromium.launch_persistent_context(
                folder, executable_path=executable(), args=flags
            )
            yield ""
            yield from lighthouse(url, screens(url, profile), port)
            profile.close()


def main(*wanted: str) -> None:
    """Print them."""
    os.environ.setdefault("CHROME_PATH", executable())
    with tempfile.TemporaryDirectory() as folder:
        engine = Engine(Path(folder) / "data").start()
        try:
            for line in figures(engine.url, Path(folder) / "browser", *wanted):
                print(line, flush=True)
        finally:
            engine.end()


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that the engine ends, as by Ctrl-C
    main(*sys.argv[1:])
