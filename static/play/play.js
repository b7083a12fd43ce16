"use strict";

// The play page: the panels beside its board.

// The form shows what the game is played with, wherever that came from: it is in the address.

const USUAL = { lens: "", errors: "", epsilon: "0", hide: "0", own: "0" };

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

// The header, which is not replaced, says whether one plays or watches.

function markRoom() {
  const current = document.querySelector(".controls.watched") ? "room-watch" : "room-play";
  for (const link of document.querySelectorAll(".rooms a")) link.ariaCurrent = link.id === current ? "true" : null;
}

document.addEventListener("htmx:afterSettle", () => {
  choose();
  markRoom();
  fill();
});

let asked = false; // then the panel may take the focus

function fill(cell) {
  const tab = document.querySelector("[name=tab]:checked").value;
  if (tab === "settings") loadOnce(tab, "#panel-settings");
  const address = byId("moves").dataset[tab];
  if (!address) return;
  load(tab, address, `#panel-${tab}`, cell && `${address.includes("?") ? "&" : "?"}cell=${cell}`);
}

document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  if (detail.target.id !== "why") return;
  if (!asked) detail.serverResponse = detail.serverResponse.replace(" autofocus", "");
  asked = false;
});

// The whole explanation of a value opens in its panel.
document.addEventListener("click", (event) => {
  const more = event.target.closest?.("#square-why");
  asked ||= Boolean(more ?? event.target.closest?.("#why a"));
  if (!more) return;
  event.preventDefault();
  byId("tab-why").checked = true;
  load("why", more.pathname + more.search, "#panel-why", "");
  shownFor.why = byId("moves").dataset.why; // it stays until another position is shown
});

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
