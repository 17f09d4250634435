/** What may go wrong. */
import type { Problem } from "./models.js";
/**
 * The engine refused the request and changed nothing: its problem document (RFC 9457).
 *
 * `code` is for programs: "illegal-move", "not-your-turn" and so on; it is "" if something else than the engine answered.
 * `errors` has the messages of each wrong field. `problem` is the whole document, with what else helps.
 */
export declare class ApiError extends Error {
    readonly name = "ApiError";
    readonly status: number;
    readonly problem: Partial<Problem>;
    /** The seconds after which the engine wants to be asked again, if it said so. */
    readonly retryAfter: number | undefined;
    readonly code: string;
    readonly title: string;
    readonly detail: string;
    readonly rule: string | undefined;
    readonly version: number | undefined;
    readonly requestId: string | undefined;
    readonly errors: Record<string, string[]>;
    constructor(status: number, problem: Partial<Problem>, retryAfter?: number);
    /** The problem that a response tells. */
    static of(response: Response): Promise<ApiError>;
}
/**
 * No answer came, however often the client asked; whether the last attempt had an effect is unknown. Send the same
 * request again with the same idempotency key to learn it.
 */
export declare class Unreachable extends Error {
    readonly name = "Unreachable";
}
/** Events that were there are gone. Read the game, or the list of games, again, and follow from there. */
export declare class StreamGap extends Error {
    readonly name = "StreamGap";
}
/** The engine shows event `version` otherwise than it did before, or than it is bound to. Keep what you have. */
export declare class Altered extends Error {
    readonly name = "Altered";
    readonly version: number;
    constructor(version: number, what: string);
}
/** The message was not signed with that secret, or not just now. */
export declare class InvalidSignature extends Error {
    readonly name = "InvalidSignature";
}
