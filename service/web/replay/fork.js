/** To play on from a position: a new game that begins with it. */
import { html, useEffect, useState } from "../vendor/preact.js";
import { ask } from "../shell/api.js";
import { t, tx } from "../shell/i18n.js";
import { go } from "../shell/navigation.js";
import { problemText } from "../shell/problems.js";
import { keepSeat, playerName } from "../shell/seats.js";
import { Dialog } from "../play/dialog.js";
import { nameOf } from "../play/names.js";

/**
 * @param {{view: any, running: boolean, held: import("../shell/seats.js").Seat | null, close: () => void}} props
 *   `running`: the game goes on, so that only who holds a seat may fork it, with what that seat cannot know drawn anew
 */
export function Fork({ view, running, held, close }) {
  const [seat, setSeat] = useState(held?.seat ?? view.to_act ?? 0);
  const [bots, setBots] = useState(/** @type {string[]} */ ([]));
  const [bot, setBot] = useState("greedy");
  const [trouble, setTrouble] = useState("");
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    ask(`/v1/bots?game=${view.game}`, { patient: true }).then(
      (found) => setBots(found.bots.map((/** @type {any} */ one) => one.name)),
      (problem) => setTrouble(problemText(problem)),
    );
  }, []);

  async function fork() {
    setBusy(true);
    setTrouble("");
    const human = { kind: "human", ...(held ? {} : { player: playerName() || t("name.guest") }) }; // a seat's fork has no names
    const seats = view.seats.map((/** @type {any} */ one) => (one.seat === seat ? human : { kind: "bot", bot }));
    const token = held?.token ?? null;
    try {
      const made = await ask(`/v1/games/${view.id}/fork`, { method: "POST", token, body: { version: view.version, seats, ...(running ? { resample: true } : {}) } });
      const mine = made.seats.find((/** @type {any} */ one) => one.seat === seat);
      keepSeat({ game: made.id, kind: view.game, seat, token: mine.token, names: [tx(`bot.${bot}`)], at: Date.now() });
      go(`/play/${made.id}`);
    } catch (problem) {
      setTrouble(problemText(problem));
      setBusy(false);
    }
  }

  return html`<${Dialog} title=${t("fork.title")} close=${close}>
    <p>${t("fork.text")} ${running && t("fork.resample")}</p>
    <label class="field">${t("fork.seat")}
      <select disabled=${running} onChange=${(/** @type {any} */ event) => setSeat(Number(event.target.value))}>
        ${view.seats.map((/** @type {any} */ one) => html`<option value=${one.seat} selected=${one.seat === seat}>${nameOf(view, one.seat, held?.seat ?? null)}</option>`)}
      </select></label>
    <label class="field">${t("fork.bot")}
      <select onChange=${(/** @type {any} */ event) => setBot(event.target.value)}>
        ${bots.map((name) => html`<option value=${name} selected=${name === bot}>${tx(`bot.${name}`)}</option>`)}
      </select></label>
    ${trouble && html`<p class="alert" role="alert">${trouble}</p>`}
    <button class="primary large" disabled=${busy || !bots.length} onClick=${fork}>${t("fork.go")}</button>
  <//>`;
}
