/** Light, dark, or as the system has it. */
import { local } from "./storage.js";

const THEMES = /** @type {const} */ (["auto", "light", "dark"]);
const KEY = "migrato.theme";

/** @returns {"auto" | "light" | "dark"} */
export function theme() {
  const kept = local.getItem(KEY);
  return THEMES.find((name) => name === kept) ?? "auto";
}

export const nextTheme = () => /** @type {string} */ (THEMES[(THEMES.indexOf(theme()) + 1) % THEMES.length]);

/** @param {string} [chosen] */
export function applyTheme(chosen) {
  if (chosen) local.setItem(KEY, chosen);
  document.documentElement.dataset.theme = theme();
}
