"use strict";

// The play page: what is around its board.

document.addEventListener("htmx:configRequest", ({ target, detail }) => {
  if (target.id !== "seating" || !still() || document.querySelector("[data-moving]")) return;
  detail.parameters.set("pause", "1");
});

// The slider says at once where it is; the board follows.

document.addEventListener("input", ({ target: slider }) => {
  const mark = slider.list?.options[slider.value]?.label;
  if (!mark) return;
  slider.ariaValueText = mark;
  byId(slider.dataset.says).textContent = mark;
});

// The form shows what the game is played with, wherever that came from: it is in the address.

const USUAL = { lens: "", errors: "", epsilon: "0", delay: "1", hide: "0", own: "0", keep: "0" };

function choose() {
  const { elements } = byId("settings");
  if (!elements) return; // nobody has looked at it
  const chosen = new URLSearchParams(location.search);
  for (const [name, usual] of Object.entries(USUAL)) {
    const value = chosen.get(name) || usual;
    if (elements[name].type === "checkbox") elements[name].checked = value === "1";
    else elements[name].value = value;
  }
}

document.addEventListener("htmx:afterSettle", () => {
  choose();
  document.title = `${document.querySelector(".headline").textContent} · Q-Tac-Toe`;
  const last = document.querySelector("#board .last");
  if (last && byId("tell").checked && !byId("status").textContent) {
    byId("status").textContent = last.ariaLabel;
  }
  fill();
});

// Panels that cost the server something are asked for when they are looked at.

const shownFor = {}; // the address that each was filled from
let asked = false; // then the panel may take the focus

function load(part, address, source, of) {
  if (shownFor[part] === address && of === undefined) return;
  shownFor[part] = address;
  const answer = htmx.ajax("GET", address + (of ?? ""), { source, target: `#${part}`, swap: "outerHTML" });
  answer.catch(() => {}); // given up for a newer one, or said by the board
}

// In place of the link that leads there.
function loadOnce(part, source) {
  const link = byId(`to-${part}`);
  if (link) load(part, link.pathname + link.search, source, "");
}

function fill(cell) {
  const tab = document.querySelector("[name=tab]:checked").value;
  if (tab === "settings") loadOnce(tab, "#panel-settings");
  const address = byId("game").dataset[tab];
  if (!address) return;
  const of = cell && `${address.includes("?") ? "&" : "?"}cell=${cell}`;
  load(tab, address, `#panel-${tab}`, of);
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
  fill(cell?.matches("#board .cell:not(.taken)") ? cell.id.at(-1) : "");
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
  byId("share-link").value = location.href;
  load("take", location.pathname.replace("/play", "/take") + location.search, "#share-panel");
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
