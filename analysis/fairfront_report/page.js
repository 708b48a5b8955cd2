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
  }
  charts[name].setOption(option, { notMerge: true, lazyUpdate: false });
  if (name === "fronts") tellOfMarks(current());
}

function tellOfMarks(archive) {
  const sum = (lists) => lists.reduce((total, rows) => total + rows.length, 0);
  const points = sum([...pointsByCurve(archive).values()]);
  const drawn = archive.fronts ? sum([...marksOf(archive, columnsShown(archive)).values()].map((one) => one.rows)) : 0;
  const shared = drawn === points ? "" : `Of ${points} points those that would hide each other ` +
    `share a mark: ${drawn} are drawn.`;
  const beyond = strayRows(archive).length;
  element("marks").textContent = [shared, beyond ? `${beyond} of ${points} points lie beyond the frame.` : ""]
    .filter(Boolean).join(" ");
}

// Rows of the points that the frame leaves out.
function strayRows(archive) {
  const frame = archive.fronts && frameShown(archive, columnsShown(archive));
  if (!frame) return [];
  const [x, y] = archive.fronts.points;
  const [[left, right], [bottom, top]] = frame.ends;
  return [...pointsByCurve(archive).values()].flatMap((rows) => Array.from(rows.filter((row) =>
    x[row] < left || x[row] > right || y[row] < bottom || y[row] > top)));
}

function listenToFronts(chart) {
  chart.on("click", (hit) => {
    if (hit.seriesType !== "scatter") return;
    const archive = current();
    const curve = Number(String(hit.seriesId).split(" ")[1]);
    choose(marksOf(archive, columnsShown(archive)).get(curve).rows[hit.dataIndex]);
  });
  chart.on("legendselectchanged", (event) => {
    state.hidden = new Set(Object.keys(event.selected).filter((name) => !event.selected[name]));
  });
}

function choose(row) {
  state.chosen = row;
  const archive = current();
  const columns = columnsShown(archive);
  if (dirty.has("fronts")) drawNow("fronts");
  else charts.fronts.setOption({ series: [chosenMark(archive, columns, baseOption())] });
  const task = archive.fronts.task[row];
  element("detail").replaceChildren(node("h3", `Point of task ${task}`), factsOf(archive, row),
    ...othersHere(archive, columns, row), cardOf(archive, row),
    commandsOf(archive, row), bothPartsTable(archive, row), groupsOf(archive, row), measuresOf(archive, task));
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

function measuresOf(archive, task) {
  const measures = node("details");
  measures.append(node("summary", "measures of this task, also of single groups"),
    scrolled(tableOf(archive.numbers.filter((one) => Number.isFinite(one.values[task]))
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

function cell(found, digits = 4) {
  if (!found) return node("td", "–", { class: "number" });
  const text = `${Number(found.mean.toPrecision(digits))}` +
    (found.deviation ? ` ± ${Number(found.deviation.toPrecision(2))}` : "") +
    (found.p !== null && found.p < 0.05 ? " †" : "");
  const made = node("td", undefined, { class: "number" });
  if (found.p !== null) made.title = `p = ${Number(found.p.toPrecision(3))}`;
  made.append(node(found.best ? "strong" : "span", text));
  return made;
}

function showRanking(archive) {
  const names = [...new Set(archive.ranking.flatMap((row) => Object.keys(row.cells)))];
  const head = node("tr");
  head.append(...["problem", "method"].map((name) => node("th", name, { scope: "col" })),
              ...[...names, "failed"].map((name) => node("th", name, { scope: "col", class: "number" })));
  const lines = archive.ranking.filter((row) => row.problem === archive.problems[state.problem]).map((row) => {
    const line = node("tr");
    line.append(node("td", row.problem),
                node("th", [row.method, row.place].filter(Boolean).join(", "), { scope: "row" }),
                ...names.map((name) => cell(row.cells[name])),
                node("td", String(row.failed), { class: "number" }));
    return line;
  });
  element("ranking").replaceChildren(...(lines.length ? [node("caption", "Ranking of methods"), head, ...lines] : []));
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
  const archive = current();
  state.problem = 0;
  state.chosen = -1;
  state.hidden = new Set();
  options(element("problem"), archive.problems);
  element("part").disabled = !(archive.fronts && archive.fronts.report);
  if (element("part").disabled) element("part").value = "chosen";
  const names = [...new Set(archive.trajectories.map((one) => one.series))];
  options(element("series"), names, names);
  element("trajectories-section").hidden = names.length === 0;
  element("summary").textContent = `${archive.name}: experiment ${archive.experiment}, ${archive.progress}; ` +
    `data ${archive.data.join(", ")}; results digest ${archive.digest} (${archive.checked})`;
  element("warnings").hidden = archive.warnings.length === 0;
  element("warnings").replaceChildren(...archive.warnings.map((text) => node("p", text)));
  rowsOf(element("provenance"), "Where the results come from", [["results digest", archive.digest],
    ["measures digest", archive.measures_digest], ["checked", archive.checked],
    ...Object.entries(archive.provenance).map(([name, value]) => [name.replaceAll("_", " "), value])]);
  rowsOf(element("config"), "Options of the run", archive.config);
  showProblem();
  if (archive.fronts) prepare(archive, archive.fronts.points);
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
  showCosts(archive);
  showProven(archive);
  showGroups(archive);
  if (drawn) {
    charts.fronts?.resize();  // it may have been hidden
    draw("fronts");
  }
  // What is further down the page comes after this has been painted.
  requestIdleCallback(() =>
    draw(...(current().trajectories.length ? ["trajectories"] : []), "parallel", "schedule"), { timeout: 300 });
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
      ...archive.numbers.map((one) => (Number.isFinite(one.values[task]) ? one.values[task] : ""))])],
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
options(element("archive"), archives.map((one) => one.name));
element("archive").addEventListener("change", (event) => { state.archive = Number(event.target.value); showArchive(); });
element("problem").addEventListener("change", (event) => { state.problem = Number(event.target.value); showProblem(); });
element("part").addEventListener("change", () => draw("fronts"));
element("bands").addEventListener("change", () => draw("fronts"));
element("strays").addEventListener("change", () => draw("fronts"));
element("series").addEventListener("change", () => draw("trajectories"));
element("measure").addEventListener("change", () => draw("parallel"));
element("by-group-method").addEventListener("change", showGroupsOfMethod);
element("fronts").addEventListener("keydown", (event) => {
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (by) { event.preventDefault(); step(by); }
});
for (const button of document.querySelectorAll("[data-svg]"))
  button.addEventListener("click", () => saveSvg(button.dataset.svg));
for (const button of document.querySelectorAll("[data-csv]"))
  button.addEventListener("click", () => saveCsv(button.dataset.csv));
window.addEventListener("beforeprint", () => [...dirty].forEach(drawNow));
window.addEventListener("resize", () => Object.values(charts).forEach((chart) => chart.resize()));
dark.addEventListener("change", () => draw(...Object.keys(charts)));
showArchive();
