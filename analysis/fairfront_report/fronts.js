"use strict";
// The chart of fronts: of one archive, or of several that have the same objectives and problem.
const BULK = 1500;  // marks of a curve from which they are drawn in bulk: below 4 pixels as plain squares

// Which objectives stand along the two axes.
function axesShown({ fronts }) {
  return fronts.objectives.length > 2 ? state.axes : [0, 1];
}

// The objective that colours tell, where there are more than two; -1: none.
function colouredObjective(archive) {
  const axes = axesShown(archive);
  return together() ? -1 : archive.fronts.objectives.findIndex((_, i) => !axes.includes(i));
}

// The columns along the axes of the chart; all objectives are `all`, and `decided` says on which part.
function columnsShown(archive) {
  const { fronts } = archive;
  const decided = !(element("part").value === "reported" && fronts.report);
  const all = decided ? fronts.points : reportOf(fronts);
  const [x, y] = axesShown(archive);
  fronts.views ??= {};
  return fronts.views[`${decided} ${x} ${y}`] ??= Object.assign([all[x], all[y]], { all, decided, plain: decided && x === 0 && y === 1 });
}

// Archives that can stand on one chart with the one that is looked at: the same objectives, and a problem of the same
// rows, groups and labels in which the same is called unfair.
function likeThis(archive) {
  const alike = (one, i) => one.key === archive.fronts.objectives[i]?.key && one.direction === archive.fronts.objectives[i].direction;
  return archives.map((one, index) => ({ archive: one, index, problem: problemLike(archive, one) })).filter(({ archive: one, problem }) =>
    problem >= 0 && one.fronts && one.fronts.objectives.length === archive.fronts.objectives.length && one.fronts.objectives.every(alike));
}

function problemLike(archive, other) {
  if (other === archive) return state.problem;
  return other.questions.indexOf(archive.questions[state.problem]);
}

const together = () => element("together").checked && !element("together").disabled;

// What the chart is of: { archive, index, problem } each.
function layersShown(archive) {
  const own = [{ archive, index: state.archive, problem: state.problem }];
  if (!together()) return own;
  return likeThis(archive).map((layer) => ({ ...layer, archive: load(layer.archive) }))
    .filter((layer) => pointsByCurve(layer.archive, layer.problem).size > 0);
}

// What the fronts of the problem need of every objective's axis; null: all points are shown.
function frameOf(archive, problem) {
  return archive.frames.find((one) => one.problem === problem) || null;
}

function frameShown(archive, columns) {
  if (!columns.decided || element("strays").checked) return null;
  const frames = layersShown(archive).map((layer) => frameOf(layer.archive, layer.problem));
  if (frames.includes(null)) return null;
  const ends = archive.fronts.objectives.map((_, i) => [Math.min(...frames.map((one) => one.ends[i][0])), Math.max(...frames.map((one) => one.ends[i][1])),
                                  Math.max(...frames.map((one) => one.ends[i][2]))]);
  const [x, y] = axesShown(archive);
  return { ends: [ends[x], ends[y]], all: ends };
}

// The prediction without any unfairness that is best: a cross, or where it lies beyond the frame a word of it.
function constantSeries(archive, columns, base) {
  const frame = frameOf(archive, state.problem);
  if (!frame || !frame.constant || !columns.plain) return [];
  const shown = frameShown(archive, columns);
  const beyond = shown && (frame.constant[0] > shown.ends[0][1] || frame.constant[0] < shown.ends[0][0]);
  const name = "constant prediction" + (beyond ? `, beyond the frame: risk ${short(frame.constant[0])}` : "");
  return [{ id: "constant", name, type: "scatter", silent: true, symbolSize: 10,
    symbol: "path://M0,1 L1,0 L5,4 L9,0 L10,1 L6,5 L10,9 L9,10 L5,6 L1,10 L0,9 L4,5 Z",
    itemStyle: { color: base.ink }, data: [frame.constant] }];
}

// Methods have symbols of their own, in all archives of the page the same.
function symbolOf(name) {
  const names = [...new Set(archives.flatMap((one) => one.curves))];
  return SYMBOLS[names.indexOf(name) % SYMBOLS.length];
}

// Name and look of a curve: one archive's curves have colours of their own, of several each archive has one.
function lookOf({ archive, index }, curve) {
  if (!together()) return { name: archive.curves[curve], colour: COLOURS[curve % COLOURS.length], symbol: SYMBOLS[curve % SYMBOLS.length] };
  return { name: archive.label, colour: COLOURS[index % COLOURS.length], symbol: symbolOf(archive.curves[curve]) };
}

function pointSeries(layer, columns, curve, marks, base) {
  const { name, colour, symbol } = lookOf(layer, curve);
  const third = colouredObjective(layer.archive);
  const large = marks.rows.length > BULK && third < 0;
  const faint = state.marked ? 0.3 : 1;
  const data = third >= 0 ? tripletsList(marks, columns.all[third]) : large ? marks.pairs : pairsList(marks.pairs);
  return { id: `points ${curve} ${layer.index}`, name, type: "scatter", large, symbol, symbolSize: large ? 3 : marks.rows.length > 300 ? 4 : 7,
    data, itemStyle: { color: third >= 0 ? base.ink : colour, opacity: (large ? 0.5 : 0.7) * faint },
    dimensions: third >= 0 ? ["x", "y", "z"] : ["x", "y"], progressive: 0, cursor: "pointer" };
}

// The median attainment surface, and the band between the best and the worst one.
function surfaceSeries(layer, curve) {
  const surface = layer.archive.surfaces.find((one) => one.problem === layer.problem && one.curve === curve);
  if (!surface) return [];
  const { name, colour } = lookOf(layer, curve);
  const made = [{ name, type: "line", data: staircase(surface.median), symbol: "none", silent: true,
    lineStyle: { color: colour, width: 2, opacity: state.marked ? 0.4 : 1 }, itemStyle: { color: colour } }];
  if (surface.replicates > 1 && element("bands").checked) {
    const ring = band(surface);
    made.push({ name, type: "custom", silent: true, data: [[ring[0][0], ring[0][1]]], clip: true, itemStyle: { color: colour },
      renderItem: (_, api) => ({ type: "polygon", silent: true, z2: -1, shape: { points: ring.map((corner) => api.coord(corner)) },
        style: { fill: colour, opacity: 0.16 } }) });
  }
  return made;
}

function frontsOption() {
  const archive = current();
  const base = baseOption();
  if (pointsByCurve(archive).size === 0) return emptyOption("no fronts of this problem");  // hidden
  const columns = columnsShown(archive);
  const series = layersShown(archive).flatMap((layer) => {
    const own = layer.archive === archive ? columns : columnsShown(layer.archive);
    return [...marksOf(layer.archive, own, layer.problem)].flatMap(([curve, marks]) =>
      [pointSeries(layer, own, curve, marks, base), ...(own.plain ? surfaceSeries(layer, curve) : [])]);
  });
  const colours = coloursOf(archive, columns, series, base);
  series.push(...constantSeries(archive, columns, base), markedSeries(archive, columns, base), boundSeries(archive, base),
              chosenMark(archive, columns, base));
  const [x, y] = axesShown(archive).map((i) => archive.fronts.objectives[i]);
  const selected = Object.fromEntries([...state.hidden].map((name) => [name, false]));
  const names = series.filter((one) => one.name).map((one) => one.name);
  const [across, up] = state.zoom || frameShown(archive, columns)?.ends || [];
  return { ...base, series, ...colours, grid: { left: 64, right: 20, top: 48, bottom: colours.visualMap ? 96 : 46 },
    legend: { type: "scroll", selected, textStyle: { color: base.ink }, top: 0, itemStyle: { opacity: 1 }, data: [...new Set(names)] },
    tooltip: { trigger: "item", formatter: (hit) => escapeText(tipOf(hit)) },
    xAxis: framed({ ...base.axis, type: "value", name: label(x) }, across),
    yAxis: framed({ ...base.axis, type: "value", name: label(y), nameGap: 46 }, up) };
}

// Such as "method: 0.1, 0.2"; with several archives the archive stands in front.
function tipOf(hit) {
  const [, curve, index] = String(hit.seriesId).split(" ").map(Number);
  const who = together() && index >= 0 ? `${hit.seriesName}, ${archives[index].curves[curve]}` : hit.seriesName;
  return `${who}: ${Array.from(hit.value, short).join(", ")}`;
}

// The scale of the third objective's colours.
function coloursOf(archive, columns, series, base) {
  const third = colouredObjective(archive);
  if (third < 0) return {};
  let low = Infinity, high = -Infinity;
  for (const { data } of series) for (const point of data) {
    low = Math.min(low, point[2] ?? Infinity);
    high = Math.max(high, point[2] ?? -Infinity);
  }
  if (!(low <= high)) return {};
  const shown = frameShown(archive, columns)?.all[third];  // strays beyond it have the colour of its end
  if (shown) [low, high] = [Math.max(low, shown[0]), Math.min(high, shown[1])];
  const what = archive.fronts.objectives[third];
  return { visualMap: { type: "continuous", dimension: 2, seriesIndex: series.map((_, i) => i), min: low, max: high > low ? high : low + 1,
    inRange: { color: rangeOfColours() }, orient: "horizontal", left: "center", bottom: 0, itemHeight: 160, itemWidth: 12, calculable: true,
    precision: 3, formatter: (value) => String(Number(value.toPrecision(3))),
    text: [what.name + (what.unit ? ` [${what.unit}]` : ""), { minimise: "← better", maximise: "→ better" }[what.direction] || ""],
    textStyle: { color: base.ink } } };
}

function pairsList(pairs) {
  return Array.from({ length: pairs.length / 2 }, (_, i) => [pairs[2 * i], pairs[2 * i + 1]]);
}

function tripletsList({ rows, pairs }, third) {
  return Array.from(rows, (row, i) => [pairs[2 * i], pairs[2 * i + 1], third[row]]);
}

function chosenMark(archive, columns, base) {
  const { chosen } = state;
  return { id: "chosen", type: "scatter", silent: true, z: 9, symbol: "circle", symbolSize: 16,
    data: chosen < 0 ? [] : [[columns[0][chosen], columns[1][chosen]]],
    itemStyle: { color: "transparent", borderColor: base.ink, borderWidth: 2 } };
}

// Which method has which symbol, where colours tell archives.
function symbolsText(archive) {
  if (!together()) return "";
  const shapes = { circle: "circle", rect: "square", diamond: "diamond", triangle: "triangle", roundRect: "rounded square", [STAR]: "star", [TRIANGLE_DOWN]: "triangle upside down" };
  const names = new Set(layersShown(archive).flatMap((layer) => [...pointsByCurve(layer.archive, layer.problem).keys()]
    .map((curve) => layer.archive.curves[curve])));
  const left = archives.length - layersShown(archive).length;
  return `Colours tell archives, symbols methods: ${[...names].map((name) => `${name}: ${shapes[symbolOf(name)]}`).join(", ")}.` +
    (left ? ` ${left} of ${archives.length} archives have other objectives, or no problem of the same rows, groups and labels in which the same is called unfair, and are left out.` : "");
}
