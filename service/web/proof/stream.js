// Events as they arrive: their form, their order, their commitments and the chain of heads.

import { canonical } from "./canonical.js";
import { fromHex, sha256, toHex, utf8 } from "./bytes.js";
import { CheckFailed } from "./findings.js";
import { checkBound } from "./leaves.js";
import { isDigest, isObject } from "./lines.js";

/** @typedef {{version: number, head: string, seals?: number}} StreamHead `seals`: the form of the commitments; absent: not known */

const REDACTED = ["at", "commitment", "data", "head", "redacted", "schema", "seat", "type", "version"];
const WHOLE = [...REDACTED, "salt"].sort();
const SEALED = [...REDACTED, "salts", "sealed"].sort();
const START = { 1: "00".repeat(32), 2: "00".repeat(31) + "02" }; // the head before the first event, by the form
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Before the first event. @type {StreamHead} */
export const EMPTY = { version: 0, head: "00".repeat(32) };

/** @param {any} event @param {string} salt in hex @returns {Promise<string>} the commitment in form 1, in hex */
async function commitment({ version, type, schema, at, seat, data }, salt) {
  return toHex(await sha256(fromHex(salt), utf8(canonical({ version, type, schema, at, seat, data }))));
}

/**
 * The stream head after one more event document; keep it.
 *
 * @param {StreamHead} streamHead
 * @param {any} event
 * @returns {Promise<StreamHead>}
 * @throws {CheckFailed} "format", "sequence", "commitments" or "chain"
 */
export async function follow(streamHead, event) {
  const version = streamHead.version + 1;
  checkForm(event, version);
  if (event.version !== version) {
    throw new CheckFailed("sequence", version, "The event's version is not the next one: an event is missing, doubled or out of its place.", version, event.version);
  }
  const seals = event.sealed ? 2 : 1;
  if (![undefined, 0, seals].includes(streamHead.seals)) {
    throw new CheckFailed("format", version, "The event is not of the form of the events before it.", streamHead.seals, seals);
  }
  if (seals === 2) await checkBound(event, version);
  else if (event.redacted.length === 0) {
    const made = await commitment(event, event.salt);
    if (made !== event.commitment) {
      throw new CheckFailed("commitments", version, "The event does not match its commitment.", made, event.commitment);
    }
  }
  const before = version === 1 ? START[seals] : streamHead.head;
  const head = toHex(await sha256(fromHex(before), fromHex(event.commitment)));
  if (head !== event.head) {
    throw new CheckFailed("chain", version, "The head of the event does not follow from the head before it and the event's commitment.", head, event.head);
  }
  if (version === 1 && (event.data.seals ?? 1) !== seals) {
    throw new CheckFailed("format", version, "`seals` of the first event does not name the form that the event has.", seals, event.data.seals);
  }
  return { version, head, seals };
}

/** CheckFailed "format" unless it is an event document, with any object as its data. @param {any} event @param {number} version */
function checkForm(event, version) {
  if (!isObject(event)) throw new CheckFailed("format", version, "The event must be an object.", null, event);
  const { redacted } = event;
  const isSealed = Object.hasOwn(event, "sealed");
  const whole = Array.isArray(redacted) && redacted.length === 0;
  const members = isSealed ? SEALED : whole ? WHOLE : REDACTED;
  if (Object.keys(event).sort().join() !== members.join()) {
    const what = "The event must have exactly the members of the format.";
    throw new CheckFailed("format", version, what, members, Object.keys(event).sort());
  }
  const right = Number.isInteger(event.version) && typeof event.type === "string" && Number.isInteger(event.schema)
    && isTime(event.at) && (event.seat === null || Number.isInteger(event.seat)) && isObject(event.data)
    && isDigest(event.commitment) && (whole || areHidden(redacted, event.data))
    && (isSealed ? areDigests(event.sealed) && areDigests(event.salts) : !whole || isDigest(event.salt));
  if (!right) throw new CheckFailed("format", version, "A member of the event has the wrong type.", null, event);
}

/** @param {any} value @returns {boolean} whether it is an object of digests */
const areDigests = (value) => isObject(value) && Object.values(value).every(isDigest);

/** @param {unknown} value @returns {boolean} whether it is RFC 3339 in UTC with milliseconds, and there is such a time */
export function isTime(value) {
  if (typeof value !== "string" || !TIME.test(value)) return false;
  const time = new Date(value);
  return !Number.isNaN(time.getTime()) && time.toISOString() === value;
}

/** @param {unknown} redacted @param {Record<string, any>} data @returns {boolean} whether these are sorted names of hidden members */
function areHidden(redacted, data) {
  if (!Array.isArray(redacted) || redacted.some((name) => typeof name !== "string")) return false;
  const sorted = [...new Set(redacted)].sort();
  return sorted.join("\n") === redacted.join("\n") && redacted.every((name) => Object.hasOwn(data, name) && holdsNull(data[name]));
}

/** @param {any} value @returns {boolean} */
function holdsNull(value) {
  if (value === null) return true;
  return typeof value === "object" && Object.values(value).some(holdsNull);
}
