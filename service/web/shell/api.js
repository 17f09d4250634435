/** The engine's public API, as any page would use it. */

/** @typedef {import("../../../clients/typescript/lib/models.d.ts").Problem} Problem */
/** @typedef {{method?: string, token?: string | null, body?: unknown, match?: number | string, key?: string, patient?: boolean, within?: number}} Asked `within`: milliseconds for each try */

const AGAIN = [429, 502, 503, 504];
const WITHIN = 10_000; // milliseconds in which an answer must come
export const SLOW = 45_000; // for what a bot or the whole record of a game has to do with

/** A refusal, of the engine or of whatever stands between. */
export class Refused extends Error {
  /** @param {number} status @param {Partial<Problem>} problem @param {boolean} [isEngines] whether it came as the engine's do */
  constructor(status, problem, isEngines = false) {
    super(problem.detail ?? problem.title ?? `HTTP ${status}`);
    this.status = status;
    this.problem = problem;
    this.isEngines = isEngines;
  }

  /** Whether the engine says that it has no such thing; a wrong proxy may say 404 of everything. */
  get isGone() {
    return this.isEngines && this.status === 404 && this.problem.code === "not-found";
  }
}

/** Nobody answers. */
export class Away extends Error {}

/** Whether this may go wrong by itself; anything else is a mistake of the page. @param {unknown} problem @returns {problem is Refused | Away} */
export const isExpected = (problem) => problem instanceof Refused || problem instanceof Away;

/** For `catch`, where an answer can be done without. @template Value @param {Value} value in its place @returns {(problem: unknown) => Value} */
export const without = (value) => (problem) => {
  if (!isExpected(problem)) throw problem;
  return value;
};

/**
 * Ask the engine for something. A request that changes something has a key of its own, so that it can be sent again
 * until an answer comes: it is done once.
 * @param {string} path
 * @param {Asked} [asked]
 * @returns {Promise<any>} its answer
 */
export async function ask(path, { method = "GET", token = null, body, match, key, patient = method !== "GET", within = WITHIN } = {}) {
  /** @type {Record<string, string>} */
  const headers = {};
  if (token) headers.Authorization = `Bearer ${token}`;
  if (method === "POST" && key !== "") headers["Idempotency-Key"] = key ?? randomKey();
  if (match !== undefined) headers["If-Match"] = `"${match}"`;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  /** @type {RequestInit} */
  const request = { method, headers, cache: "no-store", ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  for (let tries = 0; ; tries++) {
    const answer = await fetch(path, { ...request, signal: AbortSignal.timeout(within) }).then(wholly).catch(() => null);
    if (answer && !AGAIN.includes(answer.status)) {
      if (tries) dispatchEvent(new CustomEvent("engine-back"));
      return documentOf(answer);
    }
    if (!patient || tries > 30) throw answer ? await refusal(answer) : new Away();
    dispatchEvent(new CustomEvent("engine-away"));
    await pause(Math.min(200 * 2 ** tries, 3000));
  }
}

/** The answer, once all of it has come. @param {Response} answer */
async function wholly(answer) {
  const body = await answer.blob();
  return new Response([204, 205, 304].includes(answer.status) ? null : body, answer);
}

/** @param {Response} answer */
async function documentOf(answer) {
  if (!answer.ok) throw await refusal(answer);
  return answer.status === 204 ? null : answer.json();
}

/** @param {Response} answer @returns {Promise<Refused>} */
export async function refusal(answer) {
  const document = await answer.json().catch(() => null);
  const problem = document !== null && typeof document === "object" ? document : {};
  const type = answer.headers.get("Content-Type") ?? "";
  return new Refused(answer.status, problem, type.startsWith("application/problem+json") && typeof problem.code === "string");
}

/** @param {number} milliseconds */
export const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

/** A key that nobody guesses; `crypto.randomUUID` is there in secure contexts alone. */
export function randomKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
