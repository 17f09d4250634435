// The verification of an export, event by event, without the engine: only this folder and WebCrypto.
//
// It names its checks as `migrato verify` does, and comes to the same where it checks the same. It does not know the
// rules of the games: whether each move was legal, and what the bots would have done, only `migrato verify` checks.

import { demandCrypto, fromHex, keyId, sha256, toHex, Unsupported, verifyHead } from "./bytes.js";
import { read, same } from "./canonical.js";
import { Chance } from "./chance.js";
import { Clocks } from "./clocks.js";
import { CheckFailed, Counts } from "./findings.js";
import { Migo } from "./games/migo.js";
import { Migrato } from "./games/migrato.js";
import { endOf, headerOf, linesOf, Unreadable } from "./lines.js";
import { EMPTY, follow } from "./stream.js";

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
 * @property {{key_id: string, trusted: boolean} | null} signer
 */
/**
 * @typedef {object} Options
 * @property {Record<string, string>} [trusted] public keys in base64url by key id; what else signed is named as such
 * @property {(done: number, of: number) => void | Promise<void>} [progress] told now and then, in events
 */

/** @type {Record<string, typeof Migrato | typeof Migo>} */
const GAMES = { migrato: Migrato, migo: Migo };
const AT_ONCE = 25; // events between two reports of progress
const NOT_SHOWN = "the game is not over: its seed and what is hidden are not shown yet";
const BY_THE_RULES = "whether the moves were legal is for `migrato verify` to say, which knows the rules";
const SET_UP = "the cards or the position were set up, not shuffled; only what came by chance later follows from the seeds";
const AS_BEFORE = new Set([
  "move_chosen", "hint_given", "seat_token_reissued", "clock_set", "turn_timed_out", "clock_credited",
  "takeback_requested", "takeback_answered",
]);
const REASONS = {
  bot: ["failed", "overran"],
  remote: ["failed", "overran", "unreachable", "timeout", "bad-answer", "illegal-move", "suspended"],
};

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
  /** @type {{key_id: string, trusted: boolean} | null} */ #signer = null;
  /** @type {any[]} */ #seats = [];
  /** @type {import("./chance.js").ClientSeeds} */ #clientSeeds = [];
  #since = 0; // the version of the last event that changed the game
  #hidden = 0;
  /** @type {any} */ #ended = null; // the data of game_ended
  #last = ""; // the type of the last event

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
    const clocks = new Clocks(this.#counts);
    const whole = over ? await Whole.of(this.#header, this.#end, this.#counts) : null;
    if (!over) this.#expectRunning();
    for (const [at, line] of events.entries()) {
      if (at % AT_ONCE === 0) await this.#progress(at, events.length);
      const event = read(line, "The event", at + 1);
      await this.#linked(event);
      await guarded(event, async () => {
        if (whole) await whole.take(event, this.#seats, this.#clientSeeds, this.#since);
        else this.#checkRunning(event);
        clocks.take(event);
        this.#seated(event);
      });
      this.#note(event);
    }
    clocks.end(this.#head.version);
    this.#counts.done("format", "canonical", "sequence", "commitments", "chain", "redacted", "seed", "salts", "shuffles",
      "rules", "clocks", "position", "bot-seeds", "bots");
    if (over) this.#checkResult();
    else this.#sayWhatIsHidden();
    this.#counts.passed("header");
    this.#counts.done("header", "result");
    this.#checkEnd();
    this.#counts.done("end");
    await this.#checkSignature();
    await this.#progress(events.length, events.length);
  }

  /** The event is tied to those before it. @param {any} event */
  async #linked(event) {
    this.#head = await follow(this.#head, event);
    for (const check of ["format", "canonical", "sequence", "chain"]) this.#counts.passed(check);
    if (event.redacted.length === 0) this.#counts.passed("commitments");
    else this.#hidden += 1;
    if (event.version === 1) this.#checkFirst(event);
  }

  /** The first event says what the header says. @param {any} event */
  #checkFirst({ type, data }) {
    if (type !== "game_created") {
      throw new CheckFailed("header", 1, "The first event must be the game's creation.", "game_created", type);
    }
    for (const [name, member] of Object.entries({ game_id: "id", game: "game", rules: "options", deck: "deck" })) {
      if (same(data[member], this.#header[name])) continue;
      const what = name === "game_id" ? "The events are of another game" : `${name} is another one`;
      throw new CheckFailed("header", 1, `${what} than the header's.`, data[member], this.#header[name]);
    }
  }

  /** Who sits where after the event. @param {any} event */
  #seated({ type, seat, data }) {
    if (type === "game_created") {
      this.#seats = data.seats.map((/** @type {any} */ one) => ({ kind: one.kind, bot: one.bot }));
      this.#clientSeeds = data.seats.map((/** @type {any} */ one) => one.client_seed ?? null);
    } else if (type === "seat_taken") {
      this.#seats[seat] = { kind: "human", bot: null };
      this.#clientSeeds[seat] = data.client_seed ?? null;
    } else if (type === "player_replaced") this.#seats[seat] = { kind: "bot", bot: data.bot };
  }

  /** @param {any} event */
  #note({ version, type, data }) {
    if (!AS_BEFORE.has(type)) this.#since = version;
    if (type === "game_ended") this.#ended = data;
    if (type === "game_scored") this.#checkScored(version, data);
    this.#last = type;
  }

  #expectRunning() {
    if (this.#header.complete) throw new CheckFailed("header", null, "A game without its seed is not complete.", false, true);
  }

  /** @param {any} event */
  #checkRunning({ version, type }) {
    if (["game_ended", "game_scored", "game_aborted", "game_adjudicated"].includes(type)) {
      throw new CheckFailed("header", version, "The game is over, so all of it must be here.", true, false);
    }
  }

  #sayWhatIsHidden() {
    if (this.#hidden) {
      const what = this.#hidden === 1 ? "1 event hides something, and is" : `${this.#hidden} events hide something, and are`;
      this.#counts.note("commitments", `${what} committed to unseen`);
    }
    this.#counts.note("redacted", "what the rules hide from whom is for `migrato verify` to say");
    for (const check of ["seed", "salts", "shuffles", "rules", "clocks", "position", "bot-seeds", "bots", "result"]) {
      this.#counts.note(check, NOT_SHOWN);
    }
  }

  /** What was confirmed is how the game ended. @param {number} version @param {any} scored */
  #checkScored(version, scored) {
    const names = Object.keys(scored);
    const ended = Object.fromEntries(names.map((name) => [name, this.#ended?.[name] ?? null]));
    if (!same(ended, scored)) throw new CheckFailed("result", version, "The game ended otherwise.", ended, scored);
    this.#counts.passed("result");
  }

  /** Header and last line say how the game ended. */
  #checkResult() {
    const at = this.#head.version;
    const aborted = this.#last === "game_aborted";
    const scored = this.#last === "game_scored";
    if (!aborted && !this.#ended) throw new CheckFailed("header", at, "The game is not over.", false, true);
    if (this.#header.complete !== (scored || aborted)) {
      const what = "A game is complete once its result is confirmed.";
      throw new CheckFailed("header", at, what, scored || aborted, this.#header.complete);
    }
    if (this.#header.viewer !== null) {
      throw new CheckFailed("header", null, "A game that is over has no viewer.", null, this.#header.viewer);
    }
    const result = aborted ? null : resultOf(this.#ended, scored);
    if (!same(result, this.#end.result)) {
      throw new CheckFailed("result", null, "The last line tells another result.", result, this.#end.result);
    }
    this.#counts.passed("result");
    this.#counts.note("result", "the last line says what the events say; that the table comes to it is for `migrato verify` to say");
  }

  #checkEnd() {
    const expected = { version: this.#head.version, head: this.#head.head, client_seeds: this.#clientSeeds };
    for (const [name, value] of Object.entries(expected)) {
      if (same(value, this.#end[name])) continue;
      throw new CheckFailed("end", null, `${name} of the last line is not what the events come to.`, value, this.#end[name]);
    }
    this.#counts.passed("end");
  }

  async #checkSignature() {
    const { public_key: key, key_id: id, complete, game_id: gameId } = this.#header;
    const signed = this.#end.signature;
    if (key === null && id === null && signed === null) {
      this.#counts.note("signature", `${complete ? "the export" : "a game whose result is not confirmed"} is not signed`);
      return;
    }
    const named = [id, key?.kid, signed?.key_id, key && (await keyId(key.x))];
    const isKey = key && Object.keys(key).sort().join() === "crv,kid,kty,use,x" && key.use === "sig";
    if (id === null || named.some((one) => one !== id) || !isKey) {
      throw new CheckFailed("signature", null, "The file does not name one key, but these.", null, named);
    }
    let holds;
    try {
      holds = await verifyHead(key, gameId, this.#head.version, this.#head.head, signed.signature);
    } catch (error) {
      if (!(error instanceof Unsupported)) throw error;
      this.#counts.note("signature", error.message);
      return;
    }
    if (!holds) {
      throw new CheckFailed("signature", this.#head.version, "The signature is not the key's for this head.", null, signed);
    }
    if (!complete) {
      this.#counts.note("signature", "the last head is signed, but that counts for complete games only");
      return;
    }
    this.#counts.passed("signature");
    const trusted = Object.hasOwn(this.#trusted, id) && this.#trusted[id] === key.x;
    this.#signer = { key_id: id, trusted };
    if (!trusted) this.#counts.add("signature", `by the key ${id} that the file names; is it the engine's?`);
  }
}

/** What can be checked of a game that is over, because its seed and all that was hidden are shown. */
class Whole {
  #seed;
  #chance;
  #game;
  #counts;

  /**
   * @param {string} seed
   * @param {Chance} chance
   * @param {Migrato | Migo} game
   * @param {Counts} counts
   */
  constructor(seed, chance, game, counts) {
    this.#seed = seed;
    this.#chance = chance;
    this.#game = game;
    this.#counts = counts;
  }

  /** @param {any} header @param {any} end @param {Counts} counts @returns {Promise<Whole>} */
  static async of(header, end, counts) {
    const chance = await Chance.of(fromHex(end.server_seed), header.game_id);
    const Game = /** @type {typeof Migrato | typeof Migo} */ (GAMES[header.game]);
    counts.note("rules", Game.rules === null ? BY_THE_RULES : `${Game.rules}; ${BY_THE_RULES}`);
    counts.note("bots", "bots are asked again by `migrato verify --bots`");
    return new Whole(end.server_seed, chance, new Game(chance, counts), counts);
  }

  /**
   * @param {any} event
   * @param {any[]} seats
   * @param {import("./chance.js").ClientSeeds} clientSeeds
   * @param {number} since
   */
  async take(event, seats, clientSeeds, since) {
    const { version, type, redacted } = event;
    if (redacted.length) throw new CheckFailed("header", version, "A game that is over hides nothing.", null, redacted);
    this.#counts.passed("redacted");
    if (version === 1) await this.#checkSeed(event.data);
    const salt = await this.#chance.salt(version);
    if (event.salt !== salt) throw new CheckFailed("salts", version, "The salt does not follow from the seed.", salt, event.salt);
    this.#counts.passed("salts");
    if (type === "move_chosen") await this.#checkChosen(event, seats[event.seat]);
    if (type === "hint_given") {
      this.#seedIs(version, await this.#chance.hintSeed(since, event.seat, event.data.bot), event.data.seed);
    }
    await this.#game.take(event, clientSeeds);
  }

  /** @param {any} created */
  async #checkSeed(created) {
    const made = toHex(await sha256(fromHex(this.#seed)));
    if (created.commitment !== made) {
      const what = "The revealed seed is not the one that was committed to.";
      throw new CheckFailed("seed", 1, what, created.commitment, made);
    }
    this.#counts.passed("seed");
    if (created.setup) this.#counts.note("shuffles", SET_UP);
    if (created.origin) this.#counts.note("position", "what a fork began with is compared by `migrato verify --origin`");
  }

  /** The bot is the seat's, and its seed was not chosen. @param {any} event @param {any} seat */
  async #checkChosen({ version, data }, seat) {
    const derived = await this.#chance.moveSeed(version - 1);
    const { fallback, replaces } = data;
    if (fallback === "time-up" && seat.kind === "human") {
      this.#is(version, "Another one is replaced than has the seat.", seat.kind, replaces);
      this.#seedIs(version, derived, data.seed);
      return;
    }
    if (seat.kind !== "bot" && seat.kind !== "remote") {
      throw new CheckFailed("bot-seeds", version, "A bot moves for a seat that is not a bot's.", seat.kind, data.bot);
    }
    if (fallback === null && seat.kind === "bot") {
      this.#is(version, "Another bot moves than has the seat.", [seat.bot, null], [data.bot, replaces]);
      this.#seedIs(version, derived, data.seed);
      return;
    }
    const known = REASONS[/** @type {"bot" | "remote"} */ (seat.kind)].includes(fallback);
    const found = [known, replaces, data.budget, data.seed];
    this.#is(version, "This is not how a move in a bot's place is made.", [true, seat.bot ?? seat.kind, null, null], found);
    this.#counts.passed("bot-seeds");
  }

  /** @param {number} version @param {string} derived @param {string | null} recorded */
  #seedIs(version, derived, recorded) {
    this.#is(version, "The seed does not follow from the server seed.", derived, recorded);
    this.#counts.passed("bot-seeds");
  }

  /** @param {number} version @param {string} detail @param {unknown} expected @param {unknown} found */
  #is(version, detail, expected, found) {
    if (!same(expected, found)) throw new CheckFailed("bot-seeds", version, detail, expected, found);
  }
}

/** @param {any} ended the data of the game's end @param {boolean} scored @returns {any} the result, as the last line says it */
function resultOf({ winner, places, reason, scores }, scored) {
  const first = places?.filter((/** @type {number} */ place) => place === 1).length === 1 ? places.indexOf(1) : null;
  return { winner: places ? first : winner, reason, scores, scored };
}

/** Data of another form than an event's type has are a wrong event, not a fault of this page. @param {any} event @param {() => Promise<void>} check */
async function guarded(event, check) {
  try {
    await check();
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
    throw new CheckFailed("rules", event.version, "The event does not hold what its type says.", null, event.data);
  }
}
