/** A game while it is shown: kept, followed along its chain, and compared with the record once it is over. */
import { ask, isExpected } from "../shell/api.js";
import { CheckFailed } from "../proof/findings.js";
import { EMPTY, follow } from "../proof/stream.js";
import { codeWords } from "./code_words.js";
import { broken, differs } from "./comparing.js";
import { rowsOf } from "./rows.js";

const LOOK = 0; // the version under which a look at the seat is kept
const PAGE = 1000; // events
const QUIET = 1000; // milliseconds without news: words take a while, and nobody compares them while the game moves on

/**
 * @typedef {{version: number, words: string[], wrong: number | null, seen: number, of: number | null}} Watched `words` are
 *   of the head after event `version`; `wrong`: the event of which something else was shown; `of`: the number of events of
 *   the game, once it is over and compared
 * @typedef {{isLate?: boolean, isOver?: boolean, isPeek?: boolean}} When events that are shown once the game is over anyway are
 *   `isLate`: no memory of it; `isPeek`: they came in another answer, and were not shown
 * @typedef {import("../shell/seats.js").Seat} Seat
 */

/** @param {string} game @param {number} seat */
const nameOf = (game, seat) => `${game}:${seat}`;

/** Keeps how a seat looked, and the client seed that was given then. @param {string} game @param {number} seat @param {any} look @param {string} seed */
export async function keepLook(game, seat, { fairness, options, setup, version, head, key_id, signature }, seed) {
  if (crypto.subtle) (await rowsOf(nameOf(game, seat))).add(LOOK, { id: game, seat, client_seed: seed, fairness, options, setup, version, head, key_id, signature });
}

export class Watch {
  #seat;
  #told;
  #rows;
  #head = EMPTY;
  /** @type {number | null} */ #wrong = null;
  #turn = Promise.resolve();
  /** @type {Watched} */ #found = { version: 0, words: [], wrong: null, seen: 0, of: null };
  #quiet = 0; // a timer
  /** @type {Map<number, any>} */ #seen = new Map();

  /** @param {Seat} seat @param {(watched: Watched) => void} told */
  constructor(seat, told) {
    this.#seat = seat;
    this.#told = told;
    this.#rows = rowsOf(nameOf(seat.game, seat.seat));
  }

  /** Events that were shown. @param {any[]} events @param {When} when */
  see(events, when) {
    this.#turn = this.#turn.then(() => this.#see(events, when)).catch((problem) => {
      if (!isExpected(problem)) throw problem; // else the record could not be fetched: the next visit compares it
    });
    return this.#turn;
  }

  /** All that was kept, as lines of JSON for `migrato verify --kept`. @returns {Promise<string>} */
  async file() {
    const { all } = await this.#rows;
    const things = [...all].sort(([one], [other]) => one - other);
    return [{ format: "migrato-export/1", game_id: this.#seat.game }, ...things.map(([, thing]) => thing)].map((thing) => `${JSON.stringify(thing)}\n`).join("");
  }

  /** @param {any[]} events @param {When} when */
  async #see(events, { isLate, isOver, isPeek }) {
    const rows = await this.#rows;
    if (isPeek) {
      for (const event of events) this.#peek(event);
      return this.#wrong === null ? undefined : this.#tell(null, null);
    }
    const missed = (events[0]?.version ?? 1) > this.#head.version + 1; // while this module was loaded
    for (const event of missed ? await this.#fetched(this.#head.version) : events) {
      await this.#one(event);
      if (!isLate && !rows.all.has(event.version)) rows.add(event.version, event);
    }
    if (isOver && rows.all.size) return this.#conclude(rows);
    return this.#tell(null, null);
  }

  /** Another word on an event than before, or one that fits no commitment, is told at once. @param {any} event */
  async #one(event) {
    const { version } = event;
    const { all } = await this.#rows;
    const look = all.get(LOOK); // it is bound to all that had happened by then
    if (look?.version === version && look.head !== event.head) this.#blame(version);
    const before = [this.#seen.get(version), all.get(version)];
    if (before.some((one) => one !== undefined && differs(one, event))) this.#blame(version);
    this.#seen.set(version, event);
    if (version !== this.#head.version + 1) return;
    try {
      this.#head = await follow(this.#head, event);
    } catch (failure) {
      if (!(failure instanceof CheckFailed)) throw failure;
      this.#blame(version);
      this.#head = { ...this.#head, version, head: event.head }; // goes on, as it is told
    }
  }

  /** Two answers that tell an event differently are a fault, whichever is right. @param {any} event */
  #peek(event) {
    const seen = this.#seen.get(event.version);
    if (!seen) this.#seen.set(event.version, event);
    else if (differs(seen, event)) this.#blame(event.version);
  }

  /** @param {number} version */
  #blame(version) {
    this.#wrong = Math.min(this.#wrong ?? version, version);
  }

  /** The whole record, now that nothing is hidden. @param {import("./rows.js").Rows} rows */
  async #conclude({ all }) {
    const events = await this.#fetched(0);
    const kept = [...all].filter(([version]) => version > LOOK);
    const look = all.get(LOOK);
    this.#head = EMPTY;
    for (const event of events) await this.#one(event);
    const missing = [...all.keys(), ...this.#seen.keys(), look?.version ?? 0].find((version) => version > events.length);
    if (missing) this.#blame(missing);
    if (look && (await broken(look, events, (await ask(this.#path, this.#quietly)).fairness))) this.#blame(1);
    this.#tell(kept.length, events.length);
  }

  /** At once what was found, and words a little later. @param {number | null} seen @param {number | null} of */
  #tell(seen, of) {
    const { version, head } = this.#head;
    Object.assign(this.#found, { wrong: this.#wrong, seen: seen ?? 0, of: seen ? of : null });
    this.#told({ ...this.#found });
    clearTimeout(this.#quiet);
    if (!version || typeof head !== "string") return;
    this.#quiet = setTimeout(async () => {
      const words = await codeWords(this.#seat.game, version, head);
      if (head !== this.#head.head) return; // others are on their way
      Object.assign(this.#found, { version, words });
      this.#told({ ...this.#found });
    }, QUIET);
  }

  get #path() {
    return `/v1/games/${this.#seat.game}`;
  }

  get #quietly() {
    return { token: this.#seat.token, patient: true };
  }

  /** @param {number} after @returns {Promise<any[]>} all events after that version */
  async #fetched(after) {
    const events = [];
    for (let next = after, last = Infinity; next < last; ) {
      const page = await ask(`${this.#path}/events?after=${next}&limit=${PAGE}`, this.#quietly);
      events.push(...page.events);
      if (page.next <= next) break;
      [next, last] = [page.next, page.version];
    }
    return events;
  }
}
