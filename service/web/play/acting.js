/** What a player does at a table: moves, hints, taking back, and claiming the win. */
import { useState } from "../vendor/preact.js";
import { ask, SLOW } from "../shell/api.js";
import { isOn } from "./settings.js";

/** @typedef {import("../shell/stream.js").Frame} Frame */

/**
 * @param {import("../shell/seats.js").Seat} seat
 * @param {{turnVersion: () => number | undefined, show: (frame: Frame) => Promise<void>}} game
 * @param {(what: unknown) => void} complain null: there is nothing to complain of any more
 */
export function useActions(seat, { turnVersion, show }, complain) {
  const [busy, setBusy] = useState(false);
  const [unsure, setUnsure] = useState(/** @type {{decide: (sure: boolean) => void} | null} */ (null));
  const { token } = seat;
  const path = `/v1/games/${seat.game}`;

  /** @template Answer @param {() => Promise<Answer>} action @returns {Promise<Answer | null>} null if it was refused */
  async function act(action) {
    setBusy(true);
    complain(null);
    try {
      return await action();
    } catch (problem) {
      complain(problem);
      return null;
    } finally {
      setBusy(false);
    }
  }

  /** @param {any} move @param {number | undefined} chosenAt the turn_version of the position that it was chosen in */
  async function make(move, chosenAt) {
    const answer = await ask(`${path}/moves`, { method: "POST", token, body: move, ...(chosenAt === undefined ? {} : { match: `turn_version=${chosenAt}` }) });
    await show({ version: answer.version, view: answer.game, legal_moves: await legal(answer.game), events: answer.events });
    return true;
  }

  /** What may follow at once, if it is still this seat's turn. @param {any} view */
  const legal = async (view) => (view.to_act === seat.seat ? (await ask(`${path}/legal-moves`, { token, patient: true })).moves : null);

  /** @param {any} move */
  async function send(move) {
    const chosenAt = turnVersion();
    if (isOn("confirm") && move.type !== "resign" && !(await new Promise((decide) => setUnsure({ decide })))) return false;
    return (await act(() => make(move, chosenAt))) ?? false;
  }

  /** @param {boolean} sure */
  function decide(sure) {
    unsure?.decide(sure);
    setUnsure(null);
  }

  const preview = (/** @type {any} */ move) => ask(`${path}/moves?dry_run=true`, { method: "POST", token, body: move, key: "" });
  const hint = () => act(() => ask(`${path}/hint`, { token, patient: true, within: SLOW }));
  /** @param {{agree: boolean, to_version: number | null}} [word] an answer; without one, this player asks */
  const takeBack = (word) => act(() => ask(`${path}/takeback`, { method: "POST", token, ...(word ? { body: word } : {}) }));

  const claim = () => act(() => ask(`${path}/claim`, { method: "POST", token }));

  return { busy, send, preview, hint, takeBack, claim, unsure, decide };
}
