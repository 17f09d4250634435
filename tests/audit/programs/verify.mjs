// Verifies the exports that are named, as the proof page does; prints a report a line, or why there is none.
//
//   node verify.mjs '{"KEY ID": "PUBLIC KEY"}' export.ndjson ...

import { readFile } from "node:fs/promises";

import { Unreadable, verify } from "../../../service/web/proof/verify.js";

const [trusted, ...files] = process.argv.slice(2);
for (const file of files) {
  try {
    console.log(JSON.stringify(await verify(await readFile(file), { trusted: JSON.parse(trusted) })));
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    console.log(JSON.stringify({ unreadable: error.message }));
  }
}
