/** The table by keys. */
import { tx } from "../shell/i18n.js";
import { isTheft } from "./prompt.js";

/** @typedef {import("./picking.js").Pick} Pick */
/**
 * @typedef {{hand: string[], columns: any[], myTurn: boolean, pick: Pick | null, targets: Map<string, any[]>,
 *   root: import("../vendor/preact.js").Ref<HTMLElement | null>, take: (pick: Pick) => void, choose: (target: string) => unknown,
 *   setPick: (pick: Pick) => void, back: () => void, exchange: (() => void) | null}} Reach `exchange`: null if it is not possible
 */

const KEYS = ["1–3", "A–D", "← →", "↑ ↓", "Enter", "Esc", "X", "H", "?"];
export const keysInWords = () => KEYS.map((key, index) => ({ key, does: tx(`key.migrato.${index}`) }));

/** @param {string} key @param {Reach} table @returns {boolean} whether the key meant something here */
export function pressed(key, table) {
  const { myTurn, pick, targets, choose, exchange, back } = table;
  if (key === "Escape") return back(), true;
  if (!myTurn) return false;
  if (/^[1-9]$/.test(key)) return takeCard(Number(key) - 1, table);
  if (/^[a-d]$/i.test(key)) return column("abcd".indexOf(key.toLowerCase()) + 1, table), true;
  if (pick?.from === "column" && /^Arrow(Up|Down)$/.test(key)) return takeMore(pick, key === "ArrowUp" ? -1 : 1, table), true;
  if (pick && /^Arrow/.test(key)) return cycle(key === "ArrowLeft" || key === "ArrowUp" ? -1 : 1, table), true;
  if (key === "Enter" && pick && targets.size === 1) return choose(/** @type {string} */ ([...targets.keys()][0])), true;
  if (key === "x" && exchange) return exchange(), true;
  return false;
}

/** @param {number} index @param {Reach} table */
function takeCard(index, { hand, take, root }) {
  if (index >= hand.length) return false;
  take({ from: "hand", index });
  /** @type {HTMLElement | null | undefined} */ (root.current?.querySelector(`[data-card="${index}"]`))?.focus();
  return true;
}

/** The place for what was picked, or else the column is picked: its last card, if it has several. @param {number} slot @param {Reach} table */
function column(slot, { pick, targets, columns, choose, take }) {
  if (pick) return void choose([...targets.keys()].some(isTheft) ? `their:${slot}` : `own:${slot}`);
  const found = columns.find((one) => one.slot === slot);
  if (found) take({ from: "column", slot, index: Math.max(0, found.cards.length - 1) });
}

/** More or fewer cards of the picked column. @param {Pick & {from: "column"}} pick @param {number} step @param {Reach} table */
function takeMore(pick, step, { columns, setPick }) {
  const { cards } = columns.find((one) => one.slot === pick.slot);
  setPick({ ...pick, index: Math.max(0, Math.min(cards.length - 1, pick.index + step)) });
}

/** Move the focus among what is lit. @param {number} step @param {Reach} table */
function cycle(step, { root }) {
  const lit = /** @type {HTMLElement[]} */ ([...(root.current?.querySelectorAll("button.lit") ?? [])]);
  const at = lit.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  lit.at((at + step + lit.length) % (lit.length || 1))?.focus();
}
