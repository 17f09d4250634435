/** The way from one address of the page to another. */
import { html } from "../vendor/preact.js";

/**
 * Show another address of the page.
 * @param {string} path
 * @param {{replace?: boolean}} [how]
 */
export function go(path, { replace = false } = {}) {
  history[replace ? "replaceState" : "pushState"](null, "", path);
  window.scrollTo(0, 0);
  dispatchEvent(new Event("navigated"));
}

/** Have `act` called whenever another address is to be shown; what is returned ends that. @param {() => void} act */
export function onNavigation(act) {
  addEventListener("navigated", act);
  addEventListener("popstate", act);
  return () => (removeEventListener("navigated", act), removeEventListener("popstate", act));
}

/** A link within the page. @param {{to: string, class?: string, children?: any}} props */
export function Link({ to, children, ...rest }) {
  const click = (/** @type {MouseEvent} */ event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    go(to);
  };
  return html`<a href=${to} onClick=${click} ...${rest}>${children}</a>`;
}
