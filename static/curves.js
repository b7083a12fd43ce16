"use strict";

// Charts of the tables that hold their numbers: a colgroup is a chart, each of its columns a line.
// What a legend says is the text of the table, of its last row until something is pointed at.

const HEIGHT = 220;
const DASHES = [
  { legend: "solid", line: [] },
  { legend: "dashed", line: [9, 5] },
  { legend: "dotted", line: [2, 4] },
  { legend: "double", line: [10, 4, 2, 4] },
];
const SHORT = new Intl.NumberFormat("en", { notation: "compact" });

// Where on its axis a number lies; the logarithmic one begins with 0.
const LINEAR = { place: (number) => number };
const LOGARITHMIC = {
  place: (number) => Math.log10(1 + number),
  number: (place) => Math.round(10 ** place - 1),
  ticks: (highest) => [0, ...Array.from({ length: Math.ceil(highest) }, (_, power) => 10 ** power)],
};

const drawn = new Set();

// One column of a table: what is in it for a script, and for people.  A line says what it was last
// where a place has no number of it.
function read(table, column) {
  const entries = [...table.tBodies[0].rows].map((row) => row.cells[column].querySelector("data"));
  return {
    numbers: entries.map((entry) => entry && Number(entry.value)),
    text: (plot, number, series, index) =>
      entries.slice(0, (index ?? entries.length - 1) + 1).findLast(Boolean)?.textContent ?? "",
  };
}

// Colours come from the stylesheet, each time anew: the scheme may change.
const styled = (element, property) => () => getComputedStyle(element).getPropertyValue(property);

function line(column, { text }, number) {
  const stroke = styled(column, "color");
  return {
    label: column.dataset.name,
    value: text,
    stroke,
    width: 2,
    dash: DASHES[number].line,
    spanGaps: true,
    points: { size: 5, fill: stroke },
  };
}

function axes(plot, unit, scale) {
  const lines = { stroke: styled(plot, "border-top-color"), width: 1 };
  const both = {
    stroke: styled(plot, "color"),
    grid: lines,
    ticks: { ...lines, size: 4 },
    font: "12px system-ui, sans-serif",
  };
  const x = { ...both, space: 30, size: 30 };
  const y = {
    ...both,
    size: 50,
    values: (_, numbers) => numbers.map((number) => SHORT.format(number) + unit),
  };
  if (scale === LINEAR) return [x, y];
  x.splits = (chart, axis, lowest, highest) => scale.ticks(highest).map(scale.place);
  x.values = (_, places) => places.map((place) => SHORT.format(scale.number(place)));
  return [x, y];
}

function draw(table, group, plot) {
  const all = [...table.querySelectorAll("col")];
  const columns = [...group.children];
  const [along, ...lines] = [all[0], ...columns].map((column) => read(table, all.indexOf(column)));
  const scale = "logarithmic" in table.dataset ? LOGARITHMIC : LINEAR;
  const top = Number(group.dataset.top);
  const size = () => ({ width: Math.max(plot.clientWidth, 200), height: HEIGHT });
  const options = {
    ...size(),
    title: group.dataset.title,
    // A line along either end is to be seen whole.
    scales: { x: { time: false }, y: { range: [-0.02 * top, 1.03 * top] } },
    cursor: { y: false, sync: { key: table.id }, drag: { x: false, y: false } },
    legend: { markers: { dash: (_, series) => DASHES[series - 1].legend } },
    axes: axes(plot, group.dataset.unit, scale),
    series: [
      { label: table.dataset.axis, value: along.text },
      ...columns.map((column, number) => line(column, lines[number], number)),
    ],
  };
  const data = [along.numbers.map(scale.place), ...lines.map(({ numbers }) => numbers)];
  const chart = new uPlot(options, data, plot);
  const observer = new ResizeObserver(() => chart.setSize(size()));
  observer.observe(plot);
  drawn.add({ chart, observer });
}

function forget() {
  for (const old of drawn) {
    if (old.chart.root.isConnected) continue;
    old.observer.disconnect();
    old.chart.destroy();
    drawn.delete(old);
  }
}

function drawAll(root) {
  forget();
  for (const charts of root.querySelectorAll("[data-charts-of]")) {
    const table = document.getElementById(charts.dataset.chartsOf);
    const groups = [...table.querySelectorAll("colgroup[data-title]")];
    for (const [number, plot] of [...charts.children].entries()) {
      if (!plot.hasChildNodes()) draw(table, groups[number], plot);
    }
  }
}

htmx.onLoad(drawAll); // the page, and whatever is swapped into it

function redraw() {
  for (const { chart } of drawn) chart.redraw(false);
}
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
for (const choice of document.querySelectorAll("[name=scheme]")) {
  choice.addEventListener("change", redraw);
}
