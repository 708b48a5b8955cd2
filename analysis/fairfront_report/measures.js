"use strict";
// An audit: every measure of the models that are compared, with its interval.

// Values and ends of a line share a scale.
function endsOfLine(cells) {
  const values = cells.flatMap((cell) => (cell ? [cell.value, cell.low, cell.high] : [])).filter(Number.isFinite);
  const low = Math.min(...values), high = Math.max(...values);
  return high > low ? [low, high] : [low - 0.5, low + 0.5];
}

function auditCell(cell, ends, replicates, reference, digits) {
  const made = node("td", undefined, { class: "number" });
  if (!cell) {
    made.append(node("span", "—", { "aria-hidden": "true" }), node("span", "not known", { class: "spoken" }));
    return made;
  }
  made.dataset.value = cell.value;
  const text = node(cell.best ? "strong" : "span", spreadText([cell.value, cell.low, cell.high], replicates, digits));
  made.append(strip([cell.value, cell.low, cell.high], null, ends), node("br"), text, { worse: " †", better: "" }[cell.shown] || "");
  if (cell.best) made.append(node("span", " (shown to be better)", { class: "spoken" }));
  if (cell.less) made.append(node("br"), node("span", `less ${reference}: ${spreadText(cell.less, 1)}`, { class: "difference" }));
  return made;
}

function auditTable(found) {
  const arrow = { minimise: " ↓", maximise: " ↑", none: "" };
  const head = node("tr");
  head.append(node("th", "measure", { scope: "col" }), ...found.models.map((name) => node("th", name, { scope: "col", class: "number" })));
  const lines = found.measures.map((measure) => {
    const line = node("tr", undefined, { title: measure.definition });
    const ends = endsOfLine(measure.cells), digits = digitsApart(measure.cells.map((cell) => cell?.value), 3);
    line.append(node("th", measure.name + (measure.unit ? ` [${measure.unit}]` : "") + arrow[measure.direction], { scope: "row" }),
                ...measure.cells.map((cell) => auditCell(cell, ends, found.replicates, found.reference, digits)));
    return line;
  });
  return [node("caption", "Measures of the reported part, with intervals where the archive has them"), head, ...lines];
}

function showAudit(archive) {
  const found = archive.audit.find((one) => one.problem === state.problem);
  element("audit-section").hidden = !found;
  if (!found) return;
  element("audit").replaceChildren(...auditTable(found));
  element("audit-note").textContent = found.note;
  sortable(element("audit"));
  filterAudit();
}

// Lines whose measure has the text in its name.
function filterAudit() {
  const wanted = element("audit-find").value.trim().toLowerCase();
  const rows = [...element("audit").tBodies[0].rows];
  for (const row of rows) row.hidden = !row.cells[0].textContent.toLowerCase().includes(wanted);
  const shown = rows.filter((row) => !row.hidden).length;
  element("audit-shown").textContent = `${shown} of ${count(rows.length, "measure")}`;
}

element("audit-find").addEventListener("input", filterAudit);
