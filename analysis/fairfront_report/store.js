"use strict";
// What the page knows: the archives, unpacked when they are first looked at, and the marks that stand for
// their points.
const LARGE = 3000;  // points of a problem from which those that hide each other share a mark
const GRID = [400, 220];  // places of a chart: smaller than a mark of it

const element = (id) => document.getElementById(id);
const archives = JSON.parse(element("data").textContent);
// hidden: curves, or archives, that the legend has switched off; axes: objectives of the chart; zoom, marked: parts of its plane.
const state = { archive: 0, problem: 0, hidden: new Set(), chosen: -1, axes: [0, 1], zoom: null, marked: null, bounds: null };

function bytesOf(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

function unpack(text, kind) {
  return new (kind === "i4" ? Int32Array : Float64Array)(bytesOf(text).buffer);
}

// Unpacks the columns of an archive the first time that they are looked at.
function load(archive) {
  if (archive.loaded) return archive;
  const { tasks, fronts } = archive;
  for (const name of ["problem", "curve", "rank", "status"]) tasks[name] = unpack(tasks[name], "i4");
  for (const name of ["started", "seconds"]) tasks[name] = unpack(tasks[name], "f8");
  tasks.told = tasks.started.some((time) => time > 0);
  if (!tasks.told) layBehind(tasks);
  for (const axis of archive.axes) axis.index = unpack(tasks.axes[axis.name], "i4");
  for (const number of archive.numbers) {
    number.values = unpack(number.values, "f8");
    number.ends = number.ends && number.ends.map((column) => unpack(column, "f8"));
  }
  for (const list of archive.lists) {
    list.owner = unpack(list.owner, "i4");
    list.offsets = unpack(list.offsets, "i4");
    list.values = unpack(list.values, "f8");
  }
  withInfinite(archive);
  archive.models.leftOut = new Set(archive.models.left_out);
  archive.models.apart = new Set(archive.models.apart);
  if (fronts) {
    const owner = unpack(fronts.owner, "i4"), sizes = unpack(fronts.sizes, "i4");
    fronts.task = new Int32Array(sizes.reduce((sum, size) => sum + size, 0));
    owner.reduce((row, task, i) => fronts.task.fill(task, row, row + sizes[i]) && row + sizes[i], 0);
    fronts.solution = fronts.solution && unpack(fronts.solution, "i4");
    fronts.points = fronts.points.map((column) => unpack(column, "f8"));
  }
  archive.loaded = true;
  return archive;
}

// JSON has no infinity: in cells it is a text.
function withInfinite(archive) {
  const numeric = (value) => (typeof value === "string" ? Number(value) : value);
  for (const { cells } of archive.audit.flatMap((one) => one.measures))
    for (const cell of cells.filter(Boolean)) {
      cell.value = numeric(cell.value);
      cell.less = cell.less && cell.less.map(numeric);
    }
  for (const table of archive.by_group) {
    for (const group of table.groups) group.cells = group.cells.map((cell) => cell && cell.map(numeric));
    for (const gap of table.gaps) gap.cell = gap.cell && gap.cell.map(numeric);
  }
}

// Start times of an archive that has none: the tasks of each rank one behind the other.
function layBehind(tasks) {
  const ends = new Map();
  for (let task = 0; task < tasks.count; ++task) {
    if (tasks.status[task] === 0) continue;
    tasks.started[task] = ends.get(tasks.rank[task]) ?? 1;
    ends.set(tasks.rank[task], tasks.started[task] + tasks.seconds[task]);
  }
}

const current = () => load(archives[state.archive]);

// Columns of the reported part, unpacked when somebody asks for them. In a file they stand in elements of their own.
function reportOf(fronts) {
  if (fronts.report && typeof fronts.report[0] === "string")
    fronts.report = fronts.report.map((text) => unpack(element(text)?.textContent ?? text, "f8"));
  return fronts.report;
}

// Rows of the points of the problem, by curve. All problems are sorted out at once, the first time.
function pointsByCurve(archive, problem = state.problem) {
  const { fronts, tasks } = archive;
  if (!fronts) return new Map();
  if (!fronts.rows) {
    const curves = archive.curves.length;
    const places = tasks.problem.map((problem, task) => problem * curves + tasks.curve[task]);
    const counts = new Int32Array(archive.problems.length * curves);
    for (let row = 0; row < fronts.task.length; ++row) ++counts[places[fronts.task[row]]];
    const lists = Array.from(counts, (count) => new Int32Array(count));
    counts.fill(0);
    for (let row = 0; row < fronts.task.length; ++row) {
      const place = places[fronts.task[row]];
      lists[place][counts[place]++] = row;
    }
    fronts.rows = archive.problems.map((_, problem) => new Map(archive.curves
      .map((_, curve) => [curve, lists[problem * curves + curve]]).filter(([, rows]) => rows.length > 0)));
  }
  return fronts.rows[problem];
}

const total = (byCurve) => [...byCurve.values()].reduce((sum, rows) => sum + rows.length, 0);

// The least and greatest of two columns over all rows of a problem.
function extentOf([x, y], byCurve) {
  const extent = [Infinity, -Infinity, Infinity, -Infinity];
  for (const rows of byCurve.values()) {
    for (const row of rows) {
      if (x[row] < extent[0]) extent[0] = x[row];
      if (x[row] > extent[1]) extent[1] = x[row];
      if (y[row] < extent[2]) extent[2] = y[row];
      if (y[row] > extent[3]) extent[3] = y[row];
    }
  }
  return extent;
}

// The place of a point in the grid of a chart; NaN: it has none.
function placement([x, y], [left, right, bottom, top]) {
  const across = right > left ? (GRID[0] - 1e-9) / (right - left) : 0;
  const up = top > bottom ? (GRID[1] - 1e-9) / (top - bottom) : 0;
  return (row) => Math.floor((x[row] - left) * across) + GRID[0] * Math.floor((y[row] - bottom) * up);
}

function insideOf([[left, right], [bottom, top]]) {
  return (x, y) => x >= left && x <= right && y >= bottom && y <= top;
}

// The part of the plane whose places marks share: all of it, or what is zoomed in on.
function extentShown(columns, byCurve) {
  return state.zoom ? state.zoom.flat() : extentOf(columns, byCurve);
}

// Of each curve the rows that are drawn: of those that share a place the first one. Kept, as filters come again.
function marksOf(archive, columns, problem = state.problem) {
  const key = `${problem} ${state.zoom ? state.zoom.flat().join(" ") : ""}`;
  columns.marks ??= new Map();
  if (!columns.marks.has(key)) {
    if (state.zoom) for (const old of columns.marks.keys()) if (!old.endsWith(" ")) columns.marks.delete(old);
    columns.marks.set(key, findMarks(columns, pointsByCurve(archive, problem)));
  }
  return columns.marks.get(key);
}

function findMarks(columns, byCurve) {
  const many = total(byCurve) > LARGE;
  const [left, right, bottom, top] = extentShown(columns, byCurve);
  const placeOf = placement(columns, [left, right, bottom, top]);
  const seen = new Uint8Array(GRID[0] * GRID[1]);
  const [x, y] = columns, inside = insideOf([[left, right], [bottom, top]]);
  return new Map([...byCurve].map(([curve, rows]) => {
    const kept = new Int32Array(rows.length);
    let size = 0;
    seen.fill(0);
    for (const row of rows) {
      if (!inside(x[row], y[row])) continue;  // or it has no value on this part
      const place = placeOf(row);
      if (many && seen[place]) continue;
      kept[size++] = row;
      seen[place] = 1;
    }
    return [curve, { rows: kept.subarray(0, size), pairs: pairsOf(columns, kept.subarray(0, size)) }];
  }));
}

// Sorts out the points of every problem while nobody does anything, so that looking at one takes no time.
function prepare(archive, columns, problem = 0) {
  if (problem >= archive.problems.length) return;
  requestIdleCallback(() => {
    marksOf(archive, columns, problem);
    prepare(archive, columns, problem + 1);
  });
}

function pairsOf([x, y], rows) {
  const pairs = new Float64Array(2 * rows.length);
  for (let i = 0; i < rows.length; ++i) {
    pairs[2 * i] = x[rows[i]];
    pairs[2 * i + 1] = y[rows[i]];
  }
  return pairs;
}

// All rows that the mark of this row stands for.
function rowsAt(archive, columns, row) {
  const byCurve = pointsByCurve(archive);
  const own = byCurve.get(archive.tasks.curve[archive.fronts.task[row]]);
  const drawn = marksOf(archive, columns).get(archive.tasks.curve[archive.fronts.task[row]]);
  if (drawn.rows.length === own.length || total(byCurve) <= LARGE) return [row];
  const placeOf = placement(columns, extentShown(columns, byCurve));
  const place = placeOf(row), [left, right, bottom, top] = extentShown(columns, byCurve);
  const inside = insideOf([[left, right], [bottom, top]]), [x, y] = columns;
  return Array.from(own.filter((other) => placeOf(other) === place && inside(x[other], y[other])));
}

// Drawn rows of the curves that are not hidden, the least first objective first.
function rowsInOrder(archive, columns) {
  const key = [state.problem, state.zoom, ...[...state.hidden].sort()].join("\n");
  if (columns.orderKey !== key) {
    const [x, y] = columns;
    const rows = [...marksOf(archive, columns)].filter(([curve]) => !state.hidden.has(archive.curves[curve]))
      .flatMap(([, marks]) => Array.from(marks.rows));
    columns.order = rows.sort((a, b) => x[a] - x[b] || y[a] - y[b]);
    columns.orderKey = key;
  }
  return columns.order;
}

// The lists of numbers that belong to a point: those of its solution, or those of its task.
function listsOf(archive, row) {
  const task = archive.fronts.task[row];
  return archive.lists.map((list) => {
    const first = list.linked ? archive.fronts.solution[row] : list.owner.indexOf(task);
    const own = [];
    for (let i = first; i >= 0 && list.owner[i] === task && (own.length === 0 || !list.linked); ++i)
      own.push(list.values.subarray(list.offsets[i], list.offsets[i + 1]));
    return { ...list, own };
  }).filter((list) => list.own.length > 0);
}
