/** The bots of a game as levels: how strong, in stars; how they play; how long they think. */
import { html } from "../vendor/preact.js";
import { decimal, isKey, t, tx } from "../shell/i18n.js";

/** @typedef {import("../../../clients/typescript/lib/models.d.ts").BotLine} Bot */

const STARS = 5;
const NEAR = 0.1; // of a star: less is no difference

/** Those that the game offers as levels, by the table that the document carries, the weakest first. @param {Bot[]} bots @param {{id: string}} game */
export function ranked(bots, { id }) {
  /** @type {Record<string, string[]>} */
  const { [id]: levels = [] } = JSON.parse(document.documentElement.dataset.levels ?? "{}");
  return bots.filter(({ name }) => levels.includes(name)).sort((one, other) => (one.strength?.elo ?? Infinity) - (other.strength?.elo ?? Infinity));
}

/** @param {string} name */
export const botName = (name) => (isKey(`bot.${name}`) ? tx(`bot.${name}`) : name);

/** @param {{bots: Bot[], chosen: string, choose: (name: string) => void}} props */
export function Levels({ bots, chosen, choose }) {
  if (!bots.length) return html`<p class="levels hush">${t("loading")}</p>`;
  const stars = starsOf(bots);
  return html`<fieldset class="levels"><legend class="unseen">${t("home.level")}</legend>
    ${bots.map(({ name, description, strength, milliseconds }) => {
      const count = stars.get(name);
      return html`<label class="level" key=${name}>
        <input type="radio" name="level" value=${name} checked=${name === chosen} onChange=${() => choose(name)} />
        <span class="level-name"><b>${botName(name)}</b><small>${isKey(`bot.${name}.style`) ? tx(`bot.${name}.style`) : description}</small></span>
        <span class="level-figures">
          ${count ? html`<span role="img" aria-label=${t("home.stars", { count, of: STARS })}><span aria-hidden="true">${"★".repeat(count)}<i>${"★".repeat(STARS - count)}</i></span></span>` : html`<span>${t("home.unmeasured")}</span>`}
          ${strength && html`<small class="elo">${t("home.elo", { elo: strength.elo })}</small>`}
          <small>${thinks(milliseconds)}</small>
        </span>
      </label>`;
    })}
  </fieldset>`;
}

/** One star for the weakest and five for the strongest; between them as far as they are apart, above who plays anything. @param {Bot[]} bots */
function starsOf(bots) {
  const measured = bots.flatMap(({ name, strength }) => (strength ? [{ name, elo: strength.elo }] : []));
  const [, second] = measured;
  const [low, high] = [second?.elo ?? 0, measured.at(-1)?.elo ?? 0];
  return new Map(measured.map(({ name, elo }, index) => [name, index ? 2 + Math.floor(((STARS - 2) * (elo - low)) / (high - low || 1) + NEAR) : 1]));
}

/** @param {number | null} milliseconds */
function thinks(milliseconds) {
  if (!milliseconds || milliseconds < 100) return t("home.at.once");
  return t("home.thinks", { seconds: milliseconds < 1000 ? decimal(milliseconds / 1000) : Math.round(milliseconds / 1000) });
}
