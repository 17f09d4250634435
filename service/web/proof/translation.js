/** What the checks say, in the reader's language. They speak English, so that their words can be compared with an audit's. */

/**
 * A function that translates a sentence; what it does not know stays as it is.
 * @param {string} code of a language that the page has
 * @returns {Promise<(text: string) => string>}
 */
export async function translator(code) {
  /** @type {Map<string, string>} */
  const words = new Map(Object.entries((await import(`../words/${code}/proof.js`)).default));
  const patterns = [...words.keys()].filter((key) => key.includes("*")).map((key) => ({ key, pattern: new RegExp(`^${key.split("*").map(escaped).join("(.+?)")}$`, "s") }));
  /** @param {string} text @returns {string} */
  function translated(text) {
    const known = words.get(text);
    if (known !== undefined) return known;
    for (const { key, pattern } of patterns) {
      const found = pattern.exec(text);
      if (!found) continue;
      const parts = found.slice(1).map(translated);
      return /** @type {string} */ (words.get(key)).replace(/\*/g, () => parts.shift() ?? "");
    }
    return text;
  }
  return translated;
}

/** @param {string} text */
const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
