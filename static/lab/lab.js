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

// Enter closes a sheet, which would cover the answer; the field loses the focus and sends its number.

document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !event.target.matches(".slot-sheet input")) return;
  event.preventDefault(); // or Enter would press the button that gets the focus
  if (event.target.reportValidity()) event.target.closest(".slot-sheet").hidePopover();
});

// A number out of its range is refused by the browser, in its own words, at the field.

document.addEventListener("htmx:validation:halted", ({ target }) => target.reportValidity());

// The film stops before another one takes its place.

document.addEventListener("htmx:beforeSwap", () => document.querySelector("[data-film-play].playing")?.click());

// A refused form has no URL: that of the last answer stays.

document.addEventListener("htmx:beforeHistoryUpdate", ({ detail }) => {
  if (detail.xhr.status >= 400) Object.assign(detail.history, { type: "replace", path: location.pathname + location.search });
});

// A choice that is made before the last one is answered would start from the old sentence.  It waits,
// and is made again in the new sentence, whose links and fields have the same ids.

let pending = null, waiting = null; // a request of the sentence, and the choice after it

document.addEventListener("htmx:confirm", (event) => {
  const { elt, triggeringEvent } = event.detail;
  // A form sends all its numbers: its next request replaces the last.
  if (!pending || pending.id === elt.id || !elt.closest("#sentence")) return;
  event.preventDefault();
  const field = triggeringEvent?.target?.closest?.("input, select");
  waiting = field ? { id: field.id, value: field.value } : { id: elt.id };
});

document.addEventListener("htmx:beforeRequest", ({ detail }) => {
  if (detail.elt.closest("#sentence")) pending = { xhr: detail.xhr, id: detail.elt.id };
});

document.addEventListener("htmx:afterRequest", ({ detail }) => {
  if (detail.xhr !== pending?.xhr) return;
  const choice = waiting, element = choice && document.getElementById(choice.id);
  pending = null;
  if (!detail.successful || !element) return;
  waiting = null;
  if (choice.value === undefined) {
    element.click();
  } else {
    element.value = choice.value;
    element.dispatchEvent(new Event("change", { bubbles: true }));
  }
});
