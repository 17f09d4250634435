/** A game's events followed along the chain of their heads, kept, and compared with the record when the game is over. */
import type { AnyEvent } from "./models.js";
/** What is kept: the events of an earlier run, and what takes each new one. */
export interface Keeping {
    kept?: Iterable<AnyEvent>;
    /**
     * The seat as it was before it was taken (its head binds what had happened by then), with the number of the `seat` and
     * the `client_seed` that it was taken with.
     */
    look?: Look | undefined;
    keep?: (event: AnyEvent) => unknown;
}
export interface Look {
    version?: number;
    head?: string;
    fairness?: {
        commitment: string;
    };
    options?: unknown;
    setup?: boolean;
    seat: number;
    client_seed: string;
}
/** The events that were seen while the game went on, each as it is recorded, and all that the game has. */
export interface Seen {
    seen: number;
    of: number;
}
/** Checks events as they come, and keeps them. */
export declare class Follower {
    #private;
    constructor({ kept, keep, look }?: Keeping);
    /**
     * One more event. Throws Altered if it is not what it was, or not what the engine is bound to. `isLate`: the game was
     * over before anything was followed, so that the event is no memory of it.
     */
    take(event: AnyEvent, isLate?: boolean): Promise<void>;
    /** The result of the comparison with all events of the game, now that nothing is hidden. Throws Altered. */
    conclude(events: AsyncIterable<AnyEvent>): Promise<Seen>;
}
