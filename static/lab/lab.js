"use strict";

// A slider beside a number: it writes the number, which is what the form sends.  Without this file
// the numbers are typed and sent by a button.

const form = document.getElementById("recipe");
let before = ""; // while a slider moves: the setting that it moved away from
let flying = false; // whether what it passed is being asked for
let newer = false; // whether it has moved on since
const sliders = new Map();
for (const slider of document.querySelectorAll("[data-for]")) {
  sliders.set(document.getElementById(slider.dataset.for), slider);
}

// What a place on a track stands for, and where a number lies; a logarithmic one has powers of ten.
function numberOf(slider) {
  if (!("logarithmic" in slider.dataset)) return Number(slider.value);
  const number = 10 ** Number(slider.value);
  const rounded = Number(number.toPrecision(2)); // two figures are as fine as a hand is
  return "whole" in slider.dataset ? Math.max(1, Math.round(rounded)) : rounded;
}

function placeOf(slider, number) {
  return "logarithmic" in slider.dataset ? Math.log10(Math.max(number, 1e-9)) : number;
}

for (const [number, slider] of sliders) {
  slider.addEventListener("input", () => {
    number.value = String(numberOf(slider));
    before ||= form.elements.ghost.value;
    follow();
  });
  number.addEventListener("input", () => {
    slider.value = placeOf(slider, Number(number.value));
  });
}

// The result follows a slider while it moves: one request at a time, and after it the newest setting.
// Meanwhile the address and the ghost stay what they were before; when it is let go, the form sends
// itself as after any change.

function follow() {
  newer = flying;
  if (flying) return;
  flying = true;
  document.body.classList.add("following");
  htmx.trigger(form, "follow");
}

const isFollowing = ({ detail }) => detail.requestConfig.triggeringEvent?.type === "follow";

form.addEventListener("change", () => {
  newer = false;
});
form.addEventListener("htmx:configRequest", ({ detail }) => {
  if (before) detail.parameters.ghost = before;
});
form.addEventListener("htmx:afterRequest", (event) => {
  flying = false;
  if (!isFollowing(event)) before = "";
  if (newer) follow();
  else document.body.classList.remove("following");
});

// What is wrong is said at its field, in the place of what it means, so nothing moves; what was typed
// stays.  A new setting clears it.

function say(wrong) {
  for (const meaning of form.querySelectorAll("[data-meaning]")) {
    const name = meaning.id.slice(0, -"-meaning".length);
    meaning.style.minHeight = `${meaning.offsetHeight}px`;
    meaning.textContent = wrong[name] ?? meaning.dataset.meaning;
    meaning.closest(".field").classList.toggle("wrong", name in wrong);
    document.getElementById(name)?.setAttribute("aria-invalid", name in wrong);
  }
  if (Object.keys(wrong).length) document.getElementById("status").textContent = Object.values(wrong).join(" ");
}
form.addEventListener("refused", ({ detail }) => {
  const { elt, value, ...wrong } = detail; // the first two are of htmx
  say(wrong);
});
document.addEventListener("htmx:afterSwap", ({ detail }) => {
  if (detail.requestConfig.elt === form && detail.xhr.status < 400) say({});
  document.getElementById("gist").innerHTML = document.getElementById("gist-now").innerHTML;
});

// The film stops before another one takes its place.

document.addEventListener("htmx:beforeSwap", () => document.querySelector("[data-film-play].playing")?.click());

// What was refused has no address of its own, nor what a slider passed: that of the last result stays.

document.addEventListener("htmx:beforeHistoryUpdate", (event) => {
  const { detail } = event;
  if (detail.xhr.status >= 400 || isFollowing(event)) Object.assign(detail.history, { type: "replace", path: location.pathname + location.search });
});
