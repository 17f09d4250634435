// What can be checked of a game that is over: what follows from its seed.

import { fromHex, sha256, toHex } from "./bytes.js";
import { same } from "./canonical.js";
import { Chance } from "./chance.js";
import { CheckFailed, NOT_HERE } from "./findings.js";
import { GAMES } from "./games/index.js";

/** @typedef {import("./findings.js").Counts} Counts */

const SET_UP = "the cards or the position were set up, not shuffled; only what came by chance later follows from the seeds";
const REASONS = {
  bot: ["failed", "overran"],
  remote: ["failed", "overran", "unreachable", "timeout", "bad-answer", "illegal-move", "suspended"],
};

/** What can be checked of a game that is over, because its seed and all that was hidden are shown. */
export class Whole {
  #seed;
  #chance;
  #game;
  #counts;
  #fallback;
  #hasStarted = false;
  #isFork = false; // so a position takes the place of the start

  /**
   * @param {string} seed
   * @param {Chance} chance
   * @param {import("./games/index.js").Game} game
   * @param {string} fallback the bot that moves in another's place
   * @param {Counts} counts
   */
  constructor(seed, chance, game, fallback, counts) {
    this.#seed = seed;
    this.#fallback = fallback;
    this.#chance = chance;
    this.#game = game;
    this.#counts = counts;
  }

  /** @param {any} header @param {any} end @param {Counts} counts @returns {Promise<Whole>} */
  static async of(header, end, counts) {
    const chance = await Chance.of(fromHex(end.server_seed), header.game_id);
    const Game = /** @type {import("./games/index.js").GameClass} */ (GAMES[header.game]);
    counts.note("rules", `${Game.rules}; ${NOT_HERE.rules}`);
    counts.left("bots");
    return new Whole(end.server_seed, chance, new Game(chance, counts), Game.fallback, counts);
  }

  /**
   * @param {any} event
   * @param {any[]} seats
   * @param {import("./chance.js").ClientSeeds} clientSeeds
   * @param {number} since
   * @param {boolean} isPlay whether the game must have started for such an event
   */
  async take(event, seats, clientSeeds, since, isPlay) {
    const { version, type } = event;
    this.#checkStart(version, type, isPlay);
    if (type === "move_chosen") await this.#checkChosen(event, seats[event.seat]);
    if (type === "hint_given") {
      this.#seedIs(version, await this.#chance.hintSeed(since, event.seat, event.data.bot), event.data.seed);
    }
    await this.#game.take(event, clientSeeds);
  }

  /** The event is shown whole, and with the salt that the seed gives. @param {any} event */
  async open({ version, redacted, salt, salts, data }) {
    if (redacted.length) throw new CheckFailed("header", version, "The event hides members, but the game is over: everybody sees all of it.", null, redacted);
    this.#counts.passed("redacted");
    if (version === 1) await this.#checkSeed(data);
    for (const [pointer, shown] of salts ? Object.entries(salts) : [["", salt]]) {
      const made = await this.#chance.salt(version, pointer);
      if (shown !== made) throw new CheckFailed("salts", version, "The salt does not follow from the seed.", made, shown);
    }
    this.#counts.passed("salts");
  }

  /** @param {any} created */
  async #checkSeed(created) {
    const made = toHex(await sha256(fromHex(this.#seed)));
    if (created.commitment !== made) {
      const what = "The revealed seed does not match the commitment in the first event.";
      throw new CheckFailed("seed", 1, what, created.commitment, made);
    }
    this.#counts.passed("seed");
    this.#isFork = Boolean(created.origin);
    const isSetUp = Boolean(created.deck || created.rounds || created.origin);
    if (isSetUp) this.#counts.note("shuffles", SET_UP);
    if (created.setup !== isSetUp) throw new CheckFailed("rules", 1, "The event does not have the form of its type.", isSetUp, created.setup);
    if (created.origin) this.#counts.left("position");
  }

  /** A game starts once, and a fork from a position instead; nobody moves before. @param {number} version @param {string} type @param {boolean} isPlay */
  #checkStart(version, type, isPlay) {
    if (isPlay && !this.#hasStarted) throw new CheckFailed("rules", version, "The event comes before the start of the game.", null, type);
    if (type === "position_set") {
      if (!this.#isFork || version !== 2) throw new CheckFailed("rules", version, "A position may be set only by the second event of a fork.");
      this.#hasStarted = true;
    }
    if (type !== "game_started") return;
    if (this.#hasStarted || this.#isFork) throw new CheckFailed("rules", version, "The game starts, but has started already.");
    this.#hasStarted = true;
  }

  /** The bot is the seat's, and its seed was not chosen. @param {any} event @param {any} seat */
  async #checkChosen({ version, data }, seat) {
    const derived = await this.#chance.moveSeed(version - 1);
    const { fallback, replaces } = data;
    if (fallback === "time-up" && seat.kind === "human") {
      this.#is(version, "The event replaces another player than the seat has.", seat.kind, replaces);
      this.#seedIs(version, derived, data.seed);
      return;
    }
    if (seat.kind !== "bot" && seat.kind !== "remote") {
      throw new CheckFailed("bot-seeds", version, "A bot moves for a seat that is not a bot's.", seat.kind, data.bot);
    }
    if (fallback === null && seat.kind === "bot") {
      this.#is(version, "The bot that moves is not the bot of the seat.", [seat.bot, null], [data.bot, replaces]);
      this.#seedIs(version, derived, data.seed);
      return;
    }
    const known = REASONS[/** @type {"bot" | "remote"} */ (seat.kind)].includes(fallback);
    const found = [known, data.bot, replaces, data.budget, data.seed];
    const expected = [true, this.#fallback, seat.bot ?? seat.kind, null, null];
    this.#is(version, "A move in a bot's place is recorded with other values than the engine writes.", expected, found);
    this.#counts.passed("bot-seeds");
  }

  /** @param {number} version @param {string} derived @param {string | null} recorded */
  #seedIs(version, derived, recorded) {
    this.#is(version, "The bot's seed does not follow from the server seed.", derived, recorded);
    this.#counts.passed("bot-seeds");
  }

  /** @param {number} version @param {string} detail @param {unknown} expected @param {unknown} found */
  #is(version, detail, expected, found) {
    if (!same(expected, found)) throw new CheckFailed("bot-seeds", version, detail, expected, found);
  }
}
