/** What the engine refuses, in words. */
import { Away, isExpected, Refused } from "./api.js";
import { t, tx, isKey } from "./i18n.js";

/** The rule that forbids it, in one sentence; null without one. @param {Partial<import("./api.js").Problem>} problem */
function ruleOf({ rule, rule_url: url }) {
  const game = /\/rules-(\w+)#/.exec(url ?? "")?.[1];
  const key = `rule.${game}.${rule}`;
  return isKey(key) ? tx(key) : null;
}

/** @type {WeakSet<object>} the mistakes of the page that its console was told of */
const logged = new WeakSet();

/** A sentence is shown often; the console is told once. @param {unknown} mistake */
function logOnce(mistake) {
  const known = mistake instanceof Error ? mistake : new Error(String(mistake));
  if (!logged.has(known)) console.error(known);
  logged.add(known);
}

/** One sentence about a problem. @param {unknown} problem */
export function problemText(problem) {
  if (problem instanceof Away) return t("problem.away");
  if (!isExpected(problem)) logOnce(problem);
  if (!(problem instanceof Refused)) return t("trouble.text");
  const forbidden = ruleOf(problem.problem);
  if (forbidden) return forbidden;
  const code = `problem.${problem.problem.code}`;
  return isKey(code) ? tx(code) : problem.message;
}
