// Prints for each line of the input, {tip, document}, the check by which the proof page refuses the document, and
// whether docs/audit/verify.mjs does; null and false if they do not.

import { createInterface } from "node:readline";

import { follow as scripts } from "../../../docs/audit/verify.mjs";
import { CheckFailed } from "../../../service/web/proof/findings.js";
import { follow } from "../../../service/web/proof/stream.js";

for await (const line of createInterface({ input: process.stdin })) {
  const { tip, document } = JSON.parse(line);
  let [page, script] = [null, false];
  try {
    await follow(tip, document);
  } catch (error) {
    if (!(error instanceof CheckFailed)) throw error;
    page = error.check;
  }
  try {
    scripts(tip, document);
  } catch {
    script = true;
  }
  console.log(JSON.stringify([page, script]));
}
