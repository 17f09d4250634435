/** Trouble: a screen for what is wrong, and a line for the page's own mistakes. */
import { html, useEffect, useState } from "../vendor/preact.js";
import { isFramed } from "./engine.js";
import { t } from "./i18n.js";
import { Link } from "./navigation.js";

/** A screen that says what is wrong, never a blank one. @param {{title: string, text: string, reload?: boolean, children?: any}} props */
export function Trouble({ title, text, reload = false, children = null }) {
  return html`<section class="trouble narrow">
    <svg class="trouble-bird" aria-hidden="true"><use href="#stilt" /></svg>
    <h1>${title}</h1>
    <p>${text}</p>
    ${children}
    <p class="row">
      ${reload && html`<button class="primary" onClick=${() => location.reload()}>${t("reload")}</button>`}
      ${!isFramed() && html`<${Link} to="/" class="button">${t("to.start")}<//>`}
    </p>
  </section>`;
}

/** The page has made a mistake that nothing else shows; the browser tells its console of it. */
export function Mistake() {
  const [mistaken, setMistaken] = useState(false);
  useEffect(() => {
    const note = () => setMistaken(true);
    addEventListener("error", note);
    addEventListener("unhandledrejection", note);
    return () => (removeEventListener("error", note), removeEventListener("unhandledrejection", note));
  }, []);
  return mistaken ? html`<p class="banner mistake" role="alert"><span>${t("trouble.text")}</span> <button onClick=${() => location.reload()}>${t("reload")}</button></p>` : null;
}
