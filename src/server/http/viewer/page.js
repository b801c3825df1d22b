"use strict";
// asks what is on once a second while the page is seen; an answer that is the same as before costs nothing
const PACE = 1000, RECORDINGS_PACE = 5000;
const byId = id => document.getElementById(id);
const known = {};
let chosen = null, opened = null, shown = null, marksOn = true;

function make(tag, text, className) {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  if (className) element.className = className;
  return element;
}

function count(number, thing) {
  return `${number} ${thing}${number === 1 ? "" : "s"}`;
}

// null where nothing changed
async function ask(address) {
  const headers = known[address] ? { "If-None-Match": known[address] } : {};
  const answer = await fetch(address, { headers, cache: "no-store" });
  if (answer.status === 304) return null;
  if (answer.status === 401) { location.reload(); throw new Error("shut out"); }
  if (!answer.ok) throw new Error((await answer.json()).error.message);
  known[address] = answer.headers.get("ETag");
  return answer.json();
}

function time(text) {
  return new Date(text).toLocaleTimeString([], { hour12: false });
}

function showSessions(state) {
  const nav = byId("sessions");
  const focused = document.activeElement && document.activeElement.dataset.session;
  nav.replaceChildren(...state.sessions.map(session => {
    const button = make("button", `${session.id} · ${session.device}`);
    button.type = "button";
    button.dataset.session = session.id;
    button.setAttribute("aria-current", Boolean(state.shown && state.shown.session === session.id));
    return button;
  }));
  if (focused) { const again = nav.querySelector(`[data-session="${CSS.escape(focused)}"]`); if (again) again.focus(); }
}

function place(element, frame, screen) {
  element.style.left = `${frame.x / screen.width * 100}%`;
  element.style.top = `${frame.y / screen.height * 100}%`;
  element.style.width = `${frame.width / screen.width * 100}%`;
  element.style.height = `${frame.height / screen.height * 100}%`;
}

function showScreen(state) {
  const session = state.sessions.find(s => s.id === state.shown.session);
  const { look, picture, current } = state.shown;
  const facts = [session.model, session.os, session.app, count(session.acts, "act")];
  if (look) facts.push(`look ${look.observation}, ${count(look.marks.length, "mark")}`);
  if (session.recording) facts.push(`recording ${session.recording.name} (${count(session.recording.steps, "step")})`);
  if (session.crash) facts.push(`crashed: ${session.crash}`);
  byId("device").textContent = facts.filter(Boolean).join(" · ");
  if (!look) return;
  const screen = byId("screen"), address = `/viewer/sessions/${state.shown.session}/picture/${picture}`;
  const image = byId("picture");
  if (image.getAttribute("src") !== address) image.src = address;
  document.documentElement.style.setProperty("--aspect", look.screen.width / look.screen.height);
  const badge = byId("currency");
  badge.textContent = current ? "as the agent saw it" : "changed since the agent looked";
  badge.className = `badge ${current ? "good" : "warn"}`;
  screen.classList.toggle("stale", !current);
  const key = `${state.shown.session} ${look.observation}`;
  if (screen.dataset.look === key) return;
  screen.dataset.look = key;
  const open = opened, focused = document.activeElement && document.activeElement.dataset.mark;
  screen.querySelectorAll(".mark").forEach(mark => mark.remove());
  // the large ones first, so that each can be reached
  const area = mark => mark.frame.width * mark.frame.height;
  const layers = [...look.marks].sort((a, b) => area(b) - area(a));
  for (const mark of layers) {
    const button = make("button", undefined, mark.role === "text" ? "mark text" : "mark");
    button.type = "button";
    button.dataset.mark = mark.id;
    button.setAttribute("aria-label", `${mark.id} ${mark.role} ${mark.label}`);
    button.setAttribute("aria-expanded", mark.id === open);
    button.append(make("span", mark.id));
    place(button, mark.frame, look.screen);
    screen.append(button);
    if (String(mark.id) === focused) button.focus();
  }
  shown = look;
  showFields(look.marks.find(mark => mark.id === open));
}

function showFields(mark) {
  opened = mark ? mark.id : null;
  byId("screen").querySelectorAll(".mark").forEach(b => b.setAttribute("aria-expanded", Number(b.dataset.mark) === opened));
  const fields = byId("fields");
  fields.hidden = !mark;
  if (!mark) return;
  const list = make("dl");
  const round = number => Math.round(number * 10) / 10;
  const { x, y, width, height } = mark.frame;
  const rows = { label: mark.label, value: mark.value, stable_id: mark.stable_id, identifier: mark.identifier,
    frame: `${round(width)} × ${round(height)} at ${round(x)}, ${round(y)}`, enabled: mark.enabled, selected: mark.selected,
    confidence: round(mark.confidence * 100) + " %", sources: mark.sources.join(", ") };
  for (const [name, value] of Object.entries(rows)) {
    if (value !== undefined && value !== null && value !== "") list.append(make("dt", name), make("dd", String(value)));
  }
  const close = make("button", "Close");
  close.type = "button";
  close.addEventListener("click", () => { const id = opened; showFields(); focusMark(id); });
  const heading = make("div", undefined, "heading");
  heading.append(make("h2", `${mark.id} ${mark.role}`), close);
  fields.replaceChildren(heading, list);
}

function focusMark(id) {
  const button = document.querySelector(`.mark[data-mark="${id}"]`);
  if (button) button.focus();
}

const TONES = { done: "good", denied: "bad", declined: "bad", failed: "bad", to_confirm: "warn" };
function showActions(actions) {
  const list = byId("actions");
  if (!actions.length) { list.replaceChildren(make("li", "Nothing was done yet: looking alone is not written down.", "none")); return; }
  list.replaceChildren(...actions.map(action => {
    const line = make("li"), what = make("span", undefined, "what");
    what.append(make("strong", action.tool || "refused request"), ` ${action.target || action.why || ""}`);
    const verdict = make("span", action.code ? `${action.verdict}: ${action.code}` : action.verdict, `badge ${TONES[action.verdict] || ""}`);
    const at = make("time", time(action.time), "soft small");
    at.dateTime = action.time;
    line.append(at, what, make("span", [action.session, action.who || action.peer].filter(Boolean).join(" · "), "soft small"), verdict);
    return line;
  }));
}

function showRecordings({ folder, recordings }) {
  byId("folder").textContent = folder;
  const list = byId("recordings");
  if (!recordings.length) { list.replaceChildren(make("p", "None yet: record_start begins one.", "none")); return; }
  list.replaceChildren(...recordings.map(recording => {
    const button = make("button");
    button.type = "button";
    button.dataset.recording = recording.name;
    const facts = [count(recording.steps, "step"), ...(recording.tags || []), recording.unfinished && "being recorded", recording.description];
    button.append(make("strong", recording.name), make("span", recording.problem || facts.filter(Boolean).join(" · "), "soft small"));
    button.disabled = Boolean(recording.problem);
    return button;
  }));
}

async function openRecording(name) {
  delete known[`/viewer/recordings/${name}`];
  const recording = await ask(`/viewer/recordings/${name}`);
  byId("viewer-title").textContent = recording.name;
  byId("about").textContent = [recording.description, recording.device, recording.app].filter(Boolean).join(" · ");
  const views = recording.steps.map((step, i) => ({ words: `${i + 1}. ${step.words}`, frame: step.before || step.after, target: step.target }));
  const last = recording.steps.at(-1);
  if (last && last.after) views.push({ words: "In the end", frame: last.after });
  byId("steps").replaceChildren(...views.map((view, i) => {
    const line = make("li"), button = make("button", view.words);
    button.type = "button";
    button.addEventListener("click", () => showStep(recording, views, i));
    line.append(button);
    return line;
  }));
  byId("viewer").showModal();
  if (views.length) showStep(recording, views, 0);
  else byId("frame").removeAttribute("src");
}

function showStep(recording, views, at) {
  const view = views[at], frame = byId("frame"), target = byId("target");
  byId("steps").querySelectorAll("button").forEach((b, i) => b.setAttribute("aria-current", i === at));
  if (view.frame) frame.src = `/viewer/recordings/${recording.name}/frames/${view.frame}`;
  else frame.removeAttribute("src");
  frame.alt = `The screen before ${view.words}`;
  target.hidden = !view.target;
  if (view.target) place(target, view.target, recording.screen);
}

async function look() {
  if (document.hidden) return;
  try {
    const state = await ask(chosen ? `/viewer/state?session=${encodeURIComponent(chosen)}` : "/viewer/state");
    byId("health").textContent = "";
    if (!state) return;
    const isOn = Boolean(state.shown);
    byId("empty").hidden = isOn;
    byId("content").hidden = !isOn && !state.actions.length;
    document.querySelector(".live").hidden = !isOn;
    showSessions(state);
    if (isOn) showScreen(state);
    showActions(state.actions);
  } catch (error) {
    byId("health").textContent = error instanceof TypeError ? "the server does not answer" : error.message;
  }
}

async function lookAtRecordings() {
  if (document.hidden) return;
  try {
    const recordings = await ask("/viewer/recordings");
    if (recordings) showRecordings(recordings);
  } catch { /* the other look says so */ }
}

document.addEventListener("click", event => {
  const button = event.target.closest("button");
  if (!button) return;
  const { session, mark, recording } = button.dataset;
  if (session) { chosen = session; look(); }
  if (mark) showFields(Number(mark) === opened ? undefined : shown.marks.find(m => String(m.id) === mark));
  if (recording) openRecording(recording).catch(error => { byId("health").textContent = error.message; });
  if (button.id === "close") byId("viewer").close();
  if (button.id === "numbers") toggleMarks();
});

function toggleMarks() {
  marksOn = !marksOn;
  byId("numbers").setAttribute("aria-pressed", marksOn);
  byId("screen").classList.toggle("without-marks", !marksOn);
  if (!marksOn) showFields();
}

document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey || byId("viewer").open) return;
  if (event.key === "m") toggleMarks();
  if (event.key === "Escape" && opened !== null) { const id = opened; showFields(); focusMark(id); }
});
document.addEventListener("visibilitychange", () => { look(); lookAtRecordings(); });

byId("address").textContent = `${location.origin}/mcp   (Authorization: Bearer TOKEN)`;
async function onAndOn(work, pace) { for (;;) { await work(); await new Promise(after => setTimeout(after, pace)); } }
onAndOn(look, PACE);
onAndOn(lookAtRecordings, RECORDINGS_PACE);
