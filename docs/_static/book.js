// What the pages of the site do by themselves: names for the arrows of the side bar, and keys for what scrolls.

function nameTheArrows() {
  for (const summary of document.querySelectorAll(".bd-sidebar-primary summary:not([aria-label])")) {
    const link = summary.closest("li")?.querySelector("a");
    summary.setAttribute("aria-label", `Pages below ${link ? link.textContent.trim() : "this one"}`);
  }
}

// What is wider than the page scrolls by itself; with the keyboard it can do so only where it can have the focus.
function reachWhatScrolls() {
  for (const block of document.querySelectorAll("table, pre, div.math, .cell_output, mjx-container, main#code")) {
    if (block.scrollWidth > block.clientWidth + 1) {
      block.tabIndex = 0;
    }
  }
}

document.addEventListener("DOMContentLoaded", nameTheArrows);
window.addEventListener("load", () => {
  reachWhatScrolls();
  window.MathJax?.startup?.promise?.then(reachWhatScrolls);
});
window.addEventListener("resize", reachWhatScrolls);
