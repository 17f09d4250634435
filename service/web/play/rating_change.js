/** How a game has moved a player's rating. */
import { html, useEffect, useState } from "../vendor/preact.js";
import { ask, pause, without } from "../shell/api.js";
import { signed, t } from "../shell/i18n.js";

const TRIES = [500, 1000, 2000, 4000]; // milliseconds between looks: a game is rated a moment after its end

/** The rating in Elo points, and by how much it has changed, once this page may see that. @param {{view: any, me: number, token: string | null}} props */
export function RatingChange({ view, me, token }) {
  const [shown, setShown] = useState(/** @type {any} */ (null));
  useEffect(() => {
    let here = true;
    /** Looks until the game is rated. */
    async function look() {
      for (const wait of TRIES) {
        await pause(wait);
        const found = here ? await ask(`/v1/games/${view.id}`, { token }).catch(without(null)) : null;
        const mine = found?.ratings?.find((/** @type {any} */ one) => one.seat === me);
        if (mine && here) setShown(mine);
        if (!found || found.ratings || !found.rated) return;
      }
    }
    if (view.rated) look();
    return () => void (here = false);
  }, [view.id]);
  return shown && html`<p class="rating-change">${t("rating.change", { rating: shown.after.elo, change: signed(shown.after.elo - shown.before.elo) })}</p>`;
}
