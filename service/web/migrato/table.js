/** The table of Migrato. */
import { html, useEffect, useMemo, useRef, useState } from "../vendor/preact.js";
import { Card } from "./cards.js";
import { without } from "../shell/api.js";
import { t } from "../shell/i18n.js";
import { announce } from "../shell/live.js";
import { Dialog } from "../play/dialog.js";
import { Ending } from "../play/ending.js";
import { Flights } from "../play/flights.js";
import { adviceInWords, adviceToHear, Controls, Log } from "../play/controls.js";
import { nameOf } from "../play/names.js";
import { draggable } from "../play/dragging.js";
import { Hand, Middle, Side } from "./sides.js";
import { attempted, byTarget, freeSlot, movesOf, tellsNothing, withStaged } from "./picking.js";
import { keysInWords, pressed } from "./keys.js";
import { changedOn, flightsOf } from "./motion.js";
import { Points } from "./points.js";
import { promptFor, whyNot } from "./prompt.js";
import { columnName, moveInWords, reasonInWords, sentence, wanted } from "./words.js";

export { sentence, wanted };

/** What events sound like. @type {Record<string, number[]>} */
export const TONES = {
  bird_played: [392], cards_moved: [392], danger_played: [220, 165], arrival_failed: [247, 196],
  column_discarded: [247, 196], birds_arrived: [523, 659, 784],
};

/** @typedef {import("./picking.js").Pick} Pick */

/** @param {import("../play/play.js").Table} props */
export default function MigratoTable({ frame, me, log, fresh, last, busy, send, preview, hint, complain, takeBack, seat, lesson = null }) {
  const { view, version } = frame;
  const legal = frame.legal_moves ?? [];
  const { state } = view;
  const [pick, setPick] = useState(/** @type {Pick | null} */ (null));
  const [staged, setStaged] = useState(/** @type {any} */ (null));
  const [asking, setAsking] = useState(false); // what would follow: until that is known, nothing else can be picked
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
  const myTurn = view.status === "playing" && view.to_act === me && !busy && !asking;
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
    announce(moves.length ? t("pick.targets", { count: byTarget(moves).size }) : next.from === "hand" ? whyNot(/** @type {string} */ (mine.hand[next.index]), mine) : t("pick.nothing"));
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
      setAsking(true);
      try {
        const previewed = await preview(move).catch(without(null));
        if (previewed && tellsNothing(previewed)) {
          setStaged(move);
          announce(wanted({ phase: "discard" }));
          return;
        }
      } finally {
        setAsking(false);
      }
    }
    await send(move);
  }

  async function ask() {
    const given = await hint();
    if (!given) return;
    setAdvice(given);
    announce(adviceToHear(adviceInWords(given, { moveInWords, reasonInWords })));
  }

  function back() {
    if (choice.length) setChoice([]);
    else if (pick) setPick(null);
    else setStaged(null);
  }

  const press = (/** @type {KeyboardEvent} */ { key }) => pressed(key, { hand: mine.hand, columns: mine.columns, myTurn, pick, targets, root, take, choose, setPick, back, exchange: can("exchange") ? () => void commit({ type: "exchange" }) : null });
  const can = (/** @type {string} */ type) => myTurn && !staged && legal.some((move) => move.type === type);
  const abandonable = pick?.from === "column" && !staged && legal.some((move) => move.type === "abandon" && move.slot === pick.slot);
  const drag = draggable({ take: (index) => myTurn && setPick({ from: "hand", index }), drop: (target) => void choose(target), root });
  const over = view.status === "finished";

  return html`<div class=${`table migrato${lesson ? " lessons" : ""}${myTurn ? " my-turn" : ""}${pick ? " picking" : ""}`} ref=${root} ...${drag}>
    ${!lesson && html`<h1 class="unseen">Migrato</h1>`}
    <${Side} side=${theirs} who=${lesson ? t("learn.other") : name(theirs.seat)} own=${false} active=${view.to_act === theirs.seat} targets=${targets} choose=${choose} pick=${null} view=${view} picking=${pick !== null} changed=${changedOn(last, theirs.seat)} />
    <${Middle} state=${state} view=${view} targets=${targets} choose=${choose} />
    <${Side} side=${mine} who=${t("name.you")} own=${true} active=${view.to_act === me} targets=${targets} choose=${choose} pick=${pick} take=${take} view=${view} picking=${pick !== null} movable=${myTurn ? possible : []} changed=${changedOn(last, me)} />
    ${over
      ? html`<${Ending} view=${view} me=${me} seat=${seat}><${Points} view=${view} me=${me} /><//>`
      : html`<section class="mine" aria-label=${t("hand")}>
          <p class="prompt" aria-live="off"><span>${promptFor({ myTurn, busy: busy || asking, lesson: lesson !== null, pick, phase, targets, side: mine, abandonable, other: name(view.to_act ?? theirs.seat) })}</span></p>
          <${Hand} side=${mine} pick=${pick} take=${take} myTurn=${myTurn} possible=${possible} />
          <div class="actions">
            ${pick?.from === "hand" && targets.has("discard") && html`<button class="primary lit" onClick=${() => choose("discard")}>${t("do.discard")}</button>`}
            ${abandonable && html`<button onClick=${() => commit({ type: "abandon", slot: /** @type {any} */ (pick).slot })}>${t("do.abandon", { column: columnName(/** @type {any} */ (pick).slot) })}</button>`}
            ${(pick || staged) && html`<button class="quiet" onClick=${back}>${t("do.back")}</button>`}
            ${can("exchange") && !pick && html`<button onClick=${() => commit({ type: "exchange" })}>${t("do.exchange")}</button>`}
            ${can("pass") && html`<button class="primary" onClick=${() => commit({ type: "pass" })}>${t("do.pass")}</button>`}
          </div>
        </section>`}
    <div class="aside">
      <${Controls} rated=${view.rated} over=${over || lesson !== null} myTurn=${myTurn} ask=${ask} staged=${staged !== null} advice=${advice && adviceInWords(advice, { moveInWords, reasonInWords })} follow=${() => commit(advice.move)} takeBack=${takeBack} resign=${() => send({ type: "resign" })} onKey=${press} keys=${keysInWords()} />
      ${lesson ?? html`<${Log} lines=${log} />`}
    </div>
    ${choice.length > 0 &&
    html`<${Dialog} title=${t("choice.title")} close=${() => setChoice([])}>
      <div class="options-list">${choice.map((move, index) => html`<button autofocus=${index === 0} onClick=${() => commit(move)}><b>${option(move)}</b><small>${optionNote(move)}</small></button>`)}</div>
    <//>`}
    <${Flights} fresh=${fresh} flightsOf=${(/** @type {any} */ event) => flightsOf(event, me)} draw=${(/** @type {any} */ face) => html`<${Card} face=${face} />`} />
  </div>`;
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
