// A whole game through openapi-fetch with the types that openapi-typescript generates: node play.ts URL APP_KEY.
// The generated file is migrato.d.ts, unedited. Node 22.18 or newer runs TypeScript as it is.
import createClient, { type Middleware } from "openapi-fetch";
import type { components, paths } from "./migrato.d.ts";

declare const process: { argv: string[] }; // all that is needed of @types/node

type Event = components["schemas"]["EventsPage"]["events"][number]; // of any game
type GameView = components["schemas"]["GameView"];

const PATIENCE = 120_000; // milliseconds

const [baseUrl, appKey] = process.argv.slice(2);
if (baseUrl === undefined || appKey === undefined) throw new Error("node play.ts URL APP_KEY");

let token: string = appKey; // of the app that creates the game, then of the seat
const bearer: Middleware = {
  onRequest({ request }) {
    request.headers.set("Authorization", `Bearer ${token}`);
    return request;
  },
};
// Some addresses can also answer a stream: these are the media types that are asked for here.
const client = createClient<paths, "application/json" | "application/problem+json">({ baseUrl });
client.use(bearer);

/** What is of Migrato: another game's state and result have other members. */
function expectMigrato<T extends { game: string }>(named: T): Extract<T, { game: "migrato" }> {
  if (named.game !== "migrato") throw new Error(`This is ${named.game}.`);
  return named as Extract<T, { game: "migrato" }>;
}

function expectData<T>(answer: { data?: T; error?: unknown }): NonNullable<T> {
  if (answer.data === undefined || answer.data === null) throw new Error(JSON.stringify(answer.error));
  return answer.data;
}

async function create(): Promise<components["schemas"]["NewlyCreated"]> {
  const answer = await client.POST("/v1/games", {
    body: {
      seats: [
        { kind: "human", player: "ada" },
        { kind: "bot", bot: "greedy" },
      ],
      options: { turn_limit: 30, first_seat: "random" },
      setup: null, // the same as leaving it out
    },
  });
  return expectMigrato(expectData(answer));
}

/** The first legal move each time, until the result is confirmed; the game as it then is. */
async function play(gameId: string): Promise<GameView> {
  const params = { path: { game_id: gameId } };
  const deadline = Date.now() + PATIENCE;
  while (Date.now() < deadline) {
    const view = expectMigrato(expectData(await client.GET("/v1/games/{game_id}", { params })));
    if (view.result?.scored) return view;
    if (view.status !== "finished" && view.to_act === view.viewer) {
      const { moves } = expectData(await client.GET("/v1/games/{game_id}/legal-moves", { params }));
      const move = moves[0];
      if (move === undefined) throw new Error("There is no legal move.");
      const played = expectData(await client.POST("/v1/games/{game_id}/moves", { params, body: move }));
      if (played.version <= view.version) throw new Error("Nothing happened.");
    } else {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  throw new Error("The game has not ended.");
}

/** Which bird was played: `type` tells which event it is, and the compiler knows. */
function bird(event: Event): string | null {
  return event.type === "bird_played" ? event.data.card : null;
}

const created = await create();
const seatToken = created.seats[0]?.token;
if (seatToken === undefined) throw new Error("The seat has no token.");
token = seatToken;
const view = await play(created.id);
const params = { path: { game_id: created.id }, query: { limit: 1000 } };
const { events } = expectData(await client.GET("/v1/games/{game_id}/events", { params }));
events.forEach((event, index) => {
  if (event.version !== index + 1) throw new Error(`Event ${index + 1} is ${event.version}.`);
});
if (events.length !== view.version) throw new Error(`${events.length} events of ${view.version}`);
const last = events.at(-1);
if (last?.type !== "game_scored" || !("scores" in last.data)) throw new Error("The last event is no result.");
if (last.data.scores.join() !== view.result?.scores.join()) throw new Error("The last event is another result.");
const birds = events.map(bird).filter((card) => card !== null);
console.log(`${events.length} events, birds ${birds.join(" ")},`, view.result);
