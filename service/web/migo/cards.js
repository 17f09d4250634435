/** The cards of Migo: what shows, and small at the edge what is on the other side. */
import { html } from "../vendor/preact.js";
import { t, tx } from "../shell/i18n.js";

/** @typedef {{kind: string, count: number}} Face */
/** @typedef {{card: string, up: Face, down: Face}} MigoCard */

export const KINDS = ["rope", "crampons", "ice_axe", "carabiner", "hat", "bottle"];

/** @param {Face} face */
export const faceName = ({ kind, count }) => tx(`kind.${kind}`, { count });

/** @param {MigoCard} card */
export const migoCardName = ({ up, down }) => t("migo.card", { up: faceName(up), down: faceName(down) });

/** @param {{card: MigoCard}} props */
export function Climber({ card: { up, down } }) {
  const two = up.count > 1;
  return html`<svg class=${`card climber ${up.kind}`} viewBox="0 0 100 120" aria-hidden="true">
    <rect class="ground" x="1" y="1" width="98" height="118" rx="9" />
    <path class="edge-back" d="M1 10a9 9 0 0 1 9-9H90a9 9 0 0 1 9 9V30H1Z" />
    <text class="figure small" x="10" y="22">${up.count || ""}</text><use class="mini" href=${`#${up.kind}`} x="25" y="5" width="20" height="20" />
    <path class="turns" d="M51 15h8m-3-4 4 4-4 4" />
    <text class="figure small other" x="62" y="22">${down.count || ""}</text><use class="mini other" href=${`#${down.kind}`} x="78" y="6" width="18" height="18" />
    ${two
      ? html`<use class="bird" href=${`#${up.kind}`} x="8" y="42" width="46" height="46" /><use class="bird" href=${`#${up.kind}`} x="46" y="62" width="46" height="46" />`
      : html`<use class="bird" href=${`#${up.kind}`} x="20" y="42" width="60" height="60" />`}
    <rect class="edge" x="1" y="1" width="98" height="118" rx="9" />
  </svg>`;
}
