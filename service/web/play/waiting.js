/** Before the game: who is to come, and the links and codes for them. */
import { html, useState } from "../vendor/preact.js";
import { ask, without } from "../shell/api.js";
import { t } from "../shell/i18n.js";
import { go } from "../shell/navigation.js";
import { forgetSeat } from "../shell/seats.js";
import { nameOf } from "./names.js";
import { Unrated } from "./unrated.js";

/** @param {{seat: import("../shell/seats.js").Seat, view: any}} props */
export function Waiting({ seat, view }) {
  const [refused, setRefused] = useState(false);
  const open = view.seats.filter((/** @type {any} */ other) => other.kind === "open").map((/** @type {any} */ other) => other.seat);
  const links = (seat.invites ?? []).filter((invite) => open.includes(Number(invite.split(".")[0])));
  const codeOf = (/** @type {string} */ invite) => seat.codes?.find((code) => code.split(".")[0] === invite.split(".")[0])?.split(".")[1];
  const here = view.seats.filter((/** @type {any} */ other) => other.kind !== "open");

  async function close() {
    try {
      await ask(`/v1/games/${seat.game}/abort`, { method: "POST" });
      forgetSeat(seat.game);
      go("/", { replace: true });
    } catch (problem) {
      without(null)(problem);
      setRefused(true);
    }
  }

  return html`<section class="narrow panel waiting-room">
    <svg class="trouble-bird" aria-hidden="true"><use href="#flock" /></svg>
    <h1>${t("waiting.head")}</h1>
    <p>${t("waiting.here", { names: here.map((/** @type {any} */ other) => nameOf(view, other.seat, seat.seat)).join(", ") })}</p>
    ${links.length > 0 && html`<p>${t("waiting.text", { count: links.length })}</p>`}
    ${links.map((invite) => html`<${Invite} key=${invite} link=${`${location.origin}/join/${seat.game}#${invite}`} code=${codeOf(invite)} />`)}
    <p class="hush" role="status">${t("waiting.status")}</p>
    <${Unrated} game=${view} />
    ${refused && html`<p class="alert" role="alert">${t("waiting.close.not")}</p>`}
    ${links.length > 0 && html`<p class="row"><button onClick=${close}>${t("waiting.close")}</button></p>`}
  </section>`;
}

/** @param {{link: string, code: string | undefined}} props */
function Invite({ link, code }) {
  const [copied, setCopied] = useState(false);
  async function copy(/** @type {any} */ event) {
    const field = event.currentTarget.parentElement.querySelector("input");
    field.select();
    await navigator.clipboard?.writeText(link).catch(() => null);
    setCopied(true);
  }
  return html`<div class="invite row">
      <input type="text" readonly value=${link} aria-label=${t("waiting.link")} onFocus=${(/** @type {any} */ event) => event.target.select()} />
      <button class="primary" onClick=${copy}>${t(copied ? "waiting.copied" : "waiting.copy")}</button>
    </div>
    ${code && html`<p class="join-code">${t("waiting.code")} <b>${code.slice(0, 4)}-${code.slice(4)}</b></p>`}`;
}
