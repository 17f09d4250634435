/** What the table says to whoever is to move, and to whoever waits. */
import { t } from "../shell/i18n.js";
import { cardName, read } from "./cards.js";
import { columnName, wanted } from "./words.js";

/** Whether a target is a card of the other side. @param {string} target */
export const isTheft = (target) => /^(their|pile)/.test(target);

/** Why a card of the hand can go nowhere. @param {string} face @param {any} side */
export function whyNot(face, side) {
  const { danger, name } = read(face);
  return t(danger ? "prompt.takes.nothing" : side.arrivals[name] ? "prompt.has.landed" : "prompt.fits.nowhere", { what: cardName(face) });
}

/**
 * @param {{myTurn: boolean, busy: boolean, lesson: boolean, pick: import("./picking.js").Pick | null, phase: string, targets: Map<string, any[]>,
 *   side: any, abandonable: boolean, other: string}} table `abandonable`: the picked column; `other`: who is to move
 */
export function promptFor({ myTurn, busy, lesson, pick, phase, targets, side, abandonable, other }) {
  const { hand } = side;
  if (!myTurn && lesson) return "";
  if (!myTurn) return busy ? t("prompt.sending") : t("prompt.waiting", { who: other });
  if (!pick) return lesson && phase !== "discard" ? "" : wanted({ phase });
  if (phase === "discard" && pick.from === "hand") return t("prompt.discard.this", { card: cardName(hand[pick.index]) });
  const what = pick.from === "hand" ? cardName(hand[pick.index]) : t("prompt.cards.from", { column: columnName(pick.slot) });
  if (!targets.size && lesson) return t("learn.not.this", { what });
  if (!targets.size && pick.from === "hand") return whyNot(hand[pick.index], side);
  if (!targets.size) return t(abandonable ? "prompt.only.abandon" : "prompt.nowhere", { what });
  return t([...targets.keys()].some(isTheft) ? "prompt.steal" : "prompt.where", { what });
}
