/** The checks, put together to steps that a person reads. */

/** @typedef {import("./findings.js").Status} Status */
/** @typedef {{id: "form" | "chain" | "ends" | "seed" | "shuffles" | "bot-seeds" | "clocks" | "signature" | "rules", status: Status, count: number, notes: string[]}} Step */

/** Each step with the checks that it is made of; its count is that of the first. @type {[Step["id"], ...string[]][]} */
const STEPS = [
  ["form", "format", "canonical"],
  ["chain", "chain", "sequence", "commitments"],
  ["ends", "header", "end", "redacted"],
  ["seed", "salts", "seed"],
  ["shuffles", "shuffles"],
  ["bot-seeds", "bot-seeds"],
  ["clocks", "clocks"],
  ["signature", "signature"],
  ["rules", "rules", "result", "position", "bots"],
];
const NOTHING = "there is nothing of the kind";

/** @param {import("./verify.js").Report} report @returns {Step[]} those that the game has anything for, in order */
export function stepsOf(report) {
  const found = new Map(report.checks.map((check) => [check.check, check]));
  return STEPS.map(([id, ...names]) => {
    const checks = names.map((name) => /** @type {import("./findings.js").Check} */ (found.get(name)));
    const there = checks.filter(({ note }) => note !== NOTHING);
    const notes = there.flatMap(({ note }) => (note ? [note] : []));
    return { id, status: together(there.map(({ status }) => status)), count: checks[0]?.count ?? 0, notes: [...new Set(notes)], empty: !there.length };
  }).filter(({ empty }) => !empty);
}

/** @param {Status[]} all @returns {Status} */
function together(all) {
  if (all.includes("failed")) return "failed";
  if (all.every((status) => status === "passed")) return "passed";
  return all.every((status) => status === "not-checked") ? "not-checked" : "partly";
}

/** @param {string | undefined} check @returns {string | undefined} the step that a check belongs to */
export const stepOf = (check) => STEPS.find(([, ...names]) => check !== undefined && names.includes(check))?.[0];
