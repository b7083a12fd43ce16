"use strict";

// The values of a position and of all positions during a training. Without this script the page
// shows a snapshot with a link to the next.

const calm = matchMedia("(prefers-reduced-motion: reduce)");
const isCalm = () => calm.matches || document.getElementById("still")?.checked;
const between = (from, to, share) => from + share * (to - from);

// Frames of a board: the content of each square in each row of the table.

function readBoard(table, board, last) {
  const rows = [...table.tBodies[0].rows];
  const cells = [...board.querySelectorAll("[data-cell]")];
  const frames = rows.map((row) =>
    cells.map(({ dataset }) => {
      const entry = row.querySelector(`[data-of="${dataset.cell}"]`);
      const { hot, best } = entry.dataset;
      return { text: entry.textContent, heat: hot === undefined ? null : Number(hot), best: best !== undefined };
    }),
  );
  return (whole, part) => {
    const place = (whole + part) * (frames.length - 1) / last; // scaled as in readMind
    const index = Math.floor(place);
    const share = place - index;
    const next = frames[Math.min(index + 1, frames.length - 1)];
    cells.forEach((cell, i) => {
      const from = frames[index][i];
      const to = next[i];
      const near = share < 0.5 ? from : to;
      const known = near.heat !== null;
      cell.classList.toggle("unknown", !known);
      cell.classList.toggle("best", near.best);
      const sign = Math.sign(near.heat); // colour and number always show the same outcome
      if (known) cell.dataset.heat = sign * Math.max(1, sign * Math.round(between(from.heat ?? 0, to.heat ?? 0, share)));
      else delete cell.dataset.heat;
      cell.querySelector(".value").textContent = near.text;
    });
  };
}

// Frames of a mind: a character for each tile, "U" for the value 0, "." for unknown.

function readMind(svg, last) {
  const starts = svg.dataset.places.split(" ").map((place) => {
    const [x, y] = place.split(",").map(Number);
    return `M${+(x + 0.15).toFixed(2)} ${+(y + 0.05).toFixed(2)}${svg.dataset.tile}`;
  });
  const frames = svg.dataset.frames.split(" ").map((frame) =>
    Float32Array.from(frame, (sign) => (sign === "." ? NaN : sign.charCodeAt(0) - 85)),
  );
  // The tiles become known at different times, for a smooth change.
  const turns = starts.map((_, i) => ((i * 0.61803) % 1) * 0.8 + 0.1);
  const group = svg.querySelector(".tiles");
  const paths = new Map();
  for (const path of group.children) paths.set(path.dataset[svg.dataset.scale] ?? "blank", path);
  const pathFor = (key) => {
    if (!paths.has(key)) {
      const path = document.createElementNS(svg.namespaceURI, "path");
      if (key === "blank") {
        path.setAttribute("class", "blank");
        path.setAttribute("fill", `url(#${svg.id}-hatch)`);
      } else path.dataset[svg.dataset.scale] = key;
      paths.set(key, group.appendChild(path));
    }
    return paths.get(key);
  };
  let drawn = -1;
  return (whole, part) => {
    // In a film of several minds, the longest has the most frames.
    const place = (whole + part) * (frames.length - 1) / last;
    const moment = Math.round(10 * place); // ten pictures between two frames
    if (moment === drawn) return;
    drawn = moment;
    const index = Math.floor(place);
    const share = place - index;
    const from = frames[index];
    const to = frames[Math.min(index + 1, frames.length - 1)];
    const outlines = new Map();
    starts.forEach((start, i) => {
      let heat = share < turns[i] ? from[i] : to[i];
      if (from[i] === from[i] && to[i] === to[i]) heat = Math.round(between(from[i], to[i], share));
      const key = heat === heat ? String(heat) : "blank";
      outlines.set(key, (outlines.get(key) ?? "") + start);
    });
    for (const key of outlines.keys()) pathFor(key);
    for (const [key, path] of paths) {
      const outline = outlines.get(key) ?? "";
      if (path.getAttribute("d") !== outline) path.setAttribute("d", outline);
    }
  };
}

function startFilm(film) {
  const find = (name) => film.querySelector(`[data-film-${name}]`) ?? document.querySelector(`[data-film-${name}]`);
  const within = [...film.querySelectorAll("[data-film-frames]")];
  const tables = within.length ? within : [find("frames")];
  const table = tables.at(-1); // the table of the mind comes last
  const rows = [...table.tBodies[0].rows].map((row) => ({
    pause: Number(row.dataset.pause),
    x: Number(row.dataset.x),
    updates: row.cells[0].textContent,
    blunders: row.cells[1].textContent,
    caption: row.cells[row.cells.length - 1].textContent,
  }));
  const last = rows.length - 1;
  const [slider, button, head] = ["step", "play", "head"].map(find);
  const steps = last || 1;
  const captions = [...film.querySelectorAll("[data-film-caption]")];
  if (!captions.length && find("caption")) captions.push(find("caption"));
  // Each of several captions belongs to a table; a single caption belongs to the last table.
  const captioned = captions.map((caption, i) => [caption, (captions.length > 1 ? tables[i] : table).tBodies[0].rows]);
  const drawings = [...film.querySelectorAll("[data-mind][data-frames]")].map((svg) => readMind(svg, steps));
  film.querySelectorAll("[data-film-board]").forEach((board, i) => drawings.push(readBoard(tables[i], board, steps)));
  slider.value = slider.defaultValue; // because Firefox restores the old value after a reload
  let place = Number(slider.value);
  let framed = place; // the last announced snapshot
  let running = 0;
  let kept = place; // frame before printing

  function show(at) {
    place = at;
    const index = Math.floor(at);
    const share = at - index;
    for (const draw of drawings) draw(index, share);
    const near = rows[Math.round(at)];
    find("updates").textContent = near.updates;
    find("blunders").textContent = near.blunders;
    for (const [caption, frames] of captioned) {
      const frame = frames[Math.round(at * (frames.length - 1) / steps)];
      caption.textContent = frame.cells[frame.cells.length - 1].textContent;
    }
    head.setAttribute("d", `M${between(rows[index].x, rows[Math.min(index + 1, last)].x, share)} -3v34`);
    slider.value = Math.round(at);
    slider.ariaValueText = slider.dataset.text.replace("#", near.updates).replace("~", near.caption);
    if (framed === Math.round(at)) return;
    framed = Math.round(at);
    slider.dispatchEvent(new CustomEvent("film:frame", { bubbles: true }));
  }

  function rest() {
    cancelAnimationFrame(running);
    running = 0;
    button.classList.remove("playing");
    button.ariaLabel = button.dataset.play;
    film.dispatchEvent(new CustomEvent("film:rest", { bubbles: true, detail: Math.round(place) }));
  }

  function play() {
    if (place >= last) show(0);
    button.classList.add("playing");
    button.ariaLabel = button.dataset.pause;
    let before = performance.now();
    let waited = 0;
    const tick = (now) => {
      const passed = Math.min(Math.max(now - before, 0), 100); // no jump after a hidden tab
      before = now;
      if (isCalm()) {
        waited += passed;
        if (waited >= 700) {
          waited = 0;
          show(Math.min(last, Math.floor(place) + 1));
        }
      } else show(Math.min(last, place + passed / rows[Math.floor(place)].pause));
      if (place >= last) rest();
      else running = requestAnimationFrame(tick);
    };
    running = requestAnimationFrame(tick);
  }

  button.role = "button";
  button.ariaLabel = button.dataset.play;
  button.addEventListener("click", (event) => {
    event.preventDefault();
    if (running) rest();
    else play();
  });
  button.addEventListener("keydown", (event) => {
    if (event.key !== " ") return;
    event.preventDefault();
    button.click();
  });
  slider.addEventListener("input", () => {
    const chosen = Number(slider.value);
    if (running) rest();
    show(chosen);
    film.dispatchEvent(new CustomEvent("film:rest", { bubbles: true, detail: chosen }));
  });
  // On paper a film shows its last frame.
  matchMedia("print").addEventListener("change", ({ matches }) => {
    if (!matches) return show(kept);
    if (running) rest();
    kept = place;
    show(last);
  });
  film.dataset.ready = "";
}

function startFilms() {
  for (const film of document.querySelectorAll("[data-film]:not([data-ready])")) startFilm(film);
}
startFilms();
document.addEventListener("htmx:load", startFilms); // swapped-in content can contain films
