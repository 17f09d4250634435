/** Both players' cards, and what lies between them. */
import { html, useState } from "../vendor/preact.js";
import { Card, cardName, GOALS, read } from "./cards.js";
import { t, tx } from "../shell/i18n.js";
import { Clock } from "../play/clock.js";
import { Dialog } from "../play/dialog.js";
import { Rating } from "../play/names.js";
import { freeSlot, movesOf } from "./picking.js";
import { whyNot } from "./prompt.js";
import { columnName, flight } from "./words.js";

/** @typedef {import("./picking.js").Pick} Pick */
/** @typedef {Map<string, any[]>} Targets */

const SLOTS = [1, 2, 3, 4];

/**
 * @param {{side: any, who: string, own: boolean, active: boolean, targets: Targets, choose: (target: string) => void, pick: Pick | null,
 *   take?: (pick: Pick) => void, view: any, picking: boolean, movable?: any[], changed: Set<string>}} props `changed`: by the last move
 */
export function Side({ side, who, own, active, targets, choose, pick, take, view, picking, movable = [], changed }) {
  const free = own ? freeSlot(side) : null;
  return html`<section class=${`side ${own ? "own" : "their"}${active ? " active" : ""}`} aria-label=${who}>
    <header class="player">
      <h2>${who}</h2><${Rating} view=${view} seat=${side.seat} />
      ${active && view.status === "playing" && html`<span class="turn-mark">${t("turn.mark")}</span>`}
      ${view.status === "playing" && view.seats[side.seat].kind === "human" && html`<${Clock} clock=${view.clock} seat=${side.seat} own=${own} />`}
      ${!own && html`<span class="hand-count" data-place="hand:their" title=${t("hand.of", { count: side.hand_size })}>
        <span class="unseen">${t("hand.of", { count: side.hand_size })}</span>
        ${side.hand ? side.hand.map((/** @type {string} */ card) => html`<span class="small-card"><${Card} face=${card} /></span>`) : Array.from({ length: side.hand_size }, () => html`<span class="small-card"><${Card} /></span>`)}
      </span>`}
      <span class="score"><b>${side.score}</b> <small>${t("points", { count: side.score })}</small></span>
    </header>
    <${Arrivals} side=${side} own=${own} targets=${targets} choose=${choose} view=${view} changed=${changed} />
    <ol class="columns" aria-label=${t("columns.of", { who })}>
      ${SLOTS.map((slot) => {
        const column = side.columns.find((/** @type {any} */ one) => one.slot === slot);
        const target = slot === free ? "own:new" : `${own ? "own" : "their"}:${slot}`;
        return html`<${Column} key=${slot} slot=${slot} column=${column} own=${own} lit=${targets.has(target)} fresh=${slot === free} choose=${() => choose(target)} pick=${pick} take=${take} picking=${picking} movable=${movable} target=${target} last=${changed.has(String(slot))} />`;
      })}
    </ol>
  </section>`;
}

/** @param {any} props */
function Column({ slot, column, own, lit, fresh, choose, pick, take, picking, movable, target, last }) {
  const cards = column?.cards ?? [];
  const known = column && flight(column);
  const held = pick?.from === "column" && pick.slot === slot ? pick.index : null;
  const label = cards.length ? cards.map((/** @type {any} */ card) => (card.down ? (card.face ? t("card.buried", { card: cardName(card.face) }) : t("card.hidden")) : cardName(card.face))).join(", ") : t("column.empty");
  return html`<li class=${`column${lit ? " lit-place" : ""}${fresh ? " fresh" : ""}${cards.length ? "" : " empty"}${last ? " last-move" : ""}`} data-place=${`${own ? "own" : "their"}:${slot}`} data-target=${target} style=${{ "--cards": cards.length || 1 }}>
    <div class="column-head" aria-hidden="true"><span>${columnName(slot)}</span>${known && html`<span>${cards.length}/${GOALS[known.species]}</span>`}</div>
    <span class="unseen">${t("column.is", { column: columnName(slot), cards: label })}${known && known.missing ? ` ${t("column.missing", { count: known.missing })}` : ""}${last ? ` ${t("last.move")}` : ""}</span>
    <div class="stack">
      ${cards.map((/** @type {any} */ card, /** @type {number} */ index) => {
        const shape = html`<${Card} face=${card.face} down=${card.down} />`;
        const classes = `placed${card.staged ? " staged" : ""}${held !== null && index >= held ? " held" : ""}`;
        const movableHere = movesOf(movable, { from: "column", slot, index }, []).length > 0 || (index === 0 && movable.some((/** @type {any} */ move) => move.type === "abandon" && move.slot === slot));
        return own && movableHere && !(picking && held === null)
          ? html`<button class=${`${classes} movable`} style=${{ "--at": index }} aria-pressed=${held === index} onClick=${() => take({ from: "column", slot, index })}>${shape}<span class="unseen">${t("column.take", { column: columnName(slot), card: card.face ? cardName(card.face) : t("card.hidden"), count: cards.length - index })}</span></button>`
          : html`<span class=${classes} style=${{ "--at": index }}>${shape}</span>`;
      })}
      ${!cards.length && html`<span class="place" aria-hidden="true">${fresh && lit ? "+" : ""}</span>`}
    </div>
    ${picking && held === null && html`<button class=${`target${lit ? " lit" : ""}`} data-target=${target} aria-label=${t(own ? "target.column" : "target.steal", { column: columnName(slot) })} aria-disabled=${!lit} tabindex=${lit ? 0 : -1} onClick=${choose}></button>`}
  </li>`;
}

/** @param {{side: any, own: boolean, targets: Targets, choose: (target: string) => void, view: any, changed: Set<string>}} props */
function Arrivals({ side, own, targets, choose, view, changed }) {
  const piles = Object.entries(/** @type {Record<string, string[]>} */ (side.arrivals));
  return html`<div class="arrivals" role="group" aria-label=${t("arrivals")} data-place=${`arrivals:${own ? "own" : "their"}`}>
    ${Object.entries(GOALS).map(([species, goal]) => {
      const pile = piles.find(([name]) => name === species)?.[1];
      const target = `pile:${species}`;
      const lit = !own && targets.has(target);
      const top = pile?.at(-1);
      if (!pile) return html`<span class=${`nest ${species}`} key=${species} data-place=${`pile:${own ? "own" : "their"}:${species}`} title=${t("nest", { species: tx(`species.${species}`), count: goal })}><svg aria-hidden="true"><use href=${`#${species}`} /></svg><small aria-hidden="true">×${goal}</small></span>`;
      return html`<span class=${`pile ${species}${lit ? " lit-place" : ""}${changed.has(species) ? " last-move" : ""}`} key=${species} data-place=${`pile:${own ? "own" : "their"}:${species}`} data-target=${own ? null : target}>
        <${Card} face=${top} />
        <span class="unseen">${t("pile.is", { species: tx(`species.${species}`), card: cardName(top), count: pile.length })}${changed.has(species) ? `. ${t("last.move")}` : ""}</span>
        <span class="pile-count" aria-hidden="true">×${pile.length}</span>
        ${lit && html`<button class="target lit" data-target=${target} aria-label=${t("target.pile", { species: tx(`species.${species}`) })} onClick=${() => choose(target)}></button>`}
      </span>`;
    })}
    ${side.return_flights.map((/** @type {string} */ species) => html`<span class=${`return ${species}`} key=${`r${species}`} title=${t("flight.card", { species: tx(`species.${species}`) })}>
      <svg aria-hidden="true"><use href=${`#${species}`} /></svg><b>+${view.options.flight_points[species]}</b><span class="unseen">${t("flight.card", { species: tx(`species.${species}`) })}</span>
    </span>`)}
  </div>`;
}

/** @param {{state: any, view: any, targets: Targets, choose: (target: string) => void}} props */
export function Middle({ state, view, targets, choose }) {
  const [fanned, setFanned] = useState(false);
  const top = state.discard_pile.at(-1);
  const lit = targets.has("discard");
  const count = state.discard_pile.length;
  const taken = state.players.flatMap((/** @type {any} */ side) => side.return_flights);
  const left = view.options.return_flight ? Object.keys(GOALS).filter((species) => !taken.includes(species)) : [];
  return html`<section class="middle" aria-label=${t("middle")}>
    <div class="deck" data-place="deck"><span class="small-card"><${Card} /></span><span>${t("deck", { count: state.deck })}</span></div>
    <div class=${`discard${lit ? " lit-place" : ""}`} data-place="discard" data-target="discard">
      <button class=${`discard-pile${lit ? " lit" : ""}`} onClick=${() => (lit ? choose("discard") : setFanned(true))} disabled=${!lit && !count}>
        <span class="small-card">${top ? html`<${Card} face=${top} />` : html`<span class="place"></span>`}</span>
        <span aria-hidden="true">${lit ? t("do.discard") : t("discard", { count })}</span><span class="unseen">${lit ? t("target.discard") : t("discard.look", { count, card: top ? cardName(top) : t("discard.empty") })}</span>
      </button>
    </div>
    ${left.length > 0 && html`<div class="flights-left" title=${t("flight.left")}><span class="unseen">${t("flight.left")}</span>${left.map((species) => html`<span class=${`return ${species}`}><svg aria-hidden="true"><use href=${`#${species}`} /></svg><b>+${view.options.flight_points[species]}</b><span class="unseen">${tx(`species.${species}`)}</span></span>`)}</div>`}
    <p class="turn">${view.options.turn_limit ? t("turn.of", { turn: view.turn, limit: view.options.turn_limit }) : t("turn", { turn: view.turn })}</p>
    ${fanned && html`<${Dialog} title=${t("discard", { count })} close=${() => setFanned(false)}>
      <p class="hush">${t("discard.order")}</p>
      <ul class="fan">${[...state.discard_pile].reverse().map((/** @type {string} */ card) => html`<li><${Card} face=${card} /><span class="unseen">${cardName(card)}</span></li>`)}</ul>
    <//>`}
  </section>`;
}

/** @param {{side: any, pick: Pick | null, take: (pick: Pick) => void, myTurn: boolean, possible: any[]}} props */
export function Hand({ side, pick, take, myTurn, possible }) {
  const hand = /** @type {string[]} */ (side.hand ?? []);
  return html`<ol class="hand" data-place="hand:own">
    ${hand.map((card, index) => {
      const held = pick?.from === "hand" && pick.index === index;
      const able = myTurn && movesOf(possible, { from: "hand", index }, hand).length > 0;
      const why = myTurn && !able ? whyNot(card, side) : null;
      const shown = read(card);
      return html`<li key=${`${card}${hand.slice(0, index).filter((other) => other === card).length}`}>
        <button class=${`hand-card${held ? " held" : ""}${able ? " able" : ""}`} data-card=${index} data-face=${card} aria-pressed=${held} title=${why} onClick=${() => take({ from: "hand", index })}>
          <span class="unseen">${why ? t("hand.card.not", { number: index + 1, why }) : t("hand.card", { number: index + 1, card: cardName(card) })}</span>
          <${Card} face=${card} />
          <span class="card-word" aria-hidden="true">${tx(shown.danger !== null ? `danger.${shown.danger}` : `species.${shown.name}`)}</span>
        </button>
      </li>`;
    })}
    ${!hand.length && html`<li class="hush">${t("hand.empty")}</li>`}
  </ol>`;
}
