/** An invitation: its code stands after the `#`, which a browser sends to nobody. */
import { html, useEffect, useState } from "../vendor/preact.js";
import { t } from "../shell/i18n.js";
import { go } from "../shell/navigation.js";
import { seatIn } from "../shell/seats.js";
import { problemText } from "../shell/problems.js";
import { Trouble } from "../shell/trouble.js";
import { sitDown } from "./creating.js";
import { NameField } from "./name.js";

/** @param {{params: string[]}} props */
export default function Join({ params: [game = ""] }) {
  const [seat = "", invite = ""] = location.hash.slice(1).split(/\.(.*)/s);
  const [trouble, setTrouble] = useState(/** @type {unknown} */ (null));
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    document.title = t("join.title");
    if (seatIn(game)) go(`/play/${game}`, { replace: true });
  }, []);
  if (!/^\d$/.test(seat) || !invite) return Trouble({ title: t("join.bad"), text: t("join.bad.text") });

  async function sit() {
    setBusy(true);
    try {
      await sitDown(game, Number(seat), invite);
      go(`/play/${game}`, { replace: true });
    } catch (problem) {
      setTrouble(problem);
      setBusy(false);
    }
  }

  return html`<section class="narrow panel join">
    <svg class="trouble-bird" aria-hidden="true"><use href="#brant_goose" /></svg>
    <h1>${t("join.head")}</h1>
    <p>${t("join.text")}</p>
    <${NameField} />
    ${trouble && html`<p class="alert" role="alert">${problemText(trouble)}</p>`}
    <button class="primary large" disabled=${busy} onClick=${sit}>${t("join.sit")}</button>
  </section>`;
}
