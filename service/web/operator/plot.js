/** A figure with its course so far, as a small plot. */
import { html } from "../vendor/preact.js";
import { language, t } from "../shell/i18n.js";

const [WIDTH, HEIGHT] = [120, 30];
export const KEPT = 60; // readings in a plot

/** @type {Record<import("./metrics.js").Unit, Intl.NumberFormatOptions & {per?: number}>} `per`: how many make one of the unit */
const UNITS = {
  number: { maximumFractionDigits: 0 },
  rate: { style: "unit", unit: "second", maximumFractionDigits: 1 },
  milliseconds: { style: "unit", unit: "millisecond", maximumFractionDigits: 1 },
  seconds: { style: "unit", unit: "second", maximumFractionDigits: 1 },
  bytes: { style: "unit", unit: "megabyte", maximumFractionDigits: 1, per: 1e6 },
};

/** @param {number | null} value @param {import("./metrics.js").Unit} unit */
function written(value, unit) {
  if (value === null) return "–";
  const { per = 1, ...format } = UNITS[unit];
  if (unit === "rate") return t("operator.rate", { value: value.toLocaleString(language(), { maximumFractionDigits: 1 }) });
  return (value / per).toLocaleString(language(), format);
}

/** @param {{name: string, unit?: import("./metrics.js").Unit, values: (number | null)[], shown?: string, label?: string}} props `values`: the oldest first; null where there was nothing to measure; `shown` and `label`: the figure and what the plot says, where these are not of the last value and the course */
export function Plot({ name, unit = "number", values, shown, label }) {
  const there = values.filter((value) => value !== null);
  const most = Math.max(...there, 0);
  const [low, high] = [Math.min(...there), most].map((value) => written(value, unit));
  const kept = label ? values.length : KEPT;
  const x = (/** @type {number} */ at) => (WIDTH * (kept - values.length + at)) / (kept - 1);
  const y = (/** @type {number} */ value) => HEIGHT - 1 - ((HEIGHT - 2) * value) / (most || 1);
  const points = values.flatMap((value, at) => (value === null ? [] : [`${x(at).toFixed(1)},${y(value).toFixed(1)}`]));
  return html`<div class="figure">
    <dt>${name}</dt>
    <dd><b>${shown ?? written(values.at(-1) ?? null, unit)}</b>
      <svg viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label=${label ?? (there.length ? t("operator.course", { name, low: low ?? "", high: high ?? "" }) : t("operator.nothing", { name }))}>
        <path class="ground" d=${`M0 ${HEIGHT - 1}H${WIDTH}`} /><polyline points=${points.join(" ")} />
      </svg></dd>
  </div>`;
}
