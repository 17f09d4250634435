/** What stands beside every table: hint, takeback, resignation, keys and settings, and the log. */
import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { t } from "../shell/i18n.js";
import { Dialog } from "./dialog.js";
import { isOn, Settings } from "./settings.js";

/** @typedef {{key: string, does: string}} Key what a key does, in words */
/** @typedef {{move: string, reasons: string[]}} Advice in words: what to do, and why */

const REASONS = 2; // that a hint tells

/**
 * A hint, with what speaks for it most; where nothing has a word of its own, that the other moves are worse.
 * @param {import("../../../clients/typescript/lib/models.d.ts").Schemas["Hint"]} hint
 * @param {{moveInWords: (move: any) => string, reasonInWords: (reason: any) => string}} inWords
 * @returns {Advice}
 */
export function adviceInWords({ move, considered }, { moveInWords, reasonInWords }) {
  const chosen = considered.find((one) => JSON.stringify(one.move) === JSON.stringify(move));
  const reasons = (chosen?.reasons ?? []).filter(({ change }) => change > 0).slice(0, REASONS);
  const others = considered.length - 1;
  const said = reasons.length ? reasons.map(reasonInWords) : [others > 0 ? t("hint.best", { count: others }) : t("hint.only")];
  return { move: moveInWords(move), reasons: said };
}

/** The same to be heard. @param {Advice} advice */
export const adviceToHear = ({ move, reasons }) => [t("hint.says", { move }), ...reasons].join(". ");

/**
 * @param {{over: boolean, rated: boolean, myTurn: boolean, staged: boolean, ask: () => void, advice: Advice | null, follow: () => void,
 *   takeBack?: (() => unknown) | undefined, resign: () => Promise<unknown>, onKey: (event: KeyboardEvent) => boolean, keys: Key[]}} props
 */
export function Controls({ over, rated, myTurn, staged, ask, advice, follow, takeBack, resign, onKey, keys }) {
  const [shown, setShown] = useState(/** @type {"" | "keys" | "resign"} */ (""));
  const current = useRef(/** @type {(event: KeyboardEvent) => void} */ (() => {}));
  current.current = (event) => {
    const typing = event.target instanceof Element && event.target.closest("input, select, textarea, dialog");
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key.length === 1 && !isOn("keys")) return;
    if (event.key === "Enter" && event.target instanceof Element && event.target.closest("a, summary, button:not([aria-pressed=true])")) return; // it is for what has the focus
    if (event.key === "?") setShown("keys");
    else if (event.key === "h" && myTurn && !staged && !rated) ask();
    else if (!onKey(event)) return;
    event.preventDefault();
  };
  useEffect(() => {
    const pressed = (/** @type {KeyboardEvent} */ event) => current.current(event);
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
  return html`<div class="controls" role="group" aria-label=${t("controls")}>
    ${!over &&
    html`${rated ? html`<small class="hush">${t("controls.rated")}</small>` : html`<button onClick=${ask} disabled=${!myTurn || staged} title=${t("hint.note")}><svg aria-hidden="true"><use href="#hint" /></svg>${t("hint")}</button>`}
      ${takeBack && !rated && html`<button onClick=${takeBack} disabled=${staged} title=${t("takeback.note")}><svg aria-hidden="true"><use href="#takeback" /></svg>${t("takeback")}</button>`}
      <button onClick=${() => setShown("resign")}><svg aria-hidden="true"><use href="#flag" /></svg>${t("resign")}</button>`}
    <button onClick=${() => setShown("keys")} aria-label=${t("keys.title")} title=${t("keys.title")}><span aria-hidden="true">?</span></button>
    ${advice && html`<${Advised} ...${advice} follow=${follow} />`}
    ${shown === "resign" &&
    html`<${Dialog} title=${t("resign.title")} close=${() => setShown("")}>
      <p>${t("resign.text")}</p>
      <p class="row"><button class="danger-button" onClick=${() => (setShown(""), resign())}>${t("resign.yes")}</button><button onClick=${() => setShown("")}>${t("resign.no")}</button></p>
    <//>`}
    ${shown === "keys" &&
    html`<${Dialog} title=${t("keys.title")} close=${() => setShown("")}>
      <dl class="keys">${keys.map(({ key, does }) => html`<div><dt><kbd>${key}</kbd></dt><dd>${does}</dd></div>`)}</dl>
      <h3>${t("settings")}</h3>
      <${Settings} />
    <//>`}
  </div>`;
}

/** @param {Advice & {follow: () => void}} props */
function Advised({ move, reasons, follow }) {
  return html`<div class="advice">
    <p>${t("hint.says", { move })}</p>
    <ul>${reasons.map((reason) => html`<li>${reason}</li>`)}</ul>
    <button class="primary" onClick=${follow}>${t("hint.follow")}</button>
  </div>`;
}

/** @param {{lines: import("./play.js").Line[]}} props */
export function Log({ lines }) {
  const list = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    if (list.current) list.current.scrollTop = list.current.scrollHeight;
  }, [lines.length]);
  return html`<details class="log" open=${matchMedia("(min-width: 62rem)").matches}>
    <summary>${t("log")}<span class="log-last" aria-hidden="true">${lines.at(-1)?.text ?? ""}</span></summary>
    <ol ref=${list} tabindex="0" aria-label=${t("log")}>${lines.map(({ text, mine, key }) => html`<li key=${key} class=${mine ? "mine-line" : ""}>${text}</li>`)}</ol>
  </details>`;
}
