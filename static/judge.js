"use strict";

// Takes a table that is pasted, dropped or chosen, and makes the link to its judgement: tables.js
// reads it here, in the browser, and no request is made with it.

const byId = (id) => document.getElementById(id);
const [bring, table, file, reading, notes, unread, outcome] =
  ["bring", "table", "file", "reading", "notes", "unread", "outcome"].map(byId);
const PAUSE = 200; // milliseconds after the last key

let content = null; // the bytes of the table
let turn = 0; // of the readings: an earlier one may end later

bring.hidden = false;
byId("copy-snippet").hidden = false;

function fill(list, texts) {
  list.replaceChildren(...texts.map((text) => Object.assign(document.createElement("li"), { textContent: text })));
}

async function read() {
  const now = turn += 1;
  notes.hidden = unread.hidden = outcome.hidden = true;
  if (!content?.length) {
    reading.textContent = "";
    return;
  }
  reading.textContent = "Reading…";
  const options = {};
  for (const select of document.querySelectorAll("[data-option]")) options[select.dataset.option] = select.value;
  await new Promise((painted) => { requestAnimationFrame(() => setTimeout(painted)); });
  let result;
  try {
    result = await readTable(content, options);
  } catch (error) {
    if (now !== turn) return;
    reading.textContent = `This cannot be read: ${error.message}.`;
    if (!(error instanceof TableError)) throw error;
    return;
  }
  if (now !== turn) return;
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
}

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
