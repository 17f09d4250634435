// How a game stood after each event to which it may still go back: a move is taken back only while nobody has learnt anything.

import { same } from "../canonical.js";
import { CheckFailed } from "../findings.js";

/** @template T what is kept of a game */
export class Former {
  /** @type {Map<number, T>} by version */ #kept = new Map();

  /** Chance had a part, or a card was seen: no move before is taken back any more. */
  forget() {
    this.#kept.clear();
  }

  /** @param {number} version @param {T} stood how it stands after that event */
  keep(version, stood) {
    this.#kept.set(version, stood);
  }

  /** @param {number} to the version to which event `version` goes back @param {number} version @returns {T} how it stood there */
  after(to, version) {
    const stood = this.#kept.get(to);
    if (stood === undefined) throw new CheckFailed("rules", version, "The event takes a move back to a version at which none began.", null, to);
    return stood;
  }

  /** @param {number} version @param {unknown} expected @param {unknown} found */
  compare(version, expected, found) {
    if (!same(expected, found)) {
      throw new CheckFailed("rules", version, "The position is not the one before the move that is taken back.", expected, found);
    }
  }
}
