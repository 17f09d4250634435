/** Trouble: a screen for what is wrong. */
import { html } from "../vendor/preact.js";
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
      <${Link} to="/" class="button">${t("to.start")}<//>
    </p>
  </section>`;
}
