/** Server-sent events, and streams that go on after whatever breaks them. */

import { ApiError, StreamGap, Unreachable } from "./errors.js";
import { isTransient, KEPT, LIMIT, Limit, now, type Params, pauses, QUICK, sleep, type Transport } from "./transport.js";

const STEADY = 15; // seconds, after which a stream counts as having been open
const BEATS = 2; // heartbeats, within the time of which something must come

/** Nothing comes any more, and the stream is opened again; or something comes again. */
export type Connection = "interrupted" | "back";

/** The seconds for which nothing may come on a stream, by the data of a heartbeat. */
export function silenceAfter(data: string): number {
  return BEATS * (JSON.parse(data) as { seconds: number }).seconds;
}

/** A server-sent event. `retry`: the seconds to wait before connecting again, if it says so. */
export interface Frame {
  event: string;
  data: string;
  id: string | undefined;
  retry: number | undefined;
}

/**
 * The documents of a stream to its end, each once, through restarts of the engine and connections that die without a word.
 *
 * `lastId`: that of the last document that the caller has. `onConnection` is told how it goes. Throws ApiError, StreamGap, and Unreachable if no stream could
 * be opened for as long as `transport.patience`; or the signal's reason.
 */
export async function* follow<Document>(
  transport: Transport,
  path: string,
  token: string | undefined,
  params: Params,
  lastId: string | undefined,
  signal: AbortSignal | undefined,
  onConnection: ((connection: Connection) => void) | undefined,
): AsyncGenerator<Document, void> {
  let isInterrupted = false;
  let suspects = 0; // connections that are still kept, and may have died with that of the stream
  let attempts = pauses();
  let deadline = now() + transport.patience;
  let received = false;
  for (;;) {
    let pause = attempts.next().value;
    let failure: unknown;
    const opened = now();
    const limit = new Limit(signal, suspects-- > 0 ? QUICK : LIMIT);
    try {
      const response = await transport.open(path, token, { ...params, heartbeats: true }, lastId, limit);
      if (response.status === 204) {
        return;
      }
      for await (const frame of frames(chunks(response, limit))) {
        pause = Math.max(pause, frame.retry ?? 0);
        lastId = frame.id ?? lastId;
        if (frame.retry === undefined) {
          suspects = KEPT;
          if (isInterrupted) {
            isInterrupted = false;
            onConnection?.("back");
          }
        }
        if (frame.event === "heartbeat") {
          limit.renew(silenceAfter(frame.data));
          continue;
        }
        if (frame.event === "end") {
          return;
        }
        if (frame.data) {
          received = true;
          limit.rest();
          yield JSON.parse(frame.data) as Document;
          limit.renew();
          attempts = pauses();
          deadline = now() + transport.patience;
        }
      }
      failure = new Unreachable(`The stream ${transport.url}${path} ends at once.`);
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof ApiError && (error.status === 410 || (error.status === 404 && received))) {
        throw new StreamGap(error.message, { cause: error });
      }
      if (!isTransient(error)) {
        throw error;
      }
      failure = error;
      pause = Math.max(pause, (error instanceof ApiError && error.retryAfter) || 0);
    } finally {
      limit.end();
    }
    if (!isInterrupted) {
      isInterrupted = true;
      onConnection?.("interrupted");
    }
    if (limit.isOver) {
      pause = 0; // it has waited
    }
    if (now() - opened > STEADY) {
      attempts = pauses();
      deadline = now() + transport.patience;
    }
    if (now() + pause > deadline) {
      throw failure;
    }
    await sleep(pause, signal);
  }
}

/** The bytes of a response, which is given up when the caller stops. Throws Unreachable if the connection breaks. */
async function* chunks(response: Response, limit: Limit): AsyncGenerator<Uint8Array, void> {
  const reader = response.body!.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw new Unreachable(`The stream broke off: ${String(error)}`, { cause: error });
      });
      if (done) {
        return;
      }
      limit.renew();
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** The frames of a stream (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
export async function* frames(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Frame, void> {
  const decoder = new TextDecoder();
  let rest = "";
  let fields = new Map<string, string>();
  for await (const part of parts) {
    const lines = (rest + decoder.decode(part, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines.map((line) => line.replace(/\r$/, ""))) {
      if (line) {
        const [, name = line, value = ""] = /^([^:]*): ?(.*)$/s.exec(line) ?? [];
        const before = name === "data" ? fields.get(name) : undefined;
        fields.set(name, before === undefined ? value : `${before}\n${value}`);
      } else if (fields.size) {
        const retry = fields.get("retry") ?? "";
        yield {
          event: fields.get("event") ?? "message",
          data: fields.get("data") ?? "",
          id: fields.get("id"),
          retry: /^\d+$/.test(retry) ? Number(retry) / 1000 : undefined,
        };
        fields = new Map();
      }
    }
  }
}
