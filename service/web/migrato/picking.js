/**
 * What can be done with what was picked: all of it read from the legal moves that the engine gives.
 *
 * @typedef {{from: "hand", index: number} | {from: "column", slot: number, index: number}} Pick
 * @typedef {any} Move
 * @typedef {string} Target `own:2`, `own:new`, `their:1`, `pile:teal` or `discard`
 */

/** @param {Move[]} legal @param {Pick | null} pick @param {string[]} hand @returns {Move[]} */
export function movesOf(legal, pick, hand) {
  if (!pick) return [];
  if (pick.from === "hand") {
    const card = hand[pick.index];
    return legal.filter((move) => ["play", "danger", "discard"].includes(move.type) && move.card === card);
  }
  return legal.filter((move) => move.type === "move_cards" && move.from === pick.slot && move.index === pick.index);
}

/** @param {Move} move @returns {Target} */
export function targetOf(move) {
  if (move.type === "discard") return "discard";
  if (move.type === "danger") return move.target.pile ? `pile:${move.target.pile}` : `their:${move.target.slot}`;
  const slot = move.type === "play" ? move.slot : move.to;
  return slot === null ? "own:new" : `own:${slot}`;
}

/** @param {Move[]} moves @returns {Map<Target, Move[]>} */
export function byTarget(moves) {
  const found = new Map();
  for (const move of moves) found.set(targetOf(move), [...(found.get(targetOf(move)) ?? []), move]);
  return found;
}

/** The move that somebody tried who chose a target that is not legal. @param {Pick} pick @param {string[]} hand @param {Target} target @returns {Move | null} */
export function attempted(pick, hand, target) {
  const [where, what] = /** @type {[string, string]} */ (target.split(":"));
  const slot = what === "new" ? null : Number(what);
  if (pick.from === "column") return where === "own" ? { type: "move_cards", from: pick.slot, index: pick.index, to: slot, uncover: false } : null;
  const card = hand[pick.index];
  if (target === "discard") return { type: "discard", card };
  if (where === "own") return { type: "play", card, slot };
  return { type: "danger", card, target: where === "pile" ? { pile: what } : { slot } };
}

/** The lowest free slot of a side, where a new column goes; null if all four are taken. @param {any} side @returns {number | null} */
export function freeSlot(side) {
  const taken = side.columns.map((/** @type {any} */ column) => column.slot);
  return [1, 2, 3, 4].find((slot) => !taken.includes(slot)) ?? null;
}

/** Whether all that follows of a move is where its cards lie: so it can wait for the discard, and be taken back. @param {any} previewed */
export const tellsNothing = (previewed) => previewed.events.every((/** @type {any} */ event) => ["bird_played", "cards_moved"].includes(event.type));

/**
 * A side as it will be once a move has been sent that waits for its discard.
 * @param {any} side @param {Move | null} staged
 */
export function withStaged(side, staged) {
  if (!staged) return side;
  const to = (staged.type === "play" ? staged.slot : staged.to) ?? freeSlot(side);
  const hand = [...side.hand];
  let columns = side.columns.map((/** @type {any} */ column) => ({ ...column, cards: [...column.cards] }));
  /** @type {any[]} */
  let moved;
  if (staged.type === "play") {
    hand.splice(hand.indexOf(staged.card), 1);
    moved = [{ face: staged.card, down: staged.card.endsWith("n"), staged: true }];
  } else {
    const from = columns.find((/** @type {any} */ column) => column.slot === staged.from);
    moved = from.cards.splice(staged.index).map((/** @type {any} */ card) => ({ ...card, staged: true }));
    columns = columns.filter((/** @type {any} */ column) => column.cards.length);
  }
  const target = columns.find((/** @type {any} */ column) => column.slot === to);
  if (target) target.cards.push(...moved);
  else columns.push({ slot: to, cards: moved });
  return { ...side, hand, hand_size: hand.length, columns };
}
