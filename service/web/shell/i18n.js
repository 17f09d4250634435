/** Words in the player's language. English has every word; the types hold the others to it. */
import { local } from "./storage.js";

/** @typedef {keyof typeof import("../words/en/page.js").default} Key */
/** @typedef {{[key in Key]: string}} Words */

/** Names of the languages by their codes; the document has them. @returns {Record<string, string>} */
export const languages = () => JSON.parse(document.documentElement.dataset.languages ?? "{}");
const KEPT = "migrato.language";

let current = "en";
let plurals = new Intl.PluralRules(current);
/** @type {Words} */
let words;

/** The one chosen before, or the first that the browser prefers and the page has. */
export function preferredLanguage() {
  const found = languages();
  const wanted = [local.getItem(KEPT) ?? "", ...navigator.languages].map((tag) => tag.slice(0, 2));
  return wanted.find((tag) => Object.hasOwn(found, tag)) ?? "en";
}

/** @param {string} code @param {{keep?: boolean}} [how] */
export async function loadLanguage(code, { keep = false } = {}) {
  words = (await import(`../words/${code}/page.js`)).default;
  current = code;
  plurals = new Intl.PluralRules(code);
  document.documentElement.lang = code;
  if (keep) local.setItem(KEPT, code);
}

export const language = () => current;

/**
 * The words for a key, with values in the place of their names in braces. `{count|bird|birds}` is the first form for what
 * the language counts as one, as French does nothing too, and the second for any other number. The spaces that French
 * has before and inside signs hold their line together.
 * @param {Key} key
 * @param {Record<string, string | number>} [values]
 */
export const t = (key, values = {}) => fill(words[key], values);

/** The same for a text of another file. @param {string} text @param {Record<string, string | number>} values */
export function fill(text, values) {
  return text.replace(/ (?=[:;!?»])/g, "\u00a0").replaceAll("« ", "«\u00a0").replace(/\{(\w+)(?:\|([^|}]*)\|([^}]*))?\}/g, (_, name, one, many) =>
    one === undefined ? String(values[name] ?? "") : isOne(values[name]) ? one : many,
  );
}

/** @param {string | number | undefined} count */
const isOne = (count) => plurals.select(Number(count)) === "one";

/** Whether there are words for a key that was put together. @param {string} key @returns {key is Key} */
export const isKey = (key) => Object.hasOwn(words, key);

/** Words for a key that was put together; without any, the last part of the key. @param {string} key @param {Record<string, string | number>} [values] */
export const tx = (key, values) => (isKey(key) ? t(key, values) : (key.split(".").at(-1) ?? key));

/** A number to a tenth. @param {number} value */
export const decimal = (value) => value.toLocaleString(current, { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** A number with its sign, also a plus. @param {number} value */
export const signed = (value) => value.toLocaleString(current, { signDisplay: "exceptZero" });

/** A share from -1 to 1 as it is written in the player's language. @param {number} share @param {{signed?: boolean}} [how] */
export const percent = (share, { signed = false } = {}) =>
  new Intl.NumberFormat(current, { style: "percent", maximumFractionDigits: 0, signDisplay: signed ? "exceptZero" : "auto" }).format(share);
