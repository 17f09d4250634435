/** A move whose answer gets lost, while streams are open: killed.ts URL APP_KEY */

import { Client } from "@migrato/client";
import { all, appKey, url } from "./check.ts";

const app = new Client(url, { appKey, patience: 60 });
const created = await app.createGame({ seats: [{ kind: "human" }, { kind: "human" }] });
const [ada, bo] = [app.seat(created, 0), app.seat(created, 1)];
const states = bo.states();
await states.next();
const watched = all(bo.watch());
const seen = all(states);
const moved = await ada.move((await ada.legalMoves())[0]!);
await ada.resign();
const versions = (await seen).map((state) => state.version);
console.log(JSON.stringify({ created: created.version, moved, events: await watched, versions }));
