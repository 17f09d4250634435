/** The rules that forbid what somebody tries, in English: each by its game and its number. */
export default {
  "rule.migrato.3": "You have four columns at most, and a new one takes the first free place.",
  "rule.migrato.4": "A turn is one action, and the discard comes after it.",
  "rule.migrato.4.1": "A species that has landed on your side comes to your columns no more.",
  "rule.migrato.4.2": "A card moves together with all cards below it; by the printed rules only a whole column joins another.",
  "rule.migrato.4.3": "Only dangers take cards of the other side, the last of a column or the top of a pile of several: the hunter by day, light pollution by night, lost habitat at any time.",
  "rule.migrato.5": "A column takes one species, never more birds on a card than on the one above it, and no more cards than the flock needs.",
  "rule.migo.3": "Only a card that no other one covers can be taken.",
};
