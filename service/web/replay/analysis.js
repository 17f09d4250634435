/** The moves of a game that is over, judged: a curve of each seat's chances of winning, and the moves that mattered. */
import { html, useEffect, useState } from "../vendor/preact.js";
import { ask, Away, pause, Refused } from "../shell/api.js";
import { percent, t } from "../shell/i18n.js";
import { announce } from "../shell/live.js";
import { problemText } from "../shell/problems.js";
import { indexOf } from "./steps.js";

/** @typedef {import("../../../clients/typescript/lib/models.d.ts").Analysis} Judged */
/** @typedef {Judged["points"][number]} Point */
/** @typedef {Judged["swings"][number]} Swing */
/** @typedef {import("./steps.js").Step} Step */
/** @typedef {{moveInWords: (move: any, view: any) => string, reasonInWords: (reason: Point["reasons"][number]) => string}} InWords */

/** What players call a move by what it loses of the chance of winning, the worst first; less has no name. */
const GRADES = /** @type {const} */ ([
  { grade: "blunder", least: 0.2, sign: "??" },
  { grade: "mistake", least: 0.1, sign: "?" },
  { grade: "inaccuracy", least: 0.05, sign: "?!" },
]);
const EVERY = 700; // milliseconds between two questions how far it is
const [WIDTH, HEIGHT] = [1000, 100]; // of the drawing, whose sides are stretched to the page's

/**
 * @param {{game: string, token: string | null, steps: Step[], index: number, to: (index: number) => void,
 *   name: (seat: number) => string} & InWords} props
 */
export function Analysis({ game, token, steps, index, to, moveInWords, reasonInWords, name }) {
  const [judged, setJudged] = useState(/** @type {Judged | null} */ (null));
  const [progress, setProgress] = useState(/** @type {{done: number, of: number} | null} */ (null));
  const [trouble, setTrouble] = useState("");
  const [tries, setTries] = useState(0);
  const [chosen, setChosen] = useState(0); // the version of the move that is explained
  useEffect(() => {
    let ended = false;
    setTrouble("");
    (async () => {
      while (!ended) {
        try {
          const found = await ask(`/v1/games/${game}/analysis`, { token });
          if (ended) return;
          if (found.status === "done") return setJudged(found);
          setProgress(found);
        } catch (problem) {
          const isBusy = problem instanceof Away || (problem instanceof Refused && [429, 503].includes(problem.status));
          if (!isBusy) return setTrouble(problemText(problem));
        }
        await pause(EVERY);
      }
    })();
    return () => void (ended = true);
  }, [tries]);

  if (trouble) {
    return html`<${Frame}><p class="alert" role="alert">${trouble}</p>
      <p><button onClick=${() => setTries(tries + 1)}>${t("analysis.again")}</button></p><//>`;
  }
  if (!judged) {
    const { done, of } = progress ?? { done: 0, of: 1 };
    return html`<${Frame}><label class="field">${t("analysis.progress")}<progress value=${done} max=${of}></progress></label><//>`;
  }
  const points = new Map(judged.points.map((point) => [point.version, point]));
  const swings = [...judged.swings].sort((one, other) => one.version - other.version);
  /** What a swing's move was, with reasons, on the table as it lay before. @param {Swing} swing */
  const wordsFor = (swing) => {
    const point = /** @type {Point} */ (points.get(swing.version));
    const before = steps[indexOf(steps, swing.version) - 1]?.view;
    return explained(swing, point, before, { moveInWords, reasonInWords });
  };
  /** @param {Swing} swing */
  const show = (swing) => {
    setChosen(swing.version);
    to(indexOf(steps, swing.version));
    announce(wordsFor(swing).join(" "));
  };
  return html`<${Frame}>
    <${Graph} judged=${judged} steps=${steps} index=${index} to=${to} name=${name} />
    <p class="hush">${t("analysis.note")} ${!judged.complete && t("analysis.cut")}</p>
    ${swings.length
      ? html`<h3>${t("analysis.moves")}</h3><ol class="swings">${swings.map((swing) => html`<li key=${swing.version} class=${gradeOf(swing)?.grade ?? ""}>
          <button aria-expanded=${swing.version === chosen} onClick=${() => show(swing)}>
            <span class="swing-mark" aria-hidden="true">${gradeOf(swing)?.sign}</span><span>${headOf(swing, name)}</span><span class="hush">${t("analysis.step", { step: indexOf(steps, swing.version) + 1 })}</span></button>
          ${swing.version === chosen && html`<${Explained} swing=${swing} point=${points.get(swing.version)} words=${wordsFor(swing)} />`}
        </li>`)}</ol>`
      : html`<p>${t("analysis.even")}</p>`}
  <//>`;
}

/** @param {{children?: any}} props */
function Frame({ children }) {
  return html`<section class="analysis" aria-label=${t("analysis.title")}><h2>${t("analysis.title")}</h2>${children}</section>`;
}

/** @param {Swing} swing */
const gradeOf = ({ lost }) => GRADES.find(({ least }) => lost >= least);

/** What happened, in a line. @param {Swing} swing @param {(seat: number) => string} name */
function headOf(swing, name) {
  const who = name(swing.seat);
  const graded = gradeOf(swing);
  if (graded) return t("analysis.lost", { who, grade: t(`analysis.${graded.grade}`), share: percent(swing.lost) });
  return t(swing.change > 0 ? "analysis.rose" : "analysis.fell", { who, share: percent(Math.abs(swing.change)) });
}

/** What the move was, what had been better, and why: one sentence each. @param {Swing} swing @param {Point} point @param {any} view before it @param {InWords} inWords */
function explained(swing, point, view, { moveInWords, reasonInWords }) {
  const played = t("analysis.played", { move: moveInWords(point.played, view) });
  if (!point.better || !gradeOf(swing)) return [played, t("analysis.others")];
  return [played, t("analysis.better", { move: moveInWords(point.better, view) }), ...point.reasons.map((reason) => `${reasonInWords(reason)} (${percent(reason.change, { signed: true })})`)];
}

/** @param {{swing: Swing, point: Point, words: string[]}} props */
function Explained({ swing, point, words: [played, verdict, ...reasons] }) {
  const [before, after] = [percent(point.before), percent(gradeOf(swing) ? point.after : point.before + swing.change)];
  return html`<div class="swing-words"><p>${played} ${t("analysis.change", { before, after })}</p><p><b>${verdict}</b></p>
    ${reasons.length > 0 && html`<ul>${reasons.map((reason) => html`<li>${reason}</li>`)}</ul>`}</div>`;
}

/** What a seat has won: all, nothing, or a part of a shared first place. @param {any} result @param {number} seat */
function shareOf({ places }, seat) {
  return places[seat] === 1 ? 1 / places.filter((/** @type {number} */ place) => place === 1).length : 0;
}

/**
 * The curves: what each seat's chances were at each of its decisions, and what its move made of them.
 * @param {{judged: Judged, steps: Step[], index: number, to: (index: number) => void, name: (seat: number) => string}} props
 */
function Graph({ judged, steps, index, to, name }) {
  const last = /** @type {Step} */ (steps.at(-1));
  const { seats, result, version: end } = last.view;
  const x = (/** @type {number} */ version) => (WIDTH * version) / end;
  const y = (/** @type {number} */ share) => HEIGHT * (1 - share);
  const names = seats.map((/** @type {any} */ seat) => name(seat.seat));
  const line = (/** @type {number} */ seat) => {
    const of = judged.points.filter((point) => point.seat === seat).flatMap(({ position, version, before, after }) => [[position, before], [version, after]]);
    if (result && judged.complete && of.length) of.push([end, shareOf(result, seat)]);
    return of.map(([version = 0, share = 0]) => `${x(version).toFixed(1)},${y(share).toFixed(2)}`).join(" ");
  };
  const at = x(/** @type {Step} */ (steps[index]).version);
  const pressed = (/** @type {any} */ event) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    to(indexOf(steps, Math.round((end * (event.clientX - left)) / width)));
  };
  const points = new Map(judged.points.map((point) => [point.version, point]));
  return html`<figure class="graph">
    <figcaption class="row">${names.map((/** @type {string} */ one, /** @type {number} */ seat) => html`<span><svg class=${`sample curve-${seat}`} viewBox="0 0 30 6" aria-hidden="true"><path d="M0 3h30" /></svg> ${one}</span>`)}
      ${GRADES.map(({ grade, sign }) => html`<span class=${grade}><span class="swing-mark" aria-hidden="true">${sign}</span> ${t(`analysis.${grade}`)}</span>`)}</figcaption>
    <div class="plot">
      <p class="scale" aria-hidden="true"><span>${percent(1)}</span><span>${percent(0.5)}</span><span>${percent(0)}</span></p>
      <svg viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label=${t("analysis.picture", { names: names.join(", ") })} onClick=${pressed}>
        <path class="grid" d=${`M0 0H${WIDTH}M0 ${HEIGHT / 2}H${WIDTH}M0 ${HEIGHT}H${WIDTH}`} />
        <path class="now" d=${`M${at} 0V${HEIGHT}`} />
        ${seats.map((/** @type {any} */ { seat }) => html`<polyline class=${`curve-${seat}`} points=${line(seat)} />`)}
        ${judged.swings.map((swing) => {
          const point = /** @type {Point} */ (points.get(swing.version));
          return html`<path class=${gradeOf(swing) ? "dot mistake-dot" : "dot"} d=${`M${x(swing.version)} ${y(point.after)}h0`} />`;
        })}
      </svg>
    </div>
  </figure>`;
}
