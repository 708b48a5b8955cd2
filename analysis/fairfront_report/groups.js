"use strict";
// Measures of each group's rows alone: a table with a dot and a whisker in each cell, and who makes each gap.

const SVG = "http://www.w3.org/2000/svg";
const BARS = { barMaxWidth: 40, barGap: "8%" };
const STRIP = { width: 90, height: 12 };  // pixels of a cell's picture
const NAME = { longest: 150, line: 14 };  // pixels of a name below a bar

function shape(tag, attributes) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

// The ends of a column: every value and whisker.
function endsOf(table, column) {
  const values = table.groups.flatMap(({ cells }) => cells[column] ?? []).filter(Number.isFinite);
  const low = Math.min(...values), high = Math.max(...values);
  return high > low ? [low, high] : [low - 0.5, low + 0.5];
}

// A dot with its whisker, and a line where all rows are.
function strip([value, low, high], all, [first, last]) {
  const at = (x) => 4 + (STRIP.width - 8) * (x - first) / (last - first);
  const middle = STRIP.height / 2;
  const made = shape("svg", { width: STRIP.width, height: STRIP.height, "aria-hidden": "true", class: "strip" });
  if (all && Number.isFinite(all[0])) made.append(shape("line", { x1: at(all[0]), x2: at(all[0]), y1: 0, y2: STRIP.height, class: "all" }));
  if (low !== null && high !== null)
    made.append(shape("line", { x1: at(low), x2: at(high), y1: middle, y2: middle, class: "whisker" }));
  if (Number.isFinite(value)) made.append(shape("circle", { cx: at(value), cy: middle, r: 3, class: "dot" }));
  return made;
}

function spreadText(cell, replicates, digits = 3) {
  if (Math.abs(cell[0]) === Infinity) return infinite(cell[0]);
  const [value, low, high] = cell.map((end, i) => (end === null ? null : String(Number(end.toPrecision(i === 0 ? digits : 3)))));
  if (low === null || high === null) return value;
  return replicates > 1 ? `${value} ± ${Number((cell[2] - cell[0]).toPrecision(2))}` : `${value} [${low}, ${high}]`;
}

// A value of a group of few rows without a whisker, where others have theirs, looks as if it were sure.
function isBare(table, group, column) {
  const without = (cell) => cell?.[1] == null || cell[2] == null;
  const cell = group.cells[column];
  return group.few && cell !== null && Number.isFinite(cell[0]) && without(cell) && !table.groups.every((one) => without(one.cells[column]));
}

function groupCell(table, group, column, isAll) {
  const cell = group.cells[column];
  const made = node("td", undefined, { class: "number" });
  if (cell === null) {
    made.append(node("span", "—", { "aria-hidden": "true" }), node("span", "not defined, or too few rows to say", { class: "spoken" }));
    return made;
  }
  const all = isAll ? null : table.groups[0].cells[column];
  made.append(strip(cell, all, endsOf(table, column)), node("br"), spreadText(cell, table.replicates) + (isBare(table, group, column) ? " *" : ""));
  made.dataset.value = cell[0];
  return made;
}

function hasFewRows(table, name) {
  return table.groups.some((group, i) => i > 0 && group.name === name && group.few);
}

function nameOfGroup(table, name) {
  return hasFewRows(table, name) ? `${name} *` : name;
}

function fewRowsText(tables) {
  return tables.some((table) => table.groups.some((group) => group.few)) ? `* fewer than ${tables[0].few_rows} rows: too few to say much of the group` : "";
}

function fewRowsNote(table) {
  const text = fewRowsText([table]);
  return text && `; ${text}`;
}

function groupTable(table) {
  const arrow = { minimise: " ↓", maximise: " ↑", none: "" };
  const head = node("tr");
  head.append(node("th", "group", { scope: "col" }), node("th", "rows", { scope: "col", class: "number" }),
    ...table.measures.map((one) => node("th", one.name + (one.unit ? ` [${one.unit}]` : "") + arrow[one.direction],
      { scope: "col", class: "number", title: one.definition })));
  const lines = table.groups.map((group, i) => {
    const line = node("tr", undefined, i === 0 ? { "data-pinned": "" } : {});
    line.append(node("th", i === 0 ? "all rows" : nameOfGroup(table, group.name), { scope: "row" }),
      node("td", group.rows === null ? "–" : short(group.rows), { class: "number" }),
      ...group.cells.map((_, column) => groupCell(table, group, column, i === 0)));
    return line;
  });
  const caption = `${table.method}, ${table.part} part` + (table.task === null ? `, ${table.replicates} replicates` : `, task ${table.task}`);
  return [node("caption", caption + fewRowsNote(table)), head, ...lines];
}

function gapTable(table) {
  const head = headOf(["gap", "value", "made by", "and"], [1]);
  const lines = table.gaps.map((gap) => {
    const line = node("tr");
    line.append(node("th", gap.name + (gap.unit ? ` [${gap.unit}]` : ""), { scope: "row" }),
      node("td", gap.cell ? spreadText(gap.cell, 1) : "–", { class: "number" }),
      node("td", nameOfGroup(table, gap.group)), node("td", gap.other ? nameOfGroup(table, gap.other) : ""));
    return line;
  });
  return [node("caption", `Which groups make a gap${fewRowsNote(table)}`), head, ...lines];
}

function tablesOfGroups(archive) {
  return archive.by_group.filter((one) => one.problem === state.problem);
}

// The methods of the problem in the list, and the table of one.
function showGroups(archive) {
  const tables = tablesOfGroups(archive);
  showBarsOfGroups(tables);
  element("by-group-section").hidden = tables.length === 0;
  options(element("by-group-method"), tables.map((one) => one.method));
  showGroupsOfMethod();
}

function showGroupsOfMethod() {
  const table = tablesOfGroups(current())[Number(element("by-group-method").value)];
  if (!table) return;
  element("by-group").replaceChildren(...groupTable(table));
  element("gaps").replaceChildren(...(table.gaps.length ? gapTable(table) : []));
  element("gaps-box").hidden = table.gaps.length === 0;
  sortable(element("by-group"));
  sortable(element("gaps"));
}

// Measures that groups have, of all methods of the problem, in the list of the bars.
function showBarsOfGroups(tables) {
  const names = [...new Set(tables.flatMap((table) => table.measures.map((one) => one.name)))];
  const before = element("by-group-measure").value;
  options(element("by-group-measure"), names, names);
  if (names.includes(before)) element("by-group-measure").value = before;
}

// Names below bars: each in one line, upright where one of them is wider than its bars; of so many that lines would touch, some.
// @param groups  the first one is all rows.
// @param marks   of each name what stands behind it, whole.
function namesOfBars(groups, marks, width) {
  const texts = namesWithRoom(groups, marks), own = width / groups.length, widest = widestOf(texts);
  const upright = widest > own;
  return { interval: own >= NAME.line ? 0 : "auto", rotate: upright ? 90 : 0, hideOverlap: false, height: upright ? widest : NAME.line,
           formatter: (_, i) => texts[i] };
}

// The longest of the names that the archive has of each group which have room; the figure has the first ones.
function namesWithRoom(groups, marks) {
  const known = current().group_names;
  const sizes = Object.values(known)[0]?.length ?? 1;
  for (let size = 0; ; ++size) {
    const texts = groups.map((group, i) => (i === 0 ? "all rows" : known[group]?.[size] ?? group) + marks[i]);
    if (size === sizes - 1 || widestOf(texts) <= NAME.longest) return texts;
  }
}

function widestOf(texts) {
  return Math.ceil(Math.max(...texts.map((text) => echarts.format.getTextRect(text).width)));
}

// A bar for each group and method, with its whisker; all rows are a group of their own, the first one.
function groupBarsOption() {
  const base = baseOption();
  const name = element("by-group-measure").value;
  const tables = tablesOfGroups(current()).filter((table) => table.measures.some((one) => one.name === name)).slice(0, COLOURS.length);
  if (tables.length === 0) return emptyOption("no measure of groups");
  const what = tables[0].measures.find((one) => one.name === name);
  const groups = [...new Set(tables.flatMap((table) => table.groups.map((group) => group.name)))];
  const cellOf = (table, group) => table.groups.find((one) => one.name === group)?.cells[table.measures.findIndex((one) => one.name === name)];
  const series = tables.flatMap((table, i) => {
    const cells = groups.map((group) => cellOf(table, group) ?? null);
    return [{ name: table.method, type: "bar", itemStyle: { color: COLOURS[i], opacity: 0.75 }, ...BARS,
              data: cells.map((cell) => (cell && Number.isFinite(cell[0]) ? cell[0] : null)) },
            { name: table.method, type: "custom", silent: true, z: 3, itemStyle: { color: base.ink }, renderItem: whiskerOf(i, tables.length),
              encode: { x: 0, y: [2, 3] }, data: cells.flatMap((cell, g) => (cell && cell[1] !== null && cell[2] !== null ? [[g, cell[0], cell[1], cell[2]]] : [])) }];
  });
  const unbounded = tables.flatMap((table) => groups.filter((group) => Math.abs(cellOf(table, group)?.[0]) === Infinity)
    .map((group) => `${table.method}, ${group === groups[0] ? "all rows" : group}`));
  const notes = [unbounded.length ? `infinite, without a bar: ${unbounded.join("; ")}` : "", fewRowsText(tables)].filter(Boolean);
  const marks = groups.map((group, i) => (i > 0 && tables.some((table) => hasFewRows(table, group)) ? " *" : ""));
  const names = groups.map((group, i) => (i === 0 ? "all rows" : group)), grid = { left: 64, right: 20, top: 48 };
  const { height, ...axisLabel } = namesOfBars(groups, marks, element("group-bars").clientWidth - grid.left - grid.right);
  return { ...base, series, grid: { ...grid, bottom: 32 + height }, legend: { type: "scroll", textStyle: { color: base.ink }, top: 0 },
    tooltip: { trigger: "item", formatter: (hit) => escapeText(`${hit.seriesName}, ${hit.name}: ${short(hit.value)}`) },
    xAxis: { ...base.axis, type: "category", name: notes.join("; "), nameGap: 14 + height, data: names.map((text, i) => text + marks[i]),
             axisLabel: { color: base.ink, ...axisLabel } },
    yAxis: { ...base.axis, scale: false, type: "value", name: label(what), nameGap: 46 } };
}

// A line with two ends over the middle of a bar.
function whiskerOf(i, bars) {
  return (_, api) => {
    const own = api.barLayout({ count: bars, ...BARS })[i];
    const [x, low] = api.coord([api.value(0), api.value(2)]), [, high] = api.coord([api.value(0), api.value(3)]);
    const middle = x + own.offsetCenter, end = Math.min(6, own.width / 3), ink = api.visual("color");
    const line = (x1, y1, x2, y2) => ({ type: "line", shape: { x1, y1, x2, y2 }, style: { stroke: ink, lineWidth: 1.5 } });
    return { type: "group", children: [line(middle, low, middle, high), line(middle - end, low, middle + end, low),
                                       line(middle - end, high, middle + end, high)] };
  };
}
