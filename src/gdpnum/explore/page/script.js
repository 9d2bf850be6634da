// Shows what the server says and asks it again; every number, text and line comes from there.

import { NoAnswer, asked } from "./asking.js";
import { $, HTML, all, draw, fill, show } from "./drawing.js";
import { maps } from "./maps.js";

let described; // what can be set
let state = new URLSearchParams(); // what is set: the text of the link
let shown = ""; // the last state that the numbers on the page are of
let isPinning = false; // whether the next run that is shown is to be pinned
let file = null; // what was read last: {kind, label, parts, checks}
let scores = null;

// --- asking -----------------------------------------------------------------------------------

let isAsking = false;
let isWanted = false;

function ask() {
  isWanted = true;
  if (!isAsking) asking();
}

async function asking() {
  isAsking = true;
  try {
    while (isWanted) {
      isWanted = false;
      await once(state.toString());
    }
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    tell("The program that serves this page has ended; start gdpnum explore again.", "server");
  } finally {
    isAsking = false;
  }
}

async function once(query) {
  const questions = [asked(`/api/plan?${query}`)];
  const view = state.get("view") ?? "plan";
  if (view === "read" && (file || scores || state.get("parts"))) questions.push(asked(`/api/reading?${query}`, reading()));
  const answers = await Promise.all(questions);
  const wrong = answers.find((answer) => answer.message);
  if (wrong && !shown) {
    // A link that cannot be read: say so, and start from what can.
    tell(wrong.message, "link");
    adopt(new URLSearchParams(described.default));
    isWanted = true;
    return;
  }
  if (wrong) {
    // Not at every key: half a number is no mistake yet.
    later("wrong", 350, () => tell(wrong.message));
    return;
  }
  const [plan, more] = answers;
  show(plan);
  if (plan.compared) compared(plan.compared);
  if (view === "read" && more) show(more, "read-");
  settle(plan);
}

const reading = () => ({
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify({ parts: file?.parts, scores }),
});

function settle(plan) {
  clearTimeout(timers.wrong);
  tell("");
  shown = plan.query;
  // What the server understood, where it is not what was sent: 1e4 is 10000.
  if (!isWanted) adopt(new URLSearchParams(plan.query));
  document.documentElement.dataset.shown = plan.query;
  if (isPinning && !isWanted) {
    isPinning = false;
    add(plan.pin);
  }
  later("link", 250, () => {
    if ($("message").dataset.about !== "link") history.replaceState(null, "", `#${shown}`);
    for (const one of all("#files a")) one.href = `/take/${one.dataset.file}?${shown}`;
  });
  later("spoken", 700, () => { $("spoken").textContent = plan.texts.spoken; });
  if (plan.map_key) maps(plan.map_key, plan.line_key);
}

const timers = {};
function later(name, wait, task) {
  clearTimeout(timers[name]);
  timers[name] = setTimeout(task, wait);
}

// Messages that the next good answer does not take away, but the next change does.
const STAYING = ["file", "link"];

function tell(message, about = "state") {
  const place = $("message");
  if (!message && STAYING.includes(place.dataset.about)) return;
  place.hidden = !message;
  if (place.textContent !== message) place.textContent = message;
  place.dataset.about = about;
  document.body.classList.toggle("is-stale", Boolean(message) && ["state", "server"].includes(about));
  for (const input of all("[data-key]")) {
    if (message.startsWith(`${input.dataset.key}=`)) {
      input.setAttribute("aria-invalid", "true");
      input.setAttribute("aria-errormessage", "message");
    } else {
      input.removeAttribute("aria-invalid");
      input.removeAttribute("aria-errormessage");
    }
  }
}

function set(key, value) {
  $("message").dataset.about = "state";
  state.set(key, value);
  if (key === "across" || key === "up") {
    // Two parameters, never one twice.
    const other = key === "across" ? "up" : "across";
    const current = $(other).value;
    if (current === value) state.set(other, described.axes.map(([name]) => name).find((name) => name !== value));
  }
  ask();
}

// --- controls ---------------------------------------------------------------------------------

function field({ name, label, note, stops }) {
  const row = document.createElement("div");
  row.className = "field";
  row.dataset.field = name;
  const [title, number, slider, small] = ["label", "input", "input", "small"].map((tag) => document.createElement(tag));
  title.htmlFor = number.id = name;
  title.textContent = label;
  number.inputMode = "decimal";
  number.dataset.key = name;
  number.setAttribute("aria-describedby", `${name}-note`);
  slider.type = "range";
  slider.id = `${name}-slider`;
  slider.min = 0;
  slider.max = stops.length - 1;
  slider.setAttribute("aria-label", label);
  slider.addEventListener("input", () => {
    number.value = stops[slider.value];
    slider.setAttribute("aria-valuetext", stops[slider.value]);
    set(name, stops[slider.value]);
  });
  small.id = `${name}-note`;
  small.textContent = note;
  row.append(title, number, slider, small);
  return row;
}

function options(select, pairs) {
  const wantedOptions = pairs.map(([value, label]) => ["option", { value }, label]);
  fill(select, wantedOptions, HTML);
}

function nearest(stops, value) {
  let best = 0;
  stops.forEach((stop, at) => {
    if (Math.abs(stop - value) < Math.abs(stops[best] - value)) best = at;
  });
  return best;
}

function adopt(next) {
  state = next;
  const view = state.get("view") ?? "plan";
  document.body.dataset.view = view;
  for (const tab of all("[role=tab]")) {
    const isSelected = tab.dataset.view === view;
    tab.setAttribute("aria-selected", isSelected);
    tab.tabIndex = isSelected ? 0 : -1;
    if (isSelected) $("panel").setAttribute("aria-labelledby", tab.id);
  }
  const scheme = described.schemes.find((one) => one.name === state.get("batches")) ?? described.schemes[0];
  options($("neighbouring"), scheme.relations);
  $("neighbouring").disabled = scheme.relations.length < 2;
  $("batches-note").textContent = scheme.note;
  const asks = [...scheme.asks, "noise_multiplier", "records_per_person"];
  for (const row of all("#planned .field")) row.hidden = !asks.includes(row.dataset.field);
  const defaults = { ...described.defaults, neighbouring: scheme.relations[0][0] };
  for (const input of all("[data-key]")) {
    const value = state.get(input.dataset.key) ?? defaults[input.dataset.key] ?? "";
    if (input !== document.activeElement && input.value !== value) input.value = value;
    const slider = $(`${input.id}-slider`);
    if (slider && slider !== document.activeElement) {
      slider.value = nearest(described.fields[input.dataset.key].stops, Number(value));
      slider.setAttribute("aria-valuetext", value);
    }
  }
  pinned();
  if (state.get("parts") && !file) {
    file = { kind: "run", label: state.get("name") || "A run from the link", parts: state.get("parts"), checks: [] };
    readShown();
  }
}

// --- compare ----------------------------------------------------------------------------------

function pinned() {
  const pins = state.getAll("pin");
  fill($("pins"), pins.map((one, at) => {
    const name = new URLSearchParams(one).get("name") || `Pin ${at + 1}`;
    return ["li", {}, ["span", {}, name], ["button", { type: "button", "data-unpins": String(at), "aria-label": `Unpin ${name}` }, "×"]];
  }), HTML);
  for (const one of [$("pin"), $("pin-read")]) one.disabled = pins.length >= described.most_pins;
}

function add(one) {
  state.append("pin", one);
  pinned();
  ask();
}

function unpin(at) {
  const pins = state.getAll("pin");
  state.delete("pin");
  pins.filter((_, number) => number !== at).forEach((one) => state.append("pin", one));
  pinned();
  ask();
}

function compared(answer) {
  draw("compare-table", answer.table);
  draw("orders", answer.orders);
  for (const [name, tree] of Object.entries(answer.drawings)) draw(name, tree);
  later("paper", 200, paper);
}

// The table for a paper holds whole statements, which take longer; it is asked for when looked at.
async function paper() {
  if (!$("paper").open) return;
  for (const [id, name] of [["paper-latex", "table.tex"], ["paper-markdown", "table.md"]]) {
    const answer = await fetch(`/take/${name}?${shown}`);
    $(id).textContent = await answer.text();
  }
}

// --- read -------------------------------------------------------------------------------------

async function take(chosen) {
  if (!chosen) return;
  if (chosen.size > described.largest_upload) {
    tell(`${chosen.name} has ${chosen.size} bytes, above ${described.largest_upload}; choose a smaller file.`, "file");
    return;
  }
  let answer;
  try {
    const headers = { "Content-Type": "application/octet-stream", "X-File-Name": encodeURIComponent(chosen.name) };
    answer = await asked("/api/read", { method: "POST", headers, body: chosen });
  } catch {
    answer = { message: `${chosen.name} cannot be read; choose it again.` };
  }
  if (!answer || answer.message) {
    tell(answer?.message ?? "The file was not read; choose it again.", "file");
    return;
  }
  $("message").dataset.about = "state";
  if (answer.kind === "scores") {
    scores = answer.scores;
  } else {
    file = answer;
    const fits = answer.parts.length <= described.parts_in_link;
    if (fits) state.set("parts", answer.parts);
    else state.delete("parts");
    $("read-link").textContent = fits ? "" : "It is too long for a link: neither link nor pin can hold it.";
  }
  readShown();
  ask();
}

function readShown() {
  $("read-shown").hidden = !file && !scores;
  document.body.classList.toggle("is-read", Boolean(file) && file.parts.length <= described.parts_in_link);
  $("read-title").textContent = file ? `${file.label} (${file.kind})` : "The run that is set, with an audit";
  fill($("checks"), (file?.checks ?? []).map((said) => ["li", {}, said]), HTML);
  $("pin-read").hidden = !file || file.parts.length > described.parts_in_link;
  for (const one of [$("audit"), $("audit-key")]) one.hidden = !scores;
}

function forget() {
  file = scores = null;
  state.delete("parts");
  $("file").value = "";
  readShown();
  ask();
}

// --- taking away ------------------------------------------------------------------------------

async function copy(text, source) {
  try {
    await navigator.clipboard.writeText(text);
    $("copied").textContent = "Copied.";
  } catch {
    if (source) getSelection().selectAllChildren(source);
    $("copied").textContent = source ? "Selected; press Ctrl-C." : `The link: ${text}`;
    if (!source) history.replaceState(null, "", `#${shown}`);
  }
}

function flash(button) {
  const said = button.textContent;
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = said; }, 1200);
}

// --- events -----------------------------------------------------------------------------------

function listen() {
  document.addEventListener("input", ({ target }) => {
    if (target.dataset?.key) {
      set(target.dataset.key, target.value);
      for (const twin of all(`[data-key="${target.dataset.key}"]`)) {
        if (twin !== target) twin.value = target.value;
      }
    }
  });
  $("controls").addEventListener("submit", (event) => event.preventDefault());
  document.addEventListener("click", ({ target }) => {
    const { view, unpins, copies } = target.dataset ?? {};
    if (target.role === "tab" || target.getAttribute("role") === "tab") choose(view);
    if (unpins !== undefined) unpin(Number(unpins));
    if (copies) copy($(copies).textContent, $(copies)).then(() => flash(target));
  });
  document.querySelector("[role=tablist]").addEventListener("keydown", (event) => {
    const tabs = all("[role=tab]");
    const at = tabs.indexOf(document.activeElement);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const tab = tabs[(to + tabs.length) % tabs.length];
    tab.focus();
    choose(tab.dataset.view);
  });
  $("copy-link").addEventListener("click", () => {
    copy(`${location.origin}/#${shown}`, null).then(() => flash($("copy-link")));
  });
  $("find").addEventListener("click", find);
  $("find-aim").addEventListener("keydown", (event) => { if (event.key === "Enter") find(); });
  $("pin").addEventListener("click", () => {
    // What is set by now, though its answer may be on its way.
    isPinning = true;
    ask();
  });
  $("pin-read").addEventListener("click", () => {
    add(new URLSearchParams({ parts: file.parts, name: file.name || file.label }).toString());
    choose("compare");
  });
  $("paper").addEventListener("toggle", paper);
  $("forget").addEventListener("click", forget);
  $("file").addEventListener("change", () => take($("file").files[0]));
  for (const kind of ["dragover", "dragleave", "drop"]) {
    document.addEventListener(kind, (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      $("drop").classList.toggle("is-over", kind === "dragover");
      if (kind === "drop") {
        choose("read");
        take(event.dataTransfer.files[0]);
      }
    });
  }
  addEventListener("hashchange", () => {
    const text = location.hash.slice(1);
    if (text !== shown) {
      file = null;
      open(text);
    }
  });
}

function choose(view) {
  if (view === (state.get("view") ?? "plan")) return;
  if (view === "plan") state.delete("view");
  else state.set("view", view);
  adopt(state);
  ask();
}

async function find() {
  const answer = await asked(`/api/find?${state}`);
  if (answer.message) {
    tell(answer.message, "find");
    $("found").textContent = "";
    return;
  }
  $("found").textContent = answer.said;
  set("noise_multiplier", answer.noise_multiplier);
}

function open(text) {
  adopt(new URLSearchParams(text || described.default));
  ask();
}

async function start() {
  described = await asked("/api/describe");
  $("version").textContent = described.version;
  $("planned").append(...described.planned.map((name) => field(described.fields[name])));
  $("read-off").append(...["fpr", "delta"].map((name) => field(described.fields[name])));
  options($("batches"), described.schemes.map(({ name, label }) => [name, label]));
  for (const id of ["find-target", "line-target"]) options($(id), described.targets);
  options($("measure"), described.measures);
  for (const id of ["across", "up"]) options($(id), described.axes);
  options($("scores"), described.designs);
  fill($("files"), described.files.map(([title, views, names]) => ["div", { class: "view", "data-for": views },
    ["dt", {}, title],
    ["dd", {}, ...names.map(([name, said]) => ["a", { href: `/take/${name}`, download: name, "data-file": name, "aria-label": `${title}, ${said}` }, said])],
  ]), HTML);
  listen();
  open(location.hash.slice(1));
}

start();
