/** A table: follows one game as the player of its seat, and gives each state to the table of that game. */
import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { Link, Trouble } from "../shell/app.js";
import { ask, Refused } from "../shell/api.js";
import { announce } from "../shell/live.js";
import { t } from "../shell/i18n.js";
import { own } from "../shell/own.js";
import { problemText } from "../shell/problems.js";
import { forgetSeat, keepSeat, seatIn } from "../shell/seats.js";
import { follow } from "../shell/stream.js";
import { Dialog } from "./dialog.js";
import { nameOf } from "./names.js";
import { isOn } from "./settings.js";
import { play } from "./sounds.js";
import { concernsTakeback, Takeback } from "./takeback.js";
import { Waiting } from "./waiting.js";

/** @typedef {import("../shell/stream.js").Frame} Frame */
/** @typedef {import("../shell/seats.js").Seat} Seat */
/** @typedef {{text: string, mine: boolean, key: number}} Line */
/**
 * What a table gets; a lesson's words stand in the place of what a game needs and a lesson does not.
 * @typedef {{
 *   frame: Frame, me: number, log: Line[], fresh: any[], busy: boolean,
 *   send: (move: any, how?: {match?: number}) => Promise<boolean>,
 *   preview: (move: any) => Promise<any>,
 *   hint: () => Promise<any>,
 *   complain: (what: unknown) => void, takeBack?: () => Promise<void>, seat: Seat | null, lesson?: any
 * }} Table
 */

/**
 * `sentence`: what happened, in words; `wanted`: what the rules want of whoever is to move.
 * @type {Record<string, () => Promise<{default: (props: Table) => any, sentence: (event: any, context: any) => string | null, wanted: (state: any) => string}>>}
 */
const TABLES = {
  migrato: () => import("../migrato/table.js"),
  migo: () => import("../migo/table.js"),
};

/** @param {{params: string[]}} props */
export default function Play({ params: [game = ""] }) {
  const [seat] = useState(() => seatIn(game));
  if (!seat) return Trouble({ title: t("play.no.seat"), text: t("play.no.seat.text"), children: html`<p><${Link} to=${`/games/${game}`}>${t("play.watch")}<//></p>` });
  return html`<${Seated} seat=${seat} />`;
}

/** @param {{seat: Seat}} props */
function Seated({ seat }) {
  const path = `/v1/games/${seat.game}`;
  const { token } = seat;
  const [frame, setFrame] = useState(/** @type {Frame | null} */ (null));
  const [table, setTable] = useState(/** @type {any} */ (null));
  const [away, setAway] = useState(false);
  const [lost, setLost] = useState(/** @type {Refused | null} */ (null));
  const [log, setLog] = useState(/** @type {Line[]} */ ([]));
  const [fresh, setFresh] = useState(/** @type {any[]} */ ([]));
  const [complaint, setComplaint] = useState(/** @type {unknown} */ (null));
  const [busy, setBusy] = useState(false);
  const [standing, setStanding] = useState(/** @type {import("./takeback.js").Standing | null} */ (null));
  const [unsure, setUnsure] = useState(/** @type {{decide: (sure: boolean) => void} | null} */ (null));
  const told = useRef({ version: -1, reading: false, asked: false, last: /** @type {Frame | null} */ (null), key: 0 });

  useEffect(() => {
    const offline = () => setAway(true);
    addEventListener("offline", offline);
    addEventListener("engine-away", offline);
    const stop = follow(seat.game, token, { state, away: setAway, lost: setLost });
    return () => (stop(), removeEventListener("offline", offline), removeEventListener("engine-away", offline));
  }, []);
  useEffect(() => {
    if (complaint === null) return;
    const timer = setTimeout(() => setComplaint(null), 12000);
    return () => clearTimeout(timer);
  }, [complaint]);

  /** @param {Frame} next */
  async function state(next) {
    if (told.current.last && next.version < told.current.last.version) return; // an older one, of another request
    told.current.last = next;
    const module = await own(TABLES, next.view.game)?.();
    setTable(() => module);
    setFrame(next);
    setAway(false);
    remember(next);
    await tell(module);
  }

  /** What happened since the last state that was told, in words. @param {any} module */
  async function tell(module) {
    const { current } = told;
    if (current.reading) return;
    current.reading = true;
    try {
      while (current.last && current.version < current.last.version) {
        const first = current.version < 0;
        const after = first ? 0 : current.version;
        const page = await ask(`${path}/events?after=${after}&limit=1000`, { token, patient: true });
        const view = current.last.view;
        const context = { me: seat.seat, view, name: (/** @type {number} */ number) => nameOf(view, number, seat.seat) };
        const lines = page.events
          .map((/** @type {any} */ event) => ({ text: module.sentence(event, context), mine: event.seat === seat.seat }))
          .filter((/** @type {any} */ line) => line.text)
          .map((/** @type {any} */ line) => ({ ...line, key: current.key++ }));
        current.version = page.version ?? current.last.version;
        setLog((before) => [...before, ...lines]);
        if (current.asked || concernsTakeback(page.events)) {
          const now = await ask(`${path}/takeback`, { token, patient: true });
          current.asked = now.asked_by !== null;
          setStanding(now);
        }
        if (!first) {
          setFresh(page.events);
          play(page.events, view.to_act === seat.seat);
          for (const line of lines) announce(line.text);
        }
        if (view.status === "playing" && view.to_act === seat.seat) announce(module.wanted(view.state));
      }
    } catch {
      // The next state tells it.
    } finally {
      current.reading = false;
    }
  }

  /** @param {Frame} next */
  function remember(next) {
    const names = next.view.seats.filter((/** @type {any} */ other) => other.seat !== seat.seat).map((/** @type {any} */ other) => nameOf(next.view, other.seat, seat.seat));
    keepSeat({ ...(seatIn(seat.game) ?? seat), names, over: next.view.status === "finished", at: Date.now() });
  }

  /** @param {any} move @param {{match?: number}} [how] */
  async function send(move, { match } = {}) {
    const version = match ?? told.current.last?.version;
    if (isOn("confirm") && move.type !== "resign" && !(await new Promise((decide) => setUnsure({ decide })))) return false;
    setBusy(true);
    setComplaint(null);
    try {
      const answer = await ask(`${path}/moves`, { method: "POST", token, body: move, ...(version === undefined ? {} : { match: version }) });
      await state({ version: answer.version, view: answer.game, legal_moves: await legal(answer) });
      return true;
    } catch (problem) {
      setComplaint(problem);
      announce(problemText(problem));
      return false;
    } finally {
      setBusy(false);
    }
  }

  /** What may follow at once, if it is still this seat's turn. @param {any} answer */
  async function legal({ game }) {
    if (game.to_act !== seat.seat) return null;
    return (await ask(`${path}/legal-moves`, { token, patient: true })).moves;
  }

  /** @param {{agree: boolean, to_version: number | null}} [word] an answer; without one, this player asks */
  async function takeBack(word) {
    setBusy(true);
    setComplaint(null);
    try {
      await ask(`${path}/takeback`, { method: "POST", token, ...(word ? { body: word } : {}) });
    } catch (problem) {
      complain(problem);
    } finally {
      setBusy(false);
    }
  }

  /** @param {boolean} sure */
  function decide(sure) {
    unsure?.decide(sure);
    setUnsure(null);
  }

  const preview = (/** @type {any} */ move) => ask(`${path}/moves?dry_run=true`, { method: "POST", token, body: move, key: "" });

  async function hint() {
    setBusy(true);
    try {
      return await ask(`${path}/hint`, { token, patient: true });
    } catch (problem) {
      setComplaint(problem);
      return null;
    } finally {
      setBusy(false);
    }
  }

  /** @param {unknown} what */
  function complain(what) {
    setComplaint(what);
    announce(problemText(what));
  }

  if (lost) return Lost({ problem: lost, game: seat.game });
  if (!frame || !table) return html`<p class="waiting" role="status">${t(away ? "play.away" : "loading")}</p>`;
  const { view } = frame;
  document.title = title(view, seat.seat);
  if (view.status === "finished" && !view.state) return Trouble({ title: t("ending.aborted"), text: t("play.closed") });
  return html`
    ${away && html`<p class="banner" role="alert">${t("play.away")}</p>`}
    ${unsure && html`<${Dialog} title=${t("confirm.title")} close=${() => decide(false)}>
      <p class="row"><button class="primary" autofocus onClick=${() => decide(true)}>${t("confirm.yes")}</button><button onClick=${() => decide(false)}>${t("do.back")}</button></p>
    <//>`}
    ${standing && view.status === "playing" && html`<${Takeback} standing=${standing} view=${view} me=${seat.seat} say=${takeBack} busy=${busy} />`}
    ${complaint !== null && Complaint({ problem: complaint, close: () => setComplaint(null) })}
    ${view.status === "waiting"
      ? html`<${Waiting} seat=${seatIn(seat.game) ?? seat} view=${view} />`
      : html`<${table.default} frame=${frame} me=${seat.seat} log=${log} fresh=${fresh} busy=${busy} send=${send} preview=${preview} hint=${hint} complain=${complain} takeBack=${() => takeBack()} seat=${seat} />`}
  `;
}

/** @param {any} view @param {number} me */
function title(view, me) {
  const what = view.status === "finished" ? t("title.over") : view.status === "waiting" ? t("title.waiting") : view.to_act === me ? t("title.yours") : t("title.theirs");
  return `${what} – ${view.game === "migo" ? "Migo" : "Migrato"}`;
}

/** What was refused, with the rule that says so. @param {{problem: any, close: () => void}} props */
function Complaint({ problem, close }) {
  const rule = problem instanceof Refused ? problem.problem.rule : null;
  const url = problem instanceof Refused ? problem.problem.rule_url : null;
  return html`<div class="banner complaint" role="alert">
    <span>${problemText(problem)} ${rule && url && html`<a href=${url} target="_blank" rel="noopener">${t("rule", { rule })}</a>`}</span>
    <button class="quiet" onClick=${close} aria-label=${t("close")}>✕</button>
  </div>`;
}

/** @param {{problem: Refused, game: string}} props */
function Lost({ problem, game }) {
  const gone = problem.isGone;
  const seat = seatIn(game);
  if (gone) forgetSeat(game);
  else if (seat && !seat.over) keepSeat({ ...seat, over: true }); // there is nothing to go on with
  return Trouble({ title: t(gone ? "play.gone" : "play.lost"), text: t(gone ? "play.gone.text" : "play.lost.text"), children: gone ? null : html`<p><${Link} to=${`/games/${game}`}>${t("play.watch")}<//></p>` });
}
