/** What a replay is made of: the steps of a game as a viewer sees them, live while it runs, and the one that is shown. */
import { useEffect, useRef, useState } from "../vendor/preact.js";
import { without } from "../shell/api.js";
import { gameOf } from "../shell/games.js";
import { follow } from "../shell/stream.js";
import { indexOf, readSteps } from "./steps.js";

/** @typedef {import("./steps.js").Step} Step */

/**
 * @param {{game: string, token: string | null, version: number, loseSeat: () => void}} props
 *   `version`: where to begin; 0: at the end of a running game
 */
export function useReplay({ game, token, version, loseSeat }) {
  const [steps, setSteps] = useState(/** @type {Step[]} */ ([]));
  const [index, setIndex] = useState(0);
  const [viewer, setViewer] = useState(/** @type {string | null} */ (null)); // `all` or a seat, of a game that is over
  const [table, setTable] = useState(/** @type {any} */ (null));
  const [over, setOver] = useState(false);
  const [away, setAway] = useState(false);
  const [lost, setLost] = useState(/** @type {unknown} */ (null));
  const now = useRef({ steps, index, wanted: version, reading: 0 });
  now.current.steps = steps;
  now.current.index = index;

  /** The steps as that viewer saw them, from the first one. @param {string | null} next */
  async function read(next) {
    const mine = ++now.current.reading;
    let all = /** @type {Step[]} */ ([]);
    try {
      await readSteps(game, { token, viewer: next, after: 0, more: (page) => {
        if (now.current.reading !== mine) return false;
        all = [...all, ...page];
        setSteps(all);
        if (now.current.wanted) setIndex(indexOf(all, now.current.wanted));
        return true;
      } });
    } catch (problem) {
      if (now.current.reading === mine) setLost(problem);
    }
  }

  /** What has happened since. */
  async function more() {
    const { steps: before, index: at, reading } = now.current;
    const isLive = at >= before.length - 1;
    let all = before;
    await readSteps(game, { token, viewer: null, after: before.at(-1)?.version ?? 0, more: (page) => {
      if (now.current.reading !== reading) return false;
      all = [...all, ...page];
      setSteps(all);
      if (isLive) setIndex(all.length - 1);
      return true;
    } }).catch(without(null)); // the next state tells it
  }

  /** All of a game that is over; what there is of one that runs, or what has come since. @param {any} view */
  async function take(view) {
    const loaded = (await gameOf(view.game)?.shown()) ?? null;
    setTable(() => loaded);
    setAway(false);
    if (view.status === "finished") {
      setOver(true);
      if (!now.current.wanted && now.current.steps.length) now.current.wanted = view.version;
      setViewer("all");
      await read("all");
    } else if (now.current.steps.length) await more();
    else {
      if (!now.current.wanted) now.current.wanted = view.version;
      await read(null);
      now.current.wanted = 0;
    }
  }

  useEffect(() => {
    let busy = Promise.resolve();
    let ended = false;
    const stop = follow(game, token, {
      away: setAway,
      lost: (problem) => (token && problem.status === 401 ? loseSeat() : setLost(problem)),
      state: ({ view }) => void (busy = busy.then(() => (ended ? undefined : take(view)))),
    });
    return () => {
      ended = true;
      stop();
    };
  }, []);

  /** Shows a step, the nearest there is. @param {number} next @returns {Step | undefined} */
  function to(next) {
    const at = Math.max(0, Math.min(steps.length - 1, next));
    const step = steps[at];
    if (!step) return undefined;
    now.current.wanted = over ? step.version : 0;
    setIndex(at);
    history.replaceState(null, "", `#${step.version}`);
    return step;
  }

  /** Shows the same moment as somebody else saw it. @param {string} next `all` or a seat */
  function see(next) {
    now.current.wanted = steps[index]?.version ?? 0;
    setViewer(next);
    void read(next);
  }

  return { steps, index, viewer, table, over, away, lost, to, see };
}
