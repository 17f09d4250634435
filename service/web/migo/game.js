/** Migo, as the page knows it before a table is opened. */
import { html } from "../vendor/preact.js";

/** @type {import("../shell/games.js").Game} */
export default {
  id: "migo",
  name: "Migo",
  picture: "yeti",
  seats: [2, 3, 4],
  lessons: null,
  Hero,
  table: () => import("./table.js"),
  shown: () => import("./shown.js"),
};

function Hero() {
  return html`<svg class="hero-birds hero-mountain" viewBox="0 0 320 150" aria-hidden="true">
    <circle class="hero-sun" cx="238" cy="72" r="42" />
    <path class="hero-peaks" d="M0 150 70 52l34 40 58-78 62 88 34-34 62 82Z" />
    <use href="#yeti" x="120" y="66" width="80" height="80" /><use href="#ice_axe" x="28" y="96" width="44" height="44" /><use href="#carabiner" x="250" y="98" width="40" height="40" />
    <path class="hero-ground" d="M0 138Q80 126 160 135T320 132V150H0Z" />
  </svg>`;
}
