/** Whether a request that reaches you was sent by the engine: Standard Webhooks (https://www.standardwebhooks.com). */
import { InvalidSignature } from "./errors.js";
const TOLERANCE = 300; // seconds between two clocks
/**
 * The message in the body, which the engine has signed and sent to a webhook; `type` tells what has happened.
 *
 * `secrets`: the `whsec_...` that you share with the engine, or during a rotation both; `headers`: a request's, or Node's
 * `request.headers`; `body`: as it came; `at`: seconds since 1970, for tests. Throws InvalidSignature.
 *
 * The engine repeats a message until you have answered it: `webhook-id` tells you which one it is.
 */
export async function verify(secrets, headers, body, { at = Date.now() / 1000, tolerance = TOLERANCE } = {}) {
    return (await signed(secrets, headers, body, at, tolerance));
}
/** The same of a question to a remote bot. */
export async function verifyQuestion(secrets, headers, body, { at = Date.now() / 1000, tolerance = TOLERANCE } = {}) {
    return (await signed(secrets, headers, body, at, tolerance));
}
async function signed(secrets, headers, body, at, tolerance) {
    const [message, sent, signatures] = ["id", "timestamp", "signature"].map((name) => headerOf(headers, `webhook-${name}`));
    if (!message || !signatures || !sent || !/^\d+$/.test(sent)) {
        throw new InvalidSignature("There is no webhook-id, -timestamp or -signature.");
    }
    if (Math.abs(at - Number(sent)) > tolerance) {
        throw new InvalidSignature("It was not sent just now.");
    }
    const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
    const head = new TextEncoder().encode(`${message}.${sent}.`);
    const content = new Uint8Array(head.length + bytes.length);
    content.set(head);
    content.set(bytes, head.length);
    const given = signatures.split(" ").filter((part) => part.startsWith("v1,"));
    for (const secret of typeof secrets === "string" ? [secrets] : secrets) {
        const key = await keyOf(secret);
        for (const signature of given) {
            const claimed = bytesOf(signature.slice("v1,".length));
            if (claimed && (await crypto.subtle.verify("HMAC", key, claimed, content))) {
                return JSON.parse(new TextDecoder().decode(bytes));
            }
        }
    }
    throw new InvalidSignature("It was not signed with this secret.");
}
function headerOf(headers, name) {
    if (headers instanceof Headers) {
        return headers.get(name) ?? undefined;
    }
    const found = Object.entries(headers).find(([known]) => known.toLowerCase() === name)?.[1];
    return typeof found === "string" ? found : undefined;
}
async function keyOf(secret) {
    const raw = bytesOf(secret.replace(/^whsec_/, ""));
    if (!raw) {
        throw new TypeError("The secret must be whsec_ and Base64.");
    }
    return crypto.subtle.importKey("raw", raw, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
}
function bytesOf(base64) {
    try {
        return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    }
    catch {
        return undefined;
    }
}
