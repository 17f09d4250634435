/** Taking a move back: who asks, and what the others say. The rules of it are the engine's. */
import { html } from "../vendor/preact.js";
import { t } from "../shell/i18n.js";
import { nameOf } from "./names.js";

/** @typedef {{asked_by: number | null, to_version: number | null, missing: number[]}} Standing as the engine tells it */

/** Whether events may have changed how a request stands. @param {any[]} events */
export const concernsTakeback = (events) => events.some(({ type }) => /^(takeback_|moves_taken_back)/.test(type));

/**
 * The question, to whoever has to answer it; to the others, that it is asked.
 * @param {{standing: Standing, view: any, me: number, say: (answer: {agree: boolean, to_version: number | null}) => void, busy: boolean}} props
 */
export function Takeback({ standing: { asked_by: by, to_version: version, missing }, view, me, say, busy }) {
  if (by === null) return null;
  const answer = (/** @type {boolean} */ agree) => say({ agree, to_version: version });
  const names = missing.map((seat) => nameOf(view, seat, me)).join(", ");
  return html`<div class="panel takeback row" role="group" aria-label=${t("takeback")}>
    <p>${by === me ? t("takeback.asked", { names }) : t("takeback.question", { who: nameOf(view, by, me) })}</p>
    ${missing.includes(me) && html`<button class="primary" disabled=${busy} onClick=${() => answer(true)}>${t("takeback.agree")}</button>
      <button disabled=${busy} onClick=${() => answer(false)}>${t("takeback.refuse")}</button>`}
    ${by === me && html`<button disabled=${busy} onClick=${() => answer(false)}>${t("takeback.withdraw")}</button>`}
  </div>`;
}
