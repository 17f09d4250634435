/** The time that a player has left, by the engine's clock: the browser's may be wrong. */
import { html, useEffect, useMemo, useState } from "../vendor/preact.js";
import { announce } from "../shell/live.js";
import { t } from "../shell/i18n.js";

const SHORT = 20_000; // milliseconds that are shown as running out

/**
 * Stands still while the time of another runs. Of the own time a screen reader is told once that it is short.
 * @param {{clock: any, seat: number, own?: boolean}} props
 */
export function Clock({ clock, seat, own = false }) {
  const running = clock?.deadline && clock.running_seat === seat;
  const end = useMemo(() => (running ? Date.now() + Date.parse(clock.deadline) - Date.parse(clock.now) : 0), [running, clock?.now, clock?.deadline]);
  const [, tick] = useState(0);
  useEffect(() => {
    if (!running) return;
    const timer = setInterval(() => tick((ticks) => ticks + 1), 250);
    return () => clearInterval(timer);
  }, [running]);
  const left = running ? Math.max(0, end - Date.now()) : clock?.remaining_ms[seat];
  const short = running && left < SHORT;
  useEffect(() => {
    if (short && own) announce(t("clock.short", { seconds: Math.ceil(left / 1000) }));
  }, [short]);
  if (left === undefined || left === null) return null;
  return html`<span class=${`clock${running ? " running" : ""}${short ? " short" : ""}`}>
    ${short && html`<svg aria-hidden="true"><use href="#alarm" /></svg>`}<span role="timer" aria-label=${t("clock")}>${shown(left)}</span>
  </span>`;
}

/** @param {number} milliseconds */
function shown(milliseconds) {
  const seconds = Math.ceil(milliseconds / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  if (hours >= 48) return t("clock.days", { count: Math.floor(hours / 24) });
  const two = (/** @type {number} */ number) => String(number).padStart(2, "0");
  return hours ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}
