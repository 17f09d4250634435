/** The least height of a frame at which nothing of the table is cut off, told to the page around it whenever it changes. */
import { useEffect } from "../vendor/preact.js";
import { tell } from "./messages.js";

const SHOWN = ".table, .trouble, .waiting-room"; // what is worth a size

/** Measured with the smallest cards, so that it does not depend on the height that the frame has. */
function leastHeight() {
  const { documentElement: root } = document;
  root.dataset.measured = "";
  const height = Math.ceil(document.getElementById("app")?.getBoundingClientRect().height ?? 0);
  delete root.dataset.measured;
  return height;
}

export function useSize() {
  useEffect(() => {
    let before = 0;
    let waiting = 0;
    const look = () => {
      waiting = 0;
      if (!document.querySelector(SHOWN)) return;
      const height = leastHeight();
      if (height !== before) tell({ type: "migrato:size", height });
      before = height;
    };
    const later = () => (waiting ||= requestAnimationFrame(look));
    const changes = new MutationObserver(later);
    changes.observe(/** @type {Node} */ (document.getElementById("app")), { childList: true, subtree: true, attributes: true });
    addEventListener("resize", later);
    later();
    return () => (changes.disconnect(), removeEventListener("resize", later), cancelAnimationFrame(waiting));
  }, []);
}
