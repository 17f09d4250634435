/** A player: ratings, and games with their results. */
import { html, useEffect, useState } from "../vendor/preact.js";
import { ask, Refused } from "../shell/api.js";
import { gameName } from "../shell/games.js";
import { language, t, tx } from "../shell/i18n.js";
import { isolated } from "../shell/isolated.js";
import { Link } from "../shell/navigation.js";
import { seatIn } from "../shell/seats.js";
import { Trouble } from "../shell/trouble.js";
import { Name, peopleTrouble } from "./names.js";

const PAGE = 20; // games

/** @param {{params: string[]}} props */
export default function Player({ params: [id = ""] }) {
  const [player, setPlayer] = useState(/** @type {any} */ (null));
  const [games, setGames] = useState(/** @type {any[]} */ ([]));
  const [next, setNext] = useState(/** @type {string | null} */ (null));
  const [lost, setLost] = useState(/** @type {unknown} */ (null));
  const [busy, setBusy] = useState(false);
  /** @param {string | null} cursor */
  async function more(cursor) {
    setBusy(true);
    try {
      const page = await ask(`/v1/games?player=${id}&limit=${PAGE}${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""}`, { patient: true });
      setGames((before) => [...before, ...page.games]);
      setNext(page.next);
    } catch (problem) {
      setLost(problem);
    }
    setBusy(false);
  }
  useEffect(() => {
    ask(`/v1/players/${id}`, { patient: true }).then((found) => (setPlayer(found), more(null)), setLost);
  }, []);
  if (lost) {
    const isGone = lost instanceof Refused && lost.status === 404;
    return Trouble({ title: t(isGone ? "player.gone" : "player.hidden"), text: isGone ? t("player.gone.text") : peopleTrouble(lost) });
  }
  if (!player) return html`<p class="waiting" role="status">${t("loading")}</p>`;
  const name = isolated(player.player);
  document.title = name;
  return html`<div class="people">
    <h1>${name}</h1>
    <p class="hush">${t("player.since", { date: dateOf(player.created_at) })} <${Link} to="/leaderboard">${t("board.title")}<//></p>
    <h2>${t("player.ratings")}</h2>
    ${player.ratings.length
      ? html`<table class="numbers"><thead><tr><th scope="col">${t("home.game")}</th><th scope="col">${t("board.clock")}</th><th scope="col" class="number">${t("board.strength")}</th><th scope="col" class="number">${t("board.games")}</th><th scope="col" class="number">${t("board.wins")}</th></tr></thead><tbody>
          ${player.ratings.map((/** @type {any} */ one) => html`<tr><th scope="row">${gameName(one.game)}</th><td>${tx(`clock.class.${one.time_class}`)}</td><td class="number">${one.rating.elo}</td><td class="number">${one.games}</td><td class="number">${one.wins}</td></tr>`)}
        </tbody></table>`
      : html`<p>${t("player.unrated")}</p>`}
    <h2>${t("player.games")}</h2>
    ${games.length > 0 && html`<ul class="games">${games.map((game) => html`<li key=${game.id}><${Played} game=${game} player=${id} /></li>`)}</ul>`}
    ${!games.length && !busy && html`<p>${t("player.none")}</p>`}
    ${next && html`<p><button disabled=${busy} onClick=${() => more(next)}>${t("player.more")}</button></p>`}
  </div>`;
}

/** A game in a line: against whom, and how it ended for the player. @param {{game: any, player: string}} props */
function Played({ game, player }) {
  const mine = game.seats.find((/** @type {any} */ one) => one.player_id === player)?.seat ?? null;
  const others = game.seats.filter((/** @type {any} */ one) => one.seat !== mine);
  const isOpen = game.visibility === "public" || seatIn(game.id) !== null;
  return html`<span><b>${gameName(game.game)}</b> ${dateOf(game.created_at)}</span>
    <span>${t("read.against")} ${others.map((/** @type {any} */ one, /** @type {number} */ at) => html`${at > 0 && ", "}<${Name} view=${game} seat=${one.seat} me=${null} />`)}</span>
    <span>${outcome(game, mine)}</span>
    <span>${isOpen ? html`<${Link} to=${`/games/${game.id}`}>${t("player.look")}<//>` : html`<span class="hush">${t("player.private")}</span>`}</span>`;
}

/** @param {any} game @param {number | null} mine */
function outcome({ status, aborted, result }, mine) {
  if (aborted) return t("player.aborted");
  if (status !== "finished" || !result || mine === null) return t("player.running");
  const first = result.winner ?? mine;
  const score = [result.scores[first], ...result.scores.filter((/** @type {number} */ _, /** @type {number} */ seat) => seat !== first)].join(" : ");
  return t(result.winner === null ? "player.draw" : result.winner === mine ? "player.won" : "player.lost", { score });
}

/** @param {string} at */
const dateOf = (at) => new Date(at).toLocaleDateString(language(), { dateStyle: "medium" });
