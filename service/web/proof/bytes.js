// Bytes, hashes and signatures, by WebCrypto alone: the same in a browser and in Node.

const encoder = new TextEncoder();

/** @param {string} text @returns {Uint8Array<ArrayBuffer>} its UTF-8 bytes */
export const utf8 = (text) => encoder.encode(text);

/** @param {string} digits lower-case hex @returns {Uint8Array<ArrayBuffer>} */
export function fromHex(digits) {
  return Uint8Array.from({ length: digits.length / 2 }, (_, at) => parseInt(digits.slice(2 * at, 2 * at + 2), 16));
}

/** @param {Uint8Array} bytes @returns {string} lower-case hex */
export const toHex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

const LONGEST = 128; // characters; a key has 43, a signature 86

/** @param {string} text base64url without padding @returns {Uint8Array<ArrayBuffer> | null} null for anything else */
export function fromBase64url(text) {
  if (text.length > LONGEST || !/^[A-Za-z0-9_-]*$/.test(text) || text.length % 4 === 1) return null;
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(binary, (char) => char.charCodeAt(0));
  return toBase64url(bytes) === text ? bytes : null;
}

/** @param {Uint8Array} bytes @returns {string} base64url without padding */
function toBase64url(bytes) {
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** @param {...Uint8Array} parts @returns {Uint8Array<ArrayBuffer>} */
export function joined(...parts) {
  const all = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** @param {...Uint8Array} parts @returns {Promise<Uint8Array<ArrayBuffer>>} SHA-256 of all of them in a row */
export async function sha256(...parts) {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", joined(...parts)));
}

/**
 * HMAC-SHA256 with one key.
 *
 * @param {Uint8Array<ArrayBuffer>} secret
 * @returns {Promise<(text: string) => Promise<Uint8Array<ArrayBuffer>>>}
 */
export async function keyedHash(secret) {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", secret, algorithm, false, ["sign"]);
  return async (text) => new Uint8Array(await crypto.subtle.sign("HMAC", key, utf8(text)));
}

/** A browser that cannot check what it is asked to check: for want of HTTPS, or of Ed25519. */
export class Unsupported extends Error {}

/** Throws Unsupported where the browser gives the page no cryptography: it does so on HTTPS and on the machine itself. */
export function demandCrypto() {
  if (!globalThis.crypto?.subtle) throw new Unsupported("This page has no cryptography: open it by HTTPS.");
}

/**
 * Whether the key signed that head of that game; false, too, for what is no Ed25519 key or no signature.
 *
 * Throws Unsupported where the browser does not know Ed25519.
 *
 * @param {any} jwk
 * @param {string} gameId
 * @param {number} version
 * @param {string} head in hex
 * @param {string} signature in base64url
 */
export async function verifyHead(jwk, gameId, version, head, signature) {
  if (jwk?.kty !== "OKP" || jwk?.crv !== "Ed25519" || typeof jwk.x !== "string") return false;
  const [point, signed] = [fromBase64url(jwk.x), fromBase64url(signature)];
  if (point?.length !== 32 || signed?.length !== 64) return false;
  const message = utf8(`migrato-head/1\n${gameId}\n${version}\n${head}`);
  let key;
  try {
    key = await crypto.subtle.importKey("raw", point, "Ed25519", false, ["verify"]);
  } catch (error) {
    if (/** @type {Error} */ (error).name === "NotSupportedError") {
      throw new Unsupported("This browser does not know Ed25519, by which games are signed.");
    }
    return false;
  }
  return crypto.subtle.verify("Ed25519", key, signed, message);
}

/** @param {string} x the 32 bytes of a public key in base64url @returns {Promise<string | null>} the key's id */
export async function keyId(x) {
  const point = typeof x === "string" ? fromBase64url(x) : null;
  return point?.length === 32 ? toHex(await sha256(point)).slice(0, 16) : null;
}
