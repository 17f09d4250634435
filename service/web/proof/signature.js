// Who signed the last head of a game.

import { keyId, Unsupported, verifyHead } from "./bytes.js";
import { CheckFailed } from "./findings.js";

/** @typedef {{key_id: string, trusted: boolean}} Signer */

/**
 * The key that signed, and whether it is a trusted one; null if nobody signed, or what is signed does not count.
 *
 * @param {any} header
 * @param {any} end
 * @param {import("./stream.js").StreamHead} head
 * @param {Record<string, string>} trusted public keys by their ids
 * @param {import("./findings.js").Counts} counts
 * @returns {Promise<Signer | null>}
 * @throws {CheckFailed} "signature"
 */
export async function signerOf(header, end, head, trusted, counts) {
  const { public_key: key, key_id: id, complete, game_id: gameId } = header;
  const signed = end.signature;
  if (key === null && id === null && signed === null) {
    counts.note("signature", `${complete ? "the export" : "a game whose result is not confirmed"} is not signed`);
    return null;
  }
  const named = [id, key?.kid, signed?.key_id, key && (await keyId(key.x))];
  const isKey = key && Object.keys(key).sort().join() === "crv,kid,kty,use,x" && key.use === "sig";
  if (id === null || named.some((one) => one !== id) || !isKey) {
    throw new CheckFailed("signature", null, "The file must name exactly one signing key.", null, named);
  }
  let holds;
  try {
    holds = await verifyHead(key, gameId, head.version, head.head, signed.signature);
  } catch (error) {
    if (!(error instanceof Unsupported)) throw error;
    counts.note("signature", error.message);
    return null;
  }
  if (!holds) {
    throw new CheckFailed("signature", head.version, "The key did not make this signature for this head.", null, signed);
  }
  if (!complete) {
    counts.note("signature", "the last head is signed, but that counts for complete games only");
    return null;
  }
  counts.passed("signature");
  const isTrusted = Object.hasOwn(trusted, id) && trusted[id] === key.x;
  if (!isTrusted) counts.add("signature", `by the key ${id} that the file names; is it the engine's?`);
  return { key_id: id, trusted: isTrusted };
}
