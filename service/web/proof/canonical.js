// Canonical JSON (RFC 8785), as far as exports need it: whole numbers and well-formed text.

import { CheckFailed } from "./findings.js";

// Lists and objects inside each other, of which no line of an export has many: what may be written, what may be read.
const DEEPEST = 250;
const DEEPEST_READ = 1024;

/** @param {any} value @returns {string} members sorted, nothing between */
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`);
  return `{${members.join(",")}}`;
}

/** @param {unknown} one @param {unknown} other @returns {boolean} whether they are the same JSON */
export const same = (one, other) => canonical(one ?? null) === canonical(other ?? null);

/**
 * A line as JSON, written as it must be.
 *
 * @param {Uint8Array} line
 * @param {string} what
 * @param {number | null} [version]
 * @returns {any}
 * @throws {CheckFailed} "format" or "canonical"
 */
export function read(line, what, version = null) {
  let text;
  let document;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(line);
    document = JSON.parse(text);
  } catch {
    throw new CheckFailed("format", version, `${what} is not JSON.`);
  }
  const fault = faultOf(document);
  if (fault) throw new CheckFailed(fault.check, version, `${what} ${fault.why}`, null, text);
  const written = canonical(document);
  if (written !== text) {
    const why = "is not in canonical form. Lines must be the very bytes of the export.";
    throw new CheckFailed("canonical", version, `${what} ${why}`, written, text);
  }
  return document;
}

/** @param {unknown} document @returns {{check: string, why: string} | null} why it has no canonical form */
function faultOf(document) {
  /** @type {[unknown, number][]} */
  const waiting = [[document, 1]];
  let deepest = 0;
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [value, depth] = next;
    if (typeof value === "string" && !wellFormed(value)) return { check: "format", why: "has half a character." };
    if (typeof value === "number" && !Number.isSafeInteger(value)) {
      return { check: "canonical", why: "has a number that is not whole, or too large." };
    }
    if (value === null || typeof value !== "object") continue;
    if (depth > DEEPEST) deepest = Math.max(deepest, depth);
    for (const [name, member] of Object.entries(value)) waiting.push([name, depth], [member, depth + 1]);
  }
  if (deepest) return { check: deepest > DEEPEST_READ ? "format" : "canonical", why: "is nested too deeply." };
  return null;
}

/** @param {string} text @returns {boolean} whether no surrogate stands alone */
const wellFormed = (text) => !/\p{Surrogate}/u.test(text);
