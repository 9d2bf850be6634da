// "Why mu changed": the nearest measured setting to one that is pasted. Computes no mu.
(() => {
  const field = document.getElementById("lookup-setting");
  const data = document.getElementById("lookup-data");
  if (!field || !data) return;
  const found = document.getElementById("lookup-found");
  const rows = JSON.parse(data.textContent);

  // By name where there are names, in order where there are not; a / b is a quotient.
  const number = String.raw`([0-9][0-9_]*(?:\.[0-9]*)?(?:e[-+]?[0-9]+)?(?:\s*/\s*[0-9][0-9_]*)?)`;
  const value = (text) => {
    const [top, bottom] = text.replaceAll("_", "").split("/").map(Number);
    return bottom === undefined ? top : top / bottom;
  };
  const named = (text, ...names) => {
    for (const name of names) {
      const match = new RegExp(`${name}["']?\\s*[=:\\s]\\s*${number}`, "i").exec(text);
      if (match) return value(match[1]);
    }
    return NaN;
  };
  const setting = (text) => {
    let sigma = named(text, "noise.multiplier", "sigma");
    let rate = named(text, "sample.rate", "sampling.prob\\w*", "rate", "\\bq");
    const steps = named(text, "num.steps", "steps", "iterations", "\\bT");
    const batch = named(text, "batch.size"), size = named(text, "dataset.size");
    if (Number.isNaN(rate) && batch && size) rate = batch / size;
    if ([sigma, rate, steps].some(Number.isNaN)) {
      const all = [...text.matchAll(new RegExp(number, "gi"))].map((match) => value(match[1]));
      return all.length === 3 ? all : null;
    }
    return [sigma, rate, steps];
  };

  const line = (tag, text) => {
    const element = document.createElement(tag);
    element.textContent = text;
    return element;
  };
  const shown = (x) => Number(x.toPrecision(4)).toString();

  const look = () => {
    const given = setting(field.value);
    if (!given || !(given[0] > 0 && given[1] > 0 && given[1] <= 1 && given[2] >= 1)) {
      found.replaceChildren(line("p", "Not three numbers yet: a noise multiplier above 0, a sample rate up to 1, and steps."));
      return;
    }
    // Noise counts for most: mu grows with exp(1 / sigma^2) where it is small.
    const weights = [3, 1, 1];
    const distance = (row) => weights.reduce((sum, w, i) => sum + w * Math.log(row[i] / given[i]) ** 2, 0);
    const nearest = rows.reduce((best, row) => (distance(row) < distance(best) ? row : best));
    const [sigma, rate, steps, published, lower, mu] = nearest;
    const exact = distance(nearest) < 1e-9;
    const place = `noise multiplier ${shown(sigma)}, sample rate ${shown(rate)}, ${steps} steps`;
    const parts = [line("p", `${exact ? "Measured" : "The nearest that was measured (not your setting)"}: ${place}.`)];
    let verdict;
    if (published === null) verdict = `gdpnum 0.1.2 failed; this version has mu ${shown(mu)}.`;
    else if (published < lower) verdict = `gdpnum 0.1.2 said mu ${shown(published)}; an attack exists that needs ${shown(lower)}, and ${shown(mu)} holds. It was too small by ${shown(100 * (1 - published / lower))} %${published > 0.995 * lower ? ", which may be convention and no error (see below)" : ""}.`;
    else verdict = `gdpnum 0.1.2 said mu ${shown(published)}, which is right; this version has ${shown(mu)}.`;
    parts.push(line("p", verdict));
    if (!exact && distance(nearest) > 1.5) parts.push(line("p", "It is far from yours; run the command instead."));
    parts.push(line("p", "For your own setting, in this version:"));
    parts.push(line("pre", `gdpnum dpsgd --noise-multiplier ${given[0]} --sample-rate ${given[1]} --steps ${given[2]}`));
    parts.push(line("p", "and in either version:"));
    parts.push(line("pre", `python -c "from gdpnum.dpsgd import get_mu_and_regret_for_dpsgd as f; print(f(${given[0]}, ${given[1]}, ${given[2]}))"`));
    found.replaceChildren(...parts);
  };
  field.addEventListener("input", look);
  look();
})();
