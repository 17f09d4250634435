/** Migrato, as the page knows it before a table is opened. */
import { html } from "../vendor/preact.js";

/** @type {import("../shell/games.js").Game} */
export default {
  id: "migrato",
  name: "Migrato",
  picture: "brant_goose",
  seats: [2],
  lessons: "/learn",
  Hero,
  table: () => import("./table.js"),
  shown: () => import("./shown.js"),
};

function Hero() {
  return html`<svg class="hero-birds" viewBox="0 0 320 150" aria-hidden="true">
    <circle class="hero-sun" cx="238" cy="72" r="42" />
    <use href="#black_kite" x="205" y="12" width="74" height="74" /><use href="#brant_goose" x="16" y="74" width="62" height="62" /><use href="#stilt" x="92" y="62" width="72" height="72" />
    <use href="#teal" x="246" y="92" width="56" height="56" /><use href="#bee_eater" x="160" y="20" width="44" height="44" />
    <path class="hero-ground" d="M0 138Q80 126 160 135T320 132V150H0Z" />
  </svg>`;
}
