"use strict";

// The streak of this browser: on how many days in a row the day's puzzle was played to its end.

const STREAK = "streak";
const streak = document.getElementById("streak");
const dayOf = (time) => new Date(time).toISOString().slice(0, 10);
let [latest, days] = (storage.get(STREAK) ?? "").split(" ");
const now = Date.now();

if (streak.dataset.day === dayOf(now) && latest !== dayOf(now)) {
  days = latest === dayOf(now - 864e5) ? Number(days) + 1 : 1;
  latest = dayOf(now);
  storage.set(STREAK, `${latest} ${days}`);
}
if (streak.dataset.day === dayOf(now)) storage.set("result", `${streak.dataset.day} ${location.pathname}${location.search}`);
if (latest === streak.dataset.day && Number(days) > 0) {
  streak.textContent = Number(days) === 1 ? streak.dataset.one : streak.dataset.more.replace("#", Number(days));
  streak.hidden = false;
}
