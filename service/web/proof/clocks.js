// The clock of a game, as far as its events alone tell: a time-out names its deadline, and leads to what the clock says.

import { same } from "./canonical.js";
import { CheckFailed, Malformed } from "./findings.js";

const FORMER = 1; // the schema of clocks of former releases
const SHORTEST = 2000; // milliseconds of a turn that an outage must take to be given back
const ALLOWANCE = 2000; // milliseconds that are added to them

/** @param {number} span @returns {number} the most milliseconds that outages can take from so many of a turn */
const mostLost = (span) => span + Math.floor(span / SHORTEST) * ALLOWANCE;

/** @param {any} created @returns {boolean} whether nothing says that the game is younger than clocks of former releases */
const mayBeFormer = ({ seats, unrated_because: unrated }) =>
  unrated === undefined && !(Array.isArray(seats) && seats.some((seat) => Object.hasOwn(seat ?? {}, "version")));

/** The least and the most of each member of a clock that is a number, by its kind. @type {Record<string, Record<string, [number, number]>>} */
const AMOUNTS = {
  "per-move": { seconds: [1, 86_400] },
  bank: { seconds: [1, 86_400], increment: [0, 3_600] },
  correspondence: { days: [1, 30] },
};
const CONSEQUENCES = ["forfeit", "bot", "replace"];

/** @param {any} clock @returns {any} the same, if there can be such a clock */
function possible(clock) {
  const { kind, when_up: whenUp, bot, ...amounts } = clock;
  const known = Object.hasOwn(AMOUNTS, kind) ? AMOUNTS[kind] ?? {} : {};
  const right = same(Object.keys(amounts).sort(), Object.keys(known).sort()) && Object.entries(known).length > 0
    && Object.entries(known).every(([name, [least, most]]) => amounts[name] >= least && amounts[name] <= most)
    && CONSEQUENCES.includes(whenUp) && (whenUp === "forfeit") === (bot === null);
  if (!right) throw new Malformed();
  return clock;
}

/** Looks at every event, of games that run and of games that are over. */
export class Clocks {
  #counts;
  #began = "";
  #mayBeFormer = false;
  #credited = 0; // milliseconds, in all turns
  #before = "";
  /** @type {any} */ #clock = null;
  /** @type {any} the last turn that timed out */ #up = null;
  #isDue = false; // what comes of it

  /** @param {import("./findings.js").Counts} counts */
  constructor(counts) {
    this.#counts = counts;
  }

  /** One more event. Throws CheckFailed "clocks". @param {any} event */
  take(event) {
    const { type, version, data, at } = event;
    if (type === "game_created") [this.#began, this.#mayBeFormer] = [at, mayBeFormer(data)];
    if (this.#clock && at < this.#before) this.#fail(version, "The event is earlier than the one before it, in a game with a clock.", this.#before, at);
    this.#before = at;
    if (type === "clock_set" && (this.#clock || at !== this.#began)) {
      this.#fail(version, "The clock is set later than at the game's creation.");
    }
    if (type === "clock_set" && event.schema === FORMER && !this.#mayBeFormer) {
      this.#fail(version, "The clock has the form of former releases, but the game is newer.", 2, event.schema);
    }
    if ((type === "turn_timed_out" || type === "clock_credited") && !this.#clock) {
      this.#fail(version, "The game has no clock.", null, type);
    }
    if (this.#isDue || (type === "move_chosen" && data.fallback === "time-up")) this.#checkConsequence(event);
    if (type === "clock_set") this.#clock = possible(data);
    else if (type === "turn_timed_out") this.#checkTime(event);
    else if (type === "clock_credited") this.#checkCredit(event);
  }

  /** No more events are there. @param {number} version */
  end(version) {
    if (this.#isDue) this.#fail(version, "A seat's time was up, but the consequence does not follow.");
    if (this.#clock) this.#counts.left("clocks");
  }

  /** @param {any} event */
  #checkTime(event) {
    const { deadline, when_up: whenUp } = event.data;
    if (event.at < String(deadline)) this.#fail(event.version, "The event says that the seat's time was up, and it was not.", deadline, event.at);
    this.#checkSame(event.version, this.#clock.when_up, whenUp);
    [this.#up, this.#isDue] = [event, true];
    this.#counts.passed("clocks");
  }

  /** No more is given back in all than outages can have taken since the game began. @param {any} event */
  #checkCredit({ version, data: { milliseconds, until } }) {
    this.#credited += milliseconds;
    const [least, most] = [mostLost(SHORTEST), mostLost(Date.parse(until) - Date.parse(this.#began))];
    if (milliseconds >= least && this.#credited <= most) return;
    const what = "More time is given back than outages can have taken.";
    this.#fail(version, what, `${least} to ${most} ms, in all`, `${this.#credited} ms in all`);
  }

  /** @param {any} event */
  #checkConsequence({ version, type, seat, data, at }) {
    if (!this.#up) this.#fail(version, "A bot moves because the seat's time is up, and it was not.", null, at);
    const { when_up: whenUp, bot } = this.#clock;
    if (whenUp === "forfeit") this.#checkSame(version, ["game_ended", "timeout"], [type, data.reason]);
    else if (whenUp === "bot") {
      this.#checkSame(version, ["move_chosen", this.#up.seat, bot, "time-up"], [type, seat, data.bot, data.fallback]);
    } else this.#checkSame(version, ["player_replaced", this.#up.seat, bot], [type, seat, data.bot]);
    this.#isDue = false;
  }

  /** @param {number} version @param {unknown} expected @param {unknown} found */
  #checkSame(version, expected, found) {
    if (same(expected, found)) return;
    this.#fail(version, "Time is up, but the consequence is not the one that the clock names.", expected, found);
  }

  /** @param {number} version @param {string} detail @param {unknown} [expected] @param {unknown} [found] */
  #fail(version, detail, expected, found) {
    throw new CheckFailed("clocks", version, detail, expected, found);
  }
}
