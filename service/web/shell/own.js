/**
 * A member that a table has itself: what is looked up comes from elsewhere, and `constructor` is found in every object.
 * @template T
 * @param {Record<string, T>} table
 * @param {string} name
 * @returns {T | undefined}
 */
export const own = (table, name) => (Object.hasOwn(table, name) ? table[name] : undefined);
