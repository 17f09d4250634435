// Checks the modules of the proof page against the published test vectors.
//
//   node vectors.mjs vectors.json

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

import { fromHex, toHex, utf8, verifyHead } from "../../../service/web/proof/bytes.js";
import { canonical } from "../../../service/web/proof/canonical.js";
import { Chance } from "../../../service/web/proof/chance.js";
import { EMPTY, follow } from "../../../service/web/proof/stream.js";

const vectors = JSON.parse(readFileSync(process.argv[2], "utf8"));

for (const { json, bytes } of vectors.canonical) {
  assert.equal(toHex(utf8(canonical(JSON.parse(json)))), bytes);
  console.log("ok canonical");
}

for (const { seed, game_id: gameId, events, redacted, spectator, head } of [vectors.chain, vectors.sealed]) {
  const chance = await Chance.of(fromHex(seed), gameId);
  for (const { version, salt, salts } of events) {
    for (const [pointer, one] of salts ? Object.entries(salts) : [["", salt]]) assert.equal(await chance.salt(version, pointer), one);
    console.log("ok salt");
  }
  for (const stream of [events, redacted, spectator ?? events]) {
    let streamHead = EMPTY;
    for (const event of stream) streamHead = await follow(streamHead, event);
    assert.deepEqual({ version: streamHead.version, head: streamHead.head }, head);
    console.log("ok chain");
  }
}
for (const { check, document, tip } of vectors.refused) {
  await assert.rejects(follow(tip, document), { check });
  console.log("ok refused");
}
for (const { seed, game_id, number, client_seeds, cards, order } of vectors.shuffles) {
  assert.deepEqual(await (await Chance.of(fromHex(seed), game_id)).shuffled(number, cards, client_seeds), order);
  console.log("ok shuffle");
}
for (const { seed, game_id, client_seeds, seats, seat } of vectors.first_seats) {
  assert.equal(await (await Chance.of(fromHex(seed), game_id)).firstSeat(seats, client_seeds), seat);
  console.log("ok first");
}
for (const { jwk, game_id, version, head, signature, valid } of vectors.signatures) {
  assert.equal(await verifyHead(jwk, game_id, version, head, signature), valid);
  console.log("ok signature");
}
