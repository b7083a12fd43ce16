"use strict";

// Everything here is a convenience: without it the site works, by links and forms.

for (const box of document.querySelectorAll("[data-remember]")) {
  box.checked = localStorage.getItem(box.id) === "yes" || (box.checked && !localStorage.getItem(box.id));
  box.addEventListener("change", () => localStorage.setItem(box.id, box.checked ? "yes" : "no"));
}

const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

function moveFocus(board, cell, [down, right]) {
  const row = Number(cell.dataset.row) + down;
  const column = Number(cell.dataset.column) + right;
  board.querySelector(`[data-row="${row}"][data-column="${column}"]`)?.focus();
}

function press(key) {
  if (key === "?") {
    document.getElementById("keys").parentElement.open = true;
    return true;
  }
  const control = document.querySelector(`[data-key="${CSS.escape(key)}"]`);
  control?.click();
  return control !== null;
}

document.addEventListener("keydown", (event) => {
  const cell = event.target.closest?.(".cell");
  if (!cell || event.ctrlKey || event.metaKey || event.altKey) return;
  const board = cell.closest(".board");
  if (event.key in STEPS) {
    moveFocus(board, cell, STEPS[event.key]);
    event.preventDefault();
  } else if (document.getElementById("shortcuts")?.checked && press(event.key)) {
    event.preventDefault();
  }
});

document.addEventListener("htmx:sendError", () => {
  document.getElementById("notice").textContent =
    "The server did not answer. Try again in a moment.";
});
