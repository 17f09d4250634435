/** A browser's EventSource, for pages that hold a ticket and no token. */
import type { StreamedState } from "./models.js";
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
/**
 * Show a game by tickets, to its end. `stream`: gets the address of a stream, usually from the page's own server, which
 * asks the engine for a ticket; it is called again whenever the last ticket has become void. What is returned ends it.
 */
export declare function followTicket(stream: () => Promise<string>, handlers: Handlers, EventSource?: new (url: string) => Source): () => void;
export {};
