// A whole game of Migo through openapi-fetch with the types of openapi-typescript: node migo.ts URL APP_KEY.
// The generated file is migrato.d.ts, unedited. What names its game is a union, which `game` narrows.
import createClient, { type Client } from "openapi-fetch";
import type { components, paths } from "./migrato.d.ts";

declare const process: { argv: string[] }; // all that is needed of @types/node

type MediaTypes = "application/json" | "application/problem+json";
type MigoGameView = components["schemas"]["MigoGameView"];
type MigoTake = components["schemas"]["MigoTake"];
type Event = components["schemas"]["EventsPage"]["events"][number];
type View = components["schemas"]["PlayedMove"]["game"];

const PATIENCE = 120_000; // milliseconds

const [baseUrl, appKey] = process.argv.slice(2);
if (baseUrl === undefined || appKey === undefined) throw new Error("node migo.ts URL APP_KEY");

function holder(token: string): Client<paths, MediaTypes> {
  return createClient<paths, MediaTypes>({ baseUrl: baseUrl!, headers: { Authorization: `Bearer ${token}` } });
}

function expectData<T>(answer: { data?: T; error?: unknown }): NonNullable<T> {
  if (answer.data === undefined || answer.data === null) throw new Error(JSON.stringify(answer.error));
  return answer.data;
}

/** What is of Migo: after this the compiler knows it. */
function expectMigo<T extends { game: string }>(named: T): Extract<T, { game: "migo" }> {
  if (named.game !== "migo") throw new Error(`This is ${named.game}.`);
  return named as Extract<T, { game: "migo" }>;
}

/** How many cards lie on the table of Migo, or in the deck of Migrato: `game` alone tells which state it is. */
function cardsLeft(view: View): number | undefined {
  return view.game === "migo" ? view.state?.table.length : view.state?.deck;
}

/** The first move that drinks a bottle, if there is one, or else the first one; of a card that lies free. */
function choose(view: MigoGameView, moves: components["schemas"]["LegalMoves"]["moves"]): MigoTake {
  const takes = moves.filter((move) => move.type === "take");
  const take = takes.find((move) => move.drink) ?? takes[0];
  if (take === undefined) throw new Error("There is no legal move.");
  if (!view.state?.table.find((card) => card.place === take.place)?.free) throw new Error("It is covered.");
  return take;
}

/** Each seat in its turn, until the result is confirmed; the game as it then is. */
async function play(seats: Client<paths, MediaTypes>[], gameId: string): Promise<MigoGameView> {
  const params = { path: { game_id: gameId } };
  const deadline = Date.now() + PATIENCE;
  while (Date.now() < deadline) {
    const view = expectMigo(expectData(await seats[0]!.GET("/v1/games/{game_id}", { params })));
    if (view.result?.scored) return view;
    if (view.to_act !== null) {
      const seat = seats[view.to_act]!;
      const { moves } = expectData(await seat.GET("/v1/games/{game_id}/legal-moves", { params }));
      const body = choose(view, moves);
      const played = expectData(await seat.POST("/v1/games/{game_id}/moves", { params, body }));
      if (!("game" in played)) throw new Error("That was a dry run.");
      if (cardsLeft(played.game) === undefined) throw new Error("There is no table.");
    } else {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  throw new Error("The game has not ended.");
}

/** Which card was taken: `type` tells which event it is, and the compiler knows. */
function card(event: Event): string | null {
  return event.type === "card_taken" ? event.data.card : null;
}

const app = holder(appKey);
const created = expectMigo(
  expectData(
    await app.POST("/v1/games", {
      body: {
        game: "migo",
        seats: [
          { kind: "human", player: "ada" },
          { kind: "human", player: "bo" },
        ],
        options: { first_seat: "random", layout_size: "standard" },
      },
    }),
  ),
);
if (created.options.round4_layout !== "ropes") throw new Error("Another layout.");
const seats = created.seats.map((seat) => holder(seat.token ?? ""));
const view = await play(seats, created.id);
const { games } = expectData(await app.GET("/v1/games", { params: { query: { status: "finished" } } }));
const line = games.filter((game) => game.game === "migo").find((game) => game.id === created.id);
if (line?.result?.flags.join() !== view.result?.flags.join()) throw new Error("The listing has another result.");
const params = { path: { game_id: created.id }, query: { limit: 1000 } };
const { events } = expectData(await seats[0]!.GET("/v1/games/{game_id}/events", { params }));
if (events.length !== view.version) throw new Error(`${events.length} events of ${view.version}`);
const [first, last] = [events.at(0), events.at(-1)];
if (first?.type !== "game_created" || first.data.game !== "migo") throw new Error("Not a game of Migo.");
if (first.data.options.layout_size !== "standard") throw new Error("Another layout size."); // `game` told the options
if (last?.type !== "game_scored" || !("places" in last.data)) throw new Error("The last event is no result of Migo.");
if (last.data.places.join() !== view.result?.places.join()) throw new Error("The last event is another result.");
const cards = events.map(card).filter((name) => name !== null);
console.log(`${events.length} events, cards ${cards.join(" ")},`, view.result);
