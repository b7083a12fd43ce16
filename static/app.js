"use strict";

// Everything here is a convenience: without it the site works, by links and forms.

// Boxes that are remembered; a browser may refuse to store anything.

const storage = {
  get(name) {
    try { return localStorage.getItem(name); } catch { return null; }
  },
  set(name, value) {
    try { localStorage.setItem(name, value); } catch { /* then it is not remembered */ }
  },
};

for (const box of document.querySelectorAll("[data-remember]")) {
  const remembered = storage.get(box.id);
  if (remembered) box.checked = remembered === "on";
  box.addEventListener("change", () => storage.set(box.id, box.checked ? "on" : "off"));
}

// Keys, while the board has the focus.

const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

function moveFocus(cell, [down, right]) {
  const row = Number(cell.dataset.row) + down;
  const column = Number(cell.dataset.column) + right;
  const board = cell.closest(".board");
  board.querySelector(`[data-row="${row}"][data-column="${column}"]`)?.focus();
}

function press(cell, key) {
  const help = document.getElementById("keys");
  if (key === "?" && help) {
    help.parentElement.open = true;
    help.focus();
    return true;
  }
  const wanted = `[data-key="${CSS.escape(key)}"]`;
  const board = cell.closest(".board");
  const control = board.querySelector(wanted) ?? document.querySelector(`:not(.cell)${wanted}`);
  if (key === "w" && control?.href) {
    // Not why the best move has its value, but the one that has the focus.
    const address = new URL(control.href);
    address.searchParams.set("cell", cell.id.at(-1));
    htmx.ajax("GET", address.pathname + address.search, { source: control, target: "#why", swap: "outerHTML" });
  } else {
    control?.click();
  }
  return control !== null;
}

document.addEventListener("keydown", (event) => {
  const cell = event.target.closest?.(".cell");
  if (!cell || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key in STEPS) {
    moveFocus(cell, STEPS[event.key]);
    event.preventDefault();
  } else if (document.getElementById("shortcuts")?.checked && press(cell, event.key)) {
    event.preventDefault();
  }
});

// What moves by itself: it starts paused for those who asked for less motion, and whoever they
// seat does not begin.

const still = matchMedia("(prefers-reduced-motion: reduce)");

document.addEventListener("DOMContentLoaded", () => {
  const stop = document.getElementById(document.querySelector("[data-moving]")?.dataset.moving);
  if (still.matches && stop?.href) location.replace(stop.href);
});

document.addEventListener("htmx:configRequest", ({ target, detail }) => {
  const { x, o } = target.elements ?? {};
  if (!still.matches || !x || !o || document.querySelector("[data-moving]")) return;
  if (x.value !== "human" && o.value !== "human") detail.parameters.set("pause", "1");
});

// It waits while a list is open or a slider held, which it would take away, and stops for whoever
// asks why.

document.addEventListener("htmx:confirm", (event) => {
  if (!event.target.matches("[hx-trigger^=load]")) return;
  if (document.querySelector("#why.panel")) event.preventDefault();
  if (event.defaultPrevented || !CSS.supports("selector(:open)")) return;
  const held = document.querySelector("select:open, input[type=range]:active");
  if (!held) return;
  event.preventDefault();
  const ends = ["change", "blur", "click", "keyup"];
  const resume = () => {
    if (held.matches(":open, :active")) return;
    for (const end of ends) held.removeEventListener(end, resume);
    event.detail.issueRequest();
  };
  for (const end of ends) held.addEventListener(end, resume);
});

// The slider says at once where it is; the board follows.

document.addEventListener("input", (event) => {
  const slider = event.target;
  const mark = slider.list?.options[slider.value]?.label;
  if (!mark) return;
  slider.ariaValueText = mark;
  document.getElementById(slider.dataset.says).textContent = mark;
});

// The form shows what the game is played with, wherever that came from.

function choose(settings) {
  const { elements } = document.getElementById("settings") ?? {};
  for (const [name, value] of new URLSearchParams(elements ? settings : "")) {
    if (elements[name].type === "checkbox") elements[name].checked = value === "1";
    else elements[name].value = value;
  }
}

// What was unfolded stays so when the page moves on, the focus is not lost with what had it, and
// the title says what is shown.

let unfolded = [];
let focused = false;
document.addEventListener("htmx:beforeSwap", () => {
  unfolded = [...document.querySelectorAll("#main details[open]")].map((details) => details.id);
  focused = document.activeElement !== document.body;
});
document.addEventListener("htmx:afterSwap", () => {
  for (const id of unfolded) document.getElementById(id)?.setAttribute("open", "");
  choose(document.getElementById("position")?.dataset.settings);
});
document.addEventListener("htmx:afterSettle", () => {
  if (focused && document.activeElement === document.body) {
    document.getElementById("main").focus({ preventScroll: true });
  }
  const headline = document.querySelector("#game .headline")?.textContent;
  if (headline) document.title = `${headline} · Q-Tac-Toe`;
});

// A server that cannot be reached, or something before it that cannot.

for (const failure of ["htmx:sendError", "htmx:responseError"]) {
  document.addEventListener(failure, (event) => {
    const { status } = event.detail.xhr;
    if (status >= 400 && status <= 500) return; // the answer itself says what is wrong
    document.getElementById("notice").textContent =
      "The server did not answer. Try again, or reload the page.";
  });
}
