/**
 * What this browser keeps for the page. What it refuses to keep, for want of cookies or room, is kept until the page is closed.
 * A table in a frame of another page has nothing kept, and finds nothing.
 */
import { isFramed } from "./engine.js";

/**
 * `setItem` says whether the browser keeps it.
 * @typedef {{getItem: (name: string) => string | null, setItem: (name: string, value: string) => boolean, removeItem: (name: string) => void}} Kept
 */

export const local = opened("localStorage");
export const session = opened("sessionStorage");

/** @param {"localStorage" | "sessionStorage"} store @returns {Kept} */
function opened(store) {
  /** @type {Map<string, string | null>} what the browser did not take, null for what it did not take away */
  const refused = new Map();

  /** @param {string} name */
  function getItem(name) {
    if (refused.has(name)) return refused.get(name) ?? null;
    try {
      return isFramed() ? null : window[store].getItem(name);
    } catch {
      return null;
    }
  }

  /** @param {string} name @param {string | null} value */
  function keep(name, value) {
    refused.delete(name);
    try {
      if (isFramed()) throw new Error("nothing is kept");
      if (value === null) window[store].removeItem(name);
      else window[store].setItem(name, value);
      return true;
    } catch {
      refused.set(name, value);
      return false;
    }
  }

  return { getItem, setItem: keep, removeItem: (name) => void keep(name, null) };
}
