/** What a player likes at the table; this browser keeps it. */
import { html, useState } from "../vendor/preact.js";
import { t } from "../shell/i18n.js";
import { local } from "../shell/storage.js";

/** Each with the key that it is kept under, and whether it is on where nothing is kept. */
const SETTINGS = /** @type {const} */ ({
  keys: { kept: "migrato.keys", usual: true },
  sounds: { kept: "migrato.sounds", usual: false },
  confirm: { kept: "migrato.confirm", usual: false },
});

/** @param {keyof typeof SETTINGS} name */
export function isOn(name) {
  const { kept, usual } = SETTINGS[name];
  const found = local.getItem(kept);
  return found === null ? usual : found === "1";
}

/** A box for each of them. */
export function Settings() {
  const [, setTimes] = useState(0);
  const toggle = (/** @type {keyof typeof SETTINGS} */ name) => {
    local.setItem(SETTINGS[name].kept, isOn(name) ? "0" : "1");
    setTimes((times) => times + 1);
  };
  return html`${/** @type {(keyof typeof SETTINGS)[]} */ (Object.keys(SETTINGS)).map(
    (name) => html`<label class="check" key=${name}><input type="checkbox" checked=${isOn(name)} onChange=${() => toggle(name)} /><span>${t(`settings.${name}`)}</span></label>`,
  )}`;
}
