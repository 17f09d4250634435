// Checks a game's events as they arrive, its shuffles and its signed heads; nothing but Node's own modules.
//
//   node verify.mjs < events.ndjson      follows a stream of event documents and prints the stream head
//   node verify.mjs 9 HEAD 2 < events    continues from a stream head that was kept: its version, head and `seals`
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

// `place`: the version of an event; in form 2 with a colon and the pointer of a hidden place.
export function salt(seed, gameId, place) {
  return hmac(seed, `salt:${gameId}:${place}`).toString("hex");
}

export function commitment({ version, type, schema, at, seat, data }, salt) {
  return sha256(bytes(salt), canonical({ version, type, schema, at, seat, data })).toString("hex");
}

export const start = { version: 0, head: "00".repeat(32) };
const starts = { 1: start.head, 2: "00".repeat(31) + "02" };

// The names and places on the way of a JSON pointer, of which the first one is "".
const steps = (pointer) => pointer.split("/").map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
const escaped = (name) => name.replaceAll("~", "~0").replaceAll("/", "~1");

// Whether a member has that name, or an item that number: in JavaScript a list has a `length`, too.
const has = (part, step) => part !== null && typeof part === "object" && Object.hasOwn(part, step) && !(Array.isArray(part) && step === "length");

// Puts null where the pointer leads; what was there. A place has one pointer, and is in no other one's.
function taken(data, pointer) {
  const [root, ...way] = steps(pointer);
  const isWritten = ["", ...way.map(escaped)].join("/") === pointer;
  const last = way.pop();
  const part = way.reduce((part, step) => (has(part, step) ? part[step] : null), data);
  if (root || !isWritten || !has(part, last)) throw new Error(`commitments: nothing is at ${pointer}`);
  const value = part[last];
  part[last] = null;
  return value;
}

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

// In form 2 every member that is shown is bound: the commitment is of what everybody sees, with a digest for each hidden place.
function checkBound({ version, type, schema, at, seat, data, redacted, sealed, salts, commitment }) {
  const is = (right, what) => { if (!right) throw new Error(`commitments: event ${version} ${what}`); };
  is([...Object.values(sealed), ...Object.values(salts)].every((digest) => /^[0-9a-f]{64}$/.test(digest)), "has a digest that is none");
  const open = structuredClone(data);
  const values = Object.keys(sealed).sort().map((pointer) => [pointer, taken(open, pointer)]);
  const committed = canonical({ version, type, schema, at, seat, data: open, sealed });
  is(sha256(committed).toString("hex") === commitment, "is not what was committed to");
  for (const [pointer, value] of values) {
    is((value !== null) === Object.hasOwn(salts, pointer), `shows ${pointer} without its salt, or the other way round`);
    const made = value !== null && sha256(bytes(salts[pointer]), canonical([pointer, value])).toString("hex");
    is(value === null || made === sealed[pointer], `shows something else at ${pointer} than was committed to`);
  }
  is(Object.keys(salts).every((pointer) => Object.hasOwn(sealed, pointer)), "has a salt of nothing");
  const hidden = Object.keys(sealed).filter((pointer) => !Object.hasOwn(salts, pointer)).map((pointer) => steps(pointer)[1]);
  is(canonical([...new Set(hidden)].sort()) === canonical(redacted), "does not say what it hides");
}

const whole = ["at", "commitment", "data", "head", "redacted", "schema", "seat", "type", "version"];

// The stream head after one more event document; keep it. Throws an Error whose message begins with the check that failed.
export function follow(streamHead, event) {
  const seals = event.sealed ? 2 : 1;
  const members = [...whole, ...(seals === 2 ? ["salts", "sealed"] : event.redacted.length === 0 ? ["salt"] : [])].sort();
  if (canonical(Object.keys(event).sort()) !== canonical(members)) throw new Error(`format: event ${event.version} has other members`);
  if ((streamHead.seals ?? seals) !== seals) throw new Error(`format: event ${event.version} is not of the form of those before it`);
  if (![event.data, ...(seals === 2 ? [event.sealed, event.salts] : [])].every(isObject)) throw new Error(`format: event ${event.version} has something else in an object's place`);
  if (event.version !== streamHead.version + 1) throw new Error(`sequence: ${event.version} after ${streamHead.version}`);
  if (seals === 2) checkBound(event);
  else if (event.redacted.length === 0 && commitment(event, event.salt) !== event.commitment) {
    throw new Error(`commitments: event ${event.version} is not what was committed to`);
  }
  const before = event.version === 1 ? starts[seals] : streamHead.head;
  const head = sha256(bytes(before), bytes(event.commitment)).toString("hex");
  if (head !== event.head) throw new Error(`chain: event ${event.version} does not follow from the one before`);
  if (event.version === 1 && (event.data.seals ?? 1) !== seals) throw new Error("format: the first event names another form");
  if (event.type === "turn_timed_out" && event.at < event.data.deadline) {
    throw new Error(`clocks: event ${event.version} has time that is up at ${event.data.deadline} before that`);
  }
  return { version: event.version, head, seals };
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
  for (const { seed, game_id: gameId, events, redacted, spectator, head } of [vectors.chain, vectors.sealed]) {
    for (const { version, salt: one, salts } of events) {
      if (one) same(`salt ${version}`, salt(bytes(seed), gameId, version), one);
      for (const pointer in salts) same(`salt ${version}`, salt(bytes(seed), gameId, `${version}:${pointer}`), salts[pointer]);
    }
    for (const seen of [events, redacted, spectator ?? events]) {
      const followed = seen.reduce(follow, start);
      same("chain", { version: followed.version, head: followed.head }, head);
    }
  }
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
  const [first, head, seals] = process.argv.slice(2);
  try {
    if (first && !head) {
      checkVectors(JSON.parse(readFileSync(first, "utf8")));
    } else {
      let streamHead = head ? { version: Number(first), head, ...(seals && { seals: Number(seals) }) } : start;
      let hidden = 0;
      for await (const line of lines(process.stdin)) {
        const event = JSON.parse(line);
        streamHead = follow(streamHead, event);
        if (event.redacted.length > 0 && !event.sealed) hidden += 1;
      }
      console.log(JSON.stringify(streamHead));
      if (hidden > 0) console.error(`${hidden} events hide something: what they say is not proven yet.`);
    }
  } catch (error) {
    console.error(`This does not hold: ${error.message}`);
    process.exitCode = 1;
  }
}
