/** Requests to one engine, repeated where that may help. */

import { ApiError, Unreachable } from "./errors.js";

const READ = 45; // seconds; longer than any long poll, and than the pause between two comments of a stream
const FIRST_PAUSE = 0.1; // seconds before the first repeat; doubled for each further one
const LONGEST_PAUSE = 5;
const TRANSIENT = new Set([408, 429, 502, 503, 504]); // what a repeat may mend

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
  signal?: AbortSignal | undefined;
}

/** Sends requests. */
export class Transport {
  readonly url: string;
  readonly patience: number;
  readonly #fetch: typeof fetch;

  constructor(url: string, patience: number, fetch: typeof globalThis.fetch) {
    this.url = url.replace(/\/+$/, "");
    this.patience = patience;
    this.#fetch = fetch;
  }

  /** The response of status 2xx or 304. Throws ApiError, Unreachable. */
  async request(method: string, path: string, token: string | undefined, asked: Asked = {}): Promise<Response> {
    const headers: Record<string, string> = { Accept: "application/json", ...authorized(token), ...asked.headers };
    const request: RequestInit = { method, headers };
    if (method === "POST") {
      headers["Idempotency-Key"] = asked.idempotencyKey ?? randomKey();
    }
    if (asked.body !== undefined) {
      headers["Content-Type"] = "application/json";
      request.body = JSON.stringify(asked.body);
    }
    const address = this.#address(path, asked.params ?? {});
    const deadline = now() + (asked.repeat === false ? 0 : this.patience);
    for (const pause of pauses()) {
      const { failure, response } = await this.#attempt(address, request, asked.signal);
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

  async #attempt(
    address: string,
    request: RequestInit,
    signal: AbortSignal | undefined,
  ): Promise<{ response: Response; failure?: never } | { response?: never; failure: Error }> {
    const limit = new Limit(signal);
    try {
      const response = await this.#fetch(address, { ...request, signal: limit.signal });
      if (response.ok || response.status === 304) {
        const empty = response.status === 204 || response.status === 304;
        const body = empty ? null : await response.arrayBuffer(); // to be repeated if it breaks off
        return { response: new Response(body, { status: response.status, headers: response.headers }) };
      }
      return { failure: await ApiError.of(response) };
    } catch (error) {
      signal?.throwIfAborted();
      return { failure: new Unreachable(`${request.method} ${address}: ${String(error)}`, { cause: error }) };
    } finally {
      limit.end();
    }
  }

  /** One attempt to open a stream: the response of status 200 or 204. `limit` ends it. Throws ApiError, Unreachable. */
  async open(
    path: string,
    token: string | undefined,
    params: Params,
    lastId: string | undefined,
    limit: Limit,
  ): Promise<Response> {
    const headers: Record<string, string> = { Accept: "text/event-stream", ...authorized(token) };
    if (lastId !== undefined) {
      headers["Last-Event-ID"] = lastId;
    }
    const address = this.#address(path, params);
    let response: Response;
    try {
      response = await this.#fetch(address, { headers, cache: "no-store", signal: limit.signal });
    } catch (error) {
      throw new Unreachable(`${address}: ${String(error)}`, { cause: error });
    }
    if (!response.ok) {
      throw await ApiError.of(response);
    }
    return response;
  }

  #address(path: string, params: Params): string {
    const given = Object.entries(params).filter(([, value]) => value !== undefined && value !== null);
    const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
    return `${this.url}${path}${query && `?${query}`}`;
  }
}

/** Ends what its signal is given to, as soon as nothing has come for a while, or when the caller's signal says so. */
export class Limit {
  readonly #controller = new AbortController();
  readonly #callers: AbortSignal | undefined;
  readonly #abort = (): void => this.#controller.abort(this.#callers?.reason);
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(callers: AbortSignal | undefined) {
    this.#callers = callers;
    if (callers?.aborted) {
      this.#abort();
    }
    callers?.addEventListener("abort", this.#abort);
    this.renew();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Something has come. */
  renew(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#controller.abort(new Error("nothing has come")), READ * 1000);
  }

  /** Nothing is waited for any more. */
  end(): void {
    clearTimeout(this.#timer);
    this.#callers?.removeEventListener("abort", this.#abort);
  }
}

/** What a response says: a document, text, or undefined. */
export async function contentOf(response: Response): Promise<unknown> {
  const text = await response.text();
  if (!text) {
    return undefined;
  }
  const kind = (response.headers.get("Content-Type") ?? "").split(";")[0];
  return kind === "application/json" ? JSON.parse(text) : text;
}

/** Whether a repeat may mend it. */
export function isTransient(failure: unknown): boolean {
  return failure instanceof Unreachable || (failure instanceof ApiError && TRANSIENT.has(failure.status));
}

/** Seconds before each repeat, at random, so that many clients do not come all at once. */
export function* pauses(): Generator<number, never> {
  for (let longest = FIRST_PAUSE; ; longest = Math.min(2 * longest, LONGEST_PAUSE)) {
    yield longest * (0.5 + Math.random() / 2);
  }
}

/** Seconds since some moment. */
export function now(): number {
  return performance.now() / 1000;
}

/** Wait; throws the signal's reason as soon as it is aborted. */
export async function sleep(seconds: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, seconds * 1000);
    signal?.addEventListener("abort", done);
  });
  signal?.throwIfAborted();
}

function authorized(token: string | undefined): Record<string, string> {
  return token === undefined ? {} : { Authorization: `Bearer ${token}` };
}

/** 128 bits; `crypto.randomUUID` is missing on pages without TLS. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
