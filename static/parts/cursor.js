"use strict";

// A cursor over charts of one axis: it stands where a pointer is, or where the arrow keys lead, and
// the keys of all charts say what the table below holds there; until then, what it holds at its end.

const NEXT = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };
const standing = new WeakMap(); // the row of a table at which the cursor of its charts stands

const rowsOf = (charts) => [...document.getElementById(charts.dataset.chartsOf).tBodies[0].rows];

function draw(svg, name, attributes) {
  const shape = svg.appendChild(document.createElementNS(svg.namespaceURI, name));
  for (const [key, value] of Object.entries(attributes)) shape.setAttribute(key, value);
}

function stand(charts, at) {
  const rows = rowsOf(charts);
  standing.set(charts, at);
  for (const key of charts.querySelectorAll("[data-column]")) {
    const texts = rows.slice(0, (at ?? rows.length) + 1).map((row) => row.cells[key.dataset.column].textContent.trim());
    key.textContent = texts.findLast(Boolean) ?? ""; // what was last, where a line has nothing
  }
  for (const svg of charts.querySelectorAll(".figure")) {
    svg.querySelectorAll(".cursor, .follows").forEach((shape) => shape.remove());
    if (at === null) continue;
    const x = Number(rows[at].dataset.at);
    draw(svg, "line", { class: "cursor", x1: `${x}%`, x2: `${x}%`, y1: 0, y2: svg.height.baseVal.value - 34 });
    for (const curve of svg.querySelectorAll(".curve")) {
      const points = curve.getAttribute("d").slice(1).split("L").map((point) => point.split(" ").map(Number));
      const point = points.findLast(([place]) => place / 10 <= x + 0.1);
      if (point) draw(svg, "circle", { class: `follows ${curve.getAttribute("class").replace("curve", "end")}`, cx: `${point[0] / 10}%`, cy: point[1], r: 4.4 });
    }
  }
}

function follow(event) {
  const charts = event.target.closest?.(".charts");
  const svg = event.target.closest?.(".plot")?.querySelector(".figure");
  if (!svg) return;
  const { left, width } = svg.getBoundingClientRect();
  const share = (100 * (event.clientX - left)) / width;
  const off = rowsOf(charts).map((row) => Math.abs(Number(row.dataset.at) - share));
  const at = off.indexOf(Math.min(...off));
  if (at !== standing.get(charts)) stand(charts, at);
}

document.addEventListener("pointerdown", follow);
document.addEventListener("pointermove", follow);
document.addEventListener("pointerout", (event) => {
  const charts = event.target.closest?.(".charts");
  if (charts && event.pointerType === "mouse" && !charts.contains(event.relatedTarget)) stand(charts, null);
});
document.addEventListener("keydown", (event) => {
  const { target, key } = event;
  if (!target.matches?.(".charts") || !(key in NEXT)) return;
  const last = rowsOf(target).length - 1;
  stand(target, Math.min(last, Math.max(0, (standing.get(target) ?? last) + NEXT[key])));
  event.preventDefault();
});
