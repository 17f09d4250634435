/** The engine as an app or anybody sees it. */

import { Webhooks } from "./endpoints.js";
import { ApiError, StreamGap } from "./errors.js";
import { Game } from "./game.js";
import type {
  Answered,
  AnyGameLine,
  AnyLobbyGame,
  AnyNewlyCreated,
  AnyNewlyForked,
  AppEvent,
  BotLine,
  ChangedGame,
  FoundInvite,
  GameOwnData,
  LeaderboardEntry,
  MatchTicket,
  NewGame,
  Player,
  Position,
  PublicKey,
  ThoughtMove,
  WantedMatch,
} from "./models.js";
import { type Connection, follow } from "./streams.js";
import { type Asked, contentOf, type Params, SLOW, Transport } from "./transport.js";

const JOB_WAIT = 10; // seconds of a long poll for a job of a bot

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
export class Client {
  readonly #transport: Transport;
  readonly #appKey: string | undefined;
  /** Where the engine sends what happens in the app's games. */
  readonly webhooks: Webhooks = new Webhooks((...asked) => this.request(...asked));

  constructor(url: string, { appKey, patience = 30, fetch }: ClientOptions = {}) {
    this.#transport = new Transport(url, patience, fetch ?? ((...request) => globalThis.fetch(...request)), appKey);
    this.#appKey = appKey;
  }

  /** Any request of the API, as the app: the document that it answers, or its text; undefined if there is none. */
  async request<Document = unknown>(method: string, path: string, asked: Asked = {}): Promise<Document> {
    return (await contentOf(await this.#transport.request(method, path, this.#appKey, asked))) as Document;
  }

  // Games

  /** Create a game. The answer, and no other, has the tokens of the human seats. */
  createGame(newGame: NewGame = {}, asked: Asked = {}): Promise<AnyNewlyCreated> {
    return this.request("POST", "/v1/games", { ...asked, body: newGame });
  }

  /**
   * A new game against that bot, as seat 0 sees it. A `player` sits down by `Game.takeSeat`, with a client seed that the engine
   * did not know when it committed itself; such a game does not count for ratings. Otherwise the engine could choose the
   * cards.
   */
  async playAgainst(bot: string, newGame: NewGame = {}, player?: string): Promise<Game> {
    if (player !== undefined) {
      const { id } = await this.createGame({ seats: [{ kind: "open" }, { kind: "bot", bot }], ...newGame });
      return this.game(id).takeSeat(0, { player });
    }
    const created = await this.createGame({ seats: [{ kind: "human" }, { kind: "bot", bot }], ...newGame });
    return this.seat(created, 0);
  }

  /** The game, as the holder of that seat's token sees it; without one as the app or a spectator. */
  game(id: string, token = this.#appKey): Game {
    return new Game(this.#transport, id, token);
  }

  /** The new game as that human seat sees it. Throws TypeError if the answer has no token for the seat. */
  seat(created: AnyNewlyCreated | AnyNewlyForked, seat: number): Game {
    const token = created.seats[seat]?.token;
    if (token === undefined) {
      throw new TypeError(`There is no token for seat ${seat}.`);
    }
    return this.game(created.id, token);
  }

  /** The app's games, newest first or in another `order`, page by page of `limit`. */
  games(filter: GamesFilter = {}): AsyncGenerator<AnyGameLine, void> {
    return this.#lines("/v1/games", { ...filter });
  }

  /**
   * Change the app's own data about a game: its `external_id`, the `metadata` of the game and of its `seats`. What is
   * left out stays; null removes a key.
   */
  changeGame(id: string, change: ChangedGame): Promise<GameOwnData> {
    return this.request("PATCH", `/v1/games/${encodeURIComponent(id)}`, { body: change });
  }

  /** The app's games that have an open seat, newest first, page by page of `limit`. */
  lobby(filter: LobbyFilter = {}): AsyncGenerator<AnyLobbyGame, void> {
    return this.#lines("/v1/lobby", { ...filter });
  }

  /** The game, the seat and the invite that a join code stands for, as somebody has typed it. */
  findInvite(joinCode: string): Promise<FoundInvite> {
    return this.request("POST", "/v1/invites/lookup", { body: { code: joinCode } });
  }

  async *#lines<Line>(path: string, filter: Params): AsyncGenerator<Line, void> {
    let cursor: string | null = null;
    do {
      const params: Params = { limit: 100, ...filter, cursor };
      const page: { games: Line[]; next: string | null } = await this.request("GET", path, { params });
      yield* page.games;
      cursor = page.next;
    } while (cursor !== null);
  }

  // Finding a partner

  /** A game with somebody who wants the same, as that player sees it; waits until there is a partner. */
  async quickMatch(wanted: WantedMatch, signal?: AbortSignal): Promise<Game> {
    let found = await this.joinQuickMatch(wanted, { signal });
    while (!found.match) {
      found = await this.waitForMatch(found.ticket, 20, { signal });
    }
    return this.game(found.match.id, found.match.token ?? undefined);
  }

  /** Begin to look for a partner; the ticket says whether there is one already. */
  joinQuickMatch(wanted: WantedMatch, asked: Asked = {}): Promise<MatchTicket> {
    return this.request("POST", "/v1/quick-match", { ...asked, body: wanted });
  }

  /** The ticket as soon as there is a partner, or after so many seconds. Throws ApiError once it is void. */
  waitForMatch(ticket: string, seconds = 20, asked: Asked = {}): Promise<MatchTicket> {
    return this.request("GET", `/v1/quick-match/${encodeURIComponent(ticket)}`, { ...asked, params: { wait: seconds } });
  }

  /** Look for a partner no more. */
  async cancelMatch(ticket: string): Promise<void> {
    await this.request("DELETE", `/v1/quick-match/${encodeURIComponent(ticket)}`);
  }

  // All games of the app

  /**
   * What has happened in all games of the app after that event, by its `id`, until now. Throws StreamGap. The first
   * request begins the app's log: what happened before is not in it.
   */
  async *events(after = "0", types: readonly AppEvent["type"][] = []): AsyncGenerator<AppEvent, void> {
    for (let from = after; ; ) {
      const page = await this.#appEvents(from, types);
      yield* page.events;
      if (!page.events.length) {
        return;
      }
      from = page.next;
    }
  }

  /**
   * What happens in all games of the app after that event, by its `id`, without an end; through restarts. Keep the `id` of
   * the last event that you have dealt with: it resumes there. Throws StreamGap, ApiError, Unreachable, or the signal's
   * reason.
   */
  async *watch(
    after = "now",
    types: readonly AppEvent["type"][] = [],
    signal?: AbortSignal,
    onConnection?: (connection: Connection) => void,
  ): AsyncGenerator<AppEvent, void> {
    const from = after === "now" ? (await this.#appEvents(after, types)).next : after;
    const params = { after: from, types: types.join(",") || null };
    yield* follow<AppEvent>(this.#transport, "/v1/events", this.#appKey, params, undefined, signal, onConnection);
  }

  async #appEvents(after: string, types: readonly string[]): Promise<{ events: AppEvent[]; next: string }> {
    try {
      return await this.request("GET", "/v1/events", { params: { after, types: types.join(",") || null } });
    } catch (error) {
      if (error instanceof ApiError && error.status === 410) {
        throw new StreamGap(error.message, { cause: error });
      }
      throw error;
    }
  }

  // Bots

  /** The engine's bots, or those of one game. */
  async bots(game?: string): Promise<BotLine[]> {
    return (await this.request<{ bots: BotLine[] }>("GET", "/v1/bots", { params: { game } })).bots;
  }

  /** The move of that bot in a position of your own; `Game.position` has one of a game here. */
  choose(bot: string, position: Position): Promise<ThoughtMove> {
    return this.request("POST", `/v1/bots/${encodeURIComponent(bot)}/choose`, { body: position, timeout: SLOW });
  }

  /**
   * The moves of that bot in up to 100 positions, in their order: of each the `answer`, or the `problem` of it. Waits
   * until all are there.
   */
  async chooseAll(bot: string, positions: Position[]): Promise<Answered[]> {
    type Found = { answers: Answered[] } | { links: { self: string } };
    const path = `/v1/bots/${encodeURIComponent(bot)}/choose`;
    let found = await this.request<Found>("POST", path, { body: { positions }, timeout: SLOW });
    while (!("answers" in found)) {
      found = await this.request<Found>("GET", found.links.self, { params: { wait: JOB_WAIT } });
    }
    return found.answers;
  }

  // Players

  /** Everything that is stored about a player of the app. */
  player(id: string): Promise<Player> {
    return this.request("GET", `/v1/players/${encodeURIComponent(id)}`);
  }

  /**
   * The app's players and the bots that they met, the strongest first, page by page of `limit`. It begins so that the
   * player `around`, a name or an id, is in the middle of the first page; it is empty if that player has no place.
   */
  async *leaderboard(
    filter: { game?: string; time_class?: string; around?: string; limit?: number } = {},
  ): AsyncGenerator<LeaderboardEntry, void> {
    let cursor: string | null = null;
    do {
      const params = { limit: 100, ...filter, cursor };
      const page: { entries: LeaderboardEntry[]; next: string | null } = await this.request("GET", "/v1/leaderboard", { params });
      yield* page.entries;
      cursor = page.next;
    } while (cursor !== null);
  }

  /** Erase a player's name. */
  async erasePlayer(id: string): Promise<void> {
    await this.request("DELETE", `/v1/players/${encodeURIComponent(id)}`);
  }

  // The engine

  /** The public keys by which the engine signs heads of games. */
  async signingKeys(): Promise<PublicKey[]> {
    return (await this.request<{ keys: PublicKey[] }>("GET", "/.well-known/migrato-keys.json")).keys;
  }
}
