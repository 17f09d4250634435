/** Tables where somebody waits, and a field for an invitation. */
import { html, useEffect, useState } from "../vendor/preact.js";
import { ask, Refused, without } from "../shell/api.js";
import { gameName, pictureOf } from "../shell/games.js";
import { t } from "../shell/i18n.js";
import { isolated } from "../shell/isolated.js";
import { go } from "../shell/navigation.js";
import { problemText } from "../shell/problems.js";
import { seatIn } from "../shell/seats.js";
import { Unrated } from "../play/unrated.js";
import { sitDown } from "./creating.js";
import { botName } from "./level_picker.js";

const AGAIN = 5000; // milliseconds until the list is asked for again

export function Lobby() {
  const [games, setGames] = useState(/** @type {any[] | null} */ (null));
  const [trouble, setTrouble] = useState(/** @type {unknown} */ (null));
  const [busy, setBusy] = useState(false);
  const look = () => ask("/v1/lobby?limit=20").then((page) => setGames(page.games)).catch(without(null));
  useEffect(() => {
    void look();
    const timer = setInterval(() => !document.hidden && look(), AGAIN);
    return () => clearInterval(timer);
  }, []);

  /** @param {any} table */
  async function join(table) {
    setBusy(true);
    try {
      await sitDown(table.id, table.seats.find((/** @type {any} */ seat) => seat.kind === "open").seat);
      go(`/play/${table.id}`);
    } catch (problem) {
      setTrouble(problem);
      setBusy(false);
      void look();
    }
  }

  const open = games?.filter(({ id, seats }) => !seatIn(id) && seats.some((/** @type {any} */ seat) => seat.kind === "open"));
  return html`<section class="panel lobby" aria-label=${t("lobby")}>
    <h2>${t("lobby")}</h2>
    ${open?.length
      ? html`<ul>${open.map((table) => html`<li key=${table.id}>
          <svg aria-hidden="true"><use href=${pictureOf(table.game)} /></svg>
          <span><b>${gameName(table.game)}</b> <span class="lobby-names">${t("home.against", { names: who(table) })}</span> <${Unrated} game=${table} /></span>
          <button disabled=${busy} onClick=${() => join(table)}>${t("lobby.join")}</button></li>`)}</ul>`
      : html`<p class="hush">${t("lobby.empty")}</p>`}
    ${trouble && html`<p class="alert" role="alert">${problemText(trouble)}</p>`}
    <${Code} />
  </section>`;
}

/** @param {any} table */
function who({ seats }) {
  const names = seats.filter((/** @type {any} */ seat) => seat.kind !== "open").map((/** @type {any} */ seat) => (seat.player ? isolated(seat.player) : seat.bot ? botName(seat.bot) : t("name.guest")));
  return names.join(", ");
}

/** An invitation that came as a text: the link, what of it stands after the last `/`, or a join code. */
export function Code() {
  const [text, setText] = useState("");
  const [wrong, setWrong] = useState("");
  const found = /(\w{22})#(\d\.[\w-]+)/.exec(text);
  async function open(/** @type {SubmitEvent} */ event) {
    event.preventDefault();
    if (found) return go(`/join/${found[1]}#${found[2]}`);
    if (!/^(\s*[0-9a-z]){4}[\s-]*([0-9a-z]\s*){4}$/i.test(text)) return setWrong(t("lobby.code.wrong"));
    try {
      const { game_id: game, seat, invite } = await ask("/v1/invites/lookup", { method: "POST", key: "", body: { code: text } });
      go(`/join/${game}#${seat}.${invite}`);
    } catch (problem) {
      setWrong(problem instanceof Refused && problem.status === 404 ? t("lobby.code.gone") : problemText(problem));
    }
  }
  return html`<form class="row code" onSubmit=${open}>
    <label class="field">${t("lobby.code")}<input type="text" name="code" autocomplete="off" spellcheck=${false} value=${text} onInput=${(/** @type {any} */ event) => (setText(event.target.value), setWrong(""))} /></label>
    <button disabled=${!text}>${t("lobby.code.go")}</button>
    ${wrong && html`<p class="alert" role="alert">${wrong}</p>`}
  </form>`;
}
