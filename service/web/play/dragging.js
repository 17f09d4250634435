/** Dragging a card from the hand onto a place: the same as picking it and tapping the place. */
import { useRef } from "../vendor/preact.js";

const FAR = 9; // pixels that make a drag of a press

/** @param {{take: (index: number) => void, drop: (target: string) => void, root: import("../vendor/preact.js").Ref<HTMLElement | null>}} how */
export function draggable({ take, drop, root }) {
  const drag = useRef(/** @type {null | {x: number, y: number, index: number, ghost: HTMLElement | null, card: HTMLElement}} */ (null));
  const dropped = useRef(drop);
  dropped.current = drop;

  /** @param {PointerEvent} event */
  function down(event) {
    const card = event.target instanceof Element ? /** @type {HTMLElement | null} */ (event.target.closest(".hand-card")) : null;
    if (!card || event.button !== 0 || !event.isPrimary) return;
    drag.current = { x: event.clientX, y: event.clientY, index: Number(card.dataset.card), ghost: null, card };
  }

  /** @param {PointerEvent} event */
  function move(event) {
    const held = drag.current;
    if (!held) return;
    if (!held.ghost) {
      if (Math.hypot(event.clientX - held.x, event.clientY - held.y) < FAR) return;
      take(held.index);
      held.ghost = /** @type {HTMLElement} */ (/** @type {Element} */ (held.card.querySelector("svg")).cloneNode(true));
      held.ghost.classList.add("ghost");
      held.ghost.style.width = `${held.card.clientWidth}px`;
      document.body.append(held.ghost);
      root.current?.setPointerCapture?.(event.pointerId);
    }
    held.ghost.style.left = `${event.clientX}px`;
    held.ghost.style.top = `${event.clientY}px`;
    event.preventDefault();
  }

  /** @param {PointerEvent} event */
  function up(event) {
    const held = drag.current;
    drag.current = null;
    if (!held?.ghost) return;
    held.ghost.remove();
    const below = document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-target]");
    addEventListener("click", (click) => click.stopPropagation(), { capture: true, once: true });
    setTimeout(() => below instanceof HTMLElement && below.dataset.target && dropped.current(below.dataset.target), 0);
  }

  return { onPointerDown: down, onPointerMove: move, onPointerUp: up, onPointerCancel: () => (drag.current?.ghost?.remove(), (drag.current = null)) };
}
