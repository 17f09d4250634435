// Who sits where, and what each seat throws into every shuffle, after each event.

import { same } from "./canonical.js";
import { CheckFailed, Malformed } from "./findings.js";
import { isText } from "./forms.js";

const FEWEST = 2;
const MOST = 4;
const KINDS = ["human", "open", "bot", "remote"];
const MEMBERS = ["bot", "client_seed", "kind", "player"];
// What changes who sits on a seat, and the kind that the seat has before.
const FROM = new Map([["seat_taken", "open"], ["player_replaced", "human"], ["seat_handed_over", "human"]]);
const WHILE_OPEN = new Set([...FROM.keys(), "clock_set", "seat_token_reissued", "game_aborted"]);
const OF_PEOPLE = new Set(["seat_token_reissued", "hint_given", "takeback_requested", "takeback_answered", "win_claimed"]);
// What may follow once the game is over.
const AFTER = new Map([["game_ended", "game_scored"], ["game_scored", ""], ["game_aborted", ""]]);

/** @typedef {{kind: string, bot: string | null}} Seat */

export class Seating {
  /** @type {Seat[]} */ seats = [];
  /** @type {import("./chance.js").ClientSeeds} */ clientSeeds = [];
  #next = /** @type {string | null} */ (null); // the only type that may follow, once the game is over
  #app = /** @type {string | null} */ (null); // the one that decided something before

  /** Throws CheckFailed "rules" for an event that these seats do not allow. @param {any} event */
  check({ version, type, seat, data }) {
    if (this.#next !== null && type !== this.#next) throw new CheckFailed("rules", version, "The event comes after the end of the game.", null, type);
    if (seat !== null && !(seat >= 0 && seat < this.seats.length)) {
      throw new CheckFailed("rules", version, "The game has no seat of this number.", null, seat);
    }
    const from = FROM.get(type);
    if (from) this.#checkChange(version, seat, from);
    else if (!WHILE_OPEN.has(type) && this.seats.some(({ kind }) => kind === "open")) {
      throw new CheckFailed("rules", version, "The game starts while a seat is open.", null, type);
    }
    if (OF_PEOPLE.has(type) && this.seats[seat]?.kind !== "human") {
      throw new CheckFailed("rules", version, "The event is of a person, but no person plays the seat.", null, type);
    }
    if (type === "win_claimed" && (data.absent === seat || this.seats[data.absent]?.kind !== "human")) {
      throw new CheckFailed("rules", version, "The win is claimed from a seat that no other person plays.", null, data.absent);
    }
    const { app = null } = data;
    if (this.#app !== null && app !== null && app !== this.#app) {
      throw new CheckFailed("rules", version, "The event names another app than earlier ones do.", this.#app, app);
    }
  }

  /** Another one may sit down there. @param {number} version @param {number | null} seat @param {string} from */
  #checkChange(version, seat, from) {
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
      this.clientSeeds[seat] = data.client_seed;
    } else if (type === "player_replaced") this.seats[seat] = { kind: "bot", bot: data.bot };
    this.#next = AFTER.get(type) ?? this.#next;
    this.#app ??= data.app ?? null;
  }

  /** @param {any} seats */
  #created(seats) {
    if (!(seats.length >= FEWEST && seats.length <= MOST)) throw new Malformed();
    for (const seat of seats) checkSeat(seat);
    this.seats = seats.map((/** @type {any} */ { kind, bot }) => ({ kind, bot }));
    this.clientSeeds = seats.map((/** @type {any} */ { client_seed: seed }) => seed);
  }
}

/** @param {any} seat as the game was created with it */
function checkSeat(seat) {
  const { kind, player, bot, client_seed: seed } = seat;
  const { version = null, elo = null } = seat; // of a bot, unless a former release has made the game
  const more = bot === null ? [] : [...(elo === null ? [] : ["elo"]), ...(version === null ? [] : ["version"])];
  const rest = ["shares", "budget"].filter((name) => name in seat); // of an app's bot by name, and of one that searches
  const members = [...MEMBERS, ...more, ...rest].sort();
  const texts = Object.entries({ player, bot, client_seed: seed, version });
  const right = (elo === null || Number.isInteger(elo)) && same(Object.keys(seat).sort(), members) && KINDS.includes(kind)
    && (kind === "bot" ? bot !== null : bot === null || (kind === "remote" && version !== null))
    && (!("shares" in seat) || (kind === "remote" && areShares(seat))) && (!("budget" in seat) || (kind === "bot" && isBudget(seat.budget)))
    && texts.every(([name, text]) => text === null || (typeof text === "string" && isText(name, text)));
  if (!right) throw new Malformed();
  if (((kind === "bot" || kind === "open") && player !== null) || (kind === "open" && seed !== null)) {
    throw new CheckFailed("rules", 1, "A bot's seat must name no player, and an open seat neither player nor bot.", null, seat);
  }
}

/** Versions in order with their per cents, 100 in all. @param {any} seat */
function areShares({ shares, version }) {
  if (!Array.isArray(shares) || shares.length < 2) return false;
  const isShare = (/** @type {any} */ share) => Array.isArray(share) && share.length === 2 && share.every((part) => Number.isInteger(part) && part > 0);
  if (!shares.every(isShare)) return false;
  const inOrder = shares.every(([number], at) => at === 0 || number > shares[at - 1][0]);
  return inOrder && shares.reduce((sum, [, part]) => sum + part, 0) === 100 && shares.some(([number]) => String(number) === version);
}

/** @param {any} budget */
function isBudget(budget) {
  if (typeof budget !== "object" || budget === null || Object.keys(budget).length !== 1) return false;
  const { iterations = 1, milliseconds = 1 } = budget;
  return [iterations, milliseconds].every((amount) => Number.isInteger(amount) && amount > 0) && ("iterations" in budget || "milliseconds" in budget);
}
