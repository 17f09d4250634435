/** Which cards an event moves: from where to where on the table; and so, what the last move has changed. */
import { t } from "../shell/i18n.js";

/** @param {any} event @param {number} me @returns {import("../play/flights.js").Flight[]} */
export function flightsOf({ type, seat, data }, me) {
  const side = seat === me ? "own" : "their";
  const other = seat === me ? "their" : "own";
  const column = (/** @type {number} */ slot) => `${side}:${slot}`;
  switch (type) {
    case "bird_played":
      return [{ faces: [data.card?.endsWith("n") ? null : data.card], from: `hand:${side}`, to: column(data.slot) }];
    case "cards_moved":
      return [{ faces: [null], from: column(data.from), to: column(data.to) }];
    case "danger_played": {
      const from = data.target.pile ? `pile:${other}:${data.target.pile}` : `${other}:${data.target.slot}`;
      return [{ faces: [data.danger], from: `hand:${side}`, to: "discard" }, { faces: [data.card], from, to: `hand:${side}` }];
    }
    case "birds_arrived":
      return [{ faces: data.cards, from: column(data.slot), to: `pile:${side}:${data.species}` }];
    case "return_flight_taken":
    case "column_discarded":
      return [{ faces: data.cards, from: column(data.slot), to: "discard" }];
    case "arrival_failed":
      return [{ faces: data.cards, from: column(data.slot), to: "discard", word: t("motion.failed") }];
    case "card_discarded":
      return [{ faces: [data.card], from: `hand:${side}`, to: "discard" }];
    case "hand_exchanged":
      return [{ faces: data.cards ?? [], from: `hand:${side}`, to: "discard" }];
    case "cards_drawn":
      return [{ faces: Array.from({ length: Math.min(3, data.count ?? 1) }, () => null), from: "deck", to: `hand:${side}` }];
    case "deck_reshuffled":
      return [{ faces: [null], from: "discard", to: "deck", word: t("motion.shuffled") }];
    default:
      return [];
  }
}

/**
 * What the last move has changed on a side: its columns by their slots, its piles by their species.
 * @param {any[]} last its events @param {number} seat @returns {Set<string>}
 */
export function changedOn(last, seat) {
  const places = last.flatMap((event) => flightsOf(event, seat)).flatMap(({ from, to }) => [from, to]);
  return new Set(places.flatMap((place) => /^(?:own|pile:own):(.+)$/.exec(place)?.[1] ?? []));
}
