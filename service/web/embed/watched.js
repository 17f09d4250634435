/** A table in a frame, watched: each state as it comes. */
import { html, useEffect, useState } from "../vendor/preact.js";
import { gameName, gameOf } from "../shell/games.js";
import { t } from "../shell/i18n.js";
import { follow } from "../shell/stream.js";

/** @typedef {import("../shell/games.js").Shown} Shown */

/** @param {{game: string, around: import("../play/play.js").Around}} props */
export function Watched({ game, around }) {
  const [view, setView] = useState(/** @type {any} */ (null));
  const [table, setTable] = useState(/** @type {Shown | null} */ (null));
  const [away, setAway] = useState(false);
  const [lost, setLost] = useState(/** @type {import("../shell/api.js").Refused | null} */ (null));
  useEffect(() => follow(game, null, { state: ({ view: next }) => void show(next), away: setAway, lost: setLost }), []);

  /** @param {any} next */
  async function show(next) {
    const shown = await gameOf(next.game)?.shown();
    if (!shown) throw new Error(`There is no table for ${next.game}.`);
    setTable(() => shown);
    setView(next);
    around.state(next);
  }

  if (lost) return html`<${around.Lost} problem=${lost} />`;
  if (!view || !table) return html`<p class="waiting" role="status">${t(away ? "play.away" : "loading")}</p>`;
  const isOver = view.status === "finished";
  const result = html`<${table.Result} view=${view} me=${null} />`;
  return html`
    <h1 class="unseen">${gameName(view.game)}</h1>
    ${away && html`<p class="banner" role="alert">${t("play.away")}</p>`}
    ${isOver && html`<p class="hush" role="status">${t(view.aborted ? "ending.aborted" : "read.over")}</p>`}
    ${view.state && html`<div class="reading">
      ${isOver && result}
      <${table.default} view=${view} me=${null} below=${0} last=${view.last_move?.events ?? []} />
      ${!isOver && result}
    </div>`}
    ${view.status === "waiting" && html`<section class="waiting-room"><p class="waiting" role="status">${t("read.waiting")}</p></section>`}
  `;
}
