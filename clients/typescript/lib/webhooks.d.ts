/** Whether a request that reaches you was sent by the engine: Standard Webhooks (https://www.standardwebhooks.com). */
import type { Ping, RemoteQuestion, WebhookMessage } from "./models.js";
/**
 * The message in the body, which the engine has signed and sent to a webhook; `type` tells what has happened.
 *
 * `secrets`: the `whsec_...` that you share with the engine, or during a rotation both; `headers`: a request's, or Node's
 * `request.headers`; `body`: as it came; `at`: seconds since 1970, for tests. Throws InvalidSignature.
 *
 * The engine repeats a message until you have answered it: `webhook-id` tells you which one it is.
 */
export declare function verify(secrets: string | readonly string[], headers: Headers | Record<string, string | string[] | undefined>, body: string | Uint8Array, { at, tolerance }?: {
    at?: number;
    tolerance?: number;
}): Promise<WebhookMessage | Ping>;
/** The same of a question to a remote bot. */
export declare function verifyQuestion(secrets: string | readonly string[], headers: Headers | Record<string, string | string[] | undefined>, body: string | Uint8Array, { at, tolerance }?: {
    at?: number;
    tolerance?: number;
}): Promise<RemoteQuestion>;
