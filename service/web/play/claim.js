/** Claiming the win from a player who is away. The rules of it are the engine's, which says from when on it may be done. */
import { html, useEffect, useState } from "../vendor/preact.js";
import { t } from "../shell/i18n.js";
import { nameOf } from "./names.js";

/**
 * That the seat to act is away, and the button once the time is over.
 * @param {{view: any, me: number, claim: () => void, busy: boolean}} props
 */
export function Claim({ view, me, claim, busy }) {
  const { claimable_at: at, to_act: absent } = view;
  const [isTime, setIsTime] = useState(false);
  useEffect(() => {
    setIsTime(false);
    if (!at) return;
    // This computer's clock may be wrong, and the wait is no longer than the game says.
    const left = Math.min(Math.max(0, Date.parse(at) - Date.now()), 1000 * view.options.claim_after);
    const timer = setTimeout(() => setIsTime(true), left);
    return () => clearTimeout(timer);
  }, [at, absent]);
  if (!at || absent === null || absent === me) return null;
  return html`<div class="panel takeback row" role="group" aria-label=${t("claim")}>
    <p>${t(isTime ? "claim.now" : "claim.soon", { who: nameOf(view, absent, me) })}</p>
    ${isTime && html`<button class="primary" disabled=${busy} onClick=${claim}>${t("claim")}</button>`}
  </div>`;
}
