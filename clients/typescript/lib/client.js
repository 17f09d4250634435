/** The engine as an app or anybody sees it. */
import { Webhooks } from "./endpoints.js";
import { ApiError, StreamGap } from "./errors.js";
import { Game } from "./game.js";
import { follow } from "./streams.js";
import { contentOf, SLOW, Transport } from "./transport.js";
const JOB_WAIT = 10; // seconds of a long poll for a job of a bot
/** Asks one engine. Every method throws ApiError for what it refuses, and Unreachable if it does not answer. */
export class Client {
    #transport;
    #appKey;
    /** Where the engine sends what happens in the app's games. */
    webhooks = new Webhooks((...asked) => this.request(...asked));
    constructor(url, { appKey, patience = 30, fetch } = {}) {
        this.#transport = new Transport(url, patience, fetch ?? ((...request) => globalThis.fetch(...request)), appKey);
        this.#appKey = appKey;
    }
    /** Any request of the API, as the app: the document that it answers, or its text; undefined if there is none. */
    async request(method, path, asked = {}) {
        return (await contentOf(await this.#transport.request(method, path, this.#appKey, asked)));
    }
    // Games
    /** Create a game. The answer, and no other, has the tokens of the human seats. */
    createGame(newGame = {}, asked = {}) {
        return this.request("POST", "/v1/games", { ...asked, body: newGame });
    }
    /**
     * A new game against that bot, as seat 0 sees it. A `player` sits down by `Game.takeSeat`, with a client seed that the engine
     * did not know when it committed itself; such a game does not count for ratings. Otherwise the engine could choose the
     * cards.
     */
    async playAgainst(bot, newGame = {}, player) {
        if (player !== undefined) {
            const { id } = await this.createGame({ seats: [{ kind: "open" }, { kind: "bot", bot }], ...newGame });
            return this.game(id).takeSeat(0, { player });
        }
        const created = await this.createGame({ seats: [{ kind: "human" }, { kind: "bot", bot }], ...newGame });
        return this.seat(created, 0);
    }
    /** The game, as the holder of that seat's token sees it; without one as the app or a spectator. */
    game(id, token = this.#appKey) {
        return new Game(this.#transport, id, token);
    }
    /** The new game as that human seat sees it. Throws TypeError if the answer has no token for the seat. */
    seat(created, seat) {
        const token = created.seats[seat]?.token;
        if (token === undefined) {
            throw new TypeError(`There is no token for seat ${seat}.`);
        }
        return this.game(created.id, token);
    }
    /** The app's games, newest first or in another `order`, page by page of `limit`. */
    games(filter = {}) {
        return this.#lines("/v1/games", { ...filter });
    }
    /**
     * Change the app's own data about a game: its `external_id`, the `metadata` of the game and of its `seats`. What is
     * left out stays; null removes a key.
     */
    changeGame(id, change) {
        return this.request("PATCH", `/v1/games/${encodeURIComponent(id)}`, { body: change });
    }
    /** The app's games that have an open seat, newest first, page by page of `limit`. */
    lobby(filter = {}) {
        return this.#lines("/v1/lobby", { ...filter });
    }
    /** The game, the seat and the invite that a join code stands for, as somebody has typed it. */
    findInvite(joinCode) {
        return this.request("POST", "/v1/invites/lookup", { body: { code: joinCode } });
    }
    async *#lines(path, filter) {
        let cursor = null;
        do {
            const params = { limit: 100, ...filter, cursor };
            const page = await this.request("GET", path, { params });
            yield* page.games;
            cursor = page.next;
        } while (cursor !== null);
    }
    // Finding a partner
    /** A game with somebody who wants the same, as that player sees it; waits until there is a partner. */
    async quickMatch(wanted, signal) {
        let found = await this.joinQuickMatch(wanted, { signal });
        while (!found.match) {
            found = await this.waitForMatch(found.ticket, 20, { signal });
        }
        return this.game(found.match.id, found.match.token ?? undefined);
    }
    /** Begin to look for a partner; the ticket says whether there is one already. */
    joinQuickMatch(wanted, asked = {}) {
        return this.request("POST", "/v1/quick-match", { ...asked, body: wanted });
    }
    /** The ticket as soon as there is a partner, or after so many seconds. Throws ApiError once it is void. */
    waitForMatch(ticket, seconds = 20, asked = {}) {
        return this.request("GET", `/v1/quick-match/${encodeURIComponent(ticket)}`, { ...asked, params: { wait: seconds } });
    }
    /** Look for a partner no more. */
    async cancelMatch(ticket) {
        await this.request("DELETE", `/v1/quick-match/${encodeURIComponent(ticket)}`);
    }
    // All games of the app
    /**
     * What has happened in all games of the app after that event, by its `id`, until now. Throws StreamGap. The first
     * request begins the app's log: what happened before is not in it.
     */
    async *events(after = "0", types = []) {
        for (let from = after;;) {
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
    async *watch(after = "now", types = [], signal, onConnection) {
        const from = after === "now" ? (await this.#appEvents(after, types)).next : after;
        const params = { after: from, types: types.join(",") || null };
        yield* follow(this.#transport, "/v1/events", this.#appKey, params, undefined, signal, onConnection);
    }
    async #appEvents(after, types) {
        try {
            return await this.request("GET", "/v1/events", { params: { after, types: types.join(",") || null } });
        }
        catch (error) {
            if (error instanceof ApiError && error.status === 410) {
                throw new StreamGap(error.message, { cause: error });
            }
            throw error;
        }
    }
    // Bots
    /** The engine's bots, or those of one game. */
    async bots(game) {
        return (await this.request("GET", "/v1/bots", { params: { game } })).bots;
    }
    /** The move of that bot in a position of your own; `Game.position` has one of a game here. */
    choose(bot, position) {
        return this.request("POST", `/v1/bots/${encodeURIComponent(bot)}/choose`, { body: position, timeout: SLOW });
    }
    /**
     * The moves of that bot in up to 100 positions, in their order: of each the `answer`, or the `problem` of it. Waits
     * until all are there.
     */
    async chooseAll(bot, positions) {
        const path = `/v1/bots/${encodeURIComponent(bot)}/choose`;
        let found = await this.request("POST", path, { body: { positions }, timeout: SLOW });
        while (!("answers" in found)) {
            found = await this.request("GET", found.links.self, { params: { wait: JOB_WAIT } });
        }
        return found.answers;
    }
    // Players
    /** Everything that is stored about a player of the app. */
    player(id) {
        return this.request("GET", `/v1/players/${encodeURIComponent(id)}`);
    }
    /**
     * The app's players and the bots that they met, the strongest first, page by page of `limit`. It begins so that the
     * player `around`, a name or an id, is in the middle of the first page; it is empty if that player has no place.
     */
    async *leaderboard(filter = {}) {
        let cursor = null;
        do {
            const params = { limit: 100, ...filter, cursor };
            const page = await this.request("GET", "/v1/leaderboard", { params });
            yield* page.entries;
            cursor = page.next;
        } while (cursor !== null);
    }
    /** Erase a player's name. */
    async erasePlayer(id) {
        await this.request("DELETE", `/v1/players/${encodeURIComponent(id)}`);
    }
    // The engine
    /** The public keys by which the engine signs heads of games. */
    async signingKeys() {
        return (await this.request("GET", "/.well-known/migrato-keys.json")).keys;
    }
}
