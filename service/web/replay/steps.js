/** The steps of a game: one decision and what follows from it, with the view after it, as the API's replay gives them. */
import { ask } from "../shell/api.js";
import { isKey, tx } from "../shell/i18n.js";

/** @typedef {{version: number, at: string, seat: number | null, events: any[], view: any}} Step */

const PAGE = 100;

/**
 * All steps after a version, page by page.
 * @param {string} game
 * @param {{token: string | null, viewer: string | null, after: number, more: (steps: Step[]) => boolean}} how `viewer`: a
 *   seat, or `all`, of a game that is over; `more` is told of each page, and says whether it wants another
 */
export async function readSteps(game, { token, viewer, after, more }) {
  const query = viewer === null ? "" : `&seat=${viewer}`;
  for (let from = after; ; ) {
    const page = await ask(`/v1/games/${game}/replay?after=${from}&limit=${PAGE}${query}`, { token, patient: true });
    if (!more(page.items) || page.next >= page.version || !page.items.length) return;
    from = page.next;
  }
}

/**
 * The words for a step: one for each event that has any.
 * @param {Step} step
 * @param {(event: any, context: any) => string | null} sentence
 * @param {any} context who the reader is, and what seats are called
 * @returns {string[]}
 */
export function wordsOf(step, sentence, context) {
  const words = step.events.map((event) => sentence(event, { ...context, view: step.view })).filter((text) => text !== null);
  if (words.length) return words;
  return step.events.slice(-1).map(({ type, notation }) => {
    const key = `read.event.${type}`;
    return isKey(key) ? tx(key) : notation.replace(/\bseat (\d+)\b/g, (/** @type {string} */ _, /** @type {string} */ seat) => context.name(Number(seat)));
  });
}

/** The step that shows the game as it was at a version: the first one that is not earlier, or the last. @param {Step[]} steps @param {number} version */
export function indexOf(steps, version) {
  const later = steps.findIndex((step) => step.version >= version);
  return later < 0 ? Math.max(0, steps.length - 1) : later;
}
