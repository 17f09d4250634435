/** A question over the table; Escape closes it, and the focus goes back to where it was. */
import { html, useEffect, useRef } from "../vendor/preact.js";
import { t } from "../shell/i18n.js";

/** @param {{title: string, close: () => void, children?: any}} props */
export function Dialog({ title, close, children }) {
  const element = useRef(/** @type {HTMLDialogElement | null} */ (null));
  useEffect(() => {
    const before = /** @type {HTMLElement | null} */ (document.activeElement);
    element.current?.showModal();
    return () => before?.focus?.();
  }, []);
  return html`<dialog ref=${element} class="dialog" aria-labelledby="dialog-title" onClose=${close} onKeyDown=${(/** @type {KeyboardEvent} */ event) => event.stopPropagation()}
    onClick=${(/** @type {any} */ event) => event.target === element.current && close()}>
    <header><h2 id="dialog-title">${title}</h2><button class="quiet" onClick=${close} aria-label=${t("close")}>✕</button></header>
    <div class="dialog-body">${children}</div>
  </dialog>`;
}
