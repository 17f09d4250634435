/** A table: follows one game as the player of its seat, and gives each state to the table of that game. */
import { html, useEffect, useState } from "../vendor/preact.js";
import { Refused } from "../shell/api.js";
import { gameName } from "../shell/games.js";
import { announce } from "../shell/live.js";
import { t } from "../shell/i18n.js";
import { Link } from "../shell/navigation.js";
import { problemText } from "../shell/problems.js";
import { forgetSeat, keepSeat, seatIn } from "../shell/seats.js";
import { Trouble } from "../shell/trouble.js";
import { useActions } from "./acting.js";
import { Claim } from "./claim.js";
import { Dialog } from "./dialog.js";
import { useGame } from "./following.js";
import { Takeback } from "./takeback.js";
import { Waiting } from "./waiting.js";

/** @typedef {import("../shell/stream.js").Frame} Frame */
/** @typedef {import("../shell/seats.js").Seat} Seat */
/** @typedef {import("./following.js").Line} Line */
/**
 * What a table gets; a lesson's words stand in the place of what a game needs and a lesson does not.
 * @typedef {{
 *   frame: Frame, me: number, log: Line[], fresh: any[], last: any[], busy: boolean,
 *   send: (move: any) => Promise<boolean>,
 *   preview: (move: any) => Promise<any>,
 *   hint: () => Promise<any>,
 *   complain: (what: unknown) => void, takeBack?: () => Promise<unknown>, seat: Seat | null, lesson?: any
 * }} Table
 */

/** The page around a table in a frame: it is told of each state, and shows the loss of the seat itself. @typedef {{state: (view: any) => void, Lost: (props: {problem: Refused}) => any}} Around */

/** @param {{params: string[]}} props */
export default function Play({ params: [game = ""] }) {
  const [seat] = useState(() => seatIn(game));
  if (!seat) return Trouble({ title: t("play.no.seat"), text: t("play.no.seat.text"), children: html`<p><${Link} to=${`/games/${game}`}>${t("play.watch")}<//></p>` });
  return html`<${Seated} seat=${seat} />`;
}

/** @param {{seat: Seat, around?: Around | null}} props */
export function Seated({ seat, around = null }) {
  const [complaint, setComplaint] = useState(/** @type {unknown} */ (null));
  const game = useGame(seat, complain);
  const { busy, send, preview, hint, takeBack, claim, unsure, decide } = useActions(seat, game, complain);
  useEffect(() => {
    if (complaint === null) return;
    const timer = setTimeout(() => setComplaint(null), 12000);
    return () => clearTimeout(timer);
  }, [complaint]);

  useEffect(() => {
    if (game.frame) around?.state(game.frame.view);
  }, [game.frame]);

  /** @param {unknown} what null: of nothing any more */
  function complain(what) {
    setComplaint(what);
    if (what === null) return;
    announce(problemText(what));
  }

  const { frame, table, away, lost, standing, kept } = game;
  if (lost && around) return html`<${around.Lost} problem=${lost} />`;
  if (lost) return Lost({ problem: lost, game: seat.game });
  const shownComplaint = complaint !== null && Complaint({ problem: complaint, close: () => setComplaint(null) });
  if (!frame || !table) return html`${shownComplaint}<p class="waiting" role="status">${t(away ? "play.away" : "loading")}</p>`;
  const { view } = frame;
  document.title = title(view, seat.seat);
  if (view.status === "finished" && !view.state) return Trouble({ title: t("ending.aborted"), text: t("play.closed") });
  const isWrong = kept?.watched.wrong != null;
  const seen = kept && (isWrong || !(around || view.status === "waiting")) && html`<${kept.Kept} watched=${kept.watched} file=${kept.file} name=${seat.game} />`;
  return html`
    ${isWrong && seen}
    ${away && html`<p class="banner" role="alert">${t("play.away")}</p>`}
    ${unsure && html`<${Sure} decide=${decide} />`}
    ${standing && view.status === "playing" && html`<${Takeback} standing=${standing} view=${view} me=${seat.seat} say=${takeBack} busy=${busy} />`}
    ${view.status === "playing" && html`<${Claim} view=${view} me=${seat.seat} claim=${claim} busy=${busy} />`}
    ${shownComplaint}
    ${view.status === "waiting"
      ? html`<${Waiting} seat=${seatIn(seat.game) ?? seat} view=${view} />`
      : html`<${table.default} frame=${frame} me=${seat.seat} log=${game.log} fresh=${game.fresh} last=${game.last} busy=${busy} send=${send} preview=${preview} hint=${hint} complain=${complain} takeBack=${() => takeBack()} seat=${around ? null : seat} />`}
    ${!isWrong && seen}
  `;
}

/** Whether a move is meant. @param {{decide: (sure: boolean) => void}} props */
function Sure({ decide }) {
  return html`<${Dialog} title=${t("confirm.title")} close=${() => decide(false)}>
    <p class="row"><button class="primary" autofocus onClick=${() => decide(true)}>${t("confirm.yes")}</button><button onClick=${() => decide(false)}>${t("do.back")}</button></p>
  <//>`;
}

/** @param {any} view @param {number} me */
function title(view, me) {
  const what = view.status === "finished" ? t("title.over") : view.status === "waiting" ? t("title.waiting") : view.to_act === me ? t("title.yours") : t("title.theirs");
  return `${what} – ${gameName(view.game)}`;
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
