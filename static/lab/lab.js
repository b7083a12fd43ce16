"use strict";

// A slider beside a number field: it writes the number, which is what the form sends.  Without this
// file numbers are typed and sent with a button.

// The number at a place of a track, and the place of a number; a logarithmic track has powers of ten.

function numberAt(slider) {
  if (!("logarithmic" in slider.dataset)) return Number(slider.value);
  const number = 10 ** Number(slider.value);
  const rounded = Number(number.toPrecision(2)); // a hand is no more precise than two digits
  return "whole" in slider.dataset ? Math.max(1, Math.round(rounded)) : rounded;
}

function placeOf(slider, number) {
  return "logarithmic" in slider.dataset ? Math.log10(Math.max(number, 1e-9)) : number;
}

document.addEventListener("input", ({ target }) => {
  if (target.dataset?.for) {
    document.getElementById(target.dataset.for).value = String(numberAt(target));
    return;
  }
  const slider = document.querySelector(`[data-for="${CSS.escape(target.id)}"]`);
  if (slider) slider.value = placeOf(slider, Number(target.value));
});

// A number out of its range is refused by the browser, in its own words, at the field.

document.addEventListener("htmx:validation:halted", ({ target }) => target.reportValidity());

// The film stops before another one takes its place.

document.addEventListener("htmx:beforeSwap", () => document.querySelector("[data-film-play].playing")?.click());

// A refused form has no URL: that of the last answer stays.

document.addEventListener("htmx:beforeHistoryUpdate", ({ detail }) => {
  if (detail.xhr.status >= 400) Object.assign(detail.history, { type: "replace", path: location.pathname + location.search });
});
