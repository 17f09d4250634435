/** Requests to one engine, repeated where that may help. */
import { ApiError, Unreachable } from "./errors.js";
export const LIMIT = 10; // seconds in which something must come; of a long poll, that many more
export const SLOW = 45; // for what a bot or the whole record of a game has to do with
export const QUICK = 1; // while connections may be dead that are still kept
export const KEPT = 6; // the connections that a browser keeps to a server
const FIRST_PAUSE = 0.1; // seconds before the first repeat; doubled for each further one
const LONGEST_PAUSE = 5;
const TRANSIENT = new Set([408, 429, 502, 503, 504]); // what a repeat may mend
/** Sends requests. */
export class Transport {
    url;
    patience;
    #fetch;
    #appKey;
    constructor(url, patience, fetch, appKey) {
        this.#appKey = appKey;
        this.url = url.replace(/\/+$/, "");
        this.patience = patience;
        this.#fetch = fetch;
    }
    /** The response of status 2xx or 304. Throws ApiError, Unreachable. */
    async request(method, path, token, asked = {}) {
        const headers = { Accept: "application/json", ...this.#authorized(token), ...asked.headers };
        const request = { method, headers };
        if (method === "POST") {
            headers["Idempotency-Key"] = asked.idempotencyKey ?? randomKey();
        }
        if (asked.body !== undefined) {
            headers["Content-Type"] = "application/json";
            request.body = JSON.stringify(asked.body);
        }
        const address = this.#address(path, asked.params ?? {});
        const deadline = now() + (asked.repeat === false ? 0 : this.patience);
        const timeout = asked.timeout ?? LIMIT + Number(asked.params?.wait ?? 0);
        for (const pause of pauses()) {
            const { failure, response } = await this.#attempt(address, request, new Limit(asked.signal, timeout), asked.signal);
            if (response) {
                return response;
            }
            const seconds = Math.max(pause, failure instanceof ApiError ? (failure.retryAfter ?? 0) : 0);
            if (!isTransient(failure) || now() + seconds > deadline) {
                throw failure;
            }
            await sleep(seconds, asked.signal);
        }
        throw new Error("pauses do not end");
    }
    async #attempt(address, request, limit, signal) {
        try {
            const response = await this.#fetch(address, { ...request, signal: limit.signal });
            if (response.ok || response.status === 304) {
                const empty = response.status === 204 || response.status === 304;
                const body = empty ? null : await response.arrayBuffer(); // to be repeated if it breaks off
                return { response: new Response(body, { status: response.status, headers: response.headers }) };
            }
            return { failure: await ApiError.of(response) };
        }
        catch (error) {
            signal?.throwIfAborted();
            return { failure: new Unreachable(`${request.method} ${address}: ${String(error)}`, { cause: error }) };
        }
        finally {
            limit.end();
        }
    }
    /** One attempt to open a stream: the response of status 200 or 204. `limit` ends it. Throws ApiError, Unreachable. */
    async open(path, token, params, lastId, limit) {
        const headers = { Accept: "text/event-stream", ...this.#authorized(token) };
        if (lastId !== undefined) {
            headers["Last-Event-ID"] = lastId;
        }
        const address = this.#address(path, params);
        let response;
        try {
            response = await this.#fetch(address, { headers, cache: "no-store", signal: limit.signal });
        }
        catch (error) {
            throw new Unreachable(`${address}: ${String(error)}`, { cause: error });
        }
        if (!response.ok) {
            throw await ApiError.of(response);
        }
        return response;
    }
    /** Who asks; beside a seat's token the app that sends its request, whose limits count. */
    #authorized(token) {
        const app = this.#appKey;
        return {
            ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
            ...(token === undefined || app === undefined || token === app ? {} : { "Migrato-App-Key": app }),
        };
    }
    #address(path, params) {
        const given = Object.entries(params).filter(([, value]) => value !== undefined && value !== null);
        const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
        return `${this.url}${path}${query && `?${query}`}`;
    }
}
/** Ends what its signal is given to, as soon as nothing has come for a while, or when the caller's signal says so. */
export class Limit {
    #controller = new AbortController();
    #callers;
    #abort = () => this.#controller.abort(this.#callers?.reason);
    #timer;
    #seconds;
    /** Whether it ended because nothing came. */
    isOver = false;
    constructor(callers, seconds) {
        this.#callers = callers;
        this.#seconds = seconds;
        if (callers?.aborted) {
            this.#abort();
        }
        callers?.addEventListener("abort", this.#abort);
        this.renew();
    }
    get signal() {
        return this.#controller.signal;
    }
    /** Something has come. `seconds`: for which nothing may come, from now on. */
    renew(seconds = this.#seconds) {
        this.#seconds = seconds;
        this.rest();
        this.#timer = setTimeout(() => {
            this.isOver = true;
            this.#controller.abort(new Error(`nothing has come for ${seconds} s`));
        }, seconds * 1000);
    }
    /** Nobody reads what may come, until it is renewed. */
    rest() {
        clearTimeout(this.#timer);
    }
    /** Nothing is waited for any more. */
    end() {
        this.rest();
        this.#callers?.removeEventListener("abort", this.#abort);
    }
}
/** What a response says: a document, text, or undefined. */
export async function contentOf(response) {
    const text = await response.text();
    if (!text) {
        return undefined;
    }
    const kind = (response.headers.get("Content-Type") ?? "").split(";")[0];
    return kind === "application/json" ? JSON.parse(text) : text;
}
/** Whether a repeat may mend it. */
export function isTransient(failure) {
    return failure instanceof Unreachable || (failure instanceof ApiError && TRANSIENT.has(failure.status));
}
/** Seconds before each repeat, at random, so that many clients do not come all at once. */
export function* pauses() {
    for (let longest = FIRST_PAUSE;; longest = Math.min(2 * longest, LONGEST_PAUSE)) {
        yield longest * (0.5 + Math.random() / 2);
    }
}
/** Seconds since some moment. */
export function now() {
    return performance.now() / 1000;
}
/** Wait; throws the signal's reason as soon as it is aborted. */
export async function sleep(seconds, signal) {
    signal?.throwIfAborted();
    await new Promise((resolve) => {
        const done = () => {
            clearTimeout(timer);
            signal?.removeEventListener("abort", done);
            resolve();
        };
        const timer = setTimeout(done, seconds * 1000);
        signal?.addEventListener("abort", done);
    });
    signal?.throwIfAborted();
}
/** 128 bits; `crypto.randomUUID` is missing on pages without TLS. */
function randomKey() {
    return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
