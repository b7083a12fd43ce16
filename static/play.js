"use strict";

// The play page: what answers at once, what waits, and what is said where one looks.

const byId = (id) => document.getElementById(id);

// Squares stay the same nodes over a swap, so that their colours can move.  What is being dragged
// keeps its own value.

Idiomorph.defaults.callbacks.beforeAttributeUpdated = (name, node) =>
  !(name === "value" && node.matches(":active"));

// Another text is a new one, where it stands: it did not come from where the old one stood.

Idiomorph.defaults.callbacks.beforeNodeMorphed = (old, fresh) => {
  if (!fresh.matches?.(".value, .note") || old.textContent === fresh.textContent) return true;
  old.replaceChildren(fresh.textContent);
  return false;
};

// A pressed square answers before the server does.

function ghost(cell) {
  const { moves } = cell.closest(".board").dataset;
  if (!moves || cell.querySelector(".mark")) return;
  cell.insertAdjacentHTML("beforeend",
    `<svg class="mark ghost" viewBox="0 0 24 24" aria-hidden="true"><use href="#mark-${moves.toLowerCase()}"/></svg>`);
  cell.classList.add("ghosted");
}

function unghost() {
  for (const cell of document.querySelectorAll(".ghosted")) {
    cell.classList.remove("ghosted");
    cell.querySelector(".ghost")?.remove();
  }
}

document.addEventListener("htmx:beforeRequest", ({ target }) => {
  if (target.matches("#board .cell")) ghost(target);
});
document.addEventListener("htmx:afterSwap", () => {
  for (const cell of document.querySelectorAll(".ghosted:not(:has(.ghost))")) cell.classList.remove("ghosted");
});

// What a square holds is said where the eye is, in a line that is always there, and not in a
// bubble over its neighbours.

function more(cell) {
  if (cell.title) {
    cell.ariaDescription = cell.title;
    cell.removeAttribute("title");
  }
  return cell.ariaDescription;
}
const caption = (text) => {
  const line = byId("caption");
  line.dataset.usual ??= line.textContent;
  line.textContent = text ?? line.dataset.usual;
};
for (const [enter, leave] of [["mouseover", "mouseout"], ["focusin", "focusout"]]) {
  document.addEventListener(enter, ({ target }) => {
    const cell = target.closest?.("#board .cell");
    if (cell && more(cell)) caption(more(cell));
  });
  document.addEventListener(leave, ({ target }) => {
    if (target.closest?.("#board .cell")) caption();
  });
}

// What moves by itself: it starts paused for those who asked for less motion.

document.addEventListener("DOMContentLoaded", () => {
  const stop = byId(document.querySelector("[data-moving]")?.dataset.moving);
  if (still() && stop?.href) location.replace(stop.href);
});

document.addEventListener("htmx:configRequest", ({ target, detail }) => {
  if (target.id !== "seating" || !still() || document.querySelector("[data-moving]")) return;
  detail.parameters.set("pause", "1");
});

// It waits while a list is open, a slider held, a sheet over the page, or the page out of sight.

const HELD = "input[type=range]:active, [popover]:popover-open, "
  + ".table:has([data-moving]) #tab-why:checked";
const OPEN = CSS.supports("selector(:open)") ? "select:open, " : "";
const holding = () => document.hidden || document.querySelector(OPEN + HELD);
const ENDS = ["change", "blur", "click", "keyup", "toggle", "pointerup", "visibilitychange"];

document.addEventListener("htmx:confirm", (event) => {
  if (!event.target.matches("[hx-trigger^=load]") || !holding()) return;
  event.preventDefault();
  const resume = () => setTimeout(() => {
    if (holding()) return;
    for (const end of ENDS) document.removeEventListener(end, resume, true);
    if (event.target.isConnected) event.detail.issueRequest(true);
  });
  for (const end of ENDS) document.addEventListener(end, resume, true);
});

// The slider says at once where it is; the board follows.

document.addEventListener("input", ({ target: slider }) => {
  const mark = slider.list?.options[slider.value]?.label;
  if (!mark) return;
  slider.ariaValueText = mark;
  byId(slider.dataset.says).textContent = mark;
});

// The form shows what the game is played with, wherever that came from: it is in the address.

const USUAL = { lens: "", errors: "", epsilon: "0", delay: "1", hide: "0", keep: "0" };

function choose() {
  const { elements } = byId("settings");
  const chosen = new URLSearchParams(location.search);
  for (const [name, usual] of Object.entries(USUAL)) {
    const value = chosen.get(name) || usual;
    if (elements[name].type === "checkbox") elements[name].checked = value === "1";
    else elements[name].value = value;
  }
}

byId("settings").reset(); // Firefox keeps fields over a reload, and may mistake one for another

let focused = false;
document.addEventListener("htmx:beforeSwap", () => { focused = document.activeElement !== document.body; });
document.addEventListener("htmx:afterSettle", () => {
  if (focused && document.activeElement === document.body) byId("main").focus({ preventScroll: true });
  choose();
  document.title = `${document.querySelector(".headline").textContent} · Q-Tac-Toe`;
  const last = document.querySelector("#board .last");
  if (last && byId("tell").checked && !byId("status").textContent) {
    byId("status").textContent = last.ariaLabel;
  }
  fill();
});

// Panels that cost the server something are asked for when they are looked at.

let shownFor = "";
let asked = false; // then the panel may take the focus

function fill(cell) {
  const tab = document.querySelector("[name=tab]:checked").value;
  if (!byId("game").dataset.panels.split(" ").includes(tab)) return;
  const query = new URLSearchParams(location.search);
  if (cell) query.set("cell", cell);
  const address = `${location.pathname.replace("/play", `/${tab}`)}?${query}`;
  if (shownFor === address) return;
  shownFor = address;
  htmx.ajax("GET", address, { source: `#panel-${tab}`, target: `#${tab}`, swap: "outerHTML" });
}

document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  if (detail.target.id !== "why") return;
  if (!asked) detail.serverResponse = detail.serverResponse.replace(" autofocus", "");
  asked = false;
});

// Why that square, which has the focus, has its value.
document.addEventListener("shortcut", (event) => {
  const { cell, control, key } = event.detail;
  if (key !== "w") return;
  event.preventDefault();
  control.checked = asked = true;
  shownFor = "";
  fill(cell?.matches("#board .cell:not(.taken)") ? cell.id.at(-1) : undefined);
});
document.addEventListener("click", ({ target }) => { asked ||= Boolean(target.closest?.("#why a")); });

const wide = matchMedia("(min-width: 56rem) and (min-height: 37.5rem)");
if (wide.matches) byId("tab-moves").checked = true;
document.addEventListener("change", ({ target }) => {
  if (target.name === "tab") fill();
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || event.defaultPrevented || wide.matches) return;
  const back = document.querySelector("[name=tab]:checked");
  if (back.value !== "none") {
    byId("tab-none").checked = true;
    back.blur();
  }
});
document.addEventListener("click", ({ target }) => {
  // A tab pressed again closes its sheet.
  const tab = byId(target.closest?.(".tabs label")?.htmlFor);
  if (tab?.dataset.open && !wide.matches) setTimeout(() => { byId("tab-none").checked = true; });
});
document.addEventListener("pointerdown", ({ target }) => {
  for (const tab of document.querySelectorAll("[name=tab]")) delete tab.dataset.open;
  const tab = byId(target.closest?.(".tabs label")?.htmlFor);
  if (tab?.checked) tab.dataset.open = "1";
});

// The seat that was pressed is the one to fill; the link shown is the one that holds now.

document.addEventListener("click", async ({ target }) => {
  const seat = target.closest?.("[data-seat]")?.dataset.seat;
  if (seat) byId(`seat-of-${seat}`).checked = true;
  if (!target.closest?.("#share")) return;
  const link = byId("share-link");
  link.value = location.href;
  link.select();
  try {
    await navigator.clipboard.writeText(link.value);
    byId("share-said").textContent = "Copied. Whoever opens it sees this very board.";
  } catch {
    byId("share-said").textContent = "Copy the link above. Whoever opens it sees this very board.";
  }
});

// A server that cannot be reached, or something before it that cannot: said by the board, with a
// way to try again.  What goes on by itself tries by itself, ever more slowly.

let failures = 0;

function failed({ detail: { xhr, elt, pathInfo } }) {
  unghost();
  if (xhr?.status >= 400 && xhr.status <= 500) return; // the answer itself says what is wrong
  const again = () => htmx.ajax("GET", pathInfo.requestPath, { source: elt });
  const notice = byId("notice");
  notice.innerHTML = '<span>The server did not answer.</span><button class="button" type="button" id="retry">Retry</button>';
  byId("retry").addEventListener("click", again);
  if (!elt.matches("[hx-trigger^=load]")) return;
  failures += 1;
  const timer = setTimeout(() => { if (byId("retry")) again(); }, Math.min(1000 * 2 ** failures, 30000));
  byId("retry").addEventListener("click", () => clearTimeout(timer));
}

for (const failure of ["htmx:sendError", "htmx:responseError", "htmx:timeout"]) {
  document.addEventListener(failure, failed);
}
document.addEventListener("htmx:afterOnLoad", () => { failures = 0; });
