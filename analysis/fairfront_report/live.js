"use strict";
// A page that is served while a run goes on asks for what is new, and keeps what is selected.
const live = element("live-data") && JSON.parse(element("live-data").textContent);

function follow() {
  if (!live) return;
  element("live").hidden = false;
  setInterval(() => { if (element("following").checked) ask(); }, 1000 * live.seconds);
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

// The same selection of the new contents; the place of the window stays.
function takeNew(contents) {
  const text = linkText();
  archives.splice(0, archives.length, ...contents);
  options(element("archive"), archives.map((one) => one.label));
  restore(text);
}
