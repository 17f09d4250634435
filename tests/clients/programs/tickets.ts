/** A page's part, in Node: tickets.ts STREAM; it prints a line for whatever happens. */

import { followTicket } from "@migrato/client";
import { EventSource } from "eventsource";
import { url } from "./check.ts";

const say = (what: unknown): void => console.log(JSON.stringify(what));
const alive = setInterval(() => undefined, 1000); // the package's timers do not keep the process alive

followTicket(
  async () => {
    say("ticket");
    const answer = await fetch(url);
    if (!answer.ok) {
      throw new Error(String(answer.status));
    }
    return answer.text();
  },
  {
    state: (state) => say(state.version),
    interrupted: () => say("interrupted"),
    failed: (error) => say(String(error)),
    end: () => {
      say("end");
      clearInterval(alive);
    },
  },
  EventSource,
);
