/** The reference vector of Standard Webhooks, and what is none. */

import { InvalidSignature, verify } from "@migrato/client";
import { equal, failing } from "./check.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const OTHER = "whsec_b3RoZXI=";
const BODY = '{"test": 2432232314}';
const at = 1614265330;
const headers = {
  "Webhook-Id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
  "WEBHOOK-TIMESTAMP": String(at),
  "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
};
const document = { test: 2432232314 };

equal(await verify(SECRET, headers, BODY, { at }), document);
equal(await verify([OTHER, SECRET], new Headers(headers), new TextEncoder().encode(BODY), { at }), document);
const several = { ...headers, "webhook-signature": `v1a,x v1,AAAA v1,* ${headers["webhook-signature"]}` };
equal(await verify(SECRET, several, BODY, { at }), document);

await failing(InvalidSignature, verify(SECRET, headers, BODY, { at: at + 301 }));
await failing(InvalidSignature, verify(SECRET, headers, BODY, { at: at - 301 }));
await failing(InvalidSignature, verify(SECRET, headers, `${BODY} `, { at }));
await failing(InvalidSignature, verify(OTHER, headers, BODY, { at }));
await failing(InvalidSignature, verify([], headers, BODY, { at }));
await failing(InvalidSignature, verify(SECRET, {}, BODY, { at }));
for (const changed of [{ "Webhook-Id": "x" }, { "webhook-signature": "" }, { "WEBHOOK-TIMESTAMP": "soon" }]) {
  await failing(InvalidSignature, verify(SECRET, { ...headers, ...changed }, BODY, { at }));
}
console.log("done");
