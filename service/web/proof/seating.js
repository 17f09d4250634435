// Who sits where, and what each seat throws into every shuffle, after each event.

import { CheckFailed, Malformed } from "./findings.js";

const FEWEST = 2;
const MOST = 4;
const LONGEST_SEED = 1024; // characters; the engine takes 128
// What changes who sits on a seat, and the kind that the seat has before.
const FROM = new Map([["seat_taken", "open"], ["player_replaced", "human"], ["seat_handed_over", "human"]]);
const WHILE_OPEN = new Set([...FROM.keys(), "clock_set", "seat_token_reissued", "game_aborted"]);
const OVER = new Set(["game_aborted", "game_ended"]);

/** @typedef {{kind: string, bot: string | null}} Seat */

export class Seating {
  /** @type {Seat[]} */ seats = [];
  /** @type {import("./chance.js").ClientSeeds} */ clientSeeds = [];
  #isOver = false;

  /** Throws CheckFailed "rules" for an event that these seats do not allow. @param {any} event */
  check({ version, type, seat }) {
    if (seat !== null && !(seat >= 0 && seat < this.seats.length)) {
      throw new CheckFailed("rules", version, "There is no such seat.", null, seat);
    }
    const from = FROM.get(type);
    if (from) this.#checkChange(version, seat, from);
    else if (!WHILE_OPEN.has(type) && this.seats.some(({ kind }) => kind === "open")) {
      throw new CheckFailed("rules", version, "No game starts while a seat is open.", null, type);
    }
  }

  /** Another one may sit down there. @param {number} version @param {number | null} seat @param {string} from */
  #checkChange(version, seat, from) {
    if (this.#isOver) throw new CheckFailed("rules", version, "Nobody takes a seat of a game that is over.");
    const kind = seat === null ? null : this.seats[seat]?.kind;
    if (kind === from) return;
    const what = from === "open" ? "Only an open seat can be taken." : "Only a person's seat can be given to another one.";
    throw new CheckFailed("rules", version, what, from, kind);
  }

  /** One more event, of a seat that is there. @param {any} event */
  take({ type, seat, data }) {
    if (type === "game_created") this.#created(data.seats);
    else if (type === "seat_taken") {
      this.seats[seat] = { kind: "human", bot: null };
      this.clientSeeds[seat] = seedOf(data);
    } else if (type === "player_replaced") this.seats[seat] = { kind: "bot", bot: data.bot };
    if (OVER.has(type)) this.#isOver = true;
  }

  /** @param {any} seats */
  #created(seats) {
    if (!(seats.length >= FEWEST && seats.length <= MOST)) throw new Malformed();
    this.seats = seats.map((/** @type {any} */ { kind, bot }) => ({ kind, bot }));
    this.clientSeeds = seats.map(seedOf);
  }
}

/** @param {any} of a seat @returns {string | null} */
function seedOf({ client_seed: seed = null }) {
  if (seed === null || (typeof seed === "string" && seed.length <= LONGEST_SEED)) return seed;
  throw new Malformed();
}
