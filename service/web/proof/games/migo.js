// What chance does in a game of Migo, drawn again: who starts, and how every round is laid out (rules 7).

import { same } from "../canonical.js";
import { CheckFailed, Malformed } from "../findings.js";
import { CREATED, ofGame, ofSeat } from "../forms.js";
import { Former } from "./former.js";

const CARDS = Array.from({ length: 25 }, (_, number) => number);
const FACES = Array.from({ length: 50 }, (_, face) => face); // a card's number twice, plus 1 for its back
const FRONTS = FACES.filter((face) => face % 2 === 0);
const ROUND = 10;
const ROUNDS = 4;
const BEYOND_A_TAKE = new Set([
  "game_started", "round_started", "round_ended", "player_resigned", "position_set", "moves_taken_back",
]);
const POSITION = {
  to_act: "number", turn: "number", round: "number", starter: "number", table: "list", discarded: "list", boxed: "list",
  players: "list", resigned: "list", rounds: "list", prepared: "list|null",
};
const LAYOUTS = ["ropes", "pyramid", "pyramids"];

// The size of each layout, and the places that nothing covers at the start.
const SMALL = {
  ropes: { size: 18, free: ends([6, 5, 4, 3]) },
  pyramid: { size: 18, free: lastRows([[6, 5, 4, 3]]) },
  pyramids: { size: 18, free: lastRows([[3, 2, 1], [3, 2, 1], [3, 2, 1]]) },
};
const LARGE = {
  ropes: { size: 25, free: ends([7, 6, 5, 4, 3]) },
  pyramid: { size: 25, free: lastRows([[7, 6, 5, 4, 3]]) },
  pyramids: { size: 24, free: lastRows([[4, 3, 2], [3, 2, 1], [4, 3, 2]]) },
};

/** @param {number[]} columns @returns {number[]} */
function ends(columns) {
  let places = 0;
  return columns.map((length) => (places += length) - 1);
}

/** @param {number[][]} pyramids their rows @returns {number[]} */
function lastRows(pyramids) {
  let places = 0;
  return pyramids.flatMap((rows) => {
    places += rows.reduce((sum, row) => sum + row, 0);
    const last = rows.at(-1) ?? 0;
    return Array.from({ length: last }, (_, at) => places - last + at);
  });
}

/** @param {number} face */
const nameOf = (face) => `${cardOf(face >> 1)}${face % 2 ? "b" : "a"}`;
/** @param {number} number */
const cardOf = (number) => `E${String(number + 1).padStart(2, "0")}`;
const FACES_BY_NAME = new Map(FACES.map((face) => [nameOf(face), face]));

/** @param {string} name @returns {number} */
function faceOf(name) {
  const face = FACES_BY_NAME.get(name);
  if (face === undefined) throw new Malformed();
  return face;
}

/** @param {any} names @returns {number[]} */
function facesOf(names) {
  return listOf(names, CARDS.length).map(faceOf);
}

/** @param {any} values @param {number} most @returns {any[]} the same, if they can be so many */
function listOf(values, most) {
  if (!(Array.isArray(values) && values.length <= most)) throw new Malformed();
  return values;
}

/** @param {any} value @param {number} below @returns {number} the same, if it is a whole number from 0 */
function numberOf(value, below) {
  if (!(Number.isInteger(value) && value >= 0 && value < below)) throw new Malformed();
  return value;
}

/** @param {any} scores @param {number} seats @returns {number[]} the same, if there is one for each seat */
function scoresOf(scores, seats) {
  if (listOf(scores, seats).length !== seats) throw new Malformed();
  return scores;
}

/** Follows which side of each card is up. */
export class Migo {
  #chance;
  #counts;
  /** @type {any} the data of the first event */ #created = {};
  #number = 0;
  #starter = 0;
  /** @type {Map<number, number>} cards of the round: the face that is up, by card */ #used = new Map();
  /** @type {number[]} */ #boxed = FRONTS;
  /** @type {number[]} */ #scores = [];
  /** @type {Set<number>} */ #resigned = new Set();
  /** @type {string[][]} */ #prepared = [];
  /** @type {(string | null)[]} what lies at each place */ #table = [];
  /** @type {Former<string>} which faces were up */ #former = new Former();

  static forms = {
    game_created: { ...ofGame({ ...CREATED, rounds: "list|null" }), newest: 2 },
    game_started: ofGame({ first_seat: "number" }),
    position_set: ofGame(POSITION),
    moves_taken_back: ofSeat({ ...POSITION, to_version: "number" }),
    round_started: ofGame({ round: "number", layout: "text", starter: "number", cards: "list", turned: "list", boxed: "list" }),
    card_taken: ofSeat({ place: "number", card: "text", face: "text" }),
    bottle_gained: ofSeat(),
    sherpa_dismissed: ofSeat({ card: "text" }),
    card_flipped: ofSeat({ card: "text", face: "text" }),
    bottle_drunk: ofSeat(),
    round_ended: ofGame({ round: "number", scores: "list", winner: "number" }),
    game_ended: ofGame({ places: "list", reason: "text", scores: "list", flags: "list" }),
    game_scored: ofGame({ places: "list" }),
  };
  static chance = new Set(["game_started", "round_started"]);
  static moves = new Set(["card_taken", "player_resigned"]);
  static consequences = new Set([
    "round_started", "bottle_gained", "sherpa_dismissed", "card_flipped", "bottle_drunk", "round_ended",
  ]);

  static fallback = "greedy";

  /** Nobody is shown more than everybody while the game runs. */
  static shows() {
    return false;
  }

  /** What this checks of the rules. */
  static rules = "only that every card taken lay where it was taken";

  /**
   * @param {import("../chance.js").Chance} chance
   * @param {import("../findings.js").Counts} counts
   */
  constructor(chance, counts) {
    this.#chance = chance;
    this.#counts = counts;
  }

  /**
   * One more event of a game that is over. Throws CheckFailed "shuffles" or "rules".
   *
   * @param {any} event
   * @param {import("../chance.js").ClientSeeds} clientSeeds
   */
  async take({ version, type, seat, data }, clientSeeds) {
    if (type === "game_created") [this.#created, this.#prepared] = [data, [...listOf(data.rounds ?? [], ROUNDS)]];
    else if (type === "game_started") await this.#started(version, data, clientSeeds);
    else if (type === "round_started") await this.#roundStarted(version, data, clientSeeds);
    else if (type === "card_taken") this.#taken(version, data);
    else if (type === "card_flipped") this.#lie(data.card + data.face);
    else if (type === "player_resigned") this.#resigned.add(seat);
    else if (type === "round_ended") this.#scores = scoresOf(data.scores, clientSeeds.length);
    else if (type === "position_set") this.#set(data, clientSeeds.length);
    else if (type === "moves_taken_back") this.#takenBack(version, data, clientSeeds.length);
    if (BEYOND_A_TAKE.has(type)) this.#former.forget();
    this.#former.keep(version, this.#faces());
  }

  /** @param {number} version @param {any} data @param {import("../chance.js").ClientSeeds} seeds */
  async #started(version, data, seeds) {
    const { first_seat: wanted } = this.#created.options;
    this.#starter = wanted === "random" ? await this.#chance.firstSeat(seeds.length, seeds) : wanted;
    this.#compare(version, { first_seat: this.#starter }, data);
  }

  /** @param {number} version @param {any} data @param {import("../chance.js").ClientSeeds} seeds */
  async #roundStarted(version, data, seeds) {
    const number = this.#number + 1;
    const starter = number === 1 ? this.#starter : this.#nextStarter();
    const layout = [...LAYOUTS, this.#created.options.round4_layout][number - 1];
    const { size, free } = this.#layout(layout, seeds.length);
    const prepared = this.#prepared.shift();
    /** @type {number[]} */ let cards;
    /** @type {number[]} */ let boxed;
    if (prepared) {
      cards = facesOf(prepared);
      const laid = new Set(cards.map((face) => face >> 1));
      boxed = [...this.#used.values(), ...this.#boxed].sort((a, b) => a - b).filter((face) => !laid.has(face >> 1));
    } else {
      const order = number === 1 ? await this.#firstOrder(seeds) : await this.#laterOrder(number, seeds);
      [cards, boxed] = [order.slice(0, size), order.slice(size)];
    }
    const turned = free.filter((place) => this.#isSherpa(/** @type {number} */ (cards[place])));
    cards = cards.map((face, place) => (turned.includes(place) ? face ^ 1 : face));
    const expected = {
      round: number, layout, starter, cards: cards.map(nameOf), boxed: boxed.map(nameOf),
      turned: turned.map((place) => cardOf(/** @type {number} */ (cards[place]) >> 1)),
    };
    this.#compare(version, expected, data);
    [this.#number, this.#starter, this.#boxed, this.#table] = [number, starter, boxed, expected.cards];
    this.#used = new Map(cards.map((face) => [face >> 1, face]));
  }

  /** @param {import("../chance.js").ClientSeeds} seeds @returns {Promise<number[]>} */
  async #firstOrder(seeds) {
    const faces = await this.#chance.shuffled(ROUND, FACES, seeds);
    return faces.filter((face, at) => !faces.slice(0, at).includes(face ^ 1));
  }

  /** @param {number} number @param {import("../chance.js").ClientSeeds} seeds @returns {Promise<number[]>} */
  async #laterOrder(number, seeds) {
    const used = [...this.#used.keys()].sort((a, b) => a - b);
    const turned = (await this.#chance.shuffled(ROUND * number + 1, used, seeds)).slice(0, used.length >> 1);
    const faces = new Map([...this.#used, .../** @type {[number, number][]} */ (this.#boxed.map((face) => [face >> 1, face]))]);
    for (const card of turned) faces.set(card, /** @type {number} */ (faces.get(card)) ^ 1);
    const order = await this.#chance.shuffled(ROUND * number, CARDS, seeds);
    return order.map((card) => /** @type {number} */ (faces.get(card)));
  }

  /** @returns {number} the lowest score starts the next round; of several, the one that is next after the last starter */
  #nextStarter() {
    const seats = this.#scores.map((_, step) => (this.#starter + 1 + step) % this.#scores.length);
    const playing = seats.filter((seat) => !this.#resigned.has(seat));
    const lowest = Math.min(...playing.map((seat) => this.#scores[seat] ?? 0));
    return playing.find((seat) => this.#scores[seat] === lowest) ?? 0;
  }

  /** @param {string} name @param {number} seats */
  #layout(name, seats) {
    const sizes = seats === 2 && this.#created.options.layout_size !== "large" ? SMALL : LARGE;
    if (!Object.hasOwn(sizes, name)) throw new Malformed();
    return sizes[/** @type {keyof typeof SMALL} */ (name)];
  }

  /** @param {number} face */
  #isSherpa(face) {
    const name = nameOf(face);
    return this.#created.options.card_table[name.slice(0, 3)][name.slice(3)].kind === "sherpa";
  }

  /** @param {any} data a position @param {number} seats */
  #set(data, seats) {
    const held = listOf(data.players, seats).flatMap((/** @type {any} */ player) => player.cards);
    this.#table = [...listOf(data.table, CARDS.length)];
    const lying = data.table.filter((/** @type {unknown} */ name) => name !== null);
    this.#used = new Map();
    for (const name of [...lying, ...held, ...data.discarded]) this.#lie(name);
    this.#boxed = facesOf(data.boxed);
    [this.#number, this.#starter] = [numberOf(data.round, ROUNDS + 1), numberOf(data.starter, seats)];
    this.#resigned = new Set(listOf(data.resigned, seats));
    this.#prepared = [...listOf(data.prepared ?? [], ROUNDS)];
  }

  /** @param {number} version @param {any} data */
  #taken(version, { place, card, face }) {
    const lies = this.#table[place] ?? null;
    if (lies !== card + face) throw new CheckFailed("rules", version, "The card is not in the place from which it is taken.", lies, card + face);
    this.#table[place] = null;
    this.#counts.passed("rules");
  }

  /** The round is as it was, and the faces as they were then. @param {number} version @param {any} data @param {number} seats */
  #takenBack(version, data, seats) {
    const expected = [this.#former.after(data.to_version, version), ...this.#round()];
    this.#set(data, seats);
    this.#former.compare(version, expected, [this.#faces(), ...this.#round()]);
  }

  #faces() {
    return [...this.#used.values()].sort((a, b) => a - b).map(nameOf).join(" ");
  }

  #round() {
    return [this.#number, this.#starter, this.#boxed.map(nameOf), [...this.#resigned], this.#prepared];
  }

  /** @param {string} name */
  #lie(name) {
    this.#used.set(faceOf(name) >> 1, faceOf(name));
  }

  /** @param {number} version @param {any} expected @param {any} data */
  #compare(version, expected, data) {
    if (!same(expected, data)) throw new CheckFailed("shuffles", version, "The recorded order does not follow from the seeds.", expected, data);
    this.#counts.passed("shuffles");
  }
}
