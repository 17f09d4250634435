/** The engine as an app or anybody sees it. */
import { Webhooks } from "./endpoints.js";
import { Game } from "./game.js";
import type { Answered, AnyGameLine, AnyLobbyGame, AnyNewlyCreated, AnyNewlyForked, AppEvent, BotLine, ChangedGame, FoundInvite, GameOwnData, LeaderboardEntry, MatchTicket, NewGame, Player, Position, PublicKey, ThoughtMove, WantedMatch } from "./models.js";
import { type Connection } from "./streams.js";
import { type Asked } from "./transport.js";
/** What a client may be told. */
export interface ClientOptions {
    /** Without one you may only watch public games, unless the engine needs none. */
    appKey?: string | undefined;
    /** Seconds for which a request is repeated that the engine did not answer; 30, unless you say otherwise. */
    patience?: number;
    /** What sends requests, for tests and proxies. */
    fetch?: typeof fetch;
}
/** Which games are listed. */
export interface GamesFilter {
    status?: "waiting" | "playing" | "finished";
    game?: string;
    player?: string;
    /** It is this player's turn. */
    to_act?: string;
    /** "turn": of a player's games, first those in which it is the player's turn. */
    order?: "newest" | "oldest" | "updated" | "stale" | "turn";
    /** Their last event is later than this, in RFC 3339. */
    updated_after?: string;
    /** Their last event is earlier than this. */
    updated_before?: string;
    /** They were created later than this. */
    created_after?: string;
    /** They were created earlier than this. */
    created_before?: string;
    /** The game that has this id of yours. */
    external_id?: string;
    /** They have this key and value: "order=1234". */
    metadata?: string;
    limit?: number;
}
/** Which games are shown in the lobby. */
export interface LobbyFilter {
    game?: string;
    /** "open", unless you say otherwise. */
    joining?: "open" | "invite" | "app" | "any";
    limit?: number;
}
/** Asks one engine. Every method throws ApiError for what it refuses, and Unreachable if it does not answer. */
export declare class Client {
    #private;
    /** Where the engine sends what happens in the app's games. */
    readonly webhooks: Webhooks;
    constructor(url: string, { appKey, patience, fetch }?: ClientOptions);
    /** Any request of the API, as the app: the document that it answers, or its text; undefined if there is none. */
    request<Document = unknown>(method: string, path: string, asked?: Asked): Promise<Document>;
    /** Create a game. The answer, and no other, has the tokens of the human seats. */
    createGame(newGame?: NewGame, asked?: Asked): Promise<AnyNewlyCreated>;
    /**
     * A new game against that bot, as seat 0 sees it. A `player` sits down by `Game.takeSeat`, with a client seed that the engine
     * did not know when it committed itself; such a game does not count for ratings. Otherwise the engine could choose the
     * cards.
     */
    playAgainst(bot: string, newGame?: NewGame, player?: string): Promise<Game>;
    /** The game, as the holder of that seat's token sees it; without one as the app or a spectator. */
    game(id: string, token?: string | undefined): Game;
    /** The new game as that human seat sees it. Throws TypeError if the answer has no token for the seat. */
    seat(created: AnyNewlyCreated | AnyNewlyForked, seat: number): Game;
    /** The app's games, newest first or in another `order`, page by page of `limit`. */
    games(filter?: GamesFilter): AsyncGenerator<AnyGameLine, void>;
    /**
     * Change the app's own data about a game: its `external_id`, the `metadata` of the game and of its `seats`. What is
     * left out stays; null removes a key.
     */
    changeGame(id: string, change: ChangedGame): Promise<GameOwnData>;
    /** The app's games that have an open seat, newest first, page by page of `limit`. */
    lobby(filter?: LobbyFilter): AsyncGenerator<AnyLobbyGame, void>;
    /** The game, the seat and the invite that a join code stands for, as somebody has typed it. */
    findInvite(joinCode: string): Promise<FoundInvite>;
    /** A game with somebody who wants the same, as that player sees it; waits until there is a partner. */
    quickMatch(wanted: WantedMatch, signal?: AbortSignal): Promise<Game>;
    /** Begin to look for a partner; the ticket says whether there is one already. */
    joinQuickMatch(wanted: WantedMatch, asked?: Asked): Promise<MatchTicket>;
    /** The ticket as soon as there is a partner, or after so many seconds. Throws ApiError once it is void. */
    waitForMatch(ticket: string, seconds?: number, asked?: Asked): Promise<MatchTicket>;
    /** Look for a partner no more. */
    cancelMatch(ticket: string): Promise<void>;
    /**
     * What has happened in all games of the app after that event, by its `id`, until now. Throws StreamGap. The first
     * request begins the app's log: what happened before is not in it.
     */
    events(after?: string, types?: readonly AppEvent["type"][]): AsyncGenerator<AppEvent, void>;
    /**
     * What happens in all games of the app after that event, by its `id`, without an end; through restarts. Keep the `id` of
     * the last event that you have dealt with: it resumes there. Throws StreamGap, ApiError, Unreachable, or the signal's
     * reason.
     */
    watch(after?: string, types?: readonly AppEvent["type"][], signal?: AbortSignal, onConnection?: (connection: Connection) => void): AsyncGenerator<AppEvent, void>;
    /** The engine's bots, or those of one game. */
    bots(game?: string): Promise<BotLine[]>;
    /** The move of that bot in a position of your own; `Game.position` has one of a game here. */
    choose(bot: string, position: Position): Promise<ThoughtMove>;
    /**
     * The moves of that bot in up to 100 positions, in their order: of each the `answer`, or the `problem` of it. Waits
     * until all are there.
     */
    chooseAll(bot: string, positions: Position[]): Promise<Answered[]>;
    /** Everything that is stored about a player of the app. */
    player(id: string): Promise<Player>;
    /**
     * The app's players and the bots that they met, the strongest first, page by page of `limit`. It begins so that the
     * player `around`, a name or an id, is in the middle of the first page; it is empty if that player has no place.
     */
    leaderboard(filter?: {
        game?: string;
        time_class?: string;
        around?: string;
        limit?: number;
    }): AsyncGenerator<LeaderboardEntry, void>;
    /** Erase a player's name. */
    erasePlayer(id: string): Promise<void>;
    /** The public keys by which the engine signs heads of games. */
    signingKeys(): Promise<PublicKey[]>;
}
