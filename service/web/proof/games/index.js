/** The games that the proof knows: each is one module, entered here. Nothing else of the proof names a game. */
import { Migo } from "./migo.js";
import { Migrato } from "./migrato.js";

const games = { migrato: Migrato, migo: Migo };

/** @typedef {typeof games[keyof typeof games]} GameClass */
/** @typedef {InstanceType<GameClass>} Game */

/** @type {Readonly<Record<string, GameClass>>} */
export const GAMES = games;
