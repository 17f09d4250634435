/** The start: in two clicks at a table, with a bot or with a friend. */
import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { ask } from "../shell/api.js";
import { isForApps } from "../shell/engine.js";
import { gameAsked, gameName, GAMES, pictureOf } from "../shell/games.js";
import { t, tx } from "../shell/i18n.js";
import { isolated } from "../shell/isolated.js";
import { go, Link } from "../shell/navigation.js";
import { seats } from "../shell/seats.js";
import { local } from "../shell/storage.js";
import { chosenFor, CLOCKS, creationTrouble, partner, tableOf, withBots } from "./creating.js";
import { botName, Levels, ranked } from "./level_picker.js";
import { Code, Lobby } from "./lobby.js";
import { NameField } from "./name.js";
import { Choices } from "./options.js";

/** @typedef {import("../../../clients/typescript/lib/models.d.ts").BotLine} Bot */
/** @typedef {import("./creating.js").Wanted} Wanted */

const LEVEL = "migrato.level.";

/** @typedef {import("../shell/games.js").Game} Game */

export default function Home() {
  useEffect(() => void (document.title = t("home.title")));
  return isForApps() ? html`<${Hero} game=${gameAsked()} /><${Unfinished} /><${Guest} />` : html`<${NewGame} />`;
}

/** Where games begin in apps: what can be done here all the same. */
function Guest() {
  return html`<section class="panel guest" aria-label=${t("home.apps")}>
    <h2>${t("home.apps")}</h2>
    <p>${t("home.needs.key")}</p>
    <${Code} />
    <p class="row">${GAMES.map(({ id, name, lessons }) => html`${lessons && html`<${Link} to=${lessons} class="button primary">${t("home.learn")}<//>`}<a class="button" href=${`/guide/reference/rules-${id}`}>${t("rules.of", { game: name })}</a>`)}
      <a class="button" href="/developers">${t("foot.developers")}</a></p>
  </section>`;
}

/** Every way to begin a game. */
function NewGame() {
  const [game, setGame] = useState(gameAsked);
  const [wanted, setWanted] = useState(/** @type {Wanted} */ ({ options: {}, clock: "none", rated: false, seats: 2, guests: ["open"], listed: false }));
  const [trouble, setTrouble] = useState(/** @type {unknown} */ (null));
  const [busy, setBusy] = useState(false);
  const { bots, bot, setBot } = useBots(game, setTrouble);
  const change = (/** @type {Partial<Wanted>} */ changed) => setWanted({ ...wanted, ...changed });

  /** Make a game, and go there. @param {() => Promise<string>} made its id */
  async function begin(made) {
    setBusy(true);
    setTrouble(null);
    local.setItem(LEVEL + game.id, bot);
    try {
      go(`/play/${await made()}`);
    } catch (problem) {
      setTrouble(problem);
      setBusy(false);
    }
  }

  return html`
    <${Hero} game=${game} />
    <${Unfinished} />
    <section class="setup" aria-label=${t("home.new")}>
      <div class="choice-of-game" role="group" aria-label=${t("home.game")}>
        ${GAMES.map((one) => html`<button aria-pressed=${one === game} onClick=${() => setGame(one)}>
          <svg aria-hidden="true"><use href=${`#${one.picture}`} /></svg><span><b>${one.name}</b><small>${tx(`home.${one.id}.who`)}</small></span>
        </button>`)}
      </div>
      <div class="panels">
        <section class="panel bots">
          <h2>${t("home.bot")}</h2>
          <button class="primary large" disabled=${busy || !bot} onClick=${() => begin(() => withBots(game, wanted, bot))}>${t("home.play")}</button>
          <${Levels} bots=${bots} chosen=${bot} choose=${setBot} />
          <label class="check"><input type="checkbox" name="rated" checked=${wanted.rated} onChange=${() => change({ rated: !wanted.rated })} /><span><b>${t("home.rated")}</b><small>${t("home.rated.note")}</small></span></label>
        </section>
        <section class="panel">
          <h2>${t("home.friend")}</h2>
          <p>${t(isForMore(game) ? "home.friends.text" : "home.friend.text")}</p>
          <${NameField} />
          ${isForMore(game) && html`<${Guests} bots=${bots} guests=${wanted.guests} change=${(/** @type {string[]} */ guests) => change({ guests })} />`}
          <label class="check"><input type="checkbox" checked=${wanted.listed} onChange=${() => change({ listed: !wanted.listed })} /><span><b>${t("home.listed")}</b><small>${t("home.listed.note")}</small></span></label>
          <button class="large" disabled=${busy} onClick=${() => begin(() => tableOf(game, wanted))}>${t("home.invite")}</button>
          <${Seek} game=${game} wanted=${wanted} busy=${busy} complain=${setTrouble} />
        </section>
      </div>
      ${trouble && html`<p class="alert" role="alert">${creationTrouble(trouble)}</p>`}
      <${Lobby} />
      <${Options} game=${game} wanted=${wanted} change=${change} />
    </section>`;
}

/** Whether more than two may sit at its table. @param {Game} game */
const isForMore = ({ seats }) => seats.length > 1;

/** The bots of a game, and the one that was chosen last. @param {Game} game @param {(problem: unknown) => void} complain */
function useBots(game, complain) {
  const [bots, setBots] = useState(/** @type {Bot[]} */ ([]));
  const [bot, setBot] = useState("");
  useEffect(() => {
    let current = true;
    ask(`/v1/bots?game=${game.id}`, { patient: true }).then(
      (found) => {
        if (!current) return;
        const levels = ranked(found.bots, game);
        setBots(levels);
        const kept = local.getItem(LEVEL + game.id);
        setBot(levels.some((/** @type {Bot} */ one) => one.name === kept) ? /** @type {string} */ (kept) : (levels[1]?.name ?? ""));
      },
      (problem) => current && complain(problem),
    );
    return () => void (current = false);
  }, [game]);
  return { bots, bot, setBot };
}

/** @param {{game: Game}} props */
function Hero({ game }) {
  return html`<section class="hero">
    <div class="hero-words"><h1>${tx(`home.${game.id}.head`)}</h1><p>${tx(`home.${game.id}.text`)}</p>${game.lessons && html`<p><${Link} to=${game.lessons} class="learn-link">${t("home.learn")}<//></p>`}</div>
    <${game.Hero} />
  </section>`;
}

/** Somebody who wants the same just now. @param {{game: Game, wanted: Wanted, busy: boolean, complain: (problem: unknown) => void}} props */
function Seek({ game, wanted, busy, complain }) {
  const seeking = useRef(/** @type {AbortController | null} */ (null));
  const [sought, setSought] = useState(false);
  useEffect(() => () => seeking.current?.abort(), []);

  async function seek() {
    seeking.current = new AbortController();
    setSought(true);
    complain(null);
    try {
      const found = await partner(game, wanted, seeking.current.signal);
      if (found) return go(`/play/${found}`);
    } catch (problem) {
      complain(problem);
    }
    setSought(false);
  }

  return html`<p class="or">${sought ? html`<span role="status">${t("home.seeking")}</span>` : t("home.seek.note")}</p>
    ${sought ? html`<button class="large" onClick=${() => seeking.current?.abort()}>${t("home.seek.stop")}</button>` : html`<button class="large" disabled=${busy} onClick=${seek}>${t("home.seek")}</button>`}`;
}

/** @param {{game: Game, wanted: Wanted, change: (changed: Partial<Wanted>) => void}} props */
function Options({ game, wanted, change }) {
  const { id, seats } = game;
  const chosen = chosenFor(game, wanted);
  const choose = (/** @type {import("../shell/games.js").Options} */ options) => change({ options: { ...wanted.options, [id]: { ...chosen, ...options } } });
  return html`<details class="panel options"><summary>${t("home.options")}</summary>
    <label class="field">${t("home.clock")}<select name="clock" onChange=${(/** @type {any} */ event) => change({ clock: event.target.value })}>
      ${Object.keys(CLOCKS).map((name) => html`<option value=${name} selected=${name === wanted.clock}>${tx(`home.clock.${name}`)}</option>`)}
    </select></label>
    ${seats.length > 1 && html`<label class="field">${t("home.seats")}<select onChange=${(/** @type {any} */ event) => change({ seats: Number(event.target.value) })}>
      ${seats.map((count) => html`<option value=${count} selected=${count === wanted.seats}>${count}</option>`)}
    </select></label>`}
    <${Choices} game=${game} chosen=${chosen} change=${choose} />
  </details>`;
}

/**
 * Who is to sit at the other seats: friends and bots, in any order.
 * @param {{bots: Bot[], guests: string[], change: (guests: string[]) => void}} props
 */
function Guests({ bots, guests, change }) {
  const choose = (/** @type {number} */ index, /** @type {string} */ who) => change([...guests.slice(0, index), who, ...guests.slice(index + 1)].filter(Boolean));
  const shown = guests.length < 3 ? [...guests, ""] : guests;
  return html`${shown.map((guest, index) => html`<label class="field" key=${index}>${t("home.seat", { number: index + 2 })}
    <select name="guest" onChange=${(/** @type {any} */ event) => choose(index, event.target.value)}>
      ${guests.length > 1 || index > 0 ? html`<option value="" selected=${!guest}>${t("home.seat.none")}</option>` : null}
      <option value="open" selected=${guest === "open"}>${t("home.seat.friend")}</option>
      ${bots.map(({ name }) => html`<option value=${name} selected=${guest === name}>${botName(name)}</option>`)}
    </select></label>`)}`;
}

function Unfinished() {
  const open = seats().filter((seat) => !seat.over).slice(0, 4);
  if (!open.length) return null;
  return html`<section class="unfinished"><h2>${t("home.unfinished")}</h2><ul>
    ${open.map(({ game, kind, names, at }) => html`<li><${Link} to=${`/play/${game}`} class="button">
      <svg aria-hidden="true"><use href=${pictureOf(kind)} /></svg>
      <span><b>${gameName(kind)}</b> ${t("home.against", { names: names.map(isolated).join(", ") || t("name.friend") })}</span>
      <small>${new Date(at).toLocaleString(document.documentElement.lang, { dateStyle: "short", timeStyle: "short" })}</small>
    <//></li>`)}
  </ul></section>`;
}
