/**
 * The lessons of the tutorial: each is one turn of a game on a prepared deck.
 *
 * @typedef {{
 *   id: "play" | "below" | "land" | "night" | "move" | "steal" | "exchange" | "end",
 *   first: 0 | 1, cards: string, before: string, wanted: Record<string, unknown>
 * }} Lesson `cards` lie on top of the deck; `before` is played before the learner, who has seat 0, comes in; `wanted` is
 *   the one action that the lesson is about
 */

/** @type {Lesson[]} */
export const LESSONS = [
  { id: "play", first: 0, cards: "G5d G3n S3n K3d B2d G4n", before: "", wanted: { type: "play", card: "G5d" } },
  {
    id: "below",
    first: 0,
    cards: "G5d S3n G3n S3n B4d T1d G4d K3d K2d G4n B2d",
    before: "G5d>G3n x",
    wanted: { type: "play", card: "G4d", slot: 1 },
  },
  {
    id: "land",
    first: 0,
    cards: "T5d S3n G3n S6n G5n T1d T3d K4d K3d G4n B3d",
    before: "T5d>G3n x",
    wanted: { type: "play", card: "T3d", slot: 1 },
  },
  {
    id: "night",
    first: 0,
    cards: "S6n K2d B3d B1d G4n K3d S6n G4n T5d T2n S6n S3n B1d S1n K3d K3d S3n K2d T1d S3n B4d",
    before: "S6n>B3d x S6n1>G4n x S3n1>G4n x",
    wanted: { type: "play", card: "S3n", slot: 1 },
  },
  {
    id: "move",
    first: 0,
    cards: "B4d K2d B3d B1d G4n K2d B3d G4n T5d T2n S6n B2d S1n S3n K3d K2d G3n K4d T1d S6n S1n",
    before: "B4d>B3d x B3d1>G4n x B2d>G4n x",
    wanted: { type: "move_cards", from: 2, to: 1 },
  },
  {
    id: "steal",
    first: 1,
    cards: "K4d HUN B3d T2n G4n G4d G3n K3d",
    before: "K4d>B3d",
    wanted: { type: "danger", card: "HUN" },
  },
  { id: "exchange", first: 0, cards: "HUN G4n LIG K3d HAB G4n", before: "", wanted: { type: "exchange" } },
  {
    id: "end",
    first: 1,
    cards:
      "G5d K4d G4d K4d S1n K3d G5d B2d K4d B4d G4d S3n K3d K2d G4d K2d K3d T2n G3d T4n " +
      "B4d B1d S6n S6n B3d K3d S6n K2d B3d S1n S3n G5n T5d K2d S3n G3n T3d G4n G5n G4n",
    before:
      "G5d>G4d K4d>K4d G5d1>S1n K4d1>K3d G4d1>B2d K3d1>B4d G4d1>S3n K3d1>K2d G3d1>K2d " +
      "B4d>T2n S6n>T4n B3d1>B1d S6n1>S6n B3d1>K3d S3n1>K2d T5d>S1n S3n1>G5n",
    wanted: { type: "play", card: "T3d", slot: 1 },
  },
];

const DECK =
  "G5d2 G4d3 G3d2 G5n2 G4n3 G3n2 K4d3 K3d4 K2d4 S6n4 S3n4 S1n3 B4d2 B3d2 B2d2 B1d2 T5d1 T3d1 T1d1 T4n1 T2n1 HUN2 HAB2 LIG1";

/** The standard deck with a lesson's cards on top. @param {Lesson} lesson @returns {string[]} */
export function deckOf({ cards }) {
  const top = cards.split(" ");
  const rest = DECK.split(" ").flatMap((pile) => Array.from({ length: Number(pile.slice(3)) }, () => pile.slice(0, 3)));
  for (const card of top) rest.splice(rest.indexOf(card), 1);
  return [...top, ...rest];
}

/**
 * What is played before: `G5d>K2d` begins a column with a card and discards another, `G5d1>K2d` adds it to column 1, and
 * `x` exchanges the hand.
 * @param {Lesson} lesson
 */
export function movesBefore({ before }) {
  return before
    .split(" ")
    .filter(Boolean)
    .map((turn) => {
      if (turn === "x") return { type: "exchange" };
      const [played = "", discard] = turn.split(">");
      return { type: "play", card: played.slice(0, 3), slot: Number(played.slice(3)) || null, discard };
    });
}

/** Those of the legal moves that the lesson is about. @param {Lesson} lesson @param {any[]} legal */
export const movesWanted = ({ wanted }, legal) =>
  legal.filter((move) => move.type === "discard" || Object.entries(wanted).every(([name, value]) => move[name] === value));
