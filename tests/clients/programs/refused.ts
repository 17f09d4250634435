/** What comes of creating a game, or of something else: refused.ts URL PATIENCE [states | once | beside] */

import { ApiError, Client, Unreachable } from "@migrato/client";
import { all, appKey as patience, more, url } from "./check.ts";

const client = new Client(url, { patience: Number(patience) });
const asked: Record<string, () => Promise<unknown>> = {
  create: () => client.createGame(),
  once: () => client.request("POST", "/v1/apps", { repeat: false }),
  beside: () => new Client(url, { appKey: "key" }).game("g", "seat").view(),
  states: () => all(client.game("g").states()),
};
try {
  const found = await asked[more[0] ?? "create"]?.();
  console.log(JSON.stringify({ found }));
} catch (error) {
  const code = error instanceof ApiError ? error.code : undefined;
  console.log(JSON.stringify({ code, unreachable: error instanceof Unreachable }));
}
