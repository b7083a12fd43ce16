"use strict";

// An update, step by step. Dragging a parameter recomputes the formula. Without this script all
// steps are visible at once.

const LAST_STAGE = 6;
const HEAT_STEPS = 20;
const STEP_PIXELS = 80; // of the wheel, for one step

function write(value, decimals) {
  const text = value.toFixed(decimals).replace("-", "−");
  const plain = Number(text.replace("−", "-")) === 0 ? text.replace("−", "") : text;
  return ["de", "fr"].includes(document.documentElement.lang) ? plain.replace(".", ",") : plain;
}

const round = (value, decimals) => Number(value.toFixed(decimals));

// The formula: target = reward · γ^power + γ · next value, new = old + α (target − old).

function compute({ old, reward, next, power }, alpha, gamma) {
  const target = reward * gamma ** power + gamma * next;
  return { target, new: old + alpha * (target - old) };
}

function heatOf(value, scale) {
  const [loss, draw, win] = scale;
  const scaled = value < draw ? (value - draw) / (draw - loss) : (value - draw) / (win - draw);
  return Math.round(HEAT_STEPS * Math.max(-1, Math.min(1, scaled)));
}

function start(box) {
  const numbers = Object.fromEntries(
    ["old", "reward", "next", "power", "alpha", "gamma", "square", "share"].map((name) => [name, Number(box.dataset[name])]));
  const decimals = Number(box.dataset.decimals);
  const scale = box.dataset.scale?.split(" ").map(Number);
  const square = box.querySelector('.cell[data-symbol="old"]');
  const value = square?.querySelector(".value");
  const before = { text: value?.textContent, heat: square?.dataset.heat };
  let stage = Number(box.dataset.stage);
  let after = { text: box.dataset.shown, heat: box.dataset.becomes };

  function paint() {
    if (!square || !value) return;
    const shown = stage === LAST_STAGE ? after : before;
    value.textContent = shown.text;
    if (shown.heat !== undefined) square.dataset.heat = shown.heat;
  }

  function show(next, scroll = true) {
    stage = Math.max(1, Math.min(LAST_STAGE, next));
    box.dataset.stage = stage;
    for (const part of box.querySelectorAll("[data-from], [data-chosen]")) {
      part.toggleAttribute("data-later", stage < Number(part.dataset.from ?? part.dataset.chosen));
    }
    for (const mark of box.querySelectorAll("[data-step]")) {
      const item = mark.closest("li");
      const here = Number(mark.dataset.step) === stage;
      item.toggleAttribute("aria-current", here);
      if (!here) continue;
      item.setAttribute("aria-current", "step");
      if (scroll) item.parentElement.scrollTo({ left: item.offsetLeft - item.parentElement.offsetLeft });
      if (mark.href && scroll !== null) history.replaceState(null, "", mark.href);
    }
    for (const button of box.querySelectorAll("[data-walk]")) {
      const ends = stage === (Number(button.dataset.walk) > 0 ? LAST_STAGE : 1);
      button.toggleAttribute("aria-disabled", ends);
      if (ends) button.setAttribute("aria-disabled", "true");
    }
    if (!(scroll === null && "keeps" in box.dataset)) paint();
  }

  function drag() {
    const [alpha, gamma] = ["alpha", "gamma"].map((name) => {
      const input = box.querySelector(`[data-drag="${name}"]`);
      return input ? Number(input.value) : numbers[name];
    });
    const made = compute(numbers, alpha, gamma);
    const rounded = round(numbers.old, decimals) + alpha * (round(made.target, decimals) - round(numbers.old, decimals));
    const texts = {
      alpha: String(alpha), gamma: String(gamma),
      target: write(made.target, decimals), new: write(made.new, decimals),
    };
    for (const output of box.querySelectorAll("[data-output]")) {
      output.textContent = texts[output.dataset.output].replace(".", write(0.5, 1)[1]);
    }
    box.querySelector("[data-equals]").textContent = round(rounded, decimals) === round(made.new, decimals) ? "=" : "≈";
    box.querySelector(".update-way .gone").setAttribute("x2", 100 * alpha);
    const shown = numbers.square + numbers.share * (made.new - numbers.old);
    after = { text: write(shown, 2), heat: scale && heatOf(shown, scale) };
    paint();
  }

  box.addEventListener("click", (event) => {
    const walk = event.target.closest("[data-walk]");
    const item = event.target.closest(".update-steps li");
    if (walk) show(stage + Number(walk.dataset.walk));
    if (!item) return;
    event.preventDefault();
    show(Number(item.querySelector("[data-step]").dataset.step));
  });
  box.addEventListener("input", () => {
    if (stage < LAST_STAGE) show(LAST_STAGE); // the picture answers at once
    drag();
  });
  // Swiping selects a step.
  const list = box.querySelector(".update-steps");
  let swiped = false; // whether the user scrolled, not the script
  for (const kind of ["touchmove", "wheel", "pointerdown"]) {
    list.addEventListener(kind, () => { swiped = true; }, { passive: true });
  }
  list.addEventListener("scrollend", () => {
    if (!swiped) return;
    swiped = false;
    const items = [...list.children];
    const left = list.getBoundingClientRect().left;
    const nearest = items.findIndex((item) => item.getBoundingClientRect().left >= left - 8);
    const atEnd = list.scrollLeft + list.clientWidth >= list.scrollWidth - 2;
    if (list.scrollWidth > list.clientWidth) show((atEnd ? items.length - 1 : nearest) + 1, false);
  });
  // With the focus on a step the wheel changes the step; at both ends it scrolls the page.
  let turned = 0; // pixels scrolled since the last step
  list.addEventListener("wheel", (event) => {
    const target = stage + Math.sign(event.deltaY);
    if (!list.matches(":focus-within") || list.scrollWidth > list.clientWidth) return;
    if (!event.deltaY || target < 1 || target > LAST_STAGE) return;
    event.preventDefault();
    turned += event.deltaY;
    if (Math.abs(turned) < STEP_PIXELS) return;
    turned = 0;
    show(target);
  }, { passive: false });
  show(stage, null);
  if (!("keeps" in box.dataset)) {
    const item = list.children[stage - 1];
    list.scrollTo({ left: item.offsetLeft - list.offsetLeft });
  }
}

for (const box of document.querySelectorAll("[data-update]")) start(box);
