"use strict";

// What this browser keeps of the puzzles: which are solved, the result of today's, and on how many
// days in a row those of the day were played to their end.

const SOLVED = "solved", STREAK = "streak", RESULT = "result";
const dayOf = (time) => new Date(time).toISOString().slice(0, 10);
const today = dayOf(Date.now());

function listSolved() {
  return new Set((storage.get(SOLVED) ?? "").split(" ").filter(Boolean));
}

function readStreak() {
  const [latest, days] = (storage.get(STREAK) ?? "").split(" ");
  return { latest, days: Number(days) };
}

function readResult() {
  const [day, score] = (storage.get(RESULT) ?? "").split(" ");
  return day === today && score.startsWith("/puzzle/") ? new URL(score, location) : null;
}

function keepDay(day, { pathname, search }) {
  if (day !== today) return;
  const { latest, days } = readStreak();
  if (latest !== today) storage.set(STREAK, `${today} ${latest === dayOf(Date.now() - 864e5) ? days + 1 : 1}`);
  storage.set(RESULT, `${today} ${pathname}${search}`);
}

// A puzzle: it is kept when it is solved, and the day's result with its last answer. Today's puzzles
// that were played show their score, unless one plays them again.

function keepPuzzle() {
  const { solved } = document.getElementById("puzzle")?.dataset ?? {};
  if (solved) storage.set(SOLVED, [...listSolved().add(solved)].join(" "));
  const link = document.getElementById("score");
  if (link) keepDay(link.dataset.day, link);
}

keepPuzzle();
document.addEventListener("htmx:afterSettle", keepPuzzle);
const score = readResult();
if (score && document.querySelector(`[data-begins="${today}"]`) && location.hash !== "#again") {
  const language = new URL(location).searchParams.get("hl");
  if (language) score.searchParams.set("hl", language);
  else score.searchParams.delete("hl");
  const friend = new URL(location).searchParams.get("friend");
  if (friend) score.searchParams.set("friend", friend);
  location.replace(score);
}

// The score of a day, and the list of all puzzles

const streak = document.getElementById("streak");
if (streak) {
  keepDay(streak.dataset.day, location);
  const { latest, days } = readStreak();
  if (days > 0 && (streak.dataset.day ?? today) === latest) {
    streak.textContent = days === 1 ? streak.dataset.one : streak.dataset.more.replace("#", days);
    streak.hidden = false;
  }
}
const start = document.getElementById("today");
if (start && score) {
  // A digit stands for two answers: see app/web/pages/parts/attempt.py.
  const answers = [...score.searchParams.get("answers") ?? ""], all = 2 * answers.length;
  const right = answers.reduce((sum, digit) => sum + [0, 1, 1, 2][digit], 0);
  const words = start.dataset.played.replace("#", right).replace("#", all);
  start.textContent = right === all ? `✓ ${words}` : words;
  start.classList.remove("primary");
}
const solved = listSolved();
for (const link of document.querySelectorAll("[data-puzzle]")) {
  if (!solved.has(link.dataset.puzzle)) continue;
  link.classList.add("solved");
  link.ariaLabel += ` (${document.getElementById("solved-word").textContent})`;
}
for (const round of document.querySelectorAll("[data-last]")) {
  const { first, last } = round.dataset;
  const count = [...solved].filter((number) => Number(number) >= first && Number(number) <= last).length;
  if (count) round.textContent = ` ✓ ${count}`;
}
