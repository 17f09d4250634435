/** What may go wrong. */
/**
 * The engine refused the request and changed nothing: its problem document (RFC 9457).
 *
 * `code` is for programs: "illegal-move", "not-your-turn" and so on; it is "" if something else than the engine answered.
 * `errors` has the messages of each wrong field. `problem` is the whole document, with what else helps.
 */
export class ApiError extends Error {
    name = "ApiError";
    status;
    problem;
    /** The seconds after which the engine wants to be asked again, if it said so. */
    retryAfter;
    code;
    title;
    detail;
    rule;
    version;
    requestId;
    errors;
    constructor(status, problem, retryAfter) {
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
    static async of(response) {
        const text = await response.text();
        return new ApiError(response.status, problemOf(text, response), pauseOf(response));
    }
}
/**
 * No answer came, however often the client asked; whether the last attempt had an effect is unknown. Send the same
 * request again with the same idempotency key to learn it.
 */
export class Unreachable extends Error {
    name = "Unreachable";
}
/** Events that were there are gone. Read the game, or the list of games, again, and follow from there. */
export class StreamGap extends Error {
    name = "StreamGap";
}
/** The engine shows event `version` otherwise than it did before, or than it is bound to. Keep what you have. */
export class Altered extends Error {
    name = "Altered";
    version;
    constructor(version, what) {
        super(`event ${version}: ${what}`);
        this.version = version;
    }
}
/** The message was not signed with that secret, or not just now. */
export class InvalidSignature extends Error {
    name = "InvalidSignature";
}
function problemOf(text, response) {
    try {
        const problem = JSON.parse(text);
        if (typeof problem === "object" && problem !== null && !Array.isArray(problem)) {
            return problem;
        }
    }
    catch {
        // something else than the engine answered
    }
    return { title: response.statusText, detail: text.slice(0, 200) };
}
/** The seconds that a Retry-After asks for; a date, as proxies send it, is one of the clock that Date tells. */
function pauseOf(response) {
    const after = response.headers.get("Retry-After") ?? "";
    if (/^\d+$/.test(after)) {
        return Number(after);
    }
    const until = timeOf(after);
    return until === undefined ? undefined : Math.max(0, until - (timeOf(response.headers.get("Date") ?? "") ?? Date.now())) / 1000;
}
function timeOf(text) {
    const time = text.endsWith(" GMT") ? Date.parse(text) : NaN;
    return Number.isNaN(time) ? undefined : time;
}
