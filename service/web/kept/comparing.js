/** What was shown, compared with what is recorded: every member that neither hides. */
import { same } from "../proof/canonical.js";
import { fromHex, sha256, toHex } from "../proof/bytes.js";

const SHOWN = ["type", "schema", "at", "seat", "commitment", "head"];

/** @param {any} kept an event as it was shown @param {any} recorded the same event later @returns {boolean} whether they differ */
export function differs(kept, recorded) {
  if (SHOWN.some((name) => !same(kept[name] ?? null, recorded[name] ?? null))) return true;
  const names = new Set([...Object.keys(kept.data), ...Object.keys(recorded.data)]);
  return [...names].some((name) => {
    const there = Object.hasOwn(kept.data, name) && Object.hasOwn(recorded.data, name);
    return !there || !agree(kept.data[name], recorded.data[name], kept.redacted.includes(name), recorded.redacted.includes(name));
  });
}

/** Whether they are the same, but for nulls that stand for what is hidden. @param {any} kept @param {any} recorded @param {boolean} hides @param {boolean} lacks @returns {boolean} */
function agree(kept, recorded, hides, lacks) {
  if (!hides && !lacks) return same(kept, recorded);
  if ((hides && kept === null) || (lacks && recorded === null)) return true;
  if (!isNest(kept) || !isNest(recorded) || Array.isArray(kept) !== Array.isArray(recorded)) return same(kept, recorded);
  const names = Object.keys(kept);
  return same(names.sort(), Object.keys(recorded).sort()) && names.every((name) => agree(kept[name], recorded[name], hides, lacks));
}

/** @param {any} value */
const isNest = (value) => typeof value === "object" && value !== null;

/**
 * Whether a game that is over was made of something else than it said before this player sat down.
 *
 * @param {any} look the seat as it was looked at, with the seed that was given
 * @param {any[]} events all of the game
 * @param {any} fairness as the view shows it
 */
export async function broken(look, events, fairness) {
  const { data } = events[0];
  const seeds = data.seats.map((/** @type {any} */ seat) => seat.client_seed);
  for (const { type, seat, data: taken } of events) if (type === "seat_taken") seeds[seat] = taken.client_seed;
  const shown = look.fairness?.client_seeds ?? [];
  const revealed = fairness.server_seed;
  return (look.fairness && look.fairness.commitment !== data.commitment)
    || (look.options && !same(look.options, data.options))
    || (look.fairness && look.setup !== data.setup)
    || shown.some((/** @type {any} */ seed, /** @type {number} */ seat) => seed !== null && seeds[seat] !== seed)
    || seeds[look.seat] !== look.client_seed
    || (revealed !== null && toHex(await sha256(fromHex(revealed))) !== data.commitment);
}
