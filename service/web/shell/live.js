/** What a screen reader is told: one polite region, which speaks each text once. */
import { html, useEffect, useState } from "../vendor/preact.js";

const KEPT = 40; // texts: more than happens between two states, so that none is gone before it was spoken

/** @type {((texts: string[]) => void) | null} */
let tell = null;

/** Say it. @param {string} text */
export function announce(text) {
  tell?.([text]);
}

export function Live() {
  const [said, setSaid] = useState(/** @type {{key: number, text: string}[]} */ ([]));
  useEffect(() => {
    let key = 0;
    tell = (texts) => setSaid((before) => [...before, ...texts.map((text) => ({ key: key++, text }))].slice(-KEPT));
    return () => void (tell = null);
  }, []);
  return html`<div id="live" class="unseen" role="log" aria-live="polite" aria-relevant="additions">
    ${said.map(({ key, text }) => html`<p key=${key}>${text}</p>`)}
  </div>`;
}
