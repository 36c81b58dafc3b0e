// How a figure gets onto its page, and how tests reach it.

const HERE = typeof document === "undefined" ? null : document.currentScript;

// Starts the figure in every element with data-live="name", and keeps its parts at window.rbdlib.live[name].
export function publish(name, parts) {
  if (typeof document === "undefined") return;
  window.rbdlib ??= {};
  window.rbdlib.live ??= {};
  if (window.rbdlib.live[name]) return;
  window.rbdlib.live[name] = { ...parts, figures: [] };
  style();
  const begin = () => {
    for (const element of document.querySelectorAll(`[data-live="${name}"]`)) {
      window.rbdlib.live[name].figures.push(parts.start(element));
    }
  };
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", begin);
  else begin();
}

// The style sheet beside this script, once.
function style() {
  const address = new URL("live.css", HERE?.src ?? location.href).href;
  if ([...document.styleSheets].some(sheet => sheet.href === address)) return;
  const link = document.createElement("link");
  Object.assign(link, { rel: "stylesheet", href: address });
  document.head.append(link);
}
