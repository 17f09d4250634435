/** What the page knows of the engine that serves it, from the document. */

/** Whether the engine's games are its apps': without a key nobody begins one, or sees its players. */
export const isForApps = () => "forApps" in document.documentElement.dataset;

/** The origin of the page in whose frame this table is; "" outside of such a page; null on every page but an embedded table. */
export const framedBy = () => document.documentElement.dataset.framed ?? null;

/** Whether this is a table for a frame of another page. */
export const isFramed = () => framedBy() !== null;
