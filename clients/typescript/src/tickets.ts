/** A browser's EventSource, for pages that hold a ticket and no token. */

import type { StreamedState } from "./models.js";
import { now, pauses, sleep } from "./transport.js";

const CLOSED = 2; // the readyState of an EventSource that has given up
const PATIENCE = 60; // seconds

/** What a page does with what it gets. */
export interface Handlers {
  /** The game is like this now. */
  state(state: StreamedState): void;
  /** The game is over. */
  end?(): void;
  /** The connection broke; it is mended without the page. */
  interrupted?(): void;
  /** No further ticket could be had, or opened a stream: the page gets nothing more. */
  failed?(error: unknown): void;
}

/** What is used of an EventSource. */
interface Source {
  readonly readyState: number;
  addEventListener(type: string, listener: (event: MessageEvent<string>) => void): void;
  close(): void;
}

/**
 * Show a game by tickets, to its end. `stream`: gets the address of a stream, usually from the page's own server, which
 * asks the engine for a ticket; it is called again whenever the last ticket has become void. What is returned ends it.
 */
export function followTicket(
  stream: () => Promise<string>,
  handlers: Handlers,
  EventSource: new (url: string) => Source = globalThis.EventSource,
): () => void {
  const stopped = new AbortController();
  let source: Source | undefined;

  const once = async (renewed: () => void): Promise<boolean> => {
    const address = new URL(await stream(), globalThis.location?.href);
    address.searchParams.set("views", "true");
    return new Promise((resolve) => {
      if (stopped.signal.aborted) {
        return resolve(true);
      }
      const opened = new EventSource(address.href);
      source = opened;
      opened.addEventListener("state", (event) => {
        renewed();
        handlers.state(JSON.parse(event.data) as StreamedState);
      });
      opened.addEventListener("end", () => {
        opened.close();
        resolve(true);
      });
      opened.addEventListener("error", () => {
        if (stopped.signal.aborted) {
          return;
        }
        handlers.interrupted?.();
        if (opened.readyState === CLOSED) {
          resolve(false);
        }
      });
    });
  };

  const run = async (): Promise<void> => {
    let attempts = pauses();
    let deadline = now() + PATIENCE;
    for (;;) {
      let failure: unknown = new Error("The engine accepts no ticket.");
      try {
        const ended = await once(() => {
          attempts = pauses();
          deadline = now() + PATIENCE;
        });
        if (ended) {
          return stopped.signal.aborted ? undefined : handlers.end?.();
        }
      } catch (error) {
        failure = error;
      }
      if (now() > deadline) {
        return handlers.failed?.(failure);
      }
      await sleep(attempts.next().value, stopped.signal);
    }
  };

  run().catch((error: unknown) => stopped.signal.aborted || handlers.failed?.(error));
  return () => {
    stopped.abort();
    source?.close();
  };
}
