/** The end of a game: the result, how it came about, and what to do next. */
import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { ask, pause } from "../shell/api.js";
import { announce } from "../shell/live.js";
import { isKey, t, tx } from "../shell/i18n.js";
import { go, Link } from "../shell/navigation.js";
import { problemText } from "../shell/problems.js";
import { keepSeat } from "../shell/seats.js";
import { nameOf } from "./names.js";
import { RatingChange } from "./rating_change.js";
import { Unrated } from "./unrated.js";

/** @param {{view: any, me: number, seat: import("../shell/seats.js").Seat | null, children?: any}} props */
export function Ending({ view, me, seat, children }) {
  const [asked, setAsked] = useState(false);
  const [trouble, setTrouble] = useState("");
  const { result } = view;
  const head = headline(view, me);
  const here = useRef(true);
  useEffect(() => {
    announce(head);
    scrollTo(0, 0);
    return () => void (here.current = false);
  }, []);

  /** @param {import("../shell/seats.js").Seat} seat */
  async function again(seat) {
    setAsked(true);
    try {
      while (here.current) {
        const { match } = await ask(`/v1/games/${seat.game}/rematch`, { method: "POST", token: seat.token });
        if (match?.token) {
          keepSeat({ game: match.id, kind: seat.kind, seat: match.seat, token: match.token, names: seat.names, at: Date.now() });
          return go(`/play/${match.id}`);
        }
        await pause(1500);
      }
    } catch (problem) {
      setTrouble(problemText(problem));
      setAsked(false);
    }
  }

  return html`<section class=${`ending ${result?.winner === me ? "won" : ""}`} aria-label=${t("ending")}>
    <h2>${head}</h2>
    ${result && html`<p class="hush">${why(view, me)}</p>`}
    ${!view.aborted && html`<${Unrated} game=${view} />`}
    ${!view.aborted && html`<${RatingChange} view=${view} me=${me} token=${seat?.token ?? null} />`}
    ${children}
    ${trouble && html`<p class="alert" role="alert">${trouble}</p>`}
    ${seat && html`<p class="row">
      ${!view.aborted && html`<button class="primary" disabled=${asked} onClick=${() => again(seat)}>${t(asked ? "ending.waiting" : "ending.rematch")}</button>`}
      <${Link} class="button" to=${`/games/${seat.game}`}>${t("ending.replay")}<//>
      <${Link} class="button" to=${`/games/${seat.game}#proof`}>${t("ending.prove")}<//>
      <${Link} class="button quiet" to="/">${t("ending.new")}<//>
    </p>`}
  </section>`;
}

/** How it came about; it is another thing for whoever gave up, or ran out of time. @param {any} view @param {number} me */
function why({ result: { reason, winner } }, me) {
  const lost = winner !== null && winner !== me;
  return tx(lost && isKey(`reason.${reason}.me`) ? `reason.${reason}.me` : `reason.${reason}`);
}

/** @param {any} view @param {number} me */
function headline({ result, seats, ...view }, me) {
  if (!result) return t("ending.aborted");
  const first = result.winner ?? me;
  const score = [result.scores[first], ...result.scores.filter((/** @type {number} */ _, /** @type {number} */ seat) => seat !== first)].join(" : ");
  if (result.winner === null) return t("ending.draw", { score });
  return result.winner === me ? t("ending.won", { score }) : t("ending.lost", { who: nameOf({ seats, ...view }, result.winner, me), score });
}
