// The chance of a game, drawn again from its seeds: docs/reference/fairness-protocol.md, "Shuffles".

import { keyedHash, sha256, toHex, utf8 } from "./bytes.js";

const WORDS = 2 ** 32;

/** @typedef {(string | null)[]} ClientSeeds */

/** The chance of one game. */
export class Chance {
  #keyed;
  #gameId;

  /** @param {(text: string) => Promise<Uint8Array>} keyed @param {string} gameId */
  constructor(keyed, gameId) {
    this.#keyed = keyed;
    this.#gameId = gameId;
  }

  /** @param {Uint8Array<ArrayBuffer>} seed the server seed @param {string} gameId @returns {Promise<Chance>} */
  static async of(seed, gameId) {
    return new Chance(await keyedHash(seed), gameId);
  }

  /**
   * The cards in the order of that shuffle.
   *
   * @template T
   * @param {number} number
   * @param {T[]} cards
   * @param {ClientSeeds} clientSeeds
   * @returns {Promise<T[]>}
   */
  async shuffled(number, cards, clientSeeds) {
    const below = await this.#numbers("shuffle", number, clientSeeds);
    const order = [...cards];
    for (let j = order.length - 1; j > 0; j--) {
      const i = await below(j + 1);
      [order[i], order[j]] = [/** @type {T} */ (order[j]), /** @type {T} */ (order[i])];
    }
    return order;
  }

  /** @param {number} seats @param {ClientSeeds} clientSeeds @returns {Promise<number>} the seat that starts */
  async firstSeat(seats, clientSeeds) {
    return (await this.#numbers("first_seat", 0, clientSeeds))(seats);
  }

  /** @param {number} version @param {string} pointer a leaf's; "" in form 1 @returns {Promise<string>} the salt, in hex */
  async salt(version, pointer) {
    return toHex(await this.#keyed(`salt:${this.#gameId}:${version}${pointer && `:${pointer}`}`));
  }

  /** @param {number} version the one before the event @returns {Promise<string>} the seed of a bot's move */
  async moveSeed(version) {
    return this.#seed(`bot:${this.#gameId}:${version}`);
  }

  /** @param {number} version @param {number} seat @param {string} bot @returns {Promise<string>} that of a hint */
  async hintSeed(version, seat, bot) {
    return this.#seed(`hint:${this.#gameId}:${version}:${seat}:${bot}`);
  }

  /** @param {string} purpose @returns {Promise<string>} */
  async #seed(purpose) {
    return toHex((await this.#keyed(purpose)).slice(0, 8));
  }

  /**
   * A function of n that gives the next number below n.
   *
   * @param {string} purpose
   * @param {number} number
   * @param {ClientSeeds} clientSeeds
   * @returns {Promise<(n: number) => Promise<number>>}
   */
  async #numbers(purpose, number, clientSeeds) {
    const thrownIn = await Promise.all(clientSeeds.map(async (one) => (one === null ? "-" : toHex(await sha256(utf8(one))))));
    const message = ["migrato-chance/1", purpose, this.#gameId, number, ...thrownIn].join("\n");
    /** @type {number[]} */
    const words = [];
    let block = 0;
    return async (n) => {
      if (!(Number.isInteger(n) && n > 0 && n <= WORDS)) throw new RangeError(`${n}`);
      for (;;) {
        if (words.length === 0) {
          const digest = new DataView((await this.#keyed(`${message}\n${block++}`)).slice().buffer);
          for (let at = 0; at < 32; at += 4) words.push(digest.getUint32(at));
        }
        const word = /** @type {number} */ (words.shift());
        if (word < WORDS - (WORDS % n)) return word % n;
      }
    };
  }
}
