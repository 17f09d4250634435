/** What happened in Migrato, and what is to happen, in words. */
import { cardName, GOALS } from "./cards.js";
import { t, tx, isKey } from "../shell/i18n.js";

/** @typedef {{me: number, view: any, name: (seat: number) => string}} Context */

/** What columns are called: A to D. @param {number | null | undefined} slot */
export const columnName = (slot) => (slot ? "ABCD".charAt(slot - 1) : "");

/** @param {(string | null)[] | null | undefined} cards */
const names = (cards) => (cards ?? []).map(cardName).join(", ");

/** One sentence about an event; null for those that tell players nothing. @param {any} event @param {Context} context @returns {string | null} */
export function sentence(event, { me, name }) {
  const { type, seat, data } = event;
  const mine = seat === me;
  const key = `log.${type === "column_discarded" && data.abandoned ? "column_abandoned" : type === "takeback_answered" && !data.agree ? "takeback_refused" : type}`;
  const chosen = mine && isKey(`${key}.me`) ? `${key}.me` : key;
  if (!isKey(chosen)) return null;
  const values = {
    who: seat === null || seat === undefined ? "" : name(seat),
    card: cardName(data.card ?? data.face),
    cards: names(data.cards),
    column: columnName(data.slot ?? data.to ?? data.target?.slot),
    from: columnName(data.from),
    danger: data.danger ? cardName(data.danger) : "",
    species: data.species ? tx(`species.${data.species}`) : "",
    count: data.count ?? data.cards?.length ?? 0,
  };
  if (type === "birds_arrived") return tx(chosen, { ...values, count: data.cards.length });
  if (type === "danger_played" && data.target.pile) return tx(`${key}.pile${mine ? ".me" : ""}`, { ...values, species: tx(`species.${data.target.pile}`) });
  if (type === "cards_drawn" && mine && data.cards) return t("log.cards_drawn.me", { ...values, cards: names(data.cards) });
  return tx(chosen, values);
}

/** What the rules want now of whoever is to move. @param {{phase: string}} state */
export const wanted = ({ phase }) => t(phase === "discard" ? "prompt.discard" : "prompt.action");

/** A move that could be made, in words. @param {any} move */
export function moveInWords(move) {
  const card = move.card ? cardName(move.card) : "";
  const column = columnName(move.slot ?? move.to ?? move.target?.slot);
  switch (move.type) {
    case "play":
      return move.slot === null ? t("move.play.new", { card }) : t("move.play", { card, column });
    case "move_cards":
      return move.to === null ? t("move.split", { from: columnName(move.from) }) : t(move.uncover ? "move.uncover" : "move.move", { from: columnName(move.from), column });
    case "danger":
      return move.target.pile ? t("move.danger.pile", { card, species: tx(`species.${move.target.pile}`) }) : t("move.danger", { card, column });
    case "discard":
      return t("move.discard", { card });
    case "abandon":
      return t("move.abandon", { column });
    default:
      return tx(`move.${move.type}`);
  }
}

/** What speaks for a move, or against it. @param {import("../../../clients/typescript/lib/models.d.ts").Schemas["Reason"]} reason */
export function reasonInWords({ code, about, points, text }) {
  const key = `why.${code}`;
  return isKey(key) ? t(key, { birds: about ? tx(`birds.${about}`, { count: 2 }) : "", count: points ?? 0 }) : text;
}

/** How many more cards a column needs, where a day card tells its species. @param {any} column @returns {{species: string, missing: number} | null} */
export function flight(column) {
  const seen = column.cards.find((/** @type {any} */ card) => card.face && !card.down);
  const species = seen && { G: "brant_goose", K: "black_kite", S: "stilt", B: "bee_eater", T: "teal" }[/** @type {string} */ (seen.face).charAt(0)];
  return species ? { species, missing: Math.max(0, (GOALS[species] ?? 0) - column.cards.length) } : null;
}
