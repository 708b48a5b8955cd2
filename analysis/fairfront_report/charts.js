"use strict";
// What each chart shows, as options of ECharts.
// Okabe and Ito (2008), as in the figures: told apart with every common kind of colour blindness.
const COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8c8c8c"];
// All of them cover the point that they mark, so that a click there finds it: "pin" and "arrow" do not.
const STAR = "path://M5,0L6.6,3.3L10,3.8L7.5,6.2L8.1,10L5,8.2L1.9,10L2.5,6.2L0,3.8L3.4,3.3Z";
const TRIANGLE_DOWN = "path://M0,0L10,0L5,10Z";
const SYMBOLS = ["circle", "rect", "diamond", "triangle", "roundRect", STAR, TRIANGLE_DOWN];
const RANGES = { light: ["#440154", "#21918c", "#b08d00"], dark: ["#a08cff", "#2fb8ad", "#fde725"] };  // of colours
const MOST_LINES = 2000;  // of parallel coordinates: more hide each other
const LONGEST_LABEL = 15;  // letters of a name on an axis of the parallel coordinates
const FINEST = 1500;  // parts of the time of a run that can be told apart
const MOST_DIGITS = 8;  // by which values that are compared are told apart
const PAUSE = 0.03;  // of the busy time: a longer one, in which no rank runs a task, is cut out

const dark = window.matchMedia("(prefers-color-scheme: dark)");

function node(tag, text, attributes = {}) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

function escapeText(text) {
  return node("span", text).innerHTML;
}

// In words, since a sign alone would not be heard.
function infinite(value) {
  return value > 0 ? "∞ (infinite)" : "−∞ (infinite)";
}

function withDigits(value, digits) {
  if (Math.abs(value) === Infinity) return infinite(value);
  return Number.isFinite(value) ? String(Number(value.toPrecision(digits))) : "–";
}

function short(value) {
  return withDigits(value, 5);
}

// At least so many digits that values which are compared read alike only where eight do not tell them apart, either.
function digitsApart(values, least) {
  const known = values.filter(Number.isFinite);
  const different = (digits) => new Set(known.map((value) => value.toPrecision(digits))).size;
  let digits = least;
  while (digits < MOST_DIGITS && different(digits) < different(MOST_DIGITS)) ++digits;
  return digits;
}

function label(what) {
  const arrow = { minimise: "  (← better)", maximise: "  (better →)" }[what.direction] || "";
  return what.name.replaceAll("_", " ") + (what.unit ? ` [${what.unit}]` : "") + arrow;
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

const rangeOfColours = () => RANGES[dark.matches ? "dark" : "light"];

function emptyOption(text) {
  const base = baseOption();
  return { ...base, title: { text, textStyle: { color: base.ink, fontSize: 14, fontWeight: "normal" } } };
}

// A value along an axis: four digits, and more only where ticks would otherwise be the same.
function tickText(value, [low, high]) {
  const digits = Math.ceil(Math.log10(Math.max(Math.abs(low), Math.abs(high)) / (high - low))) + 2;
  return String(Number(value.toPrecision(Math.min(15, Math.max(4, digits || 0)))));
}

function framed(axis, ends) {
  return ends ? { ...axis, min: ends[0], max: ends[1], interval: ends[2],
                  axisLabel: { ...axis.axisLabel, formatter: (value) => tickText(value, ends) } } : axis;
}

function trajectoriesOption() {
  const archive = current();
  const base = baseOption();
  const found = archive.trajectories.find((one) => one.problem === archive.problems[state.problem] &&
                                                   one.series === element("series").value);
  if (!found) return emptyOption("none for this problem");
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
  series[0].markLine = boundLines(found, base);
  return { ...base, series, grid: { left: 64, right: 20, top: 48, bottom: 46 }, 
    tooltip: { trigger: "axis", renderMode: "richText" },  // as HTML it has styles, which the page's policy forbids
    legend: { type: "scroll", textStyle: { color: base.ink }, top: 0 },
    xAxis: { ...base.axis, type: "value", name: found.step },
    yAxis: { ...base.axis, type: "value", nameGap: 46,
             name: label({ name: found.series, unit: found.unit, direction: found.direction }) } };
}

// The bounds that methods were given on what is shown, such as delta on a gap.
function boundLines(found, base) {
  return { silent: true, symbol: "none", lineStyle: { color: base.ink, type: "dotted", width: 1 },
    label: { color: base.ink, position: "insideEndTop", formatter: (line) => `bound ${short(line.value)}` },
    data: found.bounds.map((bound) => ({ yAxis: bound })) };
}

// The last words of the options' names, or the whole ones where two end alike.
function axisNames(names) {
  const last = (name) => name.split(".").at(-1);
  return names.map((name) => (names.filter((other) => last(other) === last(name)).length > 1 ? name : last(name)));
}

// Of every task of the problem that has the measure its values along the axes: method, options, measure. A scale is the list
// of an axis' values, null where they are numbers.
function parallelRows(archive) {
  const number = archive.numbers.find((one) => one.name === element("measure").value);
  if (!number) return null;
  const axes = archive.axes.filter((axis) => axis.values.length > 1);
  const rows = [];
  let infinite = 0;  // no place of an axis is theirs
  for (let task = 0; task < archive.tasks.count; ++task) {
    if (archive.tasks.problem[task] !== state.problem || Number.isNaN(number.values[task])) continue;
    if (!Number.isFinite(number.values[task])) {
      ++infinite;
      continue;
    }
    rows.push({ task, values: [archive.curves[archive.tasks.curve[task]],
      ...axes.map((axis) => (axis.index[task] < 0 ? "–" : axis.values[axis.index[task]])), number.values[task]] });
  }
  return { rows, infinite, number, axes, scales: [archive.curves, ...axes.map((axis) => [...axis.values, "–"]), null] };
}

// Names of an axis, each on one line and of at most so many letters. Longer ones lose their middle: the end tells groups of several
// attributes apart. Where two would read alike, more of the end or of the beginning stays; else all have numbers. As short_names.py,
// which names groups.
function shortNames(names, longest) {
  const lines = names.map((name) => Array.from(String(name).replace(/\s+/g, " ").trim()));
  const found = [1 / 2, 3 / 4, 1 / 4].map((end) => lines.map((letters) => withoutMiddle(letters, longest, end)))
    .find((texts) => new Set(texts).size === texts.length);
  return found ?? lines.map((letters, i) => `${i + 1}: ${withoutMiddle(letters, longest - `${i + 1}: `.length, 1 / 2)}`);
}

// @param end  the share of the end in what stays.
function withoutMiddle(letters, longest, end) {
  const last = Math.max(1, Math.floor((longest - 1) * end));
  return (letters.length <= longest ? letters : [...letters.slice(0, longest - 1 - last), "…", ...letters.slice(-last)]).join("");
}

// The labels of an axis of the parallel coordinates.
function labelsOf(scale, paint) {
  if (!scale) return paint;
  const texts = shortNames(scale, LONGEST_LABEL);
  return { ...paint, formatter: (value) => texts[scale.indexOf(value)] ?? value };
}

function parallelOption() {
  const archive = current();
  const base = baseOption();
  const found = parallelRows(archive);
  if (!found) return emptyOption("no measures of this problem");
  const { rows, infinite, number, axes, scales } = found;
  const without = infinite ? `${infinite} task${infinite === 1 ? "" : "s"} with an infinite ${number.name} ${infinite === 1 ? "has" : "have"} no line` : "";
  if (!rows.length) return emptyOption(without || `no task of this problem has ${number.name}`);
  const every = Math.max(1, Math.ceil(rows.length / MOST_LINES));
  const marked = markedTasks(archive);
  const shown = rows.filter((row, i) => i % every === 0 || marked?.has(row.task) && marked.size < MOST_LINES);
  const names = ["method", ...axisNames(axes.map((axis) => axis.name)), number.name];
  const paint = { color: base.ink };
  const last = scales.length - 1;
  const look = ({ task }) => (marked ? { lineStyle: marked.has(task) ? { width: 2, opacity: 0.9 } : { width: 1, opacity: 0.06 } } : {});
  return { ...base,
    title: { text: without, left: 8, bottom: 0, textStyle: { ...paint, fontSize: 12, fontWeight: "normal" } },
    parallelAxis: scales.map((scale, dim) => ({ dim, name: names[dim], ...(scale ? { type: "category", data: scale }
      : { type: "value", scale: true }), nameTextStyle: paint, axisLabel: labelsOf(scale, paint) })),
    parallel: { left: 100, right: 90, top: 46, bottom: 24 },
    visualMap: { show: false, dimension: last, min: Math.min(...shown.map((row) => row.values[last])),
      max: Math.max(...shown.map((row) => row.values[last])), inRange: { color: rangeOfColours() } },
    series: [{ type: "parallel", data: shown.map((row) => ({ value: row.values, ...look(row) })), lineStyle: { width: 1, opacity: 0.5 },
      progressive: 500 }] };
}

// When tasks ran: the times at which any did, one behind the other, without long pauses between them.
function busyTimes({ started, seconds, status }) {
  const order = Array.from(started.keys()).filter((task) => status[task] !== 0 && started[task] > 0)
    .sort((a, b) => started[a] - started[b]);
  const spans = [];
  for (const task of order) {
    const end = started[task] + seconds[task];
    if (spans.length === 0 || started[task] > spans.at(-1).end) spans.push({ begin: started[task], end });
    else spans.at(-1).end = Math.max(spans.at(-1).end, end);
  }
  const busy = spans.reduce((sum, span) => sum + span.end - span.begin, 0);
  let cut = spans.length ? spans[0].begin : 0;
  const pauses = [];  // where on the axis, and how long
  spans.forEach((span, i) => {
    const pause = i > 0 ? span.begin - spans[i - 1].end : 0;
    if (pause > PAUSE * busy) {
      cut += pause - PAUSE * busy;
      pauses.push({ at: span.begin - cut - PAUSE * busy / 2, seconds: pause });
    }
    span.cut = cut;
  });
  return { order, spans, pauses };
}

// Bars of the schedule: [begin, end, lane, first task, how many]. Tasks of one rank and curve that are too
// short to be seen share a bar; tasks of merged runs that claim one rank at a time have lanes of their own.
function barsOf(tasks) {
  const { order, spans, pauses } = busyTimes(tasks);
  const length = spans.length ? spans.at(-1).end - spans.at(-1).cut : 0;
  const lanes = new Map(), bars = [];
  let span = 0;
  for (const task of order) {
    while (tasks.started[task] > spans[span].end) ++span;
    const begin = tasks.started[task] - spans[span].cut, end = begin + tasks.seconds[task];
    let copy = 0;
    const name = () => `rank ${tasks.rank[task]}${copy ? ` (${copy + 1})` : ""}`;
    while (lanes.has(name()) && lanes.get(name())[1] > begin + length / FINEST) ++copy;
    const last = lanes.get(name());
    if (last && last[5] === tasks.curve[task] && end - last[0] < length / FINEST) {
      last[1] = end;
      ++last[4];
      continue;
    }
    const bar = [begin, end, name(), task, 1, tasks.curve[task]];
    lanes.set(name(), bar);
    bars.push(bar);
  }
  const names = [...lanes.keys()].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  return { bars: bars.map((bar) => [bar[0], bar[1], names.indexOf(bar[2]), bar[3], bar[4]]), names, pauses };
}

// Pixels of a chart with these lanes: a bar each, between what stands above and below.
function heightOfSchedule(lanes) {
  return Math.min(900, 120 + 34 * Math.max(2, lanes));
}

function scheduleOption() {
  const archive = current();
  const base = baseOption();
  const { tasks } = archive;
  tasks.bars ??= barsOf(tasks);
  const { bars, names, pauses } = tasks.bars;
  const about = ([, , , task, count]) => (count > 1 ? `${count} tasks from task ${task} on`
    : `task ${task}: ${short(tasks.seconds[task])} s`) + `, ${archive.curves[tasks.curve[task]]}`;
  const lines = { silent: true, symbol: "none", lineStyle: { color: base.ink, type: "dashed", width: 1 },
    label: { color: base.ink, formatter: (line) => `pause of ${duration(line.data.seconds)}` },
    data: pauses.map(({ at, seconds }) => ({ xAxis: at, seconds })) };
  const curves = [...new Set(bars.map(([, , , task]) => tasks.curve[task]))].sort((a, b) => a - b);
  return { ...base, grid: { left: 76, right: 20, top: pauses.length ? 52 : 32, bottom: 46 },
    legend: { type: "scroll", textStyle: { color: base.ink }, top: 0 },
    tooltip: { formatter: (hit) => escapeText(about(hit.value)) },
    xAxis: { ...base.axis, type: "value", scale: false,
      name: tasks.told ? "seconds since the first task began" : "seconds of tasks (no start times: one behind the other)" },
    yAxis: { ...base.axis, type: "category", data: names, inverse: true },
    series: curves.map((curve, i) => ({ ...barSeries(bars.filter((bar) => tasks.curve[bar[3]] === curve)),
      name: archive.curves[curve], itemStyle: { color: COLOURS[curve % COLOURS.length] },
      ...(i === 0 ? { markLine: lines } : {}) })) };
}

function barSeries(bars) {
  return { type: "custom", data: bars, encode: { x: [0, 1], y: 2 }, clip: true, progressive: 0,
    renderItem: (_, api) => {
      const begin = api.coord([api.value(0), api.value(2)]);
      const end = api.coord([api.value(1), api.value(2)]);
      const height = Math.min(26, api.size([0, 1])[1] * 0.7);
      return { type: "rect", shape: { x: begin[0], y: begin[1] - height / 2,
        width: Math.max(0.5, end[0] - begin[0]), height },
        style: { fill: api.visual("color"), stroke: dark.matches ? "#16181c" : "#ffffff",
                 lineWidth: end[0] - begin[0] > 3 ? 0.5 : 0 } };
    } };
}

function duration(seconds) {
  const units = [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]];
  const [name, size] = units.find(([, one]) => seconds >= one) || ["s", 1];
  return `${Number((seconds / size).toPrecision(2))} ${name}`;
}

const builders = { fronts: frontsOption, "group-bars": groupBarsOption, yardstick: yardstickOption, trajectories: trajectoriesOption, parallel: parallelOption,
                   schedule: scheduleOption };
