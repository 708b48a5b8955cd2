"use strict";
// What a person does with the page.
const charts = {};
const dirty = new Set();  // charts that are drawn anew as soon as they can be seen

// Charts that nobody sees wait until they come into view.
const watcher = new IntersectionObserver((entries) => {
  for (const entry of entries) if (entry.isIntersecting && dirty.has(entry.target.id)) drawNow(entry.target.id);
}, { rootMargin: "200px" });

function inView(place) {
  const { top, bottom } = place.getBoundingClientRect();
  return bottom > -200 && top < window.innerHeight + 200;
}

function draw(...names) {
  for (const name of names) {
    if (inView(element(name))) drawNow(name);
    else dirty.add(name);
  }
}

function drawNow(name) {
  dirty.delete(name);
  const option = builders[name]();
  if (name === "schedule") {
    element(name).style.height = `${heightOfSchedule(option.yAxis.data.length)}px`;
    charts[name]?.resize();
  }
  if (!charts[name]) {
    charts[name] = echarts.init(element(name), null, { renderer: "canvas" });
    if (name === "fronts") listenToFronts(charts[name]);
    if (name === "parallel") charts[name].on("axisareaselected", markAlongAxes);
  }
  charts[name].setOption(option, { notMerge: true, lazyUpdate: false });
  if (name === "fronts") tellOfMarks(current());
}

function tellOfMarks(archive) {
  const points = total(pointsByCurve(archive));
  const drawn = archive.fronts ? total(new Map([...marksOf(archive, columnsShown(archive))].map(([curve, one]) => [curve, one.rows]))) : 0;
  const shared = drawn === points || state.zoom ? "" : `Of ${points} points those that would hide each other ` +
    `share a mark: ${drawn} are drawn.`;
  const beyond = state.zoom ? 0 : strayCount(archive);
  element("marks").textContent = [shared, beyond ? `${beyond} of ${points} points lie beyond the frame.` : ""]
    .filter(Boolean).join(" ");
  element("symbols").textContent = symbolsText(archive);
}

// How many points the frame leaves out.
function strayCount(archive) {
  const frame = archive.fronts && frameShown(archive, columnsShown(archive));
  if (!frame) return 0;
  const [x, y] = columnsShown(archive), inside = insideOf(frame.ends);
  let found = 0;
  for (const rows of pointsByCurve(archive).values()) for (const row of rows) if (!inside(x[row], y[row])) ++found;
  return found;
}

function listenToFronts(chart) {
  chart.on("click", (hit) => {
    if (hit.seriesType !== "scatter") return;
    const [, curve, index] = String(hit.seriesId).split(" ").map(Number);
    if (index !== state.archive) lookAt(index);
    const archive = current();
    choose(marksOf(archive, columnsShown(archive)).get(curve).rows[hit.dataIndex]);
  });
  chart.on("legendselectchanged", (event) => {
    state.hidden = new Set(Object.keys(event.selected).filter((name) => !event.selected[name]));
    remember();
  });
  listenToDrags(element("fronts"));
}

// Another archive of the same chart: what is drawn stays.
function lookAt(index) {
  const { zoom, hidden, axes } = state;
  const { problem } = likeThis(current()).find((one) => one.index === index);
  state.archive = index;
  setUpArchive();
  Object.assign(state, { problem, zoom, hidden, axes });
  showControls();
  showProblem();
}

function choose(row) {
  state.chosen = row;
  const archive = current();
  if (dirty.has("fronts") || !charts.fronts) drawNow("fronts");
  else charts.fronts.setOption({ series: [chosenMark(archive, columnsShown(archive), baseOption())] });
  const task = archive.fronts.task[row];
  element("detail").replaceChildren(node("h3", `Point of task ${task}`), factsOf(archive, row),
    ...othersHere(archive, columnsShown(archive), row), cardOf(archive, row),
    commandsOf(archive, row), bothPartsTable(archive, row), groupsOf(archive, row), measuresOf(archive, row));
  remember();
}

// No point is chosen.
function forget() {
  state.chosen = -1;
  element("detail").replaceChildren(node("p", "No point is chosen.", { class: "note" }));
  if (charts.fronts && !dirty.has("fronts") && pointsByCurve(current()).size > 0)
    charts.fronts.setOption({ series: [chosenMark(current(), columnsShown(current()), baseOption())] });
  remember();
}

// Lines of a name, a value or several, and a note.
function tableOf(pairs, { number = false, caption = "" } = {}) {
  const table = node("table");
  if (caption) table.append(node("caption", caption));
  for (const [name, value, note = "", title = ""] of pairs) {
    const line = node("tr", undefined, title ? { title } : {});
    const cell = node("td", undefined, number ? { class: "number" } : {});
    [value].flat().forEach((text, i) => cell.append(...(i > 0 ? [node("br")] : []), text));
    line.append(node("th", name, { scope: "row" }), cell, node("td", note));
    table.append(line);
  }
  return table;
}

// Values where the point was decided and on the reported part, options, data, times.
function factsOf(archive, row) {
  const { fronts, tasks } = archive;
  const task = fronts.task[row];
  const report = reportOf(fronts);
  const value = (i) => short(fronts.points[i][row]) + (report ? `; reported ${short(report[i][row])}` : "");
  return tableOf([["method", archive.curves[tasks.curve[task]]],
    ...fronts.objectives.map((what, i) => [what.name + (what.unit ? ` [${what.unit}]` : ""), value(i)]),
    ...archive.axes.filter((axis) => axis.index[task] >= 0)
      .map((axis) => [axis.name, axis.values[axis.index[task]]]),
    ["seconds", short(tasks.seconds[task])], ["rank", String(tasks.rank[task])]], { caption: "The point" });
}

// Points that share a mark are looked at one after the other.
function othersHere(archive, columns, row) {
  const rows = rowsAt(archive, columns, row);
  if (rows.length < 2) return [];
  const next = node("button", "next one here");
  const line = node("p", `${rows.indexOf(row) + 1} of ${rows.length} points that share this mark `);
  next.addEventListener("click", () => choose(rows[(rows.indexOf(row) + 1) % rows.length]));
  line.append(next);
  return [line];
}

// Data, and the lists of numbers that the archive has of this point or its task, such as one per group.
function groupsOf(archive, row) {
  const made = node("details", undefined, { open: "" });
  made.append(node("summary", "groups and solution"));
  const recipe = archive.recipes[archive.tasks.recipe[archive.fronts.task[row]]];
  const texts = (list) => list.own.map((values) => Array.from(values, short).join(", ")).join("; ");
  made.append(tableOf([...(recipe ? [["data", recipe]] : []),
    ...listsOf(archive, row).map((list) => [list.name.replaceAll("_", " "), texts(list), list.unit,
                                            list.definition])], { caption: "Groups and solution" }));
  return made;
}

function measuresOf(archive, row) {
  const measures = node("details"), task = archive.fronts.task[row];
  measures.append(node("summary", "measures of this task, also of single groups"));
  if (archive.models.apart.has(task))
    measures.append(node("p", "They are of another model than the points of this task's front: of the one that its method ended with.", { class: "note" }));
  measures.append(scrolled(tableOf(archive.numbers.filter((one) => !Number.isNaN(one.values[task]))
      .map((one) => [one.name, withInterval(one, task), one.unit, one.definition]),
      { number: true, caption: "Measures of this task" }), "measures of this task"));
  return measures;
}

// Such as "0.12 [0.1, 0.15]".
function withInterval(number, task) {
  const ends = (number.ends || []).map((column) => column[task]).filter(Number.isFinite);
  return short(number.values[task]) + (ends.length === 2 ? ` [${ends.map(short).join(", ")}]` : "");
}

function copyText(text, button) {
  const field = node("textarea", text);
  document.body.append(field);
  field.select();
  button.textContent = document.execCommand("copy") ? "copied" : "select it by hand";
  field.remove();
  button.focus();
}

// Along the drawn points, the least first objective first.
function step(by) {
  const archive = current();
  if (!archive.fronts) return;
  const rows = rowsInOrder(archive, columnsShown(archive));
  if (rows.length === 0) return;
  const at = rows.indexOf(state.chosen);
  choose(rows[at < 0 ? (by > 0 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + by))]);
}

function cell(found, digits) {
  if (!found) return node("td", "–", { class: "number" });
  const text = `${Number(found.mean.toPrecision(digits))}` +
    (found.deviation ? ` ± ${Number(found.deviation.toPrecision(2))}` : "") +
    (found.p !== null && found.p < 0.05 ? " †" : "");
  const made = node("td", undefined, { class: "number", "data-value": found.mean });
  if (found.p !== null) made.title = `p = ${Number(found.p.toPrecision(3))}`;
  made.append(node(found.best ? "strong" : "span", text));
  return made;
}

function showRanking(archive) {
  const names = [...new Set(archive.ranking.flatMap((row) => Object.keys(row.cells)))];
  const head = node("tr");
  head.append(...["problem", "method"].map((name) => node("th", name, { scope: "col" })),
              ...[...names, "failed"].map((name) => node("th", name, { scope: "col", class: "number" })));
  const rows = archive.ranking.filter((row) => row.problem === archive.problems[state.problem]);
  const digits = names.map((name) => digitsApart(rows.map((row) => row.cells[name]?.mean), 4));
  const lines = rows.map((row) => {
    const line = node("tr");
    line.append(node("td", row.problem),
                node("th", [row.method, row.place].filter(Boolean).join(", "), { scope: "row" }),
                ...names.map((name, i) => cell(row.cells[name], digits[i])),
                node("td", String(row.failed), { class: "number" }));
    return line;
  });
  element("ranking").replaceChildren(...(lines.length ? [node("caption", "Ranking of methods"), head, ...lines] : []));
  sortable(element("ranking"));
  element("ranking-note").hidden = lines.length === 0;
  element("unranked").hidden = lines.length > 0;
}

function rowsOf(table, caption, pairs) {
  table.replaceChildren(node("caption", caption), ...pairs.filter(([, value]) => value !== "").map(([name, value]) => {
    const line = node("tr");
    line.append(node("th", name, { scope: "row" }), node("td", value));
    return line;
  }));
}

function options(select, texts, values = texts.map((_, i) => i)) {
  select.replaceChildren(...texts.map((text, i) => node("option", text, { value: values[i] })));
}

function showArchive() {
  setUpArchive();
  showControls();
  showProblem();
}

// What is of the archive and of no problem; nothing of it is selected.
function setUpArchive() {
  const archive = current();
  Object.assign(state, { problem: 0, chosen: -1, hidden: new Set(), axes: [0, 1], zoom: null, marked: null, bounds: null });
  options(element("problem"), archive.problems);
  element("part").disabled = !(archive.fronts && archive.fronts.report);
  element("part").value = "chosen";
  const names = [...new Set(archive.trajectories.map((one) => one.series))];
  const before = element("series").value;
  options(element("series"), names, names);
  if (names.includes(before)) element("series").value = before;
  element("trajectories-section").hidden = names.length === 0;
  element("summary").textContent = `${archive.label}: experiment ${archive.experiment}, ${archive.progress}; ` +
    `data ${archive.data.join(", ")}; results digest ${archive.digest} (${archive.checked})`;
  showWarnings(archive);
  rowsOf(element("provenance"), "Where the results come from", [["results digest", archive.digest],
    ["measures digest", archive.measures_digest], ["checked", archive.checked],
    ...Object.entries(archive.provenance).map(([name, value]) => [name.replaceAll("_", " "), value])]);
  rowsOf(element("config"), "Options of the run", archive.config);
  if (archive.fronts) prepare(archive, columnsShown(archive));
}

// The state of what is selected, in the controls.
function showControls() {
  const archive = current();
  element("archive").value = state.archive;
  element("problem").value = state.problem;
  const alike = archive.fronts ? likeThis(archive).length : 0;
  element("together").disabled = alike < 2;
  element("together").parentElement.hidden = archives.length < 2;
  const objectives = archive.fronts ? archive.fronts.objectives : [];
  element("axes").hidden = objectives.length < 3;
  ["axis-x", "axis-y"].forEach((id, i) => {
    options(element(id), objectives.map((one) => one.name));
    if (objectives.length) element(id).value = state.axes[i];
  });
  showAxesNote(archive);
}

function showAxesNote(archive) {
  const third = archive.fronts ? colouredObjective(archive) : -1;
  element("axes-note").textContent = third < 0 ? "" : `Colours tell ${archive.fronts.objectives[third].name}; the handles of its scale ` +
    "leave out what lies beyond them.";
  element("surfaces-note").hidden = !archive.surfaces.some((one) => one.problem === state.problem);
}

function axesChosen(changed) {
  const chosen = ["axis-x", "axis-y"].map((id) => Number(element(id).value));
  if (chosen[0] === chosen[1]) chosen[1 - changed] = state.axes[changed];  // they change places
  Object.assign(state, { axes: chosen, zoom: null, marked: state.marked?.tasks ? state.marked : null });
  showControls();
  draw("fronts", "parallel");
  tellMarked();
  remember();
}

function problemChosen(problem) {
  Object.assign(state, { problem, zoom: null, marked: null });
  showControls();
  showProblem();
}

function showProblem() {
  state.chosen = -1;
  element("detail").replaceChildren(node("p", "No point is chosen.", { class: "note" }));
  const archive = current();
  const told = (one) => one.values.some((value, task) =>
    Number.isFinite(value) && archive.tasks.problem[task] === state.problem);
  const directed = archive.numbers.filter((one) => one.direction !== "none" && told(one)).map((one) => one.name);
  const before = element("measure").value;
  options(element("measure"), directed, directed);
  if (directed.includes(before)) element("measure").value = before;
  const drawn = pointsByCurve(archive).size > 0;
  element("fronts-section").hidden = !drawn;
  showRanking(archive);
  showAudit(archive);
  bringBounds(archive);
  showCosts(archive);
  showProven(archive);
  showYardstick(archive);
  showGroups(archive);
  if (drawn) {
    charts.fronts?.resize();  // it may have been hidden
    draw("fronts");
  }
  tellMarked();
  remember();
  // What is further down the page comes after this has been painted.
  requestIdleCallback(() => draw(...(yardstickShown() ? ["yardstick"] : []), ...(tablesOfGroups(current()).length ? ["group-bars"] : []),
    ...(current().trajectories.length ? ["trajectories"] : []), "parallel", "schedule"), { timeout: 300 });
}

function save(name, type, text) {
  const link = node("a", "", { download: name, href: URL.createObjectURL(new Blob([text], { type })) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function saveSvg(name) {
  const place = element(name);
  const chart = echarts.init(null, null, { renderer: "svg", ssr: true, width: place.clientWidth,
                                           height: place.clientHeight });
  chart.setOption(builders[name]());
  save(`${current().name}-${name}.svg`, "image/svg+xml", chart.renderToSVGString());
  chart.dispose();
}

// A text that a spreadsheet would take for a formula gets a ' in front.
function csvCell(value) {
  const text = typeof value === "string" && /^[=+@-]/.test(value) ? `'${value}` : String(value);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const csv = {
  tasks: (archive) => [["task", "method", "problem", "status", "started", "seconds", "rank", ...archive.axes.map((one) => one.name),
                        ...archive.numbers.map((one) => one.name)],
    ...Array.from({ length: archive.tasks.count }, (_, task) => [task, archive.curves[archive.tasks.curve[task]],
      archive.problems[archive.tasks.problem[task]], ["missing", "done", "failed"][archive.tasks.status[task]],
      archive.tasks.told ? archive.tasks.started[task] : "", archive.tasks.seconds[task], archive.tasks.rank[task],
      ...archive.axes.map((axis) => (axis.index[task] < 0 ? "" : axis.values[axis.index[task]])),
      ...archive.numbers.map((one) => (Number.isNaN(one.values[task]) ? "" : one.values[task]))])],
  points: (archive) => [["task", "method", ...archive.fronts.objectives.map((one) => one.name),
                         ...(archive.fronts.report ? archive.fronts.objectives.map((one) => `reported ${one.name}`) : [])],
    ...[...pointsByCurve(archive)].flatMap(([curve, rows]) => Array.from(rows, (row) => [archive.fronts.task[row],
      archive.curves[curve], ...archive.fronts.points.map((column) => column[row]),
      ...(reportOf(archive.fronts) || []).map((column) => column[row])]))],
};

function saveCsv(name) {
  const rows = csv[name](current());
  save(`${current().name}-${name}.csv`, "text/csv", rows.map((row) => row.map(csvCell).join(",") + "\n").join(""));
}

for (const name of Object.keys(builders)) watcher.observe(element(name));
options(element("archive"), archives.map((one) => one.label));
element("archive").addEventListener("change", (event) => { state.archive = Number(event.target.value); showArchive(); });
element("problem").addEventListener("change", (event) => problemChosen(Number(event.target.value)));
element("part").addEventListener("change", () => { Object.assign(state, { zoom: null, marked: null }); draw("fronts", "parallel"); tellMarked(); remember(); });
for (const name of ["bands", "strays"]) element(name).addEventListener("change", () => { draw("fronts"); remember(); });
element("together").addEventListener("change", () => { state.hidden = new Set(); showAxesNote(current()); draw("fronts"); remember(); });
element("axis-x").addEventListener("change", () => axesChosen(0));
element("axis-y").addEventListener("change", () => axesChosen(1));
element("series").addEventListener("change", () => draw("trajectories"));
element("measure").addEventListener("change", () => draw("parallel"));
element("yardstick-choice").addEventListener("change", () => { showYardstickTable(); draw("yardstick"); });
element("by-group-method").addEventListener("change", showGroupsOfMethod);
element("by-group-measure").addEventListener("change", () => draw("group-bars"));
element("fronts").addEventListener("keydown", (event) => {
  const action = { ArrowRight: () => step(1), ArrowLeft: () => step(-1), "+": () => zoomBy(ZOOM_STEP), "-": () => zoomBy(1 / ZOOM_STEP),
                   0: () => zoomTo(null), m: () => mark({ ranges: endsShown() }), Escape: () => mark(null) }[event.key];
  if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  action();
});
for (const button of document.querySelectorAll("[data-svg]"))
  button.addEventListener("click", () => saveSvg(button.dataset.svg));
for (const button of document.querySelectorAll("[data-csv]"))
  button.addEventListener("click", () => saveCsv(button.dataset.csv));
window.addEventListener("beforeprint", () => [...dirty].forEach(drawNow));
window.addEventListener("resize", () => Object.values(charts).forEach((chart) => chart.resize()));
dark.addEventListener("change", () => draw(...Object.keys(charts)));
if (location.hash.length > 1) restore(location.hash.slice(1));
else if (linkToChosen()) restore(linkToChosen());
else showArchive();
follow();
