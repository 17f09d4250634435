/** One game, as the holder of one token sees it: a seat, the game's app or a spectator. */

import type {
  Adjudication,
  Analysis,
  AnalysisProgress,
  AnyEvent,
  AnyGameView,
  AnyMove,
  AnyNewlyForked,
  AnySeatDetails,
  Audit,
  Head,
  Hint,
  InLanguages,
  InviteInfo,
  NewFork,
  NewInvite,
  NewEmbedTicket,
  NewTicket,
  PlayedMove,
  Position,
  PreviewedMove,
  Rematch,
  SeatWithToken,
  Step,
  StreamedState,
  Takeback,
  TakenSeat,
  WantedInvite,
  WantedTicket,
} from "./models.js";
import { ApiError } from "./errors.js";
import { Follower, type Keeping, type Seen } from "./following.js";
import { type Connection, follow } from "./streams.js";
import { type Asked, contentOf, SLOW, type Transport } from "./transport.js";

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
export class Game {
  readonly id: string;
  readonly token: string | undefined;
  /** What `follow` comes to, once the game is over. */
  seen: Seen | undefined;
  #look: Keeping["look"];
  readonly #transport: Transport;
  readonly #path: string;
  #version = 0; // the newest that an answer to a move had

  /** Use `Client.game`, `Client.seat` or `Client.playAgainst`. */
  constructor(transport: Transport, id: string, token: string | undefined) {
    this.#transport = transport;
    this.id = id;
    this.token = token;
    this.#path = `/v1/games/${encodeURIComponent(id)}`;
  }

  /** Any request below the game's address: the document that it answers, or its text; undefined if there is none. */
  async request<Document = unknown>(method: string, path = "", asked: Asked = {}): Promise<Document> {
    const response = await this.#transport.request(method, this.#path + path, this.token, asked);
    return (await contentOf(response)) as Document;
  }

  // Playing

  /**
   * The game as the caller may see it: now, or as it was after event `version`. `seat`: of a game that is over, whose
   * view: the number of a seat, or "all".
   */
  view(params: { version?: number; seat?: number | "all" } = {}): Promise<AnyGameView> {
    return this.request("GET", "", { params });
  }

  /** The view as soon as the game is at another version than this one; undefined if that takes longer. */
  wait(version: number, seconds = 30): Promise<AnyGameView | undefined> {
    return this.request("GET", "", { params: { wait: seconds }, headers: { "If-None-Match": `"${version}"` } });
  }

  /** Every legal move of the seat, ready to be made; none if it is not to act. */
  async legalMoves(): Promise<AnyMove[]> {
    return (await this.request<{ moves: AnyMove[] }>("GET", "/legal-moves")).moves;
  }

  /**
   * Make a move, once, however often the request has to be sent. Refuse it (`version-mismatch`) if the position is not
   * that of `turnVersion` any more, or the game not `at` that version. With an `idempotencyKey` that you keep, even a
   * program that was restarted makes the move once.
   */
  async move(
    move: AnyMove,
    { at, turnVersion, ...asked }: { at?: number; turnVersion?: number } & Asked = {},
  ): Promise<PlayedMove> {
    const wanted = turnVersion === undefined ? at : `turn_version=${turnVersion}`;
    const headers = { ...asked.headers, ...(wanted === undefined ? {} : { "If-Match": `"${wanted}"` }) };
    const played = await this.request<PlayedMove>("POST", "/moves", { ...asked, body: move, headers });
    this.#version = Math.max(this.#version, played.version);
    return played;
  }

  /** What a move would do, as far as the seat can know; nothing is changed. */
  preview(move: AnyMove): Promise<PreviewedMove> {
    return this.request("POST", "/moves", { body: move, params: { dry_run: true } });
  }

  /** Give up. */
  resign(): Promise<PlayedMove> {
    return this.move({ type: "resign" });
  }

  /** The seat's turns to the end of the game: make a move in each, and the next one comes. */
  async *turns(
    signal?: AbortSignal,
    onConnection?: (connection: Connection) => void,
    wording: Wording = {},
  ): AsyncGenerator<Turn, void> {
    const states = this.states(signal, onConnection, wording);
    for await (const { version, view, legal_moves: legalMoves, labels } of states) {
      if (legalMoves?.length && version >= this.#version) {
        yield { version, turnVersion: view.turn_version, view, legalMoves, labels: labels ?? {} };
      }
    }
  }

  /** Claim the win from the seat to act, which is away, from `claimable_at` of the view on: what that caused. */
  claim(): Promise<PlayedMove> {
    return this.request("POST", "/claim");
  }

  /** Ask to take the seat's last move back or, with `agree`, answer who asks: what that caused. */
  takeBack(agree?: boolean, toVersion?: number): Promise<PlayedMove> {
    return this.request("POST", "/takeback", { body: { agree, to_version: toVersion } });
  }

  /** Who asks to take a move back, and whose consent is missing. */
  takebackState(): Promise<Takeback> {
    return this.request("GET", "/takeback");
  }

  /** What that bot, or the game's default, would do in the seat's place. */
  hint(bot?: string): Promise<Hint> {
    return this.request("GET", "/hint", { params: { bot }, timeout: SLOW });
  }

  /** The position as the seat knows it, for `Client.choose`. */
  async position(): Promise<Position> {
    const history: AnyEvent[] = [];
    const view = await this.view();
    for await (const event of this.events()) {
      history.push(event);
    }
    return { view, history } as unknown as Position;
  }

  // Watching

  /**
   * The game now, and after each change, to its end, through restarts of the engine: its view, its legal moves, and what
   * has happened since the last state, in words too. `onConnection` is told when it is interrupted, and when it is back.
   * Throws StreamGap, ApiError, Unreachable, or the signal's reason.
   */
  states(
    signal?: AbortSignal,
    onConnection?: (connection: Connection) => void,
    showing: Showing = {},
  ): AsyncGenerator<StreamedState, void> {
    const params = { views: true, ...showing };
    return follow(this.#transport, `${this.#path}/events`, this.token, params, undefined, signal, onConnection);
  }

  /**
   * The events after that version, and all that follow to the game's end, through restarts of the engine. `onConnection`
   * as in `states`. Throws StreamGap, ApiError, Unreachable, or the signal's reason.
   */
  watch(after = 0, signal?: AbortSignal, onConnection?: (connection: Connection) => void): AsyncGenerator<AnyEvent, void> {
    return follow(this.#transport, `${this.#path}/events`, this.token, {}, String(after), signal, onConnection);
  }

  /**
   * Every event from the first one to the game's end, each checked by the chain of heads, and given to `keep`: write it as a
   * line of a file for `migrato verify --kept`, and give what you have of an earlier run as `kept`. Once the game is over all
   * is compared with the record: `seen` says how much. Throws Altered where the engine shows something else than it did, and
   * as `watch`.
   */
  async *follow(keeping: Keeping = {}, signal?: AbortSignal, onConnection?: (connection: Connection) => void): AsyncGenerator<AnyEvent, void> {
    const follower = new Follower({ look: this.#look, ...keeping });
    const isLate = (await this.view()).status === "finished";
    for await (const event of this.watch(0, signal, onConnection)) {
      await follower.take(event, isLate);
      yield event;
    }
    this.seen = await follower.conclude(this.events());
  }

  /** The events after that version until now, page by page of `limit`. */
  async *events(after = 0, limit = 1000): AsyncGenerator<AnyEvent, void> {
    for (let from = after, last = Infinity; from < last; ) {
      const params = { after: from, limit };
      const page = await this.request<{ events: AnyEvent[]; next: number; version: number }>("GET", "/events", { params });
      yield* page.events;
      [from, last] = [page.next, page.version];
    }
  }

  /** A ticket for a page, whose EventSource opens its `stream`. */
  ticket(wanted: WantedTicket = {}): Promise<NewTicket> {
    return this.request("POST", "/tickets", { body: wanted });
  }

  /** Void every ticket that the seat, or the app, has asked for. */
  async revokeTickets(): Promise<void> {
    await this.request("DELETE", "/tickets");
  }

  /** A table of the seat for a frame in a page of the origin `parent`: its `frame` is the path of the address, good once. */
  embed(parent: string): Promise<NewEmbedTicket> {
    return this.request("POST", "/embed-tickets", { body: { parent } });
  }

  // Seats

  /** What a player should know before taking a seat. */
  lookAtSeat(seat: number): Promise<AnySeatDetails> {
    return this.request("GET", `/seats/${seat}`);
  }

  /**
   * Take an open seat; the game as that seat sees it. Its `token` is told only here. The seat is looked at first and then taken with
   * 16 random bytes as `client_seed`, which the engine could not know when it committed itself to its own; give one to choose
   * it. With an idempotency key none is made up, since a request that is repeated must be the same: then give one that you
   * keep.
   */
  async takeSeat(seat: number, wanted: TakenSeat, asked: Asked = {}): Promise<Game> {
    let [body, look] = [wanted, undefined as AnySeatDetails | undefined];
    if (wanted.client_seed === undefined && asked.idempotencyKey === undefined) {
      look = await this.lookAtSeat(seat).catch((problem: unknown) => {
        if (!(problem instanceof ApiError)) {
          throw problem; // with an invite it may not be shown
        }
        return undefined;
      });
      body = { ...wanted, client_seed: randomSeed() };
    }
    const taken = await this.request<SeatWithToken>("POST", `/seats/${seat}`, { ...asked, body });
    const seated = new Game(this.#transport, this.id, taken.token);
    if (typeof body.client_seed === "string") {
      seated.#look = { ...look, seat, client_seed: body.client_seed };
    }
    return seated;
  }

  /** Give a person's seat to another one: the game as that one sees it. The seat's former token is void. */
  async handOver(seat: number, player: string): Promise<Game> {
    const given = await this.request<SeatWithToken>("POST", `/seats/${seat}/hand-over`, { body: { player } });
    return new Game(this.#transport, this.id, given.token);
  }

  /** An invite to an open seat, whose code is told only here; good for a day, or so many seconds. */
  invite(seat: number, wanted: WantedInvite = {}): Promise<NewInvite> {
    return this.request("POST", `/seats/${seat}/invites`, { body: wanted });
  }

  /** The invites that are still good, without their codes. */
  async invites(): Promise<InviteInfo[]> {
    return (await this.request<{ invites: InviteInfo[] }>("GET", "/invites")).invites;
  }

  /** Void an invite. */
  async revokeInvite(id: string): Promise<void> {
    await this.request("DELETE", `/invites/${encodeURIComponent(id)}`);
  }

  /** Agree to play the finished game again: the new one as this seat sees it, or undefined as long as others do not. */
  async rematch(): Promise<Game | undefined> {
    const { match } = await this.request<Rematch>("POST", "/rematch");
    return match ? new Game(this.#transport, match.id, match.token ?? this.token) : undefined;
  }

  /** Who agrees to play again, and the new game. */
  rematchState(): Promise<Rematch> {
    return this.request("GET", "/rematch");
  }

  /** Agree no more. */
  async withdrawRematch(): Promise<void> {
    await this.request("DELETE", "/rematch");
  }

  /** Every move of the finished game, judged by what its seat knew; waits for workers, at most so many seconds. */
  async analysis(seconds = 120): Promise<Analysis> {
    const until = Date.now() + seconds * 1000;
    for (;;) {
      const found = await this.request<Analysis | AnalysisProgress>("GET", "/analysis", { params: { wait: 5 } });
      if (found.status === "done") return found;
      if (Date.now() > until) throw new Error(`${found.done} of ${found.of} events are analysed`);
      await new Promise((go) => setTimeout(go, 200));
    }
  }

  // What the game's app decides

  /** Another token for the seat; the old one is void. */
  reissueToken(seat: number): Promise<SeatWithToken> {
    return this.request("POST", `/seats/${seat}/token`);
  }

  /** End the game without a result. */
  abort(): Promise<AnyGameView> {
    return this.request("POST", "/abort");
  }

  /** End the game with that result. */
  adjudicate(decision: Adjudication): Promise<AnyGameView> {
    return this.request("POST", "/adjudication", { body: decision });
  }

  /** Let a bot play on for a player who left. */
  replacePlayer(seat: number, bot: string): Promise<AnyGameView> {
    return this.request("POST", `/seats/${seat}/bot`, { body: { bot } });
  }

  // Looking back

  /** The game step by step, page by page of `limit`; `seat` as in `view`. */
  async *replay(seat?: number | "all", limit = 100): AsyncGenerator<Step, void> {
    for (let after = 0, last = Infinity; after < last; ) {
      const params = { after, limit, seat };
      const page = await this.request<{ items: Step[]; next: number; version: number }>("GET", "/replay", { params });
      yield* page.items;
      [after, last] = [page.next, page.items.length ? page.version : 0];
    }
  }

  /** A new game that goes on from a version of this one; `Client.seat` gives its seats. */
  fork(fork: NewFork, asked: Asked = {}): Promise<AnyNewlyForked> {
    return this.request("POST", "/fork", { ...asked, body: fork });
  }

  /** The signed head of the game. */
  head(version?: number): Promise<Head> {
    return this.request("GET", "/head", { params: { version } });
  }

  /** The game as lines of JSON, for `migrato verify`. */
  export(): Promise<string> {
    return this.request("GET", "/export", { headers: { Accept: "application/x-ndjson" }, timeout: SLOW });
  }

  /** The result of the engine's own check. */
  audit(): Promise<Audit> {
    return this.request("GET", "/audit", { timeout: SLOW });
  }
}

function randomSeed(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
