/** A client of Migrato Engine: typed documents, and what every program around them needs. */

export { Client, type ClientOptions, type GamesFilter, type LobbyFilter } from "./client.js";
export { Webhooks } from "./endpoints.js";
export {
  onTable,
  type GameOver,
  type PageMessage,
  type Ready,
  type Table,
  type TableError,
  type TableMessage,
  type TableSize,
  type TurnBegun,
} from "./embed.js";
export { Altered, ApiError, InvalidSignature, StreamGap, Unreachable } from "./errors.js";
export type { Keeping, Seen } from "./following.js";
export { Game, type Turn } from "./game.js";
export type { Connection } from "./streams.js";
export { followTicket, type Handlers } from "./tickets.js";
export type { Asked } from "./transport.js";
export { verify, verifyQuestion } from "./webhooks.js";
export type * from "./models.js";
