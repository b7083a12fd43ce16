"use strict";

// A page around the frame hears how high its content is; whether it listens is its own affair.

new ResizeObserver(() => {
  parent.postMessage({ qtactoe: document.documentElement.scrollHeight }, "*");
}).observe(document.body);

// Whoever opens the whole page goes on from where the frame stands.

document.addEventListener("htmx:replacedInHistory", () => {
  const page = location.pathname.replace("/embed/board/", "/play/").replace("/embed/", "/");
  document.getElementById("whole").href = page + location.search;
});
