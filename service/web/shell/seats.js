/**
 * The seats that this browser holds, with their tokens: kept in local storage, for every tab and after a reload; never in
 * an address. `invites` and `codes` begin with the seat that they are for, as in `1.CODE`.
 *
 * @typedef {{game: string, kind: string, seat: number, token: string, names: string[], invites?: string[], codes?: string[], at: number, over?: boolean}} Seat
 */
import { local } from "./storage.js";

const KEY = "migrato.seats";
const KEPT = 50;

/** @returns {Seat[]} the newest first */
export function seats() {
  try {
    const found = JSON.parse(local.getItem(KEY) ?? "[]");
    return Array.isArray(found) ? found : [];
  } catch {
    return [];
  }
}

/** @param {string} game */
export const seatIn = (game) => seats().find((seat) => seat.game === game) ?? null;

/** @param {Seat} seat */
export function keepSeat(seat) {
  const others = seats().filter((other) => other.game !== seat.game);
  local.setItem(KEY, JSON.stringify([seat, ...others].slice(0, KEPT)));
}

/** @param {string} game */
export function forgetSeat(game) {
  local.setItem(KEY, JSON.stringify(seats().filter((seat) => seat.game !== game)));
}

const NAME = "migrato.name";
export const playerName = () => local.getItem(NAME) ?? "";
export const keepPlayerName = (/** @type {string} */ name) => local.setItem(NAME, name);
