/** The tutorial: eight turns at a table, one for each thing that a player has to know. No engine is asked for them. */
import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { Refused } from "../shell/api.js";
import { announce } from "../shell/live.js";
import { t } from "../shell/i18n.js";
import { Link } from "../shell/navigation.js";
import { problemText } from "../shell/problems.js";
import MigratoTable, { sentence } from "../migrato/table.js";
import { nameOf } from "../play/names.js";
import { COMMON, LESSONS } from "./lessons.js";

/** @typedef {(typeof LESSONS)[number]} Lesson */
/** @typedef {import("./lessons.js").Moment} Moment */

const ME = 0;

export default function Learn() {
  const number = Math.min(LESSONS.length, Math.max(1, Number(location.hash.slice(1)) || 1));
  const [times, setTimes] = useState(1);
  return html`<${Turn} key=${times} number=${number} again=${() => setTimes(times + 1)} />`;
}

/** @param {{number: number, again: () => void}} props */
function Turn({ number, again }) {
  const lesson = /** @type {Lesson} */ (LESSONS[number - 1]);
  const [moment, setMoment] = useState(lesson.begin);
  const [fresh, setFresh] = useState(/** @type {any[]} */ ([]));
  const [trouble, setTrouble] = useState(/** @type {unknown} */ (null));
  useEffect(() => void (document.title = t("learn.title")), []);
  const view = { ...COMMON, ...moment.view };

  /** @param {any} move */
  async function send({ discard, ...action }) {
    setTrouble(null);
    const acted = after(moment, action);
    const next = discard ? after(acted, { type: "discard", card: discard }) : acted;
    const events = discard ? [...acted.events, ...next.events] : next.events;
    setMoment(next);
    setFresh(events);
    const context = { me: ME, view, name: (/** @type {number} */ seat) => nameOf(view, seat, ME) };
    for (const line of events.map((/** @type {any} */ event) => sentence(event, context))) if (line) announce(line);
    return true;
  }

  /** @param {unknown} problem */
  function complain(problem) {
    setTrouble(problem);
    announce(problemText(problem));
  }

  const words = html`<${Words} lesson=${lesson} number=${number} done=${view.to_act !== ME} again=${again} trouble=${trouble} />`;
  const legal = Object.keys(moment.moves).map((move) => JSON.parse(move));
  const frame = { version: view.version, view, legal_moves: legal };
  return html`<${MigratoTable} frame=${frame} me=${ME} log=${[]} fresh=${fresh} last=${[]} busy=${false} send=${send} preview=${async (/** @type {any} */ move) => after(moment, move)} hint=${async () => null} complain=${complain} lesson=${words} />`;
}

/** What a move leads to; one that the lesson is not about is refused. @param {Moment} moment @param {any} move */
function after({ moves }, move) {
  const found = moves[JSON.stringify(move)];
  if (!found) throw new Refused(422, { code: "illegal-move" });
  return found;
}

/** @param {{lesson: Lesson, number: number, done: boolean, again: () => void, trouble: unknown}} props */
function Words({ lesson: { id }, number, done, again, trouble }) {
  const next = useRef(/** @type {HTMLElement | null} */ (null));
  const last = number === LESSONS.length;
  useEffect(() => {
    if (!done) return announce(`${t(`learn.${id}.text`)} ${t(`learn.${id}.do`, { exchange: t("do.exchange") })}`);
    announce(t(`learn.${id}.done`));
    next.current?.querySelector("a")?.focus({ preventScroll: true });
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
