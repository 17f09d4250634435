/** Names that somebody else chose: one that is written from right to left must not turn round what stands beside it. */

const FROM_THE_RIGHT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const DIRECTIONS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * The name with a fence of Unicode's own around it, which works in a sentence, a title and an attribute alike, where no
 * `<bdi>` can stand. Whatever in the name itself changes directions is left out, so that nothing in it ends the fence.
 *
 * @param {string} name
 */
export function isolated(name) {
  const plain = name.replace(DIRECTIONS, "");
  return FROM_THE_RIGHT.test(plain) ? `\u2068${plain}\u2069` : plain || "?";
}
