/** A client of Migrato Engine: typed documents, and what every program around them needs. */
export { Client } from "./client.js";
export { Webhooks } from "./endpoints.js";
export { onTable, } from "./embed.js";
export { Altered, ApiError, InvalidSignature, StreamGap, Unreachable } from "./errors.js";
export { Game } from "./game.js";
export { followTicket } from "./tickets.js";
export { verify, verifyQuestion } from "./webhooks.js";
