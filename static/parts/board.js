"use strict";

// A board to play on, on any page: immediate feedback and delayed replies.

const byId = (id) => document.getElementById(id);

// A swap keeps the nodes of the squares, so that their colours change smoothly. A slider keeps its
// value during a drag, and if it has moved since its request.

const askedFor = new WeakMap(); // slider -> its value at the time of the request
document.addEventListener("htmx:configRequest", ({ target }) => askedFor.set(target, target.value));
document.addEventListener("htmx:afterRequest", ({ detail }) => askedFor.delete(detail.elt));
Idiomorph.defaults.callbacks.beforeAttributeUpdated = (name, node) =>
  !(name === "value" && (node.matches(":active") || (askedFor.has(node) && askedFor.get(node) !== node.value)));

// A changed text replaces the old text in place, without an animation.

Idiomorph.defaults.callbacks.beforeNodeMorphed = (old, fresh) => {
  const alike = old.className === fresh.className; // a star does not become a note
  if (!alike || !fresh.matches?.(".value, .note") || old.textContent === fresh.textContent) return true;
  old.replaceChildren(fresh.textContent);
  return false;
};

// A clicked square shows the mark before the server responds.

function ghost(cell) {
  const { moves } = cell.closest(".board").dataset;
  if (!moves || cell.querySelector(".mark")) return;
  cell.insertAdjacentHTML("beforeend",
    `<svg class="mark ghost" viewBox="0 0 24 24" aria-hidden="true"><use href="#mark-${moves.toLowerCase()}"/></svg>`);
  cell.classList.add("ghosted");
  cell.closest(".board").classList.add("held");
}

function unghost() {
  for (const cell of document.querySelectorAll(".ghosted")) {
    cell.closest(".board").classList.remove("held");
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

// The response to a move contains the reply of the agent, which is shown after a pause. Until then
// the request counts as pending.

document.addEventListener("htmx:configRequest", ({ target, detail }) => {
  detail.path = target.dataset.reply ?? detail.path;
});
document.addEventListener("htmx:beforeSend", ({ target, detail: { xhr } }) => {
  if (!target.dataset.reply) return;
  const { onload } = xhr;
  const seen = performance.now() + Number(target.closest("[data-pause]").dataset.pause);
  xhr.onload = () => setTimeout(() => {
    if (xhr.readyState === XMLHttpRequest.DONE) onload.call(xhr); // not aborted
  }, seen - performance.now());
});

// If a swap removes the focused element, the focus moves to the top of the board.

let focused = false;
document.addEventListener("htmx:beforeSwap", () => { focused = document.activeElement !== document.body; });
document.addEventListener("htmx:afterSettle", () => {
  if (focused && document.activeElement === document.body) byId("main").focus({ preventScroll: true });
});

// With reduced motion, automatic play starts paused.

document.addEventListener("DOMContentLoaded", () => {
  const stop = byId(document.querySelector("[data-moving]")?.dataset.moving);
  if (still() && stop?.href) location.replace(stop.href);
});

// Automatic play waits during an open list, a held slider or an open sheet, and on a hidden page.

const HELD = "input[type=range]:active, [popover]:popover-open, "
  + "[data-pinned], .table:has([data-moving]) #tab-why:checked";
const OPEN = CSS.supports("selector(:open)") ? "select:open, " : "";
const holding = () => document.hidden || document.querySelector(OPEN + HELD);
const ENDS = ["change", "blur", "click", "keyup", "toggle", "pointerup", "visibilitychange", "line:close"];

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

for (const failure of FAILURES) document.addEventListener(failure, unghost);
