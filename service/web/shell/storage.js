/** What this browser keeps for the page. One that refuses to, as some do without cookies, keeps it until the page is closed. */

/** @typedef {Pick<Storage, "getItem" | "setItem" | "removeItem">} Kept */

export const local = opened("localStorage");
export const session = opened("sessionStorage");

/** @param {"localStorage" | "sessionStorage"} name @returns {Kept} */
function opened(name) {
  try {
    window[name].getItem("");
    return window[name];
  } catch {
    return inMemory();
  }
}

/** @returns {Kept} */
function inMemory() {
  /** @type {Map<string, string>} */
  const values = new Map();
  return {
    getItem: (name) => values.get(name) ?? null,
    setItem: (name, value) => void values.set(name, value),
    removeItem: (name) => void values.delete(name),
  };
}
