"use strict";

// A day's puzzles that were solved in this browser: their score is shown, unless one plays them again.

const { day } = document.querySelector("[data-day]").dataset;
const [solved, score] = (storage.get("result") ?? "").split(" ");
if (solved === day && score.startsWith("/puzzle/") && location.hash !== "#again") {
  const url = new URL(score, location);
  const language = new URL(location).searchParams.get("hl");
  if (language) url.searchParams.set("hl", language);
  else url.searchParams.delete("hl");
  location.replace(url);
}
