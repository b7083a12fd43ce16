"use strict";

// Takes a table that is pasted, dropped or chosen, and makes the link to its judgement: tables.js
// reads it here, in the browser, and no request is made with it.

const byId = (id) => document.getElementById(id);
const [table, file, reading, notes, unread, outcome] =
  ["table", "file", "reading", "notes", "unread", "outcome"].map(byId);
const PAUSE = 200; // milliseconds after the last key

let content = null; // the bytes of the table
let values = null; // of the table that was read last, if it has any, by the stones of a board
let played = []; // the cells that were pressed on the board of its values
let reader = started();
let reads = false; // whether the reader is at it

function fill(list, texts) {
  list.replaceChildren(...texts.map((text) => Object.assign(document.createElement("li"), { textContent: text })));
}

function started() {
  return Object.assign(new Worker(table.dataset.reader), {
    onmessage: ({ data }) => tell(data),
    onerror: () => tell({ refused: "the script for it was not loaded" }),
  });
}

// The page goes on while the worker reads; what has been overtaken is not read to its end.

function read() {
  notes.hidden = unread.hidden = outcome.hidden = byId("heat").hidden = true;
  if (reads) {
    reader.terminate();
    reader = started();
  }
  reads = Boolean(content?.length);
  reading.textContent = reads ? "Reading…" : "";
  const options = {};
  for (const select of document.querySelectorAll("[data-option]")) options[select.dataset.option] = select.value;
  if (reads) reader.postMessage([content, options]);
}

function tell(result) {
  reads = false;
  if (result.refused) {
    reading.textContent = `This cannot be read: ${result.refused}.`;
    return;
  }
  reading.textContent = result.summary;
  fill(notes, result.notes);
  notes.hidden = !result.notes.length;
  fill(unread.querySelector("ul"), result.unread);
  unread.hidden = !result.unread.length;
  const link = new URL(`${location.pathname}?moves=${result.moves}`, location.href);
  byId("to-verdict").href = link.pathname + link.search;
  byId("made-link").value = link.href;
  byId("copied").textContent = "";
  outcome.hidden = false;
  values = result.values;
  byId("heat").hidden = !values;
  if (values) draw();
}

// What the table has for each move, on a board that can be played: the colours are those of the
// site, from its largest value to as far below zero.

const MARKS = [".", "X", "O"];
const signed = (value) => (value < 0 ? "−" : "+") + (Math.abs(value) < 100 ? Math.abs(value).toFixed(2) : Math.abs(value).toPrecision(3));

function draw() {
  const largest = [...values.values()].flat().reduce((most, value) => (Number.isFinite(value) ? Math.max(most, Math.abs(value)) : most), 0);
  const stones = Array(9).fill(0);
  played.forEach((cell, ply) => { stones[cell] = 1 + ply % 2; });
  const row = values.get(stones.join("")) ?? stones.map(() => NaN);
  const over = !values.has(stones.join(""));
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
  byId("heat-turn").textContent = over ? "The game is over." : `${MARKS[1 + played.length % 2]} to move: what the table has.`;
  byId("heat-back").disabled = !played.length;
}

byId("heat").addEventListener("click", ({ target }) => {
  const cell = target.closest(".cell:not([aria-disabled=true])");
  if (cell) played.push(Number(cell.dataset.cell));
  else if (target.id === "heat-back") played.pop();
  else return;
  draw();
});

async function take(given) {
  content = new Uint8Array(await given.arrayBuffer());
  byId("file-name").textContent = given.name ?? "";
  table.value = "";
  read();
}

let waiting = 0;
table.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(() => {
    content = new TextEncoder().encode(table.value);
    byId("file-name").textContent = "";
    read();
  }, PAUSE);
});
file.addEventListener("change", () => {
  if (file.files.length) take(file.files[0]);
  file.value = ""; // so that the same file can be chosen again
});
for (const select of document.querySelectorAll("[data-option]")) select.addEventListener("change", read);

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
  const [dropped] = event.dataTransfer.files;
  if (!dropped && event.target === table) return; // text falls into the field as it always does
  event.preventDefault();
  if (dropped) take(dropped);
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
byId("made-link").addEventListener("click", ({ target }) => {
  target.select();
  copy(target.value, byId("copied"));
});
