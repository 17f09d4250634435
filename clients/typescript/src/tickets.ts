/** A browser's EventSource, for pages that hold a ticket and no token. */

import { Unreachable } from "./errors.js";
import type { StreamedState } from "./models.js";
import { silenceAfter } from "./streams.js";
import { KEPT, LIMIT, now, pauses, QUICK, sleep } from "./transport.js";

const CLOSED = 2; // the readyState of an EventSource that has given up
const PATIENCE = 60; // seconds

/** What a page does with what it gets. */
export interface Handlers {
  /** The game is like this now. */
  state(state: StreamedState): void;
  /** The game is over. */
  end?(): void;
  /** Nothing comes any more; this is mended without the page. */
  interrupted?(): void;
  /** Something comes again. */
  back?(): void;
  /** No further ticket could be had, or opened a stream: the page gets nothing more. */
  failed?(error: unknown): void;
}

/** What is used of an EventSource. */
interface Source {
  readonly readyState: number;
  addEventListener(type: string, listener: (event: MessageEvent<string>) => void): void;
  close(): void;
}

/** How a connection came to its end: the game is over, the ticket opens no stream any more, nothing came for too long. */
type Ending = "over" | "void" | "silent";

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
  let stop = (): void => undefined;
  let isInterrupted = false;
  let suspects = 0; // connections that the browser still keeps, and that may have died with that of the stream
  let attempts = pauses();
  let deadline = now() + PATIENCE;

  const interrupted = (): void => {
    if (!isInterrupted && !stopped.signal.aborted) {
      isInterrupted = true;
      handlers.interrupted?.();
    }
  };

  const heard = (): void => {
    suspects = KEPT;
    attempts = pauses();
    deadline = now() + PATIENCE;
    if (isInterrupted) {
      isInterrupted = false;
      handlers.back?.();
    }
  };

  const newAddress = async (): Promise<string> => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, fail) => {
      timer = setTimeout(() => fail(new Unreachable("No ticket comes.")), LIMIT * 1000);
    });
    try {
      const address = new URL(await Promise.race([stream(), late]), globalThis.location?.href);
      address.searchParams.set("views", "true");
      address.searchParams.set("heartbeats", "true");
      return address.href;
    } finally {
      clearTimeout(timer);
    }
  };

  const connect = (address: string): Promise<Ending> =>
    new Promise((resolve) => {
      const opened = new EventSource(address);
      let silence = suspects-- > 0 ? QUICK : LIMIT; // seconds
      let timer: ReturnType<typeof setTimeout>;
      const end = (ending: Ending): void => {
        clearTimeout(timer);
        opened.close();
        resolve(ending);
      };
      const wait = (): void => {
        clearTimeout(timer);
        timer = setTimeout(() => end("silent"), silence * 1000);
      };
      stop = () => end("over");
      opened.addEventListener("heartbeat", ({ data }) => {
        silence = silenceAfter(data);
        wait();
        heard();
      });
      opened.addEventListener("state", ({ data }) => {
        wait();
        heard();
        handlers.state(JSON.parse(data) as StreamedState);
      });
      opened.addEventListener("end", () => end("over"));
      opened.addEventListener("error", () => {
        interrupted();
        if (opened.readyState === CLOSED) {
          end("void");
        }
      });
      wait();
    });

  const run = async (): Promise<void> => {
    for (let address: string | undefined; ; ) {
      let ending: Ending = "void";
      let failure: unknown = new Error("The engine accepts no ticket.");
      try {
        address ??= await newAddress();
        stopped.signal.throwIfAborted();
        ending = await connect(address);
      } catch (error) {
        failure = error;
      }
      if (stopped.signal.aborted) {
        return;
      }
      if (ending === "over") {
        return handlers.end?.();
      }
      interrupted();
      if (ending === "void") {
        address = undefined;
        if (now() > deadline) {
          return handlers.failed?.(failure);
        }
        await sleep(attempts.next().value, stopped.signal);
      }
    }
  };

  run().catch((error: unknown) => stopped.signal.aborted || handlers.failed?.(error));
  return () => {
    stopped.abort();
    stop();
  };
}
