// Follows the events of each line of the input, as the client for TypeScript does; prints what that comes to.

import { createInterface } from "node:readline";

import { Follower } from "../../../clients/typescript/lib/following.js";

async function* each(events) {
  yield* events;
}

for await (const line of createInterface({ input: process.stdin })) {
  const said = new Follower().conclude(each(JSON.parse(line)));
  console.log(await said.then(() => "Seen", (failure) => failure.constructor.name));
}
