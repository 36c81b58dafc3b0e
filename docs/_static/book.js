// What the pages of the site do by themselves: names for what has none, and keys and room for what scrolls.

const SCROLLING = "table, pre, div.math, .cell_output, .output, mjx-container, main#code";
const LONG_CELL = 40;                                      // letters
const WIDE = 950;                                          // dots of a picture

function nameTheArrows() {
  for (const summary of document.querySelectorAll(".bd-sidebar-primary summary:not([aria-label])")) {
    const link = summary.closest("li")?.querySelector("a");
    summary.setAttribute("aria-label", `Pages below ${link ? link.textContent.trim() : "this one"}`);
  }
}

// A button's name is what it shows: the name that the theme gives it is another one. So it is with folded cells.
function nameTheSearch() {
  for (const button of document.querySelectorAll(".search-button-field[aria-label], details.hide summary[aria-label]")) {
    button.removeAttribute("aria-label");
  }
}

// On a phone, large pictures and those in a row would be too small to read: they keep some width and scroll (book.css).
function keepWideFigures() {
  for (const image of document.querySelectorAll(".cell_output img")) {
    const { naturalWidth, naturalHeight } = image;             // none of a picture that is still to come
    const width = image.getAttribute("width") ?? naturalWidth, height = image.getAttribute("height") ?? naturalHeight;
    image.classList.toggle("wide-figure", width > WIDE || width > 2.2 * height);
  }
}

// What is wider than the page scrolls by itself; with the keyboard it can do so only where it can have the focus.
function reachWhatScrolls() {
  for (const block of document.querySelectorAll(SCROLLING)) {
    if (block.scrollWidth > block.clientWidth + 1) {
      block.tabIndex = 0;
      block.addEventListener("scroll", showThatItGoesOn, { passive: true });
    }
    showThatItGoesOn({ target: block });
  }
}

// The end of what scrolls is faded (book.css) until it has been reached; but not sentences that stand above a picture.
function showThatItGoesOn({ target: block }) {
  const left = block.scrollWidth - block.clientWidth - block.scrollLeft;
  const hasSentences = block.matches(".cell_output, .output") && block.textContent.trim() !== "";
  const scrolls = left > 8 && getComputedStyle(block).overflowX !== "visible";
  block.classList.toggle("goes-on", scrolls && !hasSentences);
}

// A table that is too wide for a phone scrolls anyway: there, cells with sentences are wide enough to read.
function widenLongCells() {
  for (const table of document.querySelectorAll(".bd-article table")) {
    if (table.scrollWidth <= table.clientWidth + 1) continue;
    for (const cell of table.querySelectorAll("td")) {
      cell.classList.toggle("long-cell", cell.textContent.length > LONG_CELL);
    }
  }
}

// A full stop stays with the formula before it, an opening bracket with the formula after it.
function keepPunctuation() {
  for (const formula of document.querySelectorAll(".bd-article span.math")) {
    const before = formula.previousSibling, after = formula.nextSibling;
    const end = after?.nodeType === Node.TEXT_NODE ? after.data.match(/^[.,;:!?)\]]+/)?.[0] : "";
    const start = before?.nodeType === Node.TEXT_NODE ? before.data.match(/[([]+$/)?.[0] : "";
    if (!start && !end) continue;
    const together = document.createElement("span");
    together.className = "kept-together";
    formula.before(together);
    together.append(start ?? "", formula, end ?? "");
    if (start) before.data = before.data.slice(0, -start.length);
    if (end) after.data = after.data.slice(end.length);
  }
}

// A film has a button that stops it. Where the reader's system asks for less motion, films begin stopped.
function stopFilms() {
  for (const film of document.querySelectorAll('.bd-article img[alt*="; an animation of"]')) {
    if (film.complete && film.naturalWidth) addButton(film);
    else film.addEventListener("load", () => addButton(film), { once: true });
  }
}

function addButton(film) {
  const still = document.createElement("canvas"), button = document.createElement("button");
  [still.width, still.height] = [film.naturalWidth, film.naturalHeight];
  still.setAttribute("role", "img");
  still.setAttribute("aria-label", film.alt);
  still.className = "film-still";
  button.className = "film-button";
  const show = (moving) => {
    if (!moving) still.getContext("2d").drawImage(film, 0, 0);
    [film.hidden, still.hidden] = [!moving, moving];
    button.textContent = moving ? "Stop" : "Play";
  };
  button.addEventListener("click", () => show(film.hidden));
  film.after(still, button);
  show(!matchMedia("(prefers-reduced-motion: reduce)").matches);
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
  keepPunctuation();
});
window.addEventListener("load", () => {
  keepWideFigures();
  stopFilms();
  widenLongCells();
  reachWhatScrolls();
  window.MathJax?.startup?.promise?.then(reachWhatScrolls);
});
window.addEventListener("resize", reachWhatScrolls);
// Pictures wait until a reader is there: then all of them are fetched, so that a page is printed with its last ones, too.
function fetchPictures() {
  for (const image of document.querySelectorAll("img[loading=lazy]")) image.loading = "eager";
}
for (const sign of ["scroll", "pointermove", "keydown", "touchstart", "beforeprint"]) {
  window.addEventListener(sign, fetchPictures, { once: true, passive: true });
}
