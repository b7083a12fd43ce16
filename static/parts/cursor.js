"use strict";

// A cursor over charts with a common axis, moved by the pointer or the arrow keys. The keys of all
// charts show the values of the table at the cursor, or the last values without a cursor.

const NEXT = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };
const standing = new WeakMap(); // charts -> row of the table at the cursor

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
    key.textContent = texts.findLast(Boolean) ?? ""; // the last value so far, if this row is empty
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
