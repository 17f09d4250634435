// Checks a game's events as they arrive, its shuffles and its signed heads; nothing but Node's own modules.
//
//   node verify.mjs < events.ndjson      follows a stream of event documents and prints the stream head
//   node verify.mjs 9 HEAD < events      continues from a stream head that was kept: its version and head
//   node verify.mjs vectors.json         checks this file against the published test vectors
//
// docs/reference/fairness-protocol.md defines the computations; docs/explanation/what-an-audit-proves.md explains them.

import { createHash, createHmac, createPublicKey, verify } from "node:crypto";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const sha256 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest();
const hmac = (key, text) => createHmac("sha256", key).update(text).digest();
const bytes = (hex) => Buffer.from(hex, "hex");

// RFC 8785: members sorted, nothing between; JSON.stringify writes strings and numbers as it demands.
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`);
  return `{${members.join(",")}}`;
}

export function salt(seed, gameId, version) {
  return hmac(seed, `salt:${gameId}:${version}`).toString("hex");
}

export function commitment({ version, type, schema, at, seat, data }, salt) {
  return sha256(bytes(salt), canonical({ version, type, schema, at, seat, data })).toString("hex");
}

export const start = { version: 0, head: "00".repeat(32) };

// The stream head after one more event document; keep it. Throws an Error whose message begins with the check that failed.
export function follow(streamHead, event) {
  if (event.version !== streamHead.version + 1) throw new Error(`sequence: ${event.version} after ${streamHead.version}`);
  if (event.redacted.length === 0 && commitment(event, event.salt) !== event.commitment) {
    throw new Error(`commitments: event ${event.version} is not what was committed to`);
  }
  const head = sha256(bytes(streamHead.head), bytes(event.commitment)).toString("hex");
  if (head !== event.head) throw new Error(`chain: event ${event.version} does not follow from the one before`);
  if (event.type === "turn_timed_out" && event.at < event.data.deadline) {
    throw new Error(`clocks: event ${event.version} has time that is up at ${event.data.deadline} before that`);
  }
  return { version: event.version, head };
}

// A function of n that gives the next number below n.
export function numbers(seed, purpose, gameId, number, clientSeeds) {
  const thrownIn = clientSeeds.map((one) => (one === null ? "-" : sha256(one).toString("hex")));
  const message = ["migrato-chance/1", purpose, gameId, number, ...thrownIn].join("\n");
  let words = [];
  let block = 0;
  return function below(n) {
    for (;;) {
      if (words.length === 0) {
        const digest = hmac(seed, `${message}\n${block++}`);
        words = [0, 4, 8, 12, 16, 20, 24, 28].map((at) => digest.readUInt32BE(at));
      }
      const word = words.shift();
      if (word < 2 ** 32 - (2 ** 32 % n)) return word % n;
    }
  };
}

export function shuffled(seed, gameId, number, clientSeeds, cards) {
  const below = numbers(seed, "shuffle", gameId, number, clientSeeds);
  const order = [...cards];
  for (let j = order.length - 1; j > 0; j--) {
    const i = below(j + 1);
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}

export function verifyHead(jwk, gameId, version, head, signature) {
  const message = Buffer.from(`migrato-head/1\n${gameId}\n${version}\n${head}`);
  const key = createPublicKey({ key: jwk, format: "jwk" });
  return verify(null, message, key, Buffer.from(signature, "base64url"));
}

function checkVectors(vectors) {
  const same = (name, found, expected) => {
    if (canonical(found) !== canonical(expected)) throw new Error(`${name}: ${canonical(found)}`);
    console.log(`ok ${name}`);
  };
  vectors.canonical.forEach(({ json, bytes }, at) => {
    same(`canonical ${at}`, Buffer.from(canonical(JSON.parse(json))).toString("hex"), bytes);
  });
  const { seed, game_id: gameId, events, redacted, head } = vectors.chain;
  for (const event of events) same(`salt ${event.version}`, salt(bytes(seed), gameId, event.version), event.salt);
  same("chain", events.reduce(follow, start), head);
  same("chain, redacted", redacted.reduce(follow, start), head);
  for (const { check, document, tip: kept } of vectors.refused) {
    let found = "nothing";
    try { follow(kept, document); } catch (error) { found = error.message.split(":")[0]; }
    same(`refused: ${check}`, found, check);
  }
  vectors.shuffles.forEach(({ seed, game_id, number, client_seeds, cards, order }, at) => {
    same(`shuffle ${at}`, shuffled(bytes(seed), game_id, number, client_seeds, cards), order);
  });
  for (const { seed, game_id, client_seeds, seats, seat } of vectors.first_seats) {
    same("first seat", numbers(bytes(seed), "first_seat", game_id, 0, client_seeds)(seats), seat);
  }
  for (const { jwk, game_id, version, head, signature, valid } of vectors.signatures) {
    same(`signature, ${valid}`, verifyHead(jwk, game_id, version, head, signature), valid);
  }
}

// Only LF ends a line: a name may contain U+2028, where newer versions of node:readline would split it.
async function* lines(stream) {
  let rest = "";
  for await (const chunk of stream.setEncoding("utf8")) {
    const parts = (rest + chunk).split("\n");
    rest = parts.pop();
    yield* parts;
  }
  if (rest) yield rest;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const [first, head] = process.argv.slice(2);
  try {
    if (first && !head) {
      checkVectors(JSON.parse(readFileSync(first, "utf8")));
    } else {
      let streamHead = head ? { version: Number(first), head } : start;
      let hidden = 0;
      for await (const line of lines(process.stdin)) {
        const event = JSON.parse(line);
        streamHead = follow(streamHead, event);
        if (event.redacted.length > 0) hidden += 1;
      }
      console.log(JSON.stringify(streamHead));
      if (hidden > 0) console.error(`${hidden} events hide something: what they say is not proven yet.`);
    }
  } catch (error) {
    console.error(`This does not hold: ${error.message}`);
    process.exitCode = 1;
  }
}
