/** Starts a table in a frame of another page; nothing else of the page is there. */
import { html, render } from "../vendor/preact.js";
import { loadLanguage, preferredLanguage } from "../shell/i18n.js";
import { applyTheme } from "../shell/theme.js";
import { Embedded } from "./embedded.js";

applyTheme();
await loadLanguage(preferredLanguage());
const place = /** @type {Element} */ (document.getElementById("app"));
place.textContent = "";
render(html`<${Embedded} />`, place);
