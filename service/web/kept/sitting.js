/** Sitting down with a client seed. */
import { ask, randomKey, without } from "../shell/api.js";
import { t } from "../shell/i18n.js";
import { playerName } from "../shell/seats.js";
import { keepLook } from "./watching.js";

/**
 * A seat is looked at, with the commitment, and then taken with a client seed of this browser's own: an engine that had
 * chosen its cards before could not know the seed. One that may not be looked at is taken all the same.
 * @param {string} game @param {number} seat @param {string} [invite] @returns {Promise<string>} its token
 */
export async function taken(game, seat, invite) {
  const path = `/v1/games/${game}/seats/${seat}`;
  const look = await ask(`${path}?signed=true`, { patient: true }).catch(without({}));
  const seed = randomKey();
  const body = { player: playerName() || t("name.guest"), client_seed: seed, ...(invite ? { invite } : {}) };
  const { token } = await ask(path, { method: "POST", body });
  void keepLook(game, seat, look, seed);
  return token;
}
