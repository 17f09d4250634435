// What is checked, by the names of `migrato verify`, and what comes of it.

/** @typedef {"passed" | "failed" | "partly" | "not-checked"} Status */
/** @typedef {{check: string, status: Status, count: number, note: string | null}} Check */
/** @typedef {{check: string, version: number | null, detail: string, expected: string | null, found: string | null}} Wrong */

/** The checks in the order in which they are reported. */
export const CHECKS = [
  "format", "canonical", "sequence", "commitments", "chain", "redacted", "header", "seed", "salts", "shuffles",
  "rules", "clocks", "position", "bot-seeds", "bots", "result", "end", "signature",
];

/** What of a check only `migrato verify` checks. @type {Readonly<Record<string, string>>} */
export const NOT_HERE = {
  redacted: "not checked here: which places the rules hide",
  rules: "not checked here: whether each move was legal, and all that came of it",
  clocks: "not checked here: the deadlines that follow from the recorded times",
  position: "not checked here: whether a game comes to what the fork began with, and that its origin did",
  bots: "not checked here: what the bots would have done; `migrato verify --bots` asks them again",
  result: "not checked here: that the table comes to what the last events and the last line say",
};

/** In the place of remarks. */
export const NO_REMARKS = "remarks, on what is possible and deserves a second look, only `migrato verify` makes";

const SHOWN = 300; // characters of a value that a report shows

/** A check failed: at which event (null: not at one), what is wrong, what was expected there, what was found. */
export class CheckFailed extends Error {
  /**
   * @param {string} check
   * @param {number | null} version
   * @param {string} detail
   * @param {unknown} [expected]
   * @param {unknown} [found]
   */
  constructor(check, version, detail, expected = null, found = null) {
    super(detail);
    this.check = check;
    this.version = version;
    this.expected = shown(expected);
    this.found = shown(found);
  }

  /** @returns {Wrong} */
  get document() {
    const { check, version, message: detail, expected, found } = this;
    return { check, version, detail, expected, found };
  }
}

/** An event's data are not of its type's form. */
export class Malformed extends Error {}

/** @param {unknown} value @returns {string | null} the value in a few words */
function shown(value) {
  if (value === null || value === undefined) return null;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN - 4)} ...`;
}

/** Counts what was found right while a game is gone through, and notes what could not be checked. */
export class Counts {
  #counts = new Map(CHECKS.map((check) => [check, 0]));
  /** @type {Map<string, string>} */ #notes = new Map();
  /** @type {Set<string>} */ #left = new Set();
  #done = new Set();

  /** @param {string} check @param {number} [count] */
  passed(check, count = 1) {
    this.#counts.set(check, (this.#counts.get(check) ?? 0) + count);
  }

  /** Part of it, or all, could not be checked. @param {string} check @param {string} why */
  note(check, why) {
    this.#left.add(check);
    this.#notes.set(check, why);
  }

  /** All was checked that is checked here: see NOT_HERE. @param {string} check */
  left(check) {
    this.note(check, NOT_HERE[check] ?? "");
  }

  /** All was checked, and something belongs to it. @param {string} check @param {string} what */
  add(check, what) {
    this.#notes.set(check, what);
  }

  /** These checks have seen all that they are about. @param {...string} checks */
  done(...checks) {
    for (const check of checks) this.#done.add(check);
  }

  /** @param {CheckFailed | null} wrong @returns {Check[]} what came of every check */
  checks(wrong) {
    return CHECKS.map((check) => ({ check, ...this.#checked(check, wrong) }));
  }

  /** @param {string} check @param {CheckFailed | null} wrong @returns {Omit<Check, "check">} */
  #checked(check, wrong) {
    const count = this.#counts.get(check) ?? 0;
    const partly = count ? "partly" : "not-checked";
    if (check === wrong?.check) return { status: "failed", count, note: null };
    if (wrong && !this.#done.has(check)) {
      const note = count ? "only up to where something was found wrong" : "something was found wrong before";
      return { status: partly, count, note };
    }
    if (this.#left.has(check)) return { status: partly, count, note: this.#notes.get(check) ?? null };
    if (!count) return { status: "not-checked", count, note: "there is nothing of the kind" };
    return { status: "passed", count, note: this.#notes.get(check) ?? null };
  }
}

/** Data of another form than an event's type has are a wrong event, not a fault of this page. @param {any} event @param {() => Promise<void>} check */
export async function guarded(event, check) {
  try {
    await check();
  } catch (error) {
    if (![Malformed, TypeError, RangeError].some((kind) => error instanceof kind)) throw error;
    throw new CheckFailed("rules", event.version, "The event does not have the form of its type.", null, event.data);
  }
}
