"use strict";

// An update, step by step. Dragging a parameter recomputes the formula. Without this script each
// step is a page of its own, and there are no sliders.

const LAST_STAGE = 6;
const HEAT_STEPS = 20;

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

  function show(next) {
    stage = Math.max(1, Math.min(LAST_STAGE, next));
    box.dataset.stage = stage;
    for (const part of box.querySelectorAll("[data-from], [data-chosen]")) {
      part.toggleAttribute("data-later", stage < Number(part.dataset.from ?? part.dataset.chosen));
    }
    for (const mark of box.querySelectorAll("[data-step]")) {
      const here = Number(mark.dataset.step) === stage;
      if (here) mark.closest("li").setAttribute("aria-current", "step");
      else mark.closest("li").removeAttribute("aria-current");
    }
    for (const button of box.querySelectorAll("[data-walk]")) {
      const ends = stage === (Number(button.dataset.walk) > 0 ? LAST_STAGE : 1);
      if (ends) button.setAttribute("aria-disabled", "true");
      else button.removeAttribute("aria-disabled");
    }
    // At the end the link to the next example takes the place of the button.
    const following = box.querySelector("#update-following");
    for (const name of ["button", "primary"]) following?.classList.toggle(name, stage === LAST_STAGE);
    if (stage === LAST_STAGE && document.activeElement?.dataset.walk === "1") following?.focus();
    paint();
  }

  function drag() {
    const [alpha, gamma] = ["alpha", "gamma"].map((name) => {
      const input = box.querySelector(`[data-drag="${name}"]`);
      return input ? Number(input.value) : numbers[name];
    });
    const made = compute(numbers, alpha, gamma);
    const rounded = round(numbers.old, decimals) + alpha * (round(made.target, decimals) - round(numbers.old, decimals));
    const texts = {
      alpha: String(alpha), gamma: String(gamma), percent: String(round(100 * alpha, 0)),
      target: write(made.target, decimals), new: write(made.new, decimals),
    };
    for (const output of box.querySelectorAll("[data-output]")) {
      output.textContent = texts[output.dataset.output].replace(".", write(0.5, 1)[1]);
    }
    box.querySelector("[data-equals]").textContent = round(rounded, decimals) === round(made.new, decimals) ? "=" : "≈";
    const error = round(made.target - numbers.old, decimals);
    for (const words of box.querySelectorAll("[data-when]")) {
      words.hidden = words.dataset.when !== (error === 0 ? "" : alpha === 0 ? "zero" : error > 0 ? "up" : "down");
    }
    const shown = numbers.square + numbers.share * (made.new - numbers.old);
    after = { text: write(shown, 2), heat: scale && heatOf(shown, scale) };
    paint();
  }

  box.addEventListener("click", (event) => {
    const walk = event.target.closest("[data-walk]");
    const step = event.target.closest("[data-step]");
    if (!walk && !step || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    show(walk ? stage + Number(walk.dataset.walk) : Number(step.dataset.step));
    history.replaceState(null, "", box.querySelector(`[data-step="${stage}"]`).href);
  });
  box.addEventListener("input", () => {
    if (stage < LAST_STAGE) show(LAST_STAGE); // the picture answers at once
    drag();
  });
  if (box.querySelector("[data-walk]")) show(stage);
}

for (const box of document.querySelectorAll("[data-update]")) start(box);
