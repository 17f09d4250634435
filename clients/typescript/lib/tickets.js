/** A browser's EventSource, for pages that hold a ticket and no token. */
import { now, pauses, sleep } from "./transport.js";
const CLOSED = 2; // the readyState of an EventSource that has given up
const PATIENCE = 60; // seconds
/**
 * Show a game by tickets, to its end. `stream`: gets the address of a stream, usually from the page's own server, which
 * asks the engine for a ticket; it is called again whenever the last ticket has become void. What is returned ends it.
 */
export function followTicket(stream, handlers, EventSource = globalThis.EventSource) {
    const stopped = new AbortController();
    let source;
    const once = async (renewed) => {
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
                handlers.state(JSON.parse(event.data));
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
    const run = async () => {
        let attempts = pauses();
        let deadline = now() + PATIENCE;
        for (;;) {
            let failure = new Error("The engine accepts no ticket.");
            try {
                const ended = await once(() => {
                    attempts = pauses();
                    deadline = now() + PATIENCE;
                });
                if (ended) {
                    return stopped.signal.aborted ? undefined : handlers.end?.();
                }
            }
            catch (error) {
                failure = error;
            }
            if (now() > deadline) {
                return handlers.failed?.(failure);
            }
            await sleep(attempts.next().value, stopped.signal);
        }
    };
    run().catch((error) => stopped.signal.aborted || handlers.failed?.(error));
    return () => {
        stopped.abort();
        source?.close();
    };
}
