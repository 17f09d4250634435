/** What happened in Migo, and what is to happen, in words. */
import { t, tx, isKey } from "../shell/i18n.js";
import { faceName } from "./cards.js";

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

/** What the rules want of whoever is to move. */
export const wanted = () => t("migo.prompt");
