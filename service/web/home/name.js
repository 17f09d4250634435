/** What the others read of this player. */
import { html, useState } from "../vendor/preact.js";
import { t } from "../shell/i18n.js";
import { keepPlayerName, playerName } from "../shell/seats.js";

export function NameField() {
  const [name, setName] = useState(playerName());
  const change = (/** @type {any} */ event) => {
    setName(event.target.value);
    keepPlayerName(event.target.value.trim());
  };
  return html`<label class="field">${t("home.name")}
    <input type="text" name="player" maxlength="40" autocomplete="nickname" placeholder=${t("name.guest")} value=${name} onInput=${change} /></label>`;
}
