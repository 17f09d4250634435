// Prints the names of the checks, in their order.

import { CHECKS } from "../../../service/web/proof/findings.js";

console.log(JSON.stringify(CHECKS));
