"""What the page's small modules do with what others wrote; here Node runs them."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.node import NODE

WEB = Path(__file__).parents[2] / "service/web"


def said(module: str, program: str, *arguments: Any) -> Any:
    """What the program prints as JSON; `it` is the module, `given` are the arguments."""
    code = f"""
      const given = JSON.parse(process.argv[2]);
      globalThis.window = {{}};
      const load = () => import(process.argv[1]);
      {program}
    """
    command = [str(NODE), "--no-warnings", "--input-type=module", "-e", code]
    done = subprocess.run(
        [*command, str(WEB / module), json.dumps(arguments)],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return json.loads(done.stdout)


STORE = """
  const kept = new Map([["old", "1"]]);
  window.localStorage = {
    getItem: (name) => kept.get(name) ?? null,
    setItem: () => { throw new DOMException("no room", "QuotaExceededError"); },
    removeItem: () => { throw new DOMException("no", "SecurityError"); },
  };
  Object.defineProperty(window, "sessionStorage", { get: () => { throw new DOMException("no", "SecurityError"); } });
  const { local, session } = await load();
"""


def test_what_a_browser_does_not_keep_is_kept_until_the_page_is_closed() -> None:
    """One that has no room, or gives no storage at all; it is said that the browser does not keep it."""
    program = f"""{STORE}
      const found = [local.getItem("old"), local.setItem("new", "2"), local.getItem("new")];
      local.removeItem("old");
      found.push(local.getItem("old"), session.setItem("a", "b"), session.getItem("a"), session.getItem("c"));
      console.log(JSON.stringify(found));
    """
    assert said("shell/storage.js", program) == ["1", False, "2", None, False, "b", None]


def test_what_a_browser_takes_again_is_its_own() -> None:
    """A seat that was kept in the page alone is not kept there once there is room."""
    program = f"""{STORE}
      local.setItem("new", "2");
      window.localStorage.setItem = (name, value) => kept.set(name, value);
      const found = [local.setItem("new", "3"), local.getItem("new")];
      kept.set("new", "4"); // by another tab
      console.log(JSON.stringify([...found, local.getItem("new")]));
    """
    assert said("shell/storage.js", program) == [True, "3", "4"]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("ada", "ada"),
        ("Zoë 5", "Zoë 5"),
        ("דנה", "\u2068דנה\u2069"),
        ("علي", "\u2068علي\u2069"),
        ("a\u202eb", "ab"),
        ("ד\u2069\u202e5", "\u2068ד5\u2069"),
        ("\u2068דנה\u2069", "\u2068דנה\u2069"),
        ("\u202e", "?"),
    ],
)
def test_a_name_turns_nothing_round(name: str, shown: str) -> None:
    """From right to left it has a fence around it, which nothing in it ends; twice is once."""
    program = "console.log(JSON.stringify((await load()).isolated(given[0])));"
    assert said("shell/isolated.js", program, name) == shown


INHERITED = ["constructor", "toString", "__proto__", "hasOwnProperty"]


@pytest.mark.parametrize("code", ["fr", "de", *INHERITED])
def test_what_every_object_has_is_no_translation(code: str) -> None:
    program = """
      const say = await (await load()).translator(given[0]);
      console.log(JSON.stringify(given[1].map((text) => say(text))));
    """
    assert said("proof/translation.js", program, code, INHERITED) == INHERITED


@pytest.mark.parametrize("name", INHERITED)
def test_what_every_object_has_is_no_card(name: str) -> None:
    program = "console.log(JSON.stringify((await load()).read(given[0]).danger));"
    assert said("migrato/cards.js", program, name) is None
