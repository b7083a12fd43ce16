"use strict";

// What is around a board on the front page and the play page: players, training, explanations.

// The slider says at once where it is; the board follows.

document.addEventListener("input", ({ target: slider }) => {
  const mark = slider.list?.options[slider.value]?.label;
  if (!mark) return;
  slider.ariaValueText = mark;
  byId(slider.dataset.says).textContent = mark;
});

document.addEventListener("htmx:afterSettle", () => {
  document.title = `${document.querySelector(".headline").textContent} · Q-Tac-Toe`;
  const last = document.querySelector("#board .last");
  if (last && byId("tell").checked && !byId("status").textContent) {
    byId("status").textContent = last.ariaLabel;
  }
});

// Parts that cost the server something are asked for when they are looked at.

const shownFor = {}; // the address that each was filled from

function load(part, address, source, of) {
  if (shownFor[part] === address && of === undefined) return;
  shownFor[part] = address;
  const target = `#${part}`; // the front page selects its board from other answers
  const answer = htmx.ajax("GET", address + (of ?? ""), { source, target, select: target, swap: "outerHTML" });
  answer.catch(() => {}); // given up for a newer one, or said by the board
}

// In place of the link that leads there.
function loadOnce(part, source) {
  const link = byId(`to-${part}`);
  if (link) load(part, link.pathname + link.search, source, "");
}

// The line under the board tells of the square under the pointer or with the focus.  A pinned
// explanation, which was asked for by a press, stays until it is closed, and the game waits for it.

const SQUARE = "#board .cell:not(.taken)";
let usual; // what the line says otherwise
let explained; // the address of the explanation shown
let coming; // timer
let attended; // the square that the pointer or the focus came to last

const line = () => byId("line");

function explain(cell, pin = false) {
  attended = cell;
  const { square } = byId("game").dataset;
  const address = "explains" in cell.dataset
    ? cell.getAttribute("href")
    : square && `${square}${square.includes("?") ? "&" : "?"}cell=${cell.id.at(-1)}`;
  if (!address || (line().dataset.pinned && !pin)) return;
  clearTimeout(coming);
  usual ??= line().innerHTML;
  if (pin) line().dataset.pinned = "1";
  if (address === explained) return;
  coming = setTimeout(() => {
    explained = address;
    htmx.ajax("GET", address, { source: "#line", target: "#line", swap: "innerHTML" }).catch(() => { explained = ""; });
  }, pin ? 0 : 50); // a pointer that only passes asks for nothing
}

function unexplain() {
  clearTimeout(coming);
  attended = undefined;
  explained = "";
  delete line().dataset.pinned;
  if (usual === undefined) return;
  line().innerHTML = usual;
  usual = undefined;
}

document.addEventListener("pointerover", ({ target, pointerType }) => {
  if (pointerType !== "mouse") return;
  const cell = target.closest?.(SQUARE);
  if (cell) explain(cell);
  else if (!target.closest?.("#board, #line") && !line().dataset.pinned) unexplain();
});
document.addEventListener("focusin", ({ target }) => {
  if (target.matches?.(`${SQUARE}:focus-visible`)) explain(target);
});
document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  const { target, requestConfig } = detail;
  // The board has moved on, or the pointer has.
  if (target.id === "line" && requestConfig.path !== explained) detail.shouldSwap = false;
  if (target.id !== "game") return;
  clearTimeout(coming);
  usual = undefined;
  explained = "";
});
document.addEventListener("htmx:afterSettle", ({ target }) => {
  if (target.id !== "game") return;
  delete line().dataset.pinned;
  const cell = document.querySelector(`${SQUARE}:hover, ${SQUARE}:focus-visible`);
  if (cell && matchMedia("(hover: hover)").matches) explain(cell);
});

// A press explains where there is nothing to play, and everywhere if it is long.

let pressed; // timer of a long press
document.addEventListener("pointerdown", ({ target, pointerType }) => {
  const cell = target.closest?.(SQUARE);
  if (!cell || pointerType === "mouse") return;
  pressed = setTimeout(() => {
    pressed = undefined;
    explain(cell, true);
    const stop = (event) => { event.preventDefault(); event.stopPropagation(); };
    document.addEventListener("click", stop, { capture: true, once: true });
    setTimeout(() => document.removeEventListener("click", stop, { capture: true }), 1500);
  }, 450);
});
for (const end of ["pointerup", "pointercancel", "pointermove"]) {
  document.addEventListener(end, ({ movementX, movementY }) => {
    if (end !== "pointermove" || Math.abs(movementX) + Math.abs(movementY) > 3) clearTimeout(pressed);
  });
}
document.addEventListener("contextmenu", (event) => {
  if (event.pointerType !== "mouse" && event.target.closest?.(SQUARE)) event.preventDefault();
});
document.addEventListener("click", (event) => {
  const cell = event.target.closest?.("#board [data-explains]");
  if (cell) {
    event.preventDefault();
    explain(cell, true);
  }
  if (event.target.closest?.("#square-close")) closeLine();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !event.defaultPrevented && line().dataset.pinned) closeLine();
  if (event.key !== "w" || event.ctrlKey || event.metaKey || event.altKey || event.target.matches(FIELDS)) return;
  if (!byId("shortcuts").checked || document.querySelector("[popover]:popover-open")) return;
  const cell = attended?.matches(`${SQUARE}, #board [data-explains]`) ? attended
    : document.querySelector(`${SQUARE}:focus, #board [data-explains]:focus`) ?? document.querySelector("#board .best, #board .cell:not(.taken)");
  if (!cell) return;
  event.preventDefault();
  explain(cell, true);
});

function closeLine() {
  unexplain();
  document.dispatchEvent(new Event("line:close")); // the game goes on
}

// The seat that was pressed is the one to fill; the link shown is the one that holds now.

document.addEventListener("click", (event) => {
  const { target } = event;
  const seat = target.closest?.("[data-seat]")?.dataset.seat;
  if (seat) {
    byId(`seat-of-${seat}`).checked = true;
    loadOnce("players", "#chooser");
  }
  const end = target.closest?.("#pass-on");
  if (!end && !target.closest?.("#share")) return;
  if (end) { // its own page for who has no script
    event.preventDefault();
    event.stopPropagation();
    byId("share-panel").showPopover();
  }
  const here = new URL(byId("at").value, location); // on the front page the position has an address too
  byId("share-link").value = here.href;
  load("take", here.pathname.replace("/play", "/take") + here.search, "#share-panel");
}, true);

// Players are found while one types; Enter takes the first.

document.addEventListener("input", ({ target: { id, value } }) => {
  if (id !== "find") return;
  for (const list of document.querySelectorAll(".cards")) {
    for (const card of list.children) card.hidden = !card.textContent.toLowerCase().includes(value.toLowerCase());
    list.previousElementSibling.hidden = !list.querySelector("li:not([hidden])");
  }
});
document.addEventListener("keydown", (event) => {
  if (event.target.id !== "find" || event.key !== "Enter") return;
  event.preventDefault();
  document.querySelector(".cards li:not([hidden]) button")?.click();
});
