/** A game to read: live while it runs, step by step from every seat, and its proof. */
import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { Trouble } from "../shell/app.js";
import { Refused, without } from "../shell/api.js";
import { gameName, gameOf } from "../shell/games.js";
import { t } from "../shell/i18n.js";
import { announce } from "../shell/live.js";
import { problemText } from "../shell/problems.js";
import { seatIn } from "../shell/seats.js";
import { follow } from "../shell/stream.js";
import { nameOf } from "../play/names.js";
import { Name } from "../people/names.js";
import { Analysis } from "./analysis.js";
import { Fork } from "./fork.js";
import { indexOf, readSteps, wordsOf } from "./steps.js";

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
  const [steps, setSteps] = useState(/** @type {Step[]} */ ([]));
  const [index, setIndex] = useState(0);
  const [viewer, setViewer] = useState(/** @type {string | null} */ (null));
  const [table, setTable] = useState(/** @type {any} */ (null));
  const [over, setOver] = useState(false);
  const [running, setRunning] = useState(false); // by itself
  const [away, setAway] = useState(false);
  const [lost, setLost] = useState(/** @type {unknown} */ (null));
  const [forking, setForking] = useState(false);
  const now = useRef({ steps: /** @type {Step[]} */ ([]), index: 0, wanted: version, reading: 0, key: /** @type {(event: KeyboardEvent) => void} */ (() => {}) });
  now.current.steps = steps;
  now.current.index = index;

  /** The steps as that viewer saw them, from the first one. @param {string | null} next */
  async function read(next) {
    const mine = ++now.current.reading;
    let all = /** @type {Step[]} */ ([]);
    try {
      await readSteps(game, { token, viewer: next, after: 0, more: (page) => {
        if (now.current.reading !== mine) return false;
        all = [...all, ...page];
        setSteps(all);
        if (now.current.wanted) setIndex(indexOf(all, now.current.wanted));
        return true;
      } });
    } catch (problem) {
      if (now.current.reading === mine) setLost(problem);
    }
  }

  /** What has happened since. */
  async function more() {
    const { steps: before, index: at, reading } = now.current;
    const isLive = at >= before.length - 1;
    let all = before;
    await readSteps(game, { token, viewer: null, after: before.at(-1)?.version ?? 0, more: (page) => {
      if (now.current.reading !== reading) return false;
      all = [...all, ...page];
      setSteps(all);
      if (isLive) setIndex(all.length - 1);
      return true;
    } }).catch(without(null)); // the next state tells it
  }

  useEffect(() => {
    let busy = Promise.resolve();
    let ended = false;
    const stop = follow(game, token, {
      away: setAway,
      lost: (problem) => (token && problem.status === 401 ? loseSeat() : setLost(problem)),
      state: ({ view }) => {
        const finished = view.status === "finished";
        busy = busy.then(async () => {
          if (ended) return;
          const loaded = (await gameOf(view.game)?.shown()) ?? null;
          setTable(() => loaded);
          setAway(false);
          if (finished) {
            setOver(true);
            if (!now.current.wanted && now.current.steps.length) now.current.wanted = view.version;
            setViewer("all");
            await read("all");
          } else if (now.current.steps.length) await more();
          else {
            if (!now.current.wanted) now.current.wanted = view.version;
            await read(null);
            now.current.wanted = 0;
          }
        });
      },
    });
    const pressed = (/** @type {KeyboardEvent} */ event) => now.current.key(event);
    addEventListener("keydown", pressed);
    return () => {
      ended = true;
      stop();
      removeEventListener("keydown", pressed);
    };
  }, []);
  useEffect(() => {
    if (!running) return;
    const timer = setInterval(() => {
      const { steps: all, index: at } = now.current;
      if (at >= all.length - 1) setRunning(false);
      else to(at + 1);
    }, PACE);
    return () => clearInterval(timer);
  }, [running]);

  /** @param {number} next */
  function to(next) {
    const { steps: all } = now.current;
    const at = Math.max(0, Math.min(all.length - 1, next));
    const step = all[at];
    if (!step) return;
    now.current.wanted = over ? step.version : 0;
    setIndex(at);
    history.replaceState(null, "", `#${step.version}`);
    announce(words(step).join(" "));
  }

  /** @param {string} next */
  function see(next) {
    now.current.wanted = steps[index]?.version ?? 0;
    setViewer(next);
    void read(next);
  }

  const me = viewer !== null && viewer !== "all" ? Number(viewer) : null;
  const mine = held?.seat ?? null;
  /** @param {Step} step */
  const words = (step) => wordsOf(step, table?.sentence ?? (() => null), { me: mine, name: (/** @type {number} */ seat) => nameOf(step.view, seat, mine) });

  if (lost && !steps.length) {
    if (!(lost instanceof Refused && [403, 404, 410].includes(lost.status))) return Trouble({ title: t("trouble.title"), text: problemText(lost), reload: true });
    return isSeatLost ? Trouble({ title: t("play.lost"), text: t("read.lost.text") }) : Trouble({ title: t("read.gone"), text: t("read.gone.text") });
  }
  const step = steps[index];
  if (!step || !table) return html`<p class="waiting" role="status">${t(away ? "play.away" : "loading")}</p>`;
  const { view } = step;
  const called = view.seats.map((/** @type {any} */ seat) => nameOf(view, seat.seat, mine));
  const between = called.length > 2 ? ", " : t("read.against");
  const names = called.join(between);
  document.title = `${names} – ${gameName(view.game)}`;
  const viewers = ["all", ...view.seats.map((/** @type {any} */ seat) => String(seat.seat))];
  const last = index >= steps.length - 1;
  const forkable = view.status === "playing" && (over || held !== null);
  now.current.key = (event) => {
    const busy = event.target instanceof Element && event.target.closest("input, select, textarea, dialog");
    if (busy || event.ctrlKey || event.metaKey || event.altKey) return;
    const pressing = event.target instanceof Element && event.target.closest("button, a, summary");
    if (event.key === "ArrowLeft") to(index - 1);
    else if (event.key === "ArrowRight") to(index + 1);
    else if (event.key === "Home") to(0);
    else if (event.key === "End") to(steps.length - 1);
    else if (event.key === " " && !pressing) setRunning(!running && !last);
    else if (event.key === "v" && over && !table.isOpen) see(/** @type {string} */ (viewers[(viewers.indexOf(viewer ?? "all") + 1) % viewers.length]));
    else return;
    event.preventDefault();
  };
  return html`
    ${(away || lost) && html`<p class="banner" role="alert">${t(lost ? "read.gone.now" : "play.away")}</p>`}
    ${isSeatLost && html`<p class="hush" role="status">${t("read.lost")}</p>`}
    <header class="reading-head"><h1>${view.seats.map((/** @type {any} */ { seat }, /** @type {number} */ at) => html`${at > 0 && between}<${Name} view=${view} seat=${seat} me=${mine} />`)}</h1><p class="hush">${over ? t(steps.at(-1)?.view.aborted ? "ending.aborted" : "read.over") : view.status === "waiting" ? t("read.waiting") : t("read.running")}</p></header>
    <div class="reading-body">
      <div>
        <${table.default} view=${!over && last ? view : { ...view, clock: null }} me=${mine} below=${me ?? mine ?? 0} />
        <section class="player-bar" aria-label=${t("read.slider")}>
          <p class="said"><span aria-hidden="true">${words(step).join(" ")}</span></p>
          <input type="range" min="0" max=${steps.length - 1} value=${index} aria-label=${t("read.slider")} aria-valuetext=${t("read.step", { step: index + 1, steps: steps.length })} onInput=${(/** @type {any} */ event) => to(Number(event.target.value))} />
          <div class="row">
            <${Key} name="first" off=${index === 0} press=${() => to(0)} />
            <${Key} name="back" off=${index === 0} press=${() => to(index - 1)} />
            <${Key} name=${running ? "pause" : "play"} off=${last} press=${() => setRunning(!running)} />
            <${Key} name="on" off=${last} press=${() => to(index + 1)} />
            <${Key} name="last" off=${last} press=${() => to(steps.length - 1)} />
            <span class="hush">${t("read.step", { step: index + 1, steps: steps.length })}</span>
            ${!over && last && html`<span class="live-mark">${t("read.live")}</span>`}
          </div>
        </section>
        <div class="row reading-tools">
          ${over && !table.isOpen && html`<label class="as">${t("read.as")} <select onChange=${(/** @type {any} */ event) => see(event.target.value)}>
            ${viewers.map((one) => html`<option value=${one} selected=${one === viewer}>${one === "all" ? t("read.as.all") : nameOf(view, Number(one), mine)}</option>`)}
          </select></label>`}
          <button disabled=${!forkable} title=${forkable ? null : t(over ? "fork.over" : "fork.watching")} onClick=${() => setForking(true)}>${t("fork.open")}</button>
          <span class="hush keys-note">${t("read.keys")}</span>
        </div>
        ${over && table.moveInWords && html`<${Analysis} game=${game} token=${token} steps=${steps} index=${index} to=${to} moveInWords=${table.moveInWords} reasonInWords=${table.reasonInWords} name=${(/** @type {number} */ seat) => nameOf(view, seat, mine)} />`}
      </div>
      <${Steps} steps=${steps} index=${index} to=${to} words=${words} />
    </div>
    ${forking && html`<${Fork} view=${view} running=${!over} held=${over ? null : held} close=${() => setForking(false)} />`}
  `;
}

/** @type {Record<string, string>} the drawing of each key, on a field of 24 */
const KEYS = {
  first: "M6 5h2v14H6zM19 5v14L9 12z",
  back: "M16 5v14L6 12z",
  play: "M7 4v16l13-8z",
  pause: "M6 5h4v14H6zM14 5h4v14h-4z",
  on: "M8 5v14l10-7z",
  last: "M16 5h2v14h-2zM5 5v14l10-7z",
};

/** @param {{name: "first" | "back" | "play" | "pause" | "on" | "last", off: boolean, press: () => void}} props */
function Key({ name, off, press }) {
  return html`<button class="icon" disabled=${off} onClick=${press} aria-label=${t(`read.${name}`)} title=${t(`read.${name}`)}>
    <svg viewBox="0 0 24 24" aria-hidden="true"><path fill="currentColor" d=${KEYS[name]} /></svg>
  </button>`;
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
