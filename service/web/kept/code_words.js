/**
 * Four words for a head of a game's chain, the same in every language: players compare them by voice. It takes long to find
 * another history with the same words, since each guess costs as much as a hundred thousand hashes.
 */
import { fromHex, utf8 } from "../proof/bytes.js";

const ROUNDS = 100_000;
const WORDS = `
  actor album amber angel apple apron arena armor arrow aspen atlas attic bacon badge baker balsa bamboo banana banjo barrel basil basket
  beach beacon beaver berry bishop bison bonus bottle boxer branch bread brick bridge bronze brush bucket butter button cabin cable cactus
  camel camera canal candle canoe canyon carbon cargo carpet castle cedar cello chalk cheese cherry chess chili cider circus citrus clover
  cobra cocoa coffee comet copper coral cotton cousin coyote cradle crater cricket crown crystal cumin dancer denim desert diesel dinner
  doctor dollar dolphin domino donkey dragon drum eagle easel echo elbow elder ember engine fabric falcon farmer feather fennel ferry fiddle
  finger flamingo flute forest fossil fox galaxy garden garlic gecko ginger giraffe glacier globe goblin gondola gorilla granite grape guitar
  hammer harbor harvest hazel helmet heron hockey honey hotel iceberg igloo indigo island ivory jacket jaguar jasmine jelly jewel jungle
  kayak kettle kiosk kitten kiwi koala ladder lagoon lantern lemon lentil leopard lily linen lizard llama lobster lotus lunar magnet mango
  maple marble market melon meteor mirror mocha monkey mosaic motor mustard napkin nectar needle noodle nutmeg oasis ocean olive onion opera
  orange orchid otter oyster paddle palace panda panther paper parrot pearl pebble pepper piano picnic pigeon pilot pirate planet plum polar
  poncho poppy potato prism puffin puzzle quartz rabbit radar radio raven ribbon river robot rocket saddle saffron salmon sandal satin saxophone
  scarf school scooter shadow silver spider spoon summer sunset tango tiger timber tomato tractor trumpet tulip tunnel turtle
  vanilla velvet violin wagon walnut whale willow yogurt zebra
`.trim().split(/\s+/); // 256

/** @param {string} game @param {number} version @param {string} head in hex @returns {Promise<string[]>} four words */
export async function codeWords(game, version, head) {
  const key = await crypto.subtle.importKey("raw", fromHex(head), "PBKDF2", false, ["deriveBits"]);
  const salt = utf8(`migrato-words/1\n${game}\n${version}`);
  const bits = await crypto.subtle.deriveBits({ name: "PBKDF2", hash: "SHA-256", salt, iterations: ROUNDS }, key, 32);
  return Array.from(new Uint8Array(bits), (byte) => /** @type {string} */ (WORDS[byte]));
}
