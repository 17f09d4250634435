/** The tutorial: eight turns at a real table, one for each thing that a player has to know. */
import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { Link, Trouble } from "../shell/app.js";
import { ask, Refused, without } from "../shell/api.js";
import { announce } from "../shell/live.js";
import { t } from "../shell/i18n.js";
import { problemText } from "../shell/problems.js";
import MigratoTable, { sentence } from "../migrato/table.js";
import { nameOf } from "../play/names.js";
import { deckOf, LESSONS, movesBefore, movesWanted } from "./lessons.js";

/** @typedef {import("./lessons.js").Lesson} Lesson */
/** @typedef {import("../shell/stream.js").Frame} Frame */
/** @typedef {{id: string, tokens: string[]}} Begun */

const ME = 0;

export default function Learn() {
  const number = Math.min(LESSONS.length, Math.max(1, Number(location.hash.slice(1)) || 1));
  const [times, setTimes] = useState(1);
  return html`<${Turn} key=${times} number=${number} again=${() => setTimes(times + 1)} />`;
}

/** @param {{number: number, again: () => void}} props */
function Turn({ number, again }) {
  const lesson = /** @type {Lesson} */ (LESSONS[number - 1]);
  const [frame, setFrame] = useState(/** @type {Frame | null} */ (null));
  const [fresh, setFresh] = useState(/** @type {any[]} */ ([]));
  const [busy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState(/** @type {unknown} */ (null));
  const begun = useRef(/** @type {Begun | null} */ (null));

  useEffect(() => {
    document.title = t("learn.title");
    let here = true;
    begin(lesson, (game) => (begun.current = game)).then(
      (first) => here && setFrame(first),
      (problem) => here && setTrouble(problem),
    );
    return () => {
      here = false;
      if (begun.current) void leave(begun.current);
    };
  }, []);

  if (trouble instanceof Refused && [401, 403].includes(trouble.status)) return Trouble({ title: t("learn.title"), text: t("home.needs.key") });
  if (trouble && !frame) return Trouble({ title: t("trouble.title"), text: problemText(trouble), reload: true });
  if (!frame || !begun.current) return html`<h1 class="unseen">${t("learn.title")}</h1><p class="waiting" role="status">${t("loading")}</p>`;

  const { id, tokens } = begun.current;
  const path = `/v1/games/${id}`;
  const { view } = frame;
  const done = view.to_act !== ME;

  /** @param {any} move */
  async function send(move) {
    setBusy(true);
    setTrouble(null);
    try {
      const answer = await ask(`${path}/moves`, { method: "POST", token: tokens[ME] ?? null, body: move, match: view.version });
      setFrame(await frameOf(/** @type {Begun} */ (begun.current)));
      setFresh(answer.events);
      const context = { me: ME, view: answer.game, name: (/** @type {number} */ seat) => nameOf(answer.game, seat, ME) };
      for (const line of answer.events.map((/** @type {any} */ event) => sentence(event, context))) if (line) announce(line);
      return true;
    } catch (problem) {
      complain(problem);
      return false;
    } finally {
      setBusy(false);
    }
  }

  /** @param {unknown} problem */
  function complain(problem) {
    setTrouble(problem);
    announce(problemText(problem));
  }

  const preview = (/** @type {any} */ move) => ask(`${path}/moves?dry_run=true`, { method: "POST", token: tokens[ME] ?? null, body: move, key: "" });
  const words = html`<${Words} lesson=${lesson} number=${number} done=${done} again=${again} trouble=${trouble} />`;
  const lit = { ...frame, legal_moves: movesWanted(lesson, frame.legal_moves ?? []) };
  return html`<${MigratoTable} frame=${lit} me=${ME} log=${[]} fresh=${fresh} busy=${busy} send=${send} preview=${preview} hint=${async () => null} complain=${complain} lesson=${words} />`;
}

/** @param {{lesson: Lesson, number: number, done: boolean, again: () => void, trouble: unknown}} props */
function Words({ lesson: { id }, number, done, again, trouble }) {
  const next = useRef(/** @type {HTMLElement | null} */ (null));
  const last = number === LESSONS.length;
  useEffect(() => {
    if (!done) return announce(`${t(`learn.${id}.text`)} ${t(`learn.${id}.do`, { exchange: t("do.exchange") })}`);
    announce(t(`learn.${id}.done`));
    next.current?.querySelector("a")?.focus();
  }, [done]);
  return html`<section class="lesson" aria-label=${t("learn.title")}>
    <p class="lesson-count"><span>${t("learn.step", { number, count: LESSONS.length })}</span>
      <span class="lesson-dots" aria-hidden="true">${LESSONS.map((_, index) => html`<i class=${index < number - (done ? 0 : 1) ? "learnt" : ""}></i>`)}</span>
      ${!done && html`<span class="lesson-ways">
        ${number > 1 && html`<${Link} to=${`/learn#${number - 1}`}>${t("learn.before")}<//>`}
        <${Link} to=${last ? "/" : `/learn#${number + 1}`}>${t("learn.skip")}<//>
      </span>`}</p>
    <h1>${t(`learn.${id}.title`)}</h1>
    <p>${t(`learn.${id}.text`)}</p>
    ${done ? html`<p class="lesson-done">${t(`learn.${id}.done`)}</p>` : html`<p class="lesson-do">${t(`learn.${id}.do`, { exchange: t("do.exchange") })}</p>`}
    ${trouble && html`<p class="alert">${problemText(trouble)}</p>`}
    ${done && html`<p class="row" ref=${next}>
      <${Link} class="button primary" to=${last ? "/" : `/learn#${number + 1}`}>${t(last ? "learn.play" : "learn.next")}<//>
      <button onClick=${again}>${t("learn.again")}</button>
    </p>`}
  </section>`;
}

/** A game that has come to where the lesson begins. @param {Lesson} lesson @param {(game: Begun) => void} keep @returns {Promise<Frame>} */
async function begin(lesson, keep) {
  const seats = [{ kind: "human" }, { kind: "human" }];
  const body = { game: "migrato", seats, options: { first_seat: lesson.first }, setup: { deck: deckOf(lesson) } };
  const created = await ask("/v1/games", { method: "POST", body });
  const game = { id: created.id, tokens: created.seats.map((/** @type {any} */ seat) => seat.token) };
  keep(game);
  let seat = lesson.first;
  for (const move of movesBefore(lesson)) {
    await ask(`/v1/games/${game.id}/moves`, { method: "POST", token: game.tokens[seat], body: move });
    seat = seat ? 0 : 1;
  }
  return frameOf(game);
}

/** @param {Begun} game @returns {Promise<Frame>} */
async function frameOf({ id, tokens }) {
  const token = tokens[ME] ?? null;
  const view = await ask(`/v1/games/${id}`, { token, patient: true });
  const legal = view.to_act === ME ? (await ask(`/v1/games/${id}/legal-moves`, { token, patient: true })).moves : null;
  return { version: view.version, view, legal_moves: legal };
}

/** The lesson is over, or left: so is its game. @param {Begun} game */
const leave = ({ id, tokens }) => ask(`/v1/games/${id}/moves`, { method: "POST", token: tokens[1] ?? null, body: { type: "resign" } }).catch(without(null));
