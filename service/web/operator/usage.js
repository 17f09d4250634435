/** What an app has used in the last thirty days: a picture for each count, and its quotas. */
import { html, useEffect, useState } from "../vendor/preact.js";
import { language, t, tx } from "../shell/i18n.js";
import { Plot } from "./plot.js";

const DAYS = 30;
const DAY = 86_400_000; // milliseconds

/** @typedef {{id: string, of: (day: any) => number}} Count */
/** @param {string} name @returns {(day: any) => number} */
const named = (name) => (day) => day[name];
/** @param {(bot: any) => number} of @returns {(day: any) => number} */
const ofBots = (of) => ({ bots }) => bots.reduce((/** @type {number} */ sum, /** @type {any} */ bot) => sum + of(bot), 0);

/** @type {Count[]} */
const COUNTS = [
  { id: "games", of: named("games_created") },
  { id: "people", of: named("moves_by_people") },
  { id: "bots", of: named("moves_by_bots") },
  { id: "questions", of: ofBots(({ questions, hints }) => questions + hints) },
  { id: "thinking", of: ofBots(({ thinking_ms }) => thinking_ms / 1000) },
  { id: "streams", of: named("streams") },
  { id: "deliveries", of: named("deliveries") },
];

/** @param {{apps: string[], read: (path: string) => Promise<{status: number, text: string}>}} props */
export function Usage({ apps, read }) {
  const [app, setApp] = useState("");
  const [report, setReport] = useState(/** @type {any} */ (null));
  useEffect(() => {
    let ended = false;
    setReport(null);
    if (app) read(`/v1/apps/${app}/usage`).then(({ status, text }) => void (!ended && status === 200 && setReport(JSON.parse(text))));
    return () => void (ended = true);
  }, [app]);
  return html`<h2>${t("operator.usage")}</h2>
    <label class="field">${t("operator.usage.app")}<select onChange=${(/** @type {any} */ event) => setApp(event.target.value)}>
      <option value="">–</option>${apps.map((name) => html`<option value=${name} selected=${name === app}>${name}</option>`)}
    </select></label>
    ${report && html`<${Pictures} report=${report} />`}`;
}

/** @param {{report: any}} props */
function Pictures({ report }) {
  const days = new Map(report.days.map((/** @type {any} */ day) => [day.date, day]));
  const dates = Array.from({ length: DAYS }, (_, at) => new Date(Date.parse(report.to) - (DAYS - 1 - at) * DAY).toISOString().slice(0, 10));
  const say = (/** @type {number} */ number) => number.toLocaleString(language(), { maximumFractionDigits: 0 });
  return html`<dl class="plots">${COUNTS.map(({ id, of }) => {
    const values = dates.map((date) => (days.has(date) ? of(days.get(date)) : 0));
    const [sum, most] = [of(report.total), Math.max(...values)].map(say);
    const name = tx(`operator.usage.${id}`);
    return html`<${Plot} key=${id} name=${name} shown=${sum} values=${values} label=${t("operator.usage.course", { name, sum: sum ?? "", most: most ?? "" })} />`;
  })}</dl>
  ${report.quotas.length > 0 && html`<ul>${report.quotas.map((/** @type {any} */ quota) => html`<li>${tx(`operator.quota.${quota.name}`)}: ${say(quota.used)} / ${say(quota.quota)}</li>`)}</ul>`}`;
}
