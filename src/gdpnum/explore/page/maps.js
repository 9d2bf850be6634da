// Draws the map and the line, which take longer than numbers: coarse at first, one at a time, and only
// what is still wanted.

import { asked } from "./asking.js";
import { $, draw } from "./drawing.js";

const drawn = { map: "", line: "" };
const wanted = { map: "", line: "" };
const busy = { map: false, line: false };
const drawing = {}; // the key that is being drawn, since when, and how to give it up
const started = {};
const givenUp = {};

export function maps(mapKey, lineKey) {
  wanted.map = mapKey;
  wanted.line = lineKey;
  for (const [name, since] of Object.entries(started)) {
    // One that takes long and is of no use any more is given up.
    if (drawing[name] !== wanted[name] && performance.now() - since > 500) givenUp[name]?.abort();
  }
  work("map", ["/api/map/coarse", "/api/map/fine"]);
  work("line", ["/api/noise"]);
}

async function work(name, stages) {
  if (busy[name] || drawn[name] === wanted[name]) return;
  busy[name] = true;
  $(name).setAttribute("aria-busy", "true");
  while (drawn[name] !== wanted[name] && document.body.dataset.view === "trade") {
    const key = wanted[name];
    givenUp[name] = new AbortController();
    drawing[name] = key;
    started[name] = performance.now();
    for (const [number, stage] of stages.entries()) {
      if (number && wanted[name] !== key) break;
      const { signal } = givenUp[name];
      const answer = await asked(`${stage}?${key}`, { signal }).catch(() => null);
      if (!answer || answer.message) break;
      draw(name, answer.drawing);
      draw(`${name}-table`, answer.table);
      $(`${name}-caption`).textContent = answer.caption;
    }
    drawn[name] = key;
  }
  busy[name] = false;
  $(name).removeAttribute("aria-busy");
  $(name).dataset.drawn = drawn[name];
}
