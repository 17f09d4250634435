/** A table in a frame: played with the seat that its ticket is for, or watched without a ticket. */
import { html, useEffect, useErrorBoundary, useState } from "../vendor/preact.js";
import { ask, Away, Refused } from "../shell/api.js";
import { languages, loadLanguage, t } from "../shell/i18n.js";
import { Live } from "../shell/live.js";
import { keepSeat, seatIn } from "../shell/seats.js";
import { applyTheme } from "../shell/theme.js";
import { Mistake, Trouble } from "../shell/trouble.js";
import { Seated } from "../play/play.js";
import { game, onMessage, tell } from "./messages.js";
import { useSize } from "./size.js";
import { Watched } from "./watched.js";

/** @typedef {"ticket" | "seat" | "gone" | "unreachable" | "mistake"} Code why a table shows nothing more */

const TICKET = new URLSearchParams(location.search).get("ticket");

export function Embedded() {
  const [, setTold] = useState(0);
  const [isOpen, setOpen] = useState(TICKET === null);
  const [closed, setClosed] = useState(/** @type {unknown} */ (null));
  const [mistake] = useErrorBoundary((problem) => console.error(problem));
  useSize();
  useEffect(() => {
    onMessage(async (message) => {
      if (message.type === "migrato:theme") applyTheme(message.theme);
      if (message.type === "migrato:language" && Object.hasOwn(languages(), message.language)) await loadLanguage(message.language);
      setTold((times) => times + 1);
    });
    tell({ type: "migrato:ready" });
    if (TICKET !== null) sitDown(TICKET).then(() => setOpen(true), setClosed);
  }, []);
  const seat = seatIn(game);
  return html`<main id="main" tabindex="-1"><${Mistake} />${content()}</main><${Live} />`;

  function content() {
    if (mistake) return html`<${Closed} code="mistake" problem=${mistake} />`;
    if (closed) return html`<${Closed} code=${closed instanceof Away ? "unreachable" : "ticket"} problem=${closed} />`;
    if (!isOpen) return html`<p class="waiting" role="status">${t("loading")}</p>`;
    return seat ? html`<${Seated} seat=${seat} around=${{ state, Lost }} />` : html`<${Watched} game=${game} around=${{ state, Lost }} />`;
  }
}

/** Take the seat that the ticket is for; this page keeps its token, and loses it with the frame. @param {string} ticket */
async function sitDown(ticket) {
  const { seat, token } = await ask(`/v1/games/${game}/embed-tickets/redeem`, { method: "POST", token: ticket });
  keepSeat({ game, kind: "", seat, token, names: [], at: Date.now() });
}

let told = ""; // the last state that the page around the table heard of

/** Tell the page around the table of a turn, and of the end. @param {any} view */
function state({ viewer: seat, status, to_act, turn_version, result, aborted }) {
  const now = status === "playing" ? `turn ${turn_version}` : status;
  if (now === told || status === "waiting") return;
  told = now;
  if (status === "playing") tell({ type: "migrato:turn", seat, to_act, yours: seat !== null && to_act === seat });
  else tell({ type: "migrato:over", seat, aborted: aborted ?? false, result });
}

/** The engine shows this game no more. @param {{problem: Refused}} props */
const Lost = ({ problem }) => html`<${Closed} code=${problem.isGone ? "gone" : "seat"} problem=${problem} />`;

/** @type {{[code in Code]: () => [string, string]}} */
const WORDS = {
  ticket: () => [t("embed.ticket"), t("embed.ticket.text")],
  seat: () => [t("play.lost"), t("play.lost.text")],
  gone: () => [t("read.gone"), t("read.gone.text")],
  unreachable: () => [t("trouble.title"), t("problem.away")],
  mistake: () => [t("trouble.title"), t("trouble.text")],
};

/** There is no table to be shown: the reader is told, and the page around it. @param {{code: Code, problem: any}} props */
function Closed({ code, problem }) {
  useEffect(() => tell({ type: "migrato:error", code, detail: String(problem.message) }), []);
  const [title, text] = WORDS[code]();
  return Trouble({ title, text });
}
