"""The page's small modules with what others wrote; here Node runs them."""

from posixpath import dirname, join, normpath
from typing import Any, Final

from domain.words.languages import LANGUAGES
from service.http.page import assets
from tests.page.test_words import WEB, said

STORE: Final = """
  globalThis.document = { documentElement: { dataset: {} } };
  const kept = new Map([["old", "1"]]);
  window.localStorage = {
    getItem: (name) => kept.get(name) ?? null,
    setItem: () => { throw new DOMException("no room", "QuotaExceededError"); },
    removeItem: () => { throw new DOMException("no", "SecurityError"); },
  };
  Object.defineProperty(window, "sessionStorage", { get: () => { throw new DOMException("no", "SecurityError"); } });
  const { local, session } = await load();
"""
IMPORTS: Final = """await (async ([root, ...names]) => {
    const [{ readFileSync }, { SourceTextModule }] = await Promise.all([import("node:fs"), import("node:vm")]);
    const read = (name) => new SourceTextModule(readFileSync(`${root}/${name}`, "utf8")).dependencySpecifiers;
    return Object.fromEntries(names.map((name) => [name, read(name)]));
})(given)"""
INHERITED: Final = ["constructor", "toString", "__proto__", "hasOwnProperty"]
NAMES: Final = {  # as they are given, and as they are shown
    "ada": "ada",
    "Zoë 5": "Zoë 5",
    "דנה": "\u2068דנה\u2069",
    "علي": "\u2068علي\u2069",
    "a\u202eb": "ab",
    "ד\u2069\u202e5": "\u2068ד5\u2069",
    "\u2068דנה\u2069": "\u2068דנה\u2069",
    "\u202e": "?",
}


def returned(module: str, program: str, *given: Any) -> Any:
    """Result of a program; `load()` is the module, `given` are further arguments."""
    code = f"""await (async ([path, ...given]) => {{
      globalThis.window = {{}};
      const load = () => import(path);
      {program}
    }})(given)"""
    return said(code, str(WEB / module), *given)


def test_a_browser_keeps_nothing() -> None:
    """It has no room, or gives no storage: it is kept until the page is closed, and said that the browser does not."""
    program = f"""{STORE}
      const found = [local.getItem("old"), local.setItem("new", "2"), local.getItem("new")];
      local.removeItem("old");
      return [...found, local.getItem("old"), session.setItem("a", "b"), session.getItem("a"), session.getItem("c")];
    """
    assert returned("shell/storage.js", program) == ["1", False, "2", None, False, "b", None]


def test_a_browser_has_room_again() -> None:
    """A seat that was kept in the page alone is not kept there once there is room."""
    program = f"""{STORE}
      local.setItem("new", "2");
      window.localStorage.setItem = (name, value) => kept.set(name, value);
      const found = [local.setItem("new", "3"), local.getItem("new")];
      kept.set("new", "4"); // by another tab
      return [...found, local.getItem("new")];
    """
    assert returned("shell/storage.js", program) == [True, "3", "4"]


def test_nothing_is_kept_in_a_frame_of_another_page() -> None:
    """Nothing is found there either: what a browser keeps for the page itself is not for a page that frames a table."""
    program = f"""{STORE}
      window.localStorage.setItem = (name, value) => kept.set(name, value);
      document.documentElement.dataset.framed = "";
      return [local.getItem("old"), local.setItem("new", "2"), local.getItem("new"), kept.size];
    """
    assert returned("shell/storage.js", program) == [None, False, "2", 1]


def test_a_name_turns_nothing_round() -> None:
    """From right to left it has a fence around it, which nothing in it ends; twice is once."""
    program = "const { isolated } = await load(); return given.map((name) => isolated(name));"
    assert returned("shell/isolated.js", program, *NAMES) == list(NAMES.values())


def test_inherited_members_are_neither_a_translation_nor_a_card() -> None:
    program = """
      const { translator } = await load();
      const [languages, ...names] = given;
      return Promise.all(languages.map(async (code) => names.map(await translator(code))));
    """
    found = returned("proof/translation.js", program, [*LANGUAGES], *INHERITED)
    assert found == [INHERITED] * len(LANGUAGES)
    program = "const { read } = await load(); return given.map((name) => read(name).danger ?? null);"
    assert returned("migrato/cards.js", program, *INHERITED) == [None] * 4


def test_the_document_names_every_module_that_a_screen_imports() -> None:
    """As Node parses them; a module that the server overlooks is asked for a round trip later, and nothing fails."""
    found = said(IMPORTS, str(WEB), *(name for name in assets.files() if name.endswith(".js")))
    for route, screen in assets.ROUTES.items():
        needed, waiting = set[str](), [screen, "words/de/page.js", "shell/main.js"]
        while waiting:
            name = waiting.pop()
            if name not in needed:
                needed.add(name)
                waiting += [normpath(join(dirname(name), other)) for other in found[name]]
        assert set(assets.first_modules((screen, "shell/main.js"), "de")) == needed, route
