/** The table of Migrato. */
import { html, useEffect, useMemo, useRef, useState } from "../vendor/preact.js";
import { Card, cardName } from "./cards.js";
import { without } from "../shell/api.js";
import { t, tx } from "../shell/i18n.js";
import { announce } from "../shell/live.js";
import { Dialog } from "../play/dialog.js";
import { Ending } from "../play/ending.js";
import { Flights } from "../play/flights.js";
import { Controls, Log } from "../play/controls.js";
import { nameOf } from "../play/names.js";
import { draggable } from "../play/dragging.js";
import { Hand, Middle, Side } from "./sides.js";
import { attempted, byTarget, freeSlot, movesOf, tellsNothing, withStaged } from "./picking.js";
import { flightsOf } from "./motion.js";
import { Points } from "./points.js";
import { columnName, moveInWords, reasonInWords, sentence, wanted } from "./words.js";

export { sentence, wanted };

/** What events sound like. @type {Record<string, number[]>} */
export const TONES = {
  bird_played: [392], cards_moved: [392], danger_played: [220, 165], arrival_failed: [247, 196],
  column_discarded: [247, 196], birds_arrived: [523, 659, 784],
};

/** @typedef {import("./picking.js").Pick} Pick */

/** @param {import("../play/play.js").Table} props */
export default function MigratoTable({ frame, me, log, fresh, busy, send, preview, hint, complain, takeBack, seat, lesson = null }) {
  const { view, version } = frame;
  const legal = frame.legal_moves ?? [];
  const { state } = view;
  const [pick, setPick] = useState(/** @type {Pick | null} */ (null));
  const [staged, setStaged] = useState(/** @type {any} */ (null));
  const [choice, setChoice] = useState(/** @type {any[]} */ ([]));
  const [advice, setAdvice] = useState(/** @type {any} */ (null));
  const root = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    setPick(null);
    setStaged(null);
    setChoice([]);
    setAdvice((/** @type {any} */ given) => (given && given.game_version === version ? given : null));
  }, [version]);

  const mine = withStaged(state.players[me], staged);
  const theirs = state.players.find((/** @type {any} */ side) => side.seat !== me);
  const myTurn = view.status === "playing" && view.to_act === me && !busy;
  const phase = staged ? "discard" : state.phase;
  const possible = staged ? [...new Set(mine.hand)].map((card) => ({ type: "discard", card })) : legal;
  const targets = useMemo(() => byTarget(movesOf(possible, pick, mine.hand)), [possible, pick]);
  const name = (/** @type {number} */ number) => nameOf(view, number, me);

  /** @param {Pick} next */
  function take(next) {
    if (!myTurn) return;
    const same = pick && JSON.stringify(pick) === JSON.stringify(next);
    setPick(same ? null : next);
    if (same) return;
    const moves = movesOf(possible, next, mine.hand);
    announce(moves.length ? t("pick.targets", { count: byTarget(moves).size }) : t("pick.nothing"));
  }

  /** @param {string} target */
  async function choose(target) {
    if (!myTurn || !pick) return;
    const own = target === `own:${freeSlot(mine)}` ? "own:new" : target;
    const moves = targets.get(own);
    if (!moves) {
      const tried = staged ? null : attempted(pick, mine.hand, own);
      if (tried) await preview(tried).catch(complain);
      return;
    }
    if (moves.length > 1) setChoice(moves);
    else await commit(moves[0]);
  }

  /** @param {any} move */
  async function commit(move) {
    setChoice([]);
    setPick(null);
    setAdvice(null);
    if (move.type === "discard" && staged) return void (await send({ ...staged, discard: move.card }));
    const canWait = ["play", "move_cards"].includes(move.type) && mine.hand.length > (move.type === "play" ? 1 : 0);
    if (canWait) {
      const previewed = await preview(move).catch(without(null));
      if (previewed && tellsNothing(previewed)) {
        setStaged(move);
        announce(wanted({ phase: "discard" }));
        return;
      }
    }
    await send(move);
  }

  async function ask() {
    const given = await hint();
    if (!given) return;
    setAdvice(given);
    const { move, reasons } = adviceInWords(given);
    announce([t("hint.says", { move }), ...reasons].join(". "));
  }

  function back() {
    if (choice.length) setChoice([]);
    else if (pick) setPick(null);
    else setStaged(null);
  }

  /** @param {KeyboardEvent} event @returns {boolean} whether the key meant something here */
  function key({ key: pressed }) {
    if (pressed === "Escape") return back(), true;
    if (!myTurn) return false;
    if (/^[1-9]$/.test(pressed)) {
      if (Number(pressed) > mine.hand.length) return false;
      const index = Number(pressed) - 1;
      take({ from: "hand", index });
      /** @type {HTMLElement | null | undefined} */ (root.current?.querySelector(`[data-card="${index}"]`))?.focus();
      return true;
    }
    const slot = "abcd".indexOf(pressed.toLowerCase()) + 1;
    if (slot && pressed.length === 1) {
      if (pick) {
        const stealing = [...targets.keys()].some((target) => /^(their|pile)/.test(target));
        void choose(stealing ? `their:${slot}` : `own:${slot}`);
      } else {
        const column = mine.columns.find((/** @type {any} */ one) => one.slot === slot);
        if (column) take({ from: "column", slot, index: column.cards.length > 1 ? column.cards.length - 1 : 0 });
      }
      return true;
    }
    if (pick?.from === "column" && /^Arrow(Up|Down)$/.test(pressed)) {
      const cards = mine.columns.find((/** @type {any} */ one) => one.slot === pick.slot).cards.length;
      setPick({ ...pick, index: Math.max(0, Math.min(cards - 1, pick.index + (pressed === "ArrowUp" ? -1 : 1))) });
      return true;
    }
    if (pick && /^Arrow/.test(pressed)) return cycle(pressed === "ArrowLeft" || pressed === "ArrowUp" ? -1 : 1), true;
    if (pressed === "Enter" && pick && targets.size === 1) return void choose(/** @type {string} */ ([...targets.keys()][0])), true;
    if (pressed === "x" && legal.some(({ type }) => type === "exchange") && !staged) return void commit({ type: "exchange" }), true;
    return false;
  }

  /** Move the focus among what is lit. @param {number} step */
  function cycle(step) {
    const lit = /** @type {HTMLElement[]} */ ([...(root.current?.querySelectorAll("button.lit") ?? [])]);
    const at = lit.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    lit.at((at + step + lit.length) % (lit.length || 1))?.focus();
  }

  const can = (/** @type {string} */ type) => myTurn && !staged && legal.some((move) => move.type === type);
  const abandonable = pick?.from === "column" && !staged && legal.some((move) => move.type === "abandon" && move.slot === pick.slot);
  const drag = draggable({ take: (index) => myTurn && setPick({ from: "hand", index }), drop: (target) => void choose(target), root });
  const over = view.status === "finished";

  return html`<div class=${`table migrato${lesson ? " lessons" : ""}${myTurn ? " my-turn" : ""}${pick ? " picking" : ""}`} ref=${root} ...${drag}>
    ${!lesson && html`<h1 class="unseen">Migrato</h1>`}
    <${Side} side=${theirs} who=${lesson ? t("learn.other") : name(theirs.seat)} own=${false} active=${view.to_act === theirs.seat} targets=${targets} choose=${choose} pick=${null} view=${view} picking=${pick !== null} />
    <${Middle} state=${state} view=${view} targets=${targets} choose=${choose} />
    <${Side} side=${mine} who=${t("name.you")} own=${true} active=${view.to_act === me} targets=${targets} choose=${choose} pick=${pick} take=${take} view=${view} picking=${pick !== null} movable=${myTurn ? possible : []} />
    ${over
      ? html`<${Ending} view=${view} me=${me} seat=${seat}><${Points} view=${view} me=${me} /><//>`
      : html`<section class="mine" aria-label=${t("hand")}>
          <p class="prompt" aria-live="off"><span>${prompt()}</span></p>
          <${Hand} hand=${mine.hand ?? []} pick=${pick} take=${take} usable=${myTurn ? possible : []} />
          <div class="actions">
            ${pick?.from === "hand" && targets.has("discard") && html`<button class="primary lit" onClick=${() => choose("discard")}>${t("do.discard")}</button>`}
            ${abandonable && html`<button onClick=${() => commit({ type: "abandon", slot: /** @type {any} */ (pick).slot })}>${t("do.abandon", { column: columnName(/** @type {any} */ (pick).slot) })}</button>`}
            ${(pick || staged) && html`<button class="quiet" onClick=${back}>${t("do.back")}</button>`}
            ${can("exchange") && !pick && html`<button onClick=${() => commit({ type: "exchange" })}>${t("do.exchange")}</button>`}
            ${can("pass") && html`<button class="primary" onClick=${() => commit({ type: "pass" })}>${t("do.pass")}</button>`}
          </div>
        </section>`}
    <${Controls} over=${over || lesson !== null} myTurn=${myTurn} ask=${ask} staged=${staged !== null} advice=${advice && adviceInWords(advice)} follow=${() => commit(advice.move)} takeBack=${takeBack} resign=${() => send({ type: "resign" })} onKey=${key} keys=${keysInWords()} />
    ${lesson ?? html`<${Log} lines=${log} />`}
    ${choice.length > 0 &&
    html`<${Dialog} title=${t("choice.title")} close=${() => setChoice([])}>
      <div class="options-list">${choice.map((move, index) => html`<button autofocus=${index === 0} onClick=${() => commit(move)}><b>${option(move)}</b><small>${optionNote(move)}</small></button>`)}</div>
    <//>`}
    <${Flights} fresh=${fresh} flightsOf=${(/** @type {any} */ event) => flightsOf(event, me)} draw=${(/** @type {any} */ face) => html`<${Card} face=${face} />`} />
  </div>`;

  function prompt() {
    if (!myTurn && lesson) return "";
    if (!myTurn) return busy ? t("prompt.sending") : t("prompt.waiting", { who: name(view.to_act ?? theirs.seat) });
    if (!pick) return lesson && phase !== "discard" ? "" : wanted({ phase });
    if (phase === "discard") return t("prompt.discard.this", { card: cardName(mine.hand[/** @type {any} */ (pick).index]) });
    const what = pick.from === "hand" ? cardName(mine.hand[pick.index]) : t("prompt.cards.from", { column: columnName(pick.slot) });
    if (!targets.size && lesson) return t("learn.not.this", { what });
    if (!targets.size) return t(abandonable ? "prompt.only.abandon" : "prompt.nowhere", { what });
    return t([...targets.keys()].some((target) => /^(their|pile)/.test(target)) ? "prompt.steal" : "prompt.where", { what });
  }
}

const REASONS = 2; // that a hint tells
const KEYS = ["1–3", "A–D", "← →", "↑ ↓", "Enter", "Esc", "X", "H", "?"];
const keysInWords = () => KEYS.map((key, index) => ({ key, does: tx(`key.migrato.${index}`) }));

/** A hint, with what speaks for it most. @param {import("../../../clients/typescript/lib/models.d.ts").Schemas["Hint"]} hint */
function adviceInWords({ move, considered }) {
  const chosen = considered.find((one) => JSON.stringify(one.move) === JSON.stringify(move));
  const reasons = (chosen?.reasons ?? []).filter(({ change }) => change > 0).slice(0, REASONS);
  return { move: moveInWords(move), reasons: reasons.map(reasonInWords) };
}

/** What makes a move another than the others to the same place. @param {any} move */
function option(move) {
  if (move.on_arrival === "return") return t("choice.return");
  if (move.uncover === true) return move.on_arrival ? t("choice.uncover.settle") : t("choice.uncover");
  if (move.uncover === false) return t("choice.keep");
  return t("choice.settle");
}

/** @param {any} move */
function optionNote(move) {
  if (move.on_arrival === "return") return t("choice.return.note");
  if (move.uncover === true) return t("choice.uncover.note");
  if (move.uncover === false) return t("choice.keep.note");
  return t("choice.settle.note");
}
