"use strict";

// The best of this browser: in how few games each learner was taught each milestone, and the link.

const BEST = "taught";
const WORDS = { rows: "completes rows", blocks: "blocks", random: "safe from random", x: "unbeatable as X", o: "unbeatable as O", both: "unbeatable" };

function best() {
  try { return JSON.parse(storage.get(BEST)) ?? {}; } catch { return {}; }
}

function keepBest() {
  const game = document.getElementById("game"), line = document.getElementById("best");
  if (!game || !line || location.pathname.startsWith("/embed/")) return; // the best is this site's own
  const all = best(), mine = all[game.dataset.learner] ??= {};
  for (const [key, games] of Object.entries(JSON.parse(game.dataset.reached))) {
    if (games && (!mine[key] || games < mine[key].games)) mine[key] = { games, at: location.pathname };
  }
  storage.set(BEST, JSON.stringify(all));
  const words = Object.entries(mine).filter(([, one]) => Number.isInteger(one.games) && String(one.at).startsWith("/teach/"));
  line.replaceChildren();
  line.hidden = !words.length;
  if (!words.length) return;
  line.append("Your best in this browser: ");
  for (const [key, one] of words) {
    const link = document.createElement("a");
    link.href = one.at;
    link.textContent = `${WORDS[key] ?? key} in ${one.games}`;
    line.append(link, "; ");
  }
}

keepBest();
document.addEventListener("htmx:afterSettle", keepBest);
