/** A game to read: live while it runs, step by step from every seat, and its proof. */
import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { Refused } from "../shell/api.js";
import { isForApps } from "../shell/engine.js";
import { gameName } from "../shell/games.js";
import { t } from "../shell/i18n.js";
import { announce } from "../shell/live.js";
import { problemText } from "../shell/problems.js";
import { seatIn } from "../shell/seats.js";
import { Trouble } from "../shell/trouble.js";
import { lastMove } from "../play/last_move.js";
import { nameOf } from "../play/names.js";
import { Name } from "../people/names.js";
import { Analysis } from "./analysis.js";
import { Fork } from "./fork.js";
import { useReplay } from "./following.js";
import { PlayerBar } from "./player_bar.js";
import { wordsOf } from "./steps.js";

/** @typedef {import("./steps.js").Step} Step */

const PROOF = "#proof";
const PACE = 1400; // milliseconds of a step while the game runs by itself

/** @param {{params: string[]}} props */
export default function Game({ params: [game = ""] }) {
  const [proof, setProof] = useState(location.hash === PROOF);
  const [version, setVersion] = useState(() => Number(/^#(\d+)$/.exec(location.hash)?.[1] ?? 0));
  const [Proof, setProofPage] = useState(/** @type {null | {of: any}} */ (null));
  const [isSeatLost, setSeatLost] = useState(false); // its token is good no more
  const held = isSeatLost ? null : seatIn(game);
  useEffect(() => {
    if (proof) import("../proof/page.js").then((module) => setProofPage({ of: module.Proof }));
    history.replaceState(null, "", proof ? PROOF : version ? `#${version}` : location.pathname);
  }, [proof]);
  /** @param {number} at */
  const look = (at) => {
    setVersion(at);
    setProof(false);
  };
  return html`<div class="reading">
    <nav class="tabs" aria-label=${t("read.tabs")}>
      <button aria-current=${proof ? null : "page"} onClick=${() => setProof(false)}>${t("read.replay")}</button>
      <button aria-current=${proof ? "page" : null} onClick=${() => setProof(true)}>${t("read.proof")}</button>
    </nav>
    ${proof
      ? html`<div class="proof">${Proof ? html`<${Proof.of} game=${game} token=${held?.token ?? null} look=${look} />` : html`<p class="waiting" role="status">${t("loading")}</p>`}</div>`
      : html`<${Replay} key=${isSeatLost} game=${game} held=${held} version=${version} isSeatLost=${isSeatLost} loseSeat=${() => setSeatLost(true)} />`}
  </div>`;
}

/**
 * @param {{game: string, held: import("../shell/seats.js").Seat | null, version: number, isSeatLost: boolean, loseSeat: () => void}} props
 *   `version`: where to begin; 0: at the end of a running game
 */
function Replay({ game, held, version, isSeatLost, loseSeat }) {
  const token = held?.token ?? null;
  const { steps, index, viewer, table, over, away, lost, to, see } = useReplay({ game, token, version, loseSeat });
  const [running, setRunning] = useState(false); // by itself
  const [forking, setForking] = useState(false);
  const last = index >= steps.length - 1;
  useEffect(() => {
    if (!running) return;
    if (last) return setRunning(false);
    const timer = setTimeout(() => go(index + 1), PACE);
    return () => clearTimeout(timer);
  }, [running, index, last]);
  const key = useRef(pressed);
  key.current = pressed; // of this step, before the next key comes
  useEffect(() => {
    const listener = (/** @type {KeyboardEvent} */ event) => key.current(event);
    addEventListener("keydown", listener);
    return () => removeEventListener("keydown", listener);
  }, []);

  const step = steps[index];
  const viewers = ["all", ...(step?.view.seats ?? []).map((/** @type {any} */ seat) => String(seat.seat))];
  const me = viewer !== null && viewer !== "all" ? Number(viewer) : null;
  const mine = held?.seat ?? null;
  /** @param {Step} step */
  const words = (step) => wordsOf(step, table?.sentence ?? (() => null), { me: mine, name: (/** @type {number} */ seat) => nameOf(step.view, seat, mine) });

  /** @param {number} next */
  function go(next) {
    const shown = to(next);
    if (shown) announce(words(shown).join(" "));
  }

  /** @param {KeyboardEvent} event */
  function pressed(event) {
    const { target } = event;
    const isOf = (/** @type {string} */ what) => target instanceof Element && target.closest(what);
    if (!step || isOf("input, select, textarea, dialog") || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "ArrowLeft") go(index - 1);
    else if (event.key === "ArrowRight") go(index + 1);
    else if (event.key === "Home") go(0);
    else if (event.key === "End") go(steps.length - 1);
    else if (event.key === " " && !isOf("button, a, summary")) setRunning(!running && !last);
    else if (event.key === "v" && over && !table.isOpen) see(/** @type {string} */ (viewers[(viewers.indexOf(viewer ?? "all") + 1) % viewers.length]));
    else return;
    event.preventDefault();
  }

  if (lost && !steps.length) {
    if (!(lost instanceof Refused && [403, 404, 410].includes(lost.status))) return Trouble({ title: t("trouble.title"), text: problemText(lost), reload: true });
    return isSeatLost ? Trouble({ title: t("play.lost"), text: t("read.lost.text") }) : Trouble({ title: t("read.gone"), text: t("read.gone.text") });
  }
  if (!step || !table) return html`<p class="waiting" role="status">${t(away ? "play.away" : "loading")}</p>`;
  const { view } = step;
  const called = view.seats.map((/** @type {any} */ seat) => nameOf(view, seat.seat, mine));
  const between = called.length > 2 ? ", " : t("read.against");
  const names = called.join(between);
  document.title = `${names} – ${gameName(view.game)}`;
  const forkable = view.status === "playing" && (over || held !== null);
  return html`
    ${(away || lost) && html`<p class="banner" role="alert">${t(lost ? "read.gone.now" : "play.away")}</p>`}
    ${isSeatLost && html`<p class="hush" role="status">${t("read.lost")}</p>`}
    <header class="reading-head"><h1>${view.seats.map((/** @type {any} */ { seat }, /** @type {number} */ at) => html`${at > 0 && between}<${Name} view=${view} seat=${seat} me=${mine} />`)}</h1><p class="hush">${over ? t(steps.at(-1)?.view.aborted ? "ending.aborted" : "read.over") : view.status === "waiting" ? t("read.waiting") : t("read.running")}</p></header>
    <div class="reading-body">
      <div>
        <${table.default} view=${!over && last ? view : { ...view, clock: null }} me=${mine} below=${me ?? mine ?? 0} last=${lastMove(step.events, view.last_move)} />
        <${PlayerBar} index=${index} steps=${steps.length} said=${words(step).join(" ")} running=${running} isLive=${!over && last} to=${go} run=${setRunning} />
        <${table.Result} view=${view} me=${mine} />
        <div class="row reading-tools">
          ${over && !table.isOpen && html`<label class="as">${t("read.as")} <select onChange=${(/** @type {any} */ event) => see(event.target.value)}>
            ${viewers.map((one) => html`<option value=${one} selected=${one === viewer}>${one === "all" ? t("read.as.all") : nameOf(view, Number(one), mine)}</option>`)}
          </select></label>`}
          ${(held || !isForApps()) && html`<button disabled=${!forkable} title=${forkable ? null : t(over ? "fork.over" : "fork.watching")} onClick=${() => setForking(true)}>${t("fork.open")}</button>`}
          <span class="hush keys-note">${t("read.keys")}</span>
        </div>
        ${over && table.moveInWords && html`<${Analysis} game=${game} token=${token} steps=${steps} index=${index} to=${go} moveInWords=${table.moveInWords} reasonInWords=${table.reasonInWords} name=${(/** @type {number} */ seat) => nameOf(view, seat, mine)} />`}
      </div>
      <${Steps} steps=${steps} index=${index} to=${go} words=${words} />
    </div>
    ${forking && html`<${Fork} view=${view} running=${!over} held=${over ? null : held} close=${() => setForking(false)} />`}
  `;
}

/** What happened, step by step; the one that is shown stays in sight. @param {{steps: Step[], index: number, to: (index: number) => void, words: (step: Step) => string[]}} props */
function Steps({ steps, index, to, words }) {
  const list = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    const { current } = list;
    const shown = /** @type {HTMLElement | null} */ (current?.children[index] ?? null);
    if (current && shown) current.scrollTop = shown.offsetTop - current.clientHeight / 2;
  }, [index, steps.length]);
  return html`<section class="steps" aria-label=${t("read.log")}>
    <h2>${t("read.log")}</h2>
    <ol ref=${list} tabindex="0" aria-label=${t("read.log")}>
      ${steps.map((step, at) => html`<li key=${step.version}><button class="quiet" aria-current=${at === index ? "step" : null} onClick=${() => to(at)}>${words(step).join(" ")}</button></li>`)}
    </ol>
  </section>`;
}
