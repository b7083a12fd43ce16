"use strict";

// The page that takes a table: a form, which htmx sends as soon as there is a table, to show how it
// is read.  Here a file is dropped, values are drawn on a board, and texts are copied.

const byId = (id) => document.getElementById(id);
const [form, table, file] = ["bring", "table", "file"].map(byId);

// A table is a text or a file: what was there before goes.

table.addEventListener("input", () => {
  file.value = "";
  file.setCustomValidity("");
});
file.addEventListener("change", () => {
  const isTooLarge = file.files.length && file.files[0].size > Number(file.dataset.largest);
  file.setCustomValidity(isTooLarge ? "A table has at most 4 MB." : "");
  file.reportValidity();
  if (file.files.length) table.value = "";
});

// An empty form is not sent.

form.addEventListener("htmx:confirm", (event) => {
  if (table.value.trim() || file.files.length) return;
  event.preventDefault();
  byId("outcome").replaceChildren();
});

// A file may be dropped anywhere on the page.

document.addEventListener("dragover", (event) => {
  event.preventDefault();
  table.classList.add("dropping");
});
document.addEventListener("dragleave", ({ relatedTarget }) => {
  if (!relatedTarget) table.classList.remove("dropping");
});
document.addEventListener("drop", (event) => {
  table.classList.remove("dropping");
  const { files } = event.dataTransfer;
  if (!files.length && event.target === table) return; // text falls into the field as it always does
  event.preventDefault();
  if (!files.length) return;
  file.files = files;
  file.dispatchEvent(new Event("change", { bubbles: true }));
});

// The values that the table has for each move, on a board that can be played.  The API returns them,
// by the position in text.  The colours are those of the site: the largest value has the strongest.

let values = {};
let played = []; // the cells that were clicked on the board

form.addEventListener("toggle", async ({ target }) => {
  if (target.id !== "heat" || !target.open || target.dataset.drawn) return;
  target.dataset.drawn = "true";
  played = [];
  const answer = await fetch(`${target.dataset.source}?values=true`, { method: "POST", body: new FormData(form) });
  if (!answer.ok) return;
  ({ values } = await answer.json());
  draw();
}, true);

const MARKS = [".", "X", "O"];
const signed = (value) => (value < 0 ? "−" : "+") + (Math.abs(value) < 100 ? Math.abs(value).toFixed(2) : Math.abs(value).toPrecision(3));

function draw() {
  const largest = Object.values(values).flat().reduce((most, value) => Math.max(most, Math.abs(value ?? 0)), 0);
  const stones = Array(9).fill(0);
  played.forEach((cell, ply) => { stones[cell] = 1 + ply % 2; });
  const position = stones.map((stone) => MARKS[stone]).join("");
  const over = !(position in values); // they have every position in which a player is to move
  const row = (values[position] ?? Array(9).fill(null)).map((value) => value ?? NaN);
  const best = Math.max(...row.filter(Number.isFinite));
  document.querySelectorAll("#heat .cell").forEach((cell, at) => {
    const known = Number.isFinite(row[at]) && !stones[at];
    const mark = MARKS[stones[at]];
    const plays = known && row[at] === best;
    cell.className = `cell${known || stones[at] ? "" : " unknown"}${plays ? " best" : ""}`;
    if (known) cell.dataset.heat = Math.round(20 * row[at] / (largest || 1));
    else delete cell.dataset.heat;
    cell.ariaDisabled = String(over || stones[at] > 0);
    cell.ariaLabel = `Row ${Math.floor(at / 3) + 1}, column ${at % 3 + 1}, ${
      stones[at] ? mark : `empty, ${known ? `value ${signed(row[at])}` : "no value"}${plays ? ", best" : ""}`}`;
    cell.innerHTML = stones[at]
      ? `<svg class="mark" viewBox="0 0 24 24" aria-hidden="true"><use href="#mark-${mark.toLowerCase()}"/></svg>`
      : `<span class="value">${known ? signed(row[at]) : "–"}</span>${plays ? '<span class="star">★</span>' : ""}`;
  });
  byId("heat-turn").textContent = over ? "The game is over." : `${MARKS[1 + played.length % 2]} to move: the values in the table.`;
  byId("heat-back").disabled = !played.length;
}

form.addEventListener("click", ({ target }) => {
  const cell = target.closest("#heat .cell:not([aria-disabled=true])");
  if (cell) played.push(Number(cell.dataset.cell));
  else if (target.id === "heat-back") played.pop();
  else return;
  draw();
});

// What is to be passed on is copied by a press.

async function copy(text, said) {
  try {
    await navigator.clipboard.writeText(text);
    said.textContent = "Copied.";
  } catch {
    said.textContent = "Select it, and copy it from here.";
  }
}

byId("copy-snippet").addEventListener("click", () => copy(byId("snippet").textContent, byId("snippet-copied")));
form.addEventListener("click", ({ target }) => {
  if (target.id !== "made-link") return;
  target.select();
  copy(target.value, byId("copied"));
});
