/** A table of Migo to look at. */
import { html } from "../vendor/preact.js";
import { t, tx } from "../shell/i18n.js";
import { nameOf } from "../play/names.js";
import { Climber, migoCardName } from "./cards.js";
import { layoutOf } from "./layout.js";
import { changedBy, Rounds, Yeti } from "./table.js";

/** Everybody sees the same. */
export const isOpen = true;

export { moveInWords, reasonInWords, sentence } from "./words.js";

/** The rounds that are over. @param {{view: any, me: number | null}} props */
export const Result = ({ view, me }) => (view.state.rounds.length ? html`<${Rounds} view=${view} me=${me ?? -1} />` : null);

/** @param {{view: any, me: number | null, below: number, last: any[]}} props */
export default function ShownMigo({ view, me, below, last }) {
  const changed = changedBy(last, view);
  const { state } = view;
  const at = new Map(state.table.map((/** @type {any} */ card) => [card.place, card]));
  const { shape, groups } = layoutOf(view);
  const order = [...state.players.slice(below), ...state.players.slice(0, below)];
  return html`<div class="table migo shown">
    <section class="mountain" aria-label=${t("migo.mountain")}>
      <p class="turn"><b>${t("migo.round", { round: state.round })}</b> · ${tx(`layout.${state.layout}`)}</p>
      <div class=${`layout ${shape}`}>
        ${groups.map((rows) => html`<div class="group">${rows.map((row) => html`<ol class="rank">${row.map((place) => {
          const card = /** @type {any} */ (at.get(place));
          if (!card) return html`<li key=${place} class=${`gone${changed.has(`place:${place}`) ? " last-move" : ""}`}></li>`;
          return html`<li key=${place}><span class=${card.free ? "free" : "covered"}><${Climber} card=${card} /><span class="unseen">${t(card.free ? "migo.free" : "migo.covered", { card: migoCardName(card) })}</span></span></li>`;
        })}</ol>`)}</div>`)}
      </div>
    </section>
    <div class="yetis">${order.map((/** @type {any} */ player) => html`<${Yeti} key=${player.seat} player=${player} clock=${view.clock} who=${nameOf(view, player.seat, me)} own=${false} active=${view.to_act === player.seat} rivals=${state.players} changed=${changed} />`)}</div>
  </div>`;
}
