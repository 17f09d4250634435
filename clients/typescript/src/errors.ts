/** What may go wrong. */

import type { Problem } from "./models.js";

/**
 * The engine refused the request and changed nothing: its problem document (RFC 9457).
 *
 * `code` is for programs: "illegal-move", "not-your-turn" and so on; it is "" if something else than the engine answered.
 * `errors` has the messages of each wrong field. `problem` is the whole document, with what else helps.
 */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly problem: Partial<Problem>;
  /** The seconds after which the engine wants to be asked again, if it said so. */
  readonly retryAfter: number | undefined;
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  readonly rule: string | undefined;
  readonly version: number | undefined;
  readonly requestId: string | undefined;
  readonly errors: Record<string, string[]>;

  constructor(status: number, problem: Partial<Problem>, retryAfter?: number) {
    const errors = problem.errors ?? {};
    const fields = Object.entries(errors).map(([field, texts]) => `\n  ${field}: ${texts.join(" ")}`);
    super(`${status} ${problem.code ?? ""}: ${problem.detail || problem.title || ""}${fields.join("")}`);
    this.status = status;
    this.problem = problem;
    this.retryAfter = retryAfter;
    this.code = problem.code ?? "";
    this.title = problem.title ?? "";
    this.detail = problem.detail ?? "";
    this.rule = problem.rule;
    this.version = problem.version;
    this.requestId = problem.request_id;
    this.errors = errors;
  }

  /** The problem that a response tells. */
  static async of(response: Response): Promise<ApiError> {
    const text = await response.text();
    return new ApiError(response.status, problemOf(text, response), pauseOf(response));
  }
}

/**
 * No answer came, however often the client asked; whether the last attempt had an effect is unknown. Send the same
 * request again with the same idempotency key to learn it.
 */
export class Unreachable extends Error {
  override readonly name = "Unreachable";
}

/** Events that were there are gone. Read the game, or the list of games, again, and follow from there. */
export class StreamGap extends Error {
  override readonly name = "StreamGap";
}

/** The engine shows event `version` otherwise than it did before, or than it is bound to. Keep what you have. */
export class Altered extends Error {
  override readonly name = "Altered";
  readonly version: number;

  constructor(version: number, what: string) {
    super(`event ${version}: ${what}`);
    this.version = version;
  }
}

/** The message was not signed with that secret, or not just now. */
export class InvalidSignature extends Error {
  override readonly name = "InvalidSignature";
}

function problemOf(text: string, response: Response): Partial<Problem> {
  try {
    const problem: unknown = JSON.parse(text);
    if (typeof problem === "object" && problem !== null && !Array.isArray(problem)) {
      return problem;
    }
  } catch {
    // something else than the engine answered
  }
  return { title: response.statusText, detail: text.slice(0, 200) };
}

/** The seconds that a Retry-After asks for; a date, as proxies send it, is one of the clock that Date tells. */
function pauseOf(response: Response): number | undefined {
  const after = response.headers.get("Retry-After") ?? "";
  if (/^\d+$/.test(after)) {
    return Number(after);
  }
  const until = timeOf(after);
  return until === undefined ? undefined : Math.max(0, until - (timeOf(response.headers.get("Date") ?? "") ?? Date.now())) / 1000;
}

function timeOf(text: string): number | undefined {
  const time = text.endsWith(" GMT") ? Date.parse(text) : NaN;
  return Number.isNaN(time) ? undefined : time;
}
