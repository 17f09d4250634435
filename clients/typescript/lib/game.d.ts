/** One game, as the holder of one token sees it: a seat, the game's app or a spectator. */
import type { Adjudication, Analysis, AnyEvent, AnyGameView, AnyMove, AnyNewlyForked, AnySeatDetails, Audit, Head, Hint, InLanguages, InviteInfo, NewFork, NewInvite, NewEmbedTicket, NewTicket, PlayedMove, Position, PreviewedMove, Rematch, SeatWithToken, Step, StreamedState, Takeback, TakenSeat, WantedInvite, WantedTicket } from "./models.js";
import { type Keeping, type Seen } from "./following.js";
import { type Connection } from "./streams.js";
import { type Asked, type Transport } from "./transport.js";
/** A moment in which the seat is to act. */
export interface Turn {
    version: number;
    /** For `move`: the position, which hints and the like leave as it is. */
    turnVersion: number;
    view: AnyGameView;
    legalMoves: AnyMove[];
    /** A label for each of the legal moves, by language. */
    labels: InLanguages;
}
/** The languages of words, with commas between them: "en", unless others are asked for. */
export interface Wording {
    languages?: string;
}
/** What states show. */
export interface Showing extends Wording {
    /** A state comes, too, when somebody comes or goes: `connected` of its view's seats. It has the version of the last one. */
    presence?: boolean;
}
/** One game. Every method throws ApiError for what the engine refuses, and Unreachable if it does not answer. */
export declare class Game {
    #private;
    readonly id: string;
    readonly token: string | undefined;
    /** What `follow` comes to, once the game is over. */
    seen: Seen | undefined;
    /** Use `Client.game`, `Client.seat` or `Client.playAgainst`. */
    constructor(transport: Transport, id: string, token: string | undefined);
    /** Any request below the game's address: the document that it answers, or its text; undefined if there is none. */
    request<Document = unknown>(method: string, path?: string, asked?: Asked): Promise<Document>;
    /**
     * The game as the caller may see it: now, or as it was after event `version`. `seat`: of a game that is over, whose
     * view: the number of a seat, or "all".
     */
    view(params?: {
        version?: number;
        seat?: number | "all";
    }): Promise<AnyGameView>;
    /** The view as soon as the game is at another version than this one; undefined if that takes longer. */
    wait(version: number, seconds?: number): Promise<AnyGameView | undefined>;
    /** Every legal move of the seat, ready to be made; none if it is not to act. */
    legalMoves(): Promise<AnyMove[]>;
    /**
     * Make a move, once, however often the request has to be sent. Refuse it (`version-mismatch`) if the position is not
     * that of `turnVersion` any more, or the game not `at` that version. With an `idempotencyKey` that you keep, even a
     * program that was restarted makes the move once.
     */
    move(move: AnyMove, { at, turnVersion, ...asked }?: {
        at?: number;
        turnVersion?: number;
    } & Asked): Promise<PlayedMove>;
    /** What a move would do, as far as the seat can know; nothing is changed. */
    preview(move: AnyMove): Promise<PreviewedMove>;
    /** Give up. */
    resign(): Promise<PlayedMove>;
    /** The seat's turns to the end of the game: make a move in each, and the next one comes. */
    turns(signal?: AbortSignal, onConnection?: (connection: Connection) => void, wording?: Wording): AsyncGenerator<Turn, void>;
    /** Claim the win from the seat to act, which is away, from `claimable_at` of the view on: what that caused. */
    claim(): Promise<PlayedMove>;
    /** Ask to take the seat's last move back or, with `agree`, answer who asks: what that caused. */
    takeBack(agree?: boolean, toVersion?: number): Promise<PlayedMove>;
    /** Who asks to take a move back, and whose consent is missing. */
    takebackState(): Promise<Takeback>;
    /** What that bot, or the game's default, would do in the seat's place. */
    hint(bot?: string): Promise<Hint>;
    /** The position as the seat knows it, for `Client.choose`. */
    position(): Promise<Position>;
    /**
     * The game now, and after each change, to its end, through restarts of the engine: its view, its legal moves, and what
     * has happened since the last state, in words too. `onConnection` is told when it is interrupted, and when it is back.
     * Throws StreamGap, ApiError, Unreachable, or the signal's reason.
     */
    states(signal?: AbortSignal, onConnection?: (connection: Connection) => void, showing?: Showing): AsyncGenerator<StreamedState, void>;
    /**
     * The events after that version, and all that follow to the game's end, through restarts of the engine. `onConnection`
     * as in `states`. Throws StreamGap, ApiError, Unreachable, or the signal's reason.
     */
    watch(after?: number, signal?: AbortSignal, onConnection?: (connection: Connection) => void): AsyncGenerator<AnyEvent, void>;
    /**
     * Every event from the first one to the game's end, each checked by the chain of heads, and given to `keep`: write it as a
     * line of a file for `migrato verify --kept`, and give what you have of an earlier run as `kept`. Once the game is over all
     * is compared with the record: `seen` says how much. Throws Altered where the engine shows something else than it did, and
     * as `watch`.
     */
    follow(keeping?: Keeping, signal?: AbortSignal, onConnection?: (connection: Connection) => void): AsyncGenerator<AnyEvent, void>;
    /** The events after that version until now, page by page of `limit`. */
    events(after?: number, limit?: number): AsyncGenerator<AnyEvent, void>;
    /** A ticket for a page, whose EventSource opens its `stream`. */
    ticket(wanted?: WantedTicket): Promise<NewTicket>;
    /** Void every ticket that the seat, or the app, has asked for. */
    revokeTickets(): Promise<void>;
    /** A table of the seat for a frame in a page of the origin `parent`: its `frame` is the path of the address, good once. */
    embed(parent: string): Promise<NewEmbedTicket>;
    /** What a player should know before taking a seat. */
    lookAtSeat(seat: number): Promise<AnySeatDetails>;
    /**
     * Take an open seat; the game as that seat sees it. Its `token` is told only here. The seat is looked at first and then taken with
     * 16 random bytes as `client_seed`, which the engine could not know when it committed itself to its own; give one to choose
     * it. With an idempotency key none is made up, since a request that is repeated must be the same: then give one that you
     * keep.
     */
    takeSeat(seat: number, wanted: TakenSeat, asked?: Asked): Promise<Game>;
    /** Give a person's seat to another one: the game as that one sees it. The seat's former token is void. */
    handOver(seat: number, player: string): Promise<Game>;
    /** An invite to an open seat, whose code is told only here; good for a day, or so many seconds. */
    invite(seat: number, wanted?: WantedInvite): Promise<NewInvite>;
    /** The invites that are still good, without their codes. */
    invites(): Promise<InviteInfo[]>;
    /** Void an invite. */
    revokeInvite(id: string): Promise<void>;
    /** Agree to play the finished game again: the new one as this seat sees it, or undefined as long as others do not. */
    rematch(): Promise<Game | undefined>;
    /** Who agrees to play again, and the new game. */
    rematchState(): Promise<Rematch>;
    /** Agree no more. */
    withdrawRematch(): Promise<void>;
    /** Every move of the finished game, judged by what its seat knew; waits for workers, at most so many seconds. */
    analysis(seconds?: number): Promise<Analysis>;
    /** Another token for the seat; the old one is void. */
    reissueToken(seat: number): Promise<SeatWithToken>;
    /** End the game without a result. */
    abort(): Promise<AnyGameView>;
    /** End the game with that result. */
    adjudicate(decision: Adjudication): Promise<AnyGameView>;
    /** Let a bot play on for a player who left. */
    replacePlayer(seat: number, bot: string): Promise<AnyGameView>;
    /** The game step by step, page by page of `limit`; `seat` as in `view`. */
    replay(seat?: number | "all", limit?: number): AsyncGenerator<Step, void>;
    /** A new game that goes on from a version of this one; `Client.seat` gives its seats. */
    fork(fork: NewFork, asked?: Asked): Promise<AnyNewlyForked>;
    /** The signed head of the game. */
    head(version?: number): Promise<Head>;
    /** The game as lines of JSON, for `migrato verify`. */
    export(): Promise<string>;
    /** The result of the engine's own check. */
    audit(): Promise<Audit>;
}
