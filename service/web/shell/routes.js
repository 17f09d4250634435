/** The screens: a module each, loaded when it is first shown. The document has the table of their addresses from `routes.json`. */

/** A screen gets what stands in the address for the names in its route. @typedef {(props: {params: string[]}) => import("../vendor/preact.js").VNode} Screen */

/** The screen of an address, or null. @param {string} path @returns {{params: string[], load: () => Promise<{default: Screen}>} | null} */
export function screenAt(path) {
  /** @type {Record<string, string>} */
  const routes = JSON.parse(document.documentElement.dataset.routes ?? "{}");
  for (const [route, module] of Object.entries(routes)) {
    const match = new RegExp(`^${route.replace(/<\w+>/g, "(\\w+)")}$`).exec(path);
    if (match) return { params: match.slice(1), load: () => import(`../${module}`) };
  }
  return null;
}
