// The verification of an export, event by event, without the engine: only this folder and WebCrypto.
//
// It names its checks as `migrato verify` does, and comes to the same where it checks the same. It does not know the
// rules of the games: whether each move was legal, and what the bots would have done, only `migrato verify` checks.

import { demandCrypto, Unsupported } from "./bytes.js";
import { read, same } from "./canonical.js";
import { Clocks } from "./clocks.js";
import { Ending } from "./ending.js";
import { CheckFailed, Counts, guarded, NO_REMARKS } from "./findings.js";
import { Forms } from "./forms.js";
import { GAMES } from "./games/index.js";
import { endOf, FORMATS, headerOf, linesOf, Unreadable } from "./lines.js";
import { Moves } from "./moves.js";
import { Seating } from "./seating.js";
import { signerOf } from "./signature.js";
import { EMPTY, follow } from "./stream.js";
import { Whole } from "./whole.js";

export { Unreadable, Unsupported };

/** @typedef {"passed" | "incomplete" | "unscored" | "failed"} Verdict */
/**
 * What was checked of a game. `wrong` is what was found first; nothing after it was looked at. `signer`: the key that
 * signed, and whether it is one of those that were trusted; null if nobody signed, or what is signed does not hold.
 *
 * @typedef {object} Report
 * @property {string} game_id
 * @property {string} game
 * @property {number} version
 * @property {number} events how many the file has
 * @property {boolean} complete
 * @property {Verdict} verdict
 * @property {import("./findings.js").Check[]} checks
 * @property {import("./findings.js").Wrong | null} wrong
 * @property {string} remarks who makes them
 * @property {import("./signature.js").Signer | null} signer
 */
/**
 * @typedef {object} Options
 * @property {Record<string, string>} [trusted] public keys in base64url by key id; what else signed is named as such
 * @property {(done: number, of: number) => void | Promise<void>} [progress] told before each event
 */

const NOT_SHOWN = "the game is not over: its seed and what is hidden are not shown yet";
const AS_BEFORE = new Set([
  "move_chosen", "hint_given", "game_forked", "seat_token_reissued", "clock_set", "turn_timed_out", "clock_credited",
  "takeback_requested", "takeback_answered",
]);

/**
 * Check all that can be checked here of a game's export.
 *
 * @param {Uint8Array} file
 * @param {Options} [options]
 * @returns {Promise<Report>}
 * @throws {Unreadable} for what is no export of one game
 * @throws {Unsupported} where the browser gives this page no cryptography
 */
export async function verify(file, options = {}) {
  demandCrypto();
  return new Verification(linesOf(file), options).report();
}

class Verification {
  #lines;
  #trusted;
  #progress;
  #counts = new Counts();
  /** @type {any} */ #header = {};
  /** @type {any} */ #end = {};
  #head = EMPTY;
  #seating = new Seating();
  #clocks = new Clocks(this.#counts);
  #ending = new Ending(this.#counts);
  /** @type {Forms | null} */ #forms = null;
  /** @type {Moves | null} */ #moves = null;
  /** @type {Whole | null} of a game that is over */ #whole = null;
  /** @type {import("./signature.js").Signer | null} */ #signer = null;
  #since = 0; // the version of the last event that changed the game
  #hidden = 0;

  /** @param {import("./lines.js").Lines} lines @param {Options} options */
  constructor(lines, { trusted = {}, progress = () => {} }) {
    this.#lines = lines;
    this.#trusted = trusted;
    this.#progress = progress;
  }

  /** @returns {Promise<Report>} */
  async report() {
    let wrong = null;
    try {
      await this.#check();
    } catch (error) {
      if (!(error instanceof CheckFailed)) throw error;
      wrong = error;
    }
    const over = typeof this.#end.server_seed === "string";
    const complete = !wrong && this.#header.complete === true;
    return {
      game_id: String(this.#header.game_id ?? ""),
      game: String(this.#header.game ?? ""),
      version: this.#head.version,
      events: this.#lines.events.length,
      complete,
      verdict: wrong ? "failed" : !over ? "incomplete" : complete ? "passed" : "unscored",
      checks: this.#counts.checks(wrong),
      wrong: wrong?.document ?? null,
      remarks: NO_REMARKS,
      signer: wrong ? null : this.#signer,
    };
  }

  async #check() {
    this.#header = headerOf(this.#lines.header);
    if (!Object.hasOwn(GAMES, this.#header.game)) {
      throw new Unreadable(`This is a game of ${this.#header.game.slice(0, 60)}, of which nothing is known here.`);
    }
    this.#end = endOf(this.#lines.end);
    this.#counts.passed("format", 2);
    this.#counts.passed("canonical", 2);
    const { events } = this.#lines;
    if (events.length === 0) throw new CheckFailed("header", null, "There are no events.");
    const over = this.#end.server_seed !== null;
    this.#forms = new Forms(/** @type {import("./forms.js").OfGame} */ (GAMES[this.#header.game]), over);
    this.#moves = new Moves(this.#forms);
    if (over) this.#whole = await Whole.of(this.#header, this.#end, this.#counts);
    else this.#expectRunning();
    for (const [at, line] of events.entries()) {
      await this.#progress(at, events.length);
      const event = read(line, "The event", at + 1);
      await this.#linked(event);
      await guarded(event, () => this.#take(event));
    }
    this.#moves?.end();
    this.#clocks.end(this.#head.version);
    this.#counts.done("format", "canonical", "sequence", "commitments", "chain", "redacted", "seed", "salts", "shuffles",
      "rules", "clocks", "position", "bot-seeds", "bots");
    if (over) this.#ending.check(this.#header, this.#end, this.#head.version);
    else this.#sayWhatIsHidden();
    this.#counts.passed("header");
    this.#counts.done("header", "result");
    this.#checkEnd();
    this.#counts.done("end");
    this.#signer = await signerOf(this.#header, this.#end, this.#head, this.#trusted, this.#counts);
    await this.#progress(events.length, events.length);
  }

  /** The event is tied to those before it. @param {any} event */
  async #linked(event) {
    this.#head = await follow(this.#head, event);
    for (const check of ["format", "canonical", "sequence", "chain"]) this.#counts.passed(check);
    if (event.sealed || event.redacted.length === 0) this.#counts.passed("commitments");
    else this.#hidden += 1;
    if (event.version === 1) this.#checkFirst(event);
    else if (event.type === "game_created") {
      throw new CheckFailed(this.#whole ? "rules" : "header", event.version, "The game is created a second time.");
    }
  }

  /** What the event says. @param {any} event */
  async #take(event) {
    const { seats, clientSeeds } = this.#seating;
    if (this.#whole) await this.#whole.open(event);
    else this.#checkRunning(event);
    this.#forms?.check(event);
    this.#seating.check(event);
    if (!this.#whole) this.#checkShown(event);
    if (this.#whole) {
      this.#moves?.take(event, seats);
      await this.#whole.take(event, seats, clientSeeds, this.#since, this.#forms?.isPlay(event) ?? false);
    }
    this.#clocks.take(event);
    this.#seating.take(event);
    if (this.#whole) this.#ending.take(event, this.#seating.seats.length);
    if (!AS_BEFORE.has(event.type)) this.#since = event.version;
  }

  /** The first event says what the header says. @param {any} event */
  #checkFirst({ type, data, sealed }) {
    const format = FORMATS[sealed ? 1 : 0];
    if (this.#header.format !== format) {
      throw new CheckFailed("header", 1, "The events are not of the form that `format` of the header names.", format, this.#header.format);
    }
    if (type !== "game_created") {
      throw new CheckFailed("header", 1, "The first event must be the game's creation.", "game_created", type);
    }
    for (const [name, member] of Object.entries({ game_id: "id", game: "game", rules: "options", deck: "deck" })) {
      if (same(data[member], this.#header[name])) continue;
      const what = name === "game_id" ? "The events are of another game than the header names." : `${name} of the header is not that of the events.`;
      throw new CheckFailed("header", 1, what, data[member], this.#header[name]);
    }
  }

  #expectRunning() {
    if (this.#header.complete) throw new CheckFailed("header", null, "The header says that the game is complete, but its seed is not revealed.", false, true);
  }

  /** @param {any} event */
  #checkRunning({ version, type }) {
    if (["game_ended", "game_scored", "game_aborted", "game_adjudicated", "win_claimed"].includes(type)) {
      throw new CheckFailed("header", version, "The event ends the game, but the export is of a game that is not over.", true, false);
    }
  }

  /**
   * The header's viewer is shown just those sealed places that this viewer may see.
   *
   * @param {any} event
   */
  #checkShown({ version, type, seat, data, sealed, salts }) {
    const { viewer, game } = this.#header;
    const seats = version === 1 ? data.seats.length : this.#seating.seats.length;
    if (viewer !== null && !(viewer >= 0 && viewer < seats)) {
      throw new CheckFailed("redacted", version, "The game has no seat of this number.", [...Array(seats).keys()], viewer);
    }
    if (!sealed) return;
    const { shows } = /** @type {import("./forms.js").OfGame} */ (GAMES[game]);
    const shown = Object.keys(salts).sort();
    const isFor = (/** @type {number | null} */ who) =>
      same(shown, Object.keys(sealed).filter((place) => who !== null && shows({ type, seat }, place, who)).sort());
    if (isFor(viewer)) return;
    const to = [null, ...Array(seats).keys()].filter(isFor);
    if (type === "game_started" && (to.length > 0 || shown.length === Object.keys(sealed).length)) {
      throw new CheckFailed("header", version, "The event is redacted for another viewer than the header names.", viewer, to);
    }
    const who = viewer === null ? "a spectator" : `seat ${viewer}`;
    throw new CheckFailed("redacted", version, `The event shows ${who} other places than the game does.`, null, shown);
  }

  #sayWhatIsHidden() {
    if (this.#hidden) {
      const what = this.#hidden === 1 ? "1 event hides something, and is" : `${this.#hidden} events hide something, and are`;
      this.#counts.note("commitments", `${what} committed to unseen`);
    }
    this.#counts.left("redacted");
    for (const check of ["seed", "salts", "shuffles", "rules", "clocks", "position", "bot-seeds", "bots", "result"]) {
      this.#counts.note(check, NOT_SHOWN);
    }
  }

  #checkEnd() {
    const expected = { version: this.#head.version, head: this.#head.head, client_seeds: this.#seating.clientSeeds };
    for (const [name, value] of Object.entries(expected)) {
      if (same(value, this.#end[name])) continue;
      throw new CheckFailed("end", null, `${name} of the last line does not follow from the events.`, value, this.#end[name]);
    }
    this.#counts.passed("end");
  }
}

