// What chance does in a game of Migrato, drawn again: who starts, the deck, every reshuffle; what is drawn from it, and what
// each hand holds.

import { same } from "../canonical.js";
import { CheckFailed, Malformed } from "../findings.js";
import { CREATED, ofGame, ofSeat } from "../forms.js";
import { Former } from "./former.js";

const SPECIES = "GKSBT";
const FACES = [
  ...[...SPECIES].flatMap((letter) => ["d", "n"].flatMap((phase) => [1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => letter + n + phase))),
  "HUN", "HAB", "LIG",
];
const TO_THE_PILE = new Set(["arrival_failed", "return_flight_taken", "column_discarded", "hand_exchanged"]);
const OF_THE_DECK = new Set(["game_started", "deck_reshuffled", "cards_drawn", "position_set", "moves_taken_back"]);
/** @type {Record<string, (data: any) => string[]>} */
const FROM_HAND = {
  bird_played: ({ card }) => [card],
  danger_played: ({ danger }) => [danger],
  card_discarded: ({ card }) => [card],
  hand_exchanged: ({ cards }) => cardsOf(cards),
};
const HAND = 3;
const LARGEST_DECK = 1000; // cards; games have far fewer

const POSITION = {
  phase: "text", to_act: "number", turn: "number", shuffles: "number", deck: "list|null", count: "number", discard_pile: "list",
  hands: "list", hand_sizes: "list", columns: "list", arrivals: "list", landed: "list", return_flights: "list",
};
const SCORED = { winner: "number|null", scores: "list" };

/** @param {Record<string, number>} list @returns {string[]} the cards in the order in which they are shuffled */
function deckOf(list) {
  const counts = FACES.map((face) => (Object.hasOwn(list, face) ? list[face] : 0));
  if (!counts.every(isCount)) throw new Malformed();
  return cardsOf(FACES.flatMap((face, at) => Array(counts[at]).fill(face)));
}

/** @param {unknown} value @returns {value is number} whether there may be so many cards of a kind */
const isCount = (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= LARGEST_DECK;

/** @param {any} cards @returns {string[]} a copy of them, if there can be so many */
function cardsOf(cards) {
  if (!(Array.isArray(cards) && cards.length <= LARGEST_DECK)) throw new Malformed();
  return [...cards];
}

/** Follows deck, discard pile and hands through the events. */
export class Migrato {
  #chance;
  #counts;
  /** @type {any} the data of the first event */ #created = {};
  /** @type {string[]} the next card first */ #deck = [];
  /** @type {string[]} the top card last */ #pile = [];
  /** @type {string[][]} */ #hands = [];
  #shuffles = 0;
  /** @type {Former<number>} how many cards lay on the pile */ #former = new Former();

  static forms = {
    game_created: { ...ofGame({ ...CREATED, deck: "list|null" }), newest: 2 },
    game_started: ofGame({ first_seat: "number", deck: "list|null", hands: "list" }),
    position_set: ofGame(POSITION),
    moves_taken_back: ofSeat({ ...POSITION, to_version: "number" }),
    bird_played: ofSeat({ card: "text|null", slot: "number" }),
    cards_moved: ofSeat({ from: "number", index: "number", to: "number", uncover: "flag" }),
    danger_played: ofSeat({ danger: "text", target: "object", card: "text|null" }),
    birds_arrived: ofSeat({ slot: "number", cards: "list", species: "text" }),
    arrival_failed: ofSeat({ slot: "number", cards: "list" }),
    return_flight_taken: ofSeat({ slot: "number", cards: "list", species: "text" }),
    column_discarded: ofSeat({ slot: "number", cards: "list", places: "list", abandoned: "flag" }),
    card_discarded: ofSeat({ card: "text" }),
    hand_exchanged: ofSeat({ cards: "list" }),
    cards_drawn: ofSeat({ cards: "list|null", count: "number" }),
    deck_reshuffled: ofGame({ deck: "list|null", count: "number" }),
    turn_passed: ofSeat(),
    game_ended: ofGame({ ...SCORED, reason: "text" }),
    game_scored: ofGame(SCORED),
  };
  static chance = new Set(["game_started", "deck_reshuffled"]);
  static moves = new Set([
    "bird_played", "cards_moved", "danger_played", "card_discarded", "hand_exchanged", "column_discarded", "turn_passed",
    "player_resigned",
  ]);
  static consequences = new Set([
    "birds_arrived", "arrival_failed", "return_flight_taken", "column_discarded", "cards_drawn", "deck_reshuffled",
  ]);

  static fallback = "greedy";

  /**
   * Whether a place that is hidden from spectators is shown to that seat while the game runs.
   *
   * @param {{type: string, seat: number | null}} event @param {string} pointer @param {number} viewer
   */
  static shows({ type, seat }, pointer, viewer) {
    if (type === "cards_drawn" || type === "bird_played") return seat === viewer;
    const [, name, whose] = pointer.split("/");
    return type === "danger_played" || ((name === "hands" || name === "columns") && whose === String(viewer));
  }

  /** What this checks of the rules. */
  static rules = "only that every card drawn was the deck's next one, and every card played was in the hand";

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
    this.#fromHand(version, type, seat, data);
    if (type === "game_created") this.#created = data;
    else if (type === "game_started") await this.#started(version, data, clientSeeds);
    else if (type === "deck_reshuffled") await this.#reshuffled(version, data, clientSeeds);
    else if (type === "cards_drawn") this.#drawn(version, seat, data);
    else if (type === "card_discarded") this.#discard([data.card]);
    else if (type === "danger_played") this.#discard([data.danger]);
    else if (TO_THE_PILE.has(type)) this.#discard(data.cards);
    else if (type === "position_set") this.#set(data);
    else if (type === "moves_taken_back") this.#takenBack(version, data);
    if (OF_THE_DECK.has(type)) this.#former.forget();
    this.#former.keep(version, this.#pile.length);
  }

  /** @param {string[]} cards */
  #discard(cards) {
    this.#pile = cardsOf([...this.#pile, ...cardsOf(cards)]);
  }

  /** @param {any} data a position */
  #set({ deck, discard_pile: pile, shuffles, hands }) {
    if (!isCount(shuffles)) throw new Malformed();
    this.#hands = hands.map(cardsOf);
    [this.#deck, this.#pile, this.#shuffles] = [cardsOf(deck), cardsOf(pile), shuffles];
  }

  /** The deck lies as it is, the pile as it lay then. @param {number} version @param {any} data */
  #takenBack(version, data) {
    const pile = this.#pile.slice(0, this.#former.after(data.to_version, version));
    const expected = [this.#deck, pile, this.#shuffles];
    this.#set(data);
    this.#former.compare(version, expected, [this.#deck, this.#pile, this.#shuffles]);
  }

  /** @param {number} version @param {any} data @param {import("../chance.js").ClientSeeds} seeds */
  async #started(version, data, seeds) {
    const { options, deck: prepared } = this.#created;
    const first = options.first_seat === "random" ? await this.#chance.firstSeat(2, seeds) : options.first_seat;
    const cards = deckOf(options.deck_list);
    const deck = prepared ? cardsOf(prepared) : await this.#chance.shuffled(0, cards, seeds);
    const dealt = deck.slice(0, 2 * HAND);
    const hands = [0, 1].map((of) => dealt.filter((_, at) => at % 2 === of));
    const expected = { first_seat: first, deck, hands: first === 0 ? hands : hands.reverse() };
    this.#compare(version, expected, data);
    this.#deck = deck.slice(2 * HAND);
    this.#hands = hands.map(cardsOf);
    this.#shuffles = prepared ? 0 : 1;
  }

  /** @param {number} version @param {any} data @param {import("../chance.js").ClientSeeds} seeds */
  async #reshuffled(version, data, seeds) {
    const deck = await this.#chance.shuffled(this.#shuffles, this.#pile, seeds);
    this.#compare(version, { deck, count: deck.length }, data);
    [this.#deck, this.#pile, this.#shuffles] = [cardsOf([...this.#deck, ...deck]), [], this.#shuffles + 1];
  }

  /** @param {number} version @param {any} expected @param {any} data */
  #compare(version, expected, data) {
    if (!same(expected, data)) throw new CheckFailed("shuffles", version, "The recorded order does not follow from the seeds.", expected, data);
    this.#counts.passed("shuffles");
  }

  /** What is played comes from the hand, and what a danger takes goes there. @param {number} version @param {string} type @param {number} seat @param {any} data */
  #fromHand(version, type, seat, data) {
    const played = Object.hasOwn(FROM_HAND, type) ? FROM_HAND[type]?.(data) ?? [] : [];
    if (!played.length) return;
    const hand = /** @type {string[]} */ (this.#hands[seat]);
    for (const card of played) {
      const at = hand.indexOf(card);
      if (at < 0) throw new CheckFailed("rules", version, "The card is played, but is not in the hand.", hand, played);
      hand.splice(at, 1);
    }
    if (type === "hand_exchanged" && hand.length) {
      throw new CheckFailed("rules", version, "The event must exchange the whole hand.", hand, []);
    }
    if (type === "danger_played") hand.push(data.card);
    this.#counts.passed("rules");
  }

  /** @param {number} version @param {number} seat @param {{cards: string[], count: number}} data */
  #drawn(version, seat, { cards, count }) {
    const next = this.#deck.splice(0, cards.length);
    if (!same([next, next.length], [cards, count])) {
      throw new CheckFailed("rules", version, "These are not the next cards of the deck.", next, cards);
    }
    this.#hands[seat]?.push(...cards);
    this.#counts.passed("rules");
  }
}
