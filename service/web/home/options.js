/** The options of a game that the start offers: those of the engine's table that have words. The document carries the table. */
import { html } from "../vendor/preact.js";
import { isKey, tx } from "../shell/i18n.js";

/**
 * @typedef {import("../shell/games.js").Game} Game
 * @typedef {import("../shell/games.js").Options} Options
 * @typedef {{kind: "choice" | "flag", default: string | boolean, choices: string[]}} Option
 */

/** @param {Game} game @param {string} name */
const wordOf = ({ id }, name) => `option.${id}.${name}`;

/** By name. @param {Game} game */
function offered(game) {
  /** @type {Record<string, Record<string, Option>>} */
  const tables = JSON.parse(document.documentElement.dataset.options ?? "{}");
  return Object.entries(tables[game.id] ?? {}).filter(([name]) => isKey(wordOf(game, name)));
}

/** The options as they are where nobody has chosen. @param {Game} game @returns {Options} */
export const usual = (game) => Object.fromEntries(offered(game).map(([name, option]) => [name, option.default]));

/** A field for each. @param {{game: Game, chosen: Options, change: (options: Options) => void}} props */
export function Choices({ game, chosen, change }) {
  return html`${offered(game).map(([name, { kind, choices }]) => {
    const word = wordOf(game, name);
    if (kind === "flag")
      return html`<label class="check"><input type="checkbox" checked=${chosen[name]} onChange=${() => change({ [name]: !chosen[name] })} /><span><b>${tx(word)}</b><small>${tx(`${word}.note`)}</small></span></label>`;
    return html`<label class="field">${tx(word)}<select onChange=${(/** @type {any} */ event) => change({ [name]: event.target.value })}>
      ${choices.map((choice) => html`<option value=${choice} selected=${chosen[name] === choice}>${tx(`${word}.${choice}`)}</option>`)}
    </select></label>`;
  })}`;
}
