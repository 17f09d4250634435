/** The operator's screen: health, what waits, metrics and apps. */
import { html, useEffect, useState } from "../vendor/preact.js";
import { SLOW } from "../shell/api.js";
import { language, t, tx } from "../shell/i18n.js";
import { isolated } from "../shell/isolated.js";
import { ENGINE, samplesOf, WAITING } from "./metrics.js";
import { KEPT, Plot } from "./plot.js";
import { Usage } from "./usage.js";
import { session } from "../shell/storage.js";

/** @typedef {{status: number, text: string}} Answer status 0: nobody answers */
/** @typedef {{health: any, ready: any, readings: import("./metrics.js").Reading[], apps: any[] | null, metrics: number, administers: number}} Seen the last two: statuses */

const KEY = "migrato.operator"; // in the session's store: the key goes with the tab, and stands in no address
const EVERY = 3000; // milliseconds between two readings

/** @param {string} path @param {string | null} key @returns {Promise<Answer>} */
async function read(path, key) {
  try {
    const answer = await fetch(path, { cache: "no-store", signal: AbortSignal.timeout(SLOW), headers: key ? { Authorization: `Bearer ${key}` } : {} });
    return { status: answer.status, text: await answer.text() };
  } catch {
    return { status: 0, text: "" };
  }
}

/** @param {Answer} answer @returns {any} null for what the engine did not say */
function documentOf({ text }) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** @param {string | null} key @param {Seen} seen */
const isWrong = (key, { metrics, administers }) => key !== null && metrics === 401 && administers === 401;

/** One look at everything. @param {string | null} key @param {Seen | null} before @returns {Promise<Seen>} */
async function look(key, before) {
  const [health, ready, metrics, apps] = await Promise.all([read("/healthz", null), read("/readyz", null), read("/metrics", key), key ? read("/v1/apps?limit=100", key) : null]);
  const readings = [...(before?.readings ?? [])];
  if (metrics.status === 200) readings.push({ at: performance.now(), samples: samplesOf(metrics.text) });
  return {
    health: documentOf(health), ready: documentOf(ready), readings: readings.slice(-KEPT - 1), metrics: metrics.status,
    apps: apps?.status === 200 ? documentOf(apps).apps : null, administers: apps?.status ?? 401,
  };
}

export default function Operator() {
  const [key, setKey] = useState(() => session.getItem(KEY));
  const [seen, setSeen] = useState(/** @type {Seen | null} */ (null));
  const [away, setAway] = useState(false);
  const [tries, setTries] = useState(0);
  useEffect(() => void (document.title = t("operator.title")));
  useEffect(() => {
    let ended = false;
    /** @type {Seen | null} */
    let last = null;
    const again = async () => {
      const next = await look(key, last);
      if (ended) return;
      const isAway = next.health === null;
      setAway(isAway);
      if (!isAway) setSeen((last = next));
      if (!isAway && isWrong(key, next)) session.removeItem(KEY); // and is not sent again
      else timer = setTimeout(again, EVERY);
    };
    let timer = setTimeout(again);
    return () => {
      ended = true;
      clearTimeout(timer);
    };
  }, [key, tries]);
  /** @param {string | null} next */
  function use(next) {
    if (next) session.setItem(KEY, next);
    else session.removeItem(KEY);
    setSeen(null);
    setKey(next);
    setTries(tries + 1);
  }
  const refused = seen !== null && isWrong(key, seen);
  return html`<div class="people">
    <h1>${t("operator.title")}</h1>
    ${away && html`<p class="alert" role="alert">${t("problem.away")}</p>`}
    ${key === null || refused
      ? html`<${KeyForm} wrong=${refused} use=${use} />`
      : html`<p><button onClick=${() => use(null)}>${t("operator.forget")}</button></p>`}
    ${seen && html`<${Health} health=${seen.health} ready=${seen.ready} />`}
    ${seen && !refused && html`<${Metrics} seen=${seen} />`}
    ${seen && key !== null && !refused && html`<${Apps} apps=${seen.apps} />`}
    ${seen?.apps && key !== null && !refused && html`<${Usage} apps=${seen.apps.map(({ name }) => name)} read=${(/** @type {string} */ path) => read(path, key)} />`}
  </div>`;
}

/** @param {{wrong: boolean, use: (key: string) => void}} props */
function KeyForm({ wrong, use }) {
  const [typed, setTyped] = useState("");
  const send = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    use(typed.trim().replace(/[^\x21-\x7e]/g, "?")); // what no header can hold is no key
    setTyped("");
  };
  return html`<form class="panel key-form" onSubmit=${send}>
    <label class="field">${t("operator.key")}<input type="password" name="key" autocomplete="off" value=${typed} onInput=${(/** @type {any} */ event) => setTyped(event.target.value)} /></label>
    <p class="hush">${t("operator.key.note")}</p>
    ${wrong && html`<p class="alert" role="alert">${t("operator.wrong")}</p>`}
    <button class="primary" disabled=${!typed.trim()}>${t("operator.show")}</button>
  </form>`;
}

/** @param {{health: any, ready: any}} props */
function Health({ health, ready }) {
  return html`<h2>${t("operator.health")}</h2>
    <p>${t("operator.version", { version: health.version })} ${t(health.domain === "compiled" ? "operator.compiled" : "operator.plain")}</p>
    <ul class="checks">${Object.entries(ready?.checks ?? {}).map(([name, state]) => html`<li class=${state === "ok" ? "passed" : "failed"}>
      <span class="mark" aria-hidden="true">${state === "ok" ? "✓" : "✗"}</span> ${tx(`operator.check.${name}`)}: ${t(state === "ok" ? "operator.ok" : "operator.down")}</li>`)}
      ${(ready?.reasons ?? []).map((/** @type {any} */ { code }) => html`<li class="failed"><span class="mark" aria-hidden="true">✗</span> ${tx(`operator.reason.${code}`)}</li>`)}</ul>`;
}

/** @param {{seen: Seen}} props */
function Metrics({ seen: { readings, metrics } }) {
  if ([401, 403].includes(metrics)) return html`<h2>${t("operator.metrics")}</h2><p>${t(metrics === 403 ? "operator.metrics.scope" : "operator.metrics.key")}</p>`;
  const plots = (/** @type {typeof ENGINE} */ shown) => html`<dl class="plots">${shown.map(({ id, unit, of }) => {
    const values = readings.slice(1).map((reading, at) => of(reading, /** @type {import("./metrics.js").Reading} */ (readings[at])));
    return html`<${Plot} key=${id} name=${tx(`operator.metric.${id}`)} unit=${unit} values=${values} />`;
  })}</dl>`;
  return html`<h2>${t("operator.waiting")}</h2>${plots(WAITING)}<h2>${t("operator.metrics")}</h2>${plots(ENGINE)}`;
}

/** @param {{apps: any[] | null}} props */
function Apps({ apps }) {
  if (apps === null) return html`<h2>${t("operator.apps")}</h2><p>${t("operator.apps.scope")}</p>`;
  const used = (/** @type {any} */ app) => app.keys.map((/** @type {any} */ one) => one.last_used_on).filter(Boolean).sort().at(-1);
  return html`<h2>${t("operator.apps")}</h2>
    ${apps.length ? html`<table class="numbers"><thead><tr><th scope="col">${t("board.name")}</th><th scope="col">${t("operator.status")}</th><th scope="col">${t("operator.scopes")}</th><th scope="col">${t("operator.used")}</th></tr></thead><tbody>
      ${apps.map((app) => html`<tr key=${app.name}><th scope="row">${isolated(app.name)}</th><td>${tx(`operator.status.${app.status}`)}</td><td>${app.scopes.join(", ")}</td><td>${used(app) ? new Date(used(app)).toLocaleDateString(language()) : "–"}</td></tr>`)}
    </tbody></table>` : html`<p>${t("operator.apps.none")}</p>`}`;
}
