"use strict";
// The address of the page holds what is selected, after #: who opens it sees the same point, bound and part of the chart.
let remembering = 0;

// Of the digest of what an archive found: enough to know it among those of a person. A run that goes on has none yet.
const runOf = (archive) => (archive.partial ? "" : (archive.digest || "").slice(0, 12));

const numbersOf = (text) => (text || "").split(",").map(Number).filter(Number.isFinite);

function linkText() {
  const archive = current();
  const link = new URLSearchParams();
  const set = (name, value) => { if (value !== "" && value !== null) link.set(name, value); };
  if (state.archive > 0 || !runOf(archive)) set("archive", archive.label);
  if (state.problem > 0) set("problem", state.problem);
  for (const [name, id] of [["together", "together"], ["strays", "strays"]]) if (element(id).checked) set(name, 1);
  if (!element("bands").checked) set("bands", 0);
  if (element("part").value !== "chosen") set("part", element("part").value);
  if (archive.fronts && String(axesShown(archive)) !== "0,1") set("axes", axesShown(archive));
  if (state.zoom) set("zoom", state.zoom.flat());
  if (state.marked?.ranges) set("marked", state.marked.ranges.flat());
  for (const name of state.hidden) link.append("without", name);
  if (state.bounds?.given) {
    set("best", state.bounds.best);
    set("of", archive.models.choices[state.bounds.choice]);
    state.bounds.limits.forEach((limit, i) => { if (limit !== null) link.append("bound", `${i},${limit}`); });
  }
  if (state.chosen >= 0) {
    set("task", archive.fronts.task[state.chosen]);
    set("point", placeOnFront(archive.fronts, state.chosen).point);
  }
  const selects = state.archive > 0 || [...link.keys()].some((name) => name !== "archive");
  if (!selects) return "";
  set("run", runOf(archive));
  return String(link);
}

// A little later, as a slider moves often.
function remember() {
  clearTimeout(remembering);
  remembering = setTimeout(rememberNow, 150);
}

function rememberNow() {
  const text = linkText();
  if (text === location.hash.slice(1)) return;
  history.replaceState(null, "", text ? `#${text}` : location.pathname + location.search);
}

// Takes from the text what the archives have, and nothing else.
function restore(text) {
  let link = new URLSearchParams(text);
  const label = link.get("archive"), run = link.get("run");
  const named = archives.findIndex((one) => (label === null || one.label === label) && (run === null || runOf(one) === run));
  element("lost-link").hidden = true;
  if (named < 0) {  // of another page: its tasks and bounds are none of these archives
    const known = label !== null && archives.some((one) => one.label === label);
    tellLost(known || label === null ? `The link is of another run${label === null ? "" : ` of ${label}`}, which this page does not have.`
      : `The link is of the archive ${label}, which this page does not have.`);
    link = new URLSearchParams();
  }
  state.archive = Math.max(0, named);
  for (const name of ["together", "strays"]) element(name).checked = link.get(name) === "1";
  element("bands").checked = link.get("bands") !== "0";
  setUpArchive();
  const archive = current();
  const problem = Number(link.get("problem"));
  const hasProblem = archive.problems[problem] !== undefined;
  if (!hasProblem && link.has("problem")) {
    tellLost(`The link is of problem ${link.get("problem")}, which this archive does not have.`);
    link = new URLSearchParams();
  }
  state.problem = hasProblem ? problem : 0;
  if (link.get("part") === "reported" && !element("part").disabled) element("part").value = "reported";
  const axes = numbersOf(link.get("axes"));
  if (archive.fronts && axes.length === 2 && axes[0] !== axes[1] && axes.every((i) => archive.fronts.objectives[i])) state.axes = axes;
  state.hidden = new Set(link.getAll("without").filter((name) => archive.curves.includes(name) || archives.some((one) => one.label === name)));
  state.zoom = rangesOf(link.get("zoom"));
  state.marked = rangesOf(link.get("marked")) && { ranges: rangesOf(link.get("marked")) };
  showControls();
  showProblem();
  restoreBounds(archive, link);
  restorePoint(archive, link);
  tellMarked();
}

// The point of a model file that the page was written with; empty: of none.
function linkToChosen() {
  const own = archives.find((one) => one.chosen);
  return own ? new URLSearchParams({ archive: own.label, problem: load(own).tasks.problem[own.chosen.task], ...own.chosen }).toString() : "";
}

function rangesOf(text) {
  const ends = numbersOf(text);
  return ends.length === 4 && ends[0] < ends[1] && ends[2] < ends[3] ? [ends.slice(0, 2), ends.slice(2)] : null;
}

function restoreBounds(archive, link) {
  const given = link.getAll("bound").map(numbersOf).filter(([i, limit]) => archive.fronts?.objectives[i] && limit !== undefined);
  if (given.length === 0) return;
  if (!state.bounds) showBounds(archive);
  if (!state.bounds) return;
  const choice = archive.models.choices.indexOf(link.get("of"));
  if (choicesShown(archive).includes(choice)) element("bound-choice").value = choice;
  else if (link.has("of")) return tellLost(`The link's bound is on points of ${link.get("of")}, which this archive does not have.`);
  const best = Number(link.get("best"));
  if (archive.fronts.objectives[best]) element("bound-best").value = best;
  showSliders(archive);
  for (const [i, limit] of given) {
    const field = element(`limit-${i}`);
    if (!field) continue;
    field.value = limit;
    field.dispatchEvent(new Event("change"));
  }
}

function restorePoint({ fronts }, link) {
  if (!fronts || !link.has("task")) return;
  const first = fronts.task.indexOf(Number(link.get("task")));
  const row = first + Number(link.get("point") || 0);
  if (first >= 0 && fronts.task[row] === fronts.task[first]) choose(row);
  else tellLost(`The link is of point ${link.get("point") || 0} of task ${link.get("task")}, which no front of this archive has.`);
}

function tellLost(text) {
  element("lost-link").textContent = text;
  element("lost-link").hidden = false;
}

window.addEventListener("hashchange", () => { if (location.hash.slice(1) !== linkText()) restore(location.hash.slice(1)); });
element("copy-link").addEventListener("click", () => {
  rememberNow();
  copyText(location.href, element("copy-link"));
});
