// How a game that is over ended: its last events, header and last line say the same.

import { same } from "./canonical.js";
import { CheckFailed, Malformed } from "./findings.js";

/** Looks at every event. */
export class Ending {
  #counts;
  /** @type {any} */ #ended = null; // the data of game_ended
  #last = ""; // the type of the last event

  /** @param {import("./findings.js").Counts} counts */
  constructor(counts) {
    this.#counts = counts;
  }

  /** One more event. Throws CheckFailed "result". @param {any} event @param {number} seats how many there are */
  take({ version, type, data }, seats) {
    if (type === "game_ended") this.#ended = ended(data, seats);
    if (type === "game_scored") this.#checkScored(version, data);
    this.#last = type;
  }

  /** What was confirmed is how the game ended. @param {number} version @param {any} scored */
  #checkScored(version, scored) {
    const names = Object.keys(scored);
    const ended = Object.fromEntries(names.map((name) => [name, this.#said(name)]));
    if (!same(ended, scored)) throw new CheckFailed("result", version, "The confirmed result is not the one with which the game ended.", ended, scored);
    this.#counts.passed("result");
  }

  /** @param {string} name @returns {any} what the game's end says of it */
  #said(name) {
    return this.#ended && Object.hasOwn(this.#ended, name) ? this.#ended[name] : null;
  }

  /** Header and last line say how the game ended. @param {any} header @param {any} end @param {number} at the last version */
  check(header, end, at) {
    const aborted = this.#last === "game_aborted";
    const scored = this.#last === "game_scored";
    if (!aborted && !this.#ended) throw new CheckFailed("header", at, "The seed is revealed, but no event ends the game.", false, true);
    if (header.complete !== (scored || aborted)) {
      const what = "`complete` in the header must say whether the result is confirmed.";
      throw new CheckFailed("header", at, what, scored || aborted, header.complete);
    }
    if (header.viewer !== null) {
      throw new CheckFailed("header", null, "The header names a viewer, but the game is over: everybody sees all of it.", null, header.viewer);
    }
    const result = aborted ? null : resultOf(this.#ended, scored);
    if (!same(result, end.result)) {
      throw new CheckFailed("result", null, "The result in the last line is not that of the events.", result, end.result);
    }
    this.#counts.passed("result");
    this.#counts.left("result");
  }
}

/** @param {any} data @param {number} seats @returns {any} the same, if places are one for each seat */
function ended(data, seats) {
  const { places = null } = data;
  if (places !== null && !(Array.isArray(places) && places.length === seats)) throw new Malformed();
  return data;
}

/** @param {any} ended the data of the game's end @param {boolean} scored @returns {any} the result, as the last line says it */
function resultOf({ winner, places, reason, scores }, scored) {
  const first = places?.filter((/** @type {number} */ place) => place === 1).length === 1 ? places.indexOf(1) : null;
  return { winner: places ? first : winner, reason, scores, scored };
}
