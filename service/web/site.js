// Documents: the colours that were chosen on the page, a tree that is open where there is room, and code to be copied.
try {
  const theme = localStorage.getItem("migrato.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // this browser keeps nothing
}

addEventListener("DOMContentLoaded", () => {
  document.querySelector(".contents")?.toggleAttribute("open", matchMedia("(min-width: 62rem)").matches);
  /** @type {HTMLElement | null} */
  const here = document.querySelector(".tree [aria-current]");
  here?.closest(".tree")?.scrollTo(0, here.offsetTop - innerHeight / 3);
  for (const code of document.querySelectorAll(".program pre")) code.before(copier(code));
});

/** A button that copies a program; where the browser gives no clipboard, it selects it. @param {Element} code */
function copier(code) {
  const button = document.createElement("button");
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    getSelection()?.selectAllChildren(code);
    const isCopied = await navigator.clipboard?.writeText(code.textContent ?? "").then(() => true, () => false);
    button.textContent = isCopied ? "Copied" : "Selected";
  });
  return button;
}
