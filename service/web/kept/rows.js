/**
 * What this browser keeps of games, beside the page: events as they were shown, each as JSON, under a name and a version.
 * A browser that keeps nothing, for want of room or in a private window, hurts nobody: then it is kept as long as the page.
 */
import { isFramed } from "../shell/engine.js";

const KEPT = 50; // games
const PATIENCE = 3000; // milliseconds; some browsers never answer

/** @typedef {{all: Map<number, any>, add: (version: number, document: any) => void}} Rows */

/** @param {string} name of a game and a seat @returns {Promise<Rows>} what was kept under that name */
export async function rowsOf(name) {
  /** @type {IDBDatabase | null} */
  const base = isFramed() ? null : await Promise.race([opened().catch(() => null), new Promise((late) => setTimeout(late, PATIENCE, null))]);
  const all = base ? await loaded(base, name).catch(() => new Map()) : new Map();
  if (base) void begun(base, name).catch(() => null);
  return { all, add };

  /** The first that was shown stays, whatever another tab shows. @param {number} version @param {any} document */
  function add(version, document) {
    all.set(version, document);
    if (!base) return;
    try {
      const request = base.transaction("things", "readwrite").objectStore("things").add(JSON.stringify(document), [name, version]);
      request.onerror = (/** @type {Event} */ event) => event.preventDefault(); // it is there, or there is no room
    } catch {
      // the browser has closed it
    }
  }
}

/** @returns {Promise<IDBDatabase>} */
async function opened() {
  const request = indexedDB.open("migrato-kept", 1);
  request.onupgradeneeded = () => {
    request.result.createObjectStore("things");
    request.result.createObjectStore("games");
  };
  const base = await done(request);
  base.onversionchange = () => base.close();
  return base;
}

/** @param {IDBDatabase} base @param {string} name @returns {Promise<Map<number, any>>} */
async function loaded(base, name) {
  const store = base.transaction("things").objectStore("things");
  const [keys, texts] = await Promise.all([done(store.getAllKeys(rangeOf(name))), done(store.getAll(rangeOf(name)))]);
  return new Map(keys.map((key, at) => [/** @type {any} */ (key)[1], JSON.parse(texts[at])]));
}

/** The game is among those that are kept, and the oldest of too many is not any more. @param {IDBDatabase} base @param {string} name */
async function begun(base, name) {
  const change = base.transaction(["games", "things"], "readwrite");
  const games = change.objectStore("games");
  games.put(Date.now(), name);
  const [names, times] = await Promise.all([done(games.getAllKeys()), done(games.getAll())]);
  const oldest = names.map((key, at) => ({ key, at: times[at] })).sort((one, other) => other.at - one.at).slice(KEPT);
  for (const { key } of oldest) {
    games.delete(key);
    change.objectStore("things").delete(rangeOf(String(key)));
  }
}

/** @param {string} name */
const rangeOf = (name) => IDBKeyRange.bound([name, 0], [name, Infinity]);

/** @template Value @param {IDBRequest<Value>} request @returns {Promise<Value>} */
function done(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = (event) => (event.preventDefault(), reject(request.error));
  });
}
