/** Names of players, which lead to what is known of them. */
import { html } from "../vendor/preact.js";
import { Refused } from "../shell/api.js";
import { isForApps } from "../shell/engine.js";
import { t } from "../shell/i18n.js";
import { Link } from "../shell/navigation.js";
import { problemText } from "../shell/problems.js";
import { nameOf } from "../play/names.js";

/** What a seat's player is called; with a link, where the player can be told from others. @param {{view: any, seat: number, me: number | null}} props */
export function Name({ view, seat, me }) {
  const called = nameOf(view, seat, me);
  const { player_id: id, player, bot } = view.seats.find((/** @type {any} */ one) => one.seat === seat) ?? {};
  return id && player && !bot && !isForApps() ? html`<${Link} to=${`/players/${id}`}>${called}<//>` : called;
}

/** Why players are not shown, in a sentence. @param {unknown} problem */
export function peopleTrouble(problem) {
  return problem instanceof Refused && [401, 403].includes(problem.status) ? t("people.needs.key") : problemText(problem);
}
