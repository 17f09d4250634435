// The lines of an export: which of them is what, and whether header and end have their members.

import { joined } from "./bytes.js";
import { LONGEST, read } from "./canonical.js";
import { CheckFailed } from "./findings.js";

export const FORMATS = ["migrato-export/1", "migrato-export/2"]; // of games whose commitments have form 1, form 2
const HEADER = ["complete", "deck", "format", "game", "game_id", "key_id", "public_key", "rules", "viewer"];
const END = ["client_seeds", "head", "result", "server_seed", "signature", "version"];
const LARGEST = 2 ** 26; // bytes; some 100,000 events
const MOST_LINES = 2 ** 18; // no event has less than 256 bytes
const ID = /^[0-9A-Za-z_-]{1,100}$/; // each salt and signature takes it in, between marks

const TOO_LARGE = "The file is larger than 64 MiB: check it with `migrato verify`.";

/** @typedef {{header: Uint8Array, events: Uint8Array[], end: Uint8Array}} Lines */

/** What was given is no export that can be read. */
export class Unreadable extends Error {}

/**
 * All that comes; it stops as soon as that is too much.
 *
 * @param {ReadableStream<Uint8Array>} stream
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 * @throws {Unreadable}
 */
export async function bytesOf(stream) {
  const reader = stream.getReader();
  const parts = [];
  let size = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    parts.push(next.value);
    size += next.value.length;
    if (size <= LARGEST) continue;
    await reader.cancel();
    throw new Unreadable(TOO_LARGE);
  }
  return joined(...parts);
}

/**
 * The lines of the one game of a file, without their line feeds.
 *
 * @param {Uint8Array} file
 * @returns {Lines}
 * @throws {Unreadable}
 */
export function linesOf(file) {
  if (file.length > LARGEST) throw new Unreadable(TOO_LARGE);
  if (file[0] === 0x1f && file[1] === 0x8b) throw new Unreadable("The file is compressed: decompress it first.");
  const lines = split(file);
  const [header, ...events] = lines;
  if (!header) throw new Unreadable("The file is empty.");
  checkFormat(header);
  const ends = events.findIndex((line) => startsWith(line, '{"end":'));
  if (file.at(-1) !== 0x0a || ends < 0) throw new Unreadable(`The file ends in line ${lines.length}, before the game does.`);
  if (ends < events.length - 1) {
    throw new Unreadable("The file holds more than one game: check it with `migrato verify`.");
  }
  const end = /** @type {Uint8Array} */ (events.pop());
  return { header, events, end };
}

/** @param {Uint8Array} file @returns {Uint8Array[]} */
function split(file) {
  const lines = [];
  for (let at = 0; at < file.length; ) {
    const found = file.indexOf(0x0a, at);
    const until = found < 0 ? file.length : found;
    if (lines.length === MOST_LINES) throw new Unreadable("The file has more lines than a game has.");
    lines.push(file.subarray(at, until));
    at = until + 1;
  }
  return lines;
}

/** @param {Uint8Array} line @param {string} text ASCII */
function startsWith(line, text) {
  return Array.from(text).every((char, at) => line[at] === char.charCodeAt(0));
}

/** Unreadable unless the first line names this format. @param {Uint8Array} line */
function checkFormat(line) {
  const none = "This is no export of a game: its first line is not JSON.";
  if (line.length > LONGEST) throw new Unreadable(none);
  let document;
  try {
    document = JSON.parse(new TextDecoder().decode(line));
  } catch {
    throw new Unreadable(none);
  }
  const format = document?.format;
  if (FORMATS.includes(format)) return;
  if (typeof format === "string" && format.startsWith("migrato-export/")) {
    throw new Unreadable(`This is format ${format.slice(0, 60)}, of which nothing is known here; known are ${FORMATS.join(", ")}.`);
  }
  throw new Unreadable(`This is no export of a game: its first line does not name a format migrato-export/N.`);
}

/** @param {Uint8Array} line @returns {any} the header, whatever it says */
export function headerOf(line) {
  const header = read(line, "The header");
  members(header, HEADER, "The header");
  const { viewer, deck, key_id: keyId, public_key: key } = header;
  const right = {
    game_id: isId(header.game_id),
    game: typeof header.game === "string",
    rules: isObject(header.rules),
    deck: deck === null || Array.isArray(deck),
    viewer: viewer === null || Number.isInteger(viewer),
    complete: typeof header.complete === "boolean",
    key_id: keyId === null || typeof keyId === "string",
    public_key: key === null || isObject(key),
  };
  malformed(header, right, "the header");
  return header;
}

/** @param {Uint8Array} line @returns {any} what the last line says, true or not */
export function endOf(line) {
  const document = read(line, "The last line");
  members(document, ["end"], "The last line");
  const end = document.end;
  members(end, END, "The last line");
  const { server_seed: seed, signature } = end;
  const right = {
    version: Number.isInteger(end.version),
    head: isDigest(end.head),
    server_seed: seed === null || isDigest(seed),
    client_seeds: Array.isArray(end.client_seeds),
    result: end.result === null || (seed !== null && isObject(end.result)),
    signature: signature === null || isSignature(signature),
  };
  malformed(end, right, "the last line");
  return end;
}

/** @param {any} document @param {string[]} names sorted @param {string} what */
function members(document, names, what) {
  if (!isObject(document) || Object.keys(document).sort().join() !== names.join()) {
    throw new CheckFailed("format", null, `${what} must have exactly the members of the format.`, names, document);
  }
}

/** @param {any} document @param {Record<string, boolean>} right @param {string} what */
function malformed(document, right, what) {
  for (const [name, holds] of Object.entries(right)) {
    if (!holds) throw new CheckFailed("format", null, `${name} of ${what} is malformed.`, null, document[name]);
  }
}

/** @param {unknown} value @returns {boolean} */
export function isObject(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

/** @param {unknown} value @returns {boolean} whether a game can have that id */
export function isId(value) {
  return typeof value === "string" && ID.test(value);
}

/** @param {unknown} value @returns {boolean} whether it is 64 lower-case hex digits */
export function isDigest(value) {
  return typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
}

/** @param {any} value @returns {boolean} */
function isSignature(value) {
  return isObject(value) && Object.keys(value).sort().join() === "key_id,signature"
    && typeof value.key_id === "string" && typeof value.signature === "string";
}
