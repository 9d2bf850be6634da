"use strict";

// Texts, positions and numbers come from the library; this only chooses which to show.
(() => {
  const found = (id) => document.getElementById(id);
  const parsed = (id) => JSON.parse(found(id).textContent);
  const all = (selector) => [...document.querySelectorAll(selector)];

  const points = parsed("statement").curve_points;
  const { first, texts, positions } = parsed("readings");
  const slider = found("fpr");
  const tied = (text) => text.replaceAll(" %", "\u00a0%");

  const move = (group, [x, run, mu]) => {
    const line = group.querySelector("path");
    line.setAttribute("d", line.getAttribute("d").replace(/^M\S+/, `M${x}`));
    for (const [name, y] of [["run", run], ["mu", mu]]) {
      const circle = group.querySelector(`circle.${name}`);
      circle.setAttribute("cx", x);
      circle.setAttribute("cy", y);
    }
  };

  const show = () => {
    const at = Number(slider.value);
    for (const shown of all("[data-shows]")) {
      const key = shown.dataset.shows;
      shown.textContent = tied(texts[at][key]);
      if (shown.localName === "data") shown.value = points[key][first + at];
    }
    slider.setAttribute("aria-valuetext", texts[at].spoken);
    all("[data-marks]").forEach((group, panel) => move(group, positions[at][panel]));
  };

  const step = (by) => () => {
    slider.value = Number(slider.value) + by;
    show();
    // The slider speaks for itself, its buttons do not.
    found("spoken").textContent = slider.getAttribute("aria-valuetext");
  };

  const copy = (source) => async () => {
    const text = source.textContent;
    try {
      await navigator.clipboard.writeText(text);
      found("copied").textContent = "Copied.";
    } catch {
      // A browser may forbid it to a local file: the reader then copies the selection.
      getSelection().selectAllChildren(source);
      found("copied").textContent = "Selected; copy it with Ctrl+C.";
    }
  };

  slider.addEventListener("input", show);
  found("lower").addEventListener("click", step(-1));
  found("higher").addEventListener("click", step(1));
  for (const button of all("[data-copies]")) {
    button.addEventListener("click", copy(found(button.dataset.copies)));
  }
  for (const id of ["control", "copy"]) found(id).hidden = false;
  show();
})();
