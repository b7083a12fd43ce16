"use strict";

// A board that moves in place does not move the page: its links name their section only for the
// address, and for browsers without this.

document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  if (detail.target.matches(".shown")) detail.pathInfo.anchor = undefined;
});
