/** The start: in two clicks at a table, with a bot or with a friend. */
import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { go, Link } from "../shell/app.js";
import { ask } from "../shell/api.js";
import { t } from "../shell/i18n.js";
import { isolated } from "../shell/isolated.js";
import { seats } from "../shell/seats.js";
import { local } from "../shell/storage.js";
import { CLOCKS, creationTrouble, partner, tableOf, withBots } from "./creating.js";
import { botName, Levels, ranked } from "./levels.js";
import { Lobby } from "./lobby.js";
import { NameField } from "./name.js";

/** @typedef {import("../../../clients/typescript/lib/models.d.ts").BotLine} Bot */
/** @typedef {import("./creating.js").Wanted} Wanted */

const GAMES = [
  { id: "migrato", name: "Migrato", picture: "brant_goose" },
  { id: "migo", name: "Migo", picture: "yeti" },
];
const LEVEL = "migrato.level.";

export default function Home() {
  const [game, setGame] = useState(() => (location.hash === "#migo" ? "migo" : "migrato"));
  const [bots, setBots] = useState(/** @type {Bot[]} */ ([]));
  const [bot, setBot] = useState("");
  const [wanted, setWanted] = useState(/** @type {Wanted} */ ({ rules: "digital", returnFlight: false, memoryAid: false, clock: "none", seats: 2, guests: ["open"], listed: false }));
  const [trouble, setTrouble] = useState(/** @type {unknown} */ (null));
  const [busy, setBusy] = useState(false);

  useEffect(() => void (document.title = t("home.title")));
  useEffect(() => {
    let current = true;
    ask(`/v1/bots?game=${game}`, { patient: true }).then(
      (found) => {
        if (!current) return;
        const levels = ranked(found.bots);
        setBots(levels);
        const kept = local.getItem(LEVEL + game);
        setBot(levels.some((/** @type {Bot} */ one) => one.name === kept) ? /** @type {string} */ (kept) : "greedy");
      },
      (problem) => current && setTrouble(problem),
    );
    return () => void (current = false);
  }, [game]);

  /** @param {boolean} friend */
  async function play(friend) {
    setBusy(true);
    setTrouble(null);
    local.setItem(LEVEL + game, bot);
    try {
      go(`/play/${friend ? await tableOf(game, wanted) : await withBots(game, wanted, bot)}`);
    } catch (problem) {
      setTrouble(problem);
      setBusy(false);
    }
  }

  const seeking = useRef(/** @type {AbortController | null} */ (null));
  const [sought, setSought] = useState(false);
  useEffect(() => () => seeking.current?.abort(), []);

  async function seek() {
    seeking.current = new AbortController();
    setSought(true);
    setTrouble(null);
    try {
      const found = await partner(game, wanted, seeking.current.signal);
      if (found) return go(`/play/${found}`);
    } catch (problem) {
      setTrouble(problem);
    }
    setSought(false);
  }

  return html`
    <section class="hero">
      <div class="hero-words"><h1>${t(`home.${game === "migo" ? "migo" : "migrato"}.head`)}</h1><p>${t(`home.${game === "migo" ? "migo" : "migrato"}.text`)}</p>${game === "migrato" && html`<p><${Link} to="/learn" class="learn-link">${t("home.learn")}<//></p>`}</div>
      <svg class=${`hero-birds ${game}`} viewBox="0 0 320 150" aria-hidden="true">
        <circle class="hero-sun" cx="238" cy="72" r="42" />
        ${game === "migrato"
          ? html`<use href="#black_kite" x="205" y="12" width="74" height="74" /><use href="#brant_goose" x="16" y="74" width="62" height="62" /><use href="#stilt" x="92" y="62" width="72" height="72" /><use href="#teal" x="246" y="92" width="56" height="56" /><use href="#bee_eater" x="160" y="20" width="44" height="44" />`
          : html`<path class="hero-peaks" d="M0 150 70 52l34 40 58-78 62 88 34-34 62 82Z" /><use href="#yeti" x="120" y="66" width="80" height="80" /><use href="#ice_axe" x="28" y="96" width="44" height="44" /><use href="#carabiner" x="250" y="98" width="40" height="40" />`}
        <path class="hero-ground" d="M0 138Q80 126 160 135T320 132V150H0Z" />
      </svg>
    </section>
    <${Unfinished} />
    <section class="setup" aria-label=${t("home.new")}>
      <div class="choice-of-game" role="group" aria-label=${t("home.game")}>
        ${GAMES.map(({ id, name, picture }) => html`<button aria-pressed=${id === game} onClick=${() => setGame(id)}>
          <svg aria-hidden="true"><use href=${`#${picture}`} /></svg><span><b>${name}</b><small>${t(id === "migo" ? "home.migo.who" : "home.migrato.who")}</small></span>
        </button>`)}
      </div>
      <div class="panels">
        <section class="panel bots">
          <h2>${t("home.bot")}</h2>
          <button class="primary large" disabled=${busy || !bot} onClick=${() => play(false)}>${t("home.play")}</button>
          <${Levels} bots=${bots} chosen=${bot} choose=${setBot} />
        </section>
        <section class="panel">
          <h2>${t("home.friend")}</h2>
          <p>${t(game === "migo" ? "home.friends.text" : "home.friend.text")}</p>
          <${NameField} />
          ${game === "migo" && html`<${Guests} bots=${bots} guests=${wanted.guests} change=${(/** @type {string[]} */ guests) => setWanted({ ...wanted, guests })} />`}
          <label class="check"><input type="checkbox" checked=${wanted.listed} onChange=${() => setWanted({ ...wanted, listed: !wanted.listed })} /><span><b>${t("home.listed")}</b><small>${t("home.listed.note")}</small></span></label>
          <button class="large" disabled=${busy} onClick=${() => play(true)}>${t("home.invite")}</button>
          <p class="or">${sought ? html`<span role="status">${t("home.seeking")}</span>` : t("home.seek.note")}</p>
          ${sought ? html`<button class="large" onClick=${() => seeking.current?.abort()}>${t("home.seek.stop")}</button>` : html`<button class="large" disabled=${busy} onClick=${seek}>${t("home.seek")}</button>`}
        </section>
      </div>
      ${trouble && html`<p class="alert" role="alert">${creationTrouble(trouble)}</p>`}
      <${Lobby} />
      <${Options} game=${game} wanted=${wanted} change=${(/** @type {Partial<Wanted>} */ changed) => setWanted({ ...wanted, ...changed })} />
    </section>`;
}

/** @param {{game: string, wanted: Wanted, change: (changed: Partial<Wanted>) => void}} props */
function Options({ game, wanted, change }) {
  const flag = (/** @type {"returnFlight" | "memoryAid"} */ name, /** @type {any} */ label, /** @type {any} */ note) =>
    html`<label class="check"><input type="checkbox" checked=${wanted[name]} onChange=${() => change({ [name]: !wanted[name] })} /><span><b>${label}</b><small>${note}</small></span></label>`;
  return html`<details class="panel options"><summary>${t("home.options")}</summary>
    <label class="field">${t("home.clock")}<select name="clock" onChange=${(/** @type {any} */ event) => change({ clock: event.target.value })}>
      ${Object.keys(CLOCKS).map((name) => html`<option value=${name} selected=${name === wanted.clock}>${t(/** @type {any} */ (`home.clock.${name}`))}</option>`)}
    </select></label>
    ${game === "migo"
      ? html`<label class="field">${t("home.seats")}<select onChange=${(/** @type {any} */ event) => change({ seats: Number(event.target.value) })}>
          ${[2, 3, 4].map((count) => html`<option value=${count} selected=${count === wanted.seats}>${count}</option>`)}
        </select></label>`
      : html`<label class="field">${t("home.rules")}<select onChange=${(/** @type {any} */ event) => change({ rules: event.target.value })}>
            <option value="digital" selected=${wanted.rules === "digital"}>${t("home.rules.digital")}</option>
            <option value="opla" selected=${wanted.rules === "opla"}>${t("home.rules.opla")}</option>
          </select></label>
          ${flag("returnFlight", t("home.flight"), t("home.flight.note"))} ${flag("memoryAid", t("home.memory"), t("home.memory.note"))}`}
  </details>`;
}

/**
 * Who is to sit at the other seats of Migo: friends and bots, in any order.
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
      <svg aria-hidden="true"><use href=${kind === "migo" ? "#yeti" : "#brant_goose"} /></svg>
      <span><b>${kind === "migo" ? "Migo" : "Migrato"}</b> ${t("home.against", { names: names.map(isolated).join(", ") || t("name.friend") })}</span>
      <small>${new Date(at).toLocaleString(document.documentElement.lang, { dateStyle: "short", timeStyle: "short" })}</small>
    <//></li>`)}
  </ul></section>`;
}
