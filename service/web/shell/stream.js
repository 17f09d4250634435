/**
 * A game as it changes: a stream of states, opened by a ticket, and opened again whatever happens to it.
 *
 * @typedef {{version: number, view: any, legal_moves: any[] | null, events?: any[]}} Frame
 */
import { ask, Away, isExpected, pause, Refused } from "./api.js";

// A browser has six connections to a server, for all of its tabs, and each stream holds one. So a tab that nobody looks
// at gives its stream back, and asks now and then.
const GRACE = 5000; // milliseconds out of sight until then
const EVERY = 5000; // milliseconds between two questions
// A connection may have died without a word, as while a computer slept: something must come within two heartbeats.
const BEATS = 2;
const OPENING = 10_000; // milliseconds, as long as no heartbeat has told its time
// Connections that the browser still keeps may have died with it: so many are tried for a moment each.
const KEPT = 6;
const MOMENT = 1000; // milliseconds
// A proxy may hold back what a stream sends: after two connections without a word the page asks this many times
// before it tries a third one.
const QUESTIONS = 60;

/** @typedef {{state: (frame: Frame, isFirst: boolean) => void, away: (away: boolean) => void, lost: (why: Refused) => void}} Told */

/**
 * Follow a game.
 * @param {string} game
 * @param {string | null} token of a seat, or null to watch
 * @param {Told} told `isFirst`: the first state of a connection
 * @returns {() => void} ends it
 */
export function follow(game, token, told) {
  const path = `/v1/games/${game}`;
  let turn = 0; // whoever has waited looks whether it is still on
  let timer = 0;
  let watch = 0;
  let shown = -1; // the version of the last state
  let silence = OPENING; // milliseconds for which nothing may come
  let suspects = 0; // connections that may be dead
  let inVain = 0; // connections, one after another, that were silent from the start
  let isReleased = false;
  /** @type {EventSource | null} */
  let stream = null;

  async function open() {
    const mine = ++turn;
    while (mine === turn) {
      try {
        const within = suspects-- > 0 ? { within: MOMENT } : {};
        const ticket = await ask(`${path}/tickets`, { method: "POST", token, key: "", patient: false, ...within });
        if (mine === turn) listen(ticket.stream);
        return;
      } catch (problem) {
        if (mine === turn) trouble(problem);
        await pause(suspects > 0 ? 100 : 1000);
      }
    }
  }

  /** @param {string} address */
  function listen(address) {
    const opened = (stream = new EventSource(`${address}&views=true&heartbeats=true${token ? "&presence=true" : ""}`));
    let isFirst = true;
    opened.addEventListener("open", () => (isFirst = true));
    opened.addEventListener("heartbeat", (event) => {
      silence = BEATS * JSON.parse(event.data).seconds * 1000;
      heard();
    });
    opened.addEventListener("state", (event) => {
      heard();
      show(JSON.parse(event.data), isFirst);
      isFirst = false;
    });
    opened.addEventListener("end", stop);
    opened.addEventListener("error", async () => {
      told.away(true);
      if (opened.readyState !== EventSource.CLOSED) return; // it comes again by itself
      const mine = turn;
      await pause(1000);
      if (mine === turn) await open(); // the ticket has expired: with another one
    });
    silence = suspects > 0 ? MOMENT : OPENING;
    listenOn(false);
  }

  function heard() {
    told.away(false);
    suspects = 0;
    inVain = 0;
    listenOn(true);
  }

  /** @param {Frame} frame @param {boolean} isFirst */
  function show(frame, isFirst) {
    shown = frame.version;
    told.state(frame, isFirst);
  }

  /** @param {boolean} hasTold whether the connection has brought anything */
  function listenOn(hasTold) {
    clearTimeout(watch);
    watch = setTimeout(() => {
      stream?.close();
      if (hasTold) suspects = KEPT;
      else if (suspects <= 0) return void look(inVain++ ? QUESTIONS : 1);
      told.away(true);
      void open();
    }, silence);
  }

  /** Without a stream. @param {number} [times] how often, until there is one again */
  async function look(times = Infinity) {
    const mine = ++turn;
    for (let asked = 1; mine === turn; asked++) {
      try {
        const view = await ask(path, { token });
        const frame = view.version === shown ? null : await frameOf(view);
        if (mine !== turn) return;
        told.away(false);
        if (frame) show(frame, asked === 1);
      } catch (problem) {
        if (mine !== turn) return;
        trouble(problem);
      }
      if (asked === times && mine === turn) return open();
      await pause(EVERY);
    }
  }

  /** As a stream would send it; without moves that are already of a later version. @param {any} view @returns {Promise<Frame>} */
  async function frameOf(view) {
    const isToAct = view.viewer !== null && view.viewer === view.to_act;
    const legal = isToAct ? await ask(`${path}/legal-moves`, { token }) : null;
    return { version: view.version, view, legal_moves: legal?.version === view.version ? legal.moves : null };
  }

  /** @param {unknown} problem */
  function trouble(problem) {
    if (!isExpected(problem)) throw problem;
    if (problem instanceof Away || !problem.isEngines || problem.status >= 500 || problem.status === 429) return told.away(true);
    stop();
    told.lost(problem);
  }

  function sight() {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(release, GRACE);
    else if (isReleased) {
      isReleased = false;
      void open();
    }
  }

  function release() {
    isReleased = true;
    clearTimeout(watch);
    stream?.close();
    void look();
  }

  function stop() {
    turn++;
    clearTimeout(timer);
    clearTimeout(watch);
    document.removeEventListener("visibilitychange", sight);
    stream?.close();
  }

  document.addEventListener("visibilitychange", sight);
  void open();
  sight();
  return stop;
}
