/** Messages between a table and the page whose frame it is in. Each side names the other's origin, and heeds no other. */
import { framedBy } from "../shell/engine.js";

/** @typedef {import("../../../clients/typescript/lib/embed.d.ts").TableMessage} TableMessage */
/** @typedef {import("../../../clients/typescript/lib/embed.d.ts").PageMessage} PageMessage */
/** @template Message @typedef {Message extends any ? Omit<Message, "protocol" | "game"> : never} Bare */

const PROTOCOL = 1;

/** The game whose table this is. */
export const game = location.pathname.split("/").at(-1) ?? "";

/** Tell the page around the table, if there is one. @param {Bare<TableMessage>} message */
export function tell(message) {
  const origin = framedBy();
  if (origin && parent !== window) parent.postMessage({ protocol: PROTOCOL, game, ...message }, origin);
}

/** Have `heed` called for what the page around the table says. @param {(message: PageMessage) => void} heed */
export function onMessage(heed) {
  addEventListener("message", ({ source, origin, data }) => {
    if (source === parent && parent !== window && origin === framedBy() && data?.protocol === PROTOCOL) heed(data);
  });
}
