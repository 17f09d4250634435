// The form that an event of each type has: whose it is, and the members of its data. The games add their own types.

import { same } from "./canonical.js";
import { CheckFailed } from "./findings.js";
import { isId, isObject } from "./lines.js";
import { isTime } from "./stream.js";

/** @typedef {{ofSeat: boolean, members: Record<string, string>, newest?: number}} Form `newest`: the latest schema, 1 unless it says so */

/**
 * What a game says of its own events: the types of those by which chance decides, of those that begin a seat's move, and
 * of those that only follow.
 *
 * `shows`: whether a place of an event that is hidden from spectators is shown to a seat while the game runs.
 *
 * @typedef {object} OfGame
 * @property {Record<string, Form>} forms
 * @property {Set<string>} chance
 * @property {Set<string>} moves
 * @property {Set<string>} consequences
 * @property {(event: {type: string, seat: number | null}, pointer: string, viewer: number) => boolean} shows
 */

/** @param {Record<string, string>} [members] @returns {Form} an event of a seat */
export const ofSeat = (members = {}) => ({ ofSeat: true, members });
/** @param {Record<string, string>} members @returns {Form} an event of nobody's */
export const ofGame = (members) => ({ ofSeat: false, members });

export const CREATED = {
  id: "text", game: "text", commitment: "text", seats: "list", setup: "flag", origin: "object|absent", options: "object",
  unrated_because: "text|absent", pairing: "text|absent", seals: "number|absent",
};
/** Of every game. @type {Record<string, Form>} */
const COMMON = {
  seat_taken: ofSeat({ player: "text", client_seed: "text|null" }),
  seat_token_reissued: ofSeat(),
  seat_handed_over: ofSeat({ app: "text|null", player: "text" }),
  player_replaced: ofSeat({ app: "text", bot: "text" }),
  player_resigned: ofSeat(),
  game_adjudicated: { ...ofGame({ app: "text", places: "list", reason: "text|absent" }), newest: 2 },
  game_aborted: { ...ofGame({ app: "text", reason: "text|absent" }), newest: 2 },
  win_claimed: ofSeat({ absent: "number", since: "time" }),
  move_chosen: ofSeat({
    bot: "text", version: "text", budget: "budget|null", seed: "text|null", fallback: "text|null", replaces: "text|null",
  }),
  hint_given: ofSeat({ bot: "text", version: "text", budget: "budget|null", seed: "text|null" }),
  game_forked: ofSeat({ version: "number" }),
  takeback_requested: ofSeat({ to_version: "number" }),
  takeback_answered: ofSeat({ agree: "flag" }),
  clock_set: {
    ...ofGame({
      kind: "text", seconds: "number|absent", increment: "number|absent", days: "number|absent", when_up: "text", bot: "text|null",
    }),
    newest: 2,
  },
  turn_timed_out: ofSeat({ deadline: "time", when_up: "text" }),
  clock_credited: ofSeat({ milliseconds: "number", until: "time" }),
};
// What follows from the event before it, at the same time; the games add their own types.
const CONSEQUENCES = new Set(["game_started", "position_set", "moves_taken_back", "game_ended"]);
const STARTS = new Set(["game_started", "position_set"]);
const RESULTS = new Set(["game_ended", "game_scored"]);
const CONTROLS = "\\x00-\\x1f\\x7f-\\x9f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff";
const TEXT = new RegExp(`^[^${CONTROLS}\\s][^${CONTROLS}]{0,63}$`, "u"); // that an engine has taken for a name, and writes itself
const CLIENT_SEED = /^.{1,128}$/su;

/** @type {Record<string, (value: any) => boolean>} */
const TYPES = {
  text: (value) => typeof value === "string",
  number: Number.isSafeInteger,
  flag: (value) => typeof value === "boolean",
  list: Array.isArray,
  object: isObject,
  time: isTime,
  budget: (value) => same(Object.keys(value ?? {}), ["iterations"]) && Number.isSafeInteger(value.iterations) && value.iterations >= 0,
  null: (value) => value === null,
  absent: (value) => value === undefined,
};

/** The forms of a game's events. */
export class Forms {
  #forms;
  #game;
  #over;

  /** @param {OfGame} game @param {boolean} over whether the game is */
  constructor(game, over) {
    this.#game = game;
    this.#over = over;
    this.#forms = new Map(Object.entries({ ...COMMON, ...game.forms }));
  }

  /** @returns {[string, Form][]} */
  get all() {
    return [...this.#forms];
  }

  /** Throws CheckFailed for an event of another form than its type has. @param {any} event */
  check(event) {
    const { version, type, schema, seat, data, redacted } = event;
    const form = this.#forms.get(type);
    const check = this.#over ? this.#checkOf(type) : "redacted";
    if (!form) throw new CheckFailed(check, version, "The game has no event of this type.", null, type);
    const { members, newest = 1 } = form;
    const names = [...new Set([...Object.keys(members), ...Object.keys(data)])];
    const wrong = names.filter((name) => !isRight(name, members, data, redacted));
    if ((seat !== null) !== form.ofSeat) wrong.push("seat");
    if (!(schema >= 1 && schema <= newest)) wrong.push("schema");
    if (wrong.length) throw new CheckFailed(check, version, "The event does not have the form of its type.", wrong, { seat, schema, data });
  }

  /** @param {string} type @returns {string} the check that is about events of the type */
  #checkOf(type) {
    if (this.#game.chance.has(type)) return "shuffles";
    if (RESULTS.has(type)) return "result";
    return type === "position_set" ? "position" : "rules";
  }

  /** Whether somebody decided the event: a seat that moves. @param {any} event */
  isMove({ type, data }) {
    return this.#game.moves.has(type) && !(type === "column_discarded" && !data.abandoned);
  }

  /** Whether it is of the play itself, once that has started. @param {any} event */
  isPlay(event) {
    return this.isMove(event) || (this.isConsequence(event) && !STARTS.has(event.type));
  }

  /** Whether it only follows from the event before it. @param {any} event */
  isConsequence(event) {
    return CONSEQUENCES.has(event.type) || (this.#game.consequences.has(event.type) && !this.isMove(event));
  }
}

/**
 * @param {string} name
 * @param {Record<string, string>} members
 * @param {any} data
 * @param {string[]} redacted
 */
function isRight(name, members, data, redacted) {
  const value = Object.hasOwn(data, name) ? data[name] : undefined;
  if (value === null && redacted.includes(name)) return true;
  const types = Object.hasOwn(members, name) ? String(members[name]).split("|") : [];
  return types.some((type) => TYPES[type]?.(value)) && (typeof value !== "string" || isText(name, value));
}

/** @param {string} name @param {string} text @returns {boolean} whether an engine takes such a text there */
export function isText(name, text) {
  if (name === "id") return isId(text);
  return (name === "client_seed" ? CLIENT_SEED : TEXT).test(text);
}
