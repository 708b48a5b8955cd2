"use strict";
// What a person decides by: the card of a point's model, its measures on both parts, commands, and what a bound costs.

// The place of a row on the front of its task, from 0, and how many points that has.
function placeOnFront({ task }, row) {
  let first = row, last = row;
  while (first > 0 && task[first - 1] === task[row]) --first;
  while (last + 1 < task.length && task[last + 1] === task[row]) ++last;
  return { point: row - first, of: last - first + 1 };
}

// Whether the measures of the point's task are of its model, which is then the only one of the front.
function measuresAreOfPoint({ fronts, models }, row) {
  return placeOnFront(fronts, row).of === 1 && !models.apart.has(fronts.task[row]);
}

function cardOf(archive, row) {
  const task = archive.fronts.task[row];
  const { cards, card, methods, method } = archive.models;
  const found = cards[card[task]];
  if (!found) return node("p", "No model of this task is in the archive: nothing can be predicted by it.", { class: "note" });
  if (found.damaged) return node("p", found.damaged, { class: "note" });
  const { point, of } = placeOnFront(archive.fronts, row);
  const recipe = archive.recipes[archive.tasks.recipe[task]];
  return tableOf([["model", `${found.kind} of [${methods[method[task]]}], task ${task}${of > 1 ? `, point ${point}` : ""}`],
    ["inputs", found.inputs], ["group", found.group], ["outputs", found.outputs],
    ...(recipe ? [["trained on", recipe]] : []), ["results digest", archive.digest]], { caption: "Model card" });
}

// Values where the point was decided and on the reported part; of measures, which are of one model of a task, only
// where that is the point's.
function bothParts(archive, row) {
  const { fronts } = archive;
  const task = fronts.task[row], report = reportOf(fronts);
  const measured = measuresAreOfPoint(archive, row);
  const measures = new Map();
  for (const one of measured ? archive.numbers : []) {
    if (!one.place || Number.isNaN(one.values[task])) continue;
    if (!measures.has(one.measure)) measures.set(one.measure, { unit: one.unit, title: one.definition });
    measures.get(one.measure)[one.place] = one;
  }
  const lines = fronts.objectives.map((what, i) => {
    const measure = measures.get(what.key);
    const same = measure?.decides && measure.decides.values[task] === fronts.points[i][row] &&
      (!report || measure.reported?.values[task] === report[i][row]);
    if (!same) return [what.name, short(fronts.points[i][row]), report ? short(report[i][row]) : "–", what.unit];
    measures.delete(what.key);
    return lineOf(what.name, measure, task);
  });
  return [...lines, ...[...measures].map(([name, measure]) => lineOf(name.replaceAll("_", " "), measure, task))];
}

function lineOf(name, { decides, reported, unit, title }, task) {
  const told = (one) => (one ? withInterval(one, task) : "–");
  return [name, told(decides), told(reported), unit, title];
}

function bothPartsTable(archive, row) {
  const table = node("table");
  const head = headOf(["", "part that decides", "reported part", "unit"], [1, 2]);
  const lines = bothParts(archive, row).map(([name, decides, reported, unit, title = ""]) => {
    const line = node("tr", undefined, title ? { title } : {});
    line.append(node("th", name, { scope: "row" }), node("td", decides, { class: "number" }),
                node("td", reported, { class: "number" }), node("td", unit));
    return line;
  });
  table.append(node("caption", "Measures, with intervals where the archive has them"), head, ...lines);
  return scrolled(table, "measures of the point on both parts");
}

function headOf(names, numbers = []) {
  const head = node("tr");
  head.append(...names.map((name, i) => (name === "" ? node("td")
    : node("th", name, { scope: "col", ...(numbers.includes(i) ? { class: "number" } : {}) }))));
  return head;
}

// A wide table that the keyboard can scroll.
function scrolled(table, name) {
  const box = node("div", undefined, { class: "scroll", tabindex: 0, role: "region", "aria-label": name });
  box.append(table);
  return box;
}

// A word of a command as a shell reads it.
function quoted(word) {
  const text = word.startsWith("-") ? `./${word}` : word;
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

// What `fairfront choose` names if every objective but the first is bounded by its value at this row; -1: nothing.
function chosenWithin(archive, row, method = -1) {
  const { fronts: { points, task }, models } = archive;
  const found = bestWithin(archive, models.choice[task[row]], 0, points.map((column, i) => (i === 0 ? null : column[row])), method);
  return found.kept ? found.row : -1;
}

// Of a run that goes on there is no archive yet, but what its journal holds.
function startOfChoose(archive, choice) {
  const { choices } = archive.models;
  return ["fairfront choose", quoted(archive.name), ...(archive.partial ? ["--partial"] : []),
          ...(choices.length > 1 ? ["--problem", quoted(choices[choice])] : [])];
}

// Each point has a file of its own, as choose replaces none.
function modelFile({ fronts }, row) {
  return `model-${fronts.task[row]}-${placeOnFront(fronts, row).point}.json`;
}

// The command, and what is to be said of it.
function chooseCommand(archive, row) {
  const { fronts, models } = archive;
  const task = fronts.task[row], method = models.method[task];
  if (models.leftOut.has(task))
    return { note: "choose leaves this point out: its method learnt from labels or groups of the part that decides." };
  if (models.mixed.includes(models.choice[task]))
    return { note: "choose compares no points that were decided on different parts (choose_on) or are reported on different ones (report_on): it chooses by --method, or in an archive of one part." };
  const words = startOfChoose(archive, models.choice[task]);
  fronts.objectives.slice(1).forEach((one, i) => words.push("--bound",
    quoted(`${one.key}${one.direction === "maximise" ? ">=" : "<="}${fronts.points[i + 1][row]}`)));
  words.push("--best", quoted(fronts.objectives[0].key));
  const best = chosenWithin(archive, row);
  const named = best === row || chosenWithin(archive, row, method) === row;
  if (named && best !== row) words.push("--method", quoted(models.methods[method]));
  if (models.card[task] >= 0) words.push("--model", modelFile(archive, named || best < 0 ? row : best));
  if (best === row || best < 0) return { command: words.join(" ") };
  const other = `task ${fronts.task[best]}, point ${placeOnFront(fronts, best).point}`;
  return { command: words.join(" "), note: named ? `Of all methods, ${other} is at least as good within the bound.`
    : `It names ${other}, which is at least as good within the bound.` };
}

function predictCommand(archive, row) {
  const { models, fronts } = archive;
  const task = fronts.task[row], card = models.cards[models.card[task]];
  if (!card || card.damaged) return {};
  const { point, of } = placeOnFront(fronts, row);
  const named = of > 1 || models.apart.has(task) ? ` --point ${point}` : "";
  return { command: `fairfront predict ${quoted(archive.name)}${archive.partial ? " --partial" : ""} --task ${task}${named}` +
    `${card.ask_group ? " --group COLUMN" : ""} --rows new.csv --csv predicted.csv` };
}

function commandsOf(archive, row) {
  const replay = { command: `fairfront replay ${quoted(archive.name)} --task ${archive.fronts.task[row]}` };
  const list = node("div", undefined, { class: "commands" });
  for (const { command, note } of [chooseCommand(archive, row), predictCommand(archive, row), replay]) {
    if (command) list.append(commandLine(command));
    if (note) list.append(node("p", note, { class: "note" }));
  }
  return list;
}

function commandLine(command) {
  const copy = node("button", "copy", { "aria-label": `copy the command ${command.split(" ").slice(0, 2).join(" ")}` });
  copy.addEventListener("click", () => copyText(command, copy));
  const line = node("p");
  line.append(node("code", command), " ", copy);
  return line;
}

// What the bounds along the front cost with every method.
function showCosts(archive) {
  const found = archive.costs.find((one) => one.problem === state.problem);
  element("costs-section").hidden = !found;
  if (!found) return;
  const [first, second] = archive.fronts.objectives;
  const sign = second.direction === "maximise" ? "≥" : "≤";
  const names = found.reported ? ["decided", "reported"] : ["decided"];
  const bounds = node("tr"), parts = node("tr");
  bounds.append(node("th", "method", { scope: "col", rowspan: 2 }), ...found.bounds.map((bound) => node("th",
    `${second.name} ${sign} ${short(bound)}`, { scope: "colgroup", colspan: names.length, class: "number" })));
  parts.append(...found.bounds.flatMap(() => names.map((name) => node("th", name, { scope: "col", class: "number" }))));
  const digits = found.bounds.map((_, i) => digitsApart(found.rows.flatMap(({ cells }) => names.map((name) => cells[i]?.[name])), 5));
  const lines = found.rows.map((row) => {
    const line = node("tr");
    line.append(node("th", archive.curves[row.curve] + (row.left_out ? " *" : ""), { scope: "row" }),
                ...row.cells.flatMap((cell, i) => names.map((name) => costCell(cell, name, row.replicates, digits[i]))));
    return line;
  });
  const unit = first.unit ? ` [${first.unit}]` : "";
  element("costs").replaceChildren(node("caption", `Best ${first.name}${unit} within a bound on ${second.name}`),
    bounds, parts, ...lines);
  sortable(element("costs"));
  element("costs-left-out").hidden = !found.rows.some((row) => row.left_out);
}

// Proven bounds of the problem, and how far the best points are from them.
function showProven(archive) {
  const found = archive.proven.filter((one) => one.problem === state.problem);
  element("proven-section").hidden = !found.length;
  if (!found.length) return;
  const [first, second] = archive.fronts.objectives;
  const head = headOf([`${second.name} ≥`, "proven at least", "best found", "by", "gap"], [0, 1, 2, 4]);
  const lines = found.map((one) => {
    const line = node("tr");
    const cells = one.best ? [short(one.best.value), archive.curves[one.best.curve], short(one.best.gap)]
      : ["no point", "", ""];
    line.append(node("th", short(one.floor), { scope: "row", class: "number" }), ...[short(one.lower), ...cells].map(
      (text, i) => node("td", text, i === 2 ? {} : { class: "number" })));
    return line;
  });
  const unit = first.unit ? ` [${first.unit}]` : "";
  element("proven").replaceChildren(node("caption", `Proven bounds on ${first.name}${unit}`), head, ...lines);
  sortable(element("proven"));
}

function costCell(cell, name, replicates, digits) {
  const made = node("td", undefined, { class: "number" });
  if (!cell || cell[name] === null) {
    made.append(node("span", "—", { "aria-hidden": "true" }), node("span", "no point", { class: "spoken" }));
    return made;
  }
  const best = name === "decided" ? cell.best : cell.best_reported;
  made.dataset.value = cell[name];
  made.append(node(best ? "strong" : "span", withDigits(cell[name], digits)));
  if (best) made.append(node("span", " (best)", { class: "spoken" }));
  if (cell.count < replicates) made.append(` (${cell.count} of ${replicates})`);
  return made;
}
