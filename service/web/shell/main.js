/** Starts the page: words first, then the screen that the address asks for. */
import { html, render } from "../vendor/preact.js";
import { App } from "./app.js";
import { loadLanguage, preferredLanguage } from "./i18n.js";
import { applyTheme } from "./theme.js";

applyTheme();
await loadLanguage(preferredLanguage());
const place = /** @type {Element} */ (document.getElementById("app"));
place.textContent = "";
render(html`<${App} />`, place);
