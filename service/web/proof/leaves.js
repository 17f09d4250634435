// Leaves: the hidden places of an event's data, each with a digest of its own. So all that a viewer is shown is bound
// when it is shown; docs/reference/fairness-protocol.md has the definitions.

import { canonical } from "./canonical.js";
import { fromHex, sha256, toHex, utf8 } from "./bytes.js";
import { CheckFailed } from "./findings.js";

/**
 * Compare all members of an event document, well formed, with its commitment.
 *
 * @param {any} event
 * @param {number} version where it stands
 * @throws {CheckFailed} "commitments"
 */
export async function checkBound(event, version) {
  const { type, schema, at, seat, data, redacted, sealed, salts } = event;
  const wrong = (/** @type {string} */ what, /** @type {unknown} */ expected, /** @type {unknown} */ found) => new CheckFailed("commitments", version, what, expected, found);
  const opened = open(data, Object.keys(sealed));
  if (!opened) throw wrong("`sealed` names a place that the data do not have.", null, Object.keys(sealed));
  const committed = { version: event.version, type, schema, at, seat, data: opened.data, sealed };
  const made = toHex(await sha256(utf8(canonical(committed))));
  if (made !== event.commitment) throw wrong("The event does not match its commitment.", made, event.commitment);
  for (const [pointer, value] of opened.values) {
    const salt = Object.hasOwn(salts, pointer) ? salts[pointer] : null;
    if (salt === null && value !== null) throw wrong(`${pointer} is shown without its salt.`, null, value);
    if (salt === null) continue;
    const digest = value === null ? null : toHex(await sha256(fromHex(salt), utf8(canonical([pointer, value]))));
    if (digest !== sealed[pointer]) throw wrong(`${pointer} does not match its digest.`, sealed[pointer], value);
  }
  if (Object.keys(salts).some((pointer) => !Object.hasOwn(sealed, pointer))) {
    throw wrong("There is a salt of something that is not sealed.", Object.keys(sealed), Object.keys(salts));
  }
  const hidden = namesHidden(sealed, salts);
  if (hidden.join("\n") !== redacted.join("\n")) throw wrong("`redacted` does not name what is hidden.", hidden, redacted);
}

/** @param {any} sealed @param {any} salts @returns {string[]} the sorted names of the members that hold what has no salt */
function namesHidden(sealed, salts) {
  const hidden = Object.keys(sealed).filter((pointer) => !Object.hasOwn(salts, pointer));
  return [...new Set(hidden.map((pointer) => unescaped(String(pointer.split("/")[1]))))].sort();
}

/**
 * The data with null at each of the leaves, and what was there; null where a pointer leads nowhere, or into another leaf.
 *
 * @param {any} data
 * @param {string[]} pointers JSON pointers (RFC 6901)
 * @returns {{data: any, values: Map<string, any>} | null}
 */
function open(data, pointers) {
  const bare = structuredClone(data);
  const values = new Map();
  for (const pointer of pointers.sort()) {
    const [start, ...steps] = pointer.split("/");
    const last = steps.pop();
    if (start !== "" || last === undefined) return null;
    let [part, there] = [bare, ""];
    for (const step of steps) {
      there += `/${step}`;
      if (values.has(there) || !isIn(part, step)) return null;
      part = part[unescaped(step)];
    }
    if (!isIn(part, last)) return null;
    values.set(pointer, part[unescaped(last)]);
    part[unescaped(last)] = null;
  }
  return { data: bare, values };
}

/** @param {any} part @param {string} step escaped @returns {boolean} whether it names a member, or a place of a list, as it must be named */
function isIn(part, step) {
  if (Array.isArray(part)) return /^(0|[1-9]\d{0,8})$/.test(step) && Number(step) < part.length;
  const name = unescaped(step);
  return part !== null && typeof part === "object" && Object.hasOwn(part, name) && name.replaceAll("~", "~0").replaceAll("/", "~1") === step;
}

/** @param {string} step @returns {string} */
const unescaped = (step) => step.replaceAll("~1", "/").replaceAll("~0", "~");
