/** A browser's EventSource, for pages that hold a ticket and no token. */
import { Unreachable } from "./errors.js";
import { silenceAfter } from "./streams.js";
import { KEPT, LIMIT, now, pauses, QUICK, sleep } from "./transport.js";
const CLOSED = 2; // the readyState of an EventSource that has given up
const PATIENCE = 60; // seconds
/**
 * Show a game by tickets, to its end. `stream`: gets the address of a stream, usually from the page's own server, which
 * asks the engine for a ticket; it is called again whenever the last ticket has become void. What is returned ends it.
 */
export function followTicket(stream, handlers, EventSource = globalThis.EventSource) {
    const stopped = new AbortController();
    let stop = () => undefined;
    let isInterrupted = false;
    let suspects = 0; // connections that the browser still keeps, and that may have died with that of the stream
    let attempts = pauses();
    let deadline = now() + PATIENCE;
    const interrupted = () => {
        if (!isInterrupted && !stopped.signal.aborted) {
            isInterrupted = true;
            handlers.interrupted?.();
        }
    };
    const heard = () => {
        suspects = KEPT;
        attempts = pauses();
        deadline = now() + PATIENCE;
        if (isInterrupted) {
            isInterrupted = false;
            handlers.back?.();
        }
    };
    const newAddress = async () => {
        let timer;
        const late = new Promise((_, fail) => {
            timer = setTimeout(() => fail(new Unreachable("No ticket comes.")), LIMIT * 1000);
        });
        try {
            const address = new URL(await Promise.race([stream(), late]), globalThis.location?.href);
            address.searchParams.set("views", "true");
            address.searchParams.set("heartbeats", "true");
            return address.href;
        }
        finally {
            clearTimeout(timer);
        }
    };
    const connect = (address) => new Promise((resolve) => {
        const opened = new EventSource(address);
        let silence = suspects-- > 0 ? QUICK : LIMIT; // seconds
        let timer;
        const end = (ending) => {
            clearTimeout(timer);
            opened.close();
            resolve(ending);
        };
        const wait = () => {
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
            handlers.state(JSON.parse(data));
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
    const run = async () => {
        for (let address;;) {
            let ending = "void";
            let failure = new Error("The engine accepts no ticket.");
            try {
                address ??= await newAddress();
                stopped.signal.throwIfAborted();
                ending = await connect(address);
            }
            catch (error) {
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
    run().catch((error) => stopped.signal.aborted || handlers.failed?.(error));
    return () => {
        stopped.abort();
        stop();
    };
}
