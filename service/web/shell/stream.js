/**
 * A game as it changes: a stream of states, opened by a ticket, and opened again whatever happens to it.
 *
 * @typedef {{version: number, view: any, legal_moves: any[] | null}} Frame
 */
import { ask, Away, pause, Refused } from "./api.js";

/**
 * Follow a game.
 * @param {string} game
 * @param {string | null} token of a seat, or null to watch
 * @param {{state: (frame: Frame, isFirst: boolean) => void, away: (away: boolean) => void, lost: (why: Refused) => void}} told
 *   `isFirst`: the first state of a connection
 * @returns {() => void} ends it
 */
export function follow(game, token, told) {
  let ended = false;
  /** @type {EventSource | null} */
  let stream = null;

  async function open() {
    while (!ended) {
      try {
        const ticket = await ask(`/v1/games/${game}/tickets`, { method: "POST", token, key: "", patient: false });
        if (!ended) return listen(ticket.stream);
      } catch (problem) {
        if (problem instanceof Refused && problem.status < 500 && problem.status !== 429) return told.lost(problem);
        if (!(problem instanceof Refused || problem instanceof Away)) throw problem;
        told.away(true);
        await pause(1000);
      }
    }
  }

  /** @param {string} address */
  function listen(address) {
    stream = new EventSource(`${address}&views=true`);
    let isFirst = true;
    stream.addEventListener("open", () => (isFirst = true));
    stream.addEventListener("state", (event) => {
      told.away(false);
      told.state(JSON.parse(event.data), isFirst);
      isFirst = false;
    });
    stream.addEventListener("end", () => stop());
    stream.addEventListener("error", async () => {
      told.away(true);
      if (stream?.readyState !== EventSource.CLOSED) return; // it comes again by itself
      await pause(1000);
      open(); // the ticket has expired: with another one
    });
  }

  function stop() {
    ended = true;
    stream?.close();
  }

  open();
  return stop;
}
