// Prints what the proof knows of each game: the bot that moves in another's place, the types of events by which chance
// decides, and of each type its form and whether such an event only follows from the one before it.

import { Forms } from "../../../service/web/proof/forms.js";
import { GAMES } from "../../../service/web/proof/games/index.js";

const known = Object.entries(GAMES).map(([name, game]) => {
  const forms = new Forms(game, true);
  const types = forms.all.map(([type, form]) => [type, { ...form, follows: forms.isConsequence({ type, data: { abandoned: false } }) }]);
  return [name, { fallback: game.fallback, chance: [...game.chance], forms: Object.fromEntries(types) }];
});
console.log(JSON.stringify(Object.fromEntries(known)));
