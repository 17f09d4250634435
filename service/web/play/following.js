/** A game as it goes on: each state as it comes, and then what has happened, in words. */
import { useEffect, useRef, useState } from "../vendor/preact.js";
import { ask, isExpected } from "../shell/api.js";
import { gameOf } from "../shell/games.js";
import { announce } from "../shell/live.js";
import { keepSeat, seatIn } from "../shell/seats.js";
import { follow } from "../shell/stream.js";
import { lastMove } from "./last_move.js";
import { nameOf } from "./names.js";
import { play } from "./sounds.js";
import { concernsTakeback } from "./takeback.js";

/** @typedef {import("../shell/stream.js").Frame} Frame */
/** @typedef {import("../shell/seats.js").Seat} Seat */
/** @typedef {import("../shell/games.js").Table} Table */
/** @typedef {{text: string, mine: boolean, key: number}} Line */
/** @typedef {import("../kept/line.js").Shown} Kept */
/** @typedef {{version: number, reading: boolean, asked: boolean, last: Frame | null, key: number, turn: number, compared: number}} Told up to which version it was told, of which it was told whose turn it is, and compared with the record */

/** @returns {Told} */
const nothingYet = () => ({ version: -1, reading: false, asked: false, last: null, key: 0, turn: -1, compared: -1 });

/**
 * @param {Seat} seat
 * @param {(what: unknown) => void} complain
 */
export function useGame(seat, complain) {
  const [frame, setFrame] = useState(/** @type {Frame | null} */ (null));
  const [table, setTable] = useState(/** @type {Table | null} */ (null));
  const [away, setAway] = useState(false);
  const [lost, setLost] = useState(/** @type {import("../shell/api.js").Refused | null} */ (null));
  const [log, setLog] = useState(/** @type {Line[]} */ ([]));
  const [fresh, setFresh] = useState(/** @type {any[]} */ ([]));
  const [last, setLast] = useState(/** @type {any[]} */ ([])); // what the last move did
  const [standing, setStanding] = useState(/** @type {import("./takeback.js").Standing | null} */ (null));
  const [kept, setKept] = useState(/** @type {Kept | null} */ (null));
  const told = useRef(nothingYet());
  const watch = useRef(/** @type {ReturnType<typeof import("../kept/line.js").watching> | null} */ (null));
  const path = `/v1/games/${seat.game}`;
  const quietly = { token: seat.token, patient: true };

  useEffect(() => {
    const offline = () => setAway(true);
    addEventListener("offline", offline);
    addEventListener("engine-away", offline);
    const stop = follow(seat.game, seat.token, { state: (next, isFirst) => void show(next, isFirst).catch(complain), away: setAway, lost: setLost });
    return () => (stop(), removeEventListener("offline", offline), removeEventListener("engine-away", offline));
  }, []);

  /** @param {Frame} next @param {boolean} [isFirst] the first one of a connection */
  async function show(next, isFirst = false) {
    if (next.events) void keep(next.events, { isPeek: true });
    const { last } = told.current;
    if (last && next.version < last.version) {
      if (!isFirst || !(await isSetBack(last))) return; // an older one, of another request
      told.current = { ...nothingYet(), key: told.current.key };
      setLog([]);
      setLast([]);
    }
    told.current.last = next;
    const module = await gameOf(next.view.game)?.table();
    if (!module) throw new Error(`There is no table for ${next.view.game}.`);
    if (told.current.last !== next) return; // a later one came while the table was fetched
    setTable(() => module);
    setFrame(next);
    setAway(false);
    remember(seat, next);
    void tell(module).catch(complain); // nobody waits for words
  }

  /** Whether the engine has lost moves that were shown. @param {Frame} last */
  const isSetBack = async (last) => (await ask(path, quietly)).version < last.version;

  /** Everything up to the last state, while states may go on to come. @param {Table} module */
  async function tell(module) {
    const { current } = told;
    if (current.reading) return;
    current.reading = true;
    try {
      const isFirst = current.version < 0;
      const news = [];
      while (current.last && current.version < current.last.version) news.push(...(await tellMore(current, current.last.view, module)));
      const wanted = isWanted(current); // here, as the last events may have come before the state after them
      if (!isFirst && (news.length || wanted)) play(news, module.TONES, wanted);
      if (wanted) announce(module.wanted(current.last?.view.state));
      if (current.last?.view.status === "finished" && current.compared < current.version) {
        current.compared = current.version; // here, for the same reason
        void keep([], { isOver: true });
      }
    } catch (problem) {
      if (!isExpected(problem)) throw problem; // else the next state tells it
    } finally {
      current.reading = false;
    }
  }

  /** Whether something is wanted of this player, and that was not told yet. @param {Told} current */
  function isWanted(current) {
    const { last, version, turn } = current;
    if (last?.version !== version || turn === version) return false;
    current.turn = version;
    return last.view.status === "playing" && last.view.to_act === seat.seat;
  }

  /** What happened since the last state that was told: its events. @param {Told} current @param {any} view @param {Table} module @returns {Promise<any[]>} */
  async function tellMore(current, view, module) {
    const isFirst = current.version < 0;
    const page = await ask(`${path}/events?after=${isFirst ? 0 : current.version}&limit=1000`, quietly);
    const lines = linesOf(page.events, { me: seat.seat, view, name: (number) => nameOf(view, number, seat.seat) }, module).map((line) => ({ ...line, key: current.key++ }));
    current.version = page.version;
    void keep(page.events, { isLate: isFirst && view.status === "finished" });
    setLog((before) => [...before, ...lines]);
    setLast((before) => lastMove([...before, ...page.events], view.last_move));
    if (current.asked || concernsTakeback(page.events)) {
      const now = await ask(`${path}/takeback`, quietly);
      current.asked = now.asked_by !== null;
      setStanding(now);
    }
    if (!isFirst) {
      setFresh(page.events);
      for (const line of lines) announce(line.text);
    }
    return page.events;
  }

  /** Nobody waits for it. @param {any[]} events @param {import("../kept/watching.js").When} when */
  async function keep(events, when) {
    watch.current ??= import("../kept/line.js").then(({ watching }) => watching(seat, setKept));
    await watch.current.then((watch) => watch?.see(events, when), () => (watch.current = null));
  }

  return { frame, table, away, lost, log, fresh, last, standing, kept, show, turnVersion: () => told.current.last?.view.turn_version };
}

/** @param {any[]} events @param {{me: number, view: any, name: (seat: number) => string}} context @param {Table} module */
const linesOf = (events, context, module) =>
  events.flatMap((event) => {
    const text = module.sentence(event, context);
    return text ? [{ text, mine: event.seat === context.me }] : [];
  });

/** What the start tells of the game. @param {Seat} seat @param {Frame} frame */
function remember(seat, { view }) {
  const names = view.seats.filter((/** @type {any} */ other) => other.seat !== seat.seat).map((/** @type {any} */ other) => nameOf(view, other.seat, seat.seat));
  keepSeat({ ...(seatIn(seat.game) ?? seat), kind: view.game, names, over: view.status === "finished", at: Date.now() });
}
