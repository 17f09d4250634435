/** Why a game does not count for ratings. */
import { html } from "../vendor/preact.js";
import { t, tx } from "../shell/i18n.js";

/** @param {{game: any}} props a game, as its view or its line in a list shows it */
export function Unrated({ game }) {
  const why = game.unrated_because;
  return why ? html`<small class="hush unrated">${t("unrated", { why: tx(`unrated.${why}`) })}</small>` : null;
}
