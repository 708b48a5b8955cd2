"use strict";
// What is marked on one chart is marked on the other; what is marked can be zoomed in on.
const SHORTEST_DRAG = 6;  // pixels: less is a click
const ZOOM_STEP = 1.5;

// Rows of the archive that are marked on the chart of fronts, and the tasks that own them. A mark is either a part of the
// plane, { ranges }, or tasks, { tasks }.
function markedRows(archive, columns) {
  const { marked } = state;
  if (!marked || !archive.fronts) return [];
  const [x, y] = columns, rows = [];
  const inside = marked.ranges && insideOf(marked.ranges);
  for (const own of pointsByCurve(archive).values()) {
    if (state.hidden.has(archive.curves[archive.tasks.curve[archive.fronts.task[own[0]]]])) continue;
    for (const row of own) if (inside ? inside(x[row], y[row]) : marked.tasks.has(archive.fronts.task[row])) rows.push(row);
  }
  return rows;
}

function markedTasks(archive) {
  if (!state.marked) return null;
  if (state.marked.tasks) return state.marked.tasks;
  return new Set(markedRows(archive, columnsShown(archive)).map((row) => archive.fronts.task[row]));
}

// Of very many marked points each place of the chart has one.
function markedSeries(archive, columns, base) {
  const rows = new Set(markedRows(archive, columns));
  const drawn = [...marksOf(archive, columns).values()].flatMap((marks) => Array.from(marks.rows).filter((row) => rows.has(row)));
  return { id: "marked", type: "scatter", silent: true, z: 5, symbol: "circle", symbolSize: drawn.length > BULK ? 3 : 7, large: drawn.length > BULK,
    data: drawn.map((row) => [columns[0][row], columns[1][row]]),
    itemStyle: { color: dark.matches ? "#ffd54f" : "#a40000", opacity: 0.9 } };
}

function mark(marked) {
  state.marked = marked;
  tellMarked();
  draw("fronts", "parallel");
  remember();
}

function tellMarked() {
  const archive = current();
  const tasks = markedTasks(archive);
  const rows = tasks ? markedRows(archive, columnsShown(archive)) : [];
  element("marked").textContent = tasks ? `${count(rows.length, "point")} of ${count(tasks.size, "task")} ${rows.length === 1 ? "is" : "are"} marked, ` +
    "here and among the axes against measures." : "";
  for (const name of ["zoom-marked", "unmark"]) element(name).disabled = !tasks || rows.length === 0;
  if (tasks) element("unmark").disabled = false;
  element("zoom-out").disabled = !state.zoom;
}

const count = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;

function zoomTo(ranges) {
  state.zoom = ranges && ranges.map(([low, high]) => (high > low ? [low, high] : [low - Math.abs(low || 1) / 100, high + Math.abs(high || 1) / 100]));
  draw("fronts");
  tellMarked();
  remember();
}

function zoomToMarked() {
  const archive = current();
  const columns = columnsShown(archive);
  const rows = markedRows(archive, columns);
  if (state.marked.ranges) return zoomTo(state.marked.ranges);
  zoomTo(columns.slice(0, 2).map((column) => {
    let low = Infinity, high = -Infinity;
    for (const row of rows) [low, high] = [Math.min(low, column[row]), Math.max(high, column[row])];
    const margin = (high - low) / 20;
    return [low - margin, high + margin];
  }));
}

// The ends of both axes as they are drawn.
function endsShown() {
  const model = charts.fronts.getModel();
  return ["xAxis", "yAxis"].map((name) => model.getComponent(name).axis.scale.getExtent());
}

// Around a place of the plane; without one around the chosen point, or the middle.
function zoomBy(factor, place) {
  const ends = endsShown();
  const columns = columnsShown(current());
  const at = place || (state.chosen >= 0 ? columns.slice(0, 2).map((column) => column[state.chosen]) : ends.map(([low, high]) => (low + high) / 2));
  zoomTo(ends.map(([low, high], i) => {
    const middle = Math.min(high, Math.max(low, at[i]));
    return [middle - (middle - low) / factor, middle + (high - middle) / factor];
  }));
}

// A rectangle that is drawn with the mouse, or by touch once the button says so.
function listenToDrags(place) {
  let begin = null;
  const rubber = node("div", undefined, { class: "rubber", hidden: "" });
  place.append(rubber);
  const at = (event) => {
    const box = place.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  place.addEventListener("pointerdown", (event) => {
    const wanted = event.pointerType === "mouse" ? event.button === 0 : place.classList.contains("marking");
    if (!wanted || !charts.fronts.containPixel("grid", at(event))) return;
    begin = at(event);
  });
  place.addEventListener("pointermove", (event) => {
    if (!begin) return;
    const end = at(event);
    rubber.hidden = !isDrag(begin, end);
    const sides = { left: 0, top: 1, width: 0, height: 1 };
    for (const [side, i] of Object.entries(sides))
      rubber.style[side] = `${i < 2 && (side === "left" || side === "top") ? Math.min(begin[i], end[i]) : Math.abs(end[i] - begin[i])}px`;
  });
  window.addEventListener("pointerup", (event) => {
    if (begin && event.type === "pointerup" && isDrag(begin, at(event))) markBetween(begin, at(event));
    begin = null;
    rubber.hidden = true;
  });
  window.addEventListener("pointercancel", () => { begin = null; rubber.hidden = true; });
}

const isDrag = (begin, end) => Math.hypot(end[0] - begin[0], end[1] - begin[1]) >= SHORTEST_DRAG;

function markBetween(begin, end) {
  const corners = [begin, end].map((corner) => charts.fronts.convertFromPixel("grid", corner));
  mark({ ranges: [0, 1].map((i) => corners.map((corner) => corner[i]).sort((a, b) => a - b)) });
}

// Tasks whose lines pass every interval that is set on the axes of the parallel coordinates.
function markAlongAxes() {
  const axes = charts.parallel.getModel().queryComponents({ mainType: "parallelAxis" });
  const set = axes.filter((axis) => axis.activeIntervals.length > 0);
  if (set.length === 0) return mark(null);
  const { rows, scales } = parallelRows(current());
  const passes = (axis, row) => {
    const scale = scales[axis.componentIndex];
    const value = scale ? scale.indexOf(row.values[axis.componentIndex]) : row.values[axis.componentIndex];
    return axis.activeIntervals.some(([low, high]) => value >= low && value <= high);
  };
  state.marked = { tasks: new Set(rows.filter((row) => set.every((axis) => passes(axis, row))).map((row) => row.task)) };
  tellMarked();
  draw("fronts");
  remember();
}

for (const [name, action] of [["zoom-in", () => zoomBy(ZOOM_STEP)], ["zoom-out", () => zoomTo(null)], ["zoom-marked", zoomToMarked],
                              ["mark-shown", () => mark({ ranges: endsShown() })], ["unmark", () => mark(null)]])
  element(name).addEventListener("click", action);
element("marking").addEventListener("click", () => {
  const on = element("fronts").classList.toggle("marking");
  element("marking").setAttribute("aria-pressed", String(on));
});
element("fronts").addEventListener("wheel", (event) => {
  if (!event.ctrlKey || !charts.fronts) return;
  event.preventDefault();
  const box = element("fronts").getBoundingClientRect();
  const at = [event.clientX - box.left, event.clientY - box.top];
  if (charts.fronts.containPixel("grid", at)) zoomBy(event.deltaY < 0 ? ZOOM_STEP : 1 / ZOOM_STEP, charts.fronts.convertFromPixel("grid", at));
}, { passive: false });
