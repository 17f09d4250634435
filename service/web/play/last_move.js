/** The last move of a game, which is marked on the board. */

/**
 * Events of the last move among these: its decisions, and what followed from them.
 * @param {any[]} events
 * @param {{seat: number, events: {version: number}[]} | null} move the view's `last_move`
 * @returns {any[]}
 */
export const lastMove = (events, move) => events.filter(({ version, seat }) => seat === move?.seat && version >= (move?.events[0]?.version ?? 0));
