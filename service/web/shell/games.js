/**
 * The games: each is one folder, entered here. Nothing else of the page names a game, but its words and its lessons.
 *
 * @typedef {Record<string, string | boolean>} Options as the API has them
 * @typedef {{default: (props: import("../play/play.js").Table) => any, sentence: Sentence, wanted: (state: any) => string,
 *   TONES: Record<string, number[]>}} Table
 *   `sentence`: what happened, in words; `wanted`: what the rules want of whoever is to move; `TONES`: what events sound
 *   like, in hertz
 * @typedef {(event: any, context: any) => string | null} Sentence
 * @typedef {{default: (props: {view: any, me: number | null, below: number, last: any[]}) => any, Result: (props: {view: any, me: number | null}) => any,
 *   sentence: Sentence, isOpen: boolean,
 *   moveInWords?: (move: any, view: any) => string, reasonInWords?: (reason: any) => string}} Shown
 *   `Result`: how the points came about; `me`: the reader's own seat; `below`: whose side is drawn nearest; `last`: what the last move did; `isOpen`: all viewers see the same; `moveInWords`,
 *   with the view before the move, and `reasonInWords`: of games whose moves the engine judges
 * @typedef {{id: string, name: string, picture: string, seats: number[], lessons: string | null,
 *   Hero: () => any, table: () => Promise<Table>, shown: () => Promise<Shown>}} Game
 *   `picture`: a drawing that stands for it; `seats`: how many there may be; `lessons`: the address of its tutorial;
 *   `Hero`: the drawing at the start; `table`: to play at;
 *   `shown`: the table to look at
 */
import migrato from "../migrato/game.js";
import migo from "../migo/game.js";

/** @type {readonly [Game, ...Game[]]} the first one is shown first */
export const GAMES = [migrato, migo];

/** @param {string | undefined} id @returns {Game | null} */
export const gameOf = (id) => GAMES.find((game) => game.id === id) ?? null;

/** What a game is called, also one that this page does not know. @param {string} id */
export const gameName = (id) => gameOf(id)?.name ?? id;

/** The drawing that stands for a game. @param {string} id */
export const pictureOf = (id) => `#${gameOf(id)?.picture ?? "flock"}`;

/** The game that the address names after its `#`, or else the first one. */
export const gameAsked = () => gameOf(location.hash.slice(1)) ?? GAMES[0];
