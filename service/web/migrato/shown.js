/** A table of Migrato to look at. */
import { html } from "../vendor/preact.js";
import { cardName } from "./cards.js";
import { t, tx } from "../shell/i18n.js";
import { nameOf } from "../play/names.js";
import { changedOn } from "./motion.js";
import { Points } from "./points.js";
import { Middle, Side } from "./sides.js";
import { columnName, sentence as toldToPlayer } from "./words.js";

export const isOpen = false;

export { moveInWords, reasonInWords } from "./words.js";

/** How the points of a game that is over came about. @param {{view: any, me: number | null}} props */
export const Result = ({ view, me }) => (view.status === "finished" && view.result ? html`<${Points} view=${view} me=${me ?? -1} />` : null);

const NOTHING = new Map();
const nothing = () => {};

/** One sentence about an event; to somebody who does not play, a theft names who was robbed. @param {any} event @param {any} context */
export function sentence(event, context) {
  if (context.me !== null || event.type !== "danger_played") return toldToPlayer(event, context);
  const { danger, target, card } = event.data;
  const values = { danger: cardName(danger), who: context.name(event.seat), card: cardName(card), victim: context.name(1 - event.seat) };
  if (target.pile) return t("read.stolen.pile", { ...values, species: tx(`species.${target.pile}`) });
  return t("read.stolen", { ...values, column: columnName(target.slot) });
}

/** @param {{view: any, me: number | null, below: number, last: any[]}} props */
export default function ShownMigrato({ view, me, below, last }) {
  const { players } = view.state;
  const [above] = players.filter((/** @type {any} */ side) => side.seat !== below);
  const side = (/** @type {any} */ one) =>
    html`<${Side} side=${one} who=${nameOf(view, one.seat, me)} own=${false} active=${view.to_act === one.seat} targets=${NOTHING} choose=${nothing} pick=${null} view=${view} picking=${false} changed=${changedOn(last, one.seat)} />`;
  return html`<div class="table migrato shown">
    ${side(above)}
    <${Middle} state=${view.state} view=${view} targets=${NOTHING} choose=${nothing} />
    ${side(players[below])}
  </div>`;
}
