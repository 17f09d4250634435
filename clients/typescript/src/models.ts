/** The documents of the API that the client names; `Schemas` has them all. */

import type { components } from "../lib/schema.js";

/** Every schema of openapi.yaml, by its name. */
export type Schemas = components["schemas"];

export type Adjudication = Schemas["Adjudication"];
export type Analysis = Schemas["Analysis"];
export type AnalysisProgress = Schemas["AnalysisProgress"];
export type AnyEvent = Schemas["AnyEvent"];
export type AnyGameLine = Schemas["AnyGameLine"];
export type AnyGameView = Schemas["AnyGameView"];
export type AnyLobbyGame = Schemas["AnyLobbyGame"];
export type AnyMove = Schemas["AnyMove"];
export type AnyNewlyCreated = Schemas["AnyNewlyCreated"];
export type AnyNewlyForked = Schemas["AnyNewlyForked"];
export type AnySeatDetails = Schemas["AnySeatDetails"];
export type AppEvent = Schemas["AppEvent"];
export type Audit = Schemas["Audit"];
export type BotLine = Schemas["BotLine"];
export type ChangedGame = Schemas["ChangedGame"];
export type ChangedWebhook = Schemas["ChangedWebhook"];
export type CreatedWebhook = Schemas["CreatedWebhook"];
export type FoundInvite = Schemas["FoundInvite"];
export type GameOwnData = Schemas["GameOwnData"];
export type Head = Schemas["Head"];
export type Hint = Schemas["Hint"];
export type InviteInfo = Schemas["InviteInfo"];
export type LeaderboardEntry = Schemas["LeaderboardEntry"];
export type MatchTicket = Schemas["MatchTicket"];
export type NewFork = Schemas["NewFork"];
export type NewGame = Schemas["NewGame"];
export type NewInvite = Schemas["NewInvite"];
export type NewTicket = Schemas["NewTicket"];
export type NewEmbedTicket = Schemas["NewEmbedTicket"];
export type NewWebhook = Schemas["NewWebhook"];
export type Ping = Schemas["Ping"];
export type PlayedMove = Schemas["PlayedMove"];
export type Player = Schemas["Player"];
export type Position = Schemas["Position"];
export type PreviewedMove = Schemas["PreviewedMove"];
export type Problem = Schemas["Problem"];
export type PublicKey = Schemas["PublicKey"];
export type Rematch = Schemas["Rematch"];
export type RemoteQuestion = Schemas["RemoteQuestion"];
export type RotatedSecret = Schemas["RotatedSecret"];
export type SeatWithToken = Schemas["SeatWithToken"];
export type Step = Schemas["Step"];
export type InLanguages = Schemas["InLanguages"];
export type StreamedState = Schemas["StreamedState"];
export type Takeback = Schemas["Takeback"];
export type TakenSeat = Schemas["TakenSeat"];
export type ThoughtMove = Schemas["ThoughtMove"];
export type WantedInvite = Schemas["WantedInvite"];
export type WantedMatch = Schemas["WantedMatch"];
export type WantedTicket = Schemas["WantedTicket"];
export type Webhook = Schemas["Webhook"];
export type WebhookMessage = Schemas["WebhookMessage"];
