/**
 * Cards on their way: each event moves something from where it was to where it goes. Where motion is not wanted, it comes
 * into sight where it goes, and fades.
 */
import { html, useEffect, useLayoutEffect, useRef, useState } from "../vendor/preact.js";

const LAST = 320; // milliseconds of one way
const NEXT = 170; // until the next begins

/** @typedef {{faces: any[], from: string, to: string, word?: string}} Flight what moves, between which places; a word is read meanwhile */
/** @typedef {Flight & {key: number, start: DOMRect, end: DOMRect, delay: number}} Flying */

let flown = 0;

/** @param {{fresh: any[], flightsOf: (event: any) => Flight[], draw: (face: any) => any}} props */
export function Flights({ fresh, flightsOf, draw }) {
  const [flying, setFlying] = useState(/** @type {Flying[]} */ ([]));
  useEffect(() => {
    if (!fresh.length || document.hidden) return;
    const place = (/** @type {string} */ name) => document.querySelector(`[data-place="${name}"]`)?.getBoundingClientRect();
    /** @type {Flying[]} */
    const next = [];
    for (const flight of fresh.slice(-12).flatMap(flightsOf)) {
      const [start, end] = [place(flight.from), place(flight.to)];
      if (start && end && flight.faces.length) next.push({ ...flight, start, end, key: flown++, delay: next.length * NEXT });
    }
    setFlying((before) => [...before, ...next]);
  }, [fresh]);
  const done = (/** @type {number} */ key) => setFlying((before) => before.filter((one) => one.key !== key));
  return html`<div class="flights" aria-hidden="true">${flying.map((one) => html`<${OnItsWay} key=${one.key} flight=${one} done=${done} draw=${draw} />`)}</div>`;
}

/** @param {{flight: Flying, done: (key: number) => void, draw: (face: any) => any}} props */
function OnItsWay({ flight, done, draw }) {
  const element = useRef(/** @type {HTMLElement | null} */ (null));
  const { start, end, delay, faces, word } = flight;
  useLayoutEffect(() => {
    const node = /** @type {HTMLElement} */ (element.current);
    const at = (/** @type {DOMRect} */ rect) => `translate(${rect.left + rect.width / 2}px, ${rect.top + Math.min(rect.height / 2, 90)}px) translate(-50%, -50%)`;
    const shown = word ? 3.2 : 1; // what has to be read stays longer
    const fading = [0, 1, 1, 0].map((opacity) => ({ transform: at(end), opacity }));
    const read = [{ transform: at(start), opacity: 0 }, { transform: at(start), opacity: 1, offset: 0.08 }, { transform: at(start), opacity: 1, offset: 0.75 }, { transform: at(end), opacity: 0.9 }];
    const flying = [{ transform: at(start), opacity: 0 }, { transform: at(start), opacity: 1, offset: 0.06 }, { transform: `${at(end)} scale(.92)`, opacity: 1 }];
    const frames = matchMedia("(prefers-reduced-motion: reduce)").matches ? fading : word ? read : flying;
    const way = node.animate(frames, { duration: LAST * shown, delay, easing: "cubic-bezier(.3,.1,.2,1)", fill: "both" });
    way.onfinish = () => done(flight.key);
    return () => way.cancel();
  }, []);
  return html`<div class="flying" ref=${element}>${faces.slice(0, 5).map((face) => html`<span class="small-card">${draw(face)}</span>`)}${word && html`<b class="flying-word">${word}</b>`}</div>`;
}
