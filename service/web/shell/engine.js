/** What the page knows of the engine that serves it, from the document. */

/** Whether the engine's games are its apps': without a key nobody begins one, or sees its players. */
export const isForApps = () => "forApps" in document.documentElement.dataset;
