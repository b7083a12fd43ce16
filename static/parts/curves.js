"use strict";

// Charts of the tables that hold their numbers: each line of a chart is a column, in their order.
// What a legend says is the text of the table, of its last row until something is pointed at.

const HEIGHT = 220;
const DASHES = [
  { legend: "solid", line: [] },
  { legend: "dashed", line: [9, 5] },
  { legend: "dotted", line: [2, 4] },
  { legend: "double", line: [10, 4, 2, 4] },
];
let compact; // takes a while to make, and a page that is only opened needs none
function short(number) {
  compact ??= new Intl.NumberFormat("en", { notation: "compact" });
  return compact.format(number);
}

// Where on its axis a number lies; the logarithmic one begins with 0.
const LINEAR = { place: (number) => number };
const LOGARITHMIC = {
  place: (number) => Math.log10(1 + number),
  number: (place) => Math.round(10 ** place - 1),
  ticks: (highest) => [0, ...Array.from({ length: Math.ceil(highest) }, (_, power) => 10 ** power)],
};

const drawn = new Set();

// One column of a table, as people read it and as numbers; a share that is next to nothing or to all
// stands there as "<0.01" or ">99.99".  A line says what it was last where a place has no number of it.
function read(table, column) {
  const texts = [...table.tBodies[0].rows].map((row) => row.cells[column].textContent.trim());
  return {
    numbers: texts.map((text) => (text ? Number(text.replace(/[<>,]/g, "")) : null)),
    text: (plot, number, series, index) =>
      texts.slice(0, (index ?? texts.length - 1) + 1).findLast(Boolean) ?? "",
  };
}

// Colours come from the stylesheet, each time anew: the scheme may change.
const styled = (element, property) => () => getComputedStyle(element).getPropertyValue(property);

function line(key, { text }, number) {
  const stroke = styled(key, "color");
  return {
    label: key.dataset.name,
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
    values: (_, numbers) => numbers.map((number) => short(number) + unit),
  };
  if (scale === LINEAR) return [x, y];
  x.splits = (chart, axis, lowest, highest) => scale.ticks(highest).map(scale.place);
  x.values = (_, places) => places.map((place) => short(scale.number(place)));
  return [x, y];
}

function draw(plot) {
  nearing.unobserve(plot);
  const charts = plot.parentElement;
  const table = document.getElementById(charts.dataset.chartsOf);
  const keys = [...plot.children];
  const before = [...charts.querySelectorAll("i")].indexOf(keys[0]);
  const along = read(table, 0);
  const lines = keys.map((key, number) => read(table, 1 + before + number));
  const scale = "logarithmic" in table.dataset ? LOGARITHMIC : LINEAR;
  const top = Number(plot.dataset.top);
  const high = (element) => element.getBoundingClientRect().height;
  const room = high(plot); // what the page keeps for it: were it higher, all below would jump
  let over = 0;
  const size = () => ({ width: Math.max(plot.clientWidth, 200), height: HEIGHT - over });
  const fit = (chart) => {
    over = Math.max(0, Math.ceil(high(chart.root) - room));
    if (over) chart.setSize(size());
  };
  const options = {
    ...size(),
    hooks: { ready: [fit] },
    title: plot.dataset.title,
    // A line along either end is to be seen whole.
    scales: { x: { time: false }, y: { range: [-0.02 * top, 1.03 * top] } },
    cursor: { y: false, sync: { key: table.id }, drag: { x: false, y: false } },
    legend: { markers: { dash: (_, series) => DASHES[series - 1].legend } },
    axes: axes(plot, plot.dataset.unit, scale),
    series: [
      { label: table.dataset.axis, value: along.text },
      ...keys.map((key, number) => line(key, lines[number], number)),
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

// The library is fetched for the first chart that comes near the screen, and again by the next one
// if it did not arrive.  Once it is there, what is swapped into the page is drawn at once.

const { library } = document.currentScript.dataset;
let fetched;

function ready() {
  fetched ??= new Promise((resolve) => {
    const script = Object.assign(document.createElement("script"), { src: library });
    script.addEventListener("load", resolve);
    script.addEventListener("error", () => { fetched = undefined; });
    document.head.append(script);
  });
  return fetched;
}

const undrawn = (root) => root.querySelectorAll(".plot:not(:has(.uplot))");
const drawAll = (root) => undrawn(root).forEach(draw);

const nearing = new IntersectionObserver(
  async (entries) => {
    const near = new Set(entries.filter((entry) => entry.isIntersecting).map(({ target }) => target));
    if (!near.size) return;
    await ready();
    [...undrawn(document)].filter((plot) => near.has(plot)).forEach(draw);
  },
  { rootMargin: "100% 0px" },
);

htmx.onLoad((root) => {
  forget();
  if (window.uPlot && root !== document.body) drawAll(root);
  else undrawn(root).forEach((plot) => nearing.observe(plot));
});
addEventListener("beforeprint", () => window.uPlot && drawAll(document));

function redraw() {
  for (const { chart } of drawn) chart.redraw(false);
}
for (const media of ["(prefers-color-scheme: dark)", "print"]) {
  matchMedia(media).addEventListener("change", redraw);
}
for (const choice of document.querySelectorAll("[name=scheme]")) {
  choice.addEventListener("change", redraw);
}
