"use strict";

// The site also works without this script, by links and forms.

const SAYS = JSON.parse(document.body.dataset.says); // texts of the scripts, in the language of the page

// Remembered checkboxes. Browsers can refuse to store anything.

const storage = {
  get(name) {
    try { return localStorage.getItem(name); } catch { return null; }
  },
  set(name, value) {
    try { localStorage.setItem(name, value); } catch { /* not remembered */ }
  },
};

for (const box of document.querySelectorAll("[data-remember]")) {
  const name = box.type === "radio" ? box.name : box.id;
  const remembered = storage.get(name);
  if (remembered) box.checked = remembered === (box.type === "radio" ? box.id : "on");
  box.addEventListener("change", () => {
    storage.set(name, box.type === "radio" ? box.id : box.checked ? "on" : "off");
  });
}

// On a phone the rows of links in the header scroll sideways: the current link is in view, and arrows show
// on which sides there are more.

for (const link of document.querySelectorAll(".rooms > [aria-current]")) {
  const [own, row] = [link, link.parentElement].map((each) => each.getBoundingClientRect());
  link.parentElement.scrollLeft += own.left + own.width / 2 - row.left - row.width / 2;
}

function markSides(row) {
  row.classList.toggle("before", row.scrollLeft > 1);
  row.classList.toggle("after", row.scrollLeft + row.clientWidth < row.scrollWidth - 1);
}

for (const row of document.querySelectorAll(".rooms")) {
  new ResizeObserver(() => markSides(row)).observe(row); // also at once
  row.addEventListener("scroll", () => markSides(row));
}

// A button deletes all other data that pages keep in this browser.

document.getElementById("forget")?.addEventListener("click", ({ target }) => {
  for (const name of ["streak", "result", "solved", "taught", "learner"]) storage.set(name, "");
  target.disabled = true;
});

// The header offers the language of the browser. A change of language keeps the position and the settings.

const offer = document.querySelector(`#languages [lang="${navigator.language.slice(0, 2)}"]:not([aria-current])`);
if (offer) document.getElementById("language").before(offer.cloneNode(true));

document.addEventListener("click", ({ target }) => {
  if (!target.matches?.("[lang][hreflang]")) return;
  const here = new URL(location);
  here.searchParams.set("hl", target.lang);
  target.href = here;
});

// Without autoplay, or with reduced motion in the settings of the device, nothing moves automatically.

const reduced = matchMedia("(prefers-reduced-motion: reduce)");
const still = () => reduced.matches || document.getElementById("still")?.checked;

// Keys: arrows move between squares, single keys click the control with this key, but not while typing.

const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
const FIELDS = "input:not([type=checkbox], [type=radio], [type=range]), select, textarea";

function moveFocus(cell, [down, right]) {
  const row = Number(cell.dataset.row) + down;
  const column = Number(cell.dataset.column) + right;
  cell.closest(".board").querySelector(`[data-row="${row}"][data-column="${column}"]`)?.focus();
}

function keyed(cell, key) {
  const wanted = `[data-key="${CSS.escape(key)}"]`;
  const board = cell?.closest(".board") ?? document.getElementById("board");
  return board?.querySelector(wanted) ?? document.querySelector(`:not(.cell)${wanted}`);
}

document.addEventListener("keydown", (event) => {
  const { target, key } = event;
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  const cell = target.closest?.(".cell");
  if (cell && key in STEPS) {
    moveFocus(cell, STEPS[key]);
    event.preventDefault();
    return;
  }
  // Keys keep the meaning that the focused element gives them.
  if (target.closest(FIELDS) || (key in STEPS && target.closest("input, .scroll, .panels"))) return;
  if (key === " " && target.closest("button, input, summary, label")) return;
  if (document.querySelector("[popover]:popover-open") || !document.getElementById("shortcuts")?.checked) return;
  const control = keyed(cell, key);
  if (!control) return;
  event.preventDefault();
  if (!document.dispatchEvent(new CustomEvent("shortcut", { cancelable: true, detail: { cell, control, key } }))) return;
  control.click();
});

// A click closes its menu, with a delay because htmx still needs the clicked button.

document.addEventListener("click", ({ target }) => {
  const sheet = target.closest?.(".sheet a[href], .sheet [type=submit]")?.closest(".sheet");
  if (sheet) setTimeout(() => sheet.hidePopover());
});

// A click copies the content of a field, or only selects it if the browser forbids copying. On a
// phone a button with `data-share` opens its list of ways to send a text.

document.addEventListener("click", async ({ target }) => {
  const id = target.closest?.("[data-copy]")?.dataset.copy;
  if (!id) return;
  const field = document.getElementById(id);
  if ("share" in target.dataset && navigator.share && matchMedia("(pointer: coarse)").matches) {
    navigator.share({ text: field.value }).catch(() => {}); // the visitor may close the list
    return;
  }
  field.select();
  let [said, selected] = SAYS;
  try {
    await navigator.clipboard.writeText(field.value);
  } catch {
    said = selected;
  }
  document.getElementById(field.dataset.said ?? `${id}-said`).textContent = said;
});

// A failed request shows a toast with Retry. Automatic requests are retried automatically, with
// increasing delays.

const FAILURES = ["htmx:sendError", "htmx:responseError", "htmx:timeout"];
let failures = 0;
let last; // element of the last failed request
const inLine = new WeakMap(); // element -> timer of its next request

function failed({ detail: { xhr, requestConfig: { elt }, pathInfo } }) {
  last = elt;
  const notice = document.getElementById("notice");
  const again = () => htmx.ajax("GET", pathInfo.requestPath, { source: elt }).catch(() => {});
  const later = xhr?.getResponseHeader("Retry-After"); // set while a training waits in the queue
  if (later) inLine.set(elt, setTimeout(() => elt.isConnected && again(), 1000 * later));
  if (!notice || later || (xhr?.status >= 400 && xhr.status <= 500)) return; // the response explains the error
  notice.innerHTML = `<span>${SAYS[2]}</span><button class="button" type="button" id="retry">${SAYS[3]}</button>`;
  const retry = document.getElementById("retry");
  retry.addEventListener("click", again);
  if (!elt.matches("[hx-trigger^=load]")) return;
  failures += 1;
  const timer = setTimeout(() => { if (retry.isConnected) again(); }, Math.min(1000 * 2 ** failures, 30000));
  retry.addEventListener("click", () => clearTimeout(timer));
}

for (const failure of FAILURES) document.addEventListener(failure, failed);
document.addEventListener("htmx:beforeRequest", ({ detail }) => clearTimeout(inLine.get(detail.elt)));
document.addEventListener("htmx:afterOnLoad", (event) => {
  const { xhr, requestConfig: { elt }, successful } = event.detail;
  if (xhr.status === 202) return failed(event); // no error, but not yet an answer either
  // A successful automatic request, or one of a passing pointer, removes only the notice of its own.
  if (!successful || (elt !== last && elt.matches("[hx-trigger^=load], #line"))) return;
  failures = 0;
  document.getElementById("notice")?.replaceChildren();
});
