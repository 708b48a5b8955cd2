"use strict";
// Fronts of error against a gap of rates beside what post-processing of the unconstrained model reaches.

const yardsticks = (archive) => archive.yardstick.filter((one) => one.problem === state.problem);
const yardstickShown = () => yardsticks(current())[Number(element("yardstick-choice").value)];

// The rates and parts of the problem, and the table of the first one.
function showYardstick(archive) {
  const found = yardsticks(archive);
  element("yardstick-section").hidden = found.length === 0;
  options(element("yardstick-choice"), found.map((one) => one.label));
  showYardstickTable();
}

function showYardstickTable() {
  const found = yardstickShown();
  if (!found) return;
  const head = headOf(["method", "hypervolume", "post-processed", "worse points", "by at most"], [1, 2, 3, 4]);
  const lines = found.rows.map((row) => {
    const line = node("tr");
    line.append(node("th", row.method, { scope: "row" }), ...[short(row.hypervolume), short(row.yardstick),
      `${row.worse} of ${row.points}`, short(row.excess)].map((text) => node("td", text, { class: "number" })));
    return line;
  });
  element("yardstick-table").replaceChildren(node("caption", `Beside the post-processed unconstrained model: ${found.label}`), head, ...lines);
  sortable(element("yardstick-table"));
}

function yardstickOption() {
  const base = baseOption();
  const found = yardstickShown();
  if (!found) return emptyOption("nothing to compare");
  const series = found.lines.map((line, i) => {
    const colour = line.own ? base.ink : COLOURS[i % COLOURS.length];
    return { name: line.name, type: "line", data: line.points, symbol: SYMBOLS[i % SYMBOLS.length], symbolSize: 7,
             itemStyle: { color: colour }, lineStyle: { color: colour, width: 1.6, type: line.own ? "solid" : "dashed" } };
  });
  return { ...base, series, grid: { left: 64, right: 20, top: 48, bottom: 46 },
    legend: { type: "scroll", textStyle: { color: base.ink }, top: 0 },
    tooltip: { trigger: "item", renderMode: "richText",
               formatter: (hit) => `${hit.seriesName}: ${short(hit.value[0])}, ${short(hit.value[1])}` },
    xAxis: { ...base.axis, type: "value", name: label(found.x) },
    yAxis: { ...base.axis, type: "value", nameGap: 46, name: label(found.y) } };
}
