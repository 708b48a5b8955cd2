"use strict";
// A page that is served while a run goes on asks for what is new, and keeps what is selected.
const live = element("live-data") && JSON.parse(element("live-data").textContent);

function follow() {
  if (!live) return;
  element("live").hidden = false;
  setInterval(() => { if (element("following").checked && !busy) ask(); }, 1000 * live.seconds);
}

async function ask() {
  try {
    const answer = await fetch(`contents?have=${encodeURIComponent(live.version)}`, { cache: "no-store" });
    if (answer.status === 204) return;
    if (!answer.ok) throw new Error(`the server says ${answer.status}`);
    const found = await answer.json();
    live.version = found.version;
    takeNew(found.contents);
    tellLive(found.told);
  } catch (error) {
    tellLive(`No answer: ${error.message}. What is shown is the last that was heard.`);
  }
}

const tellLive = (text) => { if (element("live-told").textContent !== text) element("live-told").textContent = text; };

// The same selection of the new contents; what is open, focused, marked and in view stays, and nothing is read out again.
function takeNew(contents) {
  const text = linkText(), { marked } = state, focused = document.activeElement?.id;
  const open = new Set([...document.querySelectorAll("details[open] > summary")].map((one) => one.textContent));
  element("detail").setAttribute("aria-live", "off");
  archives.splice(0, archives.length, ...contents);
  options(element("archive"), archives.map((one) => one.label));
  restore(text);
  if (marked?.tasks) mark(marked);
  for (const one of document.querySelectorAll("details")) one.open ||= open.has(one.querySelector("summary").textContent);
  if (!state.bounds) showBounds(current());
  if (focused) element(focused)?.focus({ preventScroll: true });
  setTimeout(() => element("detail").setAttribute("aria-live", "polite"), 1000);
}

// Nothing is replaced under a pressed pointer or a bound that is being written.
let busy = false;
for (const name of ["pointerdown", "pointerup", "pointercancel"])
  window.addEventListener(name, (event) => { busy = event.type === "pointerdown"; }, true);
element("sliders").addEventListener("input", (event) => { busy ||= event.target.type === "number"; });
for (const name of ["change", "focusout"]) element("sliders").addEventListener(name, () => { busy = false; });
