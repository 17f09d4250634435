/** Server-sent events, and streams that go on after whatever breaks them. */
import { type Params, type Transport } from "./transport.js";
/** Nothing comes any more, and the stream is opened again; or something comes again. */
export type Connection = "interrupted" | "back";
/** The seconds for which nothing may come on a stream, by the data of a heartbeat. */
export declare function silenceAfter(data: string): number;
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
export declare function follow<Document>(transport: Transport, path: string, token: string | undefined, params: Params, lastId: string | undefined, signal: AbortSignal | undefined, onConnection: ((connection: Connection) => void) | undefined): AsyncGenerator<Document, void>;
/** The frames of a stream (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
export declare function frames(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Frame, void>;
