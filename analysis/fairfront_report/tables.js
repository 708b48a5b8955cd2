"use strict";
// Tables that a click on the head of a column sorts, and lists of remarks.

const sorted = new Map();  // of tables by their ids: which head, and in which order

// Rows of heads in front, the others in a body; heads of the last such row, and those that reach it, sort the columns.
function sortable(table) {
  const rows = [...table.rows];
  if (rows.length === 0) return;
  const first = rows.findIndex((row) => row.querySelector("th[scope=row]"));
  const head = node("thead"), body = node("tbody");
  head.append(...rows.slice(0, first < 0 ? rows.length : first));
  if (first >= 0) body.append(...rows.slice(first));
  table.append(head, body);
  if (body.rows.length < 2) return;
  for (const [column, cell] of headsOf(head).entries()) if (cell && cell.scope === "col") sortBy(table, cell, column);
  const before = sorted.get(table.id);
  if (before) sortAgain(table, before);
}

// A table that is made anew, of another problem or of a run that goes on, keeps its order.
function sortAgain(table, { place, order }) {
  const cell = table.tHead.querySelectorAll("th")[place];
  if (!cell?.querySelector("button")) return;
  if (order === "descending") cell.setAttribute("aria-sort", "ascending");
  cell.querySelector("button").click();
}

// Of every column the cell that stands over it in the last row of heads.
function headsOf(head) {
  const columns = [];
  [...head.rows].forEach((row, line) => {
    let column = 0;
    for (const cell of row.cells) {
      while (columns[column]?.until > line) ++column;
      for (let i = 0; i < cell.colSpan; ++i) columns[column++] = { cell, until: line + cell.rowSpan };
    }
  });
  return columns.map((one) => (one.cell.colSpan === 1 ? one.cell : null));
}

function sortBy(table, cell, column) {
  const button = node("button", undefined, { class: "sort", type: "button" });
  button.append(...cell.childNodes);
  cell.replaceChildren(button);
  button.addEventListener("click", () => {
    const order = cell.getAttribute("aria-sort") === "ascending" ? "descending" : "ascending";
    for (const other of table.tHead.querySelectorAll("th[aria-sort]")) other.removeAttribute("aria-sort");
    cell.setAttribute("aria-sort", order);
    sortRows(table.tBodies[0], column, order === "ascending" ? 1 : -1);
    sorted.set(table.id, { place: [...table.tHead.querySelectorAll("th")].indexOf(cell), order });
  });
}

// Numbers by their size, texts by the alphabet; what has no value comes last, and a row that is pinned stays in front.
function sortRows(body, column, sign) {
  const keyed = [...body.rows].map((row, i) => ({ row, i, pinned: "pinned" in row.dataset, key: sortKey(row.cells[column]) }));
  keyed.sort((a, b) => b.pinned - a.pinned || missing(a.key) - missing(b.key) || sign * compared(a.key, b.key) || a.i - b.i);
  body.append(...keyed.map((one) => one.row));
}

const missing = (key) => key === null;

function compared(a, b) {
  if (a === null || b === null) return 0;
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), "en", { numeric: true });
}

// The value of a cell, or what its text begins with.
function sortKey(cell) {
  if (!cell) return null;
  if (cell.dataset.value !== undefined) return Number(cell.dataset.value);
  const text = cell.textContent.trim();
  if (text === "" || text.startsWith("–") || text.startsWith("—")) return null;
  const number = parseFloat(text);
  return cell.classList.contains("number") && Number.isFinite(number) ? number : text;
}

// What concerns the whole archive, and below it the messages of tasks, folded by what they are about.
function showWarnings(archive) {
  const failed = archive.remarks.some((one) => one.status === "failed");
  element("warnings").replaceChildren(...archive.warnings.map((text) => node("p", text, { class: "alarm" })),
    ...archive.remarks.map((one) => remarksOf(one)));
  element("warnings").hidden = element("warnings").childElementCount === 0;
  element("warnings").classList.toggle("alarming", failed || archive.warnings.length > 0);
}

function remarksOf({ status, kind, tasks, lines }) {
  const made = node("details", undefined, status === "failed" ? { open: "", class: "alarm" } : {});
  made.append(node("summary", `${count(tasks, "task")} ${status === "failed" ? "failed" : tasks === 1 ? "has a remark" : "have a remark"}: ${kind}`),
              ...lines.map((line) => node("p", line)));
  return made;
}
