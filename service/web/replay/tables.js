/** The tables of each game to look at: nothing on them can be picked. */

/**
 * `me`: the reader's own seat; `below`: whose side is drawn nearest; `isOpen`: all viewers see the same; `moveInWords` and
 * `reasonInWords`: of games whose moves the engine judges.
 */
/** @typedef {(props: {view: any, me: number | null, below: number}) => any} ShownTable */
/** @type {Record<string, () => Promise<{default: ShownTable, sentence: (event: any, context: any) => string | null, isOpen: boolean, moveInWords?: (move: any) => string, reasonInWords?: (reason: any) => string}>>} */
export const TABLES = {
  migrato: () => import("./migrato.js"),
  migo: () => import("./migo.js"),
};
