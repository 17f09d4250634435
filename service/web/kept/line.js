/** What the page has to say of what it kept: four words to compare, and at the end whether it is what is recorded. */
import { html, useEffect, useState } from "../vendor/preact.js";
import { isFramed } from "../shell/engine.js";
import { fill, language } from "../shell/i18n.js";
import { announce } from "../shell/live.js";
import { Watch } from "./watching.js";

/** @typedef {typeof import("../words/en/kept.js").default} Words */
/** @typedef {{Kept: typeof Kept, watched: import("./watching.js").Watched, file: () => Promise<string>}} Shown */

/** A watch over a game, if the browser has what it takes. @param {import("../shell/seats.js").Seat} seat @param {(shown: Shown) => void} show */
export async function watching(seat, show) {
  if (!crypto.subtle) return null; // it is there for HTTPS
  const watch = new Watch(seat, (watched) => show({ Kept, watched, file: () => watch.file() }));
  return watch;
}

/** @param {{watched: import("./watching.js").Watched, file: () => Promise<string>, name: string}} props */
export function Kept({ watched: { version, words, wrong, seen, of }, file, name }) {
  const [say, setSay] = useState(/** @type {Words | null} */ (null));
  const code = language();
  // Where the connection is lost just then, they come with the next event.
  useEffect(() => void import(`../words/${code}/kept.js`).then((found) => setSay(found.default), () => null), [code, version]);
  const text = say && (wrong !== null ? fill(say.wrong, { version: wrong }) : of !== null ? fill(say.right, { seen, of }) : null);
  useEffect(() => void (text && announce(text)), [text]);
  if (!say) return null;

  async function save() {
    const address = URL.createObjectURL(new Blob([await file()], { type: "application/x-ndjson" }));
    Object.assign(document.createElement("a"), { href: address, download: `${name}-seen.ndjson` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
  }

  return html`<section class=${`kept ${wrong !== null ? "banner complaint" : "hush"}`} aria-label=${say.kept}>
    ${text && html`<p role=${wrong !== null ? "alert" : null}>${text}</p>`}
    ${words.length > 0 && html`<p>${fill(say.words, { version })} <b lang="en" translate="no">${words.join(" ")}</b></p>`}
    <p><button class="quiet" onClick=${save}>${say.save}</button> ${!isFramed() && html`<a href="/guide/how-to/know-that-nobody-cheats" target="_blank" rel="noopener">${say.why}</a>`}</p>
  </section>`;
}
