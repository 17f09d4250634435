/** The leaderboard: players and bots by strength, a page at a time. */
import { html, useEffect, useState } from "../vendor/preact.js";
import { ask, without } from "../shell/api.js";
import { gameAsked, GAMES } from "../shell/games.js";
import { t, tx } from "../shell/i18n.js";
import { isolated } from "../shell/isolated.js";
import { Link } from "../shell/navigation.js";
import { Trouble } from "../shell/trouble.js";
import { botName, ranked } from "../home/level_picker.js";
import { peopleTrouble } from "./names.js";

/** @typedef {import("../home/level_picker.js").Bot} Bot */

const PAGE = 20; // places

export default function Leaderboard() {
  const [game, setGame] = useState(() => gameAsked().id);
  const [timeClass, setTimeClass] = useState(""); // "": the one that the engine shows first
  const [cursors, setCursors] = useState([""]); // of the pages up to the one that is shown
  const [board, setBoard] = useState(/** @type {any} */ (null));
  const [bots, setBots] = useState(/** @type {Bot[]} */ ([])); // the levels of the game, the weakest first
  const [lost, setLost] = useState(/** @type {unknown} */ (null));
  useEffect(() => void (document.title = t("board.title")));
  useEffect(() => {
    let current = true;
    setBots([]);
    ask(`/v1/bots?game=${game}`, { patient: true }).then((found) => current && setBots(ranked(found.bots, { id: game })), without(null));
    return () => void (current = false);
  }, [game]);
  useEffect(() => {
    let current = true;
    const query = new URLSearchParams({ game, limit: String(PAGE) });
    if (timeClass) query.set("time_class", timeClass);
    const cursor = cursors.at(-1);
    if (cursor) query.set("cursor", cursor);
    ask(`/v1/leaderboard?${query}`, { patient: true }).then((found) => current && setBoard(found), (problem) => current && setLost(problem));
    return () => void (current = false);
  }, [game, timeClass, cursors]);
  /** @param {string} next @param {string} [clock] */
  function choose(next, clock = "") {
    setGame(next);
    setTimeClass(clock);
    setCursors([""]);
  }
  if (lost) return Trouble({ title: t("player.hidden"), text: peopleTrouble(lost) });
  return html`<div class="people">
    <h1>${t("board.title")}</h1>
    <div class="row">
      <label class="field">${t("home.game")}<select name="game" onChange=${(/** @type {any} */ event) => choose(event.target.value)}>
        ${GAMES.map(({ id, name }) => html`<option value=${id} selected=${id === game}>${name}</option>`)}
      </select></label>
      ${board?.time_classes.length > 1 && html`<label class="field">${t("board.clock")}<select name="clock" onChange=${(/** @type {any} */ event) => choose(game, event.target.value)}>
        ${board.time_classes.map((/** @type {string} */ one) => html`<option value=${one} selected=${one === board.time_class}>${tx(`clock.class.${one}`)}</option>`)}
      </select></label>`}
    </div>
    ${!board ? html`<p class="waiting" role="status">${t("loading")}</p>` : board.entries.length ? html`<${Places} entries=${board.entries} bots=${bots} />` : html`<p>${t("board.empty")}</p>`}
    ${board && (cursors.length > 1 || board.next) && html`<nav class="row" aria-label=${t("board.pages")}>
      <button disabled=${cursors.length === 1} onClick=${() => setCursors(cursors.slice(0, -1))}>${t("board.before")}</button>
      <button disabled=${!board.next} onClick=${() => setCursors([...cursors, board.next])}>${t("board.next")}</button>
    </nav>`}
    <p class="hush">${t("board.note")}</p>
  </div>`;
}

/** @param {{entries: any[], bots: Bot[]}} props */
function Places({ entries, bots }) {
  return html`<table class="numbers"><thead><tr><th scope="col" class="number">${t("board.rank")}</th><th scope="col">${t("board.name")}</th><th scope="col" class="number">${t("board.strength")}</th><th scope="col" class="number">${t("board.games")}</th><th scope="col" class="number">${t("board.wins")}</th></tr></thead><tbody>
    ${entries.map((one) => html`<tr key=${one.rank}><td class="number">${one.rank}</td>
      <th scope="row">${one.kind === "bot" ? html`${botName(one.bot)} <small class="hush">${t("board.bot", { version: one.version })}</small>` : html`<${Link} to=${`/players/${one.player_id}`}>${one.player === null ? t("name.erased") : isolated(one.player)}<//>`}</th>
      <td class="number">${one.rating.elo}${one.kind === "player" && html`<${Distance} elo=${one.rating.elo} bots=${bots} />`}</td><td class="number">${one.games}</td><td class="number">${one.wins}</td></tr>`)}
  </tbody></table>`;
}

/** How far the next stronger bot is, or the strongest of all. @param {{elo: number, bots: Bot[]}} props */
function Distance({ elo, bots }) {
  const measured = bots.flatMap(({ name, strength }) => (strength ? [{ bot: botName(name), points: strength.elo - elo }] : []));
  const [next = measured.at(-1)] = measured.filter(({ points }) => points > 0);
  return next ? html`<small class="hush distance">${t(next.points > 0 ? "board.below" : "board.above", { points: Math.abs(next.points), bot: next.bot })}</small>` : null;
}
