// Prints the names of the checks, in their order, and what of each is not checked here.

import { CHECKS, NOT_HERE } from "../../../service/web/proof/findings.js";

console.log(JSON.stringify([CHECKS, NOT_HERE]));
