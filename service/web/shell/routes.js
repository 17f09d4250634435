/**
 * The screens: which address shows which. A screen's module is loaded when it is first shown, and its default export is
 * a component that gets `{params}`, what the groups of `path` matched.
 *
 * @typedef {(props: {params: string[]}) => import("../vendor/preact.js").VNode} Screen
 * @type {{path: RegExp, load: () => Promise<{default: Screen}>}[]}
 */
export const ROUTES = [
  { path: /^\/$/, load: () => import("../home/home.js") },
  { path: /^\/learn$/, load: () => import("../learn/learn.js") },
  { path: /^\/play\/(\w+)$/, load: () => import("../play/play.js") },
  { path: /^\/games\/(\w+)$/, load: () => import("../replay/replay.js") },
  { path: /^\/players\/(\w+)$/, load: () => import("../people/player.js") },
  { path: /^\/leaderboard$/, load: () => import("../people/leaderboard.js") },
  { path: /^\/operator$/, load: () => import("../operator/operator.js") },
  { path: /^\/proof$/, load: () => import("../proof/page.js") },
  { path: /^\/join\/(\w+)$/, load: () => import("../home/join.js") },
];
