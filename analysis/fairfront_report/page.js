"use strict";
// Okabe and Ito (2008), as in the figures: told apart with every common kind of colour blindness.
const COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8c8c8c"];
const SYMBOLS = ["circle", "rect", "diamond", "triangle", "roundRect", "pin", "arrow"];
const LARGE = 3000;  // points of a curve from which they are drawn in bulk
const MOST_LINES = 2000;  // of parallel coordinates: more hide each other
const MOST_BARS = 5000;  // of the schedule

const element = (id) => document.getElementById(id);
const dark = window.matchMedia("(prefers-color-scheme: dark)");
const archives = JSON.parse(element("data").textContent);
const state = { archive: 0, problem: 0, hidden: new Set(), chosen: -1 };
const charts = {};

function unpack(text, kind) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new (kind === "i4" ? Int32Array : Float64Array)(bytes.buffer);
}

function node(tag, text, attributes = {}) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

function short(value) {
  return Number.isFinite(value) ? String(Number(value.toPrecision(5))) : "–";
}

function label(what) {
  const arrow = { minimise: "  (← better)", maximise: "  (better →)" }[what.direction] || "";
  return what.name.replaceAll("_", " ") + (what.unit ? ` [${what.unit}]` : "") + arrow;
}

// Unpacks the columns of an archive the first time that they are looked at.
function load(archive) {
  if (archive.loaded) return archive;
  const tasks = archive.tasks;
  for (const name of ["problem", "curve", "rank", "status"]) tasks[name] = unpack(tasks[name], "i4");
  tasks.seconds = unpack(tasks.seconds, "f8");
  for (const axis of archive.axes) axis.index = unpack(tasks.axes[axis.name], "i4");
  for (const metric of archive.metrics) metric.values = unpack(metric.values, "f8");
  if (archive.fronts) {
    archive.fronts.task = unpack(archive.fronts.task, "i4");
    archive.fronts.points = archive.fronts.points.map((column) => unpack(column, "f8"));
    archive.fronts.report = archive.fronts.report &&
      archive.fronts.report.map((column) => unpack(column, "f8"));
  }
  archive.loaded = true;
  return archive;
}

const current = () => load(archives[state.archive]);

function columnsShown(archive) {
  const reported = element("part").value === "reported" && archive.fronts.report;
  return reported ? archive.fronts.report : archive.fronts.points;
}

// Rows of the points of the problem, by curve. All problems are sorted out at once, the first time.
function pointsByCurve(archive) {
  const { fronts, tasks } = archive;
  if (!fronts) return new Map();
  if (!fronts.rows) {
    const curves = archive.curves.length;
    const counts = new Int32Array(archive.problems.length * curves);
    const place = (row) => tasks.problem[fronts.task[row]] * curves + tasks.curve[fronts.task[row]];
    for (let row = 0; row < fronts.task.length; ++row) ++counts[place(row)];
    const lists = Array.from(counts, (count) => new Int32Array(count));
    counts.fill(0);
    for (let row = 0; row < fronts.task.length; ++row) lists[place(row)][counts[place(row)]++] = row;
    fronts.rows = archive.problems.map((_, problem) => new Map(archive.curves
      .map((_, curve) => [curve, lists[problem * curves + curve]]).filter(([, rows]) => rows.length > 0)));
  }
  return fronts.rows[state.problem];
}

// Pairs of the first two objectives of some rows, one behind the other; kept, as filters come again.
function pairsOf(columns, rows) {
  columns.pairs ??= new Map();
  if (!columns.pairs.has(rows)) {
    const pairs = new Float64Array(2 * rows.length);
    for (let i = 0; i < rows.length; ++i) {
      pairs[2 * i] = columns[0][rows[i]];
      pairs[2 * i + 1] = columns[1][rows[i]];
    }
    columns.pairs.set(rows, pairs);
  }
  return columns.pairs.get(rows);
}

// Corners of a surface as the vertices of a staircase.
function staircase(corners) {
  const line = [];
  corners.forEach((corner, i) => {
    if (i > 0) line.push([corner[0], corners[i - 1][1]]);
    line.push(corner);
  });
  return line;
}

// Where one surface ends, the band goes on at the other one's height.
function band(surface) {
  const best = staircase(surface.best), worst = staircase(surface.worst);
  if (worst.length === 0) return best;
  return [...best, [best.at(-1)[0], worst.at(-1)[1]], ...worst.reverse(), [best[0][0], worst.at(-1)[1]]];
}

function baseOption() {
  const ink = getComputedStyle(document.body).color;
  const line = dark.matches ? "#3a3d44" : "#dddddd";
  const axis = { nameLocation: "middle", nameGap: 28, nameTextStyle: { color: ink }, scale: true,
    axisLabel: { color: ink, hideOverlap: true }, splitLine: { lineStyle: { color: line } } };
  return { ink, line, axis, animation: false, textStyle: { color: ink }, backgroundColor: "transparent" };
}

function frontsOption() {
  const archive = current();
  const base = baseOption();
  if (!archive.fronts) return { ...base, title: { text: "no fronts", textStyle: { color: base.ink } } };
  const columns = columnsShown(archive);
  const decided = columns === archive.fronts.points;
  const series = [];
  for (const [curve, rows] of pointsByCurve(archive)) {
    const name = archive.curves[curve];
    const colour = COLOURS[curve % COLOURS.length];
    const surface = decided && archive.surfaces.find((one) => one.problem === state.problem &&
                                                              one.curve === curve);
    const large = rows.length > LARGE;
    const plain = large ? pairsOf(columns, rows) : Array.from(rows, (row) => [columns[0][row], columns[1][row]]);
    series.push({ id: `points ${curve}`, name, type: "scatter", large, symbol: SYMBOLS[curve % SYMBOLS.length],
      symbolSize: rows.length > 300 ? 4 : 7, data: plain, itemStyle: { color: colour, opacity: large ? 0.5 : 0.7 },
      dimensions: ["x", "y"], progressive: 20000, cursor: "pointer" });
    if (!surface) continue;
    series.push({ name, type: "line", data: staircase(surface.median), symbol: "none", silent: true,
      lineStyle: { color: colour, width: 2 }, itemStyle: { color: colour } });
    if (surface.replicates > 1 && element("bands").checked) {
      const ring = band(surface);
      series.push({ name, type: "custom", silent: true, data: [[ring[0][0], ring[0][1]]], clip: true,
        itemStyle: { color: colour },
        renderItem: (_, api) => ({ type: "polygon", silent: true, z2: -1,
          shape: { points: ring.map((corner) => api.coord(corner)) },
          style: { fill: colour, opacity: 0.16 } }) });
    }
  }
  if (state.chosen >= 0) {
    series.push({ type: "scatter", silent: true, z: 9, symbol: "circle", symbolSize: 16,
      data: [[columns[0][state.chosen], columns[1][state.chosen]]],
      itemStyle: { color: "transparent", borderColor: base.ink, borderWidth: 2 } });
  }
  const [x, y] = archive.fronts.objectives;
  const selected = Object.fromEntries([...state.hidden].map((name) => [name, false]));
  return { ...base, series, grid: { left: 64, right: 20, top: 48, bottom: 46 },
    legend: { type: "scroll", selected, textStyle: { color: base.ink }, top: 0 },
    tooltip: { trigger: "item", formatter: (hit) => escapeText(`${hit.seriesName}: ${short(hit.value[0])}, ` +
      short(hit.value[1])) },
    xAxis: { ...base.axis, type: "value", name: label(x) },
    yAxis: { ...base.axis, type: "value", name: label(y), nameGap: 46 } };
}

function escapeText(text) {
  return node("span", text).innerHTML;
}

function trajectoriesOption() {
  const archive = current();
  const base = baseOption();
  const found = archive.trajectories.find((one) => one.problem === archive.problems[state.problem] &&
                                                   one.series === element("series").value);
  if (!found) return { ...base, title: { text: "none for this problem", textStyle: { color: base.ink } } };
  const series = found.lines.flatMap((line, i) => {
    const colour = COLOURS[i % COLOURS.length];
    const name = `${line.label} (${line.replicates})`;
    const ring = [...line.at.map((at, k) => [at, line.low[k]]),
                  ...line.at.map((at, k) => [at, line.high[k]]).reverse()];
    const lines = [{ name, type: "line", symbol: "none", lineStyle: { width: 1.6, color: colour,
      type: i < COLOURS.length ? "solid" : "dashed" }, itemStyle: { color: colour },
      data: line.at.map((at, k) => [at, line.median[k]]) }];
    if (line.replicates > 1) {
      lines.push({ name, type: "custom", silent: true, clip: true, data: [ring[0]], itemStyle: { color: colour },
        renderItem: (_, api) => ({ type: "polygon", silent: true, z2: -1,
          shape: { points: ring.map((corner) => api.coord(corner)) }, style: { fill: colour, opacity: 0.16 } }) });
    }
    return lines;
  });
  return { ...base, series, grid: { left: 64, right: 20, top: 48, bottom: 46 }, tooltip: { trigger: "axis" },
    legend: { type: "scroll", textStyle: { color: base.ink }, top: 0 },
    xAxis: { ...base.axis, type: "value", name: found.step },
    yAxis: { ...base.axis, type: "value", nameGap: 46,
             name: label({ name: found.series, unit: found.unit, direction: found.direction }) } };
}

function parallelOption() {
  const archive = current();
  const base = baseOption();
  const metric = archive.metrics.find((one) => one.name === element("measure").value);
  if (!metric) return base;
  const axes = archive.axes.filter((axis) => axis.values.length > 1);
  const rows = [];
  for (let task = 0; task < archive.tasks.count; ++task) {
    if (archive.tasks.problem[task] !== state.problem || !Number.isFinite(metric.values[task])) continue;
    rows.push([archive.curves[archive.tasks.curve[task]],
               ...axes.map((axis) => (axis.index[task] < 0 ? "–" : axis.values[axis.index[task]])),
               metric.values[task]]);
  }
  const every = Math.max(1, Math.ceil(rows.length / MOST_LINES));
  const shown = rows.filter((_, i) => i % every === 0);
  const bottom = axes.map((axis, i) => ({ dim: i + 1, name: axis.name.split(".").at(-1), type: "category",
    data: [...axis.values, "–"] }));
  const paint = { color: base.ink };
  return { ...base,
    parallelAxis: [{ dim: 0, name: "method", type: "category", data: archive.curves }, ...bottom,
      { dim: axes.length + 1, name: metric.name, type: "value", scale: true }].map((axis) => ({ ...axis,
      nameTextStyle: paint, axisLabel: { ...paint, width: 90, overflow: "truncate" } })),
    parallel: { left: 100, right: 90, top: 46, bottom: 24 },
    visualMap: { show: false, dimension: axes.length + 1, min: Math.min(...shown.map((row) => row.at(-1))),
      max: Math.max(...shown.map((row) => row.at(-1))), inRange: { color: ["#440154", "#21918c", "#fde725"] } },
    series: [{ type: "parallel", data: shown, lineStyle: { width: 1, opacity: 0.5 }, progressive: 500 }] };
}

function scheduleOption() {
  const archive = current();
  const base = baseOption();
  const { tasks } = archive;
  const ranks = [...new Set(tasks.rank)].sort((a, b) => a - b);
  const ends = new Map(ranks.map((rank) => [rank, 0]));
  const data = [];
  const every = Math.max(1, Math.ceil(tasks.count / MOST_BARS));
  for (let task = 0; task < tasks.count; ++task) {
    if (tasks.status[task] === 0) continue;
    const rank = tasks.rank[task];
    const begin = ends.get(rank);
    ends.set(rank, begin + tasks.seconds[task]);
    if (task % every === 0) data.push([begin, ends.get(rank), ranks.indexOf(rank), task]);
  }
  return { ...base, grid: { left: 64, right: 20, top: 20, bottom: 46 },
    tooltip: { formatter: (hit) => escapeText(`task ${hit.value[3]}, ` +
      `${archive.curves[tasks.curve[hit.value[3]]]}: ${short(tasks.seconds[hit.value[3]])} s`) },
    xAxis: { ...base.axis, type: "value", name: "seconds of tasks", scale: false },
    yAxis: { ...base.axis, type: "category", data: ranks.map((rank) => `rank ${rank}`) },
    series: [{ type: "custom", data, encode: { x: [0, 1], y: 2 }, clip: true, progressive: 2000,
      renderItem: (_, api) => {
        const begin = api.coord([api.value(0), api.value(2)]);
        const end = api.coord([api.value(1), api.value(2)]);
        const height = Math.min(26, api.size([0, 1])[1] * 0.7);
        return { type: "rect", shape: { x: begin[0], y: begin[1] - height / 2,
          width: Math.max(0.5, end[0] - begin[0]), height },
          style: { fill: COLOURS[tasks.curve[api.value(3)] % COLOURS.length], stroke: dark.matches ? "#16181c" : "#ffffff",
                   lineWidth: end[0] - begin[0] > 3 ? 0.5 : 0 } };
      } }] };
}

const builders = { fronts: frontsOption, trajectories: trajectoriesOption, parallel: parallelOption,
                   schedule: scheduleOption };

function draw(...names) {
  for (const name of names) {
    if (!charts[name]) {
      charts[name] = echarts.init(element(name), null, { renderer: "canvas" });
      if (name === "fronts") listenToFronts(charts[name]);
    }
    charts[name].setOption(builders[name](), { notMerge: true, lazyUpdate: false });
  }
}

function listenToFronts(chart) {
  chart.on("click", (hit) => {
    if (hit.seriesType !== "scatter") return;
    const curve = Number(String(hit.seriesId).split(" ")[1]);
    choose(pointsByCurve(current()).get(curve)[hit.dataIndex]);
  });
  chart.on("legendselectchanged", (event) => {
    state.hidden = new Set(Object.keys(event.selected).filter((name) => !event.selected[name]));
  });
}

function choose(row) {
  state.chosen = row;
  draw("fronts");
  const archive = current();
  const task = archive.fronts.task[row];
  const detail = element("detail");
  const facts = [["method", archive.curves[archive.tasks.curve[task]]],
    ...archive.fronts.objectives.map((what, i) => [what.name + (what.unit ? ` [${what.unit}]` : ""),
      short(archive.fronts.points[i][row]) + (archive.fronts.report ?
        `; reported ${short(archive.fronts.report[i][row])}` : "")]),
    ...archive.axes.filter((axis) => axis.index[task] >= 0)
      .map((axis) => [axis.name, axis.values[axis.index[task]]]),
    ["seconds", short(archive.tasks.seconds[task])], ["rank", String(archive.tasks.rank[task])]];
  const table = node("table");
  for (const [name, value] of facts) {
    const line = node("tr");
    line.append(node("th", name), node("td", value));
    table.append(line);
  }
  const command = `fairfront replay ${archive.name} --task ${task}`;
  const copy = node("button", "copy");
  copy.addEventListener("click", () => copyText(command, copy));
  const replay = node("p");
  replay.append(node("code", command), " ", copy);
  const measures = node("details");
  measures.append(node("summary", "measures of this task"));
  const values = node("table");
  for (const metric of archive.metrics) {
    if (!Number.isFinite(metric.values[task])) continue;
    const line = node("tr", undefined, { title: metric.definition });
    line.append(node("th", metric.name), node("td", short(metric.values[task]), { class: "number" }),
                node("td", metric.unit));
    values.append(line);
  }
  measures.append(values);
  detail.replaceChildren(node("h3", `Point of task ${task}`), table, replay, measures);
}

function copyText(text, button) {
  const field = node("textarea", text);
  document.body.append(field);
  field.select();
  button.textContent = document.execCommand("copy") ? "copied" : "select it by hand";
  field.remove();
  button.focus();
}

// Along the shown points, the least first objective first.
function step(by) {
  const archive = current();
  if (!archive.fronts) return;
  const columns = columnsShown(archive);
  const rows = [...pointsByCurve(archive)].filter(([curve]) => !state.hidden.has(archive.curves[curve]))
    .flatMap(([, own]) => Array.from(own)).sort((a, b) => columns[0][a] - columns[0][b] || columns[1][a] - columns[1][b]);
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
  head.append(...["problem", "method"].map((name) => node("th", name)),
              ...[...names, "failed"].map((name) => node("th", name, { class: "number" })));
  const lines = archive.ranking.filter((row) => row.problem === archive.problems[state.problem]).map((row) => {
    const line = node("tr");
    line.append(node("td", row.problem), node("td", [row.method, row.place].filter(Boolean).join(", ")),
                ...names.map((name) => cell(row.cells[name])),
                node("td", String(row.failed), { class: "number" }));
    return line;
  });
  element("ranking").replaceChildren(head, ...lines);
}

function rowsOf(table, pairs) {
  table.replaceChildren(...pairs.filter(([, value]) => value !== "").map(([name, value]) => {
    const line = node("tr");
    line.append(node("th", name), node("td", value));
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
  const directed = archive.metrics.filter((one) => one.direction !== "none").map((one) => one.name);
  options(element("measure"), directed, directed);
  element("summary").textContent = `${archive.name}: experiment ${archive.experiment}, ${archive.progress}; ` +
    `data ${archive.data.join(", ")}; results digest ${archive.digest}`;
  element("warnings").hidden = archive.warnings.length === 0;
  element("warnings").replaceChildren(...archive.warnings.map((text) => node("p", text)));
  rowsOf(element("provenance"), [["results digest", archive.digest], ...Object.entries(archive.provenance)]);
  rowsOf(element("config"), archive.config);
  showProblem();
}

function showProblem() {
  state.chosen = -1;
  element("detail").replaceChildren(node("p", "No point is chosen.", { class: "note" }));
  showRanking(current());
  draw("fronts");
  // What is further down the page comes after the first paint.
  requestAnimationFrame(() => setTimeout(() =>
    draw(...(current().trajectories.length ? ["trajectories"] : []), "parallel", "schedule")));
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
  tasks: (archive) => [["task", "method", "problem", "status", "seconds", "rank", ...archive.axes.map((one) => one.name),
                        ...archive.metrics.map((one) => one.name)],
    ...Array.from({ length: archive.tasks.count }, (_, task) => [task, archive.curves[archive.tasks.curve[task]],
      archive.problems[archive.tasks.problem[task]], ["missing", "done", "failed"][archive.tasks.status[task]],
      archive.tasks.seconds[task], archive.tasks.rank[task],
      ...archive.axes.map((axis) => (axis.index[task] < 0 ? "" : axis.values[axis.index[task]])),
      ...archive.metrics.map((one) => (Number.isFinite(one.values[task]) ? one.values[task] : ""))])],
  points: (archive) => [["task", "method", ...archive.fronts.objectives.map((one) => one.name),
                         ...(archive.fronts.report ? archive.fronts.objectives.map((one) => `reported ${one.name}`) : [])],
    ...[...pointsByCurve(archive)].flatMap(([curve, rows]) => Array.from(rows, (row) => [archive.fronts.task[row],
      archive.curves[curve], ...archive.fronts.points.map((column) => column[row]),
      ...(archive.fronts.report || []).map((column) => column[row])]))],
};

function saveCsv(name) {
  const rows = csv[name](current());
  save(`${current().name}-${name}.csv`, "text/csv", rows.map((row) => row.map(csvCell).join(",") + "\n").join(""));
}

options(element("archive"), archives.map((one) => one.name));
element("archive").addEventListener("change", (event) => { state.archive = Number(event.target.value); showArchive(); });
element("problem").addEventListener("change", (event) => { state.problem = Number(event.target.value); showProblem(); });
element("part").addEventListener("change", () => draw("fronts"));
element("bands").addEventListener("change", () => draw("fronts"));
element("series").addEventListener("change", () => draw("trajectories"));
element("measure").addEventListener("change", () => draw("parallel"));
element("fronts").addEventListener("keydown", (event) => {
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (by) { event.preventDefault(); step(by); }
});
for (const button of document.querySelectorAll("[data-svg]"))
  button.addEventListener("click", () => saveSvg(button.dataset.svg));
for (const button of document.querySelectorAll("[data-csv]"))
  button.addEventListener("click", () => saveCsv(button.dataset.csv));
window.addEventListener("resize", () => Object.values(charts).forEach((chart) => chart.resize()));
dark.addEventListener("change", () => draw(...Object.keys(charts)));
showArchive();
