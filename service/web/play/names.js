/** What players are called, and how strong they are. */
import { html, useEffect, useState } from "../vendor/preact.js";
import { ask, without } from "../shell/api.js";
import { t, tx } from "../shell/i18n.js";
import { isolated } from "../shell/isolated.js";

/** @param {any} view @param {number} seat @param {number | null} me @returns {string} */
export function nameOf(view, seat, me) {
  if (seat === me) return t("name.you");
  const found = view.seats.find((/** @type {any} */ other) => other.seat === seat);
  if (!found) return "?";
  if (found.kind === "bot" || found.bot) {
    const same = view.seats.filter((/** @type {any} */ other) => other.bot === found.bot);
    const name = tx(`bot.${found.bot}`);
    return same.length > 1 ? `${name} ${same.indexOf(found) + 1}` : name;
  }
  if (found.kind === "open") return t("name.nobody");
  if (found.player) return isolated(found.player);
  return t(found.player === null ? "name.erased" : me === null ? "name.guest" : "name.friend");
}

/** @type {Map<string, Promise<any>>} the players whom the engine was asked for, by their ids */
const asked = new Map();

/** The rating of a seat's player in games like this one, if there is one that this page may see. @param {{view: any, seat: number}} props */
export function Rating({ view, seat }) {
  const [shown, setShown] = useState(/** @type {number | null} */ (null));
  const id = view.rated ? view.seats[seat]?.player_id : null;
  useEffect(() => {
    let here = true;
    setShown(null);
    if (!id) return;
    const found = asked.get(id) ?? ask(`/v1/players/${id}`).catch(without(null));
    asked.set(id, found);
    found.then((player) => {
      const alike = player?.ratings.find((/** @type {any} */ one) => one.game === view.game && one.time_class === (view.clock?.time_class ?? "none"));
      if (here && alike) setShown(alike.rating.elo);
    });
    return () => void (here = false);
  }, [id]);
  return shown === null ? null : html`<small class="rating">${t("rating", { rating: shown })}</small>`;
}
