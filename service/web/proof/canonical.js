// Canonical JSON (RFC 8785), as far as exports need it: whole numbers and well-formed text.

import { CheckFailed } from "./findings.js";

// Lists and objects inside each other, of which no line of an export has many: what may be written, what may be read.
const DEEPEST = 250;
const DEEPEST_READ = 1024;
export const LONGEST = 2 ** 22; // bytes of a line; those of games are far shorter

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
  if (line.length > LONGEST) throw new CheckFailed("format", version, `${what} is longer than any of a game.`);
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

/** @typedef {{check: string, why: string}} Fault why something has no canonical form */

/** @param {unknown} document @returns {Fault | null} */
function faultOf(document) {
  /** @type {[object, number][]} only what holds something, for there may be millions of numbers */
  const waiting = [[[document], 0]];
  let deepest = 0;
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [value, depth] = next;
    deepest = Math.max(deepest, depth);
    for (const part of Array.isArray(value) ? value : Object.entries(value).flat()) {
      if (part !== null && typeof part === "object") waiting.push([part, depth + 1]);
      const fault = faultOfOne(part);
      if (fault) return fault;
    }
  }
  if (deepest <= DEEPEST) return null;
  return { check: deepest > DEEPEST_READ ? "format" : "canonical", why: "is nested too deeply." };
}

/** @param {unknown} value @returns {Fault | null} that of a text or a number */
function faultOfOne(value) {
  if (typeof value === "string" && !wellFormed(value)) return { check: "format", why: "has half a character." };
  if (typeof value === "number" && !Number.isSafeInteger(value)) {
    return { check: "canonical", why: "has a number that is not whole, or too large." };
  }
  return null;
}

/** @param {string} text @returns {boolean} whether no surrogate stands alone */
const wellFormed = (text) => !/\p{Surrogate}/u.test(text);
