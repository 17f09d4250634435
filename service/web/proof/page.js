/** The proof: the browser checks a game's export by itself, and says step by step what that proves and what not. */
import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { ask, Away, Refused, refusal, SLOW } from "../shell/api.js";
import { language, t, tx } from "../shell/i18n.js";
import { isolated } from "../shell/isolated.js";
import { announce } from "../shell/live.js";
import { problemText } from "../shell/problems.js";
import { bytesOf } from "./lines.js";
import { stepOf, stepsOf } from "./steps.js";
import { translator } from "./translation.js";
import { Unreadable, Unsupported, verify } from "./verify.js";

/** @typedef {import("./verify.js").Report} Report */
/** @typedef {{name: string, bytes: Uint8Array<ArrayBuffer> | null}} File `bytes` are there once they are read */
/** @typedef {{report: Report, steps: import("./steps.js").Step[]} | {unreadable: string} | {unsupported: true} | {trouble: string}} Outcome */

const MARKS = { passed: "✓", partly: "◐", failed: "✗", "not-checked": "–" };

/** A file of one's own, without a game. */
export default function ProofPage() {
  useEffect(() => void (document.title = t("proof.title")));
  return html`<div class="proof"><${Proof} game=${null} token=${null} look=${() => {}} /></div>`;
}

/** @param {string} game @param {string | null} token */
const exported = (game, token) => fetch(`/v1/games/${game}/export`, { cache: "no-store", signal: AbortSignal.timeout(SLOW), headers: token ? { Authorization: `Bearer ${token}` } : {} });

/** @param {string} game @param {string | null} token */
async function bytesOfGame(game, token) {
  try {
    let answer = await exported(game, token);
    if (answer.status === 401 && token) answer = await exported(game, null); // the seat is lost, but the game may be public
    if (!answer.ok) throw await refusal(answer);
    return answer.body ? await bytesOf(answer.body) : new Uint8Array();
  } catch (problem) {
    throw problem instanceof TypeError ? new Away() : problem;
  }
}

/** @param {globalThis.File} file */
async function bytesOfFile(file) {
  try {
    return await bytesOf(file.stream());
  } catch (problem) {
    throw problem instanceof DOMException ? new Unreadable("The file cannot be read.") : problem; // a folder, or it is gone
  }
}

/** @param {unknown} problem @returns {Outcome} what comes of a check that came to nothing */
function failure(problem) {
  if (problem instanceof Unreadable) return { unreadable: problem.message };
  if (problem instanceof Unsupported) return { unsupported: true };
  if (problem instanceof Refused || problem instanceof Away) return { trouble: problemText(problem) };
  reportError(problem);
  return { trouble: t("proof.broken") };
}

/**
 * @param {{game: string | null, token: string | null, look: (version: number) => void}} props `game`: which is fetched
 *   at once; `look` shows the game at a version
 */
export function Proof({ game, token, look }) {
  const [file, setFile] = useState(/** @type {File | null} */ (null));
  const [own, setOwn] = useState(false); // a file of the reader's own
  const [progress, setProgress] = useState(/** @type {{done: number, of: number} | null} */ (null));
  const [outcome, setOutcome] = useState(/** @type {Outcome | null} */ (null));
  const run = useRef(0);

  useEffect(() => {
    if (game) void fetched(game);
    return () => void run.current++;
  }, [game]);

  /** @param {string} id */
  async function fetched(id) {
    setOwn(false);
    await check(`${id}.ndjson`, () => bytesOfGame(id, token));
  }

  /** @param {globalThis.File | undefined} chosen */
  async function dropped(chosen) {
    if (!chosen) return;
    setOwn(true);
    await check(chosen.name, () => bytesOfFile(chosen));
  }

  /** @param {string} name @param {() => Promise<Uint8Array<ArrayBuffer>>} read */
  async function check(name, read) {
    const mine = ++run.current; // what an earlier run comes to is not shown any more
    setOutcome(null);
    setProgress(null);
    setFile({ name, bytes: null });
    try {
      const bytes = await read();
      if (run.current === mine) setFile({ name, bytes });
      const report = await verify(bytes, { trusted: await published(), progress: meter(mine) });
      if (run.current === mine) conclude({ report, steps: stepsOf(report) });
    } catch (problem) {
      if (run.current === mine) conclude(failure(problem));
    }
  }

  /** Shows how far it is, and lets the page be drawn meanwhile. @param {number} mine */
  function meter(mine) {
    let shown = performance.now();
    return async (/** @type {number} */ done, /** @type {number} */ of) => {
      if (run.current !== mine) throw new Stopped();
      if (performance.now() - shown < 30) return;
      setProgress({ done, of });
      await new Promise((drawn) => setTimeout(drawn));
      shown = performance.now();
    };
  }

  /** @param {Outcome} next */
  function conclude(next) {
    setOutcome(next);
    setProgress(null);
    announce("report" in next ? t(`proof.${verdictOf(next.report)}`) : "trouble" in next ? next.trouble : t("proof.unreadable"));
  }

  const files = html`<${Drop} dropped=${dropped}>
    <div class="row">
      ${file?.bytes && html`<${Download} name=${file.name} bytes=${file.bytes} />`}
      ${game && own && html`<button onClick=${() => fetched(game)}>${t("proof.this")}</button>`}
    </div>
  <//>`;
  return html`
    <h1>${t("proof.title")}</h1>
    <p>${t("proof.intro")}</p>
    ${!game && files}
    ${own && file && html`<p class="hush">${t("proof.file", { name: isolated(file.name) })}</p>`}
    ${!outcome && (game || file) && html`<${Meter} progress=${progress} wrong=${null} />`}
    ${outcome && html`<${Conclusion} outcome=${outcome} look=${own ? null : look} />`}
    ${outcome && "report" in outcome && html`
      <h2>${t("proof.steps")}</h2>
      <ol class="proof-steps">${outcome.steps.map((step) => html`<${StepLine} key=${step.id} step=${step} wrong=${outcome.report.wrong} />`)}</ol>
      <p class="hush"><${Said} text=${outcome.report.remarks} /></p>
      ${outcome.report.verdict !== "failed" && html`<${Signer} signer=${outcome.report.signer} />`}
      ${game && !own && html`<${EnginesWord} game=${game} token=${token} />`}`}
    ${game && files}
  `;
}

class Stopped extends Error {}

/** What a check says, in the reader's language. @param {{text: string}} props */
function Said({ text }) {
  const [say, setSay] = useState(() => (/** @type {string} */ english) => english);
  const code = language();
  useEffect(() => void translator(code).then((found) => setSay(() => found)), [code]);
  return say(text);
}

/** The keys that this engine publishes. @returns {Promise<Record<string, string>>} */
async function published() {
  const answer = await ask("/.well-known/migrato-keys.json").catch(() => null);
  const keys = Array.isArray(answer?.keys) ? answer.keys : [];
  return Object.fromEntries(keys.map((/** @type {any} */ key) => [key?.kid, key?.x]));
}

/** Where files are dropped. @param {{dropped: (file: globalThis.File | undefined) => void, children?: any}} props */
function Drop({ dropped, children }) {
  const [over, setOver] = useState(false);
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  /** @param {DragEvent} event @param {boolean} now */
  const drag = (event, now) => {
    event.preventDefault();
    setOver(now);
  };
  /** @param {DragEvent} event */
  const drop = (event) => {
    drag(event, false);
    dropped(event.dataTransfer?.files[0]);
  };
  return html`<section class=${`drop${over ? " over" : ""}`} aria-label=${t("proof.own")} onDragOver=${(/** @type {DragEvent} */ event) => drag(event, true)} onDragLeave=${(/** @type {DragEvent} */ event) => drag(event, false)} onDrop=${drop}>
    <p>${t("proof.drop")}</p>
    <div class="row">
      <button onClick=${() => input.current?.click()}>${t("proof.choose")}</button>
      <input ref=${input} type="file" class="unseen" tabindex="-1" aria-label=${t("proof.choose")} accept=".ndjson,.jsonl,.json,.txt" onChange=${(/** @type {any} */ event) => (dropped(event.target.files[0]), (event.target.value = ""))} />
      ${children}
    </div>
  </section>`;
}

/** @param {{name: string, bytes: Uint8Array<ArrayBuffer>}} props */
function Download({ name, bytes }) {
  const [address, setAddress] = useState("");
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([bytes], { type: "application/x-ndjson" }));
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [bytes]);
  return html`<a class="button" href=${address} download=${name}>${t("proof.download")}</a>`;
}

/** How far it is, or where it fails. @param {{progress: {done: number, of: number} | null, wrong: {at: number, of: number} | null}} props */
function Meter({ progress, wrong }) {
  const share = wrong ? wrong.at / wrong.of : progress ? progress.done / progress.of : 0;
  const text = progress ? t("proof.progress", progress) : t("proof.fetching");
  const bar = html`<svg class="chain-meter" viewBox="0 0 400 10" preserveAspectRatio="none" aria-hidden="true">
    <rect class="meter" width="400" height="10" rx="3" /><rect class="meter-full" width=${400 * share} height="10" rx="3" />
    ${wrong && html`<rect class="meter-wrong" x=${Math.max(0, 400 * share - 5)} width="5" height="10" />`}
  </svg>`;
  if (wrong) return bar;
  return html`<div role="progressbar" aria-valuemin="0" aria-valuemax="100" aria-valuenow=${Math.round(100 * share)} aria-label=${text}>${bar}</div><p class="hush">${text}</p>`;
}

/** A file without this engine's signature agrees with itself, and proves nothing else. @param {Report} report */
const verdictOf = ({ verdict, signer }) => (verdict === "passed" && !signer?.trusted ? "unproven" : verdict);

/** @param {{outcome: Outcome, look: ((version: number) => void) | null}} props */
function Conclusion({ outcome, look }) {
  if ("trouble" in outcome) return html`<p class="alert" role="alert">${outcome.trouble}</p>`;
  if ("unsupported" in outcome) return Verdict({ state: "partly", title: t("proof.unsupported"), text: t("proof.unsupported.text") });
  if ("unreadable" in outcome) return Verdict({ state: "failed", title: t("proof.unreadable"), text: html`<${Said} text=${outcome.unreadable} />` });
  const { wrong, events } = outcome.report;
  if (!wrong) {
    const verdict = verdictOf(outcome.report);
    const state = verdict === "passed" ? "passed" : "partly";
    return Verdict({ state, title: t(`proof.${verdict}`), text: tx(`proof.${verdict}.text`, { events }) });
  }
  const { version } = wrong;
  return Verdict({
    state: "failed",
    title: t("proof.failed"),
    text: version === null ? t("proof.failed.file") : t("proof.failed.at", { version, events }),
    children: html`
      ${version !== null && html`<${Meter} progress=${null} wrong=${{ at: version, of: Math.max(events, version) }} />`}
      ${version !== null && look && html`<p><button onClick=${() => look(version)}>${t("proof.look")}</button></p>`}`,
  });
}

/** @param {{state: "passed" | "partly" | "failed", title: string, text: any, children?: any}} props */
function Verdict({ state, title, text, children = null }) {
  return html`<section class=${`verdict ${state}`}>
    <span class="mark" aria-hidden="true">${MARKS[state]}</span>
    <div><h2>${title}</h2><p>${text}</p>${children}</div>
  </section>`;
}

/** @param {{step: import("./steps.js").Step, wrong: import("./findings.js").Wrong | null}} props */
function StepLine({ step: { id, status, count, notes }, wrong }) {
  const here = wrong && stepOf(wrong.check) === id ? wrong : null;
  const state = t(wrong ? `proof.until.${status}` : `proof.state.${status}`);
  const checked = count > 0 && (status === "passed" || status === "partly") ? `, ${t("proof.count", { count })}` : "";
  return html`<li class=${status}>
    <span class="mark" aria-hidden="true">${MARKS[status]}</span>
    <div>
      <h3>${t(`proof.${id}`)} <small class="hush">${state}${checked}</small></h3>
      ${here && html`<${Fault} wrong=${here} />`}
      ${(!wrong || here) && html`<p>${t(`proof.${id}.proves`)}</p>`}
      ${!wrong && html`<p class="hush">${t("proof.not")} ${t(`proof.${id}.not`)}</p>`}
      ${!wrong && id !== "rules" && notes.length > 0 && html`<p class="note hush">${notes.map((note, at) => html`${at > 0 && "; "}<${Said} text=${note} />`)}</p>`}
    </div>
  </li>`;
}

/** @param {{wrong: import("./findings.js").Wrong}} props */
function Fault({ wrong }) {
  return html`<div class="fault">
    <p class="alert">${wrong.version === null ? "" : `#${wrong.version}: `}<${Said} text=${wrong.detail} /></p>
    <dl>
      ${wrong.expected !== null && html`<dt>${t("proof.expected")}</dt><dd><code>${wrong.expected}</code></dd>`}
      ${wrong.found !== null && html`<dt>${t("proof.found")}</dt><dd><code>${wrong.found}</code></dd>`}
    </dl>
  </div>`;
}

/** @param {{signer: Report["signer"]}} props */
function Signer({ signer }) {
  const key = signer?.key_id ?? "";
  const text = !signer ? t("proof.signer.none") : t(signer.trusted ? "proof.signer.trusted" : "proof.signer.stranger", { key });
  return html`<h2>${t("proof.signer")}</h2><p class=${signer && !signer.trusted ? "alert" : ""}>${text}</p>`;
}

/** The engine's own audit, which knows the rules. @param {{game: string, token: string | null}} props */
function EnginesWord({ game, token }) {
  const [said, setSaid] = useState("");
  const [busy, setBusy] = useState(false);
  const query = async () => {
    setBusy(true);
    try {
      const audit = await ask(`/v1/games/${game}/audit`, { token, patient: true, within: SLOW });
      const moves = audit.checks.find((/** @type {any} */ one) => one.check === "rules")?.count ?? 0;
      if (audit.wrong) setSaid(t("proof.engine.failed", { detail: audit.wrong.detail }));
      else setSaid(audit.verdict === "incomplete" ? t("proof.engine.running") : t("proof.engine.passed", { moves }));
    } catch (problem) {
      setSaid(problemText(problem));
    }
    setBusy(false);
  };
  const [before, after] = t("proof.engine.text", { command: "\n" }).split("\n");
  return html`<h2>${t("proof.engine")}</h2>
    <p>${before}<code>migrato verify ${game}.ndjson</code>${after}</p>
    <p class="row" aria-live="polite">${said || html`<button disabled=${busy} onClick=${query}>${t("proof.engine.ask")}</button>`}</p>`;
}
