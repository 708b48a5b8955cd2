"use strict";
// A slider for each bound: it names the best point within them, as `fairfront choose` does, and its commands.
const MOST_STOPS = 1000;  // of a slider

// Rows that `fairfront choose` takes into account for one of its problems; all problems are sorted out at once.
function choosable({ fronts, models }) {
  if (models.rows) return models.rows;
  const lists = models.choices.map(() => []);
  for (let row = 0; row < fronts.task.length; ++row) {
    const task = fronts.task[row];
    if (models.choice[task] >= 0 && !models.leftOut.has(task)) lists[models.choice[task]].push(row);
  }
  return models.rows = lists.map((list) => Int32Array.from(list));
}

const signOf = (objective) => (objective.direction === "maximise" ? -1 : 1);

// By how far the rows lie apart in an objective: the unit in which several bounds are compared. 0: they are level.
function spreadOf(column, rows) {
  let least = Infinity, greatest = -Infinity;
  for (const row of rows) {
    least = Math.min(least, column[row]);
    greatest = Math.max(greatest, column[row]);
  }
  return greatest - least;
}

// How far a value is beyond a bound. Where all are level there is no unit: they break the bound, or none comes near it.
function inUnits(over, unit) {
  if (unit > 0) return over / unit;
  return over > 0 ? Infinity : -Infinity;
}

// What `fairfront choose` names: { row, kept }. Where no row keeps the bounds, the one that misses them least; row -1: nothing.
// bounds: of every objective its bound, null where it has none.
function bestWithin(archive, choice, best, bounds, method = -1) {
  const { fronts: { points, task, objectives }, models } = archive;
  const limited = bounds.map((_, i) => i).filter((i) => bounds[i] !== null);
  const signs = objectives.map(signOf);
  const rows = choosable(archive)[choice].filter((row) => method < 0 || models.method[task[row]] === method);
  const units = limited.map((i) => (limited.length > 1 ? spreadOf(points[i], rows) : 1));
  const excessOf = (row) => limited.reduce((most, i, at) => Math.max(most, inUnits(signs[i] * (points[i][row] - bounds[i]), units[at])),
    limited.length ? -Infinity : 0);
  // Of rows that are level in what is best, none that another dominates comes first; then the order of tasks and points decides.
  const ordered = [best, ...objectives.keys()];
  const costs = (row, excess, kept) => [...(kept ? [] : [excess]), ...ordered.map((i) => signs[i] * points[i][row]), excess];
  let found = { row: -1, kept: false, costs: [Infinity] };
  for (const row of rows) {
    const excess = excessOf(row), kept = excess <= 0;
    if (found.kept && !kept) continue;
    const lead = kept ? signs[best] * points[best][row] : excess;
    if (found.kept === kept && lead > found.costs[0]) continue;
    const mine = costs(row, excess, kept);
    if (found.kept !== kept || found.row < 0 || isBefore(mine, found.costs)) found = { row, kept, costs: mine };
  }
  return { row: found.row, kept: found.kept };
}

// Whether the first number that is another one is less.
function isBefore(a, b) {
  const at = a.findIndex((value, i) => value !== b[i]);
  return at >= 0 && a[at] < b[at];
}

// Values of an objective along the points of a choice, the strictest bound first: stops of its slider.
function stopsOf(archive, choice, i) {
  const { fronts: { points, objectives } } = archive;
  const sign = signOf(objectives[i]);
  const values = Float64Array.from(choosable(archive)[choice], (row) => sign * points[i][row]).filter(Number.isFinite).sort();
  const stops = values.filter((value, at) => at === 0 || value !== values[at - 1]);
  const every = Math.max(1, (stops.length - 1) / (MOST_STOPS - 1));
  const count = Math.min(stops.length, MOST_STOPS);
  return Array.from({ length: count }, (_, at) => sign * stops[Math.round(at * every)]);
}

// Problems of `fairfront choose` that belong to the one that is shown, such as one for each split; without those that it
// refuses, as their points were decided or are reported on different parts.
function choicesShown(archive) {
  if (!archive.fronts) return [];
  const shown = new Set();
  for (const rows of pointsByCurve(archive).values())
    for (const row of rows) shown.add(archive.models.choice[archive.fronts.task[row]]);
  return [...shown].filter((choice) => choice >= 0 && !archive.models.mixed.includes(choice) && choosable(archive)[choice].length > 0).sort((a, b) => a - b);
}

const boundSign = (objective) => (objective.direction === "maximise" ? "≥" : "≤");

// Of very many points the bounds come after the chart has been painted.
function bringBounds(archive) {
  const { problem } = state;
  state.bounds = null;
  if (!archive.fronts || total(pointsByCurve(archive)) <= LARGE) return showBounds(archive);
  for (const name of ["sliders", "bound-answer", "bound-commands"]) element(name).replaceChildren();
  requestIdleCallback(() => { if (!state.bounds && current() === archive && state.problem === problem) showBounds(archive); }, { timeout: 500 });
}

// The fields for the problem that is shown. No bound is set before somebody moves a slider.
function showBounds(archive) {
  const choices = choicesShown(archive);
  element("bound-section").hidden = choices.length === 0;
  if (choices.length === 0) return;
  options(element("bound-choice"), choices.map((choice) => archive.models.choices[choice]), choices);
  element("bound-choice-label").hidden = choices.length < 2;
  options(element("bound-best"), archive.fronts.objectives.map((one) => one.name));
  showSliders(archive);
}

function showSliders(archive) {
  const { objectives } = archive.fronts;
  const choice = Number(element("bound-choice").value), best = Number(element("bound-best").value);
  state.bounds = { best, choice, limits: objectives.map(() => null), given: false };
  element("sliders").replaceChildren(...objectives.map((_, i) => i).filter((i) => i !== best)
    .map((i) => sliderOf(archive, i, stopsOf(archive, choice, i))));
  element("bound-answer").textContent = "Move the slider, or write a bound: the best point within it is chosen.";
  element("bound-commands").replaceChildren();
}

function sliderOf(archive, i, stops) {
  const objective = archive.fronts.objectives[i];
  const name = `${objective.name} ${boundSign(objective)}`;
  const line = node("p", undefined, { class: "slider" });
  const slider = node("input", undefined, { type: "range", min: 0, max: Math.max(0, stops.length - 1), step: 1, value: stops.length - 1,
    id: `slider-${i}`, "aria-label": `bound on ${objective.name}` });
  const field = node("input", undefined, { type: "number", step: "any", id: `limit-${i}`, "aria-label": `${name}, as a number` });
  const say = (limit) => slider.setAttribute("aria-valuetext", `${name} ${short(limit)}${objective.unit ? ` ${objective.unit}` : ""}`);
  slider.addEventListener("input", () => {
    field.value = stops[slider.value];
    say(stops[slider.value]);
    boundMoved(i, stops[slider.value]);
  });
  field.addEventListener("change", () => {
    const limit = field.value === "" ? null : Number(field.value);
    slider.value = limit === null ? stops.length - 1 : placeAmong(stops, limit, signOf(objective));
    say(limit === null ? stops.at(-1) : limit);
    boundMoved(i, limit);
  });
  say(stops.at(-1));
  line.append(node("label", name, { for: `limit-${i}` }), " ", field, objective.unit ? ` ${objective.unit}` : "", slider);
  return line;
}

// The last stop that is not looser than the bound.
function placeAmong(stops, limit, sign) {
  return Math.max(0, stops.findLastIndex((stop) => sign * stop <= sign * limit));
}

function boundMoved(i, limit) {
  state.bounds.limits[i] = limit;
  state.bounds.given = true;
  answerBounds();
}

// Names the best point, chooses it, and draws the bounds.
function answerBounds() {
  const archive = current();
  const { best, choice, limits } = state.bounds;
  const { row, kept } = bestWithin(archive, choice, best, limits);
  element("bound-answer").textContent = answerText(archive, row, kept);
  element("bound-commands").replaceChildren(...boundCommands(archive, row, kept).map(commandLine));
  if (row >= 0 && kept) choose(row);
  else forget();
  drawBounds();
}

function pointText({ fronts, models }, row) {
  const task = fronts.task[row];
  return `task ${task}, point ${placeOnFront(fronts, row).point} of [${models.methods[models.method[task]]}]`;
}

function answerText(archive, row, kept) {
  if (row < 0) return "No point has a value: nothing is chosen.";
  const { fronts } = archive;
  const report = reportOf(fronts);
  const values = fronts.objectives.map((one, i) => `${one.name} ${short(fronts.points[i][row])}` +
    (report && Number.isFinite(report[i][row]) ? ` (reported ${short(report[i][row])})` : "")).join(", ");
  const among = archives.length > 1 ? `Of ${archive.label} alone: ` : "";  // the chart may show others beside it
  const several = state.bounds.limits.filter((limit) => limit !== null).length > 1;
  const [bound, it] = several ? ["bounds", "them"] : ["bound", "it"];
  return kept ? `${among}Best within the ${bound}: ${pointText(archive, row)}, ${values}.`
    : `${among}No point keeps the ${bound}. The one that misses ${it} least is ${pointText(archive, row)}: ${values}.`;
}

// The command that names the point, and of a point that keeps the bounds the one that predicts by it.
function boundCommands(archive, row, kept) {
  const { fronts: { objectives, task }, models } = archive;
  const { best, choice, limits } = state.bounds;
  const words = startOfChoose(archive, choice);
  objectives.forEach((one, i) => {
    if (limits[i] !== null) words.push("--bound", quoted(`${one.key}${one.direction === "maximise" ? ">=" : "<="}${limits[i]}`));
  });
  words.push("--best", quoted(objectives[best].key));
  if (row < 0 || !kept) return [words.join(" ")];
  if (models.card[task[row]] >= 0) words.push("--model", modelFile(archive, row));
  const { command } = predictCommand(archive, row);
  return [words.join(" "), ...(command ? [command] : [])];
}

// Bounds on the objectives of the chart are lines in it.
function boundSeries(archive, base) {
  const limits = state.bounds?.given && columnsShown(archive).decided ? state.bounds.limits : [];
  const lines = axesShown(archive).flatMap((objective, i) => (limits[objective] === null || limits[objective] === undefined ? []
    : [{ [i === 0 ? "xAxis" : "yAxis"]: limits[objective] }]));
  return { id: "bounds", type: "scatter", silent: true, data: [], markLine: { silent: true, symbol: "none", data: lines,
    lineStyle: { color: base.ink, type: "dashed", width: 1.5 }, label: { color: base.ink, position: "insideEndTop",
      formatter: (line) => `bound ${short(line.value)}` } } };
}

function drawBounds() {
  if (dirty.has("fronts") || !charts.fronts) return;
  charts.fronts.setOption({ series: [boundSeries(current(), baseOption())] });
}

for (const id of ["bound-choice", "bound-best"]) element(id).addEventListener("change", () => { showSliders(current()); remember(); });
