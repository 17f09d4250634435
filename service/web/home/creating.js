/** New games, as they are wanted at the start; and seats that are taken. */
import { ask, randomKey, Refused, without } from "../shell/api.js";
import { t } from "../shell/i18n.js";
import { problemText } from "../shell/problems.js";
import { keepSeat, playerName } from "../shell/seats.js";
import { botName } from "./level_picker.js";
import { usual } from "./options.js";

/**
 * @typedef {{options: Record<string, Options>, clock: string, rated: boolean, seats: number, guests: string[], listed: boolean}} Wanted
 *   `options`: by game, those that are not as usual; `rated`: whether a game against bots counts, and so has no hints; `seats`: of a game against bots, where it may have several; `guests`: who sits at the other seats of a table, `open` or a bot
 * @typedef {import("../shell/games.js").Options} Options
 * @typedef {import("../shell/games.js").Game} Game
 */

const DAY = 24 * 3600; // seconds
const WEEK = 7 * DAY;
/** @type {Record<string, object | null>} */
export const CLOCKS = {
  none: null,
  move: { kind: "per-move", seconds: 60 },
  short: { kind: "bank", seconds: 300, increment: 5 },
  long: { kind: "bank", seconds: 900, increment: 10 },
  days: { kind: "correspondence", days: 3 },
};

/** @returns {{kind: "human", player?: string}} */
const myself = () => (playerName() ? { kind: "human", player: playerName() } : { kind: "human" });

/** The options of a game, as they are wanted. @param {Game} game @param {Wanted} wanted @returns {Options} */
export const chosenFor = (game, { options }) => ({ ...usual(game), ...options[game.id] });

/** How many are to sit at a table with bots. @param {Game} game @param {Wanted} wanted */
const seatsOf = ({ seats }, wanted) => (seats.includes(wanted.seats) ? wanted.seats : (seats[0] ?? 2));

/** @param {Game} game @param {Wanted} wanted */
function asked(game, wanted) {
  const { clock } = wanted;
  return { game: game.id, options: { ...chosenFor(game, wanted), first_seat: "random" }, ...(CLOCKS[clock] ? { clock: CLOCKS[clock] } : {}) };
}

/** A seat of one's own that is open first, unless the game is to count. @param {Game} game @param {Wanted} wanted @param {string} bot @returns {Promise<string>} the game's id */
export async function withBots(game, wanted, bot) {
  const others = Array.from({ length: seatsOf(game, wanted) - 1 }, () => ({ kind: "bot", bot }));
  const counts = wanted.rated ? { seats: [myself(), ...others] } : { rated: false, seats: [{ kind: "open" }, ...others] };
  const created = await ask("/v1/games", { method: "POST", body: { ...asked(game, wanted), ...counts } });
  const token = created.seats[0].token ?? (await taken(created.id, 0));
  keepSeat({ game: created.id, kind: game.id, seat: 0, token, names: others.map(() => botName(bot)), at: Date.now() });
  return created.id;
}

/** A table with open seats: with an invite to each, or open to whoever finds it in the lobby. @param {Game} game @param {Wanted} wanted @returns {Promise<string>} the game's id */
export async function tableOf(game, wanted) {
  const guests = game.seats.length > 1 ? wanted.guests : ["open"];
  const seats = [{ kind: "open" }, ...guests.map((guest) => (guest === "open" ? { kind: "open" } : { kind: "bot", bot: guest }))];
  const access = wanted.listed ? { joining: "open", visibility: "public" } : { joining: "invite" };
  const created = await ask("/v1/games", { method: "POST", body: { ...asked(game, wanted), seats, ...access } });
  const mine = wanted.listed ? {} : await ask(`/v1/games/${created.id}/seats/0/invites`, { method: "POST", body: { expires_in: DAY } });
  const token = await taken(created.id, 0, mine.invite);
  const seat = { game: created.id, kind: game.id, seat: 0, token, names: [], at: Date.now() };
  keepSeat(seat);
  /** @type {{invites: string[], codes: string[]}} */
  const { invites, codes } = { invites: [], codes: [] };
  for (const [index, guest] of guests.entries()) {
    if (guest !== "open") continue;
    const path = `/v1/games/${created.id}/seats/${index + 1}/invites`;
    const made = await ask(path, { method: "POST", token, body: { expires_in: WEEK } });
    const short = await ask(path, { method: "POST", token, body: { expires_in: DAY, short: true } });
    invites.push(`${index + 1}.${made.invite}`);
    codes.push(`${index + 1}.${short.join_code}`);
  }
  keepSeat({ ...seat, invites, codes });
  return created.id;
}

/** A ticket that is not there any more has a word of its own: it was the search that ended. @param {unknown} problem */
function searchOver(problem) {
  throw problem instanceof Refused && problem.status === 404 ? new Refused(404, { ...problem.problem, code: /** @type {any} */ ("search-over") }) : problem;
}

/**
 * Somebody who looks for a game of the same kind. A player waits once, so a guest without a name gets one that nobody has.
 * @param {Game} game @param {Wanted} wanted
 * @param {AbortSignal} signal no longer
 * @returns {Promise<string | null>} the game's id; null if the player waits no more
 */
export async function partner(game, wanted, signal) {
  const player = playerName() || `${t("name.guest")} ${randomKey().slice(0, 4)}`;
  let { ticket, match } = await ask("/v1/quick-match", { method: "POST", body: { ...asked(game, wanted), player } });
  while (!match && !signal.aborted) ({ match } = await ask(`/v1/quick-match/${ticket}?wait=5`, { patient: true }).catch(searchOver));
  if (!match) match = await ask(`/v1/quick-match/${ticket}`, { method: "DELETE" }).catch(without(null));
  if (!match) return null;
  keepSeat({ game: match.id, kind: game.id, seat: match.seat, token: match.token, names: [], at: Date.now() });
  return match.id;
}

/** Take a seat, by an invite or where anybody may; the table tells of which game it is. @param {string} game @param {number} seat @param {string} [invite] */
export async function sitDown(game, seat, invite) {
  keepSeat({ game, kind: "", seat, token: await taken(game, seat, invite), names: [], at: Date.now() });
}

/** @param {string} game @param {number} seat @param {string} [invite] @returns {Promise<string>} the seat's token */
const taken = async (game, seat, invite) => (await import("../kept/sitting.js")).taken(game, seat, invite);

/** @param {unknown} problem */
export function creationTrouble(problem) {
  if (problem instanceof Refused && [401, 403].includes(problem.status)) return t("home.needs.key");
  return problemText(problem);
}
