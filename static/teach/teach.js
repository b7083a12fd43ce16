"use strict";

// The best of this browser: in how few games each learner was taught each milestone, and the link.

const BEST = "taught";

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
  const said = JSON.parse(game.dataset.words);
  line.append(`${said.best} `);
  for (const [key, one] of words) {
    const link = document.createElement("a");
    link.href = one.at;
    link.textContent = (said[key] ?? key).replace("#", one.games);
    line.append(link, "; ");
  }
}

// The learner that was taught here last: a page before the first game offers to go on with it.

const LAST = "learner";

function lastLearner() {
  try { return JSON.parse(storage.get(LAST)) ?? {}; } catch { return {}; }
}

function keepLast() {
  const game = document.getElementById("game");
  if (!game || location.pathname.startsWith("/embed/")) return;
  const games = Number(game.dataset.games), link = document.getElementById("continue");
  if (games) storage.set(LAST, JSON.stringify({ games, at: location.pathname }));
  const last = lastLearner();
  if (!link || games || !Number.isInteger(last.games) || !String(last.at).startsWith("/teach/")) return;
  link.href = last.at;
  link.textContent = last.games === 1 ? link.dataset.one : link.dataset.many.replace("#", last.games);
  link.hidden = false;
}

function keep() {
  keepBest();
  keepLast();
}

keep();
document.addEventListener("htmx:afterSettle", keep);
