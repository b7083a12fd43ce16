"use strict";

// Selection of a tile by the pointer, by the arrow keys of a hidden slider, or by the links beside
// the picture, which also work without this script.

function probe(box) {
  const svg = box.querySelector("[data-mind]");
  const slider = box.querySelector("[data-mind-tile]");
  const outline = svg.querySelector(".chosen");
  const film = box.closest("[data-film]");
  const places = svg.dataset.places.split(" ").map((place) => place.split(",").map(Number));
  let chosen = Number(slider.value);
  let waiting = 0;
  let asked = null;

  function outlineTile() {
    const [x, y] = places[chosen];
    outline.setAttribute("d", `M${x} ${y}h1v1h-1z`);
  }

  // A URL of this page at the snapshot that the film shows.
  function at(address) {
    const url = new URL(address);
    url.searchParams.set("step", film.querySelector("[data-film-step]").value);
    return url;
  }

  async function describe() {
    asked?.abort();
    asked = new AbortController();
    const address = at(location);
    address.searchParams.set("tile", chosen);
    history.replaceState(history.state, "", address);
    for (const link of film.querySelectorAll(".colourings a")) link.href = at(link.href);
    try {
      const answer = await fetch(address, { signal: asked.signal, headers: { "HX-Request": "true" } });
      if (!answer.ok) throw new TypeError(answer.statusText);
      const text = await answer.text();
      const fresh = new DOMParser().parseFromString(text, "text/html").getElementById("tile");
      const old = document.getElementById("tile");
      const focus = old.contains(document.activeElement) ? document.activeElement.id : null;
      old.replaceWith(fresh);
      if (focus) document.getElementById(focus)?.focus();
      slider.ariaValueText = fresh.querySelector(".probe-words").textContent.trim().replace(/\s+/g, " ");
    } catch (error) {
      if (error.name === "AbortError") return;
      document.getElementById("tile-words").textContent = "This position could not be fetched. Choose it again.";
    }
  }

  function choose(tile, after = 60) {
    if (tile === chosen || !places[tile]) return;
    chosen = tile;
    slider.value = tile;
    outlineTile();
    clearTimeout(waiting);
    waiting = setTimeout(describe, after);
  }

  function under(event) {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    return places.findIndex(([x, y]) => point.x >= x && point.x < x + 1 && point.y >= y && point.y < y + 1);
  }

  // The nearest tile of the row above or below.
  function beside(down) {
    const [x, y] = places[chosen];
    const rows = [...new Set(places.map((place) => place[1]))].sort((a, b) => a - b);
    const wanted = rows[rows.indexOf(y) + down];
    let nearest = chosen;
    places.forEach((place, tile) => {
      if (place[1] === wanted && (places[nearest][1] !== wanted || Math.abs(place[0] - x) < Math.abs(places[nearest][0] - x))) nearest = tile;
    });
    return nearest;
  }

  svg.addEventListener("pointermove", (event) => {
    if (event.pointerType === "mouse") choose(under(event));
  });
  svg.addEventListener("click", (event) => {
    const tile = under(event);
    if (tile < 0) return;
    const again = tile === chosen;
    choose(tile, 0);
    slider.focus({ preventScroll: true });
    document.getElementById("tile").scrollIntoView({ block: "nearest", behavior: isCalm() ? "instant" : "smooth" });
    if (again && event.pointerType === "mouse") document.getElementById("tile-open").click();
  });
  slider.addEventListener("input", () => choose(Number(slider.value)));
  slider.addEventListener("keydown", (event) => {
    const down = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (event.key === "Enter") document.getElementById("tile-open").click();
    else if (down) choose(beside(down));
    else return;
    event.preventDefault();
  });
  film.addEventListener("film:rest", describe);
  document.addEventListener("click", (event) => {
    const step = { "tile-before": -1, "tile-after": 1 }[event.target.id];
    if (!step) return;
    event.preventDefault();
    choose((chosen + step + places.length) % places.length, 0);
  });
  outlineTile();
}

for (const box of document.querySelectorAll(".mind-box:has([data-mind-tile])")) probe(box);
