/** What happened in Migo, and what is to happen, in words. */
import { t, tx, isKey } from "../shell/i18n.js";
import { faceName, migoCardName } from "./cards.js";

/** @param {any} event @param {{me: number, view: any, name: (seat: number) => string}} context @returns {string | null} */
export function sentence({ type, seat, data }, { me, view, name }) {
  const mine = seat === me;
  const key = `log.${type === "takeback_answered" && !data.agree ? "takeback_refused" : type}`;
  const chosen = mine && isKey(`${key}.me`) ? `${key}.me` : key;
  if (!isKey(chosen)) return null;
  const table = view.options.card_table;
  const card = data.card && table?.[data.card];
  const face = card?.[data.face ?? "a"];
  return tx(chosen, {
    who: seat === null || seat === undefined ? "" : name(seat),
    card: face ? faceName(face) : "",
    round: data.round ?? "",
    layout: data.layout ? tx(`layout.${data.layout}`) : "",
    winner: typeof data.winner === "number" ? name(data.winner) : "–",
    scores: (data.scores ?? []).join(" : "),
  });
}

/** A take that could be made, in words. @param {any} move @param {any} view the view in which it can */
export function moveInWords({ place, flip, drink }, { state }) {
  const card = state.table.find((/** @type {any} */ lying) => lying.place === place);
  const parts = [card && t("migo.take", { card: migoCardName(card) }), flip && flipInWords(flip, state), drink && t("migo.drink")];
  return parts.filter(Boolean).join(" · ");
}

/** What makes a take another than the others of the same card. @param {any} move @param {any} view */
export function optionInWords(move, { state }) {
  const parts = [];
  if ("flip" in move) parts.push(move.flip ? flipInWords(move.flip, state) : t("migo.flip.none"));
  if ("drink" in move) parts.push(t(move.drink ? "migo.drink" : "migo.drink.not"));
  return parts.join(" · ");
}

/** @param {string} flip a card's id @param {any} state */
function flipInWords(flip, { players }) {
  const card = players.flatMap((/** @type {any} */ player) => player.cards).find((/** @type {any} */ own) => own.card === flip);
  return card ? t("migo.flip", { up: faceName(card.up), down: faceName(card.down) }) : "";
}

/** What speaks for a take, or against it. @param {import("../../../clients/typescript/lib/models.d.ts").Schemas["Reason"]} reason */
export function reasonInWords({ code, about, points, text }) {
  const key = `why.${code}`;
  return isKey(key) ? t(key, { pieces: about ? tx(`pieces.${about}`) : "", count: points ?? 0 }) : text;
}

/** What the rules want of whoever is to move. */
export const wanted = () => t("migo.prompt");
