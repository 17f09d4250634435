/** The engine's metrics: the text that Prometheus reads, and what the page makes of it. */

/** @typedef {{name: string, labels: Record<string, string>, value: number}} Sample */
/** @typedef {{at: number, samples: Sample[]}} Reading what `/metrics` said, and when, in milliseconds */
/** @typedef {"number" | "rate" | "milliseconds" | "seconds" | "bytes"} Unit */

const LINE = /^(\w+)(?:\{(.*)\})? ([^ ]+)$/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** @param {string} text @returns {Sample[]} */
export function samplesOf(text) {
  return text.split("\n").flatMap((line) => {
    const found = LINE.exec(line);
    if (!found) return [];
    const [, name = "", labels = "", value] = found;
    const pairs = [...labels.matchAll(LABEL)].map(([, label = "", of = ""]) => [label, of]);
    return [{ name, labels: Object.fromEntries(pairs), value: Number(value) }];
  });
}

/** @param {Reading} reading @param {string} name @param {(labels: Record<string, string>) => boolean} [wanted] */
function sum({ samples }, name, wanted = () => true) {
  return samples.filter((sample) => sample.name === name && wanted(sample.labels)).reduce((total, { value }) => total + value, 0);
}

/** How much of a counter came in a second; null where the engine has begun to count anew. @param {string} name @param {(labels: Record<string, string>) => boolean} [wanted] */
const rate = (name, wanted) => (/** @type {Reading} */ now, /** @type {Reading} */ before) => {
  const more = sum(now, name, wanted) - sum(before, name, wanted);
  return more < 0 ? null : more / ((now.at - before.at) / 1000);
};

/** The mean of what a histogram measured since the reading before; null where there was nothing. @param {string} name @param {number} factor */
const mean = (name, factor) => (/** @type {Reading} */ now, /** @type {Reading} */ before) => {
  const count = sum(now, `${name}_count`) - sum(before, `${name}_count`);
  return count > 0 ? (factor * (sum(now, `${name}_sum`) - sum(before, `${name}_sum`))) / count : null;
};

/** @param {string} name @param {(labels: Record<string, string>) => boolean} [wanted] */
const now = (name, wanted) => (/** @type {Reading} */ reading) => sum(reading, name, wanted);

/** @param {string} queue */
const queue = (queue) => now("migrato_queue_length", (labels) => labels.queue === queue);

/** @type {{id: string, unit: Unit, of: (now: Reading, before: Reading) => number | null}[]} */
export const WAITING = [
  { id: "queue-games", unit: "number", of: queue("migrato") },
  { id: "queue-remote", unit: "number", of: queue("migrato-remote") },
  { id: "queue-thinking", unit: "number", of: queue("migrato-thinking") },
  { id: "games-due", unit: "number", of: now("migrato_games_due") },
  { id: "longest", unit: "seconds", of: ({ samples }) => Math.max(0, ...samples.filter(({ name }) => name === "migrato_games_due_longest_seconds").map(({ value }) => value)) },
  { id: "webhooks", unit: "number", of: now("migrato_webhook_deliveries_waiting") },
];
/** @type {typeof WAITING} */
export const ENGINE = [
  { id: "requests", unit: "rate", of: rate("migrato_http_requests_total") },
  { id: "errors", unit: "rate", of: rate("migrato_http_requests_total", ({ status = "" }) => status.startsWith("5")) },
  { id: "limited", unit: "rate", of: rate("migrato_limited_requests_total") },
  { id: "response", unit: "milliseconds", of: mean("migrato_http_request_seconds", 1000) },
  { id: "answer", unit: "milliseconds", of: mean("migrato_answer_seconds", 1000) },
  { id: "cache", unit: "bytes", of: now("migrato_cache_bytes") },
];
