/** Requests to one engine, repeated where that may help. */
export declare const LIMIT = 10;
export declare const SLOW = 45;
export declare const QUICK = 1;
export declare const KEPT = 6;
export type Params = Record<string, string | number | boolean | null | undefined>;
/** What a request may have. */
export interface Asked {
    body?: unknown;
    params?: Params;
    headers?: Record<string, string>;
    /** Of a POST: the same key in every repeat makes it happen once. A new one, unless there is one. */
    idempotencyKey?: string | undefined;
    /** False for what takes no idempotency key and must not happen twice: it is sent once. */
    repeat?: boolean;
    /** Seconds for each attempt; 10, and those of a long poll, unless you say otherwise. */
    timeout?: number;
    signal?: AbortSignal | undefined;
}
/** Sends requests. */
export declare class Transport {
    #private;
    readonly url: string;
    readonly patience: number;
    constructor(url: string, patience: number, fetch: typeof globalThis.fetch, appKey?: string);
    /** The response of status 2xx or 304. Throws ApiError, Unreachable. */
    request(method: string, path: string, token: string | undefined, asked?: Asked): Promise<Response>;
    /** One attempt to open a stream: the response of status 200 or 204. `limit` ends it. Throws ApiError, Unreachable. */
    open(path: string, token: string | undefined, params: Params, lastId: string | undefined, limit: Limit): Promise<Response>;
}
/** Ends what its signal is given to, as soon as nothing has come for a while, or when the caller's signal says so. */
export declare class Limit {
    #private;
    /** Whether it ended because nothing came. */
    isOver: boolean;
    constructor(callers: AbortSignal | undefined, seconds: number);
    get signal(): AbortSignal;
    /** Something has come. `seconds`: for which nothing may come, from now on. */
    renew(seconds?: number): void;
    /** Nobody reads what may come, until it is renewed. */
    rest(): void;
    /** Nothing is waited for any more. */
    end(): void;
}
/** What a response says: a document, text, or undefined. */
export declare function contentOf(response: Response): Promise<unknown>;
/** Whether a repeat may mend it. */
export declare function isTransient(failure: unknown): boolean;
/** Seconds before each repeat, at random, so that many clients do not come all at once. */
export declare function pauses(): Generator<number, never>;
/** Seconds since some moment. */
export declare function now(): number;
/** Wait; throws the signal's reason as soon as it is aborted. */
export declare function sleep(seconds: number, signal?: AbortSignal): Promise<void>;
