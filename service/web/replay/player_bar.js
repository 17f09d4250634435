/** The slider and the keys of a replay, and what happens at the step that is shown. */
import { html } from "../vendor/preact.js";
import { t } from "../shell/i18n.js";

/** @type {Record<string, string>} the drawing of each key, on a field of 24 */
const KEYS = {
  first: "M6 5h2v14H6zM19 5v14L9 12z",
  back: "M16 5v14L6 12z",
  play: "M7 4v16l13-8z",
  pause: "M6 5h4v14H6zM14 5h4v14h-4z",
  on: "M8 5v14l10-7z",
  last: "M16 5h2v14h-2zM5 5v14l10-7z",
};

/** @param {{name: "first" | "back" | "play" | "pause" | "on" | "last", off: boolean, press: () => void}} props */
function Key({ name, off, press }) {
  return html`<button class="icon" disabled=${off} onClick=${press} aria-label=${t(`read.${name}`)} title=${t(`read.${name}`)}>
    <svg viewBox="0 0 24 24" aria-hidden="true"><path fill="currentColor" d=${KEYS[name]} /></svg>
  </button>`;
}

/**
 * @param {{index: number, steps: number, said: string, running: boolean, isLive: boolean, to: (index: number) => void, run: (running: boolean) => void}} props
 *   `steps`: how many there are; `running`: whether it goes on by itself; `isLive`: at the last step of a game that goes on
 */
export function PlayerBar({ index, steps, said, running, isLive, to, run }) {
  const last = index >= steps - 1;
  const step = t("read.step", { step: index + 1, steps });
  return html`<section class="player-bar" aria-label=${t("read.slider")}>
    <p class="said" tabindex="0"><span aria-hidden="true">${said}</span></p>
    <input type="range" min="0" max=${steps - 1} value=${index} aria-label=${t("read.slider")} aria-valuetext=${step} onInput=${(/** @type {any} */ event) => to(Number(event.target.value))} />
    <div class="row">
      <${Key} name="first" off=${index === 0} press=${() => to(0)} />
      <${Key} name="back" off=${index === 0} press=${() => to(index - 1)} />
      <${Key} name=${running ? "pause" : "play"} off=${last} press=${() => run(!running)} />
      <${Key} name="on" off=${last} press=${() => to(index + 1)} />
      <${Key} name="last" off=${last} press=${() => to(steps - 1)} />
      <span class="where"><span class="hush">${step}</span>${isLive && html`<span class="live-mark">${t("read.live")}</span>`}</span>
    </div>
  </section>`;
}
