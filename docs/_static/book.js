// What the pages of the site do by themselves: names for what has none, and keys and room for what scrolls.

function nameTheArrows() {
  for (const summary of document.querySelectorAll(".bd-sidebar-primary summary:not([aria-label])")) {
    const link = summary.closest("li")?.querySelector("a");
    summary.setAttribute("aria-label", `Pages below ${link ? link.textContent.trim() : "this one"}`);
  }
}

// A button's name is what it shows: the name that the theme gives it is another one.
function nameTheSearch() {
  for (const button of document.querySelectorAll(".search-button-field[aria-label]")) {
    button.removeAttribute("aria-label");
  }
}

// On a phone, pictures in a row would be too small to see: they keep some width and scroll (book.css).
function keepWideFigures() {
  for (const image of document.querySelectorAll(".cell_output img")) {
    image.classList.toggle("wide-figure", image.naturalWidth > 2.2 * image.naturalHeight);
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

// Whoever closes a menu or the search goes on where it was opened: the theme loses that place.
function rememberWhatOpens() {
  let opener = null;
  document.addEventListener("click", (event) => {
    opener = event.target.closest("dialog") ? opener : event.target.closest("button");
  }, true);
  const goBack = () => document.activeElement === document.body && opener?.focus();
  for (const dialog of document.querySelectorAll("dialog")) {
    dialog.addEventListener("close", () => setTimeout(goBack));
  }
}

// A page from a folder cannot read the others: there the search shows titles alone.
if (location.protocol === "file:" && typeof DOCUMENTATION_OPTIONS !== "undefined") {
  DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
}

// The words below a hit of the search are those of the page, not of its menus.
function searchWithoutMenus() {
  if (typeof Search === "undefined") {
    return;
  }
  const textOf = Search.htmlToText;
  Search.htmlToText = (text, anchor) => {
    const page = new DOMParser().parseFromString(text, "text/html");
    for (const menu of page.querySelectorAll(".bd-header-article, .bd-sidebar-secondary, .onlyprint, footer")) {
      menu.remove();
    }
    return textOf(page.documentElement.outerHTML, anchor);
  };
}

document.addEventListener("DOMContentLoaded", () => {
  nameTheArrows();
  nameTheSearch();
  rememberWhatOpens();
  searchWithoutMenus();
});
window.addEventListener("load", () => {
  keepWideFigures();
  reachWhatScrolls();
  window.MathJax?.startup?.promise?.then(reachWhatScrolls);
});
window.addEventListener("resize", reachWhatScrolls);
