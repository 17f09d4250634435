/** Where the places of a layout lie: columns or pyramids, as the rules number them. */

/** @param {any} view @returns {{shape: "ropes" | "pyramids", groups: number[][][]}} groups of rows of places, as they are drawn */
export function layoutOf(view) {
  const large = view.seats.length > 2 || view.options.layout_size === "large";
  const { layout } = view.state;
  if (layout === "ropes") return { shape: "ropes", groups: counted([large ? [7, 6, 5, 4, 3] : [6, 5, 4, 3]]) };
  if (layout === "pyramid") return { shape: "pyramids", groups: counted([large ? [7, 6, 5, 4, 3] : [6, 5, 4, 3]]) };
  return { shape: "pyramids", groups: counted(large ? [[4, 3, 2], [3, 2, 1], [4, 3, 2]] : [[3, 2, 1], [3, 2, 1], [3, 2, 1]]) };
}

/** @param {number[][]} groups */
function counted(groups) {
  let next = 0;
  return groups.map((rows) => rows.map((length) => Array.from({ length }, () => next++)));
}
