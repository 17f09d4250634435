// Who sits where, and what each seat throws into every shuffle, after each event.

import { CheckFailed, Malformed } from "./findings.js";

const FEWEST = 2;
const MOST = 4;
const LONGEST_SEED = 1024; // characters; the engine takes 128

/** @typedef {{kind: string, bot: string | null}} Seat */

export class Seating {
  /** @type {Seat[]} */ seats = [];
  /** @type {import("./chance.js").ClientSeeds} */ clientSeeds = [];

  /** Throws CheckFailed "rules" for an event of a seat that is not there. @param {any} event */
  check({ version, seat }) {
    if (seat === null || (seat >= 0 && seat < this.seats.length)) return;
    throw new CheckFailed("rules", version, "There is no such seat.", null, seat);
  }

  /** One more event, of a seat that is there. @param {any} event */
  take({ type, seat, data }) {
    if (type === "game_created") this.#created(data.seats);
    else if (type === "seat_taken") {
      this.seats[seat] = { kind: "human", bot: null };
      this.clientSeeds[seat] = seedOf(data);
    } else if (type === "player_replaced") this.seats[seat] = { kind: "bot", bot: data.bot };
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
