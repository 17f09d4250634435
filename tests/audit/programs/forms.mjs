// Prints what the proof knows of each game: the bot that moves in another's place, and the forms of events by type.

import { Forms } from "../../../service/web/proof/forms.js";
import { GAMES } from "../../../service/web/proof/whole.js";

console.log(JSON.stringify(Object.fromEntries(Object.entries(GAMES).map(([name, game]) => [name, [game.fallback, Object.fromEntries(new Forms(game, true).all)]]))));
