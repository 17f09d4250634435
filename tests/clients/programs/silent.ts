/** Two streams of one game: silent.ts URL GAME TOKEN; a line for each state, and for how the connection goes. */

import { Client, followTicket } from "@migrato/client";
import { EventSource } from "eventsource";
import { url } from "./check.ts";

const [, , , game = "", token = ""] = process.argv;
const seat = new Client(url).game(game, token);
const say = (stream: string, what: unknown): void => console.log(JSON.stringify([stream, what]));

const over = new Promise<void>((end, failed) =>
  followTicket(
    async () => url + (await seat.ticket()).stream,
    {
      state: (state) => say("ticket", state.version),
      interrupted: () => say("ticket", "interrupted"),
      back: () => say("ticket", "back"),
      end,
      failed,
    },
    EventSource,
  ),
);
for await (const state of seat.states(undefined, (connection) => say("states", connection))) {
  say("states", state.version);
}
await over;
