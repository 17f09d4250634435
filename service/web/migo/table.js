/** The table of Migo: everything lies open. */
import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { t, tx } from "../shell/i18n.js";
import { announce } from "../shell/live.js";
import { Clock } from "../play/clock.js";
import { adviceInWords, adviceToHear, Controls, Log } from "../play/controls.js";
import { Dialog } from "../play/dialog.js";
import { Ending } from "../play/ending.js";
import { Flights } from "../play/flights.js";
import { nameOf, Rating } from "../play/names.js";
import { Climber, KINDS, migoCardName } from "./cards.js";
import { layoutOf } from "./layout.js";
import { moveInWords, optionInWords, reasonInWords, sentence, wanted } from "./words.js";

export { sentence, wanted };

/** What events sound like. @type {Record<string, number[]>} */
export const TONES = { card_taken: [392], bottle_gained: [523, 659], round_ended: [523, 659, 784] };

const KEYS = ["← → ↑ ↓", "Enter", "Esc", "H", "?"];
const keysInWords = () => KEYS.map((key, index) => ({ key, does: tx(`key.migo.${index}`) }));

/** @param {import("../play/play.js").Table} props */
export default function MigoTable({ frame, me, log, fresh, last, busy, send, preview, hint, complain, takeBack, seat }) {
  const { view, version } = frame;
  const { state } = view;
  const legal = frame.legal_moves ?? [];
  const [choice, setChoice] = useState(/** @type {any[]} */ ([]));
  const [advice, setAdvice] = useState(/** @type {any} */ (null));
  const root = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    setChoice([]);
    setAdvice((/** @type {any} */ given) => (given && given.game_version === version ? given : null));
  }, [version]);
  const myTurn = view.status === "playing" && view.to_act === me && !busy;
  const over = view.status === "finished";
  const name = (/** @type {number} */ number) => nameOf(view, number, me);
  const inWords = { moveInWords: (/** @type {any} */ move) => moveInWords(move, view), reasonInWords };
  const at = new Map(state.table.map((/** @type {any} */ card) => [card.place, card]));
  const { shape, groups } = layoutOf(view);
  const changed = changedBy(last, view);

  /** @param {number} place */
  function take(place) {
    const moves = legal.filter((move) => move.place === place);
    if (moves.length > 1) setChoice(moves);
    else if (moves[0]) send(moves[0]);
    else if (myTurn) preview({ type: "take", place }).catch(complain); // the engine says why not
  }

  async function ask() {
    const given = await hint();
    if (!given) return;
    setAdvice(given);
    announce(adviceToHear(adviceInWords(given, inWords)));
  }

  /** @param {KeyboardEvent} event */
  function key({ key: pressed }) {
    if (!/^Arrow/.test(pressed) || !myTurn) return false;
    const free = /** @type {HTMLElement[]} */ ([...(root.current?.querySelectorAll("button.lit") ?? [])]);
    const index = free.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const step = pressed === "ArrowLeft" || pressed === "ArrowUp" ? -1 : 1;
    free.at(index < 0 ? 0 : (index + step + free.length) % free.length)?.focus();
    return true;
  }

  const order = [...state.players.slice(me), ...state.players.slice(0, me)];
  return html`<div class=${`table migo${myTurn ? " my-turn" : ""}`} ref=${root}>
    <h1 class="unseen">Migo</h1>
    ${!over && html`<section class="mountain" aria-label=${t("migo.mountain")}>
      <p class="turn"><b>${t("migo.round", { round: state.round })}</b> · ${tx(`layout.${state.layout}`)} · <svg class="inline" aria-hidden="true"><use href="#bottle" /></svg> ${t("migo.bottles", { count: state.bottles })}</p>
      <div class=${`layout ${shape}`}>
        ${groups.map((rows) => html`<div class="group">${rows.map((row) => html`<ol class="rank">${row.map((place) => {
          const card = /** @type {any} */ (at.get(place));
          if (!card) return html`<li key=${place} class=${`gone${changed.has(`place:${place}`) ? " last-move" : ""}`} data-place=${`place:${place}`}></li>`;
          const lit = myTurn && legal.some((move) => move.place === place);
          return html`<li key=${place} data-place=${`place:${place}`}>${lit
            ? html`<button class="lit" onClick=${() => take(place)}><${Climber} card=${card} /><span class="unseen">${t("migo.take", { card: migoCardName(card) })}</span></button>`
            : html`<span class=${card.free ? "free" : "covered"} onClick=${() => take(place)}><${Climber} card=${card} /><span class="unseen">${t(card.free ? "migo.free" : "migo.covered", { card: migoCardName(card) })}</span></span>`}</li>`;
        })}</ol>`)}</div>`)}
      </div>
    </section>`}
    ${over
      ? html`<${Ending} view=${view} me=${me} seat=${seat}><${Rounds} view=${view} me=${me} /><//>`
      : html`<p class="prompt"><span>${myTurn ? wanted() : busy ? t("prompt.sending") : t("prompt.waiting", { who: name(view.to_act) })}</span></p>`}
    <div class="yetis">${order.map((/** @type {any} */ player) => html`<${Yeti} key=${player.seat} player=${player} view=${view} clock=${view.status === "playing" && view.seats[player.seat].kind === "human" ? view.clock : null} who=${name(player.seat)} own=${player.seat === me} active=${view.to_act === player.seat} rivals=${state.players} changed=${changed} />`)}</div>
    <div class="aside">
      <${Controls} rated=${view.rated} over=${over} myTurn=${myTurn} ask=${ask} staged=${false} advice=${advice && adviceInWords(advice, inWords)} follow=${() => send(advice.move)} takeBack=${takeBack} resign=${() => send({ type: "resign" })} onKey=${key} keys=${keysInWords()} />
      <${Log} lines=${log} />
    </div>
    ${choice.length > 0 &&
    html`<${Dialog} title=${t("migo.choice")} close=${() => setChoice([])}>
      <div class="options-list">${choice.map((move, index) => html`<button autofocus=${index === 0} onClick=${() => (setChoice([]), send(move))}><b>${optionInWords(move, view)}</b></button>`)}</div>
    <//>`}
    <${Flights} fresh=${fresh} flightsOf=${flightsOf} draw=${(/** @type {any} */ card) => html`<${Climber} card=${card} />`} />
  </div>`;

  /** @param {any} event @returns {import("../play/flights.js").Flight[]} */
  function flightsOf({ type, seat, data }) {
    const faces = type === "card_taken" && view.options.card_table[data.card];
    if (!faces) return [];
    const card = { card: data.card, up: faces[data.face], down: faces[data.face === "a" ? "b" : "a"] };
    return [{ faces: [card], from: `place:${data.place}`, to: `yeti:${seat}` }];
  }
}

/**
 * What the last move has changed: places, and what kinds of gear a seat has. In a new round nothing lies where it lay.
 * @param {any[]} last its events @param {any} view @returns {Set<string>}
 */
export function changedBy(last, { options, state }) {
  const lie = new Set(state.table.map((/** @type {any} */ card) => card.place));
  const found = last.flatMap(({ type, seat, data }) => {
    const face = data.card && options.card_table[data.card]?.[data.face];
    if (type === "card_taken" && face && !lie.has(data.place)) return [`place:${data.place}`, `gear:${seat}:${face.kind}`];
    return type === "bottle_gained" ? [`gear:${seat}:bottle`] : [];
  });
  return new Set(found);
}

/** @param {{player: any, view?: any, clock: any, who: string, own: boolean, active: boolean, rivals: any[], changed: Set<string>}} props */
export function Yeti({ player, view = null, clock, who, own, active, rivals, changed }) {
  const sums = (/** @type {any} */ one) => (/** @type {string} */ kind) => one.cards.filter((/** @type {any} */ card) => card.up.kind === kind).reduce((/** @type {number} */ sum, /** @type {any} */ card) => sum + card.up.count, 0);
  const mine = sums(player);
  return html`<section class=${`yeti${own ? " own" : ""}${active ? " active" : ""}`} aria-label=${who} data-place=${`yeti:${player.seat}`}>
    <header class="player"><svg aria-hidden="true" class="face"><use href="#yeti" /></svg><h2>${who}</h2>${view && html`<${Rating} view=${view} seat=${player.seat} />`}
      ${active && html`<span class="turn-mark">${t("turn.mark")}</span>`}<${Clock} clock=${clock} seat=${player.seat} own=${own} />${player.resigned && html`<span class="hush">${t("migo.resigned")}</span>`}
      <span class="flags" role="img" aria-label=${t("migo.flags", { count: player.flags })}>${Array.from({ length: player.flags }, () => html`<svg aria-hidden="true"><use href="#flag" /></svg>`)}</span>
      <span class="score"><b>${player.score}</b> <small>${t("points", { count: player.score })}</small></span></header>
    <ul class="gear">${KINDS.map((kind) => {
      const count = kind === "bottle" ? player.bottles.full : mine(kind);
      const leads = !["hat", "bottle"].includes(kind) && count > 0 && rivals.every((other) => other === player || sums(other)(kind) < count);
      const last = changed.has(`gear:${player.seat}:${kind}`);
      return html`<li class=${`${kind}${leads ? " leads" : ""}${count ? "" : " none"}${last ? " last-move" : ""}`}><svg aria-hidden="true"><use href=${`#${kind}`} /></svg><b>${count}</b><span class="unseen">${tx(`kind.${kind}`, { count })}${leads ? ` ${t("migo.leads")}` : ""}${last ? `. ${t("last.move")}` : ""}</span></li>`;
    })}${player.bottles.empty > 0 && html`<li class="bottle"><svg aria-hidden="true"><use href="#bottle_empty" /></svg><b>${player.bottles.empty}</b><span class="unseen">${t("migo.empty", { count: player.bottles.empty })}</span></li>`}</ul>
  </section>`;
}

/** The winner comes first. @param {{view: any, me: number}} props */
export function Rounds({ view, me }) {
  const { rounds } = view.state;
  const first = view.result?.winner ?? me;
  const players = [...view.state.players].sort((one, other) => Number(other.seat === first) - Number(one.seat === first));
  return html`<table class="points"><thead><tr><td></td>${players.map((/** @type {any} */ player) => html`<th scope="col">${nameOf(view, player.seat, me)}</th>`)}</tr></thead><tbody>
    ${rounds.map((/** @type {any} */ round) => html`<tr><th scope="row">${t("migo.round", { round: round.round })}</th>${players.map(({ seat }) => html`<td>${round.winner === seat ? html`<b>${round.scores[seat]} <svg class="inline" aria-hidden="true"><use href="#flag" /></svg></b>` : round.scores[seat]}</td>`)}</tr>`)}
  </tbody></table>`;
}
