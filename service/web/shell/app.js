/** The frame around every screen: a head with settings, the screen, and a foot with links. */
import { html, useEffect, useErrorBoundary, useState } from "../vendor/preact.js";
import { isForApps } from "./engine.js";
import { GAMES } from "./games.js";
import { language, languages, loadLanguage, t } from "./i18n.js";
import { Link, onNavigation } from "./navigation.js";
import { screenAt } from "./routes.js";
import { session } from "./storage.js";
import { applyTheme, nextTheme, theme } from "./theme.js";
import { Mistake, Trouble } from "./trouble.js";
import { Live } from "./live.js";

export function App() {
  const [path, setPath] = useState(location.pathname);
  const [, setShown] = useState(0);
  const redraw = () => setShown((times) => times + 1);
  useEffect(() => onNavigation(() => (setPath(location.pathname), redraw())), []);
  const [away, setAway] = useState(false);
  useEffect(() => {
    const [lost, back] = [() => setAway(true), () => setAway(false)];
    addEventListener("engine-away", lost);
    addEventListener("engine-back", back);
    return () => (removeEventListener("engine-away", lost), removeEventListener("engine-back", back));
  }, []);
  return html`
    <a class="skip" href="#main">${t("skip")}</a>
    <${Head} redraw=${redraw} home=${path === "/"} />
    ${away && !path.startsWith("/play/") && html`<p class="banner" role="alert">${t("problem.away")}</p>`}
    <${Mistake} />
    <main id="main" tabindex="-1"><${Routed} key=${path + location.hash} path=${path} /></main>
    <${Foot} />
    <${Live} />
  `;
}

/** @param {{path: string}} props */
function Routed({ path }) {
  const [Screen, setScreen] = useState(/** @type {null | {of: import("./routes.js").Screen}} */ (null));
  const [failed, setFailed] = useState(/** @type {unknown} */ (null));
  const [error] = useErrorBoundary((problem) => console.error(problem));
  const found = screenAt(path);
  useEffect(() => {
    if (!found) return;
    found.load().then(
      (module) => setScreen({ of: module.default }),
      (problem) => renewed() || setFailed(problem), // another version of the page is served by now
    );
  }, []);
  if (!found) return Trouble({ title: t("missing.title"), text: t("missing.page") });
  if (error || failed) return Trouble({ title: t("trouble.title"), text: t("trouble.text"), reload: true });
  if (!Screen) return html`<p class="waiting" role="status">${t("loading")}</p>`;
  return html`<${Screen.of} params=${found.params} />`;
}

/** Load the page again, once: whether that was done. */
function renewed() {
  if (session.getItem("renewed") || !session.setItem("renewed", "1")) return false; // once alone can be told where it is kept
  location.reload();
  return true;
}

/** @param {{redraw: () => void, home: boolean}} props */
function Head({ redraw, home }) {
  const choose = async (/** @type {string} */ code) => {
    await loadLanguage(code, { keep: true });
    redraw();
  };
  const darker = () => {
    applyTheme(nextTheme());
    redraw();
  };
  return html`<header class="head">
    <${Link} to="/" class="brand" aria-current=${home ? "page" : null}>
      <svg aria-hidden="true"><use href="#brant_goose" /></svg><span>Migrato</span>
    <//>
    <nav class="head-tools" aria-label=${t("settings")}>
      <select aria-label=${t("language")} onChange=${(/** @type {any} */ event) => choose(event.target.value)}>
        ${Object.entries(languages()).map(([code, name]) => html`<option value=${code} lang=${code} selected=${code === language()}>${name}</option>`)}
      </select>
      <button class="quiet icon" onClick=${darker} aria-label=${t(`theme.${theme()}`)} title=${t(`theme.${theme()}`)}>
        <svg aria-hidden="true"><use href=${`#theme-${theme()}`} /></svg>
      </button>
    </nav>
  </header>`;
}

function Foot() {
  return html`<footer class="foot">
    <nav aria-label=${t("more")}>
      ${!isForApps() && html`<${Link} to="/leaderboard">${t("board.title")}<//>`}
      ${GAMES.map(({ id, name }) => html`<a href=${`/guide/reference/rules-${id}`}>${t("rules.of", { game: name })}</a>`)}
      <a href="/guide/explanation/fairness">${t("foot.fairness")}</a>
      <a href="/guide">${t("foot.guide")}</a>
      <a href="/developers">${t("foot.developers")}</a>
    </nav>
  </footer>`;
}
