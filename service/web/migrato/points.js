/** How the points of a finished game came about. */
import { html } from "../vendor/preact.js";
import { Card, cardName, GOALS, read } from "./cards.js";
import { t, tx } from "../shell/i18n.js";
import { nameOf } from "../play/names.js";

/** The winner comes first. @param {{view: any, me: number}} props */
export function Points({ view, me }) {
  const first = view.result?.winner ?? me;
  const sides = [...view.state.players].sort((one, other) => Number(other.seat === first) - Number(one.seat === first));
  return html`<table class="points"><thead><tr><td></td>${sides.map((side) => html`<th scope="col">${nameOf(view, side.seat, me)}</th>`)}</tr></thead><tbody>
    ${Object.keys(GOALS).map((species) => html`<tr><th scope="row">${tx(`species.${species}`)}</th>${sides.map((side) => html`<td>${worth(side, species, view)}</td>`)}</tr>`)}
  </tbody><tfoot><tr><th scope="row">${t("points.sum")}</th>${sides.map((side) => html`<td><b>${side.score}</b></td>`)}</tr></tfoot></table>`;
}

/** @param {any} side @param {string} species @param {any} view */
function worth(side, species, view) {
  const top = side.arrivals[species]?.at(-1);
  const flown = side.return_flights.includes(species) ? view.options.flight_points[species] : 0;
  if (!top && !flown) return html`<span class="hush">–</span>`;
  const card = top && read(top);
  return html`${top && html`<span class="small-card"><${Card} face=${top} /><span class="unseen">${cardName(top)}</span></span> ${card.danger === null && card.birds}`}${flown ? ` +${flown}` : ""}`;
}
