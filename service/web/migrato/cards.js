/** The cards of Migrato as drawings. Shape tells the species, ground and lamp tell day or night, a band tells danger. */
import { html } from "../vendor/preact.js";
import { t, tx } from "../shell/i18n.js";
import { own } from "../shell/own.js";

/** @type {Record<string, string>} */
export const SPECIES = { G: "brant_goose", K: "black_kite", S: "stilt", B: "bee_eater", T: "teal" };
/** How many cards of a species arrive: printed on the cards. @type {Record<string, number>} */
export const GOALS = { brant_goose: 5, black_kite: 4, stilt: 4, bee_eater: 3, teal: 2 };
/** @type {Record<string, string>} */
const DANGERS = { HUN: "hunter", HAB: "habitat_destruction", LIG: "light_pollution" };

/**
 * A face such as `G5d`, taken apart.
 * @param {string} face
 * @returns {{danger: string, name: string} | {danger: null, name: string, birds: number, night: boolean}}
 */
export function read(face) {
  const danger = own(DANGERS, face);
  if (danger) return { danger, name: danger };
  return {
    danger: null,
    name: SPECIES[face.charAt(0)] ?? "",
    birds: Number(face.slice(1, -1)),
    night: face.endsWith("n"),
  };
}

/** A card in words: "3 black kites, day". @param {string | null | undefined} face */
export function cardName(face) {
  if (!face) return t("card.hidden");
  const card = read(face);
  if (card.danger !== null) return tx(`danger.${card.danger}`);
  return t(card.night ? "card.night" : "card.day", { count: card.birds, birds: tx(`birds.${card.name}`, { count: card.birds }) });
}

/**
 * A card. Without a face it shows its back, which is the same for all.
 * @param {{face?: string | null | undefined, down?: boolean | undefined, note?: string | null | undefined}} props
 */
export function Card({ face, down = false, note = null }) {
  if (!face || down) return Back({ note: note ?? (down ? face : null) });
  const card = read(face);
  if (card.danger !== null) return DangerCard({ name: card.danger });
  const { name, birds, night } = card;
  const step = 13;
  const first = 50 - ((birds - 1) * step) / 2 - 7;
  return html`<svg class=${`card ${night ? "night" : "day"} ${name}`} viewBox="0 0 100 140" aria-hidden="true">
    <rect class="ground" x="1" y="1" width="98" height="138" rx="9" />
    ${night
      ? html`<path class="land" d="M1 112Q25 100 50 109T99 104V130a9 9 0 0 1-9 9H10a9 9 0 0 1-9-9Z" />
          <g class="stars"><circle cx="16" cy="58" r="1.2" /><circle cx="86" cy="50" r="1.4" /><circle cx="76" cy="74" r="1" /><circle cx="24" cy="88" r="1" /></g>`
      : html`<path class="land" d="M1 114Q28 101 52 110T99 106V130a9 9 0 0 1-9 9H10a9 9 0 0 1-9-9Z" />`}
    <text class="figure" x="9" y="31">${birds}</text>
    <use class="mini" href=${`#${name}`} x="34" y="6" width="27" height="27" />
    <use class="lamp" href=${night ? "#moon" : "#sun"} x="71" y="8" width="21" height="21" />
    <use class="bird" href=${`#${name}`} x="16" y="42" width="68" height="68" />
    ${Array.from({ length: birds }, (_, index) => html`<use class="count" href=${`#${name}`} x=${first + index * step} y="117" width="14" height="14" />`)}
    <rect class="edge" x="1" y="1" width="98" height="138" rx="9" />
  </svg>`;
}

/** @param {{name: string}} props */
function DangerCard({ name }) {
  return html`<svg class=${`card danger ${name}`} viewBox="0 0 100 140" aria-hidden="true">
    <rect class="ground" x="1" y="1" width="98" height="138" rx="9" />
    <path class="band" d="M1 10a9 9 0 0 1 9-9H90a9 9 0 0 1 9 9V37H1Z" />
    <use class="mini" href=${`#${name}`} x="8" y="7" width="25" height="25" />
    ${name !== "light_pollution" && html`<use class="lamp" href="#sun" x="50" y="9" width="20" height="20" />`}
    ${name !== "hunter" && html`<use class="lamp" href="#moon" x="74" y="9" width="20" height="20" />`}
    <use class="bird" href=${`#${name}`} x="17" y="50" width="66" height="66" />
    <path class="band" d="M1 126H99V130a9 9 0 0 1-9 9H10a9 9 0 0 1-9-9Z" />
    <rect class="edge" x="1" y="1" width="98" height="138" rx="9" />
  </svg>`;
}

/** @param {{note: string | null | undefined}} props */
function Back({ note }) {
  const card = note ? read(note) : null;
  return html`<svg class="card back" viewBox="0 0 100 140" aria-hidden="true">
    <rect class="ground" x="1" y="1" width="98" height="138" rx="9" />
    <rect class="frame" x="8" y="8" width="84" height="124" rx="5" />
    <use class="flock" href="#flock" x="15" y="34" width="70" height="42" />
    <use class="flock" href="#flock" x="22" y="72" width="56" height="34" />
    ${card &&
    card.danger === null &&
    html`<g class="note"><text class="figure" x="13" y="31">${card.birds}</text><use href=${`#${card.name}`} x="34" y="11" width="23" height="23" /></g>`}
    <rect class="edge" x="1" y="1" width="98" height="138" rx="9" />
  </svg>`;
}
